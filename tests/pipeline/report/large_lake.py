"""A very large lake: 10,000 groups, 100,000 committed partitions, all in trouble, with long names.

Made to be the worst for the page: every group needs attention, rebalances all day, and loses its offsets.
"""

from __future__ import annotations

import random
from typing import Any

import pyarrow as pa

from muster.pipeline.schemas import TABLES
from tests.pipeline.report.sample_lag import CLUSTER, DAY, END, HOUR, MINUTE, START

GROUPS = 10_000
PARTITIONS = 100_000
_BUSY = 60
"""Groups with a full history, many members and many rebalances; more than any plot has room for."""

Columns = dict[str, list[Any]]


def _group(number: int) -> str:
    return f"team-{number % 97:02d}.service-with-quite-a-long-name.consumer-group-{number:05d}.production-eu-central"


def _topic(number: int) -> str:
    return f"domain-{number % 31:02d}.some-bounded-context.an-event-that-happened.v{number % 7}"


def _member(number: int) -> str:
    return f"consumer-of-a-service-{number:04d}-7f9c64d5b4-{number * 7919 % 100000:05d}-0d9f3a52-4b1c-4f7e-9a57"


def _table(name: str, rows: int, columns: Columns) -> pa.Table:
    schema = TABLES[name]
    columns = {"cluster": [CLUSTER] * rows, **columns}
    arrays = [pa.array(columns[f.name], f.type) if f.name in columns else pa.nulls(rows, f.type) for f in schema]
    return pa.table(arrays, schema=schema)


def large_tables() -> dict[str, pa.Table]:
    rng = random.Random(11)
    places = _places()
    return {
        "g_lag": _lag(places, rng),
        "g_status": _status(places),
        "g_group_lag": _group_lag(rng),
        "g_expiry": _expiry(places, rng),
        "g_lag_history": _history(rng),
        "g_rebalance": _rebalances(rng),
        "g_member": _members(),
        "g_assignment_balance": _balance(rng),
        "g_abandoned": _abandoned(rng),
        "g_hot_committers": _committers(rng),
        "g_data_quality": _quality(),
        "s_assignment": _assignments(),
    }


