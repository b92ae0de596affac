"""The load generator as a function call: builds `loadgen.c` with the C compiler when needed, runs it, reads its answer.

`drive("commit", port, pid, partitions=10)` joins real members, warms the server up, measures and returns what was seen. The
server's CPU time is that of the whole process, kernel time included, between the first and the last measured request.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, fields
from itertools import count
from pathlib import Path

_SOURCE = Path(__file__).with_name("loadgen.c")
_SOURCES = (_SOURCE, *_SOURCE.parent.glob("loadgen_*.h"))
_BINARY = Path(__file__).with_name(".build") / "loadgen"
_LONGEST_SECONDS = 600
_prefixes = (f"load{os.getpid()}x{number}" for number in count(1))
"""A JoinGroup to a group whose members are silent waits for the rebalance timeout, so every run has fresh groups."""


class GeneratorFailed(Exception):
    """The generator could not be built, or a server answered otherwise than it should. Says what was answered."""


@dataclass(frozen=True)
class Load:
    """What the generator saw in the measured time."""

    requests: int
    seconds: float
    server_cpu_seconds: float
    own_cpu_seconds: float
    p50_us: float
    p99_us: float
    missed: int = 0
    """Requests of a fixed rate that were not sent because their connection still waited for two."""
    join_seconds: float = 0.0

    @property
    def cpu_us(self) -> float:
        """Server CPU a request, in microseconds."""
        return self.server_cpu_seconds * 1e6 / self.requests

    @property
    def generator_busy(self) -> float:
        return self.own_cpu_seconds / self.seconds


def build() -> Path:
    """The generator's path; compiled if it is not there or older than its source."""
    if not _BINARY.exists() or _BINARY.stat().st_mtime < max(each.stat().st_mtime for each in _SOURCES):
        compiler = os.environ.get("CC") or shutil.which("gcc") or shutil.which("cc")
        if compiler is None:
            raise GeneratorFailed("there is no C compiler (gcc or cc) on the path: the load generator is written in C")
        _BINARY.parent.mkdir(exist_ok=True)
        fresh = _BINARY.with_suffix(f".{os.getpid()}")
        ran = subprocess.run([compiler, "-O2", "-Wall", "-o", fresh, _SOURCE], capture_output=True, text=True)
        if ran.returncode:
            raise GeneratorFailed(f"{compiler} could not compile {_SOURCE.name}:\n{ran.stderr}")
        fresh.replace(_BINARY)
    return _BINARY


def drive(workload: str, port: int, server: int, **options: float) -> list[Load]:
    """One measurement, or one for each round of `rebalance`. Options are those of loadgen.c, `_` for `-`."""
    with driving(workload, port, server, **options) as loads:
        return loads


@contextmanager
def driving(workload: str, port: int, server: int, **options: float) -> Iterator[list[Load]]:
    """As `drive`, but with `hold=1` the connections stay open inside the `with`."""
    command = [str(build()), "--port", str(port), "--server", str(server), "--workload", workload]
    command += ["--prefix", next(_prefixes)]
    hold = bool(options.pop("hold", 0))
    for name, value in options.items():
        command += [f"--{name.replace('_', '-')}", str(value)]
    with generator_core():
        process = subprocess.Popen(
            [*command, *(["--hold"] if hold else [])],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
    with process:
        try:
            first = process.stdout.readline() if hold and process.stdout is not None else ""
            if first:
                yield [read_load(first)]
            said, complaint = process.communicate(timeout=_LONGEST_SECONDS)
        finally:
            process.kill()
    if process.returncode:
        raise GeneratorFailed(f"{workload} {options}: {complaint.strip()}")
    if not first:
        yield [read_load(line) for line in said.splitlines()]


def read_load(line: str) -> Load:
    """A line that the generator printed."""
    known = {each.name for each in fields(Load)}
    return Load(**{name: value for name, value in json.loads(line).items() if name in known})


def server_and_generator_cores() -> tuple[int, int] | None:
    """One core for the server and another one for the generator, if there are two."""
    cores = sorted(os.sched_getaffinity(0))
    return (cores[-1], cores[0]) if len(cores) > 1 else None


@contextmanager
def pinned(core: int | None) -> Iterator[None]:
    """Processes that are started inside run on this core only."""
    before = os.sched_getaffinity(0)
    if core is not None:
        os.sched_setaffinity(0, {core})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def generator_core() -> AbstractContextManager[None]:
    cores = server_and_generator_cores()
    return pinned(cores[1] if cores else None)


if __name__ == "__main__":
    print(build(), file=sys.stderr)
