"""`make bench-pipeline`: what the pipeline costs on one core, whether a round's cost grows with the lake, how much memory it
takes.

Every measurement is a fresh process pinned to one core, Java and Python workers included; costs are CPU seconds of all of them
together, the clock beside. `python -m bench.pipeline 1,000,000 8,000,000` chooses the sizes, `--long` adds 32 million records
(8 GB of disk, half an hour), `--log-partitions 50` cuts the log as Kafka does, `--followed-minutes 1999` gives every topic the
history of its ends that a lake has which followed it for so long. Beside it: Kafka's DumpLogSegments, and the job over JSON lines
that one might write in an afternoon. Exit code 1 if something is beyond its floor.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from queue import Queue
from typing import TYPE_CHECKING, Any

from bench.bytecode import as_installed
from bench.pipeline_log import GROUPS, LOG_PARTITIONS, append_log, write_log

if TYPE_CHECKING:
    from muster.pipeline.round import RoundWriter
    from muster.pipeline.round_settings import Done
    from muster.pipeline.stopping import Stop
    from muster.pipeline.stream import PipelineQuery, QuerySettings, Watch

SIZES = (1_000_000, 2_000_000, 8_000_000)
LONG_SIZE = 32_000_000
SMALL = 1_000
ROUND = 10_000
MICRO = 100
WARM_ROUNDS = 20
"""So many micro-batches until Java has compiled what a round needs: the last five count."""
_RATIO = "the same on the largest lake, ratio"
FLOORS = {
    "small run, seconds": (15.0, 9.0),
    "first read, µs a record": (20.0, 8.3),
    "first read of 8M, µs a record": (14.3, 8.3),
    "10,000 new records, CPU s": (12.0, 6.0),
    _RATIO: (1.3, 1.1),
    "micro-batch of 100, warm, s": (4.0, 2.0),
    "a worker's memory, MB": (1_100.0, 600.0),
    "muster lag, s": (0.7, 0.4),
}
"""What must not be exceeded, and what is wanted."""


def main(sizes: tuple[int, ...] = SIZES, log_partitions: int = LOG_PARTITIONS, followed_minutes: int = 0) -> int:
    print(f"the pipeline on one core of {_machine()}")
    print(f"{log_partitions} log partitions, {GROUPS:,} groups; CPU of Python and Java together")
    judged = {"small run, seconds": _small_run(log_partitions)}
    columns = (
        ("records", 11),
        ("decode/s", 10),
        ("CPU s", 7),
        ("µs/rec", 7),
        ("clock s", 7),
        ("worker", 7),
        ("Java", 6),
        ("lake", 6),
        ("+10,000", 8),
        ("clock", 6),
        ("+100", 6),
        ("lag s", 6),
    )
    print("  " + "  ".join(f"{name:>{width}}" for name, width in columns))
    found: dict[int, dict[str, float]] = {}
    for size in sizes:
        with tempfile.TemporaryDirectory() as made:
            data, lake = Path(made, "data"), Path(made, "lake")
            records = write_log(data, size, log_partitions, followed_minutes)
            took = _child("decode", str(data)) | _child("first", str(data), str(lake))
            append_log(data, ROUND, seed=1)
            took |= _child("round", str(data), str(lake))
            took["lag"] = _lag_seconds(lake)
            found[records] = took
            _show(records, took)
            if size == sizes[0]:
                _show_others(data, records)
    judged |= _judged(found)
    beyond = _show_judged(judged, _sizes_compared(found))
    _show_growth(found)
    return 1 if beyond else 0


def _small_run(log_partitions: int) -> float:
    """The command as users run it; the first run of an installation makes the class archive and is not counted."""
    with tempfile.TemporaryDirectory() as made:
        data = Path(made, "data")
        write_log(data, SMALL, log_partitions)
        seconds = []
        for turn in range(3):
            command = ["pipeline", "run", "--from", str(data), "--lake", str(Path(made, f"lake{turn}"))]
            began = time.perf_counter()
            subprocess.run(
                [sys.executable, "-m", "muster", *command], env=as_installed(), stderr=subprocess.DEVNULL, check=True
            )
            seconds.append(time.perf_counter() - began)
    said = ", ".join(f"{each:.1f}" for each in seconds)
    print(f"  muster pipeline run of {SMALL:,} records: {said} s (the first may make the archive)")
    return statistics.median(seconds[1:])


def _lag_seconds(lake: Path) -> float:
    times = []
    for _ in range(5):
        began = time.perf_counter()
        subprocess.run([sys.executable, "-m", "muster", "lag", "--lake", str(lake), "--top", "5"], env=as_installed(),
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)  # fmt: skip
        times.append(time.perf_counter() - began)
    return statistics.median(times)


def _show(records: int, took: dict[str, float]) -> None:
    print(
        f"  {records:11,}  {records / took['decode']:10,.0f}  {took['cpu']:7.1f}  {took['cpu'] / records * 1e6:7.1f}"
        f"  {took['clock']:7.1f}"
        f"  {took['worker_mb']:7,.0f}  {took['java_mb']:6,.0f}  {took['lake_mb']:6,.0f}  {took['round_cpu']:8.1f}"
        f"  {took['round_clock']:6.1f}  {took['micro']:6.2f}  {took['lag']:6.2f}",
        flush=True,
    )


def _show_others(data: Path, records: int) -> None:
    """What else one would read the same log with."""
    from bench.pipeline_dump import RECORDED

    lines = _child("json", str(data))
    print(
        f"      Spark SQL over JSON lines, newest offsets and lag only: {lines['cpu'] / records * 1e6:.1f} µs a record of CPU"
    )
    dumped = _child("dump", str(data))
    if not dumped:
        print(
            f"      Kafka's DumpLogSegments: no jars here (`make conformance`); recorded elsewhere: {1e6 / RECORDED:.1f} µs"
        )
        return
    print(
        f"      Kafka's DumpLogSegments --offsets-decoder: {dumped['seconds'] / dumped['records'] * 1e6:.1f} µs a record of CPU"
    )


def _judged(found: dict[int, dict[str, float]]) -> dict[str, float]:
    each = {size: took["cpu"] / size * 1e6 for size, took in found.items()}
    near_2m, most = _near_2m(found), max(found)
    judged = {
        "first read, µs a record": each[near_2m],
        "10,000 new records, CPU s": found[near_2m]["round_cpu"],
        "micro-batch of 100, warm, s": found[near_2m]["micro"],
        "a worker's memory, MB": max(took["worker_mb"] for took in found.values()),
        "muster lag, s": found[near_2m]["lag"],
    }
    if most != near_2m:
        judged[_RATIO] = found[most]["round_cpu"] / found[near_2m]["round_cpu"]
    if most >= 7_000_000:
        judged["first read of 8M, µs a record"] = each[min(found, key=lambda size: abs(size - 8_000_000))]
    return judged


def _near_2m(found: dict[int, dict[str, float]]) -> int:
    return min(found, key=lambda size: abs(size - 2_000_000))


def _sizes_compared(found: dict[int, dict[str, float]]) -> str:
    return f"lakes of {max(found):,} and of {_near_2m(found):,} records"


def _show_judged(judged: dict[str, float], sizes_compared: str) -> list[str]:
    """The names of what is beyond its floor."""
    beyond = []
    for name, value in judged.items():
        floor, aim = FLOORS[name]
        verdict = "aim met" if value <= aim else "within the floor" if value <= floor else "BEYOND THE FLOOR"
        beyond += [name] if value > floor else []
        note = f" ({sizes_compared})" if name == _RATIO else ""
        print(f"  {name:38} {value:9.2f}   floor {floor:g}, aim {aim:g}: {verdict}{note}")
    return beyond


def _show_growth(found: dict[int, dict[str, float]]) -> None:
    if len(found) < 2:
        return
    for what, name in (("a first read", "cpu"), ("a round of 10,000", "round_cpu"), ("muster lag", "lag")):
        xs, ys = [math.log(size) for size in found], [math.log(took[name]) for took in found.values()]
        slope = statistics.linear_regression(xs, ys).slope
        print(f"  the cost of {what} grows with the records of the lake to the power of {slope:.2f}")


def _child(*arguments: str) -> dict[str, float]:
    ran = subprocess.run(
        [sys.executable, "-m", "bench.pipeline", "--measure", *arguments],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
        env=as_installed(),
    )
    answer: dict[str, float] = json.loads(ran.stdout.splitlines()[-1])
    return answer or {}


# -- in a process of its own


@contextmanager
def _query(
    data: str,
    lake: str,
    pending: int | None,
    settings: QuerySettings | None = None,
    watch: Watch | None = None,
    stop: Stop | None = None,
) -> Iterator[tuple[Any, PipelineQuery, RoundWriter]]:
    from muster.pipeline.lake.location import Location
    from muster.pipeline.lake.rounds import open_or_create
    from muster.pipeline.round import RoundWriter
    from muster.pipeline.round_settings import RoundSettings
    from muster.pipeline.session import SessionSettings, open_session
    from muster.pipeline.sources.run_source import directory_source
    from muster.pipeline.stopping import Stop
    from muster.pipeline.stream import PipelineQuery, QuerySettings, Watch
    from muster.pipeline.tables.settings import GoldSettings

    source, location = directory_source((data,), "bench"), Location.parse(lake)
    open_or_create(location)
    writer = RoundWriter(location, source, RoundSettings(GoldSettings(now_ms=0)))
    with open_session(SessionSettings(master="local[1]", pending_records=pending)) as spark:
        asked = settings or QuerySettings(), watch or Watch(), stop or Stop()
        yield spark, PipelineQuery(spark, location, source, writer, *asked), writer


def _timed(work: Callable[[], object]) -> tuple[float, float]:
    """(CPU of the family, clock)"""
    from bench.pipeline_processes import cpu_of_family

    began, cpu = time.perf_counter(), cpu_of_family()
    work()
    return cpu_of_family() - cpu, time.perf_counter() - began


def measure_first(data: str, lake: str) -> dict[str, float]:
    """From an empty lake to all tables; the session's start is not counted, the first row of a worker is."""
    from bench.pipeline_processes import Watched
    from muster.pipeline.sources.run_source import directory_source

    pending = sum(end for places in directory_source((data,), "bench").ends().values() for end in places.values())
    with _query(data, lake, pending) as (_, query, _), Watched() as memory:
        cpu, clock = _timed(query.run)
    size = sum(file.stat().st_size for file in Path(lake).rglob("*.parquet"))
    took = {"cpu": cpu, "clock": clock, "lake_mb": size / 1e6}
    return took | {"worker_mb": memory.worker_mb, "java_mb": memory.java_mb}


