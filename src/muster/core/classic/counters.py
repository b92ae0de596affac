"""Cheap sums for the metrics of a shard (spec 10). Only ever grow; the runtime reads them when it is asked."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class Counters:
    completed_rebalances: int = 0
    """Classic groups that reached Stable."""
    started_rebalances: int = 0
    expired_members: int = 0
    offset_commits: int = 0
    """Offsets written by commits, not requests."""
    offset_expirations: int = 0
    offset_deletions: int = 0
    unknown_records: int = 0
    """Records of types that this version does not know: kept in the log and skipped (law 10)."""
