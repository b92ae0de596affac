"""Why a commit costs more when more workers want the cores: `python -m bench.crowding`.

The same load, as fast as answers come, on one worker alone, on one worker beside programs that have nothing to do with Muster,
and on four workers. If strangers make a commit as much dearer as three more workers do, the cores are what is shared, and
nothing of Muster's. Strangers come in pairs, as a worker comes with its generator: two processes that hand a byte to and fro,
and walk through as much memory as a worker's busy part has in between.
"""

from __future__ import annotations

import argparse
import multiprocessing
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Final

from bench.generator import GeneratorFailed
from bench.machine import Others, machine
from bench.page import CLUSTER_PAGE, write_table
from bench.worker_loads import FLAT_OUT, MEMBERS
from bench.worker_stage import WorkerAt, measure, serving

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

COMMAND: Final = "python -m bench.crowding"
_STRANGERS_BYTES: Final = 1 << 20
"""Each walks through these between two handovers: the size of a second-level cache."""
_STEP_BYTES: Final = 64


@dataclass(frozen=True, slots=True)
class Scene:
    name: str
    workers: int
    strangers: int
    """Pairs of them."""


SCENES: Final = (
    Scene("1 worker", 1, 0),
    Scene("1 worker beside 3 pairs of other programs", 1, 3),
    Scene("4 workers", 4, 0),
)


@dataclass(frozen=True, slots=True)
class Cost:
    """Of one commit."""

    cpu_us: float
    user_us: float
    system_us: float
    waits: float
    """How often a thread of the server went to sleep by itself."""
    displaced: float
    """How often one was taken from its core for somebody else."""
    writes: float

    @classmethod
    def of(cls, cpu_us: float, used: Used, requests: float) -> Cost:
        shares = (each / requests for each in (used.user_us, used.system_us, used.waits, used.displaced, used.writes))
        return cls(cpu_us, *shares)


@dataclass(frozen=True, slots=True)
class Used:
    """What processes have used so far."""

    user_us: float
    system_us: float
    waits: int
    displaced: int
    writes: int

    @classmethod
    def by(cls, workers: Sequence[WorkerAt]) -> Used:
        each = [_used_by(worker.pid) for worker in workers]
        return cls(*(sum(one[at] for one in each) for at in range(5)))  # type: ignore[arg-type]

    def since(self, before: Used) -> Used:
        return Used(
            self.user_us - before.user_us,
            self.system_us - before.system_us,
            self.waits - before.waits,
            self.displaced - before.displaced,
            self.writes - before.writes,
        )


def _used_by(pid: int) -> tuple[float, float, int, int, int]:
    process = Path("/proc", str(pid))
    fields = process.joinpath("stat").read_text().rpartition(")")[2].split()
    waits = displaced = 0
    for thread in process.joinpath("task").iterdir():
        lines = dict(line.split(":", 1) for line in thread.joinpath("status").read_text().splitlines() if ":" in line)
        waits += int(lines["voluntary_ctxt_switches"])
        displaced += int(lines["nonvoluntary_ctxt_switches"])
    written = dict(line.split(": ") for line in process.joinpath("io").read_text().splitlines())
    return int(fields[11]) * 1e4, int(fields[12]) * 1e4, waits, displaced, int(written["syscw"])


@contextmanager
def strangers(pairs: int) -> Iterator[None]:
    started = []
    for _ in range(pairs):
        ends = multiprocessing.Pipe()
        started += [multiprocessing.Process(target=_play, args=(end,), daemon=True) for end in ends]
    for process in started:
        process.start()
    try:
        yield
    finally:
        for process in started:
            process.kill()
            process.join()


def _play(end: Connection) -> None:
    memory = bytearray(_STRANGERS_BYTES)
    with suppress(EOFError, OSError):  # the other one of the pair was killed first
        end.send_bytes(b"x")
        while True:
            end.recv_bytes()
            memory[::_STEP_BYTES] = bytes(len(memory) // _STEP_BYTES)
            end.send_bytes(b"x")


def look(scene: Scene, seconds: float) -> Cost:
    with serving(scene.workers, [], is_pinned=False) as workers, strangers(scene.strangers):
        load = (FLAT_OUT.workload, workers, MEMBERS)
        measure(*load, 0.5, is_pinned=False, partitions=FLAT_OUT.partitions)
        before = Used.by(workers)
        seen = measure(*load, seconds, is_pinned=False, partitions=FLAT_OUT.partitions)
        used = Used.by(workers).since(before)
        # Joining and warming up are in `used` too: shares of it are scaled by the CPU that the generators saw.
        requests = (used.user_us + used.system_us) / seen.cpu_us
        return Cost.of(seen.cpu_us, used, requests)


def table(found: dict[Scene, list[Cost]]) -> list[str]:
    lines = [
        "| commit of 10 as fast as they can, on files | µs | to one alone | user | system | waits | displaced | writes |",
        "|---" + "|---:" * 7 + "|",
    ]
    alone = [cost.cpu_us for cost in found[SCENES[0]]]
    for scene, costs in found.items():
        ratio = median(cost.cpu_us / one for cost, one in zip(costs, alone, strict=True))
        cells = [
            f"{median(each.cpu_us for each in costs):.1f}",
            f"{ratio:.2f}",
            f"{median(each.user_us for each in costs):.1f}",
            f"{median(each.system_us for each in costs):.1f}",
            *(f"{median(getattr(each, name) for each in costs):.3f}" for name in ("waits", "displaced", "writes")),
        ]
        lines.append(f"| {scene.name} | {' | '.join(cells)} |")
    return lines


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog=COMMAND, description=__doc__)
    parser.add_argument("--rounds", type=int, default=3, help="how often everything is measured (3)")
    parser.add_argument("--seconds", type=float, default=3.0, help="of each measurement (3)")
    parser.add_argument("--write", action="store_true", help=f"put the table into {CLUSTER_PAGE.name}")
    wanted = parser.parse_args(arguments)
    others, found = Others(), {scene: list[Cost]() for scene in SCENES}
    try:
        for number in range(wanted.rounds):
            for scene in SCENES if number % 2 == 0 else reversed(SCENES):
                print(f"round {number + 1} of {wanted.rounds}: {scene.name}", file=sys.stderr)
                found[scene].append(look(scene, wanted.seconds))
    except GeneratorFailed as problem:
        print(f"bench: {problem}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("bench: stopped", file=sys.stderr)
        return 130
    rounds = "one round" if wanted.rounds == 1 else f"medians of {wanted.rounds} rounds"
    lines = [f"{MEMBERS} members a worker; {rounds} on {machine()}. {others.verdict()}", "", *table(found)]
    print("\n".join(lines))
    if wanted.write:
        write_table(COMMAND, lines, CLUSTER_PAGE)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
