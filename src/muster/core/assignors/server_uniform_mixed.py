"""`uniform` where members want different topics.

What members had stays with them if they still want the topic. Free partitions go to the subscriber with the fewest; then, topic by
topic, partitions move from those with the most to those with the fewest until their numbers differ by one at most. Topics with many
partitions for each subscriber come first. A topic is looked at 16 times at most, since members that want several topics can push
partitions back and forth.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from muster.core.assignors.member_spec import MemberSpec, Targets

_ROUNDS: Final = 16
_NOBODY: Final = -1


def assign_mixed_subscriptions(members: Sequence[MemberSpec], partition_counts: Mapping[bytes, int]) -> Targets:
    """Of members with as many partitions the one that comes first here is served first."""
    return _Distribution(members, partition_counts).assign()


class _Distribution:
    """Members are known by their index from here on."""

    def __init__(self, members: Sequence[MemberSpec], partition_counts: Mapping[bytes, int]) -> None:
        self._members = members
        self._subscribers: dict[bytes, list[int]] = {}
        for number, member in enumerate(members):
            for topic_id in sorted(member.topic_ids):
                self._subscribers.setdefault(topic_id, []).append(number)
        self._topics = sorted(self._subscribers, key=lambda topic_id: self._priority(topic_id, partition_counts))
        self._owners = {topic_id: [_NOBODY] * partition_counts[topic_id] for topic_id in self._topics}
        """Topic id -> the member that has each partition."""
        self._loads = [0] * len(members)

    def _priority(self, topic_id: bytes, partition_counts: Mapping[bytes, int]) -> tuple[float, int, int, int]:
        """Ids are compared as Java compares them: as two signed numbers."""
        subscribers = len(self._subscribers[topic_id])
        high = int.from_bytes(topic_id[:8], "big", signed=True)
        low = int.from_bytes(topic_id[8:], "big", signed=True)
        return -partition_counts[topic_id] / subscribers, subscribers, high, low

    def assign(self) -> Targets:
        self._keep()
        for topic_id in self._topics:
            self._give_out(topic_id)
        self._balance([topic_id for topic_id in self._topics if len(self._subscribers[topic_id]) > 1])
        return self._targets()

    def _keep(self) -> None:
        for number, member in enumerate(self._members):
            for topic_id, partitions in member.target.items():
                if topic_id in member.topic_ids:
                    owners = self._owners[topic_id]
                    for partition in partitions:
                        if partition < len(owners):
                            owners[partition] = number
                            self._loads[number] += 1

    def _give_out(self, topic_id: bytes) -> None:
        owners = self._owners[topic_id]
        free = [partition for partition, owner in enumerate(owners) if owner == _NOBODY]
        if free:
            extremes = _Extremes(self._subscribers[topic_id], self._loads)
            for partition in free:
                self._give(topic_id, partition, extremes.next_lowest())

    def _balance(self, topics: list[bytes]) -> None:
        last_changed = _NOBODY
        for _ in range(_ROUNDS):
            for number, topic_id in enumerate(topics):
                if number == last_changed:
                    return  # all others have been looked at since, and nothing was moved
                if self._balance_topic(topic_id) or last_changed == _NOBODY:
                    last_changed = number

    def _balance_topic(self, topic_id: bytes) -> int:
        """How many partitions were moved."""
        extremes = _Extremes(self._subscribers[topic_id], self._loads)
        if extremes.difference <= 1:
            return 0
        had: dict[int, list[int]] = {}
        for partition, owner in enumerate(self._owners[topic_id]):
            had.setdefault(owner, []).append(partition)
        moved = 0
        while True:
            giver = extremes.next_highest()
            while giver is not None and not had.get(giver):
                extremes.exclude_highest()
                giver = extremes.next_highest()
            if giver is None:
                return moved
            partition = had[giver].pop()
            taker = extremes.next_lowest()
            if extremes.are_level:
                return moved
            self._give(topic_id, partition, taker)
            moved += 1

    def _give(self, topic_id: bytes, partition: int, taker: int) -> None:
        owners = self._owners[topic_id]
        if owners[partition] != _NOBODY:
            self._loads[owners[partition]] -= 1
        owners[partition] = taker
        self._loads[taker] += 1

    def _targets(self) -> Targets:
        lists: list[dict[bytes, list[int]]] = [{} for _ in self._members]
        for topic_id, owners in self._owners.items():
            for partition, owner in enumerate(owners):
                if owner != _NOBODY:
                    lists[owner].setdefault(topic_id, []).append(partition)
        return {
            member.member_id: {topic_id: tuple(partitions) for topic_id, partitions in given.items()}
            for member, given in zip(self._members, lists, strict=True)
        }


class _Extremes:
    """Members in the order of their load, from both ends: who gets the next partition, and who gives one up.

    At each end stands a range of members with the same load. Each of them has its turn, then the range rises (or falls) by one and
    takes in the neighbours that it meets. The caller moves partitions as it is told, which changes `loads`.
    """

    def __init__(self, members: Sequence[int], loads: list[int]) -> None:
        self._loads = loads
        self._order = sorted(members, key=lambda member: (loads[member], member))
        lowest, highest = loads[self._order[0]], loads[self._order[-1]]
        self.difference = highest - lowest
        self._low_level, self._low_end, self._low_next = lowest - 1, 0, 0
        size = len(self._order)
        self._high_level, self._high_start, self._high_end, self._high_next = highest + 1, size, size, size - 1

    @property
    def are_level(self) -> bool:
        """Moving one more partition would improve nothing."""
        return self._high_level - self._low_level <= 1

    def next_lowest(self) -> int:
        if self._low_next >= self._low_end:
            self._low_level += 1
            while self._low_end < len(self._order) and self._load_at(self._low_end) == self._low_level:
                self._low_end += 1
            self._low_next = 0
        self._low_next += 1
        return self._order[self._low_next - 1]

    def next_highest(self) -> int | None:
        """None if nobody is left."""
        if self._high_next < self._high_start:
            if self._high_end <= self._high_start and self._high_start > 0:
                self._high_level = self._load_at(self._high_start - 1)  # everybody in the range was excluded
            else:
                self._high_level -= 1
            while self._high_start > 0 and self._load_at(self._high_start - 1) == self._high_level:
                self._high_start -= 1
            self._high_next = self._high_end - 1
        if self._high_next < 0:
            return None
        self._high_next -= 1
        return self._order[self._high_next + 1]

    def exclude_highest(self) -> None:
        """The member that `next_highest` named last has nothing to give up."""
        named, last = self._high_next + 1, self._high_end - 1
        self._order[named], self._order[last] = self._order[last], self._order[named]
        self._high_end = last

    def _load_at(self, position: int) -> int:
        return self._loads[self._order[position]]
