"""Segments to bronze, silver and gold through Spark on one core, and how long a session takes to its first row.

Every measurement is a fresh process pinned to one core, Java and Python workers included. Rates are without the session's start.
`python -m bench.pipeline RECORDS` chooses the size (2,000,000), several sizes show whether cost is linear.
"""

from __future__ import annotations

import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench.pipeline_decode import GROUPS, NOW_MS, TOPICS, write_segments

RECORDS = 2_000_000
SESSION_RUNS = 3
GOLD_FLOOR, GOLD_TARGET = 100_000, 250_000
SESSION_LIMIT_S = 8.0
SHORT_JOB_RECORDS = 3_000_000
"""As `muster pipeline run` decides whether Java's optimising compiler is worth its time."""
_BATCHES_A_TOPIC_PARTITION = 10


def main(sizes: tuple[int, ...] = (RECORDS,)) -> None:
    print(f"pipeline on Spark, one core of {_machine()}")
    seconds = [_child("session")["seconds"] for _ in range(SESSION_RUNS + 1)][
        1:
    ]  # the first one makes the class archive
    print(f"  session start to first row: median {statistics.median(seconds):.1f} s (limit {SESSION_LIMIT_S:.0f} s)")
    for size in sizes:
        with tempfile.TemporaryDirectory() as made:
            directory = Path(made)
            written = write_segments(directory / "data", size)
            _write_topics(directory / "data", written)
            print(f"  {written:,} records, {GROUPS:,} groups")
            _show(_child("run", str(directory / "data"), str(directory / "lake")), written)


def _show(took: dict[str, float], records: int) -> None:
    read, gold = took["read"], took["gold"]
    rate = records / (read + gold)
    print(f"    segments to bronze and decoded rows  {read:8.1f} s  {records / read:10,.0f} records/s")
    print(f"    finished silver and gold             {gold:8.1f} s  {records / gold:10,.0f} records/s")
    verdict = "target met" if rate >= GOLD_TARGET else "above the floor" if rate >= GOLD_FLOOR else "BELOW THE FLOOR"
    print(f"    in all                               {read + gold:8.1f} s  {rate:10,.0f} records/s  {verdict}")
    print(f"    (floor {GOLD_FLOOR:,}, target {GOLD_TARGET:,})")
    print(
        f"    CPU {took['cpu']:.1f} s; most memory of a Python worker {took['worker_mb']:.0f} MB; lake {took['lake_mb']:.0f} MB"
    )


def _child(*arguments: str) -> dict[str, float]:
    ran = subprocess.run(
        [sys.executable, "-m", "bench.pipeline", "--measure", *arguments], stdout=subprocess.PIPE, text=True, check=True
    )
    answer: dict[str, float] = json.loads(ran.stdout.splitlines()[-1])
    return answer


def measure_session() -> dict[str, float]:
    began = time.perf_counter()
    from muster.pipeline.session import SessionSettings, open_session

    with open_session(SessionSettings(master="local[1]")) as spark:
        spark.range(1_000).selectExpr("sum(id)").collect()
        return {"seconds": time.perf_counter() - began}


def measure_run(data: str, lake: str) -> dict[str, float]:
    from muster.pipeline.jobs import RunSettings, Watch, gold_round, read_round
    from muster.pipeline.jobs_ingest import records_ahead
    from muster.pipeline.jobs_sources import directory_source
    from muster.pipeline.lake import Lake
    from muster.pipeline.session import SessionSettings, open_session

    source = directory_source((data,), "bench")
    lake_to_write = Lake.open_or_create(lake)
    with lake_to_write.write() as writer:
        short = records_ahead(writer, source) < SHORT_JOB_RECORDS
    settings = SessionSettings(master="local[1]", driver_memory="2g", short_job=short)
    with lake_to_write.write() as writer, open_session(settings) as spark:
        spark.range(1).collect()
        began, cpu = time.perf_counter(), _cpu_of_all()
        read_round(spark, writer, source, RunSettings(), Watch())
        read = time.perf_counter() - began
        worker_mb = _worker_mb()
        gold_round(spark, writer, source, RunSettings(), Watch(step=_progress))
        gold = time.perf_counter() - began - read
        used = _cpu_of_all() - cpu
        size = sum(file.size for table in writer.manifest.tables for file in writer.manifest.files(table))
    return {"read": read, "gold": gold, "cpu": used, "worker_mb": worker_mb, "lake_mb": size / 1e6}


def _progress(step: str) -> None:
    print(f"      making {step}", file=sys.stderr)


def _write_topics(directory: Path, records: int) -> None:
    """The users' topics: 20 partitions each, written at an even pace as long as the commits go on."""
    from muster.wire.batch import encode_pairs, with_offset_and_epoch

    step = max(1, records // _BATCHES_A_TOPIC_PARTITION)
    for topic in range(TOPICS):
        for partition in range(20):
            folder = directory / f"events.topic-{topic}-{partition}"
            folder.mkdir()
            batches = [
                with_offset_and_epoch(encode_pairs([(None, b"x")], NOW_MS + n * step), n * step, 0)
                for n in range(_BATCHES_A_TOPIC_PARTITION)
            ]
            (folder / f"{0:020d}.log").write_bytes(b"".join(batches))


def _descendants() -> list[int]:
    children: dict[int, list[int]] = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                parent = int(Path("/proc", entry, "stat").read_text().rpartition(")")[2].split()[1])
            except (OSError, IndexError):
                continue
            children.setdefault(parent, []).append(int(entry))
    found, look_at = [], [os.getpid()]
    while look_at:
        found.append(look_at.pop())
        look_at += children.get(found[-1], [])
    return found


def _cpu_of_all() -> float:
    """CPU seconds of this process and all below it, the ended ones that were waited for included."""
    ticks = 0
    for pid in _descendants():
        try:
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        ticks += sum(int(field) for field in fields[11:15])
    return ticks / os.sysconf("SC_CLK_TCK")


def _worker_mb() -> float:
    """The most memory that any Python worker of Spark had so far."""
    most = 0
    for pid in _descendants()[1:]:
        try:
            if "pyspark.daemon" in Path(f"/proc/{pid}/cmdline").read_text():
                status = Path(f"/proc/{pid}/status").read_text()
                most = max(most, int(status.partition("VmHWM:")[2].split()[0]))
        except (OSError, ValueError, IndexError):
            continue
    return most / 1024


def _machine() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return f"{line.partition(':')[2].strip()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    return platform.processor() or platform.machine()


if __name__ == "__main__":
    if "--measure" in sys.argv:
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
        what, *rest = sys.argv[sys.argv.index("--measure") + 1 :]
        print(json.dumps(measure_session() if what == "session" else measure_run(*rest)))
    else:
        main(tuple(int(argument.replace(",", "")) for argument in sys.argv[1:]) or (RECORDS,))
