"""`g_data_quality`: what was read of each log partition, what could not be understood, and from where on nothing is missing."""

from __future__ import annotations

import polars as pl

from muster.pipeline.tables.columns import Frame, conform
from tests.pipeline.oracle.log_extent import PLACE

_COUNTED = ("records", "unknown_records", "quarantined", "gaps", "open_transactions")


def data_quality(extent: Frame, quarantine: Frame, unknown_types: Frame) -> Frame:
    """Partitions of which only quarantined batches are known have a row too: nothing is dropped silently.

    `unknown_types` are the decoder's counts of records that nobody here decodes (trap 12).
    """
    unknown = unknown_types.group_by("cluster", "log_partition").agg(unknown_records=pl.col("records").sum())
    unknown = unknown.with_columns(log_topic=pl.lit("__consumer_offsets"))
    refused = quarantine.group_by(PLACE).agg(quarantined=pl.len())
    rows = extent.join(refused, on=PLACE, how="full", coalesce=True)
    rows = rows.join(unknown, on=PLACE, how="full", coalesce=True)
    return conform(rows.with_columns(pl.col(_COUNTED).fill_null(0)), "g_data_quality")
