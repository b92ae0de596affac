"""A table of one's own beside Muster's: which groups lose the most time to rebalances, and why.

    spark-submit costly_rebalances.py lake costly-rebalances

The function takes DataFrames and gives one; the rest only reads and writes. Needs a lake of `muster pipeline run`.
"""

from __future__ import annotations

import sys

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from muster.pipeline import open_lake


def costly_rebalances(rebalances: DataFrame, lag: DataFrame) -> DataFrame:
    """A row a group: rebalances, the sum of their longest pauses, the cause of the longest one, and the lag as of now."""
    paused = rebalances.groupBy("cluster", "group_id").agg(
        F.count("*").alias("rebalances"),
        F.sum(F.coalesce("pause_max_ms", F.lit(0))).alias("paused_ms"),
        F.max_by("cause", F.coalesce("pause_max_ms", F.lit(-1))).alias("worst_cause"),
    )
    behind = lag.groupBy("cluster", "group_id").agg(F.sum("lag").alias("lag"))
    rows = paused.join(behind, ["cluster", "group_id"], "left")
    return rows.select("cluster", "group_id", "rebalances", "paused_ms", "worst_cause", "lag")


def main(lake_url: str, out: str) -> None:
    spark = SparkSession.builder.appName("costly rebalances").getOrCreate()
    lake = open_lake(spark, lake_url)
    table = costly_rebalances(lake.table("g_rebalance"), lake.table("g_lag"))
    table.write.mode("overwrite").parquet(out)
    table.orderBy(F.desc("paused_ms")).show(20, truncate=False)


if __name__ == "__main__":
    main(*sys.argv[1:])