def measure_round(data: str, lake: str) -> dict[str, float]:
    """10,000 new records on the lake, in a young Java; then micro-batches of 100, while `--follow` goes on."""
    from bench.pipeline_processes import Watched

    with _query(data, lake, ROUND) as (_, query, _), Watched():
        cpu, clock = _timed(query.run)
    return {"round_cpu": cpu, "round_clock": clock, "micro": statistics.median(followed_rounds(data, lake)[-5:])}


def followed_rounds(data: str, lake: str, rounds: int = WARM_ROUNDS) -> list[float]:
    """Seconds from the moment at which 100 records are appended to the moment at which readers see them in all tables."""
    from muster.pipeline.stopping import Stop
    from muster.pipeline.stream import QuerySettings, Watch

    published: Queue[Done | None] = Queue()
    stop = Stop()
    settings = QuerySettings(every_ms=_EVERY_MS, gold_every_ms=1)
    took = []
    with (
        _query(data, lake, None, settings, Watch(gold=published.put), stop) as (_, query, _),
        ThreadPoolExecutor(1) as pool,
    ):
        following = pool.submit(query.follow)
        try:
            for turn in range(rounds):
                append_log(Path(data), MICRO, seed=2 + turn)
                began = time.perf_counter()
                while not _has_records(published.get(timeout=300)):
                    pass
                took.append(time.perf_counter() - began)
        finally:
            stop.set()
            following.result()
    return took


