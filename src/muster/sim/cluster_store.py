"""One node's logs and documents in the simulated database: the store of `log.postgres` with other statements underneath.

Staging, commits and what is done about a lost connection are the real ones; only what would be SQL is replaced.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar, cast
from uuid import UUID

from muster.cluster.plan import Slot
from muster.log.contract import Fenced, LogConfig, StorageError, TimestampOffset
from muster.log.postgres.fence import Share
from muster.log.postgres.line import ConnectionLost, Line
from muster.log.postgres.partition_log import PostgresLog
from muster.log.postgres.questions import Questions
from muster.log.postgres.store import PostgresCommit, PostgresStore
from muster.log.staging import StagedLog
from muster.log.timestamps import first_at_or_after
from muster.sim.database import SimDatabase
from muster.wire.batch import BatchHeader, parse_header

R = TypeVar("R")


class SimLine:
    """One connection of one node. Broken while it was idle, it says so at the next statement, as a real one does."""

    def __init__(self, database: SimDatabase, node_id: int) -> None:
        self._database = database
        self._node_id = node_id
        self._opened_after: int | None = None
        self.is_held = False
        self.breaks_down: Callable[[], bool] = lambda: False
        """Asked before something is done, and before its answer leaves."""

    def run(self, work: Callable[[SimDatabase], R]) -> R:
        self.connect()
        if self.breaks_down():
            self.close()
            raise ConnectionLost("the simulated database went away before it was asked")
        done = work(self._database)
        if self.breaks_down():
            self.close()
            raise ConnectionLost("the simulated database did it and went away")
        return done

    def connect(self) -> None:
        breaks = self._database.breaks(self._node_id)
        if self._opened_after is not None and self._opened_after != breaks:
            self.close()
            raise ConnectionLost("the simulated database went away")
        if self._opened_after is None:
            if self.is_held or not self._database.is_reachable(self._node_id):
                raise StorageError("the simulated database cannot be reached")
            self._opened_after = breaks

    @property
    def is_broken(self) -> bool:
        return self._opened_after != self._database.breaks(self._node_id)

    def close(self) -> None:
        self._opened_after = None


class SimLog(PostgresLog):
    """Reads come from the tail in memory where the real ones do, and from the database's rows otherwise."""

    def __init__(
        self,
        slot: Slot,
        config: LogConfig,
        announce: Callable[[StagedLog], None],
        line: SimLine,
        node_id: int,
        row: dict[str, Any],
    ) -> None:
        lines = (cast(Line, line), cast(Line, line))
        super().__init__(slot.topic, slot.partition, config, announce, row, (), node_id, lines, Questions(lines[0]))
        self._slot = slot
        self._sim_line = line

    def read(self, offset: int, max_bytes: int, *, at_least_one: bool = True) -> bytes:
        if offset >= self.durable_offset or self._tail.holds(offset):
            return super().read(offset, max_bytes, at_least_one=at_least_one)
        taken: list[bytes] = []
        for batch in self._rows_from(offset):
            if taken and sum(map(len, taken)) + len(batch) > max_bytes:
                break
            taken.append(batch)
        return b"".join(taken)

    def read_headers(self, offset: int) -> Iterator[tuple[int, BatchHeader]]:
        for batch in self._rows_from(offset):
            header = parse_header(batch)
            yield header.base_offset, header

    def offset_for_timestamp(self, timestamp_ms: int) -> TimestampOffset | None:
        for batch in self._rows_from(self.start_offset):
            header = parse_header(batch)
            if header.max_timestamp >= timestamp_ms:
                found = first_at_or_after(batch, header, timestamp_ms, self.start_offset, repr(self))
                if found is not None:
                    return found
        return None

    def _transactional_from(self, offset: int) -> Sequence[tuple[int, int, bytes]]:
        found = [(parse_header(batch), batch) for batch in self._rows_from(offset)]
        return [
            (header.base_offset, header.next_offset, batch)
            for header, batch in found
            if header.is_transactional and offset <= header.base_offset < self._scan_end
        ]

    def _rows_from(self, offset: int) -> list[bytes]:
        batches = self._sim_line.run(lambda database: list(database.partitions[self._slot].batches))
        end = self.durable_offset
        return [batch.bytes for batch in batches if batch.next_offset > offset and batch.base_offset < end]


