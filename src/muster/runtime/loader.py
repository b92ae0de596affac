"""Replays a partition of `__consumer_offsets` into a fresh shard, a piece at a time so that serving goes on meanwhile.

Whose producer a batch names, and which markers end a transaction, is read here; what that means for offsets the shard decides, as
for those that were just written (spec 4.6, 5.7). Unknown record types are counted and skipped. So are records that cannot be
decoded in a batch whose checksum is right: somebody wrote them so, and one record must not keep a thousand groups from their
coordinator. Where the checksum is wrong the disk has changed something, and the load fails, naming partition and offset: half a
truth about committed offsets would be worse than none.
"""

from __future__ import annotations

import gc
from struct import Struct

from muster.core.records import EndTransactionMarker, LogRecord, OffsetCommitted, TransactionalOffset, UnknownRecord
from muster.core.shard import Shard
from muster.log.contract import PartitionLog
from muster.log.offset_run import RunReader
from muster.log.record_codec import RecordError, decode_record
from muster.wire.batch import (
    COMPRESSION_MASK,
    CONTROL_BIT,
    HEADER_SIZE,
    NO_PRODUCER_ID,
    BatchHeader,
    check_crc,
    decode_marker,
    decode_records,
    parse_header,
)
from muster.wire.batch import Record as BatchRecord
from muster.wire.batch_header import LENGTH_END, MAGIC
from muster.wire.errors import WireError

BYTES_A_STEP = 64 * 1024
"""What is replayed in one go: a few milliseconds, in which nobody is served."""
_BYTES_A_READ = 4 * BYTES_A_STEP
"""Whatever the buffer may hold: memory for more would never be given back, and reads this long are as quick."""

_GLANCE = Struct(">qi4xb4xhi16xq6xi")
"""Of a batch header: base offset, length, magic, attributes, last offset delta, producer id, record count."""
_MANY_RECORDS = 10_000
"""From here on the collector is spared what was loaded. Not for less: garbage that is there at that moment stays for ever."""
_NOT_PLAIN = COMPRESSION_MASK | CONTROL_BIT


class LoadError(Exception):
    """The partition holds something that cannot be replayed; says where and what."""


class Load:
    def __init__(self, shard: Shard, log: PartitionLog, chunk_bytes: int) -> None:
        self._shard = shard
        self._log = log
        self._chunk_bytes = min(chunk_bytes, _BYTES_A_READ)
        self._next_offset = log.start_offset
        self._end_offset = log.durable_offset
        self._piece = b""
        self._position = 0
        """How much of the piece that was read last is replayed."""
        self._runs = RunReader()
        self.records = 0
        self.unknown_records = 0
        self.undecodable_records = 0
        self.first_undecodable = ""
        """Offset and problem, to show."""
        self._checked_batch = -1
        """Base offset of the batch whose checksum was looked at last."""

    @property
    def is_over(self) -> bool:
        return self._next_offset >= self._end_offset

    def step(self) -> bool:
        """Replay some more. True when there is nothing left."""
        if self.is_over:
            return True
        collects = gc.isenabled()
        gc.disable()  # nothing made here is garbage: passes over a million new offsets would double the time
        try:
            done = self._replay_some()
            if not done:
                # One batch may be larger than a piece; it is read whole all the same (spec 1.4).
                self._piece = self._log.read(self._next_offset, self._chunk_bytes, at_least_one=True)
                self._position = 0
                done = self._replay_some()
        except (WireError, RecordError) as error:
            raise LoadError(
                f"{self._log.topic}-{self._log.partition} near offset {self._next_offset}: {error}"
            ) from error
        finally:
            if self.records >= _MANY_RECORDS:
                gc.freeze()  # what was made here stays for long: the collector need not look at it ever again
            if collects:
                gc.enable()
        return not done or self.is_over

    def _replay_some(self) -> int:
        """Go on with the piece; returns how many bytes of it were replayed."""
        start = self._position
        end = min(len(self._piece), start + BYTES_A_STEP)
        while self._position < end:
            self._position += self._replay_plain() or self._replay_any()
        return self._position - start

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
            self._shard.replay_loaded(group_id, topic, run)
            done += len(run)
        self.records += done
        if done < count:
            header = parse_header(piece, position)
            for record in self._records_of(piece, position, header, done):
                self._replay_bytes(piece, position, header, record)

    def _replay_any(self) -> int:
        header = parse_header(self._piece, self._position)
        self._replay_batch(self._piece, self._position, header)
        return header.size

    def _replay_batch(self, piece: bytes, position: int, header: BatchHeader) -> None:
        next_offset = header.base_offset + header.last_offset_delta + 1
        records = self._records_of(piece, position, header, 0)
        if header.is_control:
            for record in records:
                self._replay_marker(piece, position, header, record)
        else:
            for record in records:
                # The first piece may begin with a batch that starts before the log does.
                if record.offset >= self._next_offset:
                    self._replay_bytes(piece, position, header, record)
        self._next_offset = next_offset

    def _records_of(self, piece: bytes, position: int, header: BatchHeader, done: int) -> list[BatchRecord]:
        """The records of a batch behind the first `done`; none if they are not even records."""
        try:
            return decode_records(piece, header, position)[done:]
        except WireError as error:
            self._skip(piece, position, header, header.base_offset, header.record_count - done, error)
            return []

    def _replay_bytes(self, piece: bytes, position: int, header: BatchHeader, record: BatchRecord) -> None:
        try:
            decoded = decode_record(record.key, record.value)
        except RecordError as error:
            self._skip(piece, position, header, record.offset, 1, error)
            return
        self._replay_record(decoded, record.offset, header)

    def _skip(
        self, piece: bytes, position: int, header: BatchHeader, offset: int, count: int, error: Exception
    ) -> None:
        """Count what cannot be decoded. CorruptBatch if the disk, not whoever wrote it, made it so."""
        # Deviates: Kafka fails the load of a partition that holds a record which cannot be decoded, again and again.
        if self._checked_batch != header.base_offset:
            check_crc(piece, header, position)
            self._checked_batch = header.base_offset
        if not self.undecodable_records:
            self.first_undecodable = f"at offset {offset}: {error}"
        self.undecodable_records += max(1, count)

    def _replay_record(self, record: LogRecord, offset: int, header: BatchHeader) -> None:
        self.records += 1
        if isinstance(record, UnknownRecord):
            self.unknown_records += 1
        elif isinstance(record, OffsetCommitted) and header.producer_id != NO_PRODUCER_ID:
            # As in Kafka the producer decides, not the transactional bit; and whatever is no offset counts at once.
            self._shard.replay(TransactionalOffset(header.producer_id, header.producer_epoch, record), offset)
        else:
            self._shard.replay(record, offset)

    def _replay_marker(self, piece: bytes, position: int, header: BatchHeader, record: BatchRecord) -> None:
        try:
            marker = decode_marker(record.key, record.value)
        except WireError as error:
            self._skip(piece, position, header, record.offset, 1, error)
            return
        if marker is not None:  # other control records are not about transactions
            end = EndTransactionMarker(
                header.producer_id, header.producer_epoch, marker.committed, marker.coordinator_epoch
            )
            self._shard.replay(end, record.offset)
