"""Who is a member, and the ways in, on and out. The only file that changes `group.members`.

Keeps the group's sums right (parked joins, protocol counts, static map, leader). Starting or ending a join phase is
`rebalance`'s business: the callers ask it afterwards.
"""

from __future__ import annotations

from muster.core.classic.group import Group, PendingId
from muster.core.classic.member import Member, Protocols
from muster.core.classic.outcome_builder import OutcomeBuilder
from muster.core.classic.states import PREPARING_REBALANCE
from muster.core.config import NEW_MEMBER_JOIN_TIMEOUT_MS
from muster.core.contract import Ticket
from muster.core.journal import Cause
from muster.core.replies import JoinReply, SyncReply
from muster.core.requests import JoinGroup
from muster.wire import errors


def check_member(group: Group, member_id: str, instance_id: str | None) -> int:
    """The membership check that join, sync, heartbeat, leave and commit share. Pending ids are not members (T043)."""
    if instance_id is not None:
        current = group.static_members.get(instance_id)
        if current is None:
            return errors.UNKNOWN_MEMBER_ID
        if current != member_id:
            return errors.FENCED_INSTANCE_ID
    return errors.NONE if member_id in group.members else errors.UNKNOWN_MEMBER_ID


def add_member(group: Group, member_id: str, request: JoinGroup, ticket: Ticket, builder: OutcomeBuilder) -> Member:
    """A new member with its JoinGroup parked. It may wait for 300 s at most, however long its session is (spec 3.5)."""
    member = Member(
        group.group_id,
        member_id,
        request.group_instance_id,
        request.client_id,
        request.client_host,
        request.session_timeout_ms,
        request.rebalance_timeout_ms,
        request.protocols,
    )
    member.is_new = True
    if group.window is not None:
        group.window.newcomer = True
    if not group.members:
        group.protocol_type = request.protocol_type
    group.members[member_id] = member
    if member.instance_id is not None:
        group.static_members[member.instance_id] = member_id
    if group.leader is None:
        group.leader = member_id
    group.count_protocols(member.protocols, +1)
    group.pending_joins.pop(member_id, None)
    park_join(group, member, ticket, builder)
    builder.set_timer(member.session_key, builder.now_ms + NEW_MEMBER_JOIN_TIMEOUT_MS)
    return member


def add_pending(group: Group, member_id: str, request: JoinGroup, builder: OutcomeBuilder) -> None:
    """Remember an id that was handed out, for as long as a session of this client would last."""
    pending = group.pending_joins[member_id] = PendingId(request.client_id, request.client_host)
    builder.set_timer(("session", group.group_id, member_id), builder.now_ms + request.session_timeout_ms)
    builder.note_pending("member_id_given", group, "new_member", member_id, pending, request.reason)


def drop_pending(
    group: Group, member_id: str, builder: OutcomeBuilder, cause: Cause, reason: str | None = None
) -> None:
    pending = group.pending_joins.pop(member_id)
    builder.cancel_timer(("session", group.group_id, member_id))
    builder.note_pending("pending_id_dropped", group, cause, member_id, pending, reason)


def update_member(
    group: Group, member: Member, protocols: Protocols, session_timeout_ms: int, rebalance_timeout_ms: int
) -> None:
    """What a re-join may change. Client id and host stay those of the request that made the member (spec 3.1)."""
    group.count_protocols(member.protocols, -1)
    group.count_protocols(protocols, +1)
    member.protocols = protocols
    member.session_timeout_ms = session_timeout_ms
    member.rebalance_timeout_ms = rebalance_timeout_ms


def park_join(group: Group, member: Member, ticket: Ticket, builder: OutcomeBuilder) -> None:
    """A newer JoinGroup replaces an older one, which is never answered, as in Kafka (spec 13.9)."""
    if member.parked_join is None:
        group.awaiting_joins += 1
    member.parked_join = ticket
    if group.state is PREPARING_REBALANCE and group.trace is not None:
        group.trace.last_joiner = member.member_id
        group.trace.last_join_ms = builder.now_ms


def reply_to_join(group: Group, member: Member, reply: JoinReply, builder: OutcomeBuilder) -> None:
    if member.parked_join is None:
        return
    builder.reply_early(member.parked_join, reply)
    member.parked_join = None
    group.awaiting_joins -= 1


def reply_to_sync(member: Member, reply: SyncReply, builder: OutcomeBuilder) -> bool:
    if member.parked_sync is None:
        return False
    builder.reply_early(member.parked_sync, reply)
    member.parked_sync = None
    return True


def remove_member(group: Group, member: Member, builder: OutcomeBuilder) -> None:
    """Take a member out and answer what it has parked.

    Deviates: Kafka never answers the parked SyncGroup of a member that is gone (spec 13.10).
    """
    del group.members[member.member_id]
    member.is_gone = True
    group.described = None
    if member.instance_id is not None and group.static_members.get(member.instance_id) == member.member_id:
        del group.static_members[member.instance_id]
    group.count_protocols(member.protocols, -1)
    group.pending_syncs.pop(member.member_id, None)
    if group.leader == member.member_id:
        # Deviates: Kafka takes the first in hash order, here it is the oldest (spec 13.3).
        group.leader = next(iter(group.members), None)
    reply_to_join(group, member, JoinReply(errors.UNKNOWN_MEMBER_ID, ""), builder)
    reply_to_sync(member, SyncReply(errors.UNKNOWN_MEMBER_ID), builder)
    builder.cancel_timer(member.session_key)


def rename_member(group: Group, old: Member, new_id: str) -> Member:
    """Put a static member under another id, in the same place; leadership and an outstanding sync go with it.

    Deviates: Kafka leaves the old id among those that have yet to sync, which ends in a needless rebalance.
    """
    heir = old.under(group.group_id, new_id)
    old.is_gone = True
    group.members = {
        heir.member_id if member is old else member_id: heir if member is old else member
        for member_id, member in group.members.items()
    }
    group.described = None
    assert old.instance_id is not None
    group.static_members[old.instance_id] = new_id
    if group.leader == old.member_id:
        group.leader = new_id
    if group.generation_leader == old.member_id:
        group.generation_leader = new_id
    if old.member_id in group.pending_syncs:
        del group.pending_syncs[old.member_id]
        group.pending_syncs[new_id] = None
    return heir
