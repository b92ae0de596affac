"""The widest log that the pipeline was made for, through the command as users run it: a million keys of 10,000 groups.

`python -m bench.pipeline_wide` writes 10,000 groups that each commit 100 of 100,000 partitions four times, then runs
`muster pipeline run`, `muster lag` and `muster status` over it, and prints seconds and memory. Some minutes, 2 GB of disk.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench.pipeline_log import write_wide_log
from bench.pipeline_processes import Watched

GROUPS, TOPICS, PARTITIONS, ROUNDS = 10_000, 1_000, 100, 4
QUESTIONS = (
    ("lag", "--top", "20"),
    ("lag", "--group", "team-1.service-1"),
    ("status", "--top", "20"),
    ("doctor",),
)


def main() -> None:
    with tempfile.TemporaryDirectory() as made:
        data, lake = Path(made, "data"), Path(made, "lake")
        began = time.perf_counter()
        records = write_wide_log(data, GROUPS, TOPICS, PARTITIONS, ROUNDS)
        print(
            f"{GROUPS * PARTITIONS:,} keys, {GROUPS:,} groups, {TOPICS * PARTITIONS:,} partitions, {records:,} records "
            f"(written in {time.perf_counter() - began:.0f} s)"
        )
        _timed("pipeline", "run", "--from", str(data), "--lake", str(lake))
        for question in QUESTIONS:
            _timed(*question, "--lake", str(lake))


def _timed(*command: str) -> None:
    began = time.perf_counter()
    with Watched() as watched:
        ran = subprocess.run([sys.executable, "-m", "muster", *command], stdout=subprocess.PIPE, text=True)
    shown = " ".join(word for word in command if "/" not in word)
    memory = f", a worker {watched.worker_mb:,.0f} MB, Java {watched.java_mb:,.0f} MB" if watched.java_mb else ""
    seconds = f"{time.perf_counter() - began:.1f} s, {watched.cpu_seconds:.1f} s of CPU"
    print(f"  muster {shown}: {seconds}{memory}, exit {ran.returncode}")
    print("".join(f"      {line}\n" for line in ran.stdout.splitlines()[-3:]), end="", flush=True)


if __name__ == "__main__":
    main()
