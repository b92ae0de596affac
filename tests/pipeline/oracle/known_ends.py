"""What is known of the ends of partitions, put into the orders in which the lag tables look things up. Made once, used often."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from muster.pipeline.tables.columns import Frame
from muster.pipeline.tables.settings import GoldSettings
from tests.pipeline.oracle.columns import TOPIC_PARTITION
from tests.pipeline.oracle.end_offsets import last_stable_ends, newest_end_offsets
from tests.pipeline.oracle.time_lag import steps_of


@dataclass(frozen=True, slots=True)
class KnownEnds:
    by_time: Frame
    """`s_leo` as time went."""
    newest: Frame
    """The newest sample of each partition, and how fast it is written (`produce_rate`)."""
    steps: Frame
    """By offset, for the search of `time_lag`."""


def known_ends(leo: Frame, samples: Frame, settings: GoldSettings) -> KnownEnds:
    """`leo` is `s_leo`, `samples` are `b_leo_sample`."""
    newest = newest_end_offsets(leo).join(last_stable_ends(samples), on=TOPIC_PARTITION, how="left")
    return KnownEnds(
        by_time=leo.sort("end_ms", "topic_epoch", "leo", "log_start"),
        newest=newest.join(_produce_rates(leo, newest, settings), on=TOPIC_PARTITION, how="left"),
        steps=steps_of(leo),
    )


def _produce_rates(leo: Frame, ends: Frame, settings: GoldSettings) -> Frame:
    """From the last sample before the window, else the first in it, to the newest."""
    last = ends.select(*TOPIC_PARTITION, "topic_epoch", _leo="leo", _end="end_ms")
    samples = leo.join(last, on=[*TOPIC_PARTITION, "topic_epoch"]).sort("end_ms", "leo")
    before = pl.col("end_ms") <= pl.col("_end") - settings.rate_window_ms
    chosen = samples.group_by(*TOPIC_PARTITION, "_leo", "_end").agg(
        _from_ms=pl.coalesce(pl.col("end_ms").filter(before).last(), pl.col("end_ms").first()),
        _from=pl.coalesce(pl.col("leo").filter(before).last(), pl.col("leo").first()),
    )
    rate = (pl.col("_leo") - pl.col("_from")) * 1000.0 / (pl.col("_end") - pl.col("_from_ms"))
    return chosen.filter(pl.col("_end") > pl.col("_from_ms")).select(*TOPIC_PARTITION, produce_rate=rate)
