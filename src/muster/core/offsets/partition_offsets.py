"""What one group has committed to one topic, packed: 24 bytes an offset instead of the 150 of an object in a dict.

Usual offsets (no metadata, no expiry of their own, the topic's one id or none) lie in slots, three numbers each, found by
partition number. The rest are objects in a dict: those with metadata, and partition numbers so far out that slots up to them
would stay empty. A partition is in one of the two, and nobody but this file knows in which.

Order is that of partition numbers, whatever came first: it must not depend on who lies where (law 7).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from librt.vecs import vec
from mypy_extensions import i64, mypyc_attr

from muster.wire.value import Value

NO_EXPIRY: Final = -1

# Of the three numbers of a slot the first is the offset, the third its place in the log. The second holds the rest, from its
# lowest bit on: whether it has the topic's id (1), leader epoch plus one (20), commit time (42, which is until 2109).
_WORDS: Final = 3
_REST: Final = 1
_LOG_OFFSET: Final = 2
_EMPTY: Final = -1
"""The place in the log of what is not there."""
_EPOCH_SHIFT: Final = 1
_TIME_SHIFT: Final = 21
_EPOCH_MASK: Final = (1 << 20) - 1
_MAX_EPOCH: Final = _EPOCH_MASK - 1
_MAX_TIME: Final = (1 << 42) - 1

_SLOTS_AN_OBJECT: Final = 6
"""An object takes as much memory as so many slots: where fewer of them than one in six would be used, objects are cheaper."""
_FEW_SLOTS: Final = 16


@mypyc_attr(acyclic=True)
class StoredOffset(Value):
    """One committed offset. Nothing in it can lead back to it: compiled, it never troubles the garbage collector."""

    __match_args__ = (
        "offset",
        "leader_epoch",
        "metadata",
        "committed_ms",
        "expires_ms",
        "log_offset",
        "topic_id",
    )
    __slots__ = __match_args__

    def __init__(
        self,
        offset: int,
        leader_epoch: int,
        metadata: str,
        committed_ms: int,
        expires_ms: int,
        log_offset: int,
        topic_id: bytes | None,
    ) -> None:
        self.offset = offset
        self.leader_epoch = leader_epoch
        """-1: unknown."""
        self.metadata = metadata
        self.committed_ms = committed_ms
        self.expires_ms = expires_ms
        """-1: the broker's retention applies."""
        self.log_offset = log_offset
        """Where the record lies in the log."""
        self.topic_id = topic_id


