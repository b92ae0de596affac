"""What must hold of every live group after every step, whatever happened. Small checks, each with its own words."""

from __future__ import annotations

from collections.abc import Container

from muster.core.classic.describe import describe_group
from muster.core.classic.group import Group
from muster.core.classic.states import (
    COMPLETING_REBALANCE,
    DEAD,
    EMPTY,
    PREPARING_REBALANCE,
    STABLE,
)
from muster.core.contract import TimerKey
from muster.core.replies import DescribedMember, DescribeReply
from muster.core.requests import DescribeGroup
from muster.core.shard import Shard
from muster.wire.errors import NONE


def check_shard(shard: Shard) -> None:
    for group_id, group in shard.groups.items():
        assert group.group_id == group_id
        check_sums(group)
        check_membership(group)
        check_state(group)
        check_parked(group)
        check_description(shard, group)


def check_sums(group: Group) -> None:
    parked = sum(1 for member in group.members.values() if member.parked_join is not None)
    assert group.awaiting_joins == parked, f"{group!r} counts {group.awaiting_joins} parked joins of {parked}"
    counts: dict[str, int] = {}
    for member in group.members.values():
        for name in {name for name, _ in member.protocols}:
            counts[name] = counts.get(name, 0) + 1
    assert group.protocol_counts == counts, f"{group!r} counts protocols {group.protocol_counts}, not {counts}"


def check_membership(group: Group) -> None:
    assert all(member_id == member.member_id for member_id, member in group.members.items())
    static = {m.instance_id: m.member_id for m in group.members.values() if m.instance_id is not None}
    assert group.static_members == static
    assert group.leader in group.members if group.members else group.leader is None, f"{group!r} is led from outside"
    assert not group.pending_joins.keys() & group.members.keys(), "a pending id is a member"


def check_state(group: Group) -> None:
    if group.state in (COMPLETING_REBALANCE, STABLE):
        assert group.members
        assert group.pending_syncs.keys() <= group.members.keys()
    elif group.state is not DEAD:
        assert not group.pending_syncs
    if group.state is EMPTY:
        assert not group.members
        assert group.protocol_name is None
    if group.window is not None:
        assert group.state in (PREPARING_REBALANCE, DEAD)


def check_parked(group: Group) -> None:
    """Joins are parked in the join phase only, syncs in the sync phase only: nobody waits for what will not come."""
    for member in group.members.values():
        if member.parked_join is not None:
            assert group.state is PREPARING_REBALANCE, f"{member!r} waits in {group!r}"
        if member.parked_sync is not None:
            assert group.state is COMPLETING_REBALANCE, f"{member!r} waits in {group!r}"


def check_description(shard: Shard, group: Group) -> None:
    """A description is kept by the group for the next reader: after every step it must be what a fresh one would be.

    Asked of every group after every step, so that there is always an older one to fall for.
    """
    if not group.is_committed:
        return
    is_stable = group.state is STABLE
    fresh = DescribeReply(
        NONE,
        group.group_id,
        group.state.value,
        group.protocol_type or "",
        (group.protocol_name or "") if is_stable else "",
        tuple(
            DescribedMember(
                member.member_id,
                member.instance_id,
                member.client_id,
                member.client_host,
                dict(reversed(member.protocols)).get(group.protocol_name or "", b"") if is_stable else b"",
                member.assignment,
            )
            for member in group.members.values()
        ),
    )
    assert describe_group(shard.groups, DescribeGroup(group.group_id)) == fresh


def check_timers(shard: Shard, timers: Container[TimerKey]) -> None:
    """Whatever a group waits for ends some day: nobody hangs."""
    for group in shard.groups.values():
        if group.state is DEAD:
            continue
        if group.state is PREPARING_REBALANCE:
            assert group.join_key in timers, f"{group!r} gathers for ever"
        else:
            assert group.join_key not in timers
        assert (group.sync_key in timers) is bool(group.pending_syncs), f"{group!r} and its sync timer disagree"
        for member in group.members.values():
            assert member.has_satisfied_heartbeat or member.session_key in timers, f"{member!r} never expires"
        for member_id in group.pending_joins:
            assert ("session", group.group_id, member_id) in timers, f"{member_id} is pending for ever"


def check_stable_groups_are_facts(shard: Shard) -> None:
    """With nothing in flight, what a Stable group shows is what a failover would restore."""
    for group in shard.groups.values():
        if group.state is not STABLE:
            continue
        fact = shard.facts[group.group_id]
        assert (fact.generation, fact.protocol_name, fact.protocol_type) == (
            group.generation,
            group.protocol_name,
            group.protocol_type,
        )
        assert fact.leader == group.leader
        assert [(m.member_id, m.group_instance_id, m.assignment) for m in fact.members] == [
            (m.member_id, m.instance_id, m.assignment) for m in group.members.values()
        ]
