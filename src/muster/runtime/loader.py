"""Replays a coordinator's partition into a fresh shard, a piece at a time so that serving goes on meanwhile.

Unknown record types are counted and skipped. So are records that cannot be decoded in a batch whose checksum is right: somebody
wrote them so, and one record must not keep a thousand groups from their coordinator. Where the checksum is wrong the disk has
changed something, and the load fails, naming partition and offset: half a truth would be worse than none.

What the records mean is known to `offsets_load` and `transactions_load`.
"""

from __future__ import annotations

import gc
from abc import abstractmethod

from muster.log.contract import PartitionLog
from muster.log.record_codec import RecordError
from muster.wire.batch import BatchHeader, check_crc, decode_records, parse_header
from muster.wire.batch import Record as BatchRecord
from muster.wire.errors import WireError

BYTES_A_STEP = 64 * 1024
"""What is replayed in one go: a few milliseconds, in which nobody is served."""
_BYTES_A_READ = 4 * BYTES_A_STEP
"""Whatever the buffer may hold: memory for more would never be given back, and reads this long are as quick."""
_MANY_RECORDS = 10_000
"""From here on the collector is spared what was loaded. Not for less: garbage that is there at that moment stays for ever."""


class LoadError(Exception):
    """The partition holds something that cannot be replayed; says where and what."""


class Load:
    def __init__(self, log: PartitionLog, chunk_bytes: int) -> None:
        self._log = log
        self._chunk_bytes = min(chunk_bytes, _BYTES_A_READ)
        self._next_offset = log.start_offset
        self._end_offset = log.durable_offset
        self._piece = b""
        self._position = 0
        """How much of the piece that was read last is replayed."""
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
        """A short way for the batches that most of the log consists of: returns the size of the next one, or 0 if it has to go
        the common way."""
        return 0

    def _replay_any(self) -> int:
        header = parse_header(self._piece, self._position)
        self._replay_batch(self._piece, self._position, header)
        return header.size

    def _replay_batch(self, piece: bytes, position: int, header: BatchHeader) -> None:
        next_offset = header.base_offset + header.last_offset_delta + 1
        for record in self._records_of(piece, position, header, 0):
            # The first piece may begin with a batch that starts before the log does.
            if record.offset >= self._next_offset:
                self._replay_record(piece, position, header, record)
        self._next_offset = next_offset

    def _records_of(self, piece: bytes, position: int, header: BatchHeader, done: int) -> list[BatchRecord]:
        """The records of a batch behind the first `done`; none if they are not even records."""
        try:
            return decode_records(piece, header, position)[done:]
        except WireError as error:
            self._skip(piece, position, header, header.base_offset, header.record_count - done, error)
            return []

    def _replay_record(self, piece: bytes, position: int, header: BatchHeader, record: BatchRecord) -> None:
        try:
            self._replay_decoded(header, record)
        except (RecordError, WireError) as error:
            self._skip(piece, position, header, record.offset, 1, error)

    @abstractmethod
    def _replay_decoded(self, header: BatchHeader, record: BatchRecord) -> None:
        """Decode one record, count it, and replay it. RecordError or WireError if it cannot be decoded."""

    def _skip(
        self, piece: bytes, position: int, header: BatchHeader, offset: int, count: int, error: Exception
    ) -> None:
        """Count records that cannot be decoded. CorruptBatch if the disk damaged them, rather than the client that wrote them."""
        # Deviates: Kafka fails the load of a partition that holds a record which cannot be decoded, again and again.
        if self._checked_batch != header.base_offset:
            check_crc(piece, header, position)
            self._checked_batch = header.base_offset
        if not self.undecodable_records:
            self.first_undecodable = f"at offset {offset}: {error}"
        self.undecodable_records += max(1, count)
