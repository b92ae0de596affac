"""Finds the member that sent a heartbeat, and checks its epoch (spec 7.4). Decides, changes nothing."""

from __future__ import annotations

from muster.core.consumer.group import ConsumerGroup, ConsumerMember
from muster.core.consumer.records import HeldPartitions, Target
from muster.core.consumer.replies import ConsumerHeartbeatReply
from muster.core.consumer.requests import ConsumerHeartbeat
from muster.core.consumer.states import JOIN_EPOCH, STATIC_LEFT_EPOCH
from muster.wire import errors


def refuse(error: int, message: str | None) -> ConsumerHeartbeatReply:
    return ConsumerHeartbeatReply(error, message)


def find_member(
    group: ConsumerGroup, request: ConsumerHeartbeat, max_size: int
) -> ConsumerMember | ConsumerHeartbeatReply | None:
    """The member that a heartbeat is of, or the one that it replaces; the refusal; None: a new member."""
    if len(group.members) >= max_size and request.member_id not in group.members:
        message = f"The consumer group has reached its maximum capacity of {max_size} members."
        return refuse(errors.GROUP_MAX_SIZE_REACHED, message)
    is_join = request.member_epoch == JOIN_EPOCH
    if is_join:
        return group.members.get(request.member_id) if request.instance_id is None else _joining_static(group, request)
    member = present_member(group, request)
    return member if isinstance(member, ConsumerHeartbeatReply) else _at_its_epoch(member, request)


def _joining_static(group: ConsumerGroup, request: ConsumerHeartbeat) -> ConsumerMember | ConsumerHeartbeatReply | None:
    instance_id = request.instance_id
    assert instance_id is not None
    current = group.static_members.get(instance_id)
    if current is None:
        return group.members.get(request.member_id)
    member = group.members[current]
    if member.current.epoch != STATIC_LEFT_EPOCH and member.subscription.classic is None:
        # Also if it is its own id: only its session can end it, or its leave (T226).
        message = (
            f"Static member {request.member_id} with instance id {instance_id} cannot join the group because the instance id"
            f" is owned by {current} member."
        )
        return refuse(errors.UNRELEASED_INSTANCE_ID, message)
    return member


def present_member(group: ConsumerGroup, request: ConsumerHeartbeat) -> ConsumerMember | ConsumerHeartbeatReply:
    """The member that stays or leaves. A static one may do without its instance id, but if it is given it has to be its own."""
    instance_id = request.instance_id
    if instance_id is None:
        member = group.members.get(request.member_id)
        if member is None:
            message = f"Member {request.member_id} is not a member of group {group.group_id}."
            return refuse(errors.UNKNOWN_MEMBER_ID, message)
        return member
    current = group.static_members.get(instance_id)
    if current is None:
        return refuse(errors.UNKNOWN_MEMBER_ID, f"Instance id {instance_id} is unknown.")
    if current != request.member_id:
        message = f"Static member {request.member_id} with instance id {instance_id} was fenced by member {current}."
        return refuse(errors.FENCED_INSTANCE_ID, message)
    return group.members[current]


def _at_its_epoch(member: ConsumerMember, request: ConsumerHeartbeat) -> ConsumerMember | ConsumerHeartbeatReply:
    """The epoch before passes if the member has at most what it was given: it has not heard the last answer (T219)."""
    epoch, known = request.member_epoch, member.current.epoch
    if epoch == known:
        return member
    if (
        epoch < known
        and epoch == member.current.previous_epoch
        and request.owned is not None
        and _is_within(request.owned, member.current.assigned)
    ):
        return member
    size = "smaller" if epoch < known else "greater"
    message = (
        f"The consumer group member has a {size} member epoch ({epoch}) than the one known by the group coordinator"
        f" ({known}). The member must abandon all its partitions and rejoin."
    )
    return refuse(errors.FENCED_MEMBER_EPOCH, message)


def _is_within(owned: Target, assigned: HeldPartitions) -> bool:
    for topic_id, partitions in owned.items():
        held = assigned.get(topic_id, {})
        if any(partition not in held for partition in partitions):
            return False
    return True
