"""Classic requests to a consumer group: members that have not been moved to the new protocol yet (spec 7.9).

Every one of them is a follower: the coordinator assigns, and a JoinGroup is answered without waiting for others. A member is sent
into a new JoinGroup by REBALANCE_IN_PROGRESS and has its rebalance timeout for it, and for the SyncGroup that follows.
"""

from __future__ import annotations

from muster.core.classic.group import CONSUMER_PROTOCOL_TYPE
from muster.core.classic.outcome_builder import OutcomeBuilder
from muster.core.consumer.embedded import embedded_subscription, owned_partitions, write_assignment
from muster.core.consumer.group import ConsumerGroup, ConsumerMember
from muster.core.consumer.heartbeat import new_member_id
from muster.core.consumer.reconcile import without_epochs
from muster.core.consumer.states import JOIN_EPOCH, STABLE, UNRELEASED, UNREVOKED
from muster.core.consumer.update import MemberUpdate
from muster.core.contract import Outcome, Ticket, TimerChange
from muster.core.offsets.view import ShardView
from muster.core.replies import HeartbeatReply, JoinReply, SyncReply
from muster.core.requests import Heartbeat, JoinGroup, SyncGroup
from muster.wire import errors

# -- JoinGroup


def join_consumer_group(
    shard: ShardView, group: ConsumerGroup, request: JoinGroup, ticket: Ticket, builder: OutcomeBuilder
) -> None:
    error = _refusal_of_join(group, request, builder.config.consumer_max_size)
    if error != errors.NONE:
        is_unknown_instance = error == errors.UNKNOWN_MEMBER_ID
        builder.reply(ticket, JoinReply(error, "" if is_unknown_instance else request.member_id))
        return
    current = group.static_members.get(request.group_instance_id) if request.group_instance_id is not None else None
    before = group.members.get(request.member_id or current or "")
    member_id = request.member_id or new_member_id(builder)
    if not request.member_id and request.group_instance_id is None and request.requires_known_member_id:
        # No id is kept: whoever comes with one that is not known is a new member.
        builder.reply(ticket, JoinReply(errors.MEMBER_ID_REQUIRED, member_id))
        return
    metadata = request.protocols[0][1]
    try:
        subscription = embedded_subscription(
            metadata,
            request.protocols,
            request.group_instance_id,
            request.client_id,
            request.client_host,
            request.session_timeout_ms,
            request.rebalance_timeout_ms,
        )
        owned = owned_partitions(metadata, shard.topics)
    except errors.WireError:
        builder.reply(ticket, JoinReply(errors.INCONSISTENT_GROUP_PROTOCOL, request.member_id))
        return
    update = MemberUpdate(
        shard,
        group,
        before,
        member_id,
        builder,
        is_replaced=before is not None and before.member_id != member_id,
        replaced_epoch=_epoch_of_replacement(group, before),
    )
    if before is not None and before.subscription == subscription:
        subscription = before.subscription
    following = update.carry_out(subscription, owned)
    if following is None:
        builder.reply(ticket, JoinReply(errors.UNKNOWN_MEMBER_ID, member_id))
        return
    if before is not None:
        before.is_told_to_join = False
    builder.cancel_timer(group.join_member_key(member_id))
    builder.set_timer(group.sync_member_key(member_id), builder.now_ms + request.rebalance_timeout_ms)
    builder.reply(
        ticket,
        JoinReply(errors.NONE, member_id, following.epoch, CONSUMER_PROTOCOL_TYPE, request.protocols[0][0]),
    )


def _epoch_of_replacement(group: ConsumerGroup, before: ConsumerMember | None) -> int:
    """At which epoch a classic static member takes the place of the one before: the target's, if that one had arrived.

    Deviates: in Kafka always the target's. Then a member that had not all of its target yet counts as one that has, and nobody
    reads the partitions that it lacks until the next epoch; here it is reconciled.
    """
    if before is None:
        return JOIN_EPOCH
    has_all = without_epochs(before.current.assigned) == group.targets.get(before.member_id, {})
    return group.target_epoch if has_all and before.current.state is STABLE else JOIN_EPOCH


def _refusal_of_join(group: ConsumerGroup, request: JoinGroup, max_size: int) -> int:
    if len(group.members) >= max_size and request.member_id not in group.members:
        return errors.GROUP_MAX_SIZE_REACHED
    if request.protocol_type != CONSUMER_PROTOCOL_TYPE or not _shares_a_protocol(group, request):
        return errors.INCONSISTENT_GROUP_PROTOCOL
    instance_id = request.group_instance_id
    if instance_id is None or not request.member_id:
        return errors.NONE
    current = group.static_members.get(instance_id)
    if current is None:
        return errors.UNKNOWN_MEMBER_ID
    return errors.NONE if current == request.member_id else errors.FENCED_INSTANCE_ID


