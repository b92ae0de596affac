"""What a session is started with: how to reach Spark, for how much work, and Spark's settings that follow from it.

Pure: names and numbers in, a mapping out. Knows no table and starts nothing; `session` does.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Final

CONNECT: Final = "sc://"
OF_A_SESSION: Final = "spark.sql."
_ELSEWHERE: Final = ("yarn", "k8s://")
"""Masters whose workers have a Python of their own, under a path that is not ours."""
_TINY_RECORDS: Final = 20_000
_SHORT_RECORDS: Final = 500_000
_CLUSTER_REDUCERS: Final = 64


class JobSize(Enum):
    """How much work is waiting, which decides how Java compiles.

    Measured on one core: a record of a first read costs 11 µs more through C1's code than through C2's, and C2 costs 6 s more
    until everything is warm: 300,000 records 19 and 22 s, a million 32 and 28 s. For some thousand records planning and generating
    code is all that costs: Spark generates none then, but for tables of many rows (`generated_code`).
    """

    TINY = "tiny"
    SHORT = "short"
    LONG = "long"


@dataclass(frozen=True, slots=True)
class SessionSettings:
    """How to reach Spark, and for how much work.

    `extra` is what the user named, by `--conf` or to `spark-submit`, and wins over everything chosen here.
    """

    master: str = "local[*]"
    app_name: str = "muster"
    driver_memory: str = "1g"
    pending_records: int | None = 0
    """About how many records are waiting to be read. None: nobody knows, or a stream without an end."""
    ui_port: int | None = None
    """Of Spark's web page, which shows the query; 0 is any free port, None no page."""
    lake_url: str | None = None
    """Where tasks are going to write, as Spark names it: tried before the session is given out."""
    packages: tuple[str, ...] = ()
    extra: Mapping[str, str] = field(default_factory=dict, repr=False)  # may hold secrets

    @property
    def is_connect(self) -> bool:
        return self.master.startswith(CONNECT)

    @property
    def is_local(self) -> bool:
        return self.master.startswith("local")

    @property
    def has_own_pythons(self) -> bool:
        return self.master.startswith(_ELSEWHERE)

    @property
    def size(self) -> JobSize:
        if self.pending_records is None or self.pending_records >= _SHORT_RECORDS:
            return JobSize.LONG
        return JobSize.TINY if self.pending_records < _TINY_RECORDS else JobSize.SHORT


def java_options(size: JobSize, java_version: int) -> list[str]:
    """Of driver and executors."""
    options = ["-XX:+UseParallelGC", *_C2_FOR_ROWS]
    if size is not JobSize.LONG:
        # C1 alone reserves 48 MB for code, which the tables fill
        options = ["-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:ReservedCodeCacheSize=240m"]
    options += _ARROW
    if java_version <= _LAST_JAVA_WITH_VFORK:
        # Hadoop starts a `chmod` for every local file and directory, some 400 in a small run; with a helper process between, each
        # costs twice as much.
        options.append("-Djdk.lang.Process.launchMechanism=VFORK")
    return options


_LAST_JAVA_WITH_VFORK: Final = 21
_ARROW: Final = ("-Darrow.enable_unsafe_memory_access=true", "-Darrow.enable_null_check_for_get=false")
"""Arrow checks bounds, and that a buffer was not freed, at every value that Spark reads of a vector: a twelfth of writing a row."""
_C2_FOR_ROWS: Final = (
    "-XX:Tier4InvocationThreshold=40000",
    "-XX:Tier4MinInvocationThreshold=5000",
    "-XX:Tier4CompileThreshold=120000",
    "-XX:Tier4BackEdgeThreshold=320000",
)
"""Eight times Java's own: what runs for every row gets there soon, planning stays with C1. C2 was a third of a first read."""


