"""Usual committed offsets of one topic as numbers in a row, found by partition number: 16 bytes each, or 24.

Narrow slots have two words: the offset, and everything else about it, times and places being counted from a base that all slots
share. That holds as long as the commits lie within hours of each other, as those of a group do that commits all it reads. Where
they do not, the slots become wide: a third word for the place in the log, and commit times as they are.

Who has a slot and who cannot is decided in `partition_offsets`; nobody else comes here.
"""

from __future__ import annotations

from typing import Final

from librt.vecs import vec
from mypy_extensions import i32, i64, mypyc_attr

# The second word, from its lowest bit on: whether it has the topic's id (1 bit), leader epoch plus one (12 bits), commit time
# minus base (25 bits, nine hours), place in the log minus base (25 bits). Wide: the same bit, 20 bits, 42 bits (until 2109).
_NARROW_WORDS: Final = 2
_WIDE_WORDS: Final = 3
_REST: Final = 1
_LOG_OFFSET: Final = 2
_EMPTY: Final = -1
"""The second word of what is not there; a word that says something is never negative."""
_EPOCH_SHIFT: Final = 1
_NARROW_EPOCH_MASK: Final = (1 << 12) - 1
_WIDE_EPOCH_MASK: Final = (1 << 20) - 1
_NARROW_TIME_SHIFT: Final = 13
_WIDE_TIME_SHIFT: Final = 21
_LOG_SHIFT: Final = 38
_SPAN: Final = (1 << 25) - 1

MAX_EPOCH: Final = _WIDE_EPOCH_MASK - 1
MAX_TIME: Final = (1 << 42) - 1
_NO_BASE: Final = 1 << 42
"""Later than any commit, so that the first one is never within reach of it."""


