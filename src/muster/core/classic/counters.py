"""Cheap sums for the metrics of a shard (spec 10). Only ever grow; the runtime reads them when it is asked."""

from __future__ import annotations

from muster.wire.value import Value


class Counters(Value):
    __match_args__ = (
        "completed_rebalances",
        "started_rebalances",
        "expired_members",
        "offset_commits",
        "offset_expirations",
        "offset_deletions",
        "unknown_records",
        "unstable_offset_fetches",
    )
    __slots__ = __match_args__

    def __init__(
        self,
        completed_rebalances: int = 0,
        started_rebalances: int = 0,
        expired_members: int = 0,
        offset_commits: int = 0,
        offset_expirations: int = 0,
        offset_deletions: int = 0,
        unknown_records: int = 0,
        unstable_offset_fetches: int = 0,
    ) -> None:
        self.completed_rebalances = completed_rebalances
        """Classic groups that reached Stable."""
        self.started_rebalances = started_rebalances
        self.expired_members = expired_members
        self.offset_commits = offset_commits
        """Offsets written by commits, not requests."""
        self.offset_expirations = offset_expirations
        self.offset_deletions = offset_deletions
        self.unknown_records = unknown_records
        """Records of types that this version does not know: kept in the log and skipped (law 10)."""
        self.unstable_offset_fetches = unstable_offset_fetches
        """OffsetFetch requests that were refused because a transaction had not ended."""
