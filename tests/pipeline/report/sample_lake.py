"""A day of eight groups, as the report would find it: a healthy one, a storm, a rolling restart, a poisoned partition,
one that stopped and will expire, an abandoned one, a hot and uneven committer, one with spikes.
"""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from muster.pipeline.schemas import TABLES
from tests.pipeline.report import sample_lag, sample_members
from tests.pipeline.report.sample_lag import CLUSTER, DAY, END, HOUR, MINUTE, START, Traffic
from tests.pipeline.report.sample_members import Step, Story

Row = dict[str, Any]

_STORM = range(1_020, 1_065)


def _storm_speed(partition: int, minute: int) -> float:
    if minute in _STORM:
        return 8.0
    return 150.0 if minute < _STORM.start else 88.0


def _traffic() -> list[Traffic]:
    return [
        Traffic("orders-enricher", "orders", 12, 40, lambda p, m: 400),
        Traffic("payments-settlement", "payments", 6, 15, lambda p, m: 0 if p == 3 and m > 1_150 else 200),
        Traffic(
            "search-indexer", "catalog.changes", 12, 25, lambda p, m: 0 if 842 <= m < 845 or 850 <= m < 852 else 200
        ),
        Traffic("clickstream-sessions", "clicks", 16, 70, _storm_speed),
        Traffic("billing-export", "invoices", 4, 5, lambda p, m: 100 if m < 300 else 0),
        Traffic("fraud-scoring", "payments", 6, 15, lambda p, m: 9 if m % 240 < 40 and m > 300 else 300),
        Traffic("console-consumer-48213", "orders", 3, 40, lambda p, m: 0),
        Traffic("connect-s3-sink", "audit.events", 20, 12, lambda p, m: 300),
    ]


def _names(stem: str, count: int) -> tuple[str, ...]:
    return tuple(f"{stem}-{i}" for i in range(count))


def _stories() -> list[Story]:
    orders = _names("orders-enricher", 4)
    return [
        Story(
            "orders-enricher",
            "orders",
            12,
            [
                Step(START - HOUR, orders[:3], "new_member", orders[2]),
                Step(START + 9 * HOUR, orders, "new_member", orders[3]),
            ],
        ),
        Story(
            "payments-settlement",
            "payments",
            6,
            [Step(START - 2 * HOUR, _names("settle", 3), "new_member", "settle-2", join_ms=None)],
        ),
        _rolling_restart(),
        _storm(),
        Story(
            "billing-export",
            "invoices",
            4,
            [
                Step(START - DAY, ("export-0",), "new_member", "export-0"),
                Step(START + 5 * HOUR, (), "member_left", "export-0"),
            ],
        ),
        Story(
            "fraud-scoring",
            "payments",
            6,
            [
                Step(START + HOUR, _names("fraud", 2), "new_member"),
                Step(START + 11 * HOUR, _names("fraud", 3), "new_member", "fraud-2", 3_000, 140, 9_000),
            ],
        ),
        Story(
            "connect-s3-sink",
            "audit.events",
            20,
            [Step(START + 2 * HOUR, _names("connect-worker", 5), "metadata_changed", "connect-worker-0")],
            uneven=True,
        ),
    ]


def _rolling_restart() -> Story:
    pods = _names("indexer", 6)
    begin = START + 14 * HOUR
    steps = [Step(START - 5 * HOUR, pods, "new_member", pods[-1])]
    for i, pod in enumerate(pods):
        rest = tuple(other for other in pods if other != pod)
        steps.append(
            Step(begin + i * 3 * MINUTE, rest, "session_expired", pod, 44_000 if i == 2 else 12_000, 300, 51_000)
        )
        steps.append(Step(begin + i * 3 * MINUTE + 70_000, pods, "static_member_returned", pod, 2_000, 250, 8_000))
    episode = _episode(
        1, begin, begin + 17 * MINUTE, 12, ["session_expired", "static_member_returned"], "rolling_restart"
    )
    return Story("search-indexer", "catalog.changes", 12, steps, static=True, episodes=[episode])


def _storm() -> Story:
    pods = _names("sessions", 8)
    steps = [Step(START - HOUR, pods, "new_member", pods[-1])]
    begin = START + _STORM.start * MINUTE
    for i in range(30):
        victim = pods[i * 3 % 8]
        rest = tuple(pod for pod in pods if pod != victim)
        at = begin + i * 90_000
        steps.append(Step(at, rest, "session_expired", victim, 10_000 + i * 900, 400, 35_000))
        steps.append(
            Step(
                at + 40_000,
                pods,
                "new_member",
                victim,
                3_000,
                350,
                12_000,
                reason="rebalance failed due to UnknownMemberIdException",
            )
        )
    episode = _episode(1, begin, begin + 30 * 90_000, 60, ["session_expired", "new_member"], "storm")
    return Story("clickstream-sessions", "clicks", 16, steps, episodes=[episode])


def _episode(number: int, begin: int, end: int, count: int, causes: list[str], kind: str) -> Row:
    return {
        "episode": number,
        "started_ms": begin,
        "ended_ms": end,
        "n_rebalances": count,
        "causes": causes,
        "kind": kind,
        "pause_max_ms": 51_000,
    }


