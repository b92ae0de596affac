"""A static member's process comes back without a member id: it gets a new id and the old one is fenced (KIP-345, spec 3.9).

In a Stable group that goes without a rebalance if the selected protocol stays the same: the group is stored with the new id
and the assignments it has. If that cannot be stored, the old id counts again.
"""

from __future__ import annotations

from muster.core.classic.election import select_protocol
from muster.core.classic.group import Group
from muster.core.classic.member import Member
from muster.core.classic.membership import (
    park_join,
    rename_member,
    reply_to_join,
    reply_to_sync,
    update_member,
)
from muster.core.classic.outcome_builder import OutcomeBuilder
from muster.core.classic.rebalance import member_list, start_or_go_on
from muster.core.classic.states import STABLE
from muster.core.classic.stored import stored_group
from muster.core.contract import Outcome, Ticket
from muster.core.replies import JoinReply, SyncReply
from muster.core.requests import JoinGroup
from muster.core.steps import ReplaceStaticMember
from muster.wire import errors


def replace_static_member(
    group: Group, new_member_id: str, request: JoinGroup, ticket: Ticket, builder: OutcomeBuilder
) -> None:
    assert request.group_instance_id is not None
    old = group.members[group.static_members[request.group_instance_id]]
    undo = ReplaceStaticMember(
        group.group_id,
        request.group_instance_id,
        old.member_id,
        new_member_id,
        group.leader or "",
        old.protocols,
        old.session_timeout_ms,
        old.rebalance_timeout_ms,
    )
    _fence(group, old, builder)
    member = rename_member(group, old, new_member_id)
    # The old session timeout: the one of the request counts from the first heartbeat on (spec 3.9 step 2).
    builder.start_session(member)
    builder.note(
        "static_replaced",
        group,
        "static_member_returned",
        member,
        request.reason,
        detail={"old_member_id": old.member_id, "was_leader": undo.old_leader == old.member_id},
    )
    update_member(group, member, request.protocols, request.session_timeout_ms, request.rebalance_timeout_ms)
    if group.state is STABLE and select_protocol(group) == group.protocol_name:
        _store_without_rebalance(group, member, undo, request, ticket, builder)
    else:
        park_join(group, member, ticket, builder)
        start_or_go_on(group, builder, "static_member_returned", member, request.reason)


def _fence(group: Group, old: Member, builder: OutcomeBuilder) -> None:
    reply_to_join(group, old, JoinReply(errors.FENCED_INSTANCE_ID, old.member_id), builder)
    reply_to_sync(old, SyncReply(errors.FENCED_INSTANCE_ID), builder)
    builder.cancel_timer(old.session_key)


def _store_without_rebalance(
    group: Group, member: Member, undo: ReplaceStaticMember, request: JoinGroup, ticket: Ticket, builder: OutcomeBuilder
) -> None:
    assignments = {member_id: other.assignment for member_id, other in group.members.items()}
    builder.records.append(stored_group(group, assignments))
    builder.step = undo
    reply = JoinReply(errors.NONE, member.member_id, group.generation, group.protocol_type, group.protocol_name)
    if request.supports_skip_assignment:
        # KIP-814: the leader hears of everybody, so that it can watch for changes, and is told not to assign.
        reply.leader = group.leader or ""
        reply.skip_assignment = group.leader == member.member_id
        reply.members = member_list(group) if reply.skip_assignment else ()
    else:
        # An older client that saw itself as leader would assign, so it hears of the leader's old id (T083).
        reply.leader = undo.old_leader
    builder.reply(ticket, reply)


def replacement_failed(
    group: Group | None, undo: ReplaceStaticMember, outcome: Outcome, error: int, builder: OutcomeBuilder
) -> None:
    """The new id could not be stored, so the old one counts again, with all that it had (T088)."""
    reply = JoinReply(error, "")
    if group is not None:
        _restore(group, undo, builder)
        reply = JoinReply(error, "", group.generation, group.protocol_type, group.protocol_name, undo.old_leader)
    for ticket, _ in outcome.replies:
        builder.reply(ticket, reply)


def _restore(group: Group, undo: ReplaceStaticMember, builder: OutcomeBuilder) -> None:
    if group.static_members.get(undo.instance_id) != undo.new_member_id:
        return  # replaced again or gone meanwhile
    failed = group.members[undo.new_member_id]
    builder.cancel_timer(failed.session_key)
    member = rename_member(group, failed, undo.old_member_id)
    member.parked_join, member.parked_sync = failed.parked_join, failed.parked_sync
    update_member(group, member, undo.protocols, undo.session_timeout_ms, undo.rebalance_timeout_ms)
    builder.start_session(member)
    builder.note("static_restored", group, "append_failed", member, detail={"failed_member_id": undo.new_member_id})
