"""What one group has committed to one topic, packed: 16 bytes an offset instead of the 150 of an object in a dict.

Usual offsets (no metadata, no expiry of their own, the topic's one id or none) lie in slots, found by partition number. The
rest are objects in a dict: those with metadata, and partition numbers so far out that slots up to them would stay empty. A
partition is in one of the two, and nobody but this file knows in which.

Order is that of partition numbers, whatever came first: it must not depend on who lies where (law 7).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from librt.vecs import vec
from mypy_extensions import i32, i64, mypyc_attr

from muster.core.offsets.slots import MAX_EPOCH, MAX_TIME, OffsetSlots
from muster.wire.special_values import NO_EXPIRY
from muster.wire.value import Value

_SLOTS_AN_OBJECT: Final = 6
"""An object takes as much memory as six wide slots: where fewer than one in six would be used, objects are cheaper."""
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
class PartitionOffsets(OffsetSlots):
    """partition -> its last committed offset. Reads like a dict; changed by the store only."""

    __slots__ = ("_held", "_odd", "_topic_id", "topic")

    def __init__(self, topic: str = "") -> None:
        super().__init__()
        self.topic = topic
        self._held: i64 = 0
        """How many offsets there are."""
        self._odd: dict[int, StoredOffset] | None = None
        """Those that have no slot."""
        self._topic_id: bytes | None = None
        """Of all slots that say they have one."""

    # -- changes

    def reserve(self, highest: i64, count: i64) -> None:
        """So many offsets are about to be put, the highest partition among them being this one: make room once."""
        if highest >= self.size() and self._is_worth_slots(highest, count):
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
        if self.fill(partition, offset, leader_epoch, committed_ms, log_offset, topic_id is not None):
            self._held += 1

    def _has_slot_for(self, partition: i64, leader_epoch: i64, committed_ms: i64, topic_id: bytes | None) -> bool:
        """Whether a usual offset can lie in a slot; if it can there is one now."""
        if partition < 0 or not (-1 <= leader_epoch <= MAX_EPOCH and 0 <= committed_ms <= MAX_TIME):
            return False
        if topic_id is not None and topic_id is not self._topic_id and topic_id != self._topic_id:
            if self._topic_id is not None:
                return False
            self._topic_id = topic_id
        if partition >= self.size():
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
        if self.has_plain(partition):
            return self.log_offset_of(partition) >= log_offset
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
        if self.has_plain(partition):
            self.clear(partition)
        else:
            odd = self._odd
            if odd is None or odd.pop(partition, None) is None:
                return False
            if not odd:
                self._odd = None
        self._held -= 1
        return True

    # -- slots

    def _is_worth_slots(self, highest: i64, count: i64) -> bool:
        return highest < _FEW_SLOTS + _SLOTS_AN_OBJECT * (self._held + count)

    def _grow(self, highest: i64) -> None:
        """Exactly up to this partition the first time, then by an eighth more. Objects that were too far out move in."""
        self.resize(highest + 1 + self.size() // 8)
        if self._odd:
            self._move_in()

    def _move_in(self) -> None:
        odd = self._odd
        assert odd is not None
        size = self.size()
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

    def get(self, partition: i64) -> StoredOffset | None:
        if not self.has_plain(partition):
            return self._odd.get(partition) if self._odd is not None else None
        _, offset, leader_epoch = self.plain(partition)
        return StoredOffset(
            offset,
            leader_epoch,
            "",
            self.committed_ms_of(partition),
            NO_EXPIRY,
            self.log_offset_of(partition),
            self._topic_id if self.has_topic_id(partition) else None,
        )

    def find(self, partitions: vec[i32]) -> tuple[vec[i64], vec[i32], list[str] | None]:
        """Offset, leader epoch and metadata of each, for those who ask for hundreds. -1 and "" stand for what is not there; None
        instead of the texts if all of them are empty, as they usually are."""
        count = len(partitions)
        offsets = vec[i64]([-1] * count)
        leader_epochs = vec[i32]([-1] * count)
        self.gather(partitions, offsets, leader_epochs)
        metadata: list[str] | None = None
        odd = self._odd
        if odd is not None:
            for row in range(count):
                stored = odd.get(partitions[row])
                if stored is not None:
                    offsets[row] = stored.offset
                    leader_epochs[row] = stored.leader_epoch
                    if stored.metadata and metadata is None:
                        metadata = [""] * count
                    if metadata is not None:
                        metadata[row] = stored.metadata
        return offsets, leader_epochs, metadata

    def partitions(self) -> list[int]:
        """Ascending."""
        found: list[int] = []
        for partition in range(self.size()):
            if self.has_plain(partition):
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
            self.has_plain(partition) or (self._odd is not None and partition in self._odd)
        )

    def __len__(self) -> int:
        return self._held

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PartitionOffsets) and list(self.items()) == list(other.items())

    __hash__ = None  # type: ignore[assignment]  # it changes

    def __repr__(self) -> str:
        return f"PartitionOffsets({ {partition: stored.offset for partition, stored in self.items()} })"
