"""Spark's own Kafka source and sink at one broker: `program.py host:port folder [part of a feature's name]`.

Runs inside an environment of its own that has PySpark; prints the lines that the runner reads. Topics are filled by
Spark itself, so that the sink is tried as well.
"""

from __future__ import annotations

import json
import sys
import time
import traceback
from collections.abc import Callable
from typing import Any

from pyspark.sql import SparkSession  # type: ignore[import-not-found, unused-ignore]


class Probe:
    def __init__(self, spark: Any, bootstrap: str, folder: str, feature: str) -> None:
        self.spark = spark
        self.bootstrap = bootstrap
        self.folder = folder
        self.feature = feature

    def saw(self, what: str, value: object) -> None:
        say("@saw", self.feature, what, str(value))

    def write(self, topic: str, numbers: range) -> None:
        rows = self.spark.range(numbers.start, numbers.stop, 1, 1).selectExpr(
            "cast(id as string) as key", "concat('value ', id) as value", f"cast(id % {PARTITIONS} as int) as partition"
        )
        rows.write.format("kafka").options(**{"kafka.bootstrap.servers": self.bootstrap, "topic": topic}).save()

    def read(self, **options: str) -> Any:
        return self.spark.read.format("kafka").options(**self.options(**options)).load()

    def read_stream(self, **options: str) -> Any:
        return self.spark.readStream.format("kafka").options(**self.options(**options)).load()

    def options(self, **options: str) -> dict[str, str]:
        return {"kafka.bootstrap.servers": self.bootstrap, **options}


PARTITIONS = 2
"""As the brokers' num.partitions: the sink's topics are made by its first metadata request."""


def say(*fields: str) -> None:
    print("\t".join(" ".join(field.split()) for field in fields), flush=True)


def same(what: str, expected: object, got: object) -> None:
    assert expected == got, f"{what}: expected {expected}, got {got}"


def numbers_of(frame: Any) -> list[int]:
    return sorted(int(row.key) for row in frame.selectExpr("cast(key as string) key").collect())


def batch_write_and_read(probe: Probe) -> None:
    probe.write("batch", range(20))
    rows = probe.read(subscribe="batch").selectExpr(
        "cast(key as string) key", "cast(value as string) value", "topic", "partition", "offset", "timestampType"
    )
    probe.saw("rows", sorted(map(str, rows.collect())))
    same("rows", 20, rows.count())


def batch_by_offsets(probe: Probe) -> None:
    probe.write("offsets", range(20))
    starting, ending = json.dumps({"offsets": {"0": 3, "1": -2}}), json.dumps({"offsets": {"0": 8, "1": -1}})
    frame = probe.read(subscribe="offsets", startingOffsets=starting, endingOffsets=ending)
    same("rows", [*range(1, 6, 2), *range(6, 16), 17, 19], numbers_of(frame))
    assigned = probe.read(assign=json.dumps({"offsets": [1]}))
    same("rows of partition 1", list(range(1, 20, 2)), numbers_of(assigned))


def batch_by_time(probe: Probe) -> None:
    probe.write("times", range(10))
    last = probe.read(subscribe="times").selectExpr("max(unix_millis(timestamp)) at").collect()[0]["at"]
    probe.write("times", range(10, 14))
    after = str(last + 1)
    same("after", [10, 11, 12, 13], numbers_of(probe.read(subscribe="times", startingTimestamp=after)))
    per_partition = json.dumps({"times": {"0": int(after), "1": int(after)}})
    same(
        "after, each",
        [10, 11, 12, 13],
        numbers_of(probe.read(subscribe="times", startingOffsetsByTimestamp=per_partition)),
    )
    same("before", list(range(10)), numbers_of(probe.read(subscribe="times", endingTimestamp=after)))


def batch_pattern_and_headers(probe: Probe) -> None:
    probe.write("pattern-a", range(4))
    probe.write("pattern-b", range(4, 8))
    same("both", list(range(8)), numbers_of(probe.read(subscribePattern="pattern-.*")))
    split = probe.read(subscribePattern="pattern-.*", minPartitions="8")
    same("in more partitions", list(range(8)), numbers_of(split))
    probe.saw("headers", probe.read(subscribe="pattern-a", includeHeaders="true").columns)


