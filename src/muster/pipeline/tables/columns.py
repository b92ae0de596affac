"""The schema contract as one `select`, and the keys that tables are joined by. Every table function ends in `conform`."""

from __future__ import annotations

from typing import Final

from pyspark.sql import Column, DataFrame, SparkSession, Window, WindowSpec
from pyspark.sql import functions as F

from muster.pipeline.decode.row_schemas import row_spark_schema
from muster.pipeline.schemas import TABLES, spark_schema

LOG: Final = ("cluster", "log_partition")
"""Where a log offset is unique, and all of a group's records are (its id hashes to one log partition)."""
GROUP: Final = ("cluster", "group_id")
TOPIC_PARTITION: Final = ("cluster", "topic", "partition")
POSITION: Final = ("cluster", "group_id", "topic", "partition")
"""What an offset is committed for. Never one joined text: ids may hold any character (trap 17)."""

_BEGINNING: Final = Window.unboundedPreceding


def position_hash() -> Column:
    """In front of a window's keys: rows are sorted by one number that tells most of them apart. Texts that begin alike (a cluster's
    name, `orders-`) make Spark compare whole rows instead.
    """
    return F.xxhash64(*POSITION)


def conform(frame: DataFrame, table: str) -> DataFrame:
    """Exactly the columns of the table, in order and of its types."""
    return frame.select(*(F.col(field.name).cast(field.dataType).alias(field.name) for field in spark_schema(table)))


def no_rows(spark: SparkSession, table: str) -> DataFrame:
    """Of a table of the contract, or of one that only the decoder makes."""
    return spark.createDataFrame([], spark_schema(table) if table in TABLES else row_spark_schema(table))


def in_log_order(*keys: str) -> WindowSpec:
    """Order is the log offset, never a time (trap 4)."""
    return Window.partitionBy(*keys).orderBy("log_offset")


def so_far(window: WindowSpec) -> WindowSpec:
    return window.rowsBetween(_BEGINNING, Window.currentRow)


def utc_date(ms: Column) -> Column:
    return F.date_add(F.lit("1970-01-01").cast("date"), F.floor(ms / 86_400_000).cast("int")).cast("string")


def newest(frame: DataFrame, keys: tuple[str, ...], order: str) -> DataFrame:
    """The row with the highest `order` of each key."""
    ranked = frame.withColumn("_rank", F.row_number().over(Window.partitionBy(*keys).orderBy(F.col(order).desc())))
    return ranked.where("_rank = 1").drop("_rank")