def spark_settings(
    settings: SessionSettings, driver_options: list[str], worker_options: list[str] | None = None
) -> dict[str, str]:
    """All settings of a session that is ours from the start."""
    chosen = {
        **session_settings(settings),
        "spark.driver.memory": settings.driver_memory,
        "spark.driver.extraJavaOptions": " ".join(driver_options),
        "spark.executor.extraJavaOptions": " ".join(driver_options if worker_options is None else worker_options),
        "spark.ui.enabled": "false" if settings.ui_port is None else "true",
        "spark.ui.showConsoleProgress": "false",
        "spark.log.level": "ERROR",
        "spark.sql.shuffle.partitions": str(reducers(settings.master)),
        # A plan is a scan or a kernel, a projection and a write: nothing to fuse, and Java spends seconds on compiling it fused.
        "spark.sql.codegen.wholeStage": "false",
        **_HADOOP,
    }
    if settings.ui_port is not None:
        chosen["spark.ui.port"] = str(settings.ui_port)
    if settings.size is JobSize.TINY:
        chosen |= _TINY
    if settings.is_local:
        chosen |= {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"}
        # A local master offers its cores again only when a task ends: one that waits for a core nearer to its HDFS block would wait
        # for ever after the last one.
        chosen["spark.locality.wait"] = "0s"
        # Plans are made again between stages to fit a cluster's data to its cores: here there are as many reducers as cores anyway.
        chosen["spark.sql.adaptive.enabled"] = "false"
        # The checkpoint's files without checksum files beside them: half as many, and as safe as the file system.
        chosen["spark.hadoop.fs.AbstractFileSystem.file.impl"] = "org.apache.hadoop.fs.local.RawLocalFs"
    if settings.packages:
        chosen["spark.jars.packages"] = ",".join(settings.packages)
    return chosen | dict(settings.extra)


def session_settings(settings: SessionSettings) -> dict[str, str]:
    """What belongs to a session and is needed on every master, somebody else's server included."""
    return {
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.parquet.compression.codec": "zstd",
        "spark.sql.execution.arrow.pyspark.enabled": "true",
        "spark.sql.execution.arrow.maxRecordsPerBatch": "65536",
        # Any other limit makes Java add up the size of the batch after every row, which is quadratic where columns are lists.
        "spark.sql.execution.arrow.maxBytesPerBatch": "2147483647",
        # `part=00` and `batch=00000001-...` of the lake's directories are names, not numbers.
        "spark.sql.sources.partitionColumnTypeInference.enabled": "false",
        # One job writes the files of all tables: with so many files open at once its rows need not be sorted by table first.
        "spark.sql.maxConcurrentOutputFileWriters": "256",
        "spark.sql.streaming.noDataMicroBatches.enabled": "false",
        **(settings.extra if settings.is_connect else {}),
    }


def patient_master(master: str) -> str:
    """A local master that tries a failed task again, as all others do: by itself it gives up when one Python worker dies."""
    if master == "local":
        return f"local[1,{_TASK_TRIES}]"
    is_plain = master.startswith("local[") and "," not in master
    return master.replace("]", f",{_TASK_TRIES}]") if is_plain else master


_TASK_TRIES: Final = 4


def reducers(master: str) -> int:
    """The cores of a local master, a moderate number where the cluster decides."""
    if not master.startswith("local"):
        return _CLUSTER_REDUCERS
    inside = master.removeprefix("local").strip("[]").split(",")[0]
    if inside == "*":
        return os.cpu_count() or 1
    return int(inside) if inside.isdigit() else 1


_TINY: Final = {
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.shuffle.partitions": "1",
    "spark.shuffle.compress": "false",
}
_HADOOP: Final = {
    # Delta's log says which files count: marker files would only be litter in the lake.
    "spark.hadoop.mapreduce.fileoutputcommitter.marksuccessfuljobs": "false",
    "spark.hadoop.mapreduce.fileoutputcommitter.algorithm.version": "2",
    # A store that does not answer is reported after seconds; the defaults try for up to a quarter of an hour.
    "spark.hadoop.ipc.client.connect.timeout": "5000",
    "spark.hadoop.ipc.client.connect.max.retries": "3",
    "spark.hadoop.ipc.client.connect.max.retries.on.timeouts": "2",
    "spark.hadoop.fs.s3a.connection.establish.timeout": "5s",
    "spark.hadoop.fs.s3a.attempts.maximum": "3",
    "spark.hadoop.fs.s3a.retry.limit": "3",
}