def _shares_a_protocol(group: ConsumerGroup, request: JoinGroup) -> bool:
    """Whether all classic members know one of its protocols; any will do if there are none."""
    others = [
        {name for name, _ in member.subscription.classic.protocols}
        for member_id, member in group.members.items()
        if member.subscription.classic is not None and member_id != request.member_id
    ]
    return any(all(name in known for known in others) for name, _ in request.protocols)


# -- SyncGroup


def sync_consumer_group(
    shard: ShardView, group: ConsumerGroup, request: SyncGroup, ticket: Ticket, builder: OutcomeBuilder
) -> None:
    member = classic_member(group, request.member_id, request.group_instance_id, request.generation)
    if isinstance(member, int):
        builder.reply(ticket, SyncReply(member))
        return
    own = member.subscription
    assert own.classic is not None
    protocol = own.classic.protocols[0][0]
    if request.protocol_type not in (None, CONSUMER_PROTOCOL_TYPE) or request.protocol_name not in (None, protocol):
        builder.reply(ticket, SyncReply(errors.INCONSISTENT_GROUP_PROTOCOL))
        return
    if group.epoch > member.current.epoch and member.current.state is not UNREVOKED:
        builder.timers.extend(_send_into_join(group, member, builder.now_ms))
        builder.reply(ticket, SyncReply(errors.REBALANCE_IN_PROGRESS))
        return
    builder.cancel_timer(group.sync_member_key(member.member_id))
    builder.set_timer(member.session_key, builder.now_ms + own.classic.session_timeout_ms)
    assigned = write_assignment(without_epochs(member.current.assigned), own, shard.topics)
    builder.reply(ticket, SyncReply(errors.NONE, CONSUMER_PROTOCOL_TYPE, protocol, assigned))


# -- Heartbeat


def heartbeat_in_consumer_group(group: ConsumerGroup, request: Heartbeat, ticket: Ticket, now_ms: int) -> Outcome:
    member = classic_member(group, request.member_id, request.group_instance_id, request.generation)
    if isinstance(member, int):
        return Outcome(replies=[(ticket, HeartbeatReply(member))])
    classic = member.subscription.classic
    assert classic is not None
    timers: list[TimerChange] = [(member.session_key, now_ms + classic.session_timeout_ms)]
    if not _has_to_join(group, member):
        return Outcome(replies=[(ticket, HeartbeatReply(errors.NONE))], timers=timers)
    timers += _send_into_join(group, member, now_ms)
    return Outcome(replies=[(ticket, HeartbeatReply(errors.REBALANCE_IN_PROGRESS))], timers=timers)


def _has_to_join(group: ConsumerGroup, member: ConsumerMember) -> bool:
    """A new target, something to give up, or everything free that it waits for."""
    current = member.current
    if current.epoch < group.epoch or current.state is UNREVOKED:
        return True
    if current.state is not UNRELEASED:
        return False
    for topic_id, partitions in group.targets.get(member.member_id, {}).items():
        held, owners = current.assigned.get(topic_id, {}), group.owners.get(topic_id, {})
        if any(partition not in held and partition in owners for partition in partitions):
            return False
    return True


def _send_into_join(group: ConsumerGroup, member: ConsumerMember, now_ms: int) -> list[TimerChange]:
    """The time for it begins when it is told for the first time."""
    if member.is_told_to_join:
        return []
    member.is_told_to_join = True
    return [(group.join_member_key(member.member_id), now_ms + member.subscription.rebalance_timeout_ms)]


def classic_member(
    group: ConsumerGroup, member_id: str, instance_id: str | None, generation: int
) -> ConsumerMember | int:
    """The member that a SyncGroup or a Heartbeat is of, or the error."""
    member = group.members.get(member_id)
    if instance_id is not None:
        current = group.static_members.get(instance_id)
        if current is None:
            return errors.UNKNOWN_MEMBER_ID
        if current != member_id:
            return errors.FENCED_INSTANCE_ID
    if member is None or member.subscription.classic is None:
        return errors.UNKNOWN_MEMBER_ID
    return member if generation == member.current.epoch else errors.ILLEGAL_GENERATION
