"""A consumer group becomes a classic one when its last member of the new protocol is gone and classic ones remain (spec 7.8)."""

from __future__ import annotations

from collections.abc import Sequence

from muster.core.classic.election import select_protocol
from muster.core.classic.group import CONSUMER_PROTOCOL_TYPE, Group
from muster.core.classic.member import Member
from muster.core.classic.outcome_builder import OutcomeBuilder
from muster.core.classic.rebalance import start
from muster.core.classic.states import STABLE
from muster.core.classic.stored import stored_group
from muster.core.classic.subscription import subscribed_topics
from muster.core.consumer.embedded import write_assignment
from muster.core.consumer.group import ConsumerGroup
from muster.core.consumer.notes import note
from muster.core.consumer.records import (
    CurrentErased,
    EpochErased,
    MemberErased,
    RegexErased,
    TargetEpochErased,
    TargetErased,
    TopicsErased,
)
from muster.core.offsets.view import ShardView
from muster.core.steps import Downgrade

ALLOWING = ("bidirectional", "downgrade")


def may_downgrade(group: ConsumerGroup, gone: Sequence[str], builder: OutcomeBuilder) -> bool:
    """Asked when members leave or are fenced.

    Deviates: in Kafka a classic static member that takes the place of the last member of the new protocol ends in a classic
    group at once; here the next departure does that (spec 7.8).
    """
    remaining = [member for member_id, member in group.members.items() if member_id not in gone]
    return (
        0 < len(remaining) <= builder.config.max_size
        and builder.config.consumer_migration_policy in ALLOWING
        and all(member.subscription.classic is not None for member in remaining)
    )


def downgrade(shard: ShardView, group: ConsumerGroup, gone: Sequence[str], builder: OutcomeBuilder) -> None:
    """Its tombstones and the record of a Stable classic group. Its members rebalance when that is durable."""
    group_id, records = group.group_id, builder.records
    records.extend(CurrentErased(group_id, member_id) for member_id in group.members)
    records.extend(TargetErased(group_id, member_id) for member_id in group.members)
    records.append(TargetEpochErased(group_id))
    records.extend(MemberErased(group_id, member_id) for member_id in group.members)
    records.extend(RegexErased(group_id, regex) for regex in group.resolved)
    records.extend((TopicsErased(group_id), EpochErased(group_id)))
    classic = _classic_group(shard, group, gone, builder.now_ms)
    records.append(stored_group(classic, {each.member_id: each.assignment for each in classic.members.values()}))
    for member_id in group.members:
        for key in (group.revoke_key(member_id), group.join_member_key(member_id), group.sync_member_key(member_id)):
            builder.cancel_timer(key)
    moved: dict[str, object] = {"from": group.state().value, "members": len(classic.members)}
    note(builder, group, "group_downgraded", "migration", detail=moved)
    builder.step = Downgrade(classic, builder.notes)


def downgraded(shard: ShardView, step: Downgrade, builder: OutcomeBuilder) -> None:
    """The records are durable: the classic group is there from now on."""
    group = shard.groups[step.group.group_id] = step.group
    builder.journal.extend(step.events)
    for member in group.members.values():
        builder.start_session(member)
    start(group, builder, "member_left")


def _classic_group(shard: ShardView, group: ConsumerGroup, gone: Sequence[str], now_ms: int) -> Group:
    classic = Group(group.group_id, now_ms, STABLE)
    classic.protocol_type = CONSUMER_PROTOCOL_TYPE
    classic.generation = group.epoch
    for member_id, consumer in group.members.items():
        own = consumer.subscription
        if member_id in gone or own.classic is None:
            continue
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
        member.assignment = write_assignment(group.targets.get(member_id, {}), own, shard.topics)
        classic.members[member_id] = member
        if own.instance_id is not None:
            classic.static_members[own.instance_id] = member_id
        classic.count_protocols(member.protocols, +1)
    classic.protocol_name = select_protocol(classic)
    classic.leader = classic.generation_leader = next(iter(classic.members))
    classic.subscribed_topics = subscribed_topics(classic)
    return classic
