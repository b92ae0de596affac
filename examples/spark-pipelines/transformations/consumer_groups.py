"""Consumer groups in Spark's Declarative Pipelines: the log as a streaming table, and what is now as views made from it.

    log ──> state ──┐
                    ├──> s_current_offset, g_lag
            ends ───┘

Everything but the wiring is imported: the source and the functions from DataFrame to DataFrame that `muster pipeline run` uses.
`spark` is given by `spark-pipelines`.
"""

from __future__ import annotations

import time

from pyspark import pipelines as dp
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import from_arrow_schema

from muster.pipeline.ends.fold import fold_ends
from muster.pipeline.ends.schema import ENDS
from muster.pipeline.fold.kernel import fold_rows, state_schema
from muster.pipeline.fold.partition import FoldSettings
from muster.pipeline.now.build import table_of_now
from muster.pipeline.sources.broker import broker_options
from muster.pipeline.sources.run_source import RunSource, broker_source, directory_source
from muster.pipeline.sources.segments import segment_options
from muster.pipeline.sources.spark_sources import register
from muster.pipeline.tables.settings import GoldSettings

spark: SparkSession = SparkSession.active()
NOW_MS = time.time_ns() // 1_000_000


def found_source() -> tuple[RunSource, str, dict[str, str]]:
    """What the pipeline's specification names: the source, and its name and options as a Spark data source."""
    cluster = spark.conf.get("spark.muster.cluster", None)
    directory = spark.conf.get("spark.muster.directory", None)
    if directory:
        read = directory_source((directory,), cluster)
        return read, "muster_segments", segment_options(read.directories, read.cluster)
    asked = broker_source(str(spark.conf.get("spark.muster.bootstrap")), cluster)
    return asked, "muster_broker", broker_options(asked.bootstrap, asked.cluster)


SOURCE, FORMAT, OPTIONS = found_source()
GOLD = GoldSettings(now_ms=NOW_MS)
register(spark)  # here: a function below may only describe a DataFrame


@dp.table(
    comment="Every record of the coordinator's log and of the journal, decoded; read on where the last run ended."
)
def log() -> DataFrame:
    return spark.readStream.format(FORMAT).options(**OPTIONS).load()


@dp.materialized_view(comment="What the log says of each group and position, folded from its beginning.")
def state() -> DataFrame:
    nothing = spark.createDataFrame([], from_arrow_schema(state_schema()))
    settings = FoldSettings(GOLD, frozenset(SOURCE.journal_partitions()))
    folded = fold_rows(spark.read.table("log"), nothing, settings)
    return folded.where(F.col("table") == "state").select(*state_schema().names)


@dp.materialized_view(comment="Where the topics end, asked by tasks.")
def ends() -> DataFrame:
    nothing = spark.createDataFrame([], from_arrow_schema(ENDS))
    folded = fold_ends(nothing, SOURCE.sample_ends(spark, dict, NOW_MS))
    return folded.where(F.col("table") == "ends").select(*ENDS.names)


@dp.materialized_view(comment="The committed offset of every group and partition.")
def s_current_offset() -> DataFrame:
    return table_of_now("s_current_offset", spark.read.table("state"), spark.read.table("ends"), GOLD)


@dp.materialized_view(comment="How far every group is behind, in records and in time.")
def g_lag() -> DataFrame:
    return table_of_now("g_lag", spark.read.table("state"), spark.read.table("ends"), GOLD)
