"""A streaming query that is tracked, in a process of its own: `python -m tests.pipeline.tracking.tracked_run ...`.

It says on standard output when a micro-batch begins, and waits for a line on standard input before it ends it: so the test knows
where the query is when it looks, and when it kills it. At the end it prints what the tracking counted.
"""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from typing import Any

from muster.pipeline.session import SessionSettings, open_session
from muster.pipeline.sources.spark_sources import register
from muster.spark import track

TOPIC = "orders"
GROUP = "etl-orders"
OFFSETS_A_BATCH = 10


def main(bootstrap: str, checkpoint: str, jars: str) -> None:
    extra = {"spark.jars": jars} if jars else {}
    with open_session(SessionSettings(master="local[1]", extra=extra)) as spark:
        rows = connector_rows(spark, bootstrap) if jars else own_rows(spark, bootstrap)
        with track(spark, bootstrap, group=GROUP) as tracking:
            query = (
                rows.writeStream.queryName(GROUP)
                .foreachBatch(pause)
                .option("checkpointLocation", checkpoint)
                .trigger(availableNow=True)
                .start()
            )
            query.awaitTermination()
        print(json.dumps(asdict(tracking.figures)), flush=True)


def pause(rows: Any, number: int) -> None:
    rows.count()
    print(f"batch {number}", flush=True)
    sys.stdin.readline()


def own_rows(spark: Any, bootstrap: str) -> Any:
    register(spark)
    options = {"bootstrap": bootstrap, "topic": TOPIC, "table": "b_log_record"}
    reader = spark.readStream.format("muster_broker").options(**options)
    return reader.option("maxOffsetsPerPartition", OFFSETS_A_BATCH).load()


def connector_rows(spark: Any, bootstrap: str) -> Any:
    reader = spark.readStream.format("kafka").option("kafka.bootstrap.servers", bootstrap).option("subscribe", TOPIC)
    return reader.option("startingOffsets", "earliest").option("maxOffsetsPerTrigger", OFFSETS_A_BATCH).load()


if __name__ == "__main__":
    main(*sys.argv[1:])
