"""What one might write in an afternoon: commits exported as JSON lines, the newest of each key by Spark SQL, and the lag."""

from __future__ import annotations

import json
from pathlib import Path

from bench.pipeline_log import CONSUMER_OFFSETS

_LINES_A_FILE = 500_000


def write_json_lines(data: Path, out: Path) -> None:
    """One line a commit, in log order; a directory of files that Spark can read side by side."""
    from muster.pipeline.decode.log_rows import log_rows
    from muster.pipeline.sources.log_source import Stretch
    from muster.pipeline.sources.segments import SegmentLogs

    out.mkdir()
    log = SegmentLogs((str(data),), CONSUMER_OFFSETS, "bench")
    names = ["log_partition", "log_offset", "group_id", "topic", "partition", "committed_offset", "commit_ms"]
    lines = 0
    target = (out / "part-0.json").open("w")
    for partition, end in log.ends().items():
        for bronze in log.open(Stretch(partition, 0, end)).bronze():
            rows = log_rows(bronze).select(names)
            for row in rows.to_pylist():
                if row["topic"] is not None:
                    target.write(json.dumps(row) + "\n")
                    lines += 1
                    if lines % _LINES_A_FILE == 0:
                        target.close()
                        target = (out / f"part-{lines}.json").open("w")
    target.close()


def lag_over_json_lines(lines: Path) -> None:
    from pyspark.sql import SparkSession
    from pyspark.sql import functions as F

    quiet = {"spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false", "spark.log.level": "ERROR"}
    spark = SparkSession.builder.master("local[1]").config(map=quiet).getOrCreate()
    schema = "log_partition int, log_offset long, group_id string, topic string, partition int, committed_offset long"
    schema += ", commit_ms long"
    commits = spark.read.schema(schema).json(str(lines))
    newest = commits.groupBy("group_id", "topic", "partition").agg(
        F.max_by("committed_offset", "log_offset").alias("committed"), F.max("commit_ms").alias("commit_ms")
    )
    ends = commits.groupBy("topic", "partition").agg(F.max("committed_offset").alias("end"))
    lag = newest.join(ends, ["topic", "partition"]).withColumn("lag", F.col("end") - F.col("committed"))
    lag.write.mode("overwrite").parquet(str(lines / "lag.parquet"))
    spark.stop()
