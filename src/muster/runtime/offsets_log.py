"""One partition of `__consumer_offsets`.

What belongs to a transaction has batches of its own, between the others in the order of the outcomes: their headers name the
producer.
"""

from __future__ import annotations

from muster.core.consumer.records import TOMBSTONES
from muster.core.records import EndTransactionMarker, GroupErased, OffsetErased, ProducerRecord, Record
from muster.log.record_codec import write_record
from muster.runtime.coordinator_log import CoordinatorLog
from muster.wire.batch import TRANSACTIONAL_BIT, EndMarker, OpenBatch, encode_marker_batch


class OffsetsLog(CoordinatorLog):
    __slots__ = ()

    def _stage(self, records: list[Record], now_ms: int, base_offset: int) -> None:
        first = records[0]
        if isinstance(first, ProducerRecord):
            self._stage_apart(self._encode_of_producer(first, records, now_ms, base_offset), now_ms)
        else:
            super()._stage(records, now_ms, base_offset)

    def _write(self, batch: OpenBatch, records: list[Record]) -> None:
        for record in records:
            write_record(batch, record)

    def _are_tombstones(self, records: list[Record]) -> bool:
        return all(isinstance(record, (OffsetErased, GroupErased, *TOMBSTONES)) for record in records)

    def _encode_of_producer(self, first: ProducerRecord, records: list[Record], now_ms: int, base_offset: int) -> bytes:
        """The batch of an outcome that belongs to a transaction. Its sequence is 0 each time, as Kafka's coordinator has it."""
        if isinstance(first, EndTransactionMarker):
            assert len(records) == 1, "a marker is alone in its batch"
            marker = EndMarker(first.commit, first.coordinator_epoch)
            return encode_marker_batch(
                marker,
                first.producer_id,
                first.producer_epoch,
                now_ms,
                base_offset=base_offset,
                leader_epoch=self._epoch,
            )
        batch = OpenBatch(base_offset, self._epoch, first.producer_id, first.producer_epoch, 0, TRANSACTIONAL_BIT)
        if not self._add(batch, records, now_ms):
            raise self._do_not_fit(records)
        return batch.seal(self._compression)
