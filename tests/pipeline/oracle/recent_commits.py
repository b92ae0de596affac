"""The last commits of each position: what statuses and consumption rates look at. A row a commit, in log order."""

from __future__ import annotations

import polars as pl

from muster.pipeline.ends.schema import MISSED_AFTER_MS
from muster.pipeline.ends.thinning import LEAST_PARTS
from muster.pipeline.tables.columns import POSITION, Frame
from tests.pipeline.oracle.columns import TOPIC_PARTITION
from tests.pipeline.oracle.latest_before import latest_before


def recent_of(commits: Frame, intervals: int) -> Frame:
    """Of any part of the commits: they know how many came after them."""
    those = (pl.col("newer") < intervals) & ~pl.col("is_tombstone") & (pl.col("committed_offset") >= 0)
    return commits.filter(those).select(
        pl.col("cluster", "group_id", "topic").cast(pl.String),
        "partition",
        "log_offset",
        "commit_ms",
        "faithful",
        committed="committed_offset",
    )


def recent_commits(rows: Frame, leo: Frame) -> Frame:
    """`rows` of `recent_of` with the lag at their arrival: against the newest end offset sampled by then, null if none was
    (Burrow's backfill). `sure_lag` is null also where the commit lies above an end that was old by then. `leo` is `s_leo`: samples
    of a tail that was cut later count as what was left of it.

    Where samples are further apart than that, but near for their age, they may be what is left of others (`ends.thinning`):
    the group had caught up if its offset lies between the two, else the end is taken to lie on the line between them.
    """
    known = leo.sort("end_ms", "topic_epoch", "leo", "log_start")
    of_epoch = (*TOPIC_PARTITION, "topic_epoch")
    polled = known.select(
        *TOPIC_PARTITION,
        "end_ms",
        _end="leo",
        _sampled_ms="end_ms",
        _next=pl.col("leo").shift(-1).over(of_epoch),
        _next_ms=pl.col("end_ms").shift(-1).over(of_epoch),
        _is_file=pl.col("sampler").shift(-1).over(of_epoch) == "segment",
        _newest_ms=pl.col("end_ms").max().over(TOPIC_PARTITION),
    )
    found = latest_before(rows, polled, TOPIC_PARTITION, "commit_ms", "end_ms")
    gap = pl.col("_next_ms") - pl.col("_sampled_ms")
    is_near = gap * LEAST_PARTS <= pl.col("_newest_ms") - pl.col("_next_ms")
    is_thin = (gap > MISSED_AFTER_MS) & is_near & ~pl.col("_is_file")
    is_passed = pl.col("committed").is_between("_end", "_next")
    share = (pl.col("commit_ms") - pl.col("_sampled_ms")) / gap
    line = pl.col("_end") + (pl.col("_next") - pl.col("_end")) * share
    end = (
        pl.when(is_thin & is_passed).then("committed").when(is_thin).then(line.floor().cast(pl.Int64)).otherwise("_end")
    )
    lag = end - pl.col("committed")
    is_old = pl.col("commit_ms") > pl.col("_sampled_ms") + MISSED_AFTER_MS
    return found.sort("log_offset").select(
        *POSITION,
        "log_offset",
        "commit_ms",
        "faithful",
        "committed",
        lag=lag.clip(0),
        sure_lag=pl.when((lag >= 0) | ~is_old).then(lag.clip(0)),
    )
