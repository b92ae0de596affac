"""Finished silver: transactions, neighbours, holes in the log, end offsets. Each situation is a cluster of one run."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.pipeline.oracle.log_extent import log_extent
from tests.pipeline.oracle.silver import finish_silver
from tests.pipeline.tables.rows import Row, commit, frame, log_record, sample

COMMIT, ABORT = 1, 0


def transactional(log_offset: int, offset: int, at_ms: int, producer: int = 7) -> Row:
    return commit(log_offset, offset, at_ms, is_transactional=True, producer_id=producer)


def marker(log_offset: int, kind: int, at_ms: int, producer: int = 7) -> Row:
    place = {"log_partition": 0, "log_offset": log_offset, "record_ms": at_ms}
    return {**place, "producer_id": producer, "producer_epoch": 0, "control_type": kind}


COMMITS: dict[str, list[Row]] = {
    "plain": [commit(0, 10, 100), commit(1, 10, 200), commit(2, 20, 300), commit(3, 15, 400)],
    "tombstone": [commit(0, 10, 100), commit(1, None, 200), commit(2, 10, 300)],
    "gone": [commit(0, 10, 100), commit(1, None, 200)],
    "committed": [commit(0, 10, 100), transactional(1, 20, 200)],
    "aborted": [commit(0, 10, 100), transactional(1, 20, 200), commit(3, 12, 400)],
    "open": [commit(0, 10, 100), transactional(1, 20, 200)],
    "overtaken": [transactional(0, 20, 100), commit(1, 10, 200)],
    "two producers": [transactional(0, 20, 100, 7), transactional(1, 30, 200, 8)],
    "deleted while pending": [transactional(0, 20, 100), commit(1, None, 200)],
    "cannot tell": [commit(0, 10, 100, is_transactional=None)],
    "time goes back": [commit(0, 10, 500), commit(1, 20, 400)],
}
MARKERS: dict[str, list[Row]] = {
    "committed": [marker(2, COMMIT, 300)],
    "aborted": [marker(2, ABORT, 300)],
    "overtaken": [marker(2, COMMIT, 300)],
    "two producers": [marker(2, ABORT, 300, 8), marker(3, COMMIT, 400, 7)],
    "deleted while pending": [marker(2, COMMIT, 300)],
}
HOLES = {"whole": [4, 5, 6, 7], "holed": [0, 1, 5, 6, 9, 10], "one": [3]}

SAMPLES: dict[str, list[Row]] = {
    "flat": [sample(5, 100), sample(5, 200), sample(5, 300), sample(5, 400), sample(9, 500)],
    "made anew": [sample(50, 100, leader_epoch=3), sample(3, 200, leader_epoch=0), sample(8, 300, leader_epoch=0)],
    "other id": [sample(50, 100, topic_id="one"), sample(60, 200, topic_id="two")],
    "cut": [sample(50, 100, leader_epoch=3), sample(40, 200, leader_epoch=4), sample(45, 300, leader_epoch=4)],
    "clock goes back": [
        sample(10, 100, sampler="segment"),
        sample(20, 50, sampler="segment"),
        sample(30, 300, sampler="segment"),
    ],
    "twice": [sample(5, 100), sample(5, 100), sample(6, 200)],
}


def spread(rows: dict[str, list[Row]]) -> list[Row]:
    return [{**row, "cluster": name} for name, of_name in rows.items() for row in of_name]


@pytest.fixture(scope="module")
def silver() -> Callable[[str, str], list[Row]]:
    records = {name: [log_record(row["log_offset"]) for row in rows] for name, rows in (COMMITS | MARKERS).items()}
    rows = {
        "s_offset_commit": frame("s_offset_commit", spread(COMMITS), decoded=True),
        "b_log_record": frame("b_log_record", spread(records)),
        "b_leo_sample": frame("b_leo_sample", spread(SAMPLES)),
    }
    rows["txn_marker"] = frame("txn_marker", spread(MARKERS))
    finished = finish_silver(rows)
    tables = {name: finished[name].to_dicts() for name in ("s_offset_commit", "s_current_offset", "s_leo")}

    def of(table: str, situation: str) -> list[Row]:
        found = [row for row in tables[table] if row["cluster"] == situation]
        return sorted(found, key=lambda row: row.get("log_offset") or row.get("end_ms") or 0)

    return of


def test_neighbours_tell_duplicates_and_rewinds(silver: Callable[[str, str], list[Row]]) -> None:
    """Trap 11: the same offset again is a sign of life, no progress."""
    rows = silver("s_offset_commit", "plain")
    assert [row["prev_offset"] for row in rows] == [None, 10, 10, 20]
    assert [row["prev_commit_ms"] for row in rows] == [None, 100, 200, 300]
    assert [row["next_commit_ms"] for row in rows] == [200, 300, 400, None]
    assert [row["newer"] for row in rows] == [3, 2, 1, 0]
    assert [row["is_duplicate"] for row in rows] == [False, True, False, False]
    assert [row["is_rewind"] for row in rows] == [False, False, False, True]


def test_tombstone_breaks_the_chain_and_removes_the_position(silver: Callable[[str, str], list[Row]]) -> None:
    """Trap 1."""
    rows = silver("s_offset_commit", "tombstone")
    assert [row["prev_offset"] for row in rows] == [None, 10, None]
    assert not any(row["is_duplicate"] for row in rows)
    assert [row["committed_offset"] for row in silver("s_current_offset", "tombstone")] == [10]
    assert silver("s_current_offset", "gone") == []


CURRENT = [
    ("plain", 15),
    ("committed", 20),
    ("aborted", 12),
    ("open", 10),
    ("overtaken", 10),
    ("two producers", 20),
    ("cannot tell", 10),
    ("time goes back", 20),
]


@pytest.mark.parametrize(("situation", "offset"), CURRENT)
def test_current_offset_is_the_last_in_the_log_that_counts(
    silver: Callable[[str, str], list[Row]], situation: str, offset: int
) -> None:
    """Analytics 2.4; order is the log's, not the clock's and not the markers' (traps 4, 6, 7)."""
    assert [row["committed_offset"] for row in silver("s_current_offset", situation)] == [offset]


