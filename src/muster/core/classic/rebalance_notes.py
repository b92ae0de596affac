"""What the journal says about a rebalance: who began it, who was waited for and how long, how it ended.

Reads the group and its trace; changes nothing but the trace. Called by `rebalance` and `sync`.
"""

from __future__ import annotations

from base64 import b64encode
from typing import Literal

from muster.core.classic.group import CONSUMER_PROTOCOL_TYPE, Group
from muster.core.classic.member import Member
from muster.core.classic.outcome_builder import OutcomeBuilder
from muster.core.classic.subscription import topics_in
from muster.core.journal import Cause


def note_rebalance_start(
    group: Group, builder: OutcomeBuilder, cause: Cause, member: Member | None, reason: str | None
) -> None:
    if member is not None and member.parked_join is not None and group.trace is not None:
        group.trace.last_joiner = member.member_id
        group.trace.last_join_ms = builder.now_ms
    builder.note("rebalance_started", group, cause, member, reason)


def note_generation(group: Group, builder: OutcomeBuilder, cause: Cause) -> None:
    if group.trace is not None:
        group.trace.join_ended_ms = builder.now_ms
    _note_election(group, builder)
    detail = _join_phase(group, builder.now_ms)
    detail["settings"] = _settings(group)
    builder.note("join_completed", group, cause, detail=detail)


def note_expelled(group: Group, builder: OutcomeBuilder, cause: Cause, member: Member) -> None:
    """With the timeouts that it asked for: they say how long it had been silent, or how long the others waited for it."""
    timeouts: dict[str, object] = {
        "session_timeout_ms": member.session_timeout_ms,
        "rebalance_timeout_ms": member.rebalance_timeout_ms,
    }
    builder.note("member_expelled", group, cause, member, detail=timeouts)


def _note_election(group: Group, builder: OutcomeBuilder) -> None:
    before = group.generation_leader
    if group.leader is None or group.leader == before:
        return
    cause: Cause = "leader_gone"
    if before is None:
        cause = "first_leader"
    elif before in group.members:
        cause = "leader_absent"
    builder.note("leader_elected", group, cause, group.members[group.leader], detail={"previous": before})
    group.generation_leader = group.leader


def note_rebalance_end(
    group: Group, builder: OutcomeBuilder, cause: Cause, result: Literal["stable", "empty", "interrupted"]
) -> None:
    """The rebalance under way is over; a group that was loaded in the middle of nothing has none."""
    if group.trace is None:
        return
    detail = _join_phase(group, group.trace.join_ended_ms or builder.now_ms)
    detail["result"] = result
    if group.trace.join_ended_ms:
        detail["sync_phase_ms"] = builder.now_ms - group.trace.join_ended_ms
    if result == "stable":
        detail["assignments"] = {
            member.member_id: b64encode(member.assignment).decode() for member in group.members.values()
        }
    builder.note("rebalance_ended", group, cause, detail=detail)
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


def _settings(group: Group) -> list[dict[str, object]]:
    """What the members ask of the group, once per distinct answer: in most groups all say the same.

    Metadata differ from member to member (owned partitions are in it), so they are compared by their topics.
    """
    topics: dict[bytes, tuple[str, ...] | None] = {}
    askers: dict[tuple[int, int, tuple[str, ...], tuple[str, ...] | None], list[str]] = {}
    for member in group.members.values():
        metadata = member.metadata_for(group.protocol_name)
        if metadata not in topics:
            topics[metadata] = _topics(group, metadata)
        names = tuple(name for name, _ in member.protocols)
        asks = (member.session_timeout_ms, member.rebalance_timeout_ms, names, topics[metadata])
        askers.setdefault(asks, []).append(member.member_id)
    return [
        {
            "session_timeout_ms": session_ms,
            "rebalance_timeout_ms": rebalance_ms,
            "protocols": list(names),
            **({"topics": list(wanted)} if wanted is not None else {}),
            "members": member_ids,
        }
        for (session_ms, rebalance_ms, names, wanted), member_ids in askers.items()
    ]


def _topics(group: Group, metadata: bytes) -> tuple[str, ...] | None:
    read = topics_in(metadata) if group.protocol_type == CONSUMER_PROTOCOL_TYPE else None
    return None if read is None else tuple(sorted(read))
