"""`make bench-pipeline`: how fast the pipeline goes on one core, whether its cost is linear, how much memory it takes.

Every measurement is a fresh process pinned to one core, Java and Python workers included. Rates are without the session's start.
`python -m bench.pipeline 1,000,000 8,000,000` chooses the sizes, `--long` adds 32 million records (4 GB of disk, some minutes).
"""

from __future__ import annotations

import json
import math
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from bench.bytecode import as_installed
from bench.pipeline_log import GROUPS, LOG_PARTITIONS, write_log

if TYPE_CHECKING:
    from pyarrow import RecordBatch
    from pyspark.sql import SparkSession

SIZES = (1_000_000, 2_000_000, 8_000_000)
LONG_SIZE = 32_000_000
SESSION_RUNS = 3
SESSION_LIMIT_S = 8.0
FLOORS = {"decode": (400_000, 1_000_000), "current": (500_000, 800_000), "cpu": (100_000, 250_000)}
"""Records a second of a core's time that must be, and that are wanted (`cpu`: segments to bronze, silver and gold)."""


def main(sizes: tuple[int, ...] = SIZES) -> None:
    print(f"the pipeline on one core of {_machine()}")
    _show_session()
    print(
        f"  {'records':>11}  {'decode':>10}  {'current':>10}  {'read':>9}  {'tables':>9}  {'all':>9}  of CPU   worker   Java   lake"
    )
    found: dict[int, dict[str, float]] = {}
    dumped = None
    for size in sizes:
        with tempfile.TemporaryDirectory() as made:
            data, lake = Path(made, "data"), Path(made, "lake")
            records = write_log(data, size)
            found[records] = _child("decode", str(data)) | _child("run", str(data), str(lake))
            _show(records, found[records])
            dumped = dumped or _child("dump", str(data))
    print(
        "    records a second: decode and current offsets by CPU of one process; read (segments to bronze and decoded rows),"
    )
    print(
        "    tables (finished silver and gold) and all by the clock; `of CPU` is all by CPU of Java and Python together."
    )
    print(f"    {LOG_PARTITIONS} log partitions, {GROUPS:,} groups. Memory in MB at its peak, lake in MB.")
    _judge(found)
    _show_dump(dumped)


def _show_session() -> None:
    runs = [_child("session") for _ in range(SESSION_RUNS + 1)][1:]  # the first makes the class archive
    seconds, cpu = (statistics.median(run[name] for run in runs) for name in ("seconds", "cpu"))
    print(
        f"  session start to a first row from a Python worker: {seconds:.1f} s, {cpu:.1f} s of CPU (limit {SESSION_LIMIT_S:.0f} s)"
    )


def _show(records: int, took: dict[str, float]) -> None:
    rates = [records / took[name] for name in ("decode", "current", "read", "gold", "all", "cpu")]
    shown = "  ".join(f"{rate:{width},.0f}" for rate, width in zip(rates, (10, 10, 9, 9, 9, 7), strict=True))
    memory = f"{took['worker_mb']:6,.0f}  {took['java_mb']:5,.0f}  {took['lake_mb']:5,.0f}"
    print(f"  {records:11,}  {shown}  {memory}", flush=True)


def _judge(found: dict[int, dict[str, float]]) -> None:
    most = max(found)
    for name, (floor, target) in FLOORS.items():
        rate = most / found[most][name]
        verdict = "target met" if rate >= target else "above the floor" if rate >= floor else "BELOW THE FLOOR"
        what = "all" if name == "cpu" else name
        print(f"  {what} at {most:,}: {rate:,.0f}/s of CPU, floor {floor:,}, target {target:,}: {verdict}")
    if len(found) > 1:
        print(f"  cost grows with the records to the power of {_exponent({n: t['cpu'] for n, t in found.items()}):.2f}")


