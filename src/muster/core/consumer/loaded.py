"""A consumer group has been loaded, or this node no longer owns it: its timers begin or end (spec 1.4)."""

from __future__ import annotations

from muster.core.classic.outcome_builder import OutcomeBuilder
from muster.core.consumer.group import ConsumerGroup
from muster.core.consumer.states import UNREVOKED
from muster.core.journal import JournalEvent
from muster.core.offsets.view import ShardView


def start_timers(shard: ShardView, group: ConsumerGroup, builder: OutcomeBuilder) -> None:
    """Everybody gets a full session to show up, and a full rebalance timeout to give partitions up (T239)."""
    group.regex_version = -1  # versions of topics count from the start of a server
    group.told_state = group.state()
    for member in group.members.values():
        classic = member.subscription.classic
        session_ms = (
            shard.times.of(group.group_id).session_timeout_ms if classic is None else classic.session_timeout_ms
        )
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
