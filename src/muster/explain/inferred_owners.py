"""What moved between the epochs of a consumer group, by the current assignments in the offsets log of a Kafka. Pure.

Records name topics by their ids; whoever asks a cluster knows which names these have. What a member owned before the log begins is
no move: the record says at which epoch each partition was given.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from muster.core.consumer.records import CurrentAssignment
from muster.explain.facts import Move, Partition, Who

Moves: TypeAlias = dict[Partition, tuple[str | None, str | None]]
"""Partition -> member id of its owner before and after."""


class InferredOwners:
    def __init__(self, topic_names: Mapping[bytes, str]) -> None:
        self._names = topic_names
        self._owners: dict[Partition, str] = {}
        self._held: dict[str, frozenset[Partition]] = {}
        self._since_last_epoch: Moves = {}

    def next_epoch(self) -> Moves:
        """For a raised epoch: what moved since the one before. Later moves are written into it, until the next one."""
        begun, self._since_last_epoch = self._since_last_epoch, {}
        return begun

    def assigned(self, member_id: str, current: CurrentAssignment, moves: Moves | None) -> None:
        """`moves` is what the last epoch was given; None before the first."""
        given = self._given(current)
        before = self._held.get(member_id)
        self._held[member_id] = frozenset(given)
        for partition in (before or frozenset()) - given.keys():
            self._change(partition, member_id, None, moves)
        for partition, epoch in given.items():
            if before is None and epoch < current.epoch:
                self._owners.setdefault(partition, member_id)  # owned since before the log begins
            elif before is None or partition not in before:
                self._change(partition, None, member_id, moves)

    def gone(self, member_id: str) -> None:
        """Its records are deleted just before the epoch is raised."""
        for partition in sorted(self._held.pop(member_id, ())):
            self._change(partition, member_id, None, None)

    def _given(self, current: CurrentAssignment) -> dict[Partition, int]:
        """What it owns -> the epoch at which it was given that; what it has yet to give up is still its own."""
        return {
            (name, number): epoch
            for held in (current.assigned, current.revoking)
            for topic_id, numbers in held.items()
            if (name := self._names.get(topic_id))
            for number, epoch in numbers.items()
        }

    def _change(self, partition: Partition, leaves: str | None, enters: str | None, moves: Moves | None) -> None:
        owner = self._owners.get(partition)
        if leaves is not None and owner != leaves:
            return  # somebody else has it already
        into = self._since_last_epoch if moves is None else moves
        if into is not self._since_last_epoch and partition in self._since_last_epoch:
            owner, _ = self._since_last_epoch.pop(
                partition
            )  # given up by a static member's old id, without a new epoch
        into[partition] = (into[partition][0] if partition in into else owner, enters)
        if enters is None:
            del self._owners[partition]
        else:
            self._owners[partition] = enters


class MovesInOrder:
    """Turns what moved at each epoch into what moved and what stayed, epoch after epoch."""

    def __init__(self, people: Mapping[str, Who]) -> None:
        self._people = people
        self._owners: dict[Partition, str] = {}

    def take(self, moved: Moves) -> tuple[list[Move], list[Partition]]:
        moves = []
        for partition, (old, new) in sorted(moved.items()):
            source, target = self._people.get(old or ""), self._people.get(new or "")
            if old != new and (source is None or target is None or source.identity != target.identity):
                moves.append(Move(partition, source, target))
        stayed = sorted(self._owners.keys() - {move.partition for move in moves})
        for partition, (_, new) in moved.items():
            if new is None:
                self._owners.pop(partition, None)
            else:
                self._owners[partition] = new
        return moves, stayed


def merged(earlier: Moves, later: Moves) -> Moves:
    """Of two epochs that count as one rebalance."""
    return {**earlier, **{each: (earlier.get(each, pair)[0], pair[1]) for each, pair in later.items()}}
