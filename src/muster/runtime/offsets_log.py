"""One partition of `__consumer_offsets`, as a shard's runner sees it: typed records in, durable or not.

Knows how the coordinator's records become a record batch. Does not know what they mean.
"""

from __future__ import annotations

from collections.abc import Sequence

from muster.core.records import Record
from muster.log.contract import PartitionLog
from muster.log.record_codec import RecordError, encode_records
from muster.runtime.group_commit import GroupCommit, WhenDurable
from muster.wire.batch import Record as WireRecord
from muster.wire.batch import encode_batch, encode_pairs, parse_header


class RecordsTooLarge(Exception):
    """One outcome's records do not fit: into one batch of this topic, or one of their texts into its field."""


class OffsetsLog:
    __slots__ = ("_commit", "_compression", "_epoch", "_max_batch_bytes", "log")

    def __init__(
        self, log: PartitionLog, commit: GroupCommit, leader_epoch: int, max_batch_bytes: int, compression: int
    ) -> None:
        self.log = log
        self._commit = commit
        self._epoch = leader_epoch
        self._max_batch_bytes = max_batch_bytes
        self._compression = compression

    def __str__(self) -> str:
        return f"{self.log.topic}-{self.log.partition}"

    def append(self, records: Sequence[Record], now_ms: int, when_durable: WhenDurable) -> int:
        """Append all of `records` as one batch; returns the offset of the first. `when_durable` is called in order.

        Tombstones may take several batches, as in Kafka: a large group must be deletable. They are staged together all
        the same, so they become durable, or are lost, together.
        """
        batches = self._encode(records, now_ms)
        base_offset = self.log.end_offset
        for batch in batches:
            self.log.append(batch, parse_header(batch, 0), self._epoch, now_ms)
        self._commit.when_durable(self.log, base_offset + len(records), when_durable)
        return base_offset

    def _encode(self, records: Sequence[Record], now_ms: int) -> list[bytes]:
        try:
            pairs = encode_records(records)
        except RecordError as error:
            raise RecordsTooLarge(f"{self}: {error}") from error
        batch = self._encode_pairs(pairs, now_ms)
        if len(batch) <= self._max_batch_bytes:
            return [batch]
        if len(pairs) > 1 and all(value is None for _, value in pairs):
            middle = len(records) // 2
            return self._encode(records[:middle], now_ms) + self._encode(records[middle:], now_ms)
        raise RecordsTooLarge(
            f"{self}: {len(records)} records make a batch of {len(batch)} bytes, "
            f"max.message.bytes allows {self._max_batch_bytes}"
        )

    def _encode_pairs(self, pairs: Sequence[tuple[bytes, bytes | None]], now_ms: int) -> bytes:
        if self._compression == 0:
            return encode_pairs(pairs, now_ms)
        # offsets.topic.compression.codec
        return encode_batch(
            [WireRecord(position, now_ms, key, value) for position, (key, value) in enumerate(pairs)],
            compression=self._compression,
        )
