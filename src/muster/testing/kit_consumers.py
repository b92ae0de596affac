"""Controls for consumer groups (KIP-848): expire or fence a member, hold back what it gives up, keep sessions alive.

Used by the `Kit`, in the broker's loop.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol, TypeVar

from muster.core.consumer.group import ConsumerGroup, ConsumerMember
from muster.core.contract import Outcome
from muster.core.journal import JournalEvent
from muster.runtime.group_runner import GroupRunner
from muster.runtime.node import Node
from muster.testing.faults import Fault, FaultBook
from muster.wire import errors

_HEARTBEAT = "ConsumerGroupHeartbeat"


class Named(Protocol):
    @property
    def member_id(self) -> str: ...

    @property
    def instance_id(self) -> str | None: ...

    @property
    def client_id(self) -> str: ...


M = TypeVar("M", bound=Named)


def only_member(group_id: str, members: Iterable[M], name: str) -> M:
    """The one member with this member id, instance id or client id; ValueError if there is none, or more."""
    there = list(members)
    matches = [each for each in there if name in (each.member_id, each.instance_id, each.client_id)]
    if len(matches) != 1:
        known = ", ".join(f"{each.member_id} (client id {each.client_id})" for each in there)
        problem = "no member" if not matches else f"{len(matches)} members"
        raise ValueError(f"{problem} of group {group_id!r} called {name!r}; there are: {known}")
    return matches[0]


class _Consumer:
    """A member of a consumer group by the names that it can be called by."""

    def __init__(self, member: ConsumerMember) -> None:
        self.member_id = member.member_id
        self.instance_id = member.subscription.instance_id
        self.client_id = member.subscription.client_id
        self.member = member


class KitConsumers:
    def __init__(self, node: Node, faults: FaultBook) -> None:
        self._node = node
        self._faults = faults

    def of(self, runner: GroupRunner | None, group_id: str) -> tuple[GroupRunner, ConsumerGroup] | None:
        """Where the group is, if it is a consumer group with members."""
        group = runner.shard.consumer_groups.get(group_id) if runner is not None else None
        return None if runner is None or group is None or not group.members else (runner, group)

    def keep_sessions(self, runner: GroupRunner, until_ms: int, connected: frozenset[str]) -> None:
        """As if the heartbeats of these members kept pace with the clock."""
        for group in runner.shard.consumer_groups.values():
            timers = []
            for member in group.members.values():
                classic = member.subscription.classic
                session_ms = (
                    runner.shard.config.consumer_session_timeout_ms if classic is None else classic.session_timeout_ms
                )
                if member.member_id in connected:
                    timers.append((member.session_key, until_ms + session_ms))
            if timers:
                runner.interject(group.group_id, lambda _, timers=timers: Outcome(timers=timers))  # type: ignore[misc]

    def expire(self, runner: GroupRunner, group: ConsumerGroup, name: str) -> str:
        member = self._named(group, name)
        key = member.session_key
        runner.interject(group.group_id, lambda now_ms: runner.shard.on_timer(key, now_ms))
        return member.member_id

    def fence(self, runner: GroupRunner, group: ConsumerGroup, name: str) -> Fault:
        member = self._named(group, name)
        own = member.subscription
        detail: dict[str, object] = {"epoch": member.current.epoch, "error": "FENCED_MEMBER_EPOCH"}
        self._node.journal.write(
            JournalEvent(
                "member_fenced",
                self._node.clock.now_ms(),
                group.group_id,
                group.epoch,
                "forced",
                member.member_id,
                own.instance_id,
                own.client_id,
                own.client_host,
                None,
                detail,
            )
        )
        return self._faults.add(
            "error",
            _HEARTBEAT,
            group=group.group_id,
            member=member.member_id,
            error=errors.FENCED_MEMBER_EPOCH,
            times=1,
        )

    def hold_revocation(self, runner: GroupRunner, group: ConsumerGroup, name: str | None) -> Fault:
        member_id = None if name is None else self._named(group, name).member_id
        return self._faults.add("revocation_held", group=group.group_id, member=member_id)

    def _named(self, group: ConsumerGroup, name: str) -> ConsumerMember:
        return only_member(group.group_id, map(_Consumer, group.members.values()), name).member
