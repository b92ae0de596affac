"""LeaveGroup: members that go by themselves, or that an administrator takes out by instance id (spec 3.12)."""

from __future__ import annotations

from muster.core.classic.group import Group
from muster.core.classic.member import Member
from muster.core.classic.membership import check_member, drop_pending, remove_member
from muster.core.classic.outcome_builder import OutcomeBuilder
from muster.core.classic.rebalance import start_or_go_on
from muster.core.classic.states import DEAD, EMPTY
from muster.core.contract import Ticket
from muster.core.journal import Cause
from muster.core.replies import LeaveReply
from muster.core.requests import LeaveGroup, LeavingMember
from muster.wire import errors


def leave_group(groups: dict[str, Group], request: LeaveGroup, ticket: Ticket, builder: OutcomeBuilder) -> None:
    """However many go, the group rebalances once (T125)."""
    group = groups.get(request.group_id)
    if group is not None and group.state is DEAD:
        builder.reply(ticket, LeaveReply(errors.COORDINATOR_NOT_AVAILABLE))
        return
    answers: list[tuple[str, str | None, int]] = []
    gone: list[tuple[LeavingMember, Member | None]] = []
    for leaving in request.members:
        error = errors.UNKNOWN_MEMBER_ID
        if group is not None:
            error, member = _leave(group, leaving, builder)
            if error == errors.NONE:
                gone.append((leaving, member))
        answers.append((leaving.member_id, leaving.group_instance_id, error))
    if group is not None and gone and group.state is not EMPTY:
        leaving, member = gone[0]
        # A pending id that leaves shakes the group too, though no member is gone (T129).
        cause: Cause = "member_left" if member is not None else "pending_id_left"
        start_or_go_on(group, builder, cause, member, leaving.reason)
    builder.reply(ticket, LeaveReply(errors.NONE, tuple(answers)))


def _leave(group: Group, leaving: LeavingMember, builder: OutcomeBuilder) -> tuple[int, Member | None]:
    """The entry's error, and the member that left if it was one."""
    member_id = leaving.member_id
    if not member_id:
        # An administrator knows the instance id only (T126).
        instance_id = leaving.group_instance_id
        current = group.static_members.get(instance_id) if instance_id is not None else None
        if current is None:
            return errors.UNKNOWN_MEMBER_ID, None
        member_id = current
    elif member_id in group.pending_joins:
        drop_pending(group, member_id, builder, "pending_id_left", leaving.reason)
        return errors.NONE, None
    else:
        error = check_member(group, member_id, leaving.group_instance_id)
        if error != errors.NONE:
            return error, None
    member = group.members[member_id]
    builder.note("member_left", group, "member_left", member, leaving.reason)
    remove_member(group, member, builder)
    if group.trace is not None:
        group.trace.dropped += (member_id,)
    return errors.NONE, member
