"""One to four workers, on files and on PostgreSQL. Does a request cost more when more processes serve more clients?

`python -m bench.workers`. Every worker has the same load, however many there are, and nothing is tied to a core: workers,
generators and database run where the kernel puts them, as they would for anybody. CPU is that of all workers added up. Rounds
go up and down in turn, so that a machine that becomes slower or quicker meanwhile favours nobody. `--write` puts the tables
into docs/cluster.md.
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from collections.abc import Sequence

from bench.generator import GeneratorFailed
from bench.machine import Others, machine
from bench.page import CLUSTER_PAGE, write_table
from bench.worker_loads import LOADS, MEMBERS, WORKERS, Idle, Rounds, cost_table, speed_table
from bench.worker_stage import STORES, idle_ms_a_second, measure, serving, store_flags

COMMAND = "python -m bench.workers"


class Bench:
    """The rounds so far."""

    def __init__(self, seconds: float, *, is_pinned: bool) -> None:
        self._seconds = seconds
        self._is_pinned = is_pinned
        self.rounds: Rounds = defaultdict(list)
        self.idle: Idle = defaultdict(list)

    def measure_all(self, store: str, count: int) -> None:
        pinned = self._is_pinned
        with store_flags(store, is_pinned=pinned) as flags, serving(count, flags, is_pinned=pinned) as workers:
            self.idle[store, count].append(idle_ms_a_second(workers, self._seconds))
            for load in LOADS:
                seen = measure(
                    *(load.workload, workers, MEMBERS, self._seconds),
                    is_pinned=pinned,
                    rate=load.rate,
                    partitions=load.partitions,
                )
                self.rounds[store, count, load].append(seen)


def page_lines(bench: Bench, rounds: int, where: str, verdict: str) -> list[str]:
    lines = [
        f"{MEMBERS} members a worker, in a group of its own; {where};"
        f" {'one round' if rounds == 1 else f'medians of {rounds} rounds'} on {machine()}. {verdict}",
        "",
        *cost_table(bench.rounds, bench.idle),
        "",
        *speed_table(bench.rounds),
    ]
    missed = sum(each.missed for seen in bench.rounds.values() for each in seen)
    if missed:
        lines += ["", f"{missed} requests were not sent in time: the machine did not keep up with the rate."]
    return lines


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog=COMMAND, description=__doc__)
    parser.add_argument("--rounds", type=int, default=1, help="how often everything is measured (1)")
    parser.add_argument("--seconds", type=float, default=2.0, help="of each measurement (2)")
    parser.add_argument("--store", choices=STORES, action="append", help="only this one (both)")
    parser.add_argument("--one-core", action="store_true", help="all workers on one core, all else on another")
    parser.add_argument("--write", action="store_true", help=f"put the tables into {CLUSTER_PAGE.name}")
    wanted = parser.parse_args(arguments)
    others, bench = Others(), Bench(wanted.seconds, is_pinned=wanted.one_core)
    try:
        for round_ in range(1, wanted.rounds + 1):
            for store in wanted.store or STORES:
                for count in WORKERS if round_ % 2 else reversed(WORKERS):
                    print(f"round {round_} of {wanted.rounds}: {store}, workers: {count}", file=sys.stderr)
                    bench.measure_all(store, count)
    except GeneratorFailed as problem:
        print(f"bench: {problem}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("bench: stopped", file=sys.stderr)
        return 130
    where = "the workers on one core, all else on another" if wanted.one_core else "nothing tied to a core"
    lines = page_lines(bench, wanted.rounds, where, others.verdict())
    print("\n".join(lines))
    if wanted.write:
        write_table(COMMAND, lines, CLUSTER_PAGE)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
