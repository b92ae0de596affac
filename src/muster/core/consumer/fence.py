"""Members that go: by themselves, because they were silent, or because they did not give partitions up in time (spec 7.7).

All of these write the same records. The target stays as it is until somebody's next heartbeat; the group is Assigning meanwhile.
"""

from __future__ import annotations

from muster.core.classic.outcome_builder import OutcomeBuilder
from muster.core.consumer.downgrade import downgrade, may_downgrade
from muster.core.consumer.group import ConsumerGroup
from muster.core.consumer.notes import note_departure, note_epoch
from muster.core.consumer.records import (
    ConsumerGroupRecord,
    CurrentErased,
    EpochErased,
    EpochStored,
    MemberErased,
    RegexErased,
    TargetEpochErased,
    TargetErased,
    TopicsErased,
)
from muster.core.consumer.states import UNREVOKED
from muster.core.consumer.target import metadata_hash
from muster.core.journal import Cause
from muster.core.offsets.view import ShardView


def erased_member(group_id: str, member_id: str) -> list[ConsumerGroupRecord]:
    """In the order that replay needs (spec 5.6)."""
    return [CurrentErased(group_id, member_id), TargetErased(group_id, member_id), MemberErased(group_id, member_id)]


def erased_group(group: ConsumerGroup) -> list[ConsumerGroupRecord]:
    """Of an Empty group: its members' tombstones have been written."""
    group_id = group.group_id
    return [TargetEpochErased(group_id), TopicsErased(group_id), EpochErased(group_id)]


def remove_members(
    shard: ShardView, group: ConsumerGroup, gone: list[str], builder: OutcomeBuilder, cause: Cause
) -> None:
    """However many go, the group epoch grows once. If only classic members remain it may become a classic group."""
    for member_id in gone:
        note_departure(builder, group, group.members[member_id], cause, shard.topics)
    if may_downgrade(group, gone, builder):
        for member_id in gone:
            builder.cancel_timer(group.members[member_id].session_key)
        downgrade(shard, group, gone, builder)
        return
    for member_id in gone:
        builder.records.extend(erased_member(group.group_id, member_id))
        builder.cancel_timer(group.members[member_id].session_key)
        for key in (group.revoke_key(member_id), group.join_member_key(member_id), group.sync_member_key(member_id)):
            builder.cancel_timer(key)
    remaining = {member_id: member.subscription for member_id, member in group.members.items() if member_id not in gone}
    used = {subscription.topic_regex for subscription in remaining.values()}
    for regex in group.resolved:
        if regex not in used:
            builder.records.append(RegexErased(group.group_id, regex))
    digest = metadata_hash(remaining, group.resolved, shard.topics)
    builder.records.append(EpochStored(group.group_id, group.epoch + 1, digest))
    first = group.members[gone[0]]
    note_epoch(builder, group, group.epoch + 1, cause, first.member_id, first.subscription)


def on_session_timer(shard: ShardView, group: ConsumerGroup, member_id: str, builder: OutcomeBuilder) -> None:
    if member_id in group.members:
        builder.counters.expired_members += 1
        remove_members(shard, group, [member_id], builder, "session_expired")


def on_classic_timer(
    shard: ShardView, group: ConsumerGroup, member_id: str, builder: OutcomeBuilder, cause: Cause
) -> None:
    """A classic member did not join, or did not sync, within its rebalance timeout (T235)."""
    member = group.members.get(member_id)
    if member is not None and member.subscription.classic is not None:
        builder.counters.expired_members += 1
        remove_members(shard, group, [member_id], builder, cause)


def on_revoke_timer(shard: ShardView, group: ConsumerGroup, member_id: str, builder: OutcomeBuilder) -> None:
    """Only giving partitions up has a deadline; waiting for others has none (T223)."""
    member = group.members.get(member_id)
    if member is not None and member.current.state is UNREVOKED:
        builder.counters.expired_members += 1
        remove_members(shard, group, [member_id], builder, "revocation_missed")
