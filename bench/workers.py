"""One to four workers: `python -m bench.workers`. Does a request cost more CPU when more processes share the load?

The workers share one core and the generators another, so that costs can be compared and do not depend on how many cores there
are. Each worker has a group of its own with as many members as in every other run. `--store URL` measures workers on PostgreSQL.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from statistics import median

from bench.contenders import INITIAL_DELAY_MS
from bench.generator import GeneratorFailed, build, generator_core, pinned, server_and_generator_cores
from bench.machine import Others, machine
from muster.core.hashing import partition_for

WORKERS = (1, 2, 3, 4)
MEMBERS = 100
PARTITIONS = 48
"""Of `__consumer_offsets`: every number of workers gets the same share."""
WORKLOADS = {"heartbeat": (), "commit": ("--partitions", "10"), "fetch": ("--partitions", "100")}
_names = (f"workers{number}" for number in count(1))


@dataclass(frozen=True)
class Sample:
    """All workers together."""

    cpu_us: float
    a_second: float
    p99_us: float


@dataclass(frozen=True)
class WorkerAt:
    pid: int
    port: int


@contextmanager
def serving(workers: int, flags: Sequence[str]) -> Iterator[list[WorkerAt]]:
    """`muster serve --workers`, by number; alone on one core if there are two."""
    settings = (f"group.initial.rebalance.delay.ms={INITIAL_DELAY_MS}", f"offsets.topic.num.partitions={PARTITIONS}")
    cores = server_and_generator_cores()
    with tempfile.TemporaryDirectory(prefix="muster-bench-") as data, pinned(cores[0] if cores else None):
        command = [sys.executable, "-m", "muster", "serve", "--workers", str(workers), "--listen", "127.0.0.1:0"]
        command += ["--data", data, "--log-level", "warning", *flags]
        command += [part for each in settings for part in ("--set", each)]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        try:
            yield _workers_of(process, workers)
        finally:
            process.terminate()
            process.wait(60)
            assert process.stdout is not None
            process.stdout.close()


def _workers_of(process: subprocess.Popen[str], workers: int) -> list[WorkerAt]:
    assert process.stdout is not None
    lines = [process.stdout.readline() for _ in range(workers + 1 if workers > 1 else 1)]
    if not all(lines):
        raise GeneratorFailed("the server did not start; see above")
    ports = [int(line.rpartition(":")[2]) for line in (lines[1:] or lines)]
    if workers == 1:
        return [WorkerAt(process.pid, ports[0])]
    with open(f"/proc/{process.pid}/task/{process.pid}/children") as children:
        pids = sorted(int(pid) for pid in children.read().split())
    return [WorkerAt(pid, port) for pid, port in zip(pids, ports, strict=True)]


def measure(workload: str, workers: Sequence[WorkerAt], seconds: float) -> Sample:
    """One generator a worker, all at the same time."""
    running = []
    for number, worker in enumerate(workers):
        command = [str(build()), "--port", str(worker.port), "--server", str(worker.pid), "--workload", workload]
        command += ["--connections", str(MEMBERS), "--group-size", str(MEMBERS), "--seconds", str(seconds)]
        command += ["--prefix", _name_for(number, len(workers)), *WORKLOADS[workload]]
        with generator_core():
            running.append(subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True))
    loads = []
    for each in running:
        said, complaint = each.communicate(timeout=300)
        if each.returncode:
            raise GeneratorFailed(f"{workload}: {complaint.strip()}")
        loads.append(json.loads(said))
    requests = sum(load["requests"] for load in loads)
    return Sample(
        sum(load["server_cpu_seconds"] for load in loads) * 1e6 / requests,
        sum(load["requests"] / load["seconds"] for load in loads),
        max(load["p99_us"] for load in loads),
    )


def _name_for(number: int, workers: int) -> str:
    """A prefix whose one group belongs to this worker."""
    return next(name for name in _names if partition_for(f"{name}-0", PARTITIONS) % workers == number)


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.workers", description=__doc__)
    parser.add_argument("--rounds", type=int, default=3, help="how often everything is measured (3)")
    parser.add_argument("--seconds", type=float, default=2.0, help="of each measurement (2)")
    parser.add_argument("--store", help="postgresql://...: measure workers on a database (an empty one)")
    wanted = parser.parse_args(arguments)
    flags = ["--store", wanted.store] if wanted.store else []
    others = Others()
    samples: dict[tuple[str, int], list[Sample]] = defaultdict(list)
    try:
        for round_ in range(1, wanted.rounds + 1):
            for workers in WORKERS:
                print(f"round {round_} of {wanted.rounds}: {workers} workers", file=sys.stderr)
                with serving(workers, flags) as places:
                    for workload in WORKLOADS:
                        samples[workload, workers].append(measure(workload, places, wanted.seconds))
    except GeneratorFailed as problem:
        print(f"bench: {problem}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("bench: stopped", file=sys.stderr)
        return 130
    print(f"{MEMBERS} members a worker, medians of {wanted.rounds} rounds, on {machine()}. {others.verdict()}\n")
    print("| request | workers | CPU µs a request | requests/s | p99 µs |\n|---|---:|---:|---:|---:|")
    for (workload, workers), seen in sorted(samples.items()):
        cpu, rate, p99 = (median(getattr(each, name) for each in seen) for name in ("cpu_us", "a_second", "p99_us"))
        print(f"| {workload} | {workers} | {cpu:.1f} | {rate:,.0f} | {p99:,.0f} |")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