@mypyc_attr(acyclic=True)
class PartitionOffsets:
    """partition -> its last committed offset. Reads like a dict; changed by the store only."""

    __slots__ = ("_held", "_odd", "_slots", "_topic_id")

    def __init__(self) -> None:
        self._slots: vec[i64] = vec[i64]()
        self._held: i64 = 0
        """How many offsets there are."""
        self._odd: dict[int, StoredOffset] | None = None
        """Those that have no slot."""
        self._topic_id: bytes | None = None
        """Of all slots that say they have one."""

    # -- changes

    def reserve(self, highest: i64, count: i64) -> None:
        """So many offsets are about to be put, the highest partition among them being this one: make room once."""
        if highest >= self._size() and self._is_worth_slots(highest, count):
            self._grow(highest)

    def put(
        self,
        partition: i64,
        offset: i64,
        leader_epoch: i64,
        metadata: str,
        committed_ms: i64,
        expires_ms: i64,
        log_offset: i64,
        topic_id: bytes | None,
    ) -> None:
        """The record further on in the log wins, whenever it comes in (spec 4.2)."""
        if metadata or expires_ms != NO_EXPIRY:
            self._put_odd(
                partition,
                StoredOffset(offset, leader_epoch, metadata, committed_ms, expires_ms, log_offset, topic_id),
            )
        else:
            self.put_plain(partition, offset, leader_epoch, committed_ms, log_offset, topic_id)

    def put_plain(
        self,
        partition: i64,
        offset: i64,
        leader_epoch: i64,
        committed_ms: i64,
        log_offset: i64,
        topic_id: bytes | None,
    ) -> None:
        """`put` without metadata and expiry."""
        if self._odd is not None and self._is_outrun(partition, log_offset):
            return
        if not self._has_slot_for(partition, leader_epoch, committed_ms, topic_id):
            self._put_odd(
                partition, StoredOffset(offset, leader_epoch, "", committed_ms, NO_EXPIRY, log_offset, topic_id)
            )
            return
        slots = self._slots
        at: i64 = partition * _WORDS
        before: i64 = slots[at + _LOG_OFFSET]
        if before >= log_offset:
            return
        if before == _EMPTY:
            self._held += 1
        has_id: i64 = 0 if topic_id is None else 1
        slots[at] = offset
        slots[at + _REST] = committed_ms << _TIME_SHIFT | (leader_epoch + 1) << _EPOCH_SHIFT | has_id
        slots[at + _LOG_OFFSET] = log_offset

    def _has_slot_for(self, partition: i64, leader_epoch: i64, committed_ms: i64, topic_id: bytes | None) -> bool:
        """Whether a usual offset can lie in a slot; if it can there is one now."""
        if partition < 0 or not (-1 <= leader_epoch <= _MAX_EPOCH and 0 <= committed_ms <= _MAX_TIME):
            return False
        if topic_id is not None and topic_id is not self._topic_id and topic_id != self._topic_id:
            if self._topic_id is not None:
                return False
            self._topic_id = topic_id
        if partition >= self._size():
            if not self._is_worth_slots(partition, 1):
                return False
            self._grow(partition)
        return True

    def _put_odd(self, partition: i64, stored: StoredOffset) -> None:
        if self._is_outrun(partition, stored.log_offset):
            return
        self.erase(partition)
        if self._odd is None:
            self._odd = {}
        self._odd[partition] = stored
        self._held += 1

    def _is_outrun(self, partition: i64, log_offset: i64) -> bool:
        """Whether a record further on in the log is known. An object that is not gives way: the newcomer may be usual."""
        if self._has_plain(partition):
            at: i64 = partition * _WORDS
            return self._slots[at + _LOG_OFFSET] >= log_offset
        odd = self._odd
        held = odd.get(partition) if odd is not None else None
        if held is None:
            return False
        if held.log_offset >= log_offset:
            return True
        self.erase(partition)
        return False

    def erase(self, partition: i64) -> bool:
        """Whether there was something to erase."""
        if self._has_plain(partition):
            slots = self._slots
            at: i64 = partition * _WORDS
            slots[at + _LOG_OFFSET] = _EMPTY
        else:
            odd = self._odd
            if odd is None or odd.pop(partition, None) is None:
                return False
            if not odd:
                self._odd = None
        self._held -= 1
        return True

    # -- slots

    def _size(self) -> i64:
        return len(self._slots) // _WORDS

    def _has_plain(self, partition: i64) -> bool:
        at: i64 = partition * _WORDS
        slots = self._slots
        return 0 <= at < len(slots) and slots[at + _LOG_OFFSET] != _EMPTY

    def _is_worth_slots(self, highest: i64, count: i64) -> bool:
        return highest < _FEW_SLOTS + _SLOTS_AN_OBJECT * (self._held + count)

    def _grow(self, highest: i64) -> None:
        """Exactly up to this partition the first time, then by an eighth more. Objects that were too far out move in."""
        old = self._slots
        spare = self._size() // 8
        slots = vec[i64]([_EMPTY] * ((highest + 1 + spare) * _WORDS))
        for at in range(len(old)):
            slots[at] = old[at]
        self._slots = slots
        if self._odd:
            self._move_in()

    def _move_in(self) -> None:
        odd = self._odd
        assert odd is not None
        size = self._size()
        near = [
            (partition, stored)
            for partition, stored in odd.items()
            if 0 <= partition < size and not stored.metadata and stored.expires_ms == NO_EXPIRY
        ]
        for partition, stored in near:
            self.erase(partition)
            self.put_plain(
                partition,
                stored.offset,
                stored.leader_epoch,
                stored.committed_ms,
                stored.log_offset,
                stored.topic_id,
            )

    # -- readers

    def plain(self, partition: i64) -> tuple[bool, i64, i64]:
        """Whether it is a usual offset; then its offset and leader epoch. Makes nothing: for those who ask for hundreds."""
        at: i64 = partition * _WORDS
        slots = self._slots
        if not 0 <= at < len(slots) or slots[at + _LOG_OFFSET] == _EMPTY:
            return False, -1, -1
        epoch: i64 = (slots[at + _REST] >> _EPOCH_SHIFT & _EPOCH_MASK) - 1
        return True, slots[at], epoch

    def get(self, partition: i64) -> StoredOffset | None:
        if not self._has_plain(partition):
            return self._odd.get(partition) if self._odd is not None else None
        at: i64 = partition * _WORDS
        slots = self._slots
        rest = slots[at + _REST]
        return StoredOffset(
            slots[at],
            (rest >> _EPOCH_SHIFT & _EPOCH_MASK) - 1,
            "",
            rest >> _TIME_SHIFT,
            NO_EXPIRY,
            slots[at + _LOG_OFFSET],
            self._topic_id if rest & 1 else None,
        )

    def partitions(self) -> list[int]:
        """Ascending."""
        found: list[int] = []
        for partition in range(self._size()):
            if self._has_plain(partition):
                found.append(partition)
        if self._odd:
            found.extend(self._odd)
            found.sort()
        return found

    def items(self) -> Iterator[tuple[int, StoredOffset]]:
        for partition in self.partitions():
            stored = self.get(partition)
            if stored is not None:
                yield partition, stored

    def values(self) -> Iterator[StoredOffset]:
        for _, stored in self.items():
            yield stored

    def __iter__(self) -> Iterator[int]:
        return iter(self.partitions())

    def __contains__(self, partition: object) -> bool:
        return isinstance(partition, int) and (
            self._has_plain(partition) or (self._odd is not None and partition in self._odd)
        )

    def __len__(self) -> int:
        return self._held

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PartitionOffsets) and list(self.items()) == list(other.items())

    __hash__ = None  # type: ignore[assignment]  # it changes

    def __repr__(self) -> str:
        return f"PartitionOffsets({ {partition: stored.offset for partition, stored in self.items()} })"
