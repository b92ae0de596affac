"""JoinGroup: the order of its checks (spec 3.4). What follows them is in `join_new` and `join_known`.

A join is answered at once with a refusal, an id to come back with, or a place in the current generation; or it stays parked
with its member until the join phase ends. Called by the shard only.
"""

from __future__ import annotations

from collections.abc import Sequence

from muster.core.classic.group import Group
from muster.core.classic.join_known import join_known_member
from muster.core.classic.join_new import join_new_member
from muster.core.classic.membership import drop_pending, remove_member
from muster.core.classic.outcome_builder import OutcomeBuilder
from muster.core.classic.rebalance import complete_if_all_joined
from muster.core.classic.states import DEAD, EMPTY, PREPARING_REBALANCE
from muster.core.classic.stored import stored_group
from muster.core.contract import Ticket
from muster.core.records import Record
from muster.core.replies import JoinReply
from muster.core.requests import JoinGroup
from muster.core.steps import CreateGroup
from muster.wire import errors


def join_group(
    groups: dict[str, Group],
    request: JoinGroup,
    ticket: Ticket,
    builder: OutcomeBuilder,
    replaced: Sequence[Record] = (),
) -> None:
    """`replaced`: the tombstones of an Empty consumer group of that id, whose place a new classic group takes."""
    group = groups.get(request.group_id)
    if group is not None:
        _join(group, request, ticket, builder)
    elif request.member_id:
        builder.reply(ticket, JoinReply(errors.UNKNOWN_MEMBER_ID, request.member_id))
    else:
        _join_unknown_group(groups, request, ticket, builder, replaced)


def _join_unknown_group(
    groups: dict[str, Group], request: JoinGroup, ticket: Ticket, builder: OutcomeBuilder, replaced: Sequence[Record]
) -> None:
    """The group is there from now on, even if the join is refused. Its answer does not wait for the group's first record."""
    group = groups[request.group_id] = Group(request.group_id, builder.now_ms)
    group.is_committed = False
    created = stored_group(group, {})
    builder.note("group_created", group, "new_member", reason=request.reason)
    _join(group, request, ticket, builder)
    assert not builder.records, "a join that creates its group has nothing else to store"
    builder.records.extend(replaced)
    builder.records.append(created)
    builder.step = CreateGroup(group.group_id)
    builder.early_replies.extend(builder.replies)
    builder.replies.clear()


def creation_failed(groups: dict[str, Group], step: CreateGroup, error: int, builder: OutcomeBuilder) -> None:
    """The group's first record is lost, so the group is gone; an answer already given stands (spec 3.4 step 12)."""
    group = groups.get(step.group_id)
    if group is None:
        return
    for member in group.members.values():
        builder.cancel_timer(member.session_key)
        if member.parked_join is not None:
            builder.reply_early(member.parked_join, JoinReply(error, ""))
            member.parked_join = None
    for pending_id in group.pending_joins:
        builder.cancel_timer(("session", group.group_id, pending_id))
    builder.cancel_timer(group.join_key)
    builder.note("group_removed", group, "append_failed")
    if group.is_committed:
        # An offset that was committed meanwhile is durable, so a simple group remains.
        groups[group.group_id] = Group(group.group_id, builder.now_ms)
    else:
        del groups[group.group_id]


def _join(group: Group, request: JoinGroup, ticket: Ticket, builder: OutcomeBuilder) -> None:
    if not _has_room(group, request.member_id, builder.config.max_size):
        _turn_away(group, request, ticket, builder)
    elif request.member_id:
        join_known_member(group, request, ticket, builder)
    else:
        join_new_member(group, request, ticket, builder)


def _has_room(group: Group, member_id: str, max_size: int) -> bool:
    """Capacity goes by the id of the request, before static members are looked up (T061); pending ids take no room (T058).

    While the group gathers, parked joins are counted and not members: so a group that is too large shrinks to the first
    ones that come back (T060).
    """
    if group.state is EMPTY or group.state is DEAD:
        return True
    if group.state is PREPARING_REBALANCE:
        member = group.members.get(member_id)
        return (member is not None and member.parked_join is not None) or group.awaiting_joins < max_size
    return member_id in group.members or len(group.members) < max_size


def _turn_away(group: Group, request: JoinGroup, ticket: Ticket, builder: OutcomeBuilder) -> None:
    """No room: the id is forgotten. It may have been the last one that the others waited for.

    Deviates: Kafka does not look whether that ends the join phase (spec 13.16).
    """
    builder.reply(ticket, JoinReply(errors.GROUP_MAX_SIZE_REACHED, ""))
    member = group.members.get(request.member_id)
    if member is not None:
        builder.note("member_expelled", group, "group_full", member, request.reason)
        remove_member(group, member, builder)
        if group.trace is not None:
            group.trace.dropped += (member.member_id,)
    elif request.member_id in group.pending_joins:
        drop_pending(group, request.member_id, builder, "group_full", request.reason)
    complete_if_all_joined(group, builder)
