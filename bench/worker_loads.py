"""The loads that `python -m bench.workers` puts on every worker, and what was seen of them, as tables in Markdown.

The question is whether a request costs more with four workers than with one. The answer is computed here: the ratio of each
round, their median, and how far the rounds lie apart.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Final

from bench.worker_stage import Together

WORKERS: Final = (1, 2, 3, 4)
MEMBERS: Final = 30
"""Of each worker."""


@dataclass(frozen=True)
class WorkerLoad:
    """What each worker has to do, however many there are."""

    name: str
    workload: str
    rate: int = 0
    """Requests a second; 0: as fast as answers come."""
    partitions: int = 1


FLAT_OUT: Final = WorkerLoad("commit of 10 as fast as they can", "commit", partitions=10)
LOADS: Final = (
    WorkerLoad("heartbeat, 1,500/s", "heartbeat", rate=1_500),
    WorkerLoad("commit of 10, 150/s", "commit", rate=150, partitions=10),
    WorkerLoad("commit of 10, 1,000/s", "commit", rate=1_000, partitions=10),
    FLAT_OUT,
)

Rounds = dict[tuple[str, int, WorkerLoad], list[Together]]
"""By store, number of workers and load: one for each round."""
Idle = dict[tuple[str, int], list[float]]
"""By store and number of workers: milliseconds of CPU a second and worker, without any request."""


def growth(fewest: Sequence[float], most: Sequence[float]) -> str:
    """The costs of each round with one worker and with all: `1.04 (0.97 to 1.11)`, and what that says."""
    ratios = [after / before for before, after in zip(fewest, most, strict=True)]
    middle = median(ratios)
    shown = f"{middle:.2f}"
    if len(ratios) > 1:
        shown += f" ({min(ratios):.2f} to {max(ratios):.2f})"
    return f"{shown} | {_says(ratios, middle)}"


def _says(ratios: Sequence[float], middle: float) -> str:
    if middle <= 1:
        return "does not grow"
    if len(ratios) == 1:
        return "one round cannot say"
    return "within the spread" if min(ratios) <= 1 else f"grows by {middle - 1:.0%}"


def cost_table(rounds: Rounds, idle: Idle) -> list[str]:
    """CPU of all workers together for one request."""
    counts = _counts(rounds)
    lines = [
        f"| store | load of each worker | {' | '.join(map(_workers, counts))} | {counts[-1]} : {counts[0]} | |",
        "|---|---" + "|---:" * (len(counts) + 1) + "|---|",
    ]
    for store, load in _rows(rounds):
        costs = [[seen.cpu_us for seen in rounds[store, count, load]] for count in counts]
        cells = " | ".join(f"{median(each):.1f} µs" for each in costs)
        lines.append(f"| {store} | {load.name} | {cells} | {growth(costs[0], costs[-1])} |")
        if load is FLAT_OUT:
            cells = " | ".join(f"{median(idle[store, count]):.2f} ms/s" for count in counts)
            lines.append(f"| {store} | none: what a worker uses all the same | {cells} | | |")
    return lines


def speed_table(rounds: Rounds) -> list[str]:
    """How long the slowest took, and how many commits there were at most."""
    counts = _counts(rounds)
    lines = [
        f"| store | load of each worker | | {' | '.join(map(_workers, counts))} |",
        "|---|---|---" + "|---:" * len(counts) + "|",
    ]

    for store, load in _rows(rounds):
        seen = [rounds[store, count, load] for count in counts]
        p99 = " | ".join(f"{median(one.p99_us for one in each) / 1e3:.1f} ms" for each in seen)
        lines.append(f"| {store} | {load.name} | p99 | {p99} |")
        if load is FLAT_OUT:
            most = " | ".join(f"{median(one.a_second for one in each):,.0f}" for each in seen)
            lines.append(f"| {store} | {load.name} | commits/s of all | {most} |")
    return lines


def _workers(count: int) -> str:
    return "1 worker" if count == 1 else f"{count} workers"


def _counts(rounds: Rounds) -> list[int]:
    return sorted({count for _, count, _ in rounds})


def _rows(rounds: Rounds) -> Iterator[tuple[str, WorkerLoad]]:
    for store in dict.fromkeys(store for store, _, _ in rounds):
        for load in dict.fromkeys(load for _, _, load in rounds):
            yield store, load
