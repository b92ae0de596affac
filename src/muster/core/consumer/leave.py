"""Leaving: ConsumerGroupHeartbeat with epoch -1 or -2, and LeaveGroup by an administrator (spec 7.7, 7.9)."""

from __future__ import annotations

from muster.core.classic.outcome_builder import OutcomeBuilder
from muster.core.consumer.fence import remove_members
from muster.core.consumer.finding import present_member, refuse
from muster.core.consumer.group import ConsumerGroup, ConsumerMember
from muster.core.consumer.notes import note
from muster.core.consumer.records import CurrentAssignment, CurrentStored, HeldPartitions
from muster.core.consumer.replies import ConsumerHeartbeatReply
from muster.core.consumer.requests import ConsumerHeartbeat
from muster.core.consumer.states import STATIC_LEFT_EPOCH
from muster.core.contract import Ticket
from muster.core.offsets.view import ShardView
from muster.core.replies import LeaveReply
from muster.core.requests import LeaveGroup, LeavingMember
from muster.wire import errors


def leave_group(shard: ShardView, request: ConsumerHeartbeat, ticket: Ticket, builder: OutcomeBuilder) -> None:
    group = shard.consumer_groups.get(request.group_id)
    if group is None:
        is_classic = request.group_id in shard.groups
        problem = "is not a consumer group." if is_classic else "not found."
        builder.reply(ticket, refuse(errors.GROUP_ID_NOT_FOUND, f"Group {request.group_id} {problem}"))
        return
    member = present_member(group, request)
    if isinstance(member, ConsumerHeartbeatReply):
        builder.reply(ticket, member)
        return
    if request.member_epoch == STATIC_LEFT_EPOCH:
        _leave_for_a_while(group, member, builder)
    else:
        remove_members(shard, group, [member.member_id], builder, "member_left")
    builder.reply(ticket, ConsumerHeartbeatReply(errors.NONE, None, request.member_id, request.member_epoch))


def _leave_for_a_while(group: ConsumerGroup, member: ConsumerMember, builder: OutcomeBuilder) -> None:
    """It keeps its partitions and its target, and its session goes on; what it had yet to give up is free (spec 7.7)."""
    current = member.current
    away = CurrentAssignment(
        STATIC_LEFT_EPOCH, current.previous_epoch, current.state, _without_epochs(current.assigned)
    )
    builder.records.append(CurrentStored(group.group_id, member.member_id, away))
    builder.cancel_timer(group.revoke_key(member.member_id))
    group.revoking_since.pop(member.member_id, None)
    note(builder, group, "static_left", "member_left", member.member_id, member.subscription)


def _without_epochs(held: HeldPartitions) -> HeldPartitions:
    return {topic_id: dict.fromkeys(partitions, 0) for topic_id, partitions in held.items()}


def remove_by_admin(
    shard: ShardView, group: ConsumerGroup, request: LeaveGroup, ticket: Ticket, builder: OutcomeBuilder
) -> None:
    """LeaveGroup takes members of the new protocol out like any other, by id or by instance (spec 7.9)."""
    gone: dict[str, None] = {}
    answers: list[tuple[str, str | None, int]] = []
    for leaving in request.members:
        member_id = _named(group, leaving)
        if isinstance(member_id, str):
            gone[member_id] = None
        error = errors.NONE if isinstance(member_id, str) else member_id
        answers.append((leaving.member_id, leaving.group_instance_id, error))
    if gone:
        remove_members(shard, group, list(gone), builder, "member_left")
    builder.reply(ticket, LeaveReply(errors.NONE, tuple(answers)))


def _named(group: ConsumerGroup, leaving: LeavingMember) -> str | int:
    """The member id, or the error."""
    member_id, instance_id = leaving.member_id, leaving.group_instance_id
    if instance_id is None:
        return member_id if member_id in group.members else errors.UNKNOWN_MEMBER_ID
    current = group.static_members.get(instance_id)
    if current is None:
        return errors.UNKNOWN_MEMBER_ID
    return current if member_id in ("", current) else errors.FENCED_INSTANCE_ID
