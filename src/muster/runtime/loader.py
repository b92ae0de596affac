"""Replays a partition of `__consumer_offsets` into a fresh shard, a piece at a time so that serving goes on meanwhile.

Offsets that a transaction wrote count only from its COMMIT marker on, and never after an ABORT (spec 4.6); those of a
transaction that is still open stay aside. Unknown record types are counted and skipped; anything else that cannot be
read fails the load, naming partition and offset: half a truth about committed offsets would be worse than none.
"""

from __future__ import annotations

from collections.abc import Iterator

from muster.core.records import Record, UnknownRecord
from muster.core.shard import Shard
from muster.log.contract import PartitionLog
from muster.log.record_codec import RecordError, decode_record
from muster.wire.batch import BatchHeader, decode_records, iterate_batches
from muster.wire.errors import WireError

_COMMIT_MARKER = 1

BYTES_A_STEP = 64 * 1024
"""What is replayed in one go: some ten milliseconds, in which nobody is served."""


class LoadError(Exception):
    """The partition holds something that cannot be replayed; says where and what."""


class Load:
    def __init__(self, shard: Shard, log: PartitionLog, chunk_bytes: int) -> None:
        self._shard = shard
        self._log = log
        self._chunk_bytes = chunk_bytes
        self._next_offset = log.start_offset
        self._end_offset = log.durable_offset
        self._piece = b""
        self._batches: Iterator[tuple[int, BatchHeader]] = iter(())
        """What is left of the piece that was read last."""
        self._open_transactions: dict[int, list[tuple[Record, int]]] = {}
        self.records = 0
        self.unknown_records = 0

    @property
    def is_over(self) -> bool:
        return self._next_offset >= self._end_offset

    def step(self) -> bool:
        """Replay some more. True when there is nothing left."""
        if self.is_over:
            return True
        try:
            done = self._replay_some()
            if not done:
                # One batch may be larger than a piece; it is read whole all the same (spec 1.4).
                self._piece = self._log.read(self._next_offset, self._chunk_bytes, at_least_one=True)
                self._batches = iterate_batches(self._piece)
                done = self._replay_some()
        except (WireError, RecordError) as error:
            raise LoadError(
                f"{self._log.topic}-{self._log.partition} near offset {self._next_offset}: {error}"
            ) from error
        return not done or self.is_over

    def _replay_some(self) -> int:
        """Go on with the piece; returns how many bytes of it were replayed."""
        done = 0
        for position, header in self._batches:
            self._replay_batch(self._piece, position, header)
            done += header.size
            if done >= BYTES_A_STEP:
                break
        return done

    def _replay_batch(self, piece: bytes, position: int, header: BatchHeader) -> None:
        next_offset = header.base_offset + header.last_offset_delta + 1
        records = decode_records(piece, header, position)
        if header.is_control:
            for record in records:
                self._end_transaction(header.producer_id, record.key)
        else:
            for offset, _, key, value, _ in records:
                # The first piece may begin with a batch that starts before the log does.
                if offset >= self._next_offset:
                    self._replay_record(decode_record(key, value), offset, header)
        self._next_offset = next_offset

    def _replay_record(self, record: Record, offset: int, header: BatchHeader) -> None:
        self.records += 1
        if isinstance(record, UnknownRecord):
            self.unknown_records += 1
        elif header.is_transactional:
            self._open_transactions.setdefault(header.producer_id, []).append((record, offset))
        else:
            self._shard.replay(record, offset)

    def _end_transaction(self, producer_id: int, marker_key: bytes | None) -> None:
        pending = self._open_transactions.pop(producer_id, ())
        # A marker's key is its version and its type, two 16-bit numbers; types but COMMIT leave nothing behind.
        if marker_key is not None and int.from_bytes(marker_key[2:4], "big") == _COMMIT_MARKER:
            for record, offset in pending:
                self._shard.replay(record, offset)
