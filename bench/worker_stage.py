"""Workers under load: started on files or on a PostgreSQL, each with a group that it coordinates, a generator for each.

Either everything runs where the kernel puts it, as it would for anybody, or the workers share one core and the generators and
the database another.
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from itertools import count

from bench.contenders import INITIAL_DELAY_MS
from bench.generator import GeneratorFailed, Load, build, generator_core, pinned, read_load, server_and_generator_cores
from bench.raw_client import connect
from muster.core.hashing import partition_for
from muster.wire.errors import NONE
from muster.wire.generated.find_coordinator import FindCoordinatorRequest
from tests.cluster.postgres_process import PostgresProcess
from tests.cluster.stage import muster

STORES = ("files", "postgres")
PARTITIONS = 48
"""Of `__consumer_offsets`: every number of workers gets the same share."""
PATIENCE_SECONDS = 60
LONGEST_SECONDS = 300
SETTLED_SECONDS = 0.5
"""Until a worker that has come up does nothing any more."""
_prefixes = (f"workers{number}" for number in count(1))


@dataclass(frozen=True)
class WorkerAt:
    pid: int
    port: int


@dataclass(frozen=True)
class Together:
    """All workers of one measurement."""

    cpu_us: float
    """Of all of them, a request."""
    a_second: float
    p50_us: float
    p99_us: float
    missed: int


@contextmanager
def store_flags(store: str, *, is_pinned: bool) -> Iterator[list[str]]:
    """What `muster serve` has to be told; a database that syncs to disk while it is needed."""
    if store == "files":
        yield []
        return
    with generator_core() if is_pinned else nullcontext(), PostgresProcess(is_synced=True) as database:
        muster("store", "migrate", database.url)
        yield ["--store", database.url]


@contextmanager
def serving(workers: int, flags: Sequence[str], *, is_pinned: bool) -> Iterator[list[WorkerAt]]:
    """`muster serve --workers`, by number; pinned: all of them on one core, if there are two."""
    settings = (f"group.initial.rebalance.delay.ms={INITIAL_DELAY_MS}", f"offsets.topic.num.partitions={PARTITIONS}")
    cores = server_and_generator_cores()
    with tempfile.TemporaryDirectory(prefix="muster-bench-") as data:
        command = [sys.executable, "-m", "muster", "serve", "--workers", str(workers), "--listen", "127.0.0.1:0"]
        command += ["--data", data, "--log-level", "error", *flags]
        command += [part for each in settings for part in ("--set", each)]
        with pinned(cores[0] if cores and is_pinned else None):
            process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        try:
            yield _workers_of(process, workers)
        finally:
            process.terminate()
            process.wait(PATIENCE_SECONDS)
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


def measure(
    workload: str,
    workers: Sequence[WorkerAt],
    members: int,
    seconds: float,
    *,
    is_pinned: bool,
    rate: int = 0,
    partitions: int = 1,
) -> Together:
    """`members` and `rate` (requests a second; 0: as fast as answers come) are those of each worker."""
    running = []
    for worker, prefix in zip(workers, asyncio.run(_a_group_each(workers)), strict=True):
        command = [str(build()), "--port", str(worker.port), "--server", str(worker.pid), "--workload", workload]
        command += ["--connections", str(members), "--group-size", str(members), "--prefix", prefix]
        command += ["--rate", str(rate), "--partitions", str(partitions), "--seconds", str(seconds), "--warm", "0.3"]
        with generator_core() if is_pinned else nullcontext():
            running.append(subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True))
    return _together([_finished(each, workload) for each in running])


def idle_ms_a_second(workers: Sequence[WorkerAt], seconds: float) -> float:
    """What a worker uses while nobody asks anything of it."""
    asyncio.run(_a_group_each(workers))  # all of them are up
    time.sleep(SETTLED_SECONDS)
    before = [_cpu_seconds(worker.pid) for worker in workers]
    time.sleep(seconds)
    used = sum(_cpu_seconds(worker.pid) for worker in workers) - sum(before)
    return used / seconds / len(workers) * 1e3


def _cpu_seconds(pid: int) -> float:
    """Of all its threads, to the nanosecond: the clock that clock_getcpuclockid(3) gives."""
    return time.clock_gettime((~pid << 3) | 2)


def _finished(generator: subprocess.Popen[str], workload: str) -> Load:
    said, complaint = generator.communicate(timeout=LONGEST_SECONDS)
    if generator.returncode:
        raise GeneratorFailed(f"{workload}: {complaint.strip()}")
    return read_load(said)


def _together(loads: Sequence[Load]) -> Together:
    requests = sum(load.requests for load in loads)
    return Together(
        sum(load.server_cpu_seconds for load in loads) * 1e6 / requests,
        sum(load.requests / load.seconds for load in loads),
        max(load.p50_us for load in loads),
        max(load.p99_us for load in loads),
        sum(load.missed for load in loads),
    )


async def _a_group_each(workers: Sequence[WorkerAt]) -> list[str]:
    """For each worker a prefix whose one group it coordinates, as soon as all of them have their share."""
    connection = await connect("127.0.0.1", workers[0].port)
    deadline = time.monotonic() + PATIENCE_SECONDS
    try:
        while time.monotonic() < deadline:
            names: dict[int, tuple[int, str]] = {}
            while len(names) < PARTITIONS:
                name = next(_prefixes)
                partition = partition_for(f"{name}-0", PARTITIONS)
                if partition in names:
                    continue
                found = await connection.ask("FindCoordinator", 2, FindCoordinatorRequest(key=f"{name}-0"))
                names[partition] = (found.port if found.error_code == NONE else 0, name)
            by_port = {port: [name for at, name in names.values() if at == port] for port in (w.port for w in workers)}
            if all(len(each) == PARTITIONS // len(workers) for each in by_port.values()):
                return [by_port[worker.port][0] for worker in workers]
            await asyncio.sleep(0.05)
    finally:
        connection.close()
    raise GeneratorFailed(f"the workers did not share {PARTITIONS} partitions evenly in {PATIENCE_SECONDS} s")
