"""One partition of a coordinator's topic, as a shard's runner sees it: typed records in, durable or not.

Knows how the coordinator's records become record batches: all outcomes of a tick share one, as in Kafka, whose coordinator
lingers before it appends; a header, a checksum and a note in the commit are then paid once. What records mean, and how they look
as bytes, is known to `offsets_log` and `transactions_log`.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Any, TypeAlias, cast

from muster.log.contract import PartitionLog, StorageError
from muster.log.record_codec import RecordError
from muster.log.staging import StagedLog
from muster.runtime.group_commit import GroupCommit
from muster.wire.batch import OpenBatch, parse_header

WhenSettled: TypeAlias = Callable[[int, StorageError | None], None]
"""Told of so many outcomes, in the order of their appends: their records are durable, or lost."""


class RecordsTooLarge(Exception):
    """One outcome's records do not fit: into one batch of this topic, or one of their texts into its field."""


class _Shared:
    """The outcomes of one batch: they become durable, or are lost, together."""

    __slots__ = ("_when_settled", "is_settled", "outcomes")

    def __init__(self, when_settled: WhenSettled) -> None:
        self._when_settled: WhenSettled | None = when_settled
        self.outcomes = 0
        self.is_settled = False

    def settle(self, error: StorageError | None) -> None:
        self.is_settled = True
        when_settled, self._when_settled = self._when_settled, None  # the callback may keep this batch for long
        assert when_settled is not None, "a batch was settled twice"
        when_settled(self.outcomes, error)


class CoordinatorLog:
    __slots__ = ("_batch", "_commit", "_compression", "_epoch", "_max_batch_bytes", "_shared", "_staged", "log")

    def __init__(
        self, log: PartitionLog, commit: GroupCommit, leader_epoch: int, max_batch_bytes: int, compression: int
    ) -> None:
        self.log = log
        self._staged = cast(StagedLog, log)
        """The same log: the leader of a partition has its log, and compiled code calls it directly."""
        self._commit = commit
        self._epoch = leader_epoch
        self._max_batch_bytes = max_batch_bytes
        self._compression = compression
        """A batch that is compressed is an outcome's own."""
        self._batch: OpenBatch | None = None
        self._shared: _Shared | None = None

    def __str__(self) -> str:
        return f"{self.log.topic}-{self.log.partition}"

    def append(self, records: list[Any], now_ms: int, when_settled: WhenSettled) -> int:
        """Append all of `records` in one batch, after what the tick has brought so far; returns the offset of the first.

        Tombstones may take several batches, as in Kafka: a large group must be deletable. They are staged together all
        the same, so they become durable, or are lost, together.
        """
        staged = self._staged
        base_offset = staged.end_offset
        self._stage(records, now_ms, base_offset)
        shared = self._shared
        if shared is None or shared.is_settled:
            shared = self._shared = _Shared(when_settled)
            self._commit.when_durable(self.log, staged.end_offset, shared.settle)
        shared.outcomes += 1
        return base_offset

    def _stage(self, records: list[Any], now_ms: int, base_offset: int) -> None:
        batch = self._batch
        if batch is not None and batch.is_open and self._add(batch, records, now_ms):
            self._staged.stage_open(batch)
        else:
            self._begin(self._encode(records, now_ms, base_offset), now_ms)

    @abstractmethod
    def _write(self, batch: OpenBatch, records: list[Any]) -> None:
        """Write all of them into the batch. RecordError if one cannot be."""

    @abstractmethod
    def _are_tombstones(self, records: list[Any]) -> bool: ...

    def _add(self, batch: OpenBatch, records: list[Any], now_ms: int) -> bool:
        """False if the batch gets too large; it is then as it was."""
        batch.mark(now_ms)
        try:
            self._write(batch, records)
        except Exception as error:
            batch.undo()  # whatever it was: others have records in this batch, half a record more would spoil them
            if isinstance(error, RecordError):
                raise RecordsTooLarge(f"{self}: {error}") from error
            raise
        if batch.size > self._max_batch_bytes and len(batch.seal(self._compression)) > self._max_batch_bytes:
            batch.undo()
            return False
        batch.keep()
        return True

    def _encode(self, records: list[Any], now_ms: int, base_offset: int) -> list[OpenBatch]:
        batch = OpenBatch(base_offset, self._epoch)
        if self._add(batch, records, now_ms):
            return [batch]
        if len(records) > 1 and self._are_tombstones(records):
            # Halved, not filled one by one: each try may have to compress all of it to see whether it fits.
            middle = len(records) // 2
            first = self._encode(records[:middle], now_ms, base_offset)
            return first + self._encode(records[middle:], now_ms, base_offset + middle)
        raise self._do_not_fit(records)

    def _do_not_fit(self, records: list[Any]) -> RecordsTooLarge:
        return RecordsTooLarge(
            f"{self}: {len(records)} records do not fit into a batch of {self._max_batch_bytes} bytes (max.message.bytes)"
        )

    def _begin(self, batches: list[OpenBatch], now_ms: int) -> None:
        self._shared = None
        self._batch = None
        for batch in batches:
            if self._compression:
                self._stage_apart(batch.seal(self._compression), now_ms)
            else:
                self._staged.stage_open(batch)
                self._batch = batch

    def _stage_apart(self, content: bytes, now_ms: int) -> None:
        """A batch that nobody else's records may join."""
        self._shared = None
        self._batch = None
        self._staged.append(content, parse_header(content, 0), self._epoch, now_ms)
