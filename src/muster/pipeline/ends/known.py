"""What a lake knows of the ends of a cluster's topics, for the source that is asked for what came since."""

from __future__ import annotations

from muster.pipeline.ends.schema import MISSED, TABLE
from muster.pipeline.lake.reader import Lake
from muster.pipeline.sources.stable_ends import KnownEnd


def known_ends(lake: Lake, cluster: str) -> dict[tuple[str, int], KnownEnd]:
    """Without those that are missed: one that comes back is news."""
    columns = ["cluster", "topic", "partition", "leo", "lso", "readable_end", "sampler"]
    return {
        (row["topic"], row["partition"]): KnownEnd(row["leo"], row["lso"], row["readable_end"])
        for row in lake.arrow(TABLE, columns).to_pylist()
        if row["cluster"] == cluster and row["sampler"] != MISSED
    }