def _exponent(seconds: dict[int, float]) -> float:
    """The slope of log cost over log size: 1 is linear."""
    xs, ys = [math.log(size) for size in seconds], [math.log(took) for took in seconds.values()]
    return statistics.linear_regression(xs, ys).slope


def _show_dump(dumped: dict[str, float] | None) -> None:
    from bench.pipeline_dump import RECORDED

    if not dumped:
        print(
            f"  Kafka's DumpLogSegments: its jars are not here (`make conformance`); recorded elsewhere: {RECORDED:,}/s"
        )
        return
    rate = dumped["records"] / dumped["seconds"]
    print(
        f"  Kafka's DumpLogSegments --offsets-decoder, same log: {rate:,.0f} records/s of CPU ({dumped['records']:,.0f} records)"
    )


def _child(*arguments: str) -> dict[str, float]:
    ran = subprocess.run(
        [sys.executable, "-m", "bench.pipeline", "--measure", *arguments],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
        env=as_installed(),
    )
    answer: dict[str, float] = json.loads(ran.stdout.splitlines()[-1])
    return answer


def measure_session() -> dict[str, float]:
    began = time.perf_counter()
    from bench.pipeline_processes import cpu_of_family
    from muster.pipeline.session import SessionSettings, open_session

    with open_session(SessionSettings(master="local[1]")) as spark:
        _first_row(spark)
        return {"seconds": time.perf_counter() - began, "cpu": cpu_of_family()}


def _first_row(spark: SparkSession) -> None:
    """Java, the Python worker behind it, and the way between them are up."""
    assert spark.range(1).mapInArrow(_as_they_are, "id long").collect()


def _as_they_are(batches: Iterator[RecordBatch]) -> Iterator[RecordBatch]:
    yield from batches


def measure_run(data: str, lake: str) -> dict[str, float]:
    from bench.pipeline_processes import Watched, cpu_of_family
    from muster.pipeline.old.jobs import RunSettings, Watch, gold_round, read_round
    from muster.pipeline.old.jobs_sources import directory_source
    from muster.pipeline.old.lake import Lake
    from muster.pipeline.session import SessionSettings, open_session

    source = directory_source((data,), "bench")
    settings = SessionSettings(master="local[1]")
    with Lake.open_or_create(lake).write() as writer, open_session(settings) as spark, Watched() as memory:
        _first_row(spark)
        began, cpu = time.perf_counter(), cpu_of_family()
        read_round(spark, writer, source, RunSettings(), Watch())
        read = time.perf_counter() - began
        gold_round(spark, writer, source, RunSettings(), Watch())
        everything = time.perf_counter() - began
        used = cpu_of_family() - cpu
        size = sum(file.size for table in writer.manifest.tables for file in writer.manifest.files(table))
    took = {"read": read, "gold": everything - read, "all": everything, "cpu": used}
    return took | {"worker_mb": memory.worker_mb, "java_mb": memory.java_mb, "lake_mb": size / 1e6}


def measure(what: str, *arguments: str) -> dict[str, float] | None:
    from bench.pipeline_decode import measure_decode
    from bench.pipeline_dump import measure_dump

    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    match what:
        case "session":
            return measure_session()
        case "decode":
            return measure_decode(Path(arguments[0]))
        case "dump":
            return measure_dump(Path(arguments[0]))
        case _:
            return measure_run(*arguments)


def _machine() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            name, load = line.partition(":")[2].strip(), os.getloadavg()[0]
            return f"{name}, {os.cpu_count()} cores, Python {platform.python_version()}, load {load:.1f} when it began"
    return platform.processor() or platform.machine()


if __name__ == "__main__":
    if "--measure" in sys.argv:
        print(json.dumps(measure(*sys.argv[sys.argv.index("--measure") + 1 :])))
    else:
        given = tuple(int(each.replace(",", "")) for each in sys.argv[1:] if each != "--long") or SIZES
        main((*given, LONG_SIZE) if "--long" in sys.argv else given)
