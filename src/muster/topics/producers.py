"""What a partition remembers of idempotent and transactional producers (KIP-98): their last batches, so that one sent again
is not written again, and where their open transactions begin, so that read_committed readers stop there.

A ledger is memory only: `producer_replay` builds it from the log and keeps it up to date. Knows sequences, epochs and
transactions; does not write. topics/produce.py and topics/markers.py ask before an append and say `record` after it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from muster.log.transaction_index import AbortedTransaction
from muster.topics.limits import MAX_PRODUCERS_PER_PARTITION
from muster.topics.refusal import TopicError
from muster.topics.verifications import Verifications
from muster.wire.batch import NO_PRODUCER_ID, BatchHeader, EndMarker
from muster.wire.errors import (
    INVALID_PRODUCER_EPOCH,
    INVALID_TXN_STATE,
    OUT_OF_ORDER_SEQUENCE_NUMBER,
    TRANSACTION_COORDINATOR_FENCED,
)
from muster.wire.special_values import NO_SEQUENCE
from muster.wire.value import Value

KEPT_BATCHES: Final = 5
"""Kafka's: producers have at most five requests in flight, so no older batch can come again."""

NO_OPEN_TRANSACTION: Final = -1
NO_COORDINATOR_EPOCH: Final = -1
"""No marker has come from this producer's coordinator."""

_LAST_SEQUENCE: Final = 2**31 - 1


class KeptBatch(Value):
    __match_args__ = ("first_sequence", "last_sequence", "base_offset", "last_offset", "timestamp_ms")
    __slots__ = __match_args__

    def __init__(
        self, first_sequence: int, last_sequence: int, base_offset: int, last_offset: int, timestamp_ms: int
    ) -> None:
        self.first_sequence = first_sequence
        self.last_sequence = last_sequence
        self.base_offset = base_offset
        self.last_offset = last_offset
        self.timestamp_ms = timestamp_ms


class ProducerEntry(Value):
    __match_args__ = ("epoch", "seen_ms", "batches", "coordinator_epoch", "last_timestamp_ms", "marker_offset")
    __slots__ = __match_args__

    def __init__(
        self,
        epoch: int,
        seen_ms: int,
        batches: Iterable[KeptBatch] = (),
        coordinator_epoch: int = NO_COORDINATOR_EPOCH,
        last_timestamp_ms: int = -1,
        marker_offset: int = -1,
    ) -> None:
        self.epoch = epoch
        self.seen_ms = seen_ms
        self.batches = deque(batches, maxlen=KEPT_BATCHES)
        self.coordinator_epoch = coordinator_epoch
        """Of the last marker."""
        self.last_timestamp_ms = last_timestamp_ms
        """Of its last batch or marker."""
        self.marker_offset = marker_offset
        """Of its last marker, if that was seen since the ledger was made."""

    @property
    def last_sequence(self) -> int:
        return self.batches[-1].last_sequence if self.batches else NO_SEQUENCE


class _Ending(NamedTuple):
    """A transaction whose marker is appended, but perhaps not durable."""

    marker_offset: int
    first_offset: int


