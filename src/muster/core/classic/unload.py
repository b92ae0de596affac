"""This node no longer owns the shard: whoever waits is told to look elsewhere, and nothing is written (spec 1.4)."""

from __future__ import annotations

from muster.core.classic.group import Group
from muster.core.classic.membership import answer_join, answer_sync
from muster.core.classic.rebalance_notes import note_rebalance_end
from muster.core.classic.states import DEAD
from muster.core.classic.turn import Turn
from muster.core.replies import JoinReply, SyncReply
from muster.wire import errors


def unload_group(group: Group, turn: Turn) -> None:
    """The group stays behind as Dead, for the requests that race with this (T054)."""
    for member in group.members.values():
        answer_join(group, member, JoinReply(errors.NOT_COORDINATOR, member.member_id), turn)
        answer_sync(member, SyncReply(errors.NOT_COORDINATOR), turn)
        turn.cancel_timer(member.session_key)
    for member_id in group.pending_joins:
        turn.cancel_timer(("session", group.group_id, member_id))
    turn.cancel_timer(group.join_key)
    turn.cancel_timer(group.sync_key)
    note_rebalance_end(group, turn, "unloaded", "interrupted")
    turn.move(group, DEAD, "unloaded")
