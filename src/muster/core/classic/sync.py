"""SyncGroup: the leader hands in the assignment, everybody gets their part of it once it is durable (spec 3.10)."""

from __future__ import annotations

from muster.core.classic.group import Group
from muster.core.classic.member import Member
from muster.core.classic.membership import check_member, remove_member, reply_to_sync
from muster.core.classic.outcome_builder import OutcomeBuilder
from muster.core.classic.rebalance import reset_assignments, start
from muster.core.classic.rebalance_notes import note_expelled, note_rebalance_end
from muster.core.classic.states import COMPLETING_REBALANCE, DEAD, EMPTY, STABLE, SYNC_ANSWER
from muster.core.classic.stored import stored_group
from muster.core.contract import Ticket
from muster.core.replies import SyncReply
from muster.core.requests import SyncGroup
from muster.core.steps import StoreAssignments
from muster.wire import errors


def sync_group(groups: dict[str, Group], request: SyncGroup, ticket: Ticket, builder: OutcomeBuilder) -> None:
    group = groups.get(request.group_id)
    if group is None:
        builder.reply(ticket, SyncReply(errors.UNKNOWN_MEMBER_ID))
        return
    error = _refusal(group, request)
    if error != errors.NONE:
        builder.reply(ticket, SyncReply(error))
        return
    member = group.members[request.member_id]
    _has_synced(group, member, builder)
    if group.state is STABLE:
        # Does not restart the session, unlike the answer to a parked SyncGroup (spec 13.6).
        builder.reply(ticket, _assigned(group, member))
        return
    member.parked_sync = ticket
    if member.member_id == group.leader:
        _store(group, request, builder)


def _refusal(group: Group, request: SyncGroup) -> int:
    if group.state is EMPTY or group.state is DEAD:
        return SYNC_ANSWER[group.state] or errors.NONE
    error = check_member(group, request.member_id, request.group_instance_id)
    if error != errors.NONE:
        return error
    if request.generation != group.generation:
        return errors.ILLEGAL_GENERATION
    if request.protocol_type is not None and request.protocol_type != group.protocol_type:
        return errors.INCONSISTENT_GROUP_PROTOCOL
    if request.protocol_name is not None and request.protocol_name != group.protocol_name:
        return errors.INCONSISTENT_GROUP_PROTOCOL
    return SYNC_ANSWER[group.state] or errors.NONE


def _has_synced(group: Group, member: Member, builder: OutcomeBuilder) -> None:
    if member.member_id in group.pending_syncs:
        del group.pending_syncs[member.member_id]
        if not group.pending_syncs:
            builder.cancel_timer(group.sync_key)


def _store(group: Group, request: SyncGroup, builder: OutcomeBuilder) -> None:
    """Of several entries for a member the last counts; members that were left out get zero bytes (T101)."""
    assignments = dict(request.assignments)
    builder.records.append(stored_group(group, assignments))
    builder.step = StoreAssignments(group.group_id, group.generation, assignments)


def _assigned(group: Group, member: Member) -> SyncReply:
    return SyncReply(errors.NONE, group.protocol_type, group.protocol_name, member.assignment)


def _is_current(group: Group | None, step: StoreAssignments) -> bool:
    """A SyncGroup that waited for this write was answered already if the group has moved on since (T103)."""
    return group is not None and group.state is COMPLETING_REBALANCE and group.generation == step.generation


def assignment_stored(group: Group | None, step: StoreAssignments, builder: OutcomeBuilder) -> None:
    if group is None or not _is_current(group, step):
        return
    builder.move(group, STABLE, "assignment_stored")
    builder.counters.completed_rebalances += 1
    for member in group.members.values():
        member.assignment = step.assignments.get(member.member_id, b"")
        if reply_to_sync(member, _assigned(group, member), builder):
            builder.start_session(member)
    note_rebalance_end(group, builder, "assignment_stored", "stable")


def assignment_lost(group: Group | None, step: StoreAssignments, error: int, builder: OutcomeBuilder) -> None:
    """The log refused it: everybody who waits hears so, and the group tries again from the start (T104)."""
    if group is None or not _is_current(group, step):
        return
    reset_assignments(group, SyncReply(error), builder)
    start(group, builder, "append_failed")


def on_sync_timer(group: Group, builder: OutcomeBuilder) -> None:
    """Who has not synced within the rebalance timeout is out, static or not, also if the group is Stable (T106)."""
    if group.state not in (COMPLETING_REBALANCE, STABLE) or not group.pending_syncs:
        return
    late = [group.members[member_id] for member_id in group.pending_syncs]
    for member in late:
        note_expelled(group, builder, "sync_missed", member)
        remove_member(group, member, builder)
    start(group, builder, "sync_missed", late[0])
