"""Committed offsets a second and how long each takes, with the store on files and on PostgreSQL, both synced to disk.

One node; members of one group commit one offset after the other, each on a connection of its own. Group commit makes the difference
between one member and many: all that came in a tick is one sync, or one statement. `python -m bench.store [--write]`
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
from bench.worker_stage import STORES, Together, measure, serving, store_flags

MEMBERS = (1, 16, 128)
COMMAND = "python -m bench.store"

Samples = dict[tuple[str, int], list[Together]]
"""By store and number of members."""


def table(samples: Samples, rounds: int, verdict: str) -> list[str]:
    lines = [
        "One node on one core, generator and database on another, all of it synced to disk;"
        f" {'one round' if rounds == 1 else f'medians of {rounds} rounds'} on {machine()}. {verdict}",
        "",
        "| store | members | commits/s | median | p99 | CPU of the node per commit |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    for (store, members), seen in samples.items():
        rate, p50, p99, cpu = (
            median(getattr(each, name) for each in seen) for name in ("a_second", "p50_us", "p99_us", "cpu_us")
        )
        lines.append(f"| {store} | {members} | {rate:,.0f} | {p50 / 1e3:.1f} ms | {p99 / 1e3:.1f} ms | {cpu:.0f} µs |")
    return lines


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog=COMMAND, description=__doc__)
    parser.add_argument("--rounds", type=int, default=1, help="how often everything is measured (1)")
    parser.add_argument("--seconds", type=float, default=3.0, help="of each measurement (3)")
    parser.add_argument("--write", action="store_true", help=f"put the table into {CLUSTER_PAGE.name}")
    wanted = parser.parse_args(arguments)
    others = Others()
    samples: Samples = defaultdict(list)
    try:
        for round_ in range(1, wanted.rounds + 1):
            for store in STORES:
                print(f"round {round_} of {wanted.rounds}: {store}", file=sys.stderr)
                with store_flags(store, is_pinned=True) as flags, serving(1, flags, is_pinned=True) as places:
                    for members in MEMBERS:
                        seen = measure("commit", places, members, wanted.seconds, is_pinned=True)
                        samples[store, members].append(seen)
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
