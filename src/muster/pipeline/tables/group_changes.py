"""Walks through the generations of one group after the other and says what each changed. Pure; `rebalances` feeds it with rows.

Keeps one generation at a time, so a group with a long history costs no more memory than one with a short one. Knows the log
alone: who came, who went and what moved. What the journal says about the same rebalance is added by `journal_words`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, TypeAlias

import pyarrow as pa

from muster.explain.causes import Members, Participant, inferred_cause
from muster.pipeline.schemas import TABLES
from muster.pipeline.tables.movement import Movement, movement

Row: TypeAlias = dict[str, Any]
Known: TypeAlias = Mapping[tuple[str, str], tuple[int, Members | None]]
"""By cluster and group: the life of its last generation that was looked at before, and who was in it."""

CANDIDATES: Final = ("rebalance", "empty", "unknown_prev")
"""Kinds of generations that an event of the journal may be about."""
_ACROSS_A_GAP: Final = 0.5
_OF_THE_JOURNAL: Final = ("started_ms", "join_phase_ms", "client_reason", "waited_for", "waited_ms", "source")
_SET_LATER: Final = ("episode", "pause_p50_ms", "pause_max_ms")
_PARTITIONS: Final = pa.list_(pa.struct([("topic", pa.string()), ("partition", pa.int32())]))

LOG_CHANGES: Final = pa.schema(
    [
        *(field for field in TABLES["g_rebalance"] if field.name not in (*_OF_THE_JOURNAL, *_SET_LATER)),
        pa.field("gone_partitions", _PARTITIONS),
        pa.field("gone_session_ms", pa.int64()),
        # False: a record of the same generation again, which an event of the journal may be about all the same.
        pa.field("is_rebalance", pa.bool_()),
    ]
)


def log_changes(rows: Iterable[Row], known: Known | None = None) -> Iterator[Row]:
    """Rows of `LOG_CHANGES`. `rows` are sorted by cluster, group and log offset; `known` is what came before them."""
    place: tuple[str, str, int] | None = None
    before: Members | None = None
    for row in rows:
        group = (row["cluster"], row["group_id"])
        if known and (place is None or group != place[:2]) and group in known:
            life, before = known[group]
            place = (*group, life)
        here = (*group, row["group_life"])
        if here != place:
            place, before = here, None
        after = members_of(row["members"])
        if row["kind"] == "deleted":
            before = None
            continue
        if row["kind"] in CANDIDATES:
            yield _change(row, _known_before(row, before), after)
        before = after


def _is_rebalance(row: Row) -> bool:
    return bool(row["kind"] != "empty" or row["d_generation"] != 0)


def _known_before(row: Row, before: Members | None) -> Members | None:
    """Of a first generation nothing comes before: that is knowledge. A new life does not follow the old one's members."""
    if row["d_generation"] is None:
        return None
    return before if before is not None else {}


def _change(row: Row, before: Members | None, after: Members) -> Row:
    found = inferred_cause(before, after)
    moved = _movement(row, before, after)
    went = [] if before is None else [member for identity, member in before.items() if identity not in after]
    return {
        **{name: row[name] for name in ("cluster", "group_id", "group_life", "generation", "log_offset", "faithful")},
        "ended_ms": row["record_ms"],
        "sync_phase_ms": row["sync_ms"],
        "cause": found.cause,
        "trigger_member": found.trigger and found.trigger.member_id,
        "confidence": found.confidence * (_ACROSS_A_GAP if _is_behind_a_gap(row) else 1),
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
        "is_rebalance": _is_rebalance(row),
    }


def _is_behind_a_gap(row: Row) -> bool:
    """Generations in between may have been compacted away (trap 3): what is seen may be the sum of several changes."""
    return not row["faithful"] and row["d_generation"] is not None and row["d_generation"] > 1


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
    if row["d_generation"] is None or not row["faithful"]:
        return None
    return max(0, int(row["d_generation"]) - 1)


def members_of(members: Iterable[Row] | None) -> dict[str, Participant]:
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
        for member in members or ()
    }
