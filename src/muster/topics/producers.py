"""What a partition remembers of idempotent producers, so that a batch sent again is not written again (KIP-98).

A ledger is memory only: it is built from the batch headers in the log, and built again when the log lost appends.
Knows sequences and epochs; does not write. topics/produce.py asks `check` before an append and says `record` after it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import field
from typing import Final

from muster.log.contract import PartitionLog
from muster.topics.limits import MAX_PRODUCERS_PER_PARTITION
from muster.topics.refusal import TopicError
from muster.wire.batch import NO_PRODUCER_ID, BatchHeader
from muster.wire.errors import INVALID_PRODUCER_EPOCH, OUT_OF_ORDER_SEQUENCE_NUMBER
from muster.wire.late_dataclass import dataclass
from muster.wire.special_values import NO_SEQUENCE

KEPT_BATCHES: Final = 5
"""Kafka's: producers have at most five requests in flight, so no older batch can come again."""

_LAST_SEQUENCE: Final = 2**31 - 1


@dataclass(slots=True, frozen=True)
class KeptBatch:
    first_sequence: int
    last_sequence: int
    base_offset: int
    last_offset: int
    timestamp_ms: int


@dataclass(slots=True)
class ProducerEntry:
    epoch: int
    seen_ms: int
    batches: deque[KeptBatch] = field(default_factory=lambda: deque(maxlen=KEPT_BATCHES))

    @property
    def last_sequence(self) -> int:
        return self.batches[-1].last_sequence if self.batches else NO_SEQUENCE


class ProducerLedger:
    """The producers of one partition, the one that wrote longest ago first."""

    def __init__(self, partition: str, next_offset: int) -> None:
        self._partition = partition
        self._entries: dict[int, ProducerEntry] = {}
        self.next_offset = next_offset
        """Where the log ended after the last append that was recorded. A log that ends elsewhere has lost appends."""

    def __len__(self) -> int:
        return len(self._entries)

    def __contains__(self, producer_id: object) -> bool:
        return producer_id in self._entries

    def check(self, header: BatchHeader) -> KeptBatch | None:
        """None: append it. A kept batch: it was appended there before. TopicError: it may not be appended."""
        entry = self._entries.get(header.producer_id)
        if entry is None:
            # Kafka 4.x: a producer of which nothing is known (expired, records deleted) may begin at any sequence.
            return None
        if header.producer_epoch == entry.epoch:
            for kept in entry.batches:
                if (kept.first_sequence, kept.last_sequence) == (header.base_sequence, header.last_sequence):
                    return kept
        self._check_epoch(header, entry)
        self._check_sequence(header, entry)
        return None

    def _check_epoch(self, header: BatchHeader, entry: ProducerEntry) -> None:
        if header.producer_epoch < entry.epoch:
            raise TopicError(
                INVALID_PRODUCER_EPOCH,
                f"Epoch of producer {header.producer_id} in {self._partition} is {header.producer_epoch}, "
                f"which is smaller than the last seen epoch {entry.epoch}",
            )

    def _check_sequence(self, header: BatchHeader, entry: ProducerEntry) -> None:
        first = header.base_sequence
        if header.producer_epoch > entry.epoch:
            if first != 0:
                raise TopicError(
                    OUT_OF_ORDER_SEQUENCE_NUMBER,
                    f"Invalid sequence number for new epoch of producer {header.producer_id} in {self._partition}: "
                    f"{header.producer_epoch} (request epoch), {first} (seq. number), "
                    f"{entry.epoch} (current producer epoch)",
                )
            return
        last = entry.last_sequence
        expected = 0 if last == _LAST_SEQUENCE else last + 1
        if first != expected:
            # A duplicate older than the kept ones ends here too: Kafka no longer says DUPLICATE_SEQUENCE_NUMBER.
            raise TopicError(
                OUT_OF_ORDER_SEQUENCE_NUMBER,
                f"Out of order sequence number for producer {header.producer_id} in {self._partition}: "
                f"{first} (incoming seq. number), {last} (current end sequence number)",
            )

    def record(self, header: BatchHeader, base_offset: int, seen_ms: int) -> None:
        """This batch has been appended at `base_offset`."""
        last_offset = base_offset + header.last_offset_delta
        self.next_offset = last_offset + 1
        if header.producer_id == NO_PRODUCER_ID:
            return
        entry = self._entries.pop(header.producer_id, None)
        if entry is None or entry.epoch != header.producer_epoch:
            entry = ProducerEntry(header.producer_epoch, seen_ms)
        entry.seen_ms = seen_ms
        if not header.is_control:
            entry.batches.append(
                KeptBatch(header.base_sequence, header.last_sequence, base_offset, last_offset, header.max_timestamp)
            )
        self._entries[header.producer_id] = entry
        if len(self._entries) > MAX_PRODUCERS_PER_PARTITION:
            del self._entries[next(iter(self._entries))]

    def expire(self, now_ms: int, expiration_ms: int) -> int:
        """Forget producers that have been silent for `expiration_ms`. Returns how many.

        Deviates: Kafka goes by the newest record's timestamp, so that a producer of old records expires while it is
        writing. Here the time of the append counts; only after a restart the timestamps are all there is.
        """
        silent = [
            producer_id for producer_id, entry in self._entries.items() if now_ms - entry.seen_ms >= expiration_ms
        ]
        for producer_id in silent:
            del self._entries[producer_id]
        return len(silent)

    def keep_only(self, producer_ids: Iterable[int]) -> None:
        wanted = set(producer_ids)
        self._entries = {known: entry for known, entry in self._entries.items() if known in wanted}

    def producer_ids(self) -> list[int]:
        return list(self._entries)

    def entries(self) -> Iterator[tuple[int, ProducerEntry]]:
        yield from self._entries.items()

    def restore(self, producer_id: int, entry: ProducerEntry) -> None:
        self._entries[producer_id] = entry

    def copy(self) -> ProducerLedger:
        copied = ProducerLedger(self._partition, self.next_offset)
        for producer_id, entry in self._entries.items():
            copied.restore(producer_id, ProducerEntry(entry.epoch, entry.seen_ms, entry.batches.copy()))
        return copied


def build_ledger(
    partition: str, log: PartitionLog, now_ms: int, expiration_ms: int, base: ProducerLedger | None = None
) -> ProducerLedger:
    """After a start: from what was kept of an earlier life (`base`) and the headers since, or from the headers of what is
    young enough to matter."""
    if base is not None and log.start_offset <= base.next_offset <= log.durable_offset:
        ledger = base.copy()
        _record_headers(ledger, log, base.next_offset)
        ledger.expire(now_ms, expiration_ms)
        return ledger
    ledger = ProducerLedger(partition, log.end_offset)
    young = log.offset_for_timestamp(max(0, now_ms - expiration_ms))
    if young is not None:
        _record_headers(ledger, log, young.offset)
        ledger.expire(now_ms, expiration_ms)
    return ledger


def rebuild_ledger(lost: ProducerLedger, partition: str, log: PartitionLog) -> ProducerLedger:
    """After the log lost appends: what it still holds of the producers that `lost` knew, however old."""
    ledger = ProducerLedger(partition, log.end_offset)
    _record_headers(ledger, log, log.start_offset)
    ledger.keep_only(lost.producer_ids())
    return ledger


def _record_headers(ledger: ProducerLedger, log: PartitionLog, offset: int) -> None:
    for _, header in log.read_headers(offset):
        if header.producer_id != NO_PRODUCER_ID:
            ledger.record(header, header.base_offset, header.max_timestamp)
    ledger.next_offset = log.end_offset
