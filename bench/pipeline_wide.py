"""The widest log that the pipeline was made for, through the command as users run it: a million keys of 10,000 groups.

A part of `make bench-pipeline`. `python -m bench.pipeline_wide` writes 10,000 groups that each commit 100 of 100,000 partitions
four times, then runs `muster pipeline run`, `muster lag` and `muster status` over it, and prints seconds and memory. Some minutes,
2 GB of disk. The exit code is 1 if a command fails or a position has no end of its topic. `python -m bench.pipeline_wide 100 10`
takes 100 groups and 10 topics instead of 10,000 and 1,000.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench.pipeline_log import write_wide_log
from bench.pipeline_processes import Watched
from muster.pipeline.lake.reader import Lake

GROUPS, TOPICS, PARTITIONS, ROUNDS = 10_000, 1_000, 100, 4
"""Groups and topics, of so many partitions; each group commits all of one topic so many times."""
QUESTIONS = (
    ("lag", "--top", "20"),
    ("lag", "--group", "team-1.service-1"),
    ("status", "--top", "20"),
    ("doctor",),
)


def main(groups: int = GROUPS, topics: int = TOPICS) -> int:
    with tempfile.TemporaryDirectory() as made:
        data, lake = Path(made, "data"), Path(made, "lake")
        began = time.perf_counter()
        records = write_wide_log(data, groups, topics, PARTITIONS, ROUNDS)
        print(
            f"{groups * PARTITIONS:,} keys, {groups:,} groups, {topics * PARTITIONS:,} partitions, {records:,} records "
            f"(written in {time.perf_counter() - began:.0f} s)"
        )
        failed = [_timed("pipeline", "run", "--from", str(data), "--lake", str(lake))]
        failed += [_timed(*question, "--lake", str(lake)) for question in QUESTIONS]
        ends = Lake.open(lake).arrow("g_lag", ["end"])["end"]
        known = len(ends) - ends.null_count
        print(f"  {known:,} positions with the end of their topic partition")
    return 1 if any(failed) or known != groups * PARTITIONS else 0


def _timed(*command: str) -> int:
    began = time.perf_counter()
    with Watched() as watched:
        ran = subprocess.run([sys.executable, "-m", "muster", *command], stdout=subprocess.PIPE, text=True)
    shown = " ".join(word for word in command if "/" not in word)
    memory = f", a worker {watched.worker_mb:,.0f} MB, Java {watched.java_mb:,.0f} MB" if watched.java_mb else ""
    seconds = f"{time.perf_counter() - began:.1f} s, {watched.cpu_seconds:.1f} s of CPU"
    print(f"  muster {shown}: {seconds}{memory}, exit {ran.returncode}")
    print("".join(f"      {line}\n" for line in ran.stdout.splitlines()[-3:]), end="", flush=True)
    return ran.returncode


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