def _places() -> Columns:
    numbers = range(PARTITIONS)
    return {
        "group_id": [_group(i % GROUPS) for i in numbers],
        "topic": [_topic(i % GROUPS) for i in numbers],
        "partition": [i // GROUPS for i in numbers],
    }


def _lag(places: Columns, rng: random.Random) -> pa.Table:
    behind = [rng.randrange(1, 10**9) for _ in range(PARTITIONS)]
    return _table(
        "g_lag",
        PARTITIONS,
        {
            **places,
            "at_ms": [END] * PARTITIONS,
            "committed": [10**12] * PARTITIONS,
            "end": [10**12 + lag for lag in behind],
            "lag": behind,
            "time_lag_lo_ms": [lag // 1000 for lag in behind],
            "time_lag_hi_ms": [lag // 1000 + 30_000 for lag in behind],
            "time_lag_est_ms": [lag // 1000 + 11_111 for lag in behind],
            "method": ["bracket"] * PARTITIONS,
            "commit_age_ms": [lag // 900 for lag in behind],
            "lag_at_commit_lo_ms": [lag // 9_000 for lag in behind],
            "lag_at_commit_hi_ms": [lag // 8_000 for lag in behind],
            "log_start": [10**12 - lag // 50 for lag in behind],
            "produce_rate": [lag / 10**6 for lag in behind],
            "eta_ms": [lag // 50 for lag in behind],
            "owner": [_member(i % 500) for i in range(PARTITIONS)],
        },
    )


def _status(places: Columns) -> pa.Table:
    words = ["STALLED", "STOPPED", "REWOUND", "NO_POSITION", "SLOW"]
    evidence = (
        "no commit for 4 h 12 min although the group has 12 members and 123,456,789 records wait; the owner is alive "
        * 3
    )
    return _table(
        "g_status",
        PARTITIONS,
        {
            **places,
            # The busy groups are the worst: theirs are the panels.
            "status": ["DATA_LOSS" if i % GROUPS < _BUSY else words[i % 5] for i in range(PARTITIONS)],
            "burrow_status": ["STALL"] * PARTITIONS,
            "evidence": [evidence] * PARTITIONS,
        },
    )


def _group_lag(rng: random.Random) -> pa.Table:
    return _table(
        "g_group_lag",
        GROUPS,
        {
            "group_id": [_group(i) for i in range(GROUPS)],
            "at_ms": [END] * GROUPS,
            "lag_sum": [rng.randrange(10**9) for _ in range(GROUPS)],
            "time_lag_max_ms": [rng.randrange(10**7) for _ in range(GROUPS)],
        },
    )


def _expiry(places: Columns, rng: random.Random) -> pa.Table:
    return _table(
        "g_expiry",
        PARTITIONS,
        {
            **places,
            "committed": [10**12] * PARTITIONS,
            "expires_ms": [END + rng.randrange(14 * DAY) for _ in range(PARTITIONS)],
            "at_risk_records": [rng.randrange(10**7) for _ in range(PARTITIONS)],
            "reason": ["the group is empty since then and nobody has committed; retention is 7 d"] * PARTITIONS,
            "group_state": ["Empty"] * PARTITIONS,
        },
    )


def _history(rng: random.Random) -> pa.Table:
    """Every minute of a day and every hour of six days before for the busy groups, four partitions each; the others have none."""
    minutes = [*range(-6 * DAY // MINUTE, 0, 60), *range(DAY // MINUTE)]
    rows = [(g, p, m) for g in range(_BUSY) for p in range(4) for m in minutes]
    lag = [rng.randrange(10**7) for _ in rows]
    return _table(
        "g_lag_history",
        len(rows),
        {
            "group_id": [_group(g) for g, _, _ in rows],
            "topic": [_topic(g) for g, _, _ in rows],
            "partition": [p for _, p, _ in rows],
            "minute_ms": [START + m * MINUTE for _, _, m in rows],
            "committed": [10**12 + m * 1000 for _, _, m in rows],
            "end": [10**12 + m * 1100 for _, _, m in rows],
            "lag": lag,
            "time_lag_lo_ms": lag,
            "time_lag_hi_ms": [value + 30_000 for value in lag],
            "time_lag_est_ms": [value + 15_000 for value in lag],
        },
    )


def _rebalances(rng: random.Random) -> pa.Table:
    causes = ["new_member", "session_expired", "member_left", "static_member_returned", "metadata_changed", "unknown"]
    rows = [(g, n) for g in range(_BUSY) for n in range(1_500)]
    ended = [START + rng.randrange(DAY) for _ in rows]
    return _table(
        "g_rebalance",
        len(rows),
        {
            "group_id": [_group(g) for g, _ in rows],
            "generation": [n for _, n in rows],
            "log_offset": [n for _, n in rows],
            "started_ms": [at - 40_000 for at in ended],
            "ended_ms": ended,
            "join_phase_ms": [39_000] * len(rows),
            "sync_phase_ms": [1_000] * len(rows),
            "cause": [causes[rng.randrange(6)] for _ in rows],
            "trigger_member": [_member(n % 500) for _, n in rows],
            "waited_for": [_member(n % 499) for _, n in rows],
            "waited_ms": [38_000] * len(rows),
            "client_reason": ["rebalance failed due to a reason that a client gave at great length " * 4] * len(rows),
            "confidence": [0.7] * len(rows),
            "members_before": [300] * len(rows),
            "members_after": [301] * len(rows),
            "partitions_moved": [1_000] * len(rows),
            "excess_moves": [900] * len(rows),
            "pause_p50_ms": [20_000] * len(rows),
            "pause_max_ms": [70_000] * len(rows),
        },
    )


def _members() -> pa.Table:
    rows = [(g, n) for g in range(_BUSY) for n in range(500)]
    return _table(
        "g_member",
        len(rows),
        {
            "group_id": [_group(g) for g, _ in rows],
            "identity": [_member(n) for _, n in rows],
            "client_id": [_member(n) for _, n in rows],
            "client_host": ["2001:db8:85a3:8d3:1319:8a2e:370:7348"] * len(rows),
            "is_static": [False] * len(rows),
            "first_seen_ms": [START + n * MINUTE for _, n in rows],
            "last_seen_ms": [END] * len(rows),
            "is_present": [n % 2 == 0 for _, n in rows],
            "n_generations": [40] * len(rows),
            "n_restarts": [3] * len(rows),
            "n_partitions": [n % 7 for _, n in rows],
            "left_because": ["session_expired" if n % 2 else None for _, n in rows],
        },
    )


def _balance(rng: random.Random) -> pa.Table:
    return _table(
        "g_assignment_balance",
        GROUPS,
        {
            "group_id": [_group(i) for i in range(GROUPS)],
            "generation": [12] * GROUPS,
            "at_ms": [END - HOUR] * GROUPS,
            "n_members": [30] * GROUPS,
            "n_partitions": [300] * GROUPS,
            "n_idle_members": [4] * GROUPS,
            "max_over_mean": [1 + rng.random() * 5 for _ in range(GROUPS)],
            "spread": [40] * GROUPS,
            "cv": [0.5] * GROUPS,
            "gini": [0.3] * GROUPS,
            "effective_members": [12.3] * GROUPS,
        },
    )


def _abandoned(rng: random.Random) -> pa.Table:
    return _table(
        "g_abandoned",
        GROUPS,
        {
            "group_id": [_group(i) for i in range(GROUPS)],
            "score": [rng.random() for _ in range(GROUPS)],
            "empty_since_ms": [START - DAY] * GROUPS,
            "last_commit_ms": [START - 2 * DAY] * GROUPS,
            "lag": [10**8] * GROUPS,
            "evidence": ["empty for 40 d, lag grows, no member seen for 40 d, the name looks generated"] * GROUPS,
        },
    )


def _committers(rng: random.Random) -> pa.Table:
    rows = GROUPS * 10
    return _table(
        "g_hot_committers",
        rows,
        {
            "group_id": [_group(i % GROUPS) for i in range(rows)],
            "hour_ms": [END - (i // GROUPS) * HOUR for i in range(rows)],
            "log_partition": [i % 50 for i in range(rows)],
            "commits": [rng.randrange(10**6) for _ in range(rows)],
            "useless": [1000] * rows,
            "useless_share": [0.5] * rows,
            "records_per_commit": [3.2] * rows,
            "bytes": [10**8] * rows,
            "share_of_log_partition": [0.02] * rows,
        },
    )


def _quality() -> pa.Table:
    rows = 1_000
    return _table(
        "g_data_quality",
        rows,
        {
            "log_topic": ["__consumer_offsets"] * rows,
            "log_partition": list(range(rows)),
            "records": [10**7] * rows,
            "unknown_records": [3] * rows,
            "quarantined": [1] * rows,
            "gaps": [2] * rows,
            "first_offset": [0] * rows,
            "last_offset": [10**7] * rows,
            "faithful_from": [10**6] * rows,
            "open_transactions": [1] * rows,
        },
    )


def _assignments() -> pa.Table:
    """The busy groups hand fifty partitions round sixty times."""
    rows = [(g, n, p) for g in range(_BUSY) for n in range(60) for p in range(50)]
    return _table(
        "s_assignment",
        len(rows),
        {
            "log_offset": [n for _, n, _ in rows],
            "record_ms": [START + n * 20 * MINUTE for _, n, _ in rows],
            "group_id": [_group(g) for g, _, _ in rows],
            "generation": [n for _, n, _ in rows],
            "identity": [_member((p + n) % 50) for _, n, p in rows],
            "topic": [_topic(g) for g, _, _ in rows],
            "partition": [p for _, _, p in rows],
        },
    )
