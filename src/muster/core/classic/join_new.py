"""JoinGroup without a member id: somebody the group does not know, or a static member whose process restarted (spec 3.4.2)."""

from __future__ import annotations

from muster.core.classic.group import Group
from muster.core.classic.join_static import replace_static_member
from muster.core.classic.membership import add_member, add_pending
from muster.core.classic.outcome_builder import OutcomeBuilder
from muster.core.classic.rebalance import start_or_go_on
from muster.core.classic.states import DEAD, EMPTY
from muster.core.contract import Ticket
from muster.core.journal import Cause
from muster.core.replies import JoinReply
from muster.core.requests import JoinGroup
from muster.wire import errors


def join_new_member(group: Group, request: JoinGroup, ticket: Ticket, builder: OutcomeBuilder) -> None:
    if group.state is DEAD:
        builder.reply(ticket, JoinReply(errors.COORDINATOR_NOT_AVAILABLE, ""))
    elif not group.accepts(request.protocol_type, request.protocols):
        builder.reply(ticket, JoinReply(errors.INCONSISTENT_GROUP_PROTOCOL, ""))
    elif request.group_instance_id is not None:
        _join_static(group, request.group_instance_id, request, ticket, builder)
    elif request.requires_known_member_id:
        _give_member_id(group, request, ticket, builder)
    else:
        admit(group, f"{request.client_id}-{builder.new_id()}", request, ticket, builder)


def admit(group: Group, member_id: str, request: JoinGroup, ticket: Ticket, builder: OutcomeBuilder) -> None:
    """Add a member and let the group rebalance for it."""
    cause: Cause = "first_member" if group.state is EMPTY else "new_member"
    member = add_member(group, member_id, request, ticket, builder)
    builder.note("member_joined", group, "new_member", member, request.reason, detail={"static": member.is_static})
    start_or_go_on(group, builder, cause, member, request.reason)


def _join_static(group: Group, instance_id: str, request: JoinGroup, ticket: Ticket, builder: OutcomeBuilder) -> None:
    """Static members never get MEMBER_ID_REQUIRED: their instance id already tells them apart (KIP-345, T038)."""
    new_member_id = f"{instance_id}-{builder.new_id()}"
    if instance_id in group.static_members:
        replace_static_member(group, new_member_id, request, ticket, builder)
    else:
        admit(group, new_member_id, request, ticket, builder)


def _give_member_id(group: Group, request: JoinGroup, ticket: Ticket, builder: OutcomeBuilder) -> None:
    """KIP-394: a client that goes away before it has heard its id must not leave a member behind."""
    member_id = f"{request.client_id}-{builder.new_id()}"
    add_pending(group, member_id, request, builder)
    builder.reply(ticket, JoinReply(errors.MEMBER_ID_REQUIRED, member_id))
