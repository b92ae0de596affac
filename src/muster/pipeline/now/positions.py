"""Every position that a group has or should have. Pure: frames in, frames out.

Positions are those of the state, and every partition of a topic that the group commits to or subscribes to: a partition that was
added and never read has no position, which is not a lag of its end (traps 18 and 21).
"""

from __future__ import annotations

from typing import Final

import polars as pl

from muster.pipeline.now.topic_ends import TopicEnds

GROUP_PLACE: Final = ("cluster", "log_partition", "group_id")
"""A group, and the log partition that all of its records are in."""
_KEY: Final = (*GROUP_PLACE, "topic", "partition")


def current_positions(positions: pl.DataFrame) -> pl.DataFrame:
    """Positions with their current record. What only an open transaction knows of is none."""
    last = pl.col("window").list.last()
    return (
        positions.filter(pl.col("window").list.len() > 0)
        .with_columns(last.struct.field("log_offset", "committed_offset", "commit_ms"))
        .with_columns(is_pending=(pl.col("pending").list.len() > 0).fill_null(False))
        .drop("pending")
    )


def with_expected(current: pl.DataFrame, groups: pl.DataFrame, ends: TopicEnds) -> pl.DataFrame:
    """The current positions, and those that should be there, which have nothing but their names."""
    subscribed = groups.select(*GROUP_PLACE, topic="topics").explode("topic", empty_as_null=False, keep_nulls=False)
    wanted = pl.concat([current.select(*GROUP_PLACE, "topic"), subscribed.drop_nulls("topic")]).unique()
    expected = wanted.join(ends.rows.select("cluster", "topic", "partition"), on=["cluster", "topic"])
    missing = expected.join(current.select(_KEY), on=_KEY, how="anti", nulls_equal=True)
    return pl.concat([current, missing.select(_KEY)], how="diagonal")
