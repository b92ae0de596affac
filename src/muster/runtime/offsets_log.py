"""One partition of `__consumer_offsets`, as a shard's runner sees it: typed records in, durable or not.

Knows how the coordinator's records become record batches: all outcomes of a tick share one, as in Kafka, whose coordinator
lingers before it appends; a header, a checksum and a note in the commit are then paid once. What belongs to a transaction has
batches of its own, between the others in the order of the outcomes: their headers name the producer. Does not know what records
mean.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias, cast

from muster.core.records import EndTransactionMarker, GroupErased, OffsetErased, ProducerRecord, Record
from muster.log.contract import PartitionLog, StorageError
from muster.log.record_codec import RecordError, encode_records, write_record
from muster.log.staging import StagedLog
from muster.runtime.group_commit import GroupCommit
from muster.wire.batch import EndMarker, OpenBatch, encode_batch, encode_marker_batch, parse_header
from muster.wire.batch import Record as BatchRecord

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
        when_settled, self._when_settled = self._when_settled, None  # whoever is told may have this batch for long
        assert when_settled is not None, "a batch was settled twice"
        when_settled(self.outcomes, error)


class OffsetsLog:
    __slots__ = ("_batch", "_commit", "_compression", "_epoch", "_max_batch_bytes", "_shared", "_staged", "log")

    def __init__(
        self, log: PartitionLog, commit: GroupCommit, leader_epoch: int, max_batch_bytes: int, compression: int
    ) -> None:
        self.log = log
        self._staged = cast(StagedLog, log)
        """The same one: whoever leads a partition has its log, and compiled code calls it directly."""
        self._commit = commit
        self._epoch = leader_epoch
        self._max_batch_bytes = max_batch_bytes
        self._compression = compression
        """offsets.topic.compression.codec. A batch that is compressed is an outcome's own."""
        self._batch: OpenBatch | None = None
        self._shared: _Shared | None = None

    def __str__(self) -> str:
        return f"{self.log.topic}-{self.log.partition}"

    def append(self, records: list[Record], now_ms: int, when_settled: WhenSettled) -> int:
        """Append all of `records` in one batch, after what the tick has brought so far; returns the offset of the first.

        Tombstones may take several batches, as in Kafka: a large group must be deletable. They are staged together all
        the same, so they become durable, or are lost, together.
        """
        staged = self._staged
        base_offset = staged.end_offset
        batch = self._batch
        first = records[0]
        if isinstance(first, ProducerRecord):
            self._stage_apart(self._encode_of_producer(first, records, now_ms), now_ms)
        elif batch is not None and batch.is_open and self._add(batch, records, now_ms):
            staged.stage_open(batch)
        else:
            self._begin(self._encode(records, now_ms, base_offset), now_ms)
        shared = self._shared
        if shared is None or shared.is_settled:
            shared = self._shared = _Shared(when_settled)
            self._commit.when_durable(self.log, staged.end_offset, shared.settle)
        shared.outcomes += 1
        return base_offset

    def _encode_of_producer(self, first: ProducerRecord, records: list[Record], now_ms: int) -> bytes:
        """The batch of an outcome that belongs to a transaction. Its sequence is 0 each time, as Kafka's coordinator has it."""
        if isinstance(first, EndTransactionMarker):
            assert len(records) == 1, "a marker is alone in its batch"
            marker = EndMarker(first.commit, first.coordinator_epoch)
            return encode_marker_batch(marker, first.producer_id, first.producer_epoch, now_ms)
        try:
            pairs = encode_records(records)
        except RecordError as error:
            raise RecordsTooLarge(f"{self}: {error}") from error
        batch = encode_batch(
            [BatchRecord(delta, now_ms, key, value) for delta, (key, value) in enumerate(pairs)],
            compression=self._compression,
            producer_id=first.producer_id,
            producer_epoch=first.producer_epoch,
            base_sequence=0,
            transactional=True,
        )
        if len(batch) > self._max_batch_bytes:
            raise self._do_not_fit(records)
        return batch

    def _add(self, batch: OpenBatch, records: list[Record], now_ms: int) -> bool:
        """False if the batch gets too large; it is then as it was."""
        batch.mark(now_ms)
        try:
            for record in records:
                write_record(batch, record)
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

    def _encode(self, records: list[Record], now_ms: int, base_offset: int) -> list[OpenBatch]:
        batch = OpenBatch(base_offset, self._epoch)
        if self._add(batch, records, now_ms):
            return [batch]
        if len(records) > 1 and all(isinstance(record, OffsetErased | GroupErased) for record in records):
            # Halved, not filled one by one: each try may have to compress all of it to see whether it fits.
            middle = len(records) // 2
            first = self._encode(records[:middle], now_ms, base_offset)
            return first + self._encode(records[middle:], now_ms, base_offset + middle)
        raise self._do_not_fit(records)

    def _do_not_fit(self, records: list[Record]) -> RecordsTooLarge:
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
