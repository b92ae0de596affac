"""This node no longer owns the shard: waiting requests are answered NOT_COORDINATOR, and nothing is written (spec 1.4)."""

from __future__ import annotations

from muster.core.classic.group import Group
from muster.core.classic.membership import reply_to_join, reply_to_sync
from muster.core.classic.outcome_builder import OutcomeBuilder
from muster.core.classic.rebalance_notes import note_rebalance_end
from muster.core.classic.states import DEAD
from muster.core.replies import JoinReply, SyncReply
from muster.wire import errors


def unload_group(group: Group, builder: OutcomeBuilder) -> None:
    """The group stays behind as Dead, for the requests that race with this (T054)."""
    for member in group.members.values():
        reply_to_join(group, member, JoinReply(errors.NOT_COORDINATOR, member.member_id), builder)
        reply_to_sync(member, SyncReply(errors.NOT_COORDINATOR), builder)
        builder.cancel_timer(member.session_key)
    for member_id in group.pending_joins:
        builder.cancel_timer(("session", group.group_id, member_id))
    builder.cancel_timer(group.join_key)
    builder.cancel_timer(group.sync_key)
    note_rebalance_end(group, builder, "unloaded", "interrupted")
    builder.move(group, DEAD, "unloaded")