class SimCommit(PostgresCommit):
    """One statement. It may be carried out after nobody waits for it any more."""

    def __init__(self, store: ClusterStore, shares: list[tuple[PostgresLog, Share]]) -> None:
        super().__init__(store, cast(Line, store.writer), shares)
        self._database = store.database
        self._sent = [share for log, share in shares if not log.is_uncertain]
        self._is_abandoned = False

    def _begin_transactions(self, partition_ids: list[int]) -> None:
        """`ClusterStore.open` looks at the batches themselves."""

    def _append(self, shares: list[Share]) -> set[int]:
        return self._database.append(self._store.node_id, shares)

    def run(self) -> None:
        """In the database. The connection was there when it was sent."""
        if not self._is_abandoned:
            super().run()
        elif self._sent:
            self._append(self._sent)

    def fail(self, why: StorageError) -> None:
        """Nobody here knows what became of it, or it was never sent."""
        self._is_abandoned = True
        self._taken = set()
        self._failure = why


class ClusterStore(PostgresStore):
    def __init__(self, database: SimDatabase, node_id: int) -> None:
        self.durability = "fsync"
        self.node_id = node_id
        self.database = database
        self.reader = SimLine(database, node_id)
        self.writer = SimLine(database, node_id)
        self._logs = {}
        self._dirty = {}
        self._versions = {}
        self.on_connection_lost = lambda: None
        self.before_closing = lambda: None

    def set_reachable(self, *, is_reachable: bool) -> None:
        self.reader.is_held = not is_reachable

    def partitions(self) -> Sequence[tuple[str, int]]:
        return self.reader.run(lambda database: sorted(database.partitions))

    def open(self, topic: str, partition: int, topic_id: bytes, config: LogConfig) -> PostgresLog:
        slot = Slot(topic, partition)
        log = self._logs.get(slot)
        if log is not None:
            log.config = config
            return log
        row = self.reader.run(lambda database: database.partitions.get(slot))
        if row is None or row.owner != self.node_id:
            raise Fenced(f"{topic}-{partition} is not owned by node {self.node_id}")
        columns = {
            "id": row.id,
            "topic_id": UUID(bytes=row.topic_id),
            "epoch": row.epoch,
            "start_offset": 0,
            "end_offset": row.end_offset,
            "clean_offset": 0,
            "has_transactions": any(parse_header(batch.bytes).is_transactional for batch in row.batches),
        }
        log = SimLog(slot, config, self._on_first_staged, self.reader, self.node_id, columns)
        self._logs[slot] = log
        return log

    def announce(self, topic: str, topic_id: bytes, partitions: Sequence[int]) -> None:
        self.reader.run(lambda database: database.announce(topic, topic_id, partitions))

    def make_room(self, names: Sequence[str]) -> None:
        """No name comes again."""

    def delete(self, topic: str, partition: int, topic_id: bytes | None = None) -> None:
        self.reader.run(lambda database: database.partitions.pop(Slot(topic, partition), None))
        self.release(topic, partition)

    def clear_some(self) -> bool:
        return False  # `delete` leaves nothing

    def topic_id_of(self, topic: str, partition: int) -> bytes | None:
        row = self.reader.run(lambda database: database.partitions.get(Slot(topic, partition)))
        return row.topic_id if row is not None else None

    def _commit_of(self, shares: list[tuple[PostgresLog, Share]]) -> PostgresCommit:
        return SimCommit(self, shares)

    def read_document(self, name: str) -> bytes | None:
        self._versions[name], content = self.reader.run(lambda database: database.read_document(name))
        return content

    def forget_document(self, name: str) -> None:
        self._versions.pop(name, None)

    def write_document(self, name: str, content: bytes) -> None:
        known = self._versions.get(name, 0)
        self._versions[name] = self.reader.run(lambda database: database.write_document(name, content, known))

    def close(self) -> None:
        """Nothing is staged when a node that stops comes to this."""
