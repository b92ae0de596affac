"""`s_leo`: the end offset of each partition as a step function of time, one `topic_epoch` for each incarnation of a topic.

Within an epoch offsets never fall and times never fall. Of a run of equal end offsets the first and the last sample stay.
A fall of the end is a topic made anew, unless the leader epoch rose with it: then the tail was cut (unclean election).
"""

from __future__ import annotations

import polars as pl

from muster.pipeline.tables.columns import Frame, conform, is_true
from tests.pipeline.oracle.columns import TOPIC_PARTITION

_SAMPLE = (
    *(*TOPIC_PARTITION, "topic_id", "leo", "lso", "readable_end"),
    *("log_start", "leader_epoch", "begin_ms", "end_ms", "sampler"),
)
_TIME = ("end_ms", "leo", "log_start")
_EPOCH = (*TOPIC_PARTITION, "topic_epoch")


def finished_end_offsets(samples: Frame) -> Frame:
    """`samples` are `b_leo_sample`."""
    rows = _with_epochs(_with_rising_times(_that_count(samples)))
    return conform(_without_flat_middles(_without_cut_tails(rows)), "s_leo")


def last_sampled_ends(samples: Frame, count: int) -> Frame:
    """The last end offsets of each partition as they were sampled, flat ones too: (cluster, topic, partition, ends)."""
    rows = _with_rising_times(_that_count(samples)).sort(*TOPIC_PARTITION, *_TIME)
    return rows.group_by(TOPIC_PARTITION, maintain_order=True).agg(ends=pl.col("leo").tail(count))


def last_stable_ends(samples: Frame) -> Frame:
    """The last stable offset and the readable end of each partition, as its last sample has them."""
    rows = _with_rising_times(_that_count(samples)).sort(*TOPIC_PARTITION, *_TIME)
    return rows.group_by(TOPIC_PARTITION, maintain_order=True).agg(pl.col("lso", "readable_end").last())


def _that_count(samples: Frame) -> Frame:
    rows = samples.select(_SAMPLE).filter(pl.col("leo") >= 0)
    return rows.unique([*TOPIC_PARTITION, "topic_id", "leo", "log_start", "begin_ms", "end_ms"])


def _with_rising_times(rows: Frame) -> Frame:
    """Producers' clocks go back and forth; a record was not appended before the one in front of it."""
    exact = pl.col("sampler") == "segment"
    latest = pl.col("end_ms").cum_max().over(*TOPIC_PARTITION, "topic_id", "sampler")
    return rows.sort("leo", "end_ms").with_columns(
        begin_ms=pl.when(exact).then(latest).otherwise("begin_ms"),
        end_ms=pl.when(exact).then(latest).otherwise("end_ms"),
    )


def _with_epochs(rows: Frame) -> Frame:
    rows = rows.sort(*TOPIC_PARTITION, *_TIME)
    before = {name: pl.col(name).shift().over(TOPIC_PARTITION) for name in ("leo", "topic_id", "log_start")}
    fell = is_true(pl.col("leo") < before["leo"])
    other_id = is_true(pl.col("topic_id") != before["topic_id"])
    # Trap 23: only an election cuts a tail, and it raises the leader epoch; a topic made anew starts at epoch 0 (trap 22).
    elected = is_true(pl.col("leader_epoch") > pl.col("leader_epoch").shift().over(TOPIC_PARTITION))
    below_start = is_true(pl.col("leo") < before["log_start"])
    rows = rows.with_columns(_anew=(other_id | (fell & (~elected | below_start))).cast(pl.Int32))
    return rows.with_columns(topic_epoch=pl.col("_anew").cum_sum().over(TOPIC_PARTITION))


def _without_cut_tails(rows: Frame) -> Frame:
    """Offsets that a later sample no longer had were written again afterwards: the earlier samples do not prove their age."""
    return rows.with_columns(leo=pl.col("leo").cum_min(reverse=True).over(_EPOCH))


def _without_flat_middles(rows: Frame) -> Frame:
    rows = rows.sort(*_EPOCH, *_TIME)
    leo, start = pl.col("leo"), pl.col("log_start")
    first = ~is_true(leo.shift().over(_EPOCH) == leo)
    last = ~is_true(leo.shift(-1).over(_EPOCH) == leo)
    start_moved = is_true(start.shift().over(_EPOCH) != start)
    return rows.filter(first | last | start_moved)


def newest_end_offsets(leo: Frame) -> Frame:
    """The newest sample of each partition, of its present epoch."""
    return leo.sort("topic_epoch", *_TIME).unique(subset=list(TOPIC_PARTITION), keep="last")
