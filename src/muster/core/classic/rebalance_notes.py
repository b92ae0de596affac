"""What the journal says about a rebalance: who began it, who was waited for and how long, how it ended.

Reads the group and its trace; changes nothing but the trace. Called by `rebalance` and `sync`.
"""

from __future__ import annotations

from base64 import b64encode
from typing import Literal

from muster.core.classic.group import Group
from muster.core.classic.member import Member
from muster.core.classic.turn import Turn
from muster.core.journal import Cause


def note_rebalance_start(group: Group, turn: Turn, cause: Cause, member: Member | None, reason: str | None) -> None:
    if member is not None and member.parked_join is not None and group.trace is not None:
        group.trace.last_joiner = member.member_id
        group.trace.last_join_ms = turn.now_ms
    turn.note("rebalance_started", group, cause, member, reason)


def note_generation(group: Group, turn: Turn, cause: Cause) -> None:
    if group.trace is not None:
        group.trace.join_ended_ms = turn.now_ms
    _note_election(group, turn)
    turn.note("join_completed", group, cause, detail=_join_phase(group, turn.now_ms))


def _note_election(group: Group, turn: Turn) -> None:
    before = group.generation_leader
    if group.leader is None or group.leader == before:
        return
    cause: Cause = "leader_gone"
    if before is None:
        cause = "first_leader"
    elif before in group.members:
        cause = "leader_absent"
    turn.note("leader_elected", group, cause, group.members[group.leader], detail={"previous": before})
    group.generation_leader = group.leader


def note_rebalance_end(
    group: Group, turn: Turn, cause: Cause, result: Literal["stable", "empty", "interrupted"]
) -> None:
    """The rebalance under way is over; a group that was loaded in the middle of nothing has none."""
    if group.trace is None:
        return
    detail = _join_phase(group, group.trace.join_ended_ms or turn.now_ms)
    detail["result"] = result
    if group.trace.join_ended_ms:
        detail["sync_phase_ms"] = turn.now_ms - group.trace.join_ended_ms
    if result == "stable":
        detail["assignments"] = {
            member.member_id: b64encode(member.assignment).decode() for member in group.members.values()
        }
    turn.note("rebalance_ended", group, cause, detail=detail)
    group.trace = None


def _join_phase(group: Group, ended_ms: int) -> dict[str, object]:
    detail: dict[str, object] = {
        "leader": group.leader,
        "protocol": group.protocol_name,
        "members": len(group.members),
    }
    trace = group.trace
    if trace is not None:
        detail["started_ms"] = trace.started_ms
        detail["started_by"] = trace.cause
        detail["join_phase_ms"] = ended_ms - trace.started_ms
        detail["dropped"] = list(trace.dropped)
        if trace.last_joiner:
            detail["waited_for"] = trace.last_joiner
            detail["waited_ms"] = trace.last_join_ms - trace.started_ms
    return detail
