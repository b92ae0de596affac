"""Lag of invented groups over a day: producers write, consumers read as fast as they can or stop, and every minute is noted.

The time lag of a minute follows from the noted end offsets alone, as in the real tables: a bracket between two samples.
"""

from __future__ import annotations

import math
import random
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

MINUTE = 60_000
HOUR = 60 * MINUTE
DAY = 24 * HOUR
END = 1_763_208_000_000  # 2025-11-15 12:00 UTC
START = END - DAY
CLUSTER = "eu-1"

Row = dict[str, Any]
Speed = Callable[[int, int], float]
"""Records a second that a partition's consumer could read, by partition and minute; 0 when it stands still."""


@dataclass(frozen=True)
class Traffic:
    group: str
    topic: str
    partitions: int
    produced: float
    """Records a second and partition at noon; nights are quieter."""
    speed: Speed
    base: int = 1_000_000


def history(traffic: Traffic, seed: int = 7) -> list[Row]:
    """The rows of g_lag_history."""
    rng = random.Random(f"{traffic.group}{seed}")
    return [row for partition in range(traffic.partitions) for row in _partition(traffic, partition, rng)]


def _partition(traffic: Traffic, partition: int, rng: random.Random) -> list[Row]:
    share = traffic.produced * rng.uniform(0.7, 1.3)
    end = committed = traffic.base + rng.randrange(traffic.base // 10)
    ends: list[int] = []
    rows = []
    for minute in range(DAY // MINUTE):
        end += int(share * 60 * _daylight(minute) * rng.uniform(0.8, 1.2))
        could = traffic.speed(partition, minute) * 60
        trailing = end - int(share * rng.uniform(0.2, 1.5)) if could else end
        committed = max(committed, min(committed + int(could), trailing))
        ends.append(end)
        rows.append(_minute(traffic, partition, minute, committed, ends))
    return rows


def _daylight(minute: int) -> float:
    return 0.6 + 0.4 * math.sin(math.tau * (minute / 1440 - 0.25 + 0.5))


def _minute(traffic: Traffic, partition: int, minute: int, committed: int, ends: list[int]) -> Row:
    lo, hi, method = _bracket(committed, ends)
    estimate = lo if hi is None else (lo + hi) // 2
    return {
        "cluster": CLUSTER,
        "group_id": traffic.group,
        "topic": traffic.topic,
        "partition": partition,
        "minute_ms": START + minute * MINUTE,
        "committed": committed,
        "end": ends[-1],
        "lag": ends[-1] - committed,
        "time_lag_lo_ms": lo,
        "time_lag_hi_ms": hi,
        "time_lag_est_ms": estimate,
        "method": method,
    }


def _bracket(committed: int, ends: list[int]) -> tuple[int, int | None, str]:
    if ends[-1] <= committed:
        return 0, 0, "caught_up"
    written = bisect_right(ends, committed)
    age = (len(ends) - 1 - written) * MINUTE
    if written == 0:
        return age, None, "left_bound"
    return age, age + MINUTE if age else 4_000, "bracket"


def lag_now(rows: list[Row], owners: dict[tuple[str, str, int], str]) -> list[Row]:
    """The rows of g_lag: the last minute of each partition."""
    last = {(row["group_id"], row["topic"], row["partition"]): row for row in rows}
    return [_now(row, owners.get(key), [r for r in rows if r["group_id"] == key[0]]) for key, row in last.items()]


def _now(row: Row, owner: str | None, same_group: list[Row]) -> Row:
    moved = [
        r["minute_ms"]
        for r, before in zip(same_group[1:], same_group, strict=False)
        if r["partition"] == row["partition"] == before["partition"] and r["committed"] != before["committed"]
    ]
    # The poisoned partition is committed again and again, at the same offset.
    stalled = row["group_id"] == "payments-settlement" and row["partition"] == 3
    commit_ms = END - 5_000 if stalled else max(moved, default=START)
    return {
        **{
            name: row[name]
            for name in ("cluster", "group_id", "topic", "partition", "committed", "end", "lag", "method")
        },
        **{name: row[name] for name in ("time_lag_lo_ms", "time_lag_hi_ms", "time_lag_est_ms")},
        "at_ms": END,
        "log_start": _log_start(row),
        "lag_raw": row["lag"],
        "commit_ms": commit_ms,
        "commit_age_ms": END - commit_ms,
        **_at_commit(row, END - commit_ms),
        "produce_rate": 40.0 + 9 * (row["partition"] % 4),
        "consume_rate": 55.0,
        "eta_ms": row["lag"] * 1000 // 15 if row["lag"] > 1000 and owner else None,
        "owner": owner,
        "coverage": 1.0,
        "provisional": False,
    }


def _log_start(row: Row) -> int:
    """Two topics have lost records to retention: one reader is just before the edge, the others have room."""
    before = {"console-consumer-48213": 31_000, "billing-export": 90_000, "clickstream-sessions": 900_000}
    committed: int = row["committed"]
    return max(committed - before.get(row["group_id"], committed), 0)


def _at_commit(row: Row, age_ms: int) -> Row:
    """What was committed was as late then as it is now, less the time since."""
    lo, hi = row["time_lag_lo_ms"], row["time_lag_hi_ms"]
    return {
        "lag_at_commit_lo_ms": max(lo - age_ms, 0),
        "lag_at_commit_hi_ms": None if hi is None else max(hi - age_ms, 0),
    }


def older_hours(traffic: Traffic, days: int = 6) -> list[Row]:
    """A row an hour of the days before the window: every night between two and four it was behind, on one day all day."""
    hours = range(-days * 24, 0)
    return [_older(traffic, partition, hour) for partition in range(traffic.partitions) for hour in hours]


def _older(traffic: Traffic, partition: int, hour: int) -> Row:
    at_ms = START + hour * HOUR
    late = at_ms % DAY // HOUR in (2, 3) or (-72 <= hour < -60 and partition == 0)
    still = -72 <= hour < -60 and partition == 0
    end = traffic.base + hour * 3_600
    return {
        "cluster": CLUSTER,
        "group_id": traffic.group,
        "topic": traffic.topic,
        "partition": partition,
        "minute_ms": at_ms,
        "committed": traffic.base - 72 * 3_600 if still else end - (500 if late else 0),
        "end": end,
        "lag": 3_600 * (hour + 72) if still else 500 if late else 0,
        "time_lag_lo_ms": 5 * MINUTE if late else 0,
        "time_lag_hi_ms": 6 * MINUTE if late else 0,
        "time_lag_est_ms": 5 * MINUTE if late else 0,
        "method": "bracket" if late else "caught_up",
    }


def group_lag(lag: list[Row]) -> list[Row]:
    """The rows of g_group_lag."""
    groups: dict[str, list[Row]] = {}
    for row in lag:
        groups.setdefault(row["group_id"], []).append(row)
    return [
        {
            "cluster": CLUSTER,
            "group_id": group,
            "at_ms": END,
            "n_partitions": len(rows),
            "n_no_position": 0,
            "lag_sum": sum(row["lag"] for row in rows),
            "lag_max": max(row["lag"] for row in rows),
            "time_lag_max_ms": max(row["time_lag_est_ms"] for row in rows),
            "skew": 1.0,
        }
        for group, rows in groups.items()
    ]
