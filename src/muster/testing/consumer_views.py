"""What a test sees of a consumer group (KIP-848): epochs, and what each member has, shall have and has yet to give up."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from muster.core.consumer.group import ConsumerGroup, ConsumerMember
from muster.core.consumer.target import preferred_assignor
from muster.core.offsets.view import ShardView
from muster.testing.group_views import GroupView, MemberView, TopicPartition

CONSUMER = "consumer"


def consumer_view(group: ConsumerGroup, shard: ShardView, connected: frozenset[str]) -> GroupView:
    """`connected`: the member ids whose connections are open."""
    subscriptions = {member_id: member.subscription for member_id, member in group.members.items()}
    return GroupView(
        group.group_id,
        group.state(),
        group.epoch,
        CONSUMER,
        preferred_assignor(subscriptions, shard.config.consumer_assignors) if group.members else None,
        None,
        tuple(_member(group, member, shard, connected) for member in group.members.values()),
        CONSUMER,
        group.target_epoch,
    )


def _member(group: ConsumerGroup, member: ConsumerMember, shard: ShardView, connected: frozenset[str]) -> MemberView:
    own, current = member.subscription, member.current
    session_ms = shard.config.consumer_session_timeout_ms if own.classic is None else own.classic.session_timeout_ms
    return MemberView(
        member.member_id,
        own.client_id,
        own.client_host,
        own.instance_id,
        session_ms,
        own.rebalance_timeout_ms,
        False,
        member.member_id in connected,
        None,
        _named(current.assigned, shard),
        b"",
        current.epoch,
        _named(group.targets.get(member.member_id, {}), shard),
        _named(current.revoking, shard),
        group.revoking_since.get(member.member_id),
    )


def _named(held: Mapping[bytes, Iterable[int]], shard: ShardView) -> tuple[TopicPartition, ...]:
    """Sorted; topics that are gone are left out."""
    return tuple(
        sorted(
            (name, partition)
            for topic_id, partitions in held.items()
            if (name := shard.topics.name_of(topic_id)) is not None
            for partition in partitions
        )
    )
