"""Compaction and retention: fewer files, the same rows; old rows go, what is still the state stays."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from muster.pipeline.old.jobs_publish import newest_ms
from muster.pipeline.old.lake import Lake
from muster.pipeline.old.lake_compact import compact, kept_table
from muster.pipeline.old.lake_retention import Retention
from muster.pipeline.query import read_table
from tests.pipeline.lake.lakes import append, bronze, publish_gold

DAY = 86_400_000
NOW = 1_000 * DAY


def _rows(root: Path, table: str) -> list[dict[str, Any]]:
    lake = Lake.open(root)
    return [row for path in lake.paths(table) for row in pq.ParquetFile(path).read().to_pylist()]


def _commit(offset: int, day: float, committed: int, topic: str = "t", in_transaction: bool = False) -> dict[str, Any]:
    return {
        "cluster": "east",
        "log_partition": 0,
        "log_offset": offset,
        "record_ms": int(day * DAY),
        "group_id": "g",
        "topic": topic,
        "partition": 0,
        "committed_offset": committed,
        "is_transactional": in_transaction,
        "dt": "x",
    }


def test_many_small_batches_become_one_with_the_same_rows_in_order(tmp_path: Path) -> None:
    with Lake.open_or_create(tmp_path).write() as writer:
        for offset in range(5):
            append(writer, {"b_log_record": [bronze(offset, NOW)]})
        done = compact(writer, Retention(), NOW)
    assert (done.files_before, done.files_after, done.rows_dropped) == (5, 1, 0)
    assert [row["log_offset"] for row in _rows(tmp_path, "b_log_record")] == [0, 1, 2, 3, 4]


def test_a_compacted_lake_has_nothing_to_compact(tmp_path: Path) -> None:
    with Lake.open_or_create(tmp_path).write() as writer:
        for offset in range(3):
            append(writer, {"b_log_record": [bronze(offset, NOW)]})
        compact(writer, Retention(), NOW)
        revision = writer.manifest.revision
        compact(writer, Retention(), NOW)
        assert writer.manifest.revision == revision


def test_old_records_lose_their_bytes_first_and_go_later(tmp_path: Path) -> None:
    """Without bytes a record still fills its place in the log: no hole appears (analytics 2.5)."""
    ages = {0: 100, 1: 50, 2: 1}
    with Lake.open_or_create(tmp_path).write() as writer:
        append(writer, {"b_log_record": [bronze(offset, NOW - age * DAY) for offset, age in ages.items()]})
        done = compact(writer, Retention(bronze_days=14, silver_days=90), NOW)
    assert done.rows_dropped == 1
    assert [(row["log_offset"], row["value"]) for row in _rows(tmp_path, "b_log_record")] == [(1, None), (2, b"v")]


def test_of_old_commits_the_newest_of_each_partition_stays(tmp_path: Path) -> None:
    """A group that reads a quiet topic has an old offset that still counts."""
    rows = [_commit(0, 1, 10), _commit(1, 2, 20), _commit(2, 3, 7, topic="quiet"), _commit(3, 999, 30)]
    with Lake.open_or_create(tmp_path).write() as writer:
        append(writer, {"s_offset_commit.rows": rows})
        compact(writer, Retention(), NOW)
    assert sorted(row["log_offset"] for row in _rows(tmp_path, "s_offset_commit.rows")) == [2, 3]


def test_an_old_commit_in_a_transaction_pushes_no_other_out(tmp_path: Path) -> None:
    """Whether it counts is known only with its marker: if it was aborted the commit before it is the state (trap 7)."""
    rows = [_commit(0, 1, 10), _commit(1, 2, 20), _commit(2, 3, 99, in_transaction=True)]
    with Lake.open_or_create(tmp_path).write() as writer:
        append(writer, {"s_offset_commit.rows": rows})
        compact(writer, Retention(), NOW)
    assert sorted(row["log_offset"] for row in _rows(tmp_path, "s_offset_commit.rows")) == [1, 2]


def test_record_from_the_future_does_not_make_everything_else_old(tmp_path: Path) -> None:
    """Trap 19: a producer's clock may say anything, and ages count from the newest time."""
    with Lake.open_or_create(tmp_path).write() as writer:
        append(writer, {"b_log_record": [bronze(0, NOW - DAY), bronze(1, NOW + 40_000 * DAY)]})
        assert newest_ms(writer, clock=lambda: NOW) == NOW
        append(writer, {"b_log_record": [bronze(2, NOW)]})
        compact(writer, Retention(), newest_ms(writer, clock=lambda: NOW))
    assert [row["value"] for row in _rows(tmp_path, "b_log_record")] == [b"v"] * 3


def test_rows_with_lists_are_thinned_too(tmp_path: Path) -> None:
    def member(offset: int, name: str) -> dict[str, Any]:
        place = {"cluster": "east", "log_partition": 0, "log_offset": offset, "record_ms": offset * DAY}
        return {**place, "group_id": "g", "member_id": name, "topics": ["a", "b"], "dt": "x"}

    with Lake.open_or_create(tmp_path).write() as writer:
        append(writer, {"s_member.rows": [member(1, "a"), member(2, "b"), member(2, "c")]})
        compact(writer, Retention(), NOW)
    assert [row["member_id"] for row in _rows(tmp_path, "s_member.rows")] == ["b", "c"]


def test_gold_from_before_the_horizon_of_silver_is_kept_until_its_own(tmp_path: Path) -> None:
    ages = (500, 100, 1)
    gold = {
        "g_rebalance": [
            {"cluster": "east", "group_id": "g", "generation": age, "ended_ms": NOW - age * DAY} for age in ages
        ]
    }
    with Lake.open_or_create(tmp_path).write() as writer:
        publish_gold(writer, gold, NOW)
        compact(writer, Retention(silver_days=90, gold_days=400), NOW)
        assert writer.manifest.silver_from_ms == NOW - 90 * DAY
    assert [row["generation"] for row in _rows(tmp_path, kept_table("g_rebalance"))] == [100]


def test_a_reader_from_before_sees_what_it_saw(tmp_path: Path) -> None:
    with Lake.open_or_create(tmp_path).write() as writer:
        for offset in range(3):
            append(writer, {"b_log_record": [bronze(offset, 0)]})
        before = Lake.open(tmp_path)
        compact(writer, Retention(), NOW)
    assert read_table(before, "b_log_record").num_rows == 3
    assert read_table(Lake.open(tmp_path), "b_log_record").num_rows == 0


@pytest.mark.parametrize("table", ["b_log_record", "s_offset_commit.rows"])
def test_a_crash_before_publishing_changes_nothing(tmp_path: Path, table: str) -> None:
    class Died(Exception):
        pass

    row = bronze(0, 0) if table == "b_log_record" else _commit(0, 1, 1)
    with Lake.open_or_create(tmp_path).write() as writer:
        append(writer, {table: [row]})
        append(writer, {table: [{**row, "log_offset": 1}]})

    def die(_: object) -> None:
        raise Died

    with pytest.raises(Died), Lake.open(tmp_path).write() as writer:  # noqa: PT012
        writer.publish = die  # type: ignore[method-assign,assignment]
        compact(writer, Retention(), NOW)
    assert len(_rows(tmp_path, table)) == 2
