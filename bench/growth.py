"""`make bench-growth`: how Muster's costs grow with members, groups, partitions and offsets.

Prints each cost at several sizes and the exponent of its growth (the slope in a log-log plot): over all sizes, and over the
upper end, where constant parts do not hide it. What is done to all of something may grow in proportion, what is done to one
may not grow at all. Exit code 1 if something grows faster.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from bench.contenders import DidNotStart, Muster, Running, running
from bench.generator import GeneratorFailed, drive, driving
from bench.machine import Others, machine
from bench.page import PAGE, write_table
from bench.stages import PARTITIONS_A_GROUP, fresh_directory, seconds_of_loading

IN_PROPORTION, NOT_AT_ALL = 1.15, 0.15
"""The largest exponents that pass: measurements scatter."""
UPPER_SIZES = 2
WARM, SECONDS, REPEATED = 0.5, 1.0, 3

Costs = dict[str, float]


@dataclass(frozen=True)
class Growth:
    """One thing that grows. Costs whose name begins with `one` are those of one request, which others must not make dearer."""

    of: str
    sizes: tuple[int, ...]
    measure: Callable[[Muster, int], Costs]
    costs: dict[str, list[float]] = field(default_factory=dict)

    def run(self, muster: Muster) -> None:
        for size in self.sizes:
            print(f"{self.of}: {size:,}", file=sys.stderr)
            for name, value in self.measure(muster, size).items():
                self.costs.setdefault(name, []).append(max(value, 1e-3))

    def lines(self) -> list[str]:
        heads = [self.of, *(f"{size:,}" for size in self.sizes), "exponent", "upper end", ""]
        rows = [heads, ["---"] * len(heads)]
        for name, values in self.costs.items():
            over_all, upper = self._exponents(values)
            numbers = [f"{value:,.1f}" for value in values]
            rows.append(
                [name, *numbers, f"{over_all:.2f}", f"{upper:.2f}", "WORSE" if self._too_fast(name) else "well"]
            )
        return [f"| {' | '.join(row)} |" for row in rows]

    def too_fast(self) -> list[str]:
        return [f"{name} with {self.of}" for name in self.costs if self._too_fast(name)]

    def _too_fast(self, name: str) -> bool:
        allowed = NOT_AT_ALL if name.startswith("one") else IN_PROPORTION
        return max(self._exponents(self.costs[name])) > allowed

    def _exponents(self, values: list[float]) -> tuple[float, float]:
        return exponent(self.sizes, values), exponent(self.sizes[-UPPER_SIZES:], values[-UPPER_SIZES:])


def exponent(sizes: Sequence[float], values: Sequence[float]) -> float:
    """Slope of the straight line through the logarithms, by least squares."""
    xs, ys = [math.log(size) for size in sizes], [math.log(value) for value in values]
    x_mean, y_mean = sum(xs) / len(xs), sum(ys) / len(ys)
    over = sum((x - x_mean) * (y - y_mean) for x, y in zip(xs, ys, strict=True))
    return over / sum((x - x_mean) ** 2 for x in xs)


def members_in_a_group(muster: Muster, members: int) -> Costs:
    with fresh_directory() as data, running(muster, data, one_core=True) as server:
        rounds = drive("rebalance", server.port, server.pid, group_size=members, rounds=5, warm_rounds=2)
        shape = {"group_size": members, "connections": members, "active": 100}
        return {
            "rebalance by a newcomer, ms CPU": min(load.server_cpu_seconds for load in rounds) * 1e3,
            "DescribeGroups, µs CPU": _cost(server, "describe", **shape),
            "one heartbeat, µs CPU": _cost(server, "heartbeat", **shape),
        }


def groups(muster: Muster, count: int) -> Costs:
    """Groups of two members each."""
    with fresh_directory() as data, running(muster, data, one_core=True) as server:
        idle = server.resident_mb()
        shape = {"members": 2 * count, "group_size": 2, "connections": min(2 * count, 1_000)}
        with driving("join", server.port, server.pid, **shape, hold=1) as (joined,):
            grown = server.resident_mb() - idle
        return {
            "members joining, ms CPU": joined.server_cpu_seconds * 1e3,
            "memory, MB": grown,
            "ListGroups, µs CPU": _cost(server, "list", connections=10),
            "one heartbeat, µs CPU": _cost(server, "heartbeat", **shape, active=100),
        }


def partitions_in_a_commit(muster: Muster, partitions: int) -> Costs:
    with fresh_directory() as data, running(muster, data, one_core=True) as server:
        return {
            "OffsetCommit, µs CPU": _cost(server, "commit", partitions=partitions),
            "OffsetFetch, µs CPU": _cost(server, "fetch", partitions=partitions),
        }


def offsets(muster: Muster, count: int) -> Costs:
    shape = {"groups": count // PARTITIONS_A_GROUP, "partitions": PARTITIONS_A_GROUP}
    with fresh_directory() as data:
        with running(muster, data, one_core=True) as server:
            idle_mb, idle_cpu = server.resident_mb(), server.cpu_seconds()
            (filled,) = drive("fill", server.port, server.pid, **shape)
        with running(replace(muster, log_level="info"), data, one_core=True) as server:
            seconds_of_loading(server.log, count)
            loading, grown = server.cpu_seconds() - idle_cpu, server.resident_mb() - idle_mb
            return {
                "committing them, ms CPU": filled.server_cpu_seconds * 1e3,
                "loading them, ms CPU": loading * 1e3,
                "memory, MB": grown,
                "one commit of 10, µs CPU": _cost(server, "commit", partitions=10),
            }


def _cost(server: Running, workload: str, **options: float) -> float:
    """The least of several runs: what disturbs a measurement makes it larger."""
    shape = {"warm": WARM, "seconds": SECONDS} | options
    return min(drive(workload, server.port, server.pid, **shape)[0].cpu_us for _ in range(REPEATED))


GROWTHS: Final = {
    "members": Growth("members in one group", (10, 50, 200, 1_000, 5_000), members_in_a_group),
    "groups": Growth("groups", (10, 100, 1_000, 10_000), groups),
    "partitions": Growth("partitions in a commit", (1, 10, 100, 1_000), partitions_in_a_commit),
    "offsets": Growth("offsets", (10_000, 100_000, 1_000_000, 5_000_000), offsets),
}


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.growth", description=__doc__)
    parser.add_argument("--only", choices=GROWTHS, action="append", help="this alone; may be repeated")
    parser.add_argument("--python", default=sys.executable, help="the interpreter whose Muster is measured (this one)")
    parser.add_argument("--write", action="store_true", help=f"put the tables into {PAGE.name}")
    wanted = parser.parse_args(arguments)
    muster, others = Muster(wanted.python), Others()
    chosen = [GROWTHS[name] for name in wanted.only or GROWTHS]
    try:
        for growth in chosen:
            growth.run(muster)
    except (GeneratorFailed, DidNotStart) as problem:
        print(f"bench: {problem}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("bench: stopped", file=sys.stderr)
        return 130
    worse = [line for growth in chosen for line in growth.too_fast()]
    lines = [f"{muster.form()} on {machine()}. {others.verdict()}", ""]
    lines += [line for growth in chosen for line in [*growth.lines(), ""]]
    lines += [f"Grows too fast: {line}." for line in worse] or ["Nothing grows faster than what it works on."]
    print("\n".join(lines))
    if wanted.write:
        write_table("make bench-growth", lines)
    return 1 if worse else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
