"""Lag and status where transactions are open, aborted or just ended; each situation is a cluster of one run."""

from __future__ import annotations

import pytest

from tests.pipeline.oracle.build import GoldSettings, build_gold
from tests.pipeline.oracle.silver import finish_silver
from tests.pipeline.tables.rows import Row, commit, frame, log_record, sample

NOW = 1_700_000_000_000
HOUR = 3_600_000

SITUATIONS: dict[str, dict[str, list[Row]]] = {
    "a marker is last": {
        "s_offset_commit": [commit(0, 99, NOW - HOUR)],
        "b_leo_sample": [sample(100, NOW - HOUR), sample(100, NOW, lso=100, readable_end=99)],
    },
    "an open transaction is last": {
        "s_offset_commit": [commit(0, 60, NOW - HOUR)],
        "b_leo_sample": [sample(60, NOW - HOUR), sample(100, NOW, lso=60, readable_end=60)],
    },
    "records before an open transaction": {
        "s_offset_commit": [commit(0, 50, NOW - HOUR)],
        "b_leo_sample": [sample(60, NOW - HOUR), sample(100, NOW, lso=60, readable_end=58)],
    },
    "what lies last is not known": {
        "s_offset_commit": [commit(0, 99, NOW - HOUR)],
        "b_leo_sample": [sample(100, NOW - HOUR), sample(100, NOW, lso=100)],
    },
    "no last stable offset": {
        "s_offset_commit": [commit(0, 99, NOW - HOUR)],
        "b_leo_sample": [sample(100, NOW - HOUR, lso=100, readable_end=99), sample(100, NOW)],
    },
    "pending": {
        "s_offset_commit": [
            commit(0, 5, NOW - HOUR),
            commit(1, 7, NOW - 900, is_transactional=True, producer_id=4),
            commit(2, 8, NOW - 500, is_transactional=True, producer_id=4),
            commit(3, 9, NOW - 400, is_transactional=True, producer_id=6, partition=1),
        ],
        "b_leo_sample": [sample(10, NOW), sample(10, NOW, partition=1)],
    },
}


@pytest.fixture(scope="module")
def tables() -> dict[str, dict[str, list[Row]]]:
    """By table and situation."""
    given = {
        name: [{**row, "cluster": situation} for situation, rows in SITUATIONS.items() for row in rows[name]]
        for name in ("s_offset_commit", "b_leo_sample")
    }
    records = [
        log_record(row["log_offset"], row["record_ms"], cluster=row["cluster"]) for row in given["s_offset_commit"]
    ]
    rows = {name: frame(name, of_name, decoded=True) for name, of_name in given.items()}
    rows["b_log_record"] = frame("b_log_record", records)
    silver = finish_silver(rows)
    built = {**silver, **build_gold({**rows, **silver}, GoldSettings(now_ms=NOW))}
    found: dict[str, dict[str, list[Row]]] = {}
    for name in ("g_lag", "g_group_lag", "g_status", "s_pending_offset", "s_current_offset"):
        found[name] = {situation: [] for situation in SITUATIONS}
        for row in built[name].to_dicts():
            found[name][row["cluster"]].append(row)
    return found


Tables = dict[str, dict[str, list[Row]]]


def one(tables: Tables, table: str, situation: str, *columns: str) -> tuple[object, ...]:
    (row,) = tables[table][situation]
    return tuple(row[name] for name in columns)


def test_marker_behind_the_committed_offset_is_lag_of_the_log_but_nothing_to_read(tables: Tables) -> None:
    """Trap 9."""
    lag = one(
        tables, "g_lag", "a marker is last", "lag", "stable_end", "stable_lag", "method", "time_lag_hi_ms", "eta_ms"
    )
    assert lag == (1, 100, 0, "caught_up", 0, 0)
    assert one(tables, "g_status", "a marker is last", "status", "evidence") == (
        "IDLE",
        "caught up, last commit 60 min ago; lag 1, 1 of it in transactions that are open or aborted, or markers",
    )
    assert one(tables, "g_group_lag", "a marker is last", "lag_sum", "stable_lag_sum") == (1, 0)


def test_group_that_waits_for_an_open_transaction_is_not_stopped_but_its_lag_in_time_grows(tables: Tables) -> None:
    """Trap 10: a reader of committed records cannot have them; another one could."""
    situation = "an open transaction is last"
    assert one(tables, "g_lag", situation, "lag", "stable_end", "stable_lag", "method") == (40, 60, 0, "bracket")
    assert one(tables, "g_status", situation, "status") == ("IDLE",)


def test_records_before_the_last_stable_offset_are_still_lag(tables: Tables) -> None:
    situation = "records before an open transaction"
    assert one(tables, "g_lag", situation, "lag", "stable_end", "stable_lag") == (50, 60, 8)
    assert one(tables, "g_status", situation, "status") == ("STOPPED",)


def test_without_a_look_at_the_end_a_marker_counts_up_to_the_last_stable_offset(tables: Tables) -> None:
    assert one(tables, "g_lag", "what lies last is not known", "lag", "stable_end", "stable_lag") == (1, 100, 1)


def test_last_stable_offset_that_the_newest_sample_does_not_know_is_unknown(tables: Tables) -> None:
    situation = "no last stable offset"
    assert one(tables, "g_lag", situation, "lag", "stable_end", "stable_lag") == (1, None, None)
    assert one(tables, "g_group_lag", situation, "stable_lag_sum") == (None,)
    assert one(tables, "g_status", situation, "status") == ("STOPPED",)


def test_pending_offsets_are_told_by_producer_with_the_last_that_it_wants_and_since_when(tables: Tables) -> None:
    names = ("partition", "producer_id", "pending_offset", "since_ms", "log_offset")
    rows = [tuple(row[name] for name in names) for row in tables["s_pending_offset"]["pending"]]
    assert sorted(rows) == [(0, 4, 8, NOW - 900, 2), (1, 6, 9, NOW - 400, 3)]
    assert one(tables, "s_current_offset", "pending", "partition", "committed_offset") == (0, 5)
