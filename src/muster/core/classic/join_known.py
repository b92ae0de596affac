"""JoinGroup with a member id: an id that was handed out comes back, or a member joins again (spec 3.4.3)."""

from __future__ import annotations

from muster.core.classic.group import Group
from muster.core.classic.join_new import admit
from muster.core.classic.member import Member
from muster.core.classic.membership import check_member, park_join, update_member
from muster.core.classic.outcome_builder import OutcomeBuilder
from muster.core.classic.rebalance import joined_reply, start_or_go_on
from muster.core.classic.states import COMPLETING_REBALANCE, DEAD, PREPARING_REBALANCE, STABLE
from muster.core.contract import Ticket
from muster.core.journal import Cause
from muster.core.replies import JoinReply
from muster.core.requests import JoinGroup
from muster.wire import errors


def join_known_member(group: Group, request: JoinGroup, ticket: Ticket, builder: OutcomeBuilder) -> None:
    member_id = request.member_id
    if group.state is DEAD:
        builder.reply(ticket, JoinReply(errors.COORDINATOR_NOT_AVAILABLE, member_id))
    elif not group.accepts(request.protocol_type, request.protocols):
        builder.reply(ticket, JoinReply(errors.INCONSISTENT_GROUP_PROTOCOL, member_id))
    elif member_id in group.pending_joins:
        _join_pending(group, request, ticket, builder)
    elif (error := check_member(group, member_id, request.group_instance_id)) != errors.NONE:
        builder.reply(ticket, JoinReply(error, member_id))
    else:
        _join_again(group, group.members[member_id], request, ticket, builder)


def _join_pending(group: Group, request: JoinGroup, ticket: Ticket, builder: OutcomeBuilder) -> None:
    if request.group_instance_id is not None:
        # Static members never get a pending id, so this is an internal error in Kafka; the id stays usable (T042).
        builder.reply(ticket, JoinReply(errors.UNKNOWN_SERVER_ERROR, ""))
    else:
        admit(group, request.member_id, request, ticket, builder)


def _join_again(group: Group, member: Member, request: JoinGroup, ticket: Ticket, builder: OutcomeBuilder) -> None:
    cause = _cause_to_rebalance(group, member, request)
    builder.note("member_rejoined", group, cause, member, request.reason)
    if cause == "unchanged":
        # Timeouts and session stay as they were (spec 3.1); a parked SyncGroup goes on waiting.
        builder.reply(ticket, joined_reply(group, member))
        return
    update_member(group, member, request.protocols, request.session_timeout_ms, request.rebalance_timeout_ms)
    park_join(group, member, ticket, builder)
    start_or_go_on(group, builder, cause, member, request.reason)


def _cause_to_rebalance(group: Group, member: Member, request: JoinGroup) -> Cause:
    """Whether a re-join means a new round. The same protocols in another order are a change (T052)."""
    if group.state is PREPARING_REBALANCE:
        return "rejoined"
    assert group.state in (COMPLETING_REBALANCE, STABLE), f"{member!r} cannot be in {group!r}"
    if group.state is STABLE and member.member_id == group.leader:
        # The leader asks for a round when something changed that only it watches, such as a topic's partitions.
        return "leader_rejoined"
    return "unchanged" if member.protocols == request.protocols else "metadata_changed"
