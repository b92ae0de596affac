"""`make pipeline-follow`: `muster pipeline run --follow` on a Spark cluster, beside a busy server, with two accidents.

A real `muster serve` that takes 2,000 commits a second, records, and a group whose members come and go; a standalone Spark master
and a worker with one executor. The executor is killed and the server restarted. `follow_judge` says what must hold at the end, and
`follow_compare` whether a rebuild gives the same tables; every line that begins with FAILED is something that does not, and makes
the exit code 1. `python -m bench.pipeline_follow 30` runs for 30 minutes; 2 are enough to see that everything works.
"""

from __future__ import annotations

import math
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

from bench.follow_judge import (
    ACCIDENTS,
    EVERY_S,
    GOLD_EVERY_S,
    KILL,
    MEMORY_FROM_MINUTES,
    RESTART,
    Look,
    Story,
    failures,
    thirds,
)
from bench.follow_load import Load, Server
from bench.pipeline_processes import below, family
from muster.pipeline.lake.location import Location
from muster.pipeline.lake.rounds import Round, last_round
from muster.pipeline.sources.run_source import BrokerSource, broker_source
from tests.pipeline.jobs.standalone import standalone_cluster

CONF = {
    "spark.driver.host": "127.0.0.1",
    "spark.cores.max": "1",
    "spark.executor.cores": "1",
    "spark.sql.shuffle.partitions": "2",  # as many as pay on one core; a cluster's default is 64
}
_LOOK_EVERY_S = 2
_PATIENCE_S = 300


class FollowingRun:
    """`muster pipeline run --follow` as a process. What it says is printed too."""

    def __init__(self, bootstrap: str, lake: Path, master: str) -> None:
        source = ["--bootstrap", bootstrap, "--lake", str(lake), "--master", master]
        every = ["--follow", "--every", f"{EVERY_S}s", "--gold-every", f"{GOLD_EVERY_S}s"]
        conf = [word for name, value in CONF.items() for word in ("--conf", f"{name}={value}")]
        self._process = subprocess.Popen(
            [sys.executable, "-m", "muster", "pipeline", "run", *source, *every, *conf],
            stderr=subprocess.PIPE,
            text=True,
        )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def is_running(self) -> bool:
        return self._process.poll() is None

    def _read(self) -> None:
        assert self._process.stderr is not None
        for line in self._process.stderr:
            print(f"  {line.rstrip()}", flush=True)

    def __enter__(self) -> FollowingRun:
        return self

    def __exit__(self, *_: object) -> None:
        if self.is_running:
            self._process.kill()
            self._process.wait()

    def stop(self) -> int:
        """Ctrl-C; the exit code."""
        self._process.send_signal(signal.SIGINT)
        code = self._process.wait(_PATIENCE_S)
        self._reader.join()
        return code


class Beside:
    """Looks at the run, its executor and its lake from time to time, and brings the accidents about."""

    def __init__(self, run: FollowingRun, server: Server, lake: Path, minutes: float) -> None:
        self._run = run
        self._lake = lake
        self._doing: dict[str, Callable[[], None]] = {KILL: self._kill_executor, RESTART: server.restart}
        self.story = Story(minutes)

    def watch(self) -> None:
        """From the first round on, for so many minutes."""
        self._await_first_round()
        began = time.monotonic()
        length_s = self.story.minutes * 60
        while (passed := time.monotonic() - began) < length_s and self._run.is_running:
            looked = self._look(passed)
            self.story.looks.append(looked)
            for accident, share in ACCIDENTS.items():
                if passed >= share * length_s and accident not in self.story.accidents and looked.executor is not None:
                    print(f"  -- {accident}", flush=True)
                    self.story.accidents[accident] = looked
                    self._doing[accident]()
            time.sleep(_LOOK_EVERY_S)

    def measure_delay(self, source: BrokerSource) -> None:
        """How long it takes until what is in the log now can be read in the lake. The load goes on meanwhile."""
        began = time.monotonic()
        written = sum(end for places in source.ends().values() for end in places.values())
        self.story.behind = max(0, written - self._records())
        while self._records() < written:
            if not self._run.is_running or time.monotonic() - began > _PATIENCE_S:
                self.story.late_s = math.inf
                return
            time.sleep(0.1)
        self.story.late_s = time.monotonic() - began

    def _await_first_round(self) -> None:
        until = time.monotonic() + _PATIENCE_S
        while not self._records():
            if not self._run.is_running or time.monotonic() > until:
                raise SystemExit("FAILED: the run published no first round")
            time.sleep(0.2)

    def _published(self) -> Round | None:
        return last_round(Location.parse(self._lake))

    def _records(self) -> int:
        last = self._published()
        return last.records if last else 0

    def _look(self, at_s: float) -> Look:
        last, executor = self._published(), _executor()
        of_executor = memory_mb(executor) if executor else 0.0
        return Look(at_s, last.round if last else 0, memory_mb(self._run.pid), of_executor, executor)

    def _kill_executor(self) -> None:
        executor = _executor()
        assert executor is not None
        os.kill(executor, signal.SIGKILL)


def _executor() -> int | None:
    """The Java of Spark's executor, below the worker that this process has started."""
    for pid in family():
        try:
            if "CoarseGrainedExecutorBackend" in Path(f"/proc/{pid}/cmdline").read_text():
                return pid
        except OSError:
            continue
    return None


def memory_mb(pid: int) -> float:
    """Of that process and all below it: Java and its Python workers together."""
    total = 0
    for each in below(pid):
        try:
            status = Path(f"/proc/{each}/status").read_text()
        except OSError:
            continue
        if "VmRSS:" in status:
            total += int(status.partition("VmRSS:")[2].split()[0])
    return total / 1024


def main(minutes: float) -> int:
    with tempfile.TemporaryDirectory() as made:
        home = Path(made)
        lake = home / "lake"
        (home / "spark").mkdir()
        with Server(home / "data") as server, standalone_cluster(home / "spark", workers=1) as master:
            source = broker_source(server.address, None)
            with Load(server.address) as load, FollowingRun(server.address, lake, master) as run:
                beside = Beside(run, server, lake, minutes)
                beside.watch()
                arrivals = load.arrivals  # who came in by now is in what is read below
                beside.measure_delay(source)
                story = beside.story
                story.commits_a_second = load.commits / (time.monotonic() - load.began)
                story.exit_code = run.stop()
            _print(story)
            found = list(failures(story))
            for failure in found:
                print(f"FAILED: {failure}", flush=True)
            command = [sys.executable, "-m", "bench.follow_compare", str(lake), server.address, source.cluster]
            is_same = subprocess.run([*command, str(arrivals)]).returncode == 0
    return 0 if is_same and not found else 1


def _print(story: Story) -> None:
    print(f"{story.commits_a_second:,.0f} commits a second for {story.minutes:g} minutes")
    print(f"behind at the end: {story.behind:,} records, {story.late_s:.1f} s (two triggers are {2 * EVERY_S} s)")
    for name, values in (
        ("driver", [(look.at_s, look.driver_mb) for look in story.looks]),
        ("executor", [(look.at_s, look.executor_mb) for look in story.looks]),
    ):
        middle, last = thirds(values, story.minutes)
        print(f"memory of the {name}, Java and Python: middle third {middle:,.0f} MB, last third {last:,.0f} MB")
    if story.minutes < MEMORY_FROM_MINUTES:
        print(f"memory is judged from {MEMORY_FROM_MINUTES} minutes on: before, Java is still warming up")


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1]) if len(sys.argv) > 1 else 30))
