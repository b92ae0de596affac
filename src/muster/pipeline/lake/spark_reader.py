"""A lake as DataFrames: `open_lake(spark, url).table("g_lag")`, and SQL names by `register_views(spark, url)`.

Every DataFrame reads the files of one round, with the documented columns; a lake that was opened stays at its round. Spark reads
the files, delta-rs says which: neither Delta's package nor a catalog is needed. `s_offset_commit` and `b_log_record` are made from
the log.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Final

import pyarrow as pa

from muster.pipeline.lake.errors import LakeError
from muster.pipeline.lake.location import Location
from muster.pipeline.lake.reader import Lake
from muster.pipeline.lake.rounds import Round
from muster.pipeline.lake.tables import ENDS, LOG, STATE, VIEWS, is_table, partition_columns, schema_of
from muster.pipeline.schemas import TABLES

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_HADOOP: Final = ("spark.hadoop.fs.s3a.", "spark.hadoop.dfs.", "spark.hadoop.fs.defaultFS")


class SparkLake:
    """The tables of one round of a lake, for one Spark session."""

    def __init__(self, spark: SparkSession, lake: Lake) -> None:
        self._spark = spark
        self._lake = lake

    def __repr__(self) -> str:
        return f"<SparkLake {self._lake.location} round {self._lake.round.round}>"

    @property
    def round(self) -> Round:
        return self._lake.round

    @property
    def tables(self) -> list[str]:
        """Everything that `table` knows by name in this lake."""
        return sorted({*TABLES, LOG, *(name for name in self._lake.tables if is_table(name))})

    def table(self, name: str) -> DataFrame:
        """A documented table, or one of the lake's own (`log`, `state`), as of this round."""
        if name in VIEWS:
            from muster.pipeline.lake import spark_views

            if name == "s_leo":
                from muster.pipeline.ends.schema import end_steps

                return end_steps(self.table(ENDS))
            if name == "b_log_record":
                return spark_views.log_records(self.table(LOG))
            return spark_views.offset_commits(self.table(LOG), self.table(STATE))
        try:
            schema = schema_of(name)
        except KeyError:
            raise LakeError(f"a lake has no table {name}; it has {', '.join(self.tables)}") from None
        paths = [f"{self._lake.location.table_url(name)}/{file.path}" for file in self._lake.table_files(name)]
        return read_files(self._spark, name, schema, paths)


def open_lake(spark: SparkSession, url: str | os.PathLike[str], settings: Mapping[str, str] | None = None) -> SparkLake:
    """The lake at its newest round. How to reach its store is taken from the session's settings, if none are given."""
    location = Location.parse(url, settings_of(spark) if settings is None else settings)
    return SparkLake(spark, Lake.open(location))


def register_views(
    spark: SparkSession, url: str | os.PathLike[str], prefix: str = "", tables: Iterable[str] | None = None
) -> list[str]:
    """A temporary view for every table of the lake at its newest round, or for these. Their names."""
    lake = open_lake(spark, url)
    chosen = lake.tables if tables is None else list(tables)
    for name in chosen:
        lake.table(name).createOrReplaceTempView(prefix + name)
    return [prefix + name for name in chosen]


def read_files(spark: SparkSession, table: str, schema: pa.Schema, paths: list[str]) -> DataFrame:
    """These files as a table with exactly the columns of `schema`."""
    from pyspark.sql import functions as F
    from pyspark.sql.pandas.types import from_arrow_schema
    from pyspark.sql.types import StructType

    whole = from_arrow_schema(schema)
    if not paths:
        return spark.createDataFrame([], whole)
    directories = partition_columns(table)
    held = StructType([field for field in whole.fields if field.name not in directories])
    rows = spark.read.schema(held).parquet(*paths)
    for column in directories:
        # Not by partition discovery: it refuses files that lie at different depths, as merged files and Spark's own do.
        # The last such directory is the table's: the lake itself may lie under another one (`.../dt=2026-11-16/lake`).
        found = F.regexp_extract(F.col("_metadata.file_path"), f".*/{column}=([^/]+)/", 1)
        rows = rows.withColumn(column, F.when(found != "__HIVE_DEFAULT_PARTITION__", found))
    return rows.select(*(F.col(f"`{name}`") for name in whole.names)) if directories else rows


def settings_of(spark: SparkSession) -> dict[str, str]:
    """What a session says about reaching stores. A Connect server does not tell: there the environment has to."""
    try:
        pairs = spark.sparkContext.getConf().getAll()
    except Exception:  # Connect has no context, and says so by an exception of its own family
        return {}
    return {name: value for name, value in pairs if name.startswith(_HADOOP)}
