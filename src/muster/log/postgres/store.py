"""All logs and documents of one node in a database that other nodes use too.

Opens logs that this node owns, makes one statement of all appends of a tick, keeps documents with versions. Who owns
what is decided by the cluster room; with `claims_alone` the store takes what it opens for itself, for a single node
and for tests.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, TypeAlias
from uuid import UUID

from muster.log.contract import DocumentChanged, Durability, Fenced, LogConfig, StorageError
from muster.log.postgres.announcing import announce
from muster.log.postgres.deletion import OF_TOPICS, Deletion, put_aside, put_aside_unless_changed
from muster.log.postgres.fence import Appender, Share
from muster.log.postgres.line import STATEMENT_MS, ConnectionLost, Line
from muster.log.postgres.partition_log import PostgresLog
from muster.log.postgres.pooler import require_sessions
from muster.log.postgres.questions import Questions
from muster.log.postgres.schema import check, tell_others
from muster.log.postgres.segments import SegmentRow, read_segments
from muster.log.staging import Settled, StagedLog

READ_PATIENCE_MS: Final = 2_000
"""At least, of what is asked at a start and for changes."""

TAKE_OVER_MS: Final = 60_000
"""What is read of partitions when they are taken over grows with their batches."""

Foreseen: TypeAlias = dict[tuple[str, int], tuple[dict[str, Any], Sequence[SegmentRow]]]
"""Rows and segments of partitions that are about to be opened, by topic and number."""

_MAKE: Final = """
INSERT INTO muster.partitions (topic, partition, topic_id) VALUES (%s, %s, %s) ON CONFLICT (topic, partition) DO NOTHING
"""
_CATALOG: Final = "topics.json"
"""The document that says which topics there are: with a version of it a node knows what is left of deleted ones."""
_SLOTS: Final = f"SELECT topic, partition FROM muster.partitions WHERE {OF_TOPICS}"  # noqa: S608
_CLAIM: Final = """
UPDATE muster.partitions SET owner = %s, epoch = epoch + 1 WHERE topic = %s AND partition = %s
"""
_ROWS: Final = """
SELECT topic, partition, id, topic_id, owner, epoch, start_offset, end_offset, clean_offset, has_transactions
FROM muster.partitions
JOIN unnest(%s::text[], %s::integer[]) AS wanted(topic, partition) USING (topic, partition)
"""
_BEGIN_TRANSACTIONS: Final = "UPDATE muster.partitions SET has_transactions = true WHERE id = ANY(%s)"
"""Before the first transactional batch: without it the next owner would not look for open transactions."""
_WRITE_FIRST: Final = """
INSERT INTO muster.documents (name, version, content) VALUES (%s, 1, %s) ON CONFLICT (name) DO NOTHING RETURNING version
"""
_WRITE: Final = """
UPDATE muster.documents SET version = version + 1, content = %s, changed_at = now()
WHERE name = %s AND version = %s RETURNING version
"""


class PostgresCommit:
    """Everything staged in one tick: one statement."""

    def __init__(self, store: PostgresStore, line: Line, shares: list[tuple[PostgresLog, Share]]) -> None:
        self._store = store
        self._line = line
        self._shares = shares
        self._taken: set[int] = set()
        self._failure: StorageError | None = None
        self._begins = [log for log, _ in shares if log.has_transactions and not log.is_known_transactional]
        """Logs of whose transactions the database knows nothing yet."""

    def run(self) -> None:
        certain = [share for log, share in self._shares if not log.is_uncertain]
        try:
            if self._begins:
                self._begin_transactions([log.partition_id for log in self._begins])
            if certain:
                self._taken = self._append(certain)
        except StorageError as error:
            self._failure = error

    def _begin_transactions(self, partition_ids: list[int]) -> None:
        self._line.run(lambda connection: connection.execute(_BEGIN_TRANSACTIONS, (sorted(partition_ids),)))

    def _append(self, shares: list[Share]) -> set[int]:
        return self._line.run(lambda connection: self._store.appender.append(connection, shares))

    def finish(self) -> Settled:
        settled: list[tuple[PostgresLog, StorageError | None]] = []
        for log, share in self._shares:
            failure = self._failure_of(log)
            if failure is None:
                log.is_known_transactional = log.is_known_transactional or log in self._begins
                log.store(share.batches, share.segment_bases)
            else:
                log.is_uncertain = log.is_uncertain or isinstance(failure, ConnectionLost)
                self._store.forget_staged(log)
            settled.append((log, failure))
        if isinstance(self._failure, ConnectionLost):
            self._store.on_connection_lost()
        return settled

    def _failure_of(self, log: PostgresLog) -> StorageError | None:
        if log.is_uncertain:
            return Fenced(
                f"{log.topic}-{log.partition}: the database went away during a commit; it is being read again"
            )
        if self._failure is not None:
            return self._failure
        return None if log.partition_id in self._taken else log.fenced()


class PostgresStore:
    """A `LogStore` over PostgreSQL."""

    def __init__(self, url: str, node_id: int, *, claims_alone: bool = False, patience_ms: int = STATEMENT_MS) -> None:
        """StorageError if the database is not there or does not have this release's tables. `patience_ms`: how long an append
        may take; beyond the lease of the node there is no use in waiting for one."""
        self.durability: Durability = "fsync"
        self.node_id = node_id
        self._claims_alone = claims_alone
        self.changes = Line(url, f"node {node_id} changes", max(READ_PATIENCE_MS, patience_ms))
        """For everything at a start; then for whoever changes something in a thread of its own, in turns with the loop."""
        self._writer = Line(url, f"node {node_id} appends", patience_ms)
        self.appender = Appender(node_id)
        self._upkeep = Line(url, f"node {node_id} compacts")
        self.apart = Line(url, f"node {node_id} reads old records", patience_ms)
        """For whoever reads in a thread of its own."""
        self.opener = Line(url, f"node {node_id} takes over", TAKE_OVER_MS)
        """For whoever takes over in a thread of its own."""
        self.questions = Questions(self.changes)
        try:
            require_sessions(self.changes, self._writer)
            self.changes.run(check)
        except StorageError:
            self.changes.close()
            self._writer.close()
            raise
        self._logs: dict[tuple[str, int], PostgresLog] = {}
        self._dirty: dict[PostgresLog, None] = {}
        self._foreseen: Foreseen | None = None
        """Set while that is opened."""
        self._versions: dict[str, int] = {}
        self._deletion = Deletion(self.changes)
        self.on_connection_lost: Callable[[], None] = lambda: None
        """Said when the connection broke during a commit: what is open has to be claimed and opened anew."""
        self.before_closing: Callable[[], None] = lambda: None

    def connect(self) -> None:
        """Make the connections that requests will need: for a new one a database that is slow has no more than a moment."""
        for line in (self.apart, self.opener, self._writer):
            line.connect()

    def set_reachable(self, *, is_reachable: bool) -> None:
        """Whether it makes sense to ask the database; said by whoever keeps the lease."""
        for line in (self.changes, self.apart, self.opener):
            line.is_held = not is_reachable
        if not is_reachable:
            self.opener.cut()  # whatever it waits for will not come, and its patience is long

    @property
    def cluster_id(self) -> str:
        row = self.changes.read(
            lambda connection: connection.execute("SELECT cluster_id FROM muster.cluster").fetchone()
        )
        if row is None:
            raise StorageError("the table muster.cluster is empty: run `muster store migrate URL`")
        return str(row[0])

    def partitions(self) -> Sequence[tuple[str, int]]:
        rows = self.changes.read(lambda connection: connection.execute(_SLOTS).fetchall())
        return sorted((topic, partition) for topic, partition in rows)

    def open(self, topic: str, partition: int, topic_id: bytes, config: LogConfig) -> PostgresLog:
        """Fenced if this node does not own the partition."""
        slot = (topic, partition)
        log = self._logs.get(slot)
        if log is not None and log.topic_id == topic_id:
            log.config = config
            return log
        self.release(topic, partition)  # of a topic that was deleted
        foreseen = self._foreseen
        if foreseen is None:
            if self._claims_alone:
                self.changes.run(lambda connection: self._claim(connection, topic, partition, topic_id))
            foreseen = read_ahead(self.changes, [slot])
            if slot in self._logs:  # opened while the database was asked
                return self.open(topic, partition, topic_id, config)
        row, segments = foreseen.pop(slot, (None, ()))
        if row is None or row["owner"] != self.node_id:
            raise Fenced(f"{topic}-{partition} is not owned by node {self.node_id}")
        if row["topic_id"].bytes != topic_id:
            raise Fenced(f"{topic}-{partition} belongs to another topic of that name")
        lines = (self.changes, self._upkeep)
        log = PostgresLog(
            topic, partition, config, self._on_first_staged, row, segments, self.node_id, lines, self.questions
        )
        self._logs[slot] = log
        return log

    def open_with(self, foreseen: Foreseen, then: Callable[[], None]) -> None:
        """`then` opens what `read_ahead` has read, and nothing else: of what a node owns nobody else changes anything but the
        epoch, and that is checked."""
        self._foreseen = foreseen
        try:
            then()
        finally:
            self._foreseen = None

    def _claim(self, connection: Any, topic: str, partition: int, topic_id: bytes) -> None:
        with connection.transaction():
            connection.execute(_MAKE, (topic, partition, UUID(bytes=topic_id)))
            connection.execute(_CLAIM, (self.node_id, topic, partition))

    def get(self, topic: str, partition: int) -> PostgresLog | None:
        return self._logs.get((topic, partition))

    def announce(self, topic: str, topic_id: bytes, partitions: Sequence[int]) -> None:
        known = (_CATALOG, self._versions.get(_CATALOG))
        self.changes.run(lambda connection: announce(connection, known, topic, UUID(bytes=topic_id), partitions))

    def make_room(self, names: Sequence[str]) -> None:
        known = (_CATALOG, self._versions.get(_CATALOG, 0))
        self.changes.run(lambda connection: put_aside_unless_changed(connection, known, names))

    def release(self, topic: str, partition: int) -> None:
        log = self._logs.pop((topic, partition), None)
        if log is not None:
            self.forget_staged(log)

    def delete(self, topic: str, partition: int, topic_id: bytes | None = None) -> None:
        known = (_CATALOG, self._versions.get(_CATALOG, 0))

        def work(connection: Any) -> None:
            if topic_id is None:
                put_aside_unless_changed(connection, known, [topic], partition)
            else:
                put_aside(connection, topic, partition, UUID(bytes=topic_id))

        try:
            self.changes.run(work)
        finally:
            self.release(topic, partition)

    def clear_some(self) -> bool:
        return self._deletion.do_some()

    def topic_id_of(self, topic: str, partition: int) -> bytes | None:
        rows = self.changes.read(lambda connection: _rows(connection, [(topic, partition)]))
        return rows[topic, partition]["topic_id"].bytes if rows else None

    # -- appending

    def begin_commit(self) -> PostgresCommit | None:
        if not self._dirty:
            return None
        shares = []
        for log in self._dirty:
            batches = log.take_staged()
            shares.append((log, Share(log.partition_id, log.epoch, batches, log.segment_bases(batches))))
        self._dirty = {}
        return self._commit_of(shares)

    def _commit_of(self, shares: list[tuple[PostgresLog, Share]]) -> PostgresCommit:
        return PostgresCommit(self, self._writer, shares)

    def forget_staged(self, log: PostgresLog) -> None:
        log.fall_back()
        self._dirty.pop(log, None)

    def _on_first_staged(self, log: StagedLog) -> None:
        assert isinstance(log, PostgresLog)
        self._dirty[log] = None

    # -- documents

    def read_document(self, name: str) -> bytes | None:
        row = self.changes.read(
            lambda connection: connection.execute(
                "SELECT version, content FROM muster.documents WHERE name = %s", (name,)
            ).fetchone()
        )
        self._versions[name] = row[0] if row is not None else 0
        return bytes(row[1]) if row is not None else None

    def forget_document(self, name: str) -> None:
        self._versions.pop(name, None)

    def write_document(self, name: str, content: bytes) -> None:
        known = self._versions.get(name, 0)

        def write(connection: Any) -> int | None:
            with connection.transaction():
                values = (content, name, known)
                row = connection.execute(_WRITE, values).fetchone() if known else None
                if not known:
                    row = connection.execute(_WRITE_FIRST, (name, content)).fetchone()
                if row is not None:
                    tell_others(connection, f"document {name}")
                return int(row[0]) if row is not None else None

        version = self.changes.run(write)
        if version is None:
            raise DocumentChanged(f"{name} was changed by another node")
        self._versions[name] = version

    def document_versions(self) -> dict[str, int]:
        """Of the documents that this node read or wrote."""
        return dict(self._versions)

    def close(self) -> None:
        self.before_closing()
        commit = self.begin_commit()
        try:
            if commit is not None:
                commit.run()
                for _, failure in commit.finish():
                    if failure is not None:
                        raise failure
        finally:
            for line in (self.changes, self._writer, self._upkeep, self.apart, self.opener):
                line.close()


def read_ahead(line: Line, slots: Sequence[tuple[str, int]]) -> Foreseen:
    """What is needed to open these, all at once: a taking over opens dozens of logs, and waiting for two answers for each of
    them would be most of the time it takes."""

    def read(connection: Any) -> Foreseen:
        rows = _rows(connection, slots)
        segments = read_segments(connection, [row["id"] for row in rows.values()])
        return {slot: (row, segments.get(row["id"], ())) for slot, row in rows.items()}

    return line.read(read) if slots else {}


def _rows(connection: Any, slots: Sequence[tuple[str, int]]) -> dict[tuple[str, int], dict[str, Any]]:
    """The rows of these partitions, by topic and number; those that do not exist are missing."""
    cursor = connection.execute(_ROWS, ([topic for topic, _ in slots], [partition for _, partition in slots]))
    names = [column.name for column in cursor.description]
    found = [dict(zip(names, row, strict=True)) for row in cursor]
    return {(row["topic"], row["partition"]): row for row in found}
