"""Lag in time of many positions: the samples around each, found by one walk along the sorted samples."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

import polars as pl

from muster.pipeline.tables.columns import Column, Frame
from muster.pipeline.tables.time_lag import bracket
from tests.pipeline.oracle.columns import TOPIC_PARTITION
from tests.pipeline.oracle.latest_before import latest_before

Moment: TypeAlias = tuple[Column, Column]
"""When the question is about: not before, not after."""


_EPOCH = (*TOPIC_PARTITION, "topic_epoch")


_BELOW_ALL = -(1 << 62)


_KNOWN = ("at_leo", "at_begin_ms", "at_end_ms", "next_leo", "next_begin_ms", "next_end_ms", "next_exact")


def steps_of(leo: Frame) -> Frame:
    """Each sample of `s_leo` with its successor, and before them a stand-in whose successor is the first. In search order."""
    rows = leo.sort(*_EPOCH, "end_ms", "leo", "log_start").select(
        *_EPOCH,
        "leo",
        "begin_ms",
        "end_ms",
        exact=pl.col("sampler") == "segment",
        first=pl.int_range(pl.len()).over(_EPOCH) == 0,
    )
    after = {f"next_{name}": pl.col(name).shift(-1).over(_EPOCH) for name in ("leo", "begin_ms", "end_ms", "exact")}
    here = {f"at_{name}": pl.col(name) for name in ("leo", "begin_ms", "end_ms")}
    stand_in = rows.filter("first").select(
        *_EPOCH,
        at_leo=pl.lit(_BELOW_ALL),
        at_begin_ms=pl.lit(None, pl.Int64),
        at_end_ms=pl.lit(None, pl.Int64),
        **{f"next_{name}": pl.col(name) for name in ("leo", "begin_ms", "end_ms", "exact")},
    )
    steps = pl.concat([rows.select(*_EPOCH, **here, **after), stand_in])
    # Of a flat run the last sample is found: c was not yet there at the end of it (side='right').
    return steps.sort("at_leo", "at_end_ms")


def with_time_lag(questions: Frame, steps: Frame, moments: Mapping[str, Moment]) -> Frame:
    """Adds for each named moment `<name>_lo_ms`, `<name>_hi_ms`, `<name>_est_ms` and `<name>_method`.

    `questions` have cluster, topic, partition, topic_epoch and `first_unread` (c, not below the log's start). A moment is a pair of
    columns: the sample's own bracket for "now", twice the same otherwise. All are answered by one search.
    """
    found = latest_before(questions, steps, _EPOCH, "first_unread", "at_leo")
    answers: dict[str, Column] = {}
    for name, (from_ms, to_ms) in moments.items():
        answers |= bracket(name, from_ms, to_ms)
    return found.with_columns(**answers).drop(_KNOWN)
