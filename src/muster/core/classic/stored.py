"""Between a live group and its durable fact: what is written of a group, and what a group is when it has been loaded.

Not stored: pending ids, parked requests, protocols that were not selected, which members are new, and that a rebalance is
under way. A failover in the middle of one restores the previous generation (spec 5.3).
"""

from __future__ import annotations

from collections.abc import Mapping

from muster.core.classic.group import Group
from muster.core.classic.member import Member
from muster.core.classic.states import EMPTY, STABLE
from muster.core.classic.subscription import subscribed_topics
from muster.core.records import GroupStored, StoredMember


def stored_group(group: Group, assignments: Mapping[str, bytes]) -> GroupStored:
    """The record of a group in its current generation, with these assignments; members without one get zero bytes."""
    return GroupStored(
        group_id=group.group_id,
        protocol_type=group.protocol_type or "",
        generation=group.generation,
        protocol_name=group.protocol_name,
        leader=group.leader,
        state_timestamp_ms=group.state_timestamp_ms,
        members=tuple(
            _stored_member(member, group.protocol_name, assignments.get(member.member_id, b""))
            for member in group.members.values()
        ),
    )


def _stored_member(member: Member, protocol_name: str | None, assignment: bytes) -> StoredMember:
    return StoredMember(
        member_id=member.member_id,
        group_instance_id=member.instance_id,
        client_id=member.client_id,
        client_host=member.client_host,
        rebalance_timeout_ms=member.rebalance_timeout_ms,
        session_timeout_ms=member.session_timeout_ms,
        subscription=member.metadata_for(protocol_name),
        assignment=assignment,
    )


def loaded_group(fact: GroupStored) -> Group:
    """Stable if it has members, else Empty (spec 5.7). Each member knows the one protocol that was stored."""
    group = Group(fact.group_id, fact.state_timestamp_ms, STABLE if fact.members else EMPTY)
    group.generation = fact.generation
    group.protocol_type = fact.protocol_type or None
    group.protocol_name = fact.protocol_name
    group.leader = group.generation_leader = fact.leader
    for stored in fact.members:
        member = _loaded_member(fact, stored)
        group.members[member.member_id] = member
        if member.instance_id is not None:
            group.static_members[member.instance_id] = member.member_id
        group.count_protocols(member.protocols, +1)
    group.subscribed_topics = subscribed_topics(group)
    return group


def _loaded_member(fact: GroupStored, stored: StoredMember) -> Member:
    # Old values have no rebalance timeout; -1 stands for "the session timeout" (spec 5.3).
    has_rebalance_timeout = stored.rebalance_timeout_ms != -1
    member = Member(
        fact.group_id,
        stored.member_id,
        stored.group_instance_id,
        stored.client_id,
        stored.client_host,
        stored.session_timeout_ms,
        stored.rebalance_timeout_ms if has_rebalance_timeout else stored.session_timeout_ms,
        ((fact.protocol_name or "", stored.subscription),),
    )
    member.assignment = stored.assignment
    return member


def simple_group(group_id: str, committed_ms: int) -> Group:
    """A group that is known by its offsets only (spec 5.7). Its offsets age by themselves, so any time will do."""
    return Group(group_id, committed_ms)