def test_pending_offset_that_was_deleted_does_not_come_back(silver: Callable[[str, str], list[Row]]) -> None:
    assert silver("s_current_offset", "deleted while pending") == []


@pytest.mark.parametrize(
    ("situation", "states", "effective_ms"),
    [
        ("committed", ["none", "committed"], [100, 300]),
        ("aborted", ["none", "aborted", "none"], [100, None, 400]),
        ("open", ["none", "open"], [100, None]),
        ("two producers", ["committed", "aborted"], [400, None]),
        ("cannot tell", ["unknown"], [100]),
    ],
)
def test_transaction_counts_from_its_marker_on(
    silver: Callable[[str, str], list[Row]], situation: str, states: list[str], effective_ms: list[int | None]
) -> None:
    rows = silver("s_offset_commit", situation)
    assert [row["txn_state"] for row in rows] == states
    assert [row["effective_ms"] for row in rows] == effective_ms
    assert [row["is_effective"] for row in rows] == [state not in ("aborted", "open") for state in states]


def test_aborted_offset_is_nobodys_predecessor(silver: Callable[[str, str], list[Row]]) -> None:
    """Trap 7: else its successor would look like a rewind."""
    rows = silver("s_offset_commit", "aborted")
    assert [row["prev_offset"] for row in rows] == [None, None, 10]
    assert not any(row["is_rewind"] for row in rows)


def test_history_is_faithful_behind_the_last_hole() -> None:
    """Analytics 2.5."""
    rows = [
        {**log_record(number, number * 10), "cluster": name} for name, numbers in HOLES.items() for number in numbers
    ]
    found = {row["cluster"]: row for row in log_extent(frame("b_log_record", rows)).to_dicts()}
    assert {name: (row["gaps"], row["faithful_from"], row["faithful_from_ms"]) for name, row in found.items()} == {
        "whole": (0, 4, 40),
        "holed": (2, 9, 90),
        "one": (0, 3, 30),
    }


def test_flat_run_keeps_its_ends_and_samples_count_once(silver: Callable[[str, str], list[Row]]) -> None:
    assert [(row["leo"], row["end_ms"]) for row in silver("s_leo", "flat")] == [(5, 100), (5, 400), (9, 500)]
    assert [row["leo"] for row in silver("s_leo", "twice")] == [5, 6]


def test_topic_made_anew_is_another_epoch(silver: Callable[[str, str], list[Row]]) -> None:
    """Trap 22."""
    assert [(row["leo"], row["topic_epoch"]) for row in silver("s_leo", "made anew")] == [(50, 0), (3, 1), (8, 1)]
    assert [(row["leo"], row["topic_epoch"]) for row in silver("s_leo", "other id")] == [(50, 0), (60, 1)]


def test_tail_that_was_cut_proves_nothing_about_what_came_in_its_place(silver: Callable[[str, str], list[Row]]) -> None:
    """Trap 23: offsets 40 to 49 of the log as it is now are not from before the election."""
    assert [(row["leo"], row["topic_epoch"]) for row in silver("s_leo", "cut")] == [(40, 0), (40, 0), (45, 0)]


def test_append_times_never_go_back(silver: Callable[[str, str], list[Row]]) -> None:
    assert [(row["leo"], row["end_ms"]) for row in silver("s_leo", "clock goes back")] == [
        (10, 100),
        (20, 100),
        (30, 300),
    ]
