"""What a lake knows of the ends of a cluster's topics, for a source that is asked for what came since."""

from __future__ import annotations

import pyarrow.compute as pc

from muster.pipeline.arrow_scalar import arrow_scalar
from muster.pipeline.ends.schema import TABLE
from muster.pipeline.lake.reader import Lake
from muster.pipeline.sources.stable_ends import KnownEnd


def known_ends(lake: Lake, cluster: str) -> dict[tuple[str, int], KnownEnd]:
    """By topic and partition, missed ones too: one that comes back has not lost its records."""
    names = ["topic", "partition", "leo", "lso", "readable_end"]
    rows = lake.arrow(TABLE, ["cluster", *names])
    rows = rows.filter(pc.equal(rows["cluster"], arrow_scalar(cluster)))
    return {
        (topic, partition): KnownEnd(*end)
        for topic, partition, *end in zip(*(rows[name].to_pylist() for name in names), strict=True)
    }