class ProducerLedger:
    """The producers of one partition, the one that wrote longest ago first."""

    def __init__(self, partition: str, next_offset: int) -> None:
        self._partition = partition
        self._entries: dict[int, ProducerEntry] = {}
        self._open: dict[int, int] = {}
        """Producer id -> first offset of its open transaction, the oldest first."""
        self._ending: deque[_Ending] = deque()
        """By marker, ascending; forgotten when the marker is durable."""
        self._verifications = Verifications(partition)
        self._unread_markers: dict[int, int] = {}
        """Producer id -> offset of its last marker, of which only the header was read."""
        self.next_offset = next_offset
        """Where the log ended after the last append that was recorded. A log that ends elsewhere has lost appends."""

    def __len__(self) -> int:
        return len(self._entries)

    def __contains__(self, producer_id: object) -> bool:
        return producer_id in self._entries

    # Before an append

    def begin_verification(self, header: BatchHeader, *, must_begin_at_zero: bool) -> None:
        """The transaction coordinator is asked for this first batch of a transaction; TopicError if its epoch is an old one.

        `must_begin_at_zero`: of a producer without known batches, too (Produce v12, KIP-890).
        """
        entry = self._entries.get(header.producer_id)
        if entry is not None:
            self._check_epoch(header.producer_id, header.producer_epoch, entry)
        self._verifications.begin(header, must_begin_at_zero)

    def check(self, header: BatchHeader) -> None:
        """TopicError if it may not be appended. `find_duplicate` is asked before."""
        entry = self._entries.get(header.producer_id)
        if entry is not None:
            self._check_epoch(header.producer_id, header.producer_epoch, entry)
        if self._verifications:
            self._verifications.check(header, entry is not None and bool(entry.batches))
        if entry is None:
            return  # Kafka 4.x: a producer of which nothing is known (expired, records deleted) may begin at any sequence
        self._check_sequence(header, entry)
        if header.producer_id in self._open and not header.is_transactional:
            raise TopicError(
                INVALID_TXN_STATE,
                f"Expected transactional write from producer {header.producer_id} in partition {self._partition}",
            )

    def newest_sequence(self, header: BatchHeader) -> int:
        """The last one that is known of this epoch of the producer, or NO_SEQUENCE. Of an epoch that is over all are known."""
        entry = self._entries.get(header.producer_id)
        if entry is None or entry.epoch < header.producer_epoch:
            return NO_SEQUENCE
        return entry.last_sequence if entry.epoch == header.producer_epoch else _LAST_SEQUENCE

    def find_duplicate(self, header: BatchHeader) -> KeptBatch | None:
        """Where this batch was appended before, if it is one of the producer's last."""
        entry = self._entries.get(header.producer_id)
        if entry is not None and header.producer_epoch == entry.epoch:
            for kept in entry.batches:
                if kept.first_sequence == header.base_sequence and kept.last_sequence == header.last_sequence:
                    return kept
        return None

    def check_marker(
        self, producer_id: int, producer_epoch: int, coordinator_epoch: int, *, must_raise_epoch: bool
    ) -> None:
        """TopicError if this marker may not be appended.

        `must_raise_epoch`: the marker of an open transaction has a higher epoch than its records (KIP-890).
        """
        entry = self._entries.get(producer_id)
        if entry is None:
            return
        if must_raise_epoch and producer_id in self._open and producer_epoch == entry.epoch:
            raise TopicError(
                INVALID_PRODUCER_EPOCH,
                f"Epoch of the marker for producer {producer_id} in {self._partition} is {producer_epoch}, "
                "which has to be higher than that of its open transaction",
            )
        self._check_epoch(producer_id, producer_epoch, entry)
        if coordinator_epoch < entry.coordinator_epoch:
            raise TopicError(
                TRANSACTION_COORDINATOR_FENCED,
                f"Invalid coordinator epoch for producer {producer_id} in {self._partition}: {coordinator_epoch} "
                f"(zombie), {entry.coordinator_epoch} (current)",
            )

    def _check_epoch(self, producer_id: int, epoch: int, entry: ProducerEntry) -> None:
        if epoch < entry.epoch:
            raise TopicError(
                INVALID_PRODUCER_EPOCH,
                f"Epoch of producer {producer_id} in {self._partition} is {epoch}, "
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

    # After it

    def record(self, header: BatchHeader, base_offset: int, seen_ms: int) -> None:
        """This batch of records has been appended at `base_offset`."""
        last_offset = base_offset + header.last_offset_delta
        self.next_offset = last_offset + 1
        producer_id = header.producer_id
        if producer_id == NO_PRODUCER_ID:
            return
        entry = self._entry_at(producer_id, header.producer_epoch, seen_ms)
        entry.last_timestamp_ms = header.max_timestamp
        entry.batches.append(
            KeptBatch(header.base_sequence, header.last_sequence, base_offset, last_offset, header.max_timestamp)
        )
        if header.is_transactional:
            self._verifications.end(producer_id)
            if producer_id not in self._open:
                self._open[producer_id] = base_offset

    def record_marker(
        self, header: BatchHeader, marker: EndMarker, base_offset: int, seen_ms: int
    ) -> AbortedTransaction | None:
        """This marker has been appended. Returns what goes into the index of aborted transactions, if anything."""
        producer_id, last_offset = header.producer_id, base_offset + header.last_offset_delta
        first_offset = self._end_transaction(header, base_offset, seen_ms)
        self.set_coordinator_epoch(producer_id, marker.coordinator_epoch)
        if first_offset == NO_OPEN_TRANSACTION:
            return None  # partitions that were added and got no record have a marker, too
        self._ending.append(_Ending(last_offset, first_offset))
        if marker.committed:
            return None
        return AbortedTransaction(
            producer_id, first_offset, last_offset, next(iter(self._open.values()), last_offset + 1)
        )

    def replay_marker(self, header: BatchHeader) -> None:
        """A control batch was found in the log. Those of user topics are markers, except that compaction may have left nothing
        but the header: then nothing is left of the transaction either."""
        self.next_offset = header.next_offset
        if header.record_count and header.producer_id != NO_PRODUCER_ID:
            self._end_transaction(header, header.base_offset, header.max_timestamp)
            self._unread_markers[header.producer_id] = header.base_offset

    def unread_markers(self) -> list[tuple[int, int]]:
        """(producer id, offset) of the markers whose coordinator epoch is still to be set."""
        return list(self._unread_markers.items())

    def set_coordinator_epoch(self, producer_id: int, coordinator_epoch: int) -> None:
        self._unread_markers.pop(producer_id, None)
        entry = self._entries.get(producer_id)
        if entry is not None:
            entry.coordinator_epoch = coordinator_epoch

    def _end_transaction(self, header: BatchHeader, base_offset: int, seen_ms: int) -> int:
        """Returns where it began, or NO_OPEN_TRANSACTION."""
        self.next_offset = base_offset + header.last_offset_delta + 1
        entry = self._entry_at(header.producer_id, header.producer_epoch, seen_ms)
        entry.last_timestamp_ms = header.max_timestamp
        entry.marker_offset = base_offset
        self._verifications.end(header.producer_id)
        return self._open.pop(header.producer_id, NO_OPEN_TRANSACTION)

    def foresee_abort(self, producer_id: int, marker_offset: int, durable_offset: int) -> AbortedTransaction | None:
        """The same for a marker that is recorded only when it is durable, by a ledger that knows what is durable so far."""
        first_offset = self.open_since(producer_id)
        if first_offset == NO_OPEN_TRANSACTION:
            return None
        others = [offset for other, offset in self._open.items() if other != producer_id]
        return AbortedTransaction(producer_id, first_offset, marker_offset, min(others, default=durable_offset))

    def _entry_at(self, producer_id: int, epoch: int, seen_ms: int) -> ProducerEntry:
        """The producer's entry, as the newest of all. A new epoch begins with no batches."""
        entry = self._entries.pop(producer_id, None)
        if entry is None:
            entry = ProducerEntry(epoch, seen_ms)
        elif entry.epoch != epoch:
            entry.epoch = epoch
            entry.batches.clear()
        entry.seen_ms = seen_ms
        self._entries[producer_id] = entry
        if len(self._entries) > MAX_PRODUCERS_PER_PARTITION:
            self._evict_oldest()
        return entry

    def _evict_oldest(self) -> None:
        """Of those without an open transaction: forgetting one of these would let readers see undecided records."""
        oldest = next((known for known in self._entries if known not in self._open), None)
        if oldest is not None:
            del self._entries[oldest]

    # Transactions

    def has_open_transaction(self, producer_id: int, epoch: int) -> bool:
        return producer_id in self._open and self._entries[producer_id].epoch == epoch

    def has_marker_since(self, producer_id: int, offset: int) -> bool:
        """Whether a transaction of this producer has ended at or after this offset."""
        entry = self._entries.get(producer_id)
        return entry is not None and entry.marker_offset >= offset

    def open_since(self, producer_id: int) -> int:
        """The first offset of the producer's open transaction, or NO_OPEN_TRANSACTION."""
        return self._open.get(producer_id, NO_OPEN_TRANSACTION)

    def stable_before(self, durable_offset: int) -> int:
        """The offset before which every transaction is decided, and its marker durable."""
        ending = self._ending
        while ending and ending[0].marker_offset < durable_offset:
            ending.popleft()
        stable = min(durable_offset, next(iter(self._open.values()), durable_offset))
        for each in ending:
            stable = min(stable, each.first_offset)
        return stable

    # Forgetting and keeping

    def expire(self, now_ms: int, expiration_ms: int) -> int:
        """Forget producers that have been silent for `expiration_ms` and have no open transaction. Returns how many.

        Deviates: Kafka goes by the newest record's timestamp, so that a producer of old records expires while it is
        writing. Here the time of the append counts; only after a restart the timestamps are all there is.
        """
        silent = [
            producer_id
            for producer_id, entry in self._entries.items()
            if now_ms - entry.seen_ms >= expiration_ms and producer_id not in self._open
        ]
        for producer_id in silent:
            del self._entries[producer_id]
        return len(silent)

    def keep_only(self, producer_ids: Iterable[int]) -> None:
        """Forget the others, except for those with an open transaction."""
        wanted = {*producer_ids, *self._open}
        self._entries = {known: entry for known, entry in self._entries.items() if known in wanted}

    def producer_ids(self) -> list[int]:
        return list(self._entries)

    def entries(self) -> Iterator[tuple[int, ProducerEntry]]:
        yield from self._entries.items()

    def restore(self, producer_id: int, entry: ProducerEntry) -> None:
        self._entries[producer_id] = entry

    def restore_open(self, first_offsets: Iterable[tuple[int, int]]) -> None:
        """(producer id, first offset) of the open transactions, in any order."""
        self._open = dict(sorted(first_offsets, key=lambda each: each[1]))

    def open_transactions(self) -> list[tuple[int, int]]:
        """(producer id, first offset), the oldest first."""
        return list(self._open.items())

    def copy(self) -> ProducerLedger:
        """Of a ledger whose markers are all durable."""
        copied = ProducerLedger(self._partition, self.next_offset)
        for producer_id, entry in self._entries.items():
            copied.restore(
                producer_id,
                ProducerEntry(
                    entry.epoch,
                    entry.seen_ms,
                    entry.batches,
                    entry.coordinator_epoch,
                    entry.last_timestamp_ms,
                    entry.marker_offset,
                ),
            )
        copied.restore_open(self._open.items())
        return copied
