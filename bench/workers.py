"""One to four workers, on files and on PostgreSQL. Does a request cost more when more processes serve more clients?

`python -m bench.workers`. Where costs are compared each worker has the same load, however many there are: so many members and
requests a second. Then all members together commit as fast as they can, on the one core that the workers share. CPU is that of
all workers added up. `--write` puts the table into docs/cluster.md.
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from collections.abc import Sequence
from statistics import median

from bench.generator import GeneratorFailed
from bench.machine import Others, machine
from bench.page import CLUSTER_PAGE, write_table
from bench.worker_stage import STORES, Together, WorkerAt, measure, serving, store_flags

WORKERS = (1, 2, 3, 4)
MEMBERS_A_WORKER = 30
HEARTBEATS_A_WORKER = 1_500
"""A second; so are the commits."""
COMMITS_A_WORKER = 150
MEMBERS_FLAT_OUT = 120
COMMAND = "python -m bench.workers"

Samples = dict[tuple[str, int, str], list[Together]]
"""By store, number of workers and load."""


def measure_all(workers: Sequence[WorkerAt], seconds: float) -> dict[str, Together]:
    count = len(workers)
    members = MEMBERS_A_WORKER * count
    return {
        "heartbeat": measure("heartbeat", workers, members, seconds, rate=HEARTBEATS_A_WORKER * count),
        "commit": measure("commit", workers, members, seconds, rate=COMMITS_A_WORKER * count, partitions=10),
        "flat out": measure("commit", workers, MEMBERS_FLAT_OUT, seconds, partitions=10),
    }


def table(samples: Samples, rounds: int, verdict: str) -> list[str]:
    heads = (
        *("store", "workers", f"heartbeat, {HEARTBEATS_A_WORKER:,}/s a worker: CPU", "p99"),
        *(f"commit of 10, {COMMITS_A_WORKER:,}/s a worker: CPU", "p99", "commits/s at most", "p99", "CPU"),
    )
    lines = [
        f"{MEMBERS_A_WORKER} members a worker, {MEMBERS_FLAT_OUT} in all where they commit as fast as they can; a group a worker;"
        f" the workers on one core, generators and database on another;"
        f" {'one round' if rounds == 1 else f'medians of {rounds} rounds'} on {machine()}. {verdict}",
        "",
        f"| {' | '.join(heads)} |",
        "|---|---:" + "|---:" * (len(heads) - 2) + "|",
    ]
    for store, workers in dict.fromkeys((store, workers) for store, workers, _ in samples):
        beat, commit, flat_out = (samples[store, workers, load] for load in ("heartbeat", "commit", "flat out"))
        lines.append(
            f"| {store} | {workers} | {_cpu(beat)} | {_p99(beat)} | {_cpu(commit)} | {_p99(commit)}"
            f" | {median(each.a_second for each in flat_out):,.0f} | {_p99(flat_out)} | {_cpu(flat_out)} |"
        )
    missed = sum(each.missed for seen in samples.values() for each in seen)
    if missed:
        lines += ["", f"{missed} requests were not sent in time: the machine did not keep up with the rate."]
    return lines


def _cpu(seen: Sequence[Together]) -> str:
    return f"{median(each.cpu_us for each in seen):.1f} µs"


def _p99(seen: Sequence[Together]) -> str:
    return f"{median(each.p99_us for each in seen) / 1e3:.1f} ms"


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog=COMMAND, description=__doc__)
    parser.add_argument("--rounds", type=int, default=1, help="how often everything is measured (1)")
    parser.add_argument("--seconds", type=float, default=2.0, help="of each measurement (2)")
    parser.add_argument("--store", choices=STORES, action="append", help="only this one (both)")
    parser.add_argument("--write", action="store_true", help=f"put the table into {CLUSTER_PAGE.name}")
    wanted = parser.parse_args(arguments)
    others = Others()
    samples: Samples = defaultdict(list)
    try:
        for round_ in range(1, wanted.rounds + 1):
            for store in wanted.store or STORES:
                for workers in WORKERS:
                    print(f"round {round_} of {wanted.rounds}: {store}, {workers} workers", file=sys.stderr)
                    with store_flags(store) as flags, serving(workers, flags) as places:
                        for load, seen in measure_all(places, wanted.seconds).items():
                            samples[store, workers, load].append(seen)
    except GeneratorFailed as problem:
        print(f"bench: {problem}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("bench: stopped", file=sys.stderr)
        return 130
    lines = table(samples, wanted.rounds, others.verdict())
    print("\n".join(lines))
    if wanted.write:
        write_table(COMMAND, lines, CLUSTER_PAGE)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