def _status(row: Row) -> Row:
    group, age = row["group_id"], row["commit_age_ms"]
    if group == "payments-settlement" and row["partition"] == 3:
        word, burrow, why = (
            "STALLED",
            "STALL",
            f"settle-1 commits offset {row['committed']} again and again while {row['lag']} records wait",
        )
    elif group in ("billing-export", "console-consumer-48213"):
        word, burrow, why = (
            "STOPPED",
            "STOP",
            f"nobody in the group, last commit {age // MINUTE} min ago, {row['lag']} records wait",
        )
    elif row["time_lag_est_ms"] > 5 * MINUTE:
        word, burrow, why = "CATCHING_UP", "OK", "reads faster than is written"
    else:
        word, burrow, why = "OK", "OK", "lag is small"
    return {
        **{name: row[name] for name in ("cluster", "group_id", "topic", "partition", "at_ms")},
        "burrow_status": burrow,
        "status": word,
        "evidence": why,
    }


def _expiry(row: Row) -> Row:
    group = row["group_id"]
    days = {"billing-export": 30 / 24, "console-consumer-48213": 3.2, "connect-s3-sink": 9.0}.get(group)
    if group == "connect-s3-sink" and row["partition"] > 2:
        days = None
    return {
        **{name: row[name] for name in ("cluster", "group_id", "topic", "partition", "committed")},
        "base_ms": row["commit_ms"],
        "expires_ms": None if days is None else END + int(days * DAY),
        "reason": "never: the group is stable and subscribes to the topic"
        if days is None
        else "the group is empty since then",
        "at_risk_records": row["lag"],
        "group_state": "Empty" if days is not None else "Stable",
    }


def _committers(groups: list[str]) -> list[Row]:
    return [
        {
            "cluster": CLUSTER,
            "group_id": group,
            "hour_ms": END - (hour + 1) * HOUR,
            "log_partition": (i * 17) % 50,
            "commits": 72_000 if group == "connect-s3-sink" else 700 + 37 * i + hour,
            "useless": 69_000 if group == "connect-s3-sink" else 20 * i,
            "useless_share": 0.958 if group == "connect-s3-sink" else 20 * i / (700 + 37 * i + hour),
            "records_per_commit": 0.6 if group == "connect-s3-sink" else 205.0,
            "bytes": 7_900_000 if group == "connect-s3-sink" else 81_000,
            "share_of_log_partition": 0.93 if group == "connect-s3-sink" else 0.2,
        }
        for i, group in enumerate(groups)
        for hour in range(6)
    ]


def _quality() -> list[Row]:
    rows = []
    for partition in range(50):
        # One group commits far too often, and its log partition is the longest.
        last = 560_000 if partition == 19 else 20_000 + partition * 911
        rows.append(
            {
                "cluster": CLUSTER,
                "log_topic": "__consumer_offsets",
                "log_partition": partition,
                "records": last - 300,
                "unknown_records": 12 if partition == 31 else 0,
                "quarantined": 2 if partition == 17 else 0,
                "gaps": 1 if partition % 6 == 0 else 0,
                "first_offset": 0,
                "last_offset": last,
                "faithful_from": last // 3 if partition % 6 == 0 else last * 2 // 3 if partition == 22 else 0,
                "open_transactions": 1 if partition == 44 else 0,
            }
        )
    return rows


def sample_tables() -> dict[str, pa.Table]:
    rows: dict[str, list[Row]] = {name: [] for name in TABLES}
    owners: dict[tuple[str, str, int], str] = {}
    for story in _stories():
        for table, made in sample_members.tables(story).items():
            rows[table] += made
        owners.update(
            {(story.group, topic, p): owner for (topic, p), owner in story.dealt(story.steps[-1].members).items()}
        )
    for traffic in _traffic():
        rows["g_lag_history"] += sample_lag.history(traffic)
    rows["g_lag"] = sample_lag.lag_now(rows["g_lag_history"], owners)
    for traffic in _traffic():
        if traffic.group in ("payments-settlement", "orders-enricher"):
            rows["g_lag_history"] += sample_lag.older_hours(traffic)
    rows["g_group_lag"] = sample_lag.group_lag(rows["g_lag"])
    rows["g_status"] = [_status(row) for row in rows["g_lag"]]
    rows["g_expiry"] = [_expiry(row) for row in rows["g_lag"]]
    rows["g_abandoned"] = [
        {
            "cluster": CLUSTER,
            "group_id": "console-consumer-48213",
            "score": 0.9,
            "empty_since_ms": START - 3 * DAY,
            "last_commit_ms": START - 3 * DAY,
            "lag": 10_400_000,
            "evidence": "empty for 4 d, lag grows, the name looks generated",
        }
    ]
    rows["g_hot_committers"] = _committers([traffic.group for traffic in _traffic()])
    rows["g_data_quality"] = _quality()
    return {name: as_table(name, made) for name, made in rows.items()}


def as_table(name: str, rows: list[Row]) -> pa.Table:
    """Rows as the contract's columns; what a row does not say is null."""
    schema = TABLES[name]
    return pa.Table.from_pylist([{column: row.get(column) for column in schema.names} for row in rows], schema=schema)
