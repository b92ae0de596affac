"""The members of consumer groups of a world, what they tell, and what the log and the shards say of these groups at the end."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import TYPE_CHECKING

from muster.core.consumer.group import ConsumerGroup
from muster.core.consumer.states import ConsumerGroupState
from muster.core.records import LogRecord
from muster.core.shard import Shard
from muster.sim.consumers.history import StaleCommit, Told, TwoOwners
from muster.sim.consumers.log_fold import LogFold
from muster.sim.consumers.member import MOVED, ConsumerMember
from muster.sim.member import PARTITIONS, SimMember
from muster.wire.errors import name_of

if TYPE_CHECKING:
    from muster.sim.witness import Witness

GROUPS = {"consumers": 4, MOVED: 4}
"""How many members each has. The first group speaks the new protocol only."""
SETTINGS = {
    "group.consumer.session.timeout.ms": "6000",
    "group.consumer.min.session.timeout.ms": "1000",
    "group.consumer.heartbeat.interval.ms": "1000",
    "group.consumer.min.heartbeat.interval.ms": "500",
}
NewMember = Callable[["Witness", str, str, Random, str | None], ConsumerMember]


class ConsumerWitness:
    def __init__(self, world: Witness) -> None:
        self._world = world
        self._seen = world.history.consumers
        self._fold = LogFold(self._seen)
        self._shown: set[str] = set()
        self._classic: set[str] = set()
        """Those that are classic groups at the end."""

    def members(self, new_member: NewMember) -> list[SimMember]:
        """Every second one is static."""
        return [
            new_member(
                self._world,
                group,
                f"m{place}-{group}",
                Random(self._world.random.random()),
                f"instance-{place}" if place % 2 else None,
            )
            for group, count in GROUPS.items()
            for place in range(count)
        ]

    # -- what members tell

    def note_told(self, member: ConsumerMember, *, joins: bool) -> None:
        self._seen.told.append(
            Told(self._world.scheduler.now_ms, member.group, member.member_id, member.generation, joins)
        )

    def note_taken(self, taker: ConsumerMember) -> None:
        """Whoever has one of these partitions must have been dropped by the coordinator, and does not know it yet."""
        shard = self._world.shard_of(taker.group)
        if shard is None:
            return
        for owner in self._world.members:
            if owner is taker or owner.group != taker.group or not owner.is_alive:
                continue
            for partition in owner.assigned:
                if partition in taker.assigned and _has_member(shard, owner):
                    at_ms = self._world.scheduler.now_ms
                    self._seen.two_owners.append(TwoOwners(at_ms, taker.group, partition, owner.name, taker.name))

    def note_late_commit(self, member: ConsumerMember, epoch: int, partition: int, error: int) -> None:
        at_ms = self._world.scheduler.now_ms
        self._seen.stale_commits.append(StaleCommit(at_ms, member.group, member.member_id, epoch, partition, error))

    def note_surprise(self, member: ConsumerMember, error: int) -> None:
        self._seen.surprises.append(f"{member.name} at {self._world.scheduler.now_ms} ms: {name_of(error)}")

    # -- the end of a run

    def read_batch(self, records: Sequence[LogRecord]) -> None:
        self._fold.read_batch(records)

    def look_at_groups(self, shard: Shard) -> None:
        for group_id in GROUPS:
            group = shard.consumer_groups.get(group_id)
            if group is not None:
                self._shown.add(group_id)
                self._look_at(group)
            elif group_id in shard.groups:
                self._shown.add(group_id)
                self._classic.add(group_id)

    def look_at_the_end(self) -> None:
        """What members say themselves."""
        alive = [each for each in self._world.members if each.group in GROUPS and each.is_alive]
        for group_id in GROUPS:
            mine = [each for each in alive if each.group == group_id]
            if mine and group_id not in self._shown:
                self._seen.unsettled.append(f"{group_id}: no shard knows it, {len(mine)} live members")
            had = sorted(partition for each in mine for partition in each.assigned)
            if mine and had not in self._complete(group_id):
                count = self._world.topic_partitions
                self._seen.unassigned.append(f"{group_id}: its members have {had} of {count} partitions")

    def _complete(self, group_id: str) -> list[list[int]]:
        """What the members of a group may have together. The leader of a classic group does not look for new partitions here: it
        has those of its last plan."""
        count = self._world.topic_partitions
        least = PARTITIONS if group_id in self._classic else count
        return [list(range(number)) for number in range(least, count + 1)]

    def _look_at(self, group: ConsumerGroup) -> None:
        alive = {each.member_id: each for each in self._world.members if each.group == group.group_id and each.is_alive}
        if alive and group.state() is not ConsumerGroupState.STABLE:
            self._seen.unsettled.append(f"{group!r}, {len(alive)} live members")
        if alive.keys() != group.members.keys():
            self._seen.unsettled.append(f"{group!r} has members {sorted(group.members)}, alive are {sorted(alive)}")
        for member_id, member in alive.items():
            target = [number for numbers in group.targets.get(member_id, {}).values() for number in numbers]
            if sorted(target) != list(member.assigned):
                self._seen.unsettled.append(f"{group!r}: {member.name} has {member.assigned}, not {sorted(target)}")


def consumer_facts(shard: Shard) -> dict[str, list[object]]:
    """Everything durable about consumer groups, to be compared."""
    return {name: _facts(group) for name, group in shard.consumer_groups.items()}


def _facts(group: ConsumerGroup) -> list[object]:
    members = [(each.member_id, each.subscription, each.current) for each in group.members.values()]
    durable = (group.epoch, group.target_epoch, group.target_ms, group.metadata_hash)
    return [*durable, members, group.targets, group.static_members, group.resolved, group.owners]


def _has_member(shard: Shard, member: SimMember) -> bool:
    consumers, classic = shard.consumer_groups.get(member.group), shard.groups.get(member.group)
    if consumers is not None:
        return member.member_id in consumers.members
    return classic is not None and member.member_id in classic.members
