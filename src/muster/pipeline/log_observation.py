"""What Spark counts of new log rows while it writes them, so that nobody reads them for that."""

from __future__ import annotations

from typing import TYPE_CHECKING

from muster.pipeline.fold.kernel import group_bucket

if TYPE_CHECKING:
    from pyspark.sql import Column


def log_observation(has_few_records: bool) -> list[Column]:
    """`has_few_records`: a set of every row's bucket costs more than it saves where there are no positions, or nearly all are
    touched."""
    from pyspark.sql import functions as F

    bucket = group_bucket("group_id") if has_few_records else "null"
    return [
        F.count(F.lit(1)).alias("records"),
        F.max("record_ms").alias("newest_ms"),
        F.collect_set("log_partition").alias("log_partitions"),
        F.collect_set(F.expr(f"cast({bucket} as bigint)")).alias("buckets"),
        F.max(F.coalesce("is_control", F.lit(False))).alias("has_markers"),
    ]
