"""An as-of join: the newest value known at the time of each row. A union and a running window, so that it stays one sort."""

from __future__ import annotations

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from muster.pipeline.tables.columns import so_far


def latest_before(rows: DataFrame, values: DataFrame, keys: tuple[str, ...], time: str, name: str) -> DataFrame:
    """`values` have the keys, `at_ms` and `value`; a value of the very moment counts as known. Null where there is none."""
    asked = rows.select(*keys, F.col(time).alias("_at"), F.lit(1).alias("_what"), F.struct(*rows.columns).alias("_row"))
    known = values.select(*keys, F.col("at_ms").alias("_at"), F.lit(0).alias("_what"), F.col("value").alias("_value"))
    along = so_far(Window.partitionBy("_hash", *keys).orderBy("_at", "_what", "_value"))
    placed = asked.unionByName(known, allowMissingColumns=True).withColumn("_hash", F.xxhash64(*keys))
    found = placed.withColumn(name, F.last("_value", ignorenulls=True).over(along))
    return found.where("_row is not null").select("_row.*", name)
