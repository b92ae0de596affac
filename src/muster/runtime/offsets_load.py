"""Replays a partition of `__consumer_offsets`.

Offsets that a transaction wrote are pending from then on, and count only from its COMMIT marker on (spec 4.6).
"""

from __future__ import annotations

from struct import Struct

from muster.core.records import EndTransactionMarker, OffsetCommitted, TransactionalOffset, UnknownRecord
from muster.core.shard import Shard
from muster.log.contract import PartitionLog
from muster.log.offset_run import RunReader
from muster.log.record_codec import decode_record
from muster.runtime.loader import Load
from muster.wire.batch import (
    COMPRESSION_MASK,
    CONTROL_BIT,
    HEADER_SIZE,
    NO_PRODUCER_ID,
    BatchHeader,
    decode_marker,
    parse_header,
)
from muster.wire.batch import Record as BatchRecord
from muster.wire.batch_header import LENGTH_END, MAGIC

_GLANCE = Struct(">qi4xb4xhi16xq6xi")
"""Of a batch header: base offset, length, magic, attributes, last offset delta, producer id, record count."""
_NOT_PLAIN = COMPRESSION_MASK | CONTROL_BIT


class OffsetsLoad(Load):
    def __init__(self, shard: Shard, log: PartitionLog, chunk_bytes: int) -> None:
        super().__init__(log, chunk_bytes)
        self.shard = shard
        self._runs = RunReader()

    def _replay_plain(self) -> int:
        """A batch without codec, producer and marker is only glanced at: to read its whole header would take as long as
        its records. Returns its size; 0 if it is another kind of batch."""
        piece, position = self._piece, self._position
        if position + HEADER_SIZE > len(piece):
            return 0
        base_offset, length, magic, attributes, last_delta, producer_id, count = _GLANCE.unpack_from(piece, position)
        size: int = length + LENGTH_END
        is_plain = magic == MAGIC and not attributes & _NOT_PLAIN and last_delta >= 0 <= count
        is_plain = is_plain and producer_id == NO_PRODUCER_ID
        if not is_plain or not HEADER_SIZE <= size <= len(piece) - position or base_offset < self._next_offset:
            return 0
        self._replay_records(piece, position, size, count, base_offset)
        self._next_offset = base_offset + last_delta + 1
        return size

    def _replay_records(self, piece: bytes, position: int, size: int, count: int, base_offset: int) -> None:
        """Runs of usual offsets the short way; from the first record that is not usual on, the common way."""
        at, end, done = position + HEADER_SIZE, position + size, 0
        while done < count:
            at, place = self._runs.read(piece, at, end, count - done, base_offset)
            run = self._runs.run
            if place is None or not len(run):
                break
            group_id, topic = place
            self.shard.replay_loaded(group_id, topic, run)
            done += len(run)
        self.records += done
        if done < count:
            header = parse_header(piece, position)
            for record in self._records_of(piece, position, header, done):
                self._replay_record(piece, position, header, record)

    def _replay_decoded(self, header: BatchHeader, record: BatchRecord) -> None:
        if header.is_control:
            self._replay_marker(header, record)
            return
        decoded = decode_record(record.key, record.value)
        self.records += 1
        if isinstance(decoded, UnknownRecord):
            self.unknown_records += 1
        elif isinstance(decoded, OffsetCommitted) and header.producer_id != NO_PRODUCER_ID:
            # As in Kafka the producer decides, not the transactional bit; and whatever is no offset counts at once.
            self.shard.replay(TransactionalOffset(header.producer_id, header.producer_epoch, decoded), record.offset)
        else:
            self.shard.replay(decoded, record.offset)

    def _replay_marker(self, header: BatchHeader, record: BatchRecord) -> None:
        marker = decode_marker(record.key, record.value)
        if marker is not None:  # other control records are not about transactions
            end = EndTransactionMarker(
                header.producer_id, header.producer_epoch, marker.committed, marker.coordinator_epoch
            )
            self.shard.replay(end, record.offset)