@mypyc_attr(acyclic=True)
class OffsetSlots:
    __slots__ = ("_base_log_offset", "_base_ms", "_is_wide", "_slots")

    def __init__(self) -> None:
        self._slots: vec[i64] = vec[i64]()
        self._is_wide = False
        self._base_ms: i64 = _NO_BASE
        self._base_log_offset: i64 = 0

    def size(self) -> i64:
        if self._is_wide:
            return len(self._slots) // _WIDE_WORDS
        return len(self._slots) // _NARROW_WORDS

    def plain(self, partition: i64) -> tuple[bool, i64, i64]:
        """Whether it is a usual offset; then its offset and leader epoch. Makes nothing: for those who ask for hundreds."""
        slots = self._slots
        at = self._place(partition)
        nothing: i64 = -1
        if at < 0 or at >= len(slots):
            return False, nothing, nothing
        rest = slots[at + _REST]
        if rest == _EMPTY:
            return False, nothing, nothing
        mask: i64 = _NARROW_EPOCH_MASK
        if self._is_wide:
            mask = _WIDE_EPOCH_MASK
        return True, slots[at], (rest >> _EPOCH_SHIFT & mask) - 1

    def gather(self, partitions: vec[i32], offsets: vec[i64], leader_epochs: vec[i32]) -> None:
        """`plain` of many at once: fills in the rows of those that are usual offsets and leaves the others as they are."""
        slots = self._slots
        size: i64 = len(slots)
        words: i64 = _NARROW_WORDS
        mask: i64 = _NARROW_EPOCH_MASK
        if self._is_wide:
            words = _WIDE_WORDS
            mask = _WIDE_EPOCH_MASK
        for row in range(len(partitions)):
            at = i64(partitions[row]) * words
            if at < 0 or at >= size:
                continue
            rest = slots[at + _REST]
            if rest != _EMPTY:
                offsets[row] = slots[at]
                leader_epochs[row] = i32((rest >> _EPOCH_SHIFT & mask) - 1)

    def has_plain(self, partition: i64) -> bool:
        at = self._place(partition)
        slots = self._slots
        return at >= 0 and at < len(slots) and slots[at + _REST] != _EMPTY

    # The following are for partitions that have something in their slot.

    def log_offset_of(self, partition: i64) -> i64:
        at = self._place(partition)
        slots = self._slots
        return slots[at + _LOG_OFFSET] if self._is_wide else (slots[at + _REST] >> _LOG_SHIFT) + self._base_log_offset

    def committed_ms_of(self, partition: i64) -> i64:
        rest = self._slots[self._place(partition) + _REST]
        return rest >> _WIDE_TIME_SHIFT if self._is_wide else (rest >> _NARROW_TIME_SHIFT & _SPAN) + self._base_ms

    def has_topic_id(self, partition: i64) -> bool:
        return self._slots[self._place(partition) + _REST] & 1 != 0

    # -- changes

    def fill(
        self, partition: i64, offset: i64, leader_epoch: i64, committed_ms: i64, log_offset: i64, has_topic_id: bool
    ) -> bool:
        """There is a slot for it, and the numbers are within the limits of wide slots. Whether it was empty; what is further on
        in the log stays."""
        was_empty = not self.has_plain(partition)
        if not was_empty and self.log_offset_of(partition) >= log_offset:
            return False
        if not self._is_wide and not (
            leader_epoch < _NARROW_EPOCH_MASK
            and 0 <= committed_ms - self._base_ms <= _SPAN
            and 0 <= log_offset - self._base_log_offset <= _SPAN
        ):
            self._move_base_or_widen(partition, leader_epoch, committed_ms, log_offset)
        slots = self._slots
        rest: i64 = (leader_epoch + 1) << _EPOCH_SHIFT
        if has_topic_id:
            rest |= 1
        at: i64 = partition * _NARROW_WORDS
        if self._is_wide:
            at = partition * _WIDE_WORDS
            rest |= committed_ms << _WIDE_TIME_SHIFT
            slots[at + _LOG_OFFSET] = log_offset
        else:
            rest |= (committed_ms - self._base_ms) << _NARROW_TIME_SHIFT
            rest |= (log_offset - self._base_log_offset) << _LOG_SHIFT
        slots[at] = offset
        slots[at + _REST] = rest
        return was_empty

    def clear(self, partition: i64) -> None:
        slots = self._slots
        slots[self._place(partition) + _REST] = _EMPTY

    def resize(self, size: i64) -> None:
        """To more slots than there are."""
        old = self._slots
        slots = vec[i64]([_EMPTY] * self._place(size))
        for at in range(len(old)):
            slots[at] = old[at]
        self._slots = slots

    def _place(self, partition: i64) -> i64:
        if self._is_wide:
            return partition * _WIDE_WORDS
        return partition * _NARROW_WORDS

    def _move_base_or_widen(self, partition: i64, leader_epoch: i64, committed_ms: i64, log_offset: i64) -> None:
        """So that these numbers can stand beside those of all other partitions."""
        if self._base_ms == _NO_BASE and leader_epoch < _NARROW_EPOCH_MASK:
            self._base_ms = committed_ms - _SPAN // 4
            self._base_log_offset = log_offset - _SPAN // 4
            return
        least_ms = most_ms = committed_ms
        least_log_offset = most_log_offset = log_offset
        for other in range(self.size()):
            if other != partition and self.has_plain(other):
                least_ms = min(least_ms, self.committed_ms_of(other))
                most_ms = max(most_ms, self.committed_ms_of(other))
                least_log_offset = min(least_log_offset, self.log_offset_of(other))
                most_log_offset = max(most_log_offset, self.log_offset_of(other))
        spare_ms = _SPAN - (most_ms - least_ms)
        spare_log_offsets = _SPAN - (most_log_offset - least_log_offset)
        self.clear(partition)
        if leader_epoch >= _NARROW_EPOCH_MASK or spare_ms < 0 or spare_log_offsets < 0:
            self._widen()
        else:
            # Room on both sides: the next commit is later, but one that was aside until its transaction ended is earlier.
            self._move_base(least_ms - spare_ms // 4, least_log_offset - spare_log_offsets // 4)

    def _move_base(self, base_ms: i64, base_log_offset: i64) -> None:
        slots = self._slots
        later: i64 = (self._base_ms - base_ms) << _NARROW_TIME_SHIFT
        later += (self._base_log_offset - base_log_offset) << _LOG_SHIFT
        for partition in range(self.size()):
            if self.has_plain(partition):
                slots[partition * _NARROW_WORDS + _REST] += later
        self._base_ms = base_ms
        self._base_log_offset = base_log_offset

    def _widen(self) -> None:
        old = self._slots
        size = self.size()
        slots = vec[i64]([_EMPTY] * (size * _WIDE_WORDS))
        for partition in range(size):
            if self.has_plain(partition):
                rest = old[partition * _NARROW_WORDS + _REST]
                at = partition * _WIDE_WORDS
                slots[at] = old[partition * _NARROW_WORDS]
                slots[at + _REST] = self.committed_ms_of(partition) << _WIDE_TIME_SHIFT | rest & (
                    _NARROW_EPOCH_MASK << _EPOCH_SHIFT | 1
                )
                slots[at + _LOG_OFFSET] = self.log_offset_of(partition)
        self._slots = slots
        self._is_wide = True
