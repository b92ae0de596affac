"""A consumer group becomes a classic one when its last member of the new protocol is gone and classic ones remain (spec 7.8)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from muster.core.classic.election import select_protocol
from muster.core.classic.group import CONSUMER_PROTOCOL_TYPE, Group
from muster.core.classic.member import Member
from muster.core.classic.outcome_builder import OutcomeBuilder
from muster.core.classic.rebalance import start
from muster.core.classic.states import STABLE
from muster.core.classic.stored import stored_group
from muster.core.classic.subscription import subscribed_topics
from muster.core.consumer.embedded import write_assignment
from muster.core.consumer.group import ConsumerGroup, ConsumerMember
from muster.core.consumer.notes import note
from muster.core.consumer.records import (
    CurrentErased,
    EpochErased,
    MemberErased,
    RegexErased,
    Subscription,
    Target,
    TargetEpochErased,
    TargetErased,
    TopicsErased,
)
from muster.core.offsets.view import ShardView
from muster.core.steps import Downgrade

ALLOWING = ("bidirectional", "downgrade")


def may_downgrade(group: ConsumerGroup, gone: Sequence[str], builder: OutcomeBuilder) -> bool:
    """Asked when members leave or are fenced."""
    remaining = [member for member_id, member in group.members.items() if member_id not in gone]
    return (
        0 < len(remaining) <= builder.config.max_size
        and builder.config.consumer_migration_policy in ALLOWING
        and all(member.subscription.classic is not None for member in remaining)
    )


def may_downgrade_by_replacing(group: ConsumerGroup, replaced: ConsumerMember, builder: OutcomeBuilder) -> bool:
    """Asked when a classic static member takes the place of another."""
    return (
        replaced.subscription.classic is None
        and len(group.members) <= builder.config.max_size
        and builder.config.consumer_migration_policy in ALLOWING
        and all(each is replaced or each.subscription.classic is not None for each in group.members.values())
    )


def downgrade(shard: ShardView, group: ConsumerGroup, gone: Sequence[str], builder: OutcomeBuilder) -> None:
    """Its tombstones and the record of a Stable classic group. Its members rebalance when that is durable."""
    remaining = {each.member_id: each.subscription for each in group.members.values() if each.member_id not in gone}
    _become_classic(shard, group, list(group.members), remaining, group.targets, builder, rebalances=True)


def downgrade_by_replacing(
    shard: ShardView,
    group: ConsumerGroup,
    replaced: ConsumerMember,
    member_id: str,
    subscription: Subscription,
    is_stale: bool,
    builder: OutcomeBuilder,
) -> None:
    """The same where a classic member came in the place of the last one of the new protocol: it has that one's partitions, and
    nobody has to rebalance unless the target is `is_stale`."""
    ids = [member_id if each == replaced.member_id else each for each in group.members]
    remaining = {each.member_id: each.subscription for each in group.members.values() if each is not replaced}
    remaining[member_id] = subscription
    targets = {**group.targets, member_id: group.targets.get(replaced.member_id, {})}
    for key in (group.revoke_key(replaced.member_id), replaced.session_key):
        builder.cancel_timer(key)
    _become_classic(shard, group, ids, remaining, targets, builder, rebalances=is_stale)


def _become_classic(
    shard: ShardView,
    group: ConsumerGroup,
    ids: Sequence[str],
    remaining: Mapping[str, Subscription],
    targets: Mapping[str, Target],
    builder: OutcomeBuilder,
    *,
    rebalances: bool,
) -> None:
    """`ids` are those that have records, `remaining` the members that are left."""
    group_id, records = group.group_id, builder.records
    records.extend(CurrentErased(group_id, member_id) for member_id in ids)
    records.extend(TargetErased(group_id, member_id) for member_id in ids)
    records.append(TargetEpochErased(group_id))
    records.extend(MemberErased(group_id, member_id) for member_id in ids)
    records.extend(RegexErased(group_id, regex) for regex in group.resolved)
    records.extend((TopicsErased(group_id), EpochErased(group_id)))
    classic = _classic_group(shard, group, remaining, targets, builder.now_ms)
    records.append(stored_group(classic, {each.member_id: each.assignment for each in classic.members.values()}))
    for member_id in ids:
        for key in (group.revoke_key(member_id), group.join_member_key(member_id), group.sync_member_key(member_id)):
            builder.cancel_timer(key)
    moved: dict[str, object] = {"from": group.state().value, "members": len(classic.members)}
    note(builder, group, "group_downgraded", "migration", detail=moved)
    builder.step = Downgrade(classic, rebalances, builder.notes)


def downgraded(shard: ShardView, step: Downgrade, builder: OutcomeBuilder) -> None:
    """The records are durable: the classic group is there from now on."""
    group = shard.groups[step.group.group_id] = step.group
    builder.journal.extend(step.events)
    for member in group.members.values():
        builder.start_session(member)
    if step.rebalances:
        start(group, builder, "member_left")


def _classic_group(
    shard: ShardView,
    group: ConsumerGroup,
    remaining: Mapping[str, Subscription],
    targets: Mapping[str, Target],
    now_ms: int,
) -> Group:
    classic = Group(group.group_id, now_ms, STABLE)
    classic.protocol_type = CONSUMER_PROTOCOL_TYPE
    classic.generation = group.epoch
    for member_id, own in remaining.items():
        assert own.classic is not None, f"{member_id} speaks the new protocol"
        member = Member(
            group.group_id,
            member_id,
            own.instance_id,
            own.client_id,
            own.client_host,
            own.classic.session_timeout_ms,
            own.rebalance_timeout_ms,
            own.classic.protocols,
        )
        member.assignment = write_assignment(targets.get(member_id, {}), own, shard.topics)
        classic.members[member_id] = member
        if own.instance_id is not None:
            classic.static_members[own.instance_id] = member_id
        classic.count_protocols(member.protocols, +1)
    classic.protocol_name = select_protocol(classic)
    classic.leader = classic.generation_leader = next(iter(classic.members))
    classic.subscribed_topics = subscribed_topics(classic)
    return classic
