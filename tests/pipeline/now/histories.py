"""Hours of groups that commit, fall silent, go back and are deleted, and of topics whose ends are sampled; to be cut anywhere."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Any

from tests.pipeline.tables.rows import Row, commit, log_record, sample

MINUTE, HOUR = 60_000, 3_600_000
START = 1_700_000_000_000 // HOUR * HOUR
LENGTH = 5 * HOUR


@dataclass
class History:
    """Rows with the moment at which they can be seen."""

    commits: list[Row]
    samples: list[Row]

    def rows_until(self, at_ms: int) -> dict[str, list[Row]]:
        seen = [row for row in self.commits if row["record_ms"] <= at_ms]
        return {
            "s_offset_commit": seen,
            "b_log_record": [log_record(row["log_offset"], row["record_ms"], cluster=row["cluster"]) for row in seen],
            "b_leo_sample": [row for row in self.samples if row["end_ms"] <= at_ms],
        }


def random_history(seed: int, partitions: int, groups: int) -> History:
    """Cluster `sampled` is asked now and then; of cluster `segments` every batch is known."""
    random = Random(seed)
    samples, commits = [], []
    for number in range(partitions):
        ends = _appends(random)
        starts_late = random.random() < 0.2
        for cluster in ("sampled", "segments"):
            place = {"cluster": cluster, "partition": number}
            samples += _sampled(random, ends, place, starts_late) if cluster == "sampled" else _exact(ends, place)
            for group in range(groups):
                if random.random() < 0.9:
                    commits += _commits(random, ends, {**place, "group_id": f"g{group}"})
        commits += _commits(
            random, ends, {"cluster": "sampled", "topic": "unknown", "partition": number, "group_id": "g0"}
        )
    commits.sort(key=lambda row: row["record_ms"])
    for log_offset, row in enumerate(commits):
        row["log_offset"] = log_offset
    return History(commits, samples)


def _appends(random: Random) -> list[tuple[int, int]]:
    """(end offset, time) of each batch."""
    now, end, found = START - HOUR, 0, []
    while now < START + LENGTH:
        now += random.choice((1_000, 20_000, 90_000, 25 * MINUTE))
        end += random.randint(1, 40)
        found.append((end, now))
    return found


def _end_at(ends: list[tuple[int, int]], at_ms: int) -> int:
    return max((end for end, ms in ends if ms <= at_ms), default=0)


def _sampled(random: Random, ends: list[tuple[int, int]], place: Row, starts_late: bool) -> list[Row]:
    found, now, log_start = [], START + (2 * HOUR if starts_late else 0), 0
    while now < START + LENGTH:
        now += random.choice((15_000, 30_000, 55_000))
        end = _end_at(ends, now)
        if random.random() < 0.02:
            log_start = random.randint(log_start, max(log_start, end))
        found.append(sample(end, now - 100, now + 200, log_start=log_start, **place))
    return found


def _exact(ends: list[tuple[int, int]], place: Row) -> list[Row]:
    return [sample(end, ms, ms, sampler="segment", **place) for end, ms in ends]


def _commits(random: Random, ends: list[tuple[int, int]], place: dict[str, Any]) -> list[Row]:
    found: list[Row] = []
    now, offset = START + random.randint(0, HOUR), 0
    while True:
        now += random.choice((3_000, 20_000, 20_000, 70_000, 4 * MINUTE, 37 * MINUTE, 130 * MINUTE))
        if now >= START + LENGTH:
            return found
        chance = random.random()
        end = _end_at(ends, now)
        if chance < 0.03:
            found.append(commit(0, None, now, **place))
        elif chance < 0.06:
            found.append(commit(0, -1, now, **place))
        else:
            offset = max(0, offset - 30) if chance < 0.12 else min(end, offset + random.choice((0, 5, 50, 10_000)))
            found.append(commit(0, offset, now, **place))
