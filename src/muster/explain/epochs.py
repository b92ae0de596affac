"""Events of consumer groups (KIP-848) to facts: raised epochs, targets, who gave up what and when, who owned what meanwhile.

A rebalance begins with the first epoch that is raised in a settled group and ends when the group is Stable or Empty again; epochs
that are raised on the way are its rounds. `fold` owns the rebalance and tells this part what happens; who owns what is known from
what members give up and are given, so nothing has to be decoded.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from muster.explain.event import Event
from muster.explain.facts import Departure, Gap, Move, Partition, Rebalance, Revocation, Who


def partitions_of(told: object) -> list[Partition]:
    """As the journal tells them: numbers by topic name. What is not of that form is left out."""
    if not isinstance(told, Mapping):
        return []
    return [
        (str(topic), number)
        for topic, numbers in told.items()
        if isinstance(numbers, list)
        for number in numbers
        if isinstance(number, int)
    ]


class Epochs:
    def __init__(self) -> None:
        self.owners: dict[Partition, str] = {}
        """Member id of the last owner of each partition, also if nobody has it now."""
        self.unowned_since: dict[Partition, int] = {}
        self.unowned_when_emptied: list[tuple[Partition, int]] = []
        self.target: dict[Partition, str] = {}
        """What the last target gives to whom, as far as it is known."""
        self.assignor: str | None = None
        self._before: dict[Partition, str] = {}

    def begin(self, now: Rebalance) -> None:
        """The first epoch of a rebalance was raised."""
        now.is_consumer = True
        now.protocol_before = self.assignor
        self._before = dict(self.owners)

    def emptied(self) -> None:
        self.unowned_when_emptied += self.unowned_since.items()
        self.owners, self.unowned_since, self.target = {}, {}, {}
        self.assignor = None

    def take_over(self, owners: Mapping[Partition, str] | None) -> None:
        """A classic group became this one: its members keep what they have."""
        self.owners = dict(owners or {})
        self.target = dict(self.owners)
        self.unowned_since = {}

    # -- the target

    def assigned(self, event: Event, now: Rebalance | None) -> None:
        self.assignor = event.text("assignor") or self.assignor
        for member_id, told in _by_member(event, "taken").items():
            for partition in partitions_of(told):
                if self.target.get(partition) == member_id:
                    del self.target[partition]
        for member_id, told in _by_member(event, "given").items():
            for partition in partitions_of(told):
                self.target[partition] = member_id
        if now is not None:
            now.protocol = self.assignor
            now.members = event.number("members") if event.number("members") is not None else now.members

    # -- members on their way

    def told_to_revoke(self, event: Event, who: Who, now: Rebalance) -> None:
        partitions = tuple(partitions_of(event.detail.get("partitions")))
        now.revocations.append(Revocation(who, partitions, event.at_ms, event.number("rebalance_timeout_ms")))
        for partition in partitions:
            self.owners.setdefault(partition, who.member_id)
            self._before.setdefault(partition, who.member_id)

    def revoked(self, event: Event, who: Who, now: Rebalance | None) -> None:
        partitions = partitions_of(event.detail.get("partitions"))
        for partition in partitions:
            self.owners[partition] = who.member_id
            self.unowned_since[partition] = event.at_ms
        if now is not None and not self._end(now, who, event.at_ms, is_missed=False):
            began_ms = event.at_ms - (event.number("waited_ms") or 0)
            now.revocations.append(Revocation(who, tuple(partitions), began_ms, ended_ms=event.at_ms))

    def given(self, event: Event, who: Who, now: Rebalance | None) -> None:
        """It got partitions, with all of its target or some of it."""
        for partition in partitions_of(event.detail.get("given")):
            since_ms = self.unowned_since.pop(partition, None)
            if now is not None and since_ms is None and now.from_empty and partition not in self.owners:
                since_ms = now.began_ms
            if now is not None and since_ms is not None:
                now.gaps.append(Gap(partition, since_ms, event.at_ms))
            self.owners[partition] = who.member_id

    def gone(self, event: Event, departure: Departure, now: Rebalance | None) -> None:
        """Whoever is gone has given up everything, at the latest now; if it was silent, when it was last heard of."""
        member_id = departure.who.member_id
        held = partitions_of(event.detail.get("partitions"))
        held = held or [partition for partition, owner in self.owners.items() if owner == member_id]
        for partition in held:
            self.owners[partition] = member_id
            self._before.setdefault(partition, member_id)
            self.unowned_since.setdefault(partition, departure.at_ms - departure.silent_ms)
        self.target = {each: owner for each, owner in self.target.items() if owner != member_id}
        if now is not None:
            self._end(now, departure.who, departure.at_ms, is_missed=departure.cause == "revocation_missed")

    def renamed(self, old_id: str, new_id: str) -> None:
        for held in (self.owners, self.target, self._before):
            for partition, owner in held.items():
                if owner == old_id:
                    held[partition] = new_id

    def _end(self, now: Rebalance, who: Who, at_ms: int, *, is_missed: bool) -> bool:
        for index, each in enumerate(now.revocations):
            if each.who.member_id == who.member_id and each.ended_ms is None:
                now.revocations[index] = replace(each, ended_ms=at_ms, is_missed=is_missed)
                return True
        return False

    # -- the end

    def finish(self, now: Rebalance, people: Mapping[str, Who]) -> None:
        """What moved between its beginning and its end. Nothing that was not told of has moved."""
        moves: list[Move] = []
        for partition in sorted({*self._before, *self.owners}):
            old, new = self._before.get(partition), self.owners.get(partition)
            if partition in self.unowned_since:
                new = None
            if old == new and new is not None:
                now.stayed.append(partition)
            elif old != new:
                moves.append(Move(partition, people.get(old or ""), people.get(new or "")))
        now.moves = moves

    @property
    def before(self) -> dict[Partition, str]:
        return self._before


def _by_member(event: Event, name: str) -> Mapping[str, Any]:
    told = event.detail.get(name)
    return told if isinstance(told, Mapping) else {}
