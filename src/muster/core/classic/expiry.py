"""A session timer ran out: of a member, of a new one that never saw a generation, or of an id that never came back (spec 3.11)."""

from __future__ import annotations

from muster.core.classic.group import Group
from muster.core.classic.membership import drop_pending, remove_member
from muster.core.classic.rebalance import complete_if_all_joined, start_or_go_on
from muster.core.classic.rebalance_notes import note_expelled
from muster.core.classic.states import DEAD
from muster.core.classic.turn import Turn


def on_session_timer(group: Group, member_id: str, turn: Turn) -> None:
    """Fires without effect for ids that are gone or replaced (T092), and for members that wait for us (T079, T110)."""
    if group.state is DEAD:
        return
    if member_id in group.pending_joins:
        drop_pending(group, member_id, turn, "pending_id_expired")
        complete_if_all_joined(group, turn)
        return
    member = group.members.get(member_id)
    if member is None or member.has_satisfied_heartbeat:
        return
    turn.counters.expired_members += 1
    note_expelled(group, turn, "new_member_expired" if member.is_new else "session_expired", member)
    remove_member(group, member, turn)
    if group.trace is not None:
        group.trace.dropped += (member_id,)
    start_or_go_on(group, turn, "session_expired", member)
