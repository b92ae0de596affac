"""What a lake knows of the ends of a cluster's topics, for the source that is asked for what came since."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from muster.pipeline.ends.schema import MISSED, MISSED_ONCE, TABLE
from muster.pipeline.lake.reader import Lake
from muster.pipeline.sources.stable_ends import KnownEnd


class EndCounts(NamedTuple):
    """What tells two rounds' ends apart: how many partitions were found and missed, and sums over those that were found."""

    found: int
    missed: int
    missed_once: int
    leo: int
    lso: int

    @classmethod
    def told(cls, told: Mapping[str, Any]) -> EndCounts:
        """From what Spark has counted (`counts_of_ends`)."""
        return cls(*(told[name] for name in cls._fields))


def known_ends(lake: Lake, cluster: str) -> tuple[dict[tuple[str, int], KnownEnd], EndCounts]:
    """By topic and partition, missed ones too: one that comes back has not lost its records."""
    columns = ["cluster", "topic", "partition", "leo", "lso", "readable_end", "sampler"]
    rows = [row for row in lake.arrow(TABLE, columns).to_pylist() if row["cluster"] == cluster]
    ends = {(row["topic"], row["partition"]): KnownEnd(row["leo"], row["lso"], row["readable_end"]) for row in rows}
    found = [row for row in rows if row["sampler"] not in (MISSED_ONCE, MISSED)]
    counts = EndCounts(
        len(found),
        sum(row["sampler"] == MISSED for row in rows),
        sum(row["sampler"] == MISSED_ONCE for row in rows),
        sum(row["leo"] for row in found),
        sum(row["lso"] or 0 for row in found),
    )
    return ends, counts
