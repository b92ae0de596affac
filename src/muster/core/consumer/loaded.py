"""A consumer group has been loaded, or this node no longer owns it: its timers begin or end (spec 1.4). They begin anew where
records were lost that they had been ended for."""

from __future__ import annotations

from collections.abc import Sequence

from muster.core.classic.outcome_builder import OutcomeBuilder
from muster.core.consumer.group import ConsumerGroup, ConsumerMember
from muster.core.consumer.records import MemberRecord
from muster.core.consumer.states import UNREVOKED
from muster.core.journal import JournalEvent
from muster.core.offsets.view import ShardView
from muster.core.records import Record


def start_timers(shard: ShardView, group: ConsumerGroup, builder: OutcomeBuilder) -> None:
    """Everybody gets a full session to show up, and a full rebalance timeout to give partitions up (T239)."""
    group.regex_version = -1  # versions of topics count from the start of a server
    group.journaled_state = group.state()
    for member in group.members.values():
        _start_timers_of(shard, group, member, builder)


def restart_timers(shard: ShardView, group: ConsumerGroup, lost: Sequence[Record], builder: OutcomeBuilder) -> None:
    """These records never became durable. Whoever they were about is still here, and would stay for ever if it is silent."""
    concerned = {record.member_id: None for record in lost if isinstance(record, MemberRecord)}
    for member_id in concerned:
        member = group.members.get(member_id)
        if member is not None:
            _start_timers_of(shard, group, member, builder)


def _start_timers_of(shard: ShardView, group: ConsumerGroup, member: ConsumerMember, builder: OutcomeBuilder) -> None:
    classic = member.subscription.classic
    of_group = shard.times.of(group.group_id)
    session_ms = of_group.session_timeout_ms if classic is None else classic.session_timeout_ms
    builder.set_timer(member.session_key, builder.now_ms + session_ms)
    if member.current.state is UNREVOKED and classic is None:
        deadline_ms = builder.now_ms + member.subscription.rebalance_timeout_ms
        builder.set_timer(group.revoke_key(member.member_id), deadline_ms)
        group.revoking_since[member.member_id] = builder.now_ms


def stop_timers(group: ConsumerGroup, builder: OutcomeBuilder) -> None:
    for member in group.members.values():
        builder.cancel_timer(member.session_key)
        member_id = member.member_id
        for key in (group.revoke_key(member_id), group.join_member_key(member_id), group.sync_member_key(member_id)):
            builder.cancel_timer(key)
    builder.cancel_timer(group.regex_key)
    moved: dict[str, object] = {"from": group.state().value, "to": "Dead"}
    builder.journal.append(
        JournalEvent("state_changed", builder.now_ms, group.group_id, group.epoch, "unloaded", detail=moved)
    )