def _run_once(probe: Probe, frame: Any, name: str) -> None:
    """All there is now, then the end."""
    writer = frame.selectExpr("cast(key as string) key").writeStream.format("parquet").outputMode("append")
    checkpoint = f"{probe.folder}/{name}-checkpoint"
    query = writer.option("checkpointLocation", checkpoint).trigger(availableNow=True).start(f"{probe.folder}/{name}")
    assert query.awaitTermination(90), "the stream has not ended after 90 s"


def stream_with_checkpoint(probe: Probe) -> None:
    """A stream that is started again goes on where its checkpoint says."""
    probe.write("stream", range(10))
    source = {"subscribe": "stream", "startingOffsets": "earliest"}
    _run_once(probe, probe.read_stream(**source), "stream")

    def read() -> list[int]:
        return numbers_of(probe.spark.read.parquet(f"{probe.folder}/stream"))

    same("after the first run", list(range(10)), read())
    probe.write("stream", range(10, 15))
    _run_once(probe, probe.read_stream(**source), "stream")
    same("after the restart", list(range(15)), read())
    _run_once(probe, probe.read_stream(**source), "stream")
    same("nothing new", list(range(15)), read())


def stream_limited(probe: Probe) -> None:
    """Micro-batches of at most four rows, and as many of them as that needs."""
    probe.write("limited", range(12))
    frame = probe.read_stream(subscribe="limited", startingOffsets="earliest", maxOffsetsPerTrigger="4")
    _run_once(probe, frame, "limited")
    same("rows", list(range(12)), numbers_of(probe.spark.read.parquet(f"{probe.folder}/limited")))


def stream_continues(probe: Probe) -> None:
    """A stream that keeps running sees what comes later, and can be stopped."""
    probe.write("running", range(3))
    frame = probe.read_stream(subscribe="running", startingOffsets="earliest").selectExpr("cast(key as string) key")
    writer = frame.writeStream.format("memory").queryName("running").outputMode("append")
    query = writer.option("checkpointLocation", f"{probe.folder}/running").start()
    query.processAllAvailable()
    probe.write("running", range(3, 7))
    query.processAllAvailable()
    same("rows", 7, probe.spark.table("running").count())
    query.stop()


def stream_to_topic(probe: Probe) -> None:
    probe.write("from", range(6))
    frame = probe.read_stream(subscribe="from", startingOffsets="earliest").selectExpr(
        "key", "upper(cast(value as string)) value"
    )
    checkpoint = f"{probe.folder}/to-checkpoint"
    writer = frame.writeStream.format("kafka").options(**probe.options(topic="to", checkpointLocation=checkpoint))
    query = writer.trigger(availableNow=True).start()
    assert query.awaitTermination(90), "the stream has not ended after 90 s"
    copied = probe.read(subscribe="to").selectExpr("cast(value as string) value").collect()
    same("rows", [f"VALUE {number}" for number in range(6)], sorted(row.value for row in copied))


FEATURES: dict[str, Callable[[Probe], None]] = {
    "batch write and read": batch_write_and_read,
    "batch read by offsets": batch_by_offsets,
    "batch read by time": batch_by_time,
    "batch read of a pattern": batch_pattern_and_headers,
    "stream with checkpoint, restarted": stream_with_checkpoint,
    "stream in limited batches": stream_limited,
    "stream that keeps running": stream_continues,
    "stream written to a topic": stream_to_topic,
}


def main(bootstrap: str, folder: str, only: str = "") -> None:
    began = time.monotonic()
    spark = SparkSession.builder.appName("conformance").getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    say(f"a session took {time.monotonic() - began:.1f} s")
    for name, feature in FEATURES.items():
        if only not in name:
            continue
        began = time.monotonic()
        try:
            feature(Probe(spark, bootstrap, folder, name))
            say("@pass", name)
        except Exception as error:
            say("@fail", name, f"{type(error).__name__}: {str(error)[:600]}")
            traceback.print_exc(file=sys.stdout)
        say(f"{name} took {time.monotonic() - began:.1f} s")
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