_EVERY_MS = 100
"""Between two looks for news. The tables of now are always due: a round with news that did not make them would not be seen."""


def _has_records(done: Done | None) -> bool:
    return done is not None and done.records > 0


def measure_json(data: str) -> dict[str, float]:
    """The newest offset of each key and its lag, by Spark SQL over a file of JSON lines as an exporter might write it."""
    from bench.pipeline_json import lag_over_json_lines, write_json_lines

    lines = Path(data).with_name("lines")
    write_json_lines(Path(data), lines)
    try:
        cpu, clock = _timed(lambda: lag_over_json_lines(lines))
    finally:
        shutil.rmtree(lines)
    return {"cpu": cpu, "clock": clock}


def measure(what: str, *arguments: str) -> dict[str, float] | None:
    from bench.pipeline_decode import measure_decode
    from bench.pipeline_dump import measure_dump

    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    match what:
        case "decode":
            return measure_decode(Path(arguments[0]))
        case "dump":
            return measure_dump(Path(arguments[0]))
        case "json":
            return measure_json(arguments[0])
        case "first":
            return measure_first(*arguments)
        case _:
            return measure_round(*arguments)


def _parsed(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m bench.pipeline", description="What the pipeline costs on one core."
    )
    parser.add_argument("sizes", nargs="*", type=lambda text: int(text.replace(",", "")), help="records of the lakes")
    parser.add_argument("--long", action="store_true", help=f"also {LONG_SIZE:,} records")
    parser.add_argument("--log-partitions", metavar="N", type=int, default=LOG_PARTITIONS, help=f"({LOG_PARTITIONS})")
    parser.add_argument("--followed-minutes", metavar="N", type=int, default=0, help="batches of each topic partition")
    wanted = parser.parse_args(arguments)
    wanted.sizes = (*(wanted.sizes or SIZES), *([LONG_SIZE] if wanted.long else []))
    return wanted


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
        wanted = _parsed(sys.argv[1:])
        sys.exit(main(wanted.sizes, wanted.log_partitions, wanted.followed_minutes))
