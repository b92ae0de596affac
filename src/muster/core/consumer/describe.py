"""ConsumerGroupDescribe and ListGroups: what readers see of consumer groups (spec 7.10). Durable facts only; changes nothing."""

from __future__ import annotations

from typing import Final

from muster.core.consumer.group import ConsumerGroup
from muster.core.consumer.reconcile import without_epochs
from muster.core.consumer.records import CurrentAssignment, Target
from muster.core.consumer.replies import ConsumerDescribeReply, DescribedConsumer
from muster.core.consumer.requests import DescribeConsumerGroup
from muster.core.consumer.target import preferred_assignor
from muster.core.offsets.view import ShardView
from muster.core.replies import ListedGroup
from muster.wire import errors

GROUP_TYPE: Final = "consumer"
PROTOCOL_TYPE: Final = "consumer"


def describe_consumer_group(shard: ShardView, request: DescribeConsumerGroup) -> ConsumerDescribeReply:
    group_id = request.group_id
    group = shard.consumer_groups.get(group_id)
    if group is None:
        is_classic = group_id in shard.groups and shard.groups[group_id].is_committed
        problem = "is not a consumer group." if is_classic else "not found."
        return ConsumerDescribeReply(errors.GROUP_ID_NOT_FOUND, group_id, f"Group {group_id} {problem}")
    names: dict[bytes, str | None] = {}
    members: list[DescribedConsumer] = []
    for member in group.members.values():
        assigned = _shown_as_assigned(member.current)
        target = group.targets.get(member.member_id, {})
        for shown in (assigned, target):
            _look_up(shard, shown, names)
        members.append(DescribedConsumer(member.member_id, member.current.epoch, member.subscription, assigned, target))
    subscriptions = {member_id: member.subscription for member_id, member in group.members.items()}
    return ConsumerDescribeReply(
        errors.NONE,
        group_id,
        None,
        group.state().value,
        group.epoch,
        group.target_epoch,
        preferred_assignor(subscriptions, shard.config.consumer_assignors),
        tuple(members),
        {topic_id: name for topic_id, name in names.items() if name is not None},
    )


def _shown_as_assigned(current: CurrentAssignment) -> Target:
    """With what the member has yet to give up: it owns that until it has (spec 15.1)."""
    assigned = without_epochs(current.assigned)
    for topic_id, partitions in current.revoking.items():
        assigned[topic_id] = tuple(sorted((*assigned.get(topic_id, ()), *partitions)))
    return assigned


def _look_up(shard: ShardView, shown: Target, names: dict[bytes, str | None]) -> None:
    for topic_id in shown:
        if topic_id not in names:
            names[topic_id] = shard.topics.name_of(topic_id)


def listed_consumer_groups(groups: dict[str, ConsumerGroup], states: set[str], types: set[str]) -> list[ListedGroup]:
    """`states` and `types` are in lower case; empty: all of them."""
    if not groups or (types and GROUP_TYPE not in types):
        return []
    listed: list[ListedGroup] = []
    for group in groups.values():
        word = group.state().value
        if not states or word.lower() in states:
            listed.append(ListedGroup(group.group_id, PROTOCOL_TYPE, word, GROUP_TYPE))
    return listed
