"""A session timer ran out: of a member, of a new one that never saw a generation, or of an id that never came back (spec 3.11)."""

from __future__ import annotations

from muster.core.classic.group import Group
from muster.core.classic.membership import drop_pending, remove_member
from muster.core.classic.outcome_builder import OutcomeBuilder
from muster.core.classic.rebalance import complete_if_all_joined, start_or_go_on
from muster.core.classic.rebalance_notes import note_expelled
from muster.core.classic.states import DEAD


def on_session_timer(group: Group, member_id: str, builder: OutcomeBuilder) -> None:
    """Fires without effect for ids that are gone or replaced (T092), and for members that wait for us (T079, T110)."""
    if group.state is DEAD:
        return
    if member_id in group.pending_joins:
        drop_pending(group, member_id, builder, "pending_id_expired")
        complete_if_all_joined(group, builder)
        return
    member = group.members.get(member_id)
    if member is None or member.has_satisfied_heartbeat:
        return
    builder.counters.expired_members += 1
    note_expelled(group, builder, "new_member_expired" if member.is_new else "session_expired", member)
    remove_member(group, member, builder)
    if group.trace is not None:
        group.trace.dropped += (member_id,)
    start_or_go_on(group, builder, "session_expired", member)
