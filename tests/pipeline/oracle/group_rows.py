"""Rows of `s_group_generation` from single records."""

from __future__ import annotations

from muster.core.records import GroupStored
from muster.pipeline.decode.group_rows import RecordPlace, Row


def deleted_row(place: RecordPlace, group_id: str) -> Row:
    """A tombstone: the group is gone, or became one of KIP-848 (trap 2), which its neighbours tell."""
    return {**place, "group_id": group_id, "kind": "deleted", "n_members": 0}


def generation_row(place: RecordPlace, group: GroupStored) -> Row:
    state_ms = group.state_timestamp_ms if group.state_timestamp_ms >= 0 else None
    # Analytics 0.4: written when the leader syncs, in a state that the join phase's end began: the difference is the sync phase.
    synced = state_ms is not None and bool(group.members)
    return {
        **place,
        "group_id": group.group_id,
        "generation": group.generation,
        "protocol_type": group.protocol_type,
        "protocol": group.protocol_name,
        "leader": group.leader,
        "state_ms": state_ms,
        "n_members": len(group.members),
        "sync_ms": max(0, place["record_ms"] - state_ms) if synced else None,
    }
