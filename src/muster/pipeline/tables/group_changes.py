"""Walks through the generations of one group after the other and says what each changed. Pure; `rebalances` feeds it with rows.

Keeps one generation at a time, so a group with a long history costs no more memory than one with a short one. Where the
journal knows a rebalance it is believed; the log says who came, who went and what moved.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, TypeAlias

from muster.pipeline.tables.movement import Movement, movement
from muster.pipeline.tables.rebalance_causes import (
    UNKNOWN_BEFORE,
    Inference,
    Members,
    Participant,
    inferred_cause,
    partitions_grew,
)

Row: TypeAlias = dict[str, Any]

_MAY_BE_GROWTH = ("leader_rejoined", "metadata_changed", "rejoined")
"""How a coordinator sees a leader that found new partitions; the assignment tells."""
_JOURNAL_CONFIDENCE, _REFINED_CONFIDENCE, _ACROSS_A_GAP = 1.0, 0.9, 0.5


def rebalances_of(rows: Iterable[Row]) -> Iterator[Row]:
    """`rows` sorted by cluster, group and log offset, those of the journal alone (no log offset) anywhere."""
    place: tuple[str, str, int] | None = None
    before: Members | None = None
    for row in rows:
        if row["log_offset"] is None:
            yield _told_by_journal_alone(row)
            continue
        here = (row["cluster"], row["group_id"], row["group_life"])
        if here != place:
            place, before = here, None
        after = _members(row)
        if row["kind"] == "deleted":
            before = None
            continue
        if _is_rebalance(row):
            yield _change(row, _known_before(row, before), after)
        before = after


def _is_rebalance(row: Row) -> bool:
    return row["kind"] in ("rebalance", "unknown_prev") or (row["kind"] == "empty" and row["d_generation"] != 0)


def _known_before(row: Row, before: Members | None) -> Members | None:
    """Of a first generation nothing comes before: that is knowledge. A new life does not follow the old one's members."""
    if row["d_generation"] is None:
        return None
    return before if before is not None else {}


def _change(row: Row, before: Members | None, after: Members) -> Row:
    cause, trigger, confidence = _cause(row, before, after)
    from_journal = row["j_generation"] is not None
    moved = _movement(row, before, after)
    went = [] if before is None else [member for identity, member in before.items() if identity not in after]
    told = _journal_columns(row)
    return {
        **{name: row[name] for name in ("cluster", "group_id", "group_life", "generation", "log_offset", "faithful")},
        **told,
        "ended_ms": row["record_ms"],
        "sync_phase_ms": told["sync_phase_ms"] if from_journal else row["sync_ms"],
        "cause": cause,
        "trigger_member": trigger,
        "source": "journal" if from_journal else "log",
        "confidence": confidence,
        "members_before": None if before is None else len(before),
        "members_after": row["n_members"],
        "joined": None if before is None else sorted(after.keys() - before.keys()),
        "gone": None if before is None else sorted(member.identity for member in went),
        "partitions_moved": moved and moved.moved,
        "excess_moves": moved and moved.excess,
        "stickiness": moved and moved.stickiness,
        "aborted_generations": _aborted(row),
        "protocol": row["protocol"],
        "gone_partitions": [{"topic": t, "partition": p} for m in went for t, p in sorted(m.assigned)],
        "gone_session_ms": max((member.session_timeout_ms or 0 for member in went), default=None),
    }


def _cause(row: Row, before: Members | None, after: Members) -> Inference:
    if row["j_cause"] is not None:
        same_members = before is not None and before.keys() == after.keys()
        if before is not None and same_members and row["j_cause"] in _MAY_BE_GROWTH and partitions_grew(before, after):
            return "partitions_grew", row["j_trigger"], _REFINED_CONFIDENCE
        return row["j_cause"], row["j_trigger"], _JOURNAL_CONFIDENCE
    if before is None:
        return UNKNOWN_BEFORE
    cause, trigger, confidence = inferred_cause(before, after)
    if not row["faithful"] and row["d_generation"] > 1:
        # Generations in between may have been compacted away (trap 3): what is seen may be the sum of several changes.
        confidence *= _ACROSS_A_GAP
    return cause, trigger, confidence


def _movement(row: Row, before: Members | None, after: Members) -> Movement | None:
    """Only the consumer protocol's assignments can be read (trap 14)."""
    if before is None or row["protocol_type"] != "consumer":
        return None
    return movement(
        {identity: member.assigned for identity, member in before.items()},
        {identity: member.assigned for identity, member in after.items()},
    )


def _aborted(row: Row) -> int | None:
    """Generations that formed and never synced. On a compacted log a jump means nothing (analytics 2.6)."""
    if row["j_cut_short"] is not None:
        return int(row["j_cut_short"])
    if row["d_generation"] is None or not row["faithful"]:
        return None
    return max(0, int(row["d_generation"]) - 1)


def _told_by_journal_alone(row: Row) -> Row:
    """Its record was compacted away, or is not read yet. Who was in the group is not known: null, not zero (trap 33)."""
    unknown = dict.fromkeys(
        (
            "group_life",
            "log_offset",
            "joined",
            "gone",
            "partitions_moved",
            "excess_moves",
            "stickiness",
            "gone_session_ms",
        )
    )
    return {
        **unknown,
        "cluster": row["cluster"],
        "group_id": row["group_id"],
        "generation": row["j_generation"],
        **_journal_columns(row),
        "ended_ms": row["j_ended_ms"],
        "cause": row["j_cause"],
        "trigger_member": row["j_trigger"],
        "source": "journal",
        "confidence": _JOURNAL_CONFIDENCE,
        "members_before": None,
        "members_after": row["j_members"],
        "aborted_generations": row["j_cut_short"],
        "protocol": row["j_protocol"],
        "faithful": False,
        "gone_partitions": [],
    }


def _journal_columns(row: Row) -> Row:
    return {
        "started_ms": row["j_started_ms"],
        "join_phase_ms": row["j_join_ms"],
        "sync_phase_ms": row["j_sync_ms"],
        "client_reason": row["j_reason"],
        "waited_for": row["j_waited_for"],
        "waited_ms": row["j_waited_ms"],
    }


def _members(row: Row) -> dict[str, Participant]:
    return {
        member["identity"]: Participant(
            identity=member["identity"],
            member_id=member["member_id"],
            client_id=member["client_id"],
            client_host=member["client_host"],
            session_timeout_ms=member["session_timeout_ms"],
            topics=None if member["topics"] is None else frozenset(member["topics"]),
            assigned=frozenset((owned["topic"], owned["partition"]) for owned in member["assigned"] or ()),
        )
        for member in row["members"] or ()
    }
