"""Decoded rows and their neighbours: finished silver. Called by the publishing job with everything that the lake holds.

Expects the tables of `muster.pipeline.decode` (with `txn_marker`), `b_log_record` for holes in the log and `b_leo_sample`. What is
not given is taken as empty. Everything is recomputed from all rows, so that how they were cut into batches cannot matter.
"""

from __future__ import annotations

from collections.abc import Mapping

from pyspark.sql import DataFrame, SparkSession

from muster.pipeline.decode.row_schemas import ROW_TABLES, row_spark_schema
from muster.pipeline.tables.columns import conform, no_rows
from muster.pipeline.tables.end_offsets import finished_end_offsets
from muster.pipeline.tables.generations import finished_generations
from muster.pipeline.tables.log_extent import log_extent
from muster.pipeline.tables.offset_commits import current_offsets, finished_offset_commits

_AS_DECODED = ("s_member", "s_assignment", "s_group_epoch", "s_member_epoch")


def finish_silver(rows: Mapping[str, DataFrame], spark: SparkSession) -> dict[str, DataFrame]:
    """Every table of `schemas.SILVER`. `s_current_offset` reads `s_offset_commit` again: write that one first if it is large."""

    def given(name: str) -> DataFrame:
        if name in rows:
            return rows[name]
        return spark.createDataFrame([], row_spark_schema(name)) if name in ROW_TABLES else no_rows(spark, name)

    extent = log_extent(given("b_log_record"))
    commits = finished_offset_commits(given("s_offset_commit"), given("txn_marker"), extent)
    return {
        "s_offset_commit": commits,
        "s_current_offset": current_offsets(commits),
        "s_group_generation": finished_generations(given("s_group_generation"), extent),
        **{name: conform(given(name), name) for name in _AS_DECODED},
        "s_leo": finished_end_offsets(given("b_leo_sample")),
    }
