"""Which transactions were aborted, in the form of Kafka's `.txnindex` files, and how to find them again from a log's batches.

An entry belongs to the segment that holds the abort marker; its transaction may have begun in an earlier one. Its last stable
offset is the one right after the marker: nothing that begins before it is still to come, so a search for transactions that
begin before some offset may stop there. Knows no files and no segments; `segment` keeps the bytes, `transaction_recovery`
makes them anew.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from muster.log.index import IndexDamaged
from muster.wire.batch import NO_PRODUCER_ID, BatchHeader, EndMarker

_VERSION: Final = 0
_ENTRY = struct.Struct(">hqqqq")


class AbortedTransaction(NamedTuple):
    producer_id: int
    first_offset: int
    last_offset: int
    """The offset of the marker."""
    last_stable_offset: int


def encode_entries(entries: Iterable[AbortedTransaction]) -> bytes:
    return b"".join([_ENTRY.pack(_VERSION, *entry) for entry in entries])


def decode_entries(content: bytes, base_offset: int, next_offset: int) -> list[AbortedTransaction]:
    """The entries of a segment that holds the offsets from `base_offset` to before `next_offset`, or IndexDamaged."""
    if len(content) % _ENTRY.size:
        raise IndexDamaged("its length is not a multiple of an entry's")
    entries: list[AbortedTransaction] = []
    for version, *numbers in _ENTRY.iter_unpack(content):
        if version < _VERSION:
            raise IndexDamaged(f"version {version} of an entry is negative")
        entries.append(AbortedTransaction(*numbers))
    if any(earlier.last_offset >= later.last_offset for earlier, later in pairwise(entries)):
        raise IndexDamaged("its entries do not ascend")
    if entries and not base_offset <= entries[0].last_offset <= entries[-1].last_offset < next_offset:
        raise IndexDamaged("it names markers outside of the log")
    return entries


def collect(
    entries: Iterable[AbortedTransaction], from_offset: int, to_offset: int, found: list[AbortedTransaction]
) -> bool:
    """Add the transactions with records in the range to `found`. True: entries that come later cannot have any more."""
    for entry in entries:
        if entry.last_offset >= from_offset and entry.first_offset < to_offset:
            found.append(entry)
        if entry.last_stable_offset >= to_offset:
            return True
    return False


def without_lost_markers(
    entries: Sequence[AbortedTransaction], kept_markers: Iterable[int]
) -> list[AbortedTransaction]:
    """What a compaction leaves of them. An entry must not outlive its marker, which ends it for readers: they would drop the
    producer's next transaction, too."""
    kept = set(kept_markers)
    return [entry for entry in entries if entry.last_offset in kept]


class TransactionScan:
    """Finds aborted transactions in batches that it is shown in order."""

    def __init__(self, *, knows_all_open: bool) -> None:
        """`knows_all_open`: the scan begins where no transaction is open. If not, entries get a last stable offset that stops
        no search: something older than what was seen may still have been open."""
        self._knows_all_open = knows_all_open
        self._open: dict[int, int] = {}

    def note(self, header: BatchHeader) -> None:
        """A batch of records."""
        if header.is_transactional and header.producer_id != NO_PRODUCER_ID:
            self._open.setdefault(header.producer_id, header.base_offset)

    def end(self, header: BatchHeader, marker: EndMarker) -> AbortedTransaction | None:
        """A marker; the entry of its transaction, if it was aborted and had records."""
        first_offset = self._open.pop(header.producer_id, None)
        if first_offset is None or marker.committed:
            return None
        stable = min(self._open.values(), default=header.last_offset + 1) if self._knows_all_open else 0
        return AbortedTransaction(header.producer_id, first_offset, header.last_offset, stable)
