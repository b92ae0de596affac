"""Compaction and retention: fewer files, the same rows; old rows go, what is still so stays; readers see all of it or nothing."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from deltalake import DeltaTable

from muster.pipeline.fold.kernel import FACTS
from muster.pipeline.lake import compact as compaction
from muster.pipeline.lake.compact import Compacted, compact, newest_ms, vacuum
from muster.pipeline.lake.location import Location
from muster.pipeline.lake.reader import Lake
from muster.pipeline.lake.retention import RULES, Retention
from muster.pipeline.lake.rounds import Round, known_rounds
from muster.pipeline.lake.tables import schema_of
from tests.pipeline.lake.delta_lakes import publish, rows_of

DAY = 86_400_000
NOW = 20_773 * DAY  # 2026-11-16


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "lake"


def run(root: Path, **days: float) -> Compacted:
    return compact(Location.parse(root), Retention(**days), NOW)


def column(root: Path, table: str, name: str) -> list[Any]:
    return sorted(Lake.open(root).arrow(table)[name].to_pylist())


def log(offset: int, age: int = 0, **said: Any) -> dict[str, pa.Table]:
    day = f"2026-11-{16 - age:02}" if age < 16 else "2026-01-01"
    return {"log": rows_of("log", [{"log_offset": offset, "record_ms": NOW - age * DAY, "dt": day, **said}])}


def history(*ages: float) -> dict[str, pa.Table]:
    return {
        "g_lag_history": rows_of("g_lag_history", [{"group_id": "g", "minute_ms": NOW - int(a * DAY)} for a in ages])
    }


def test_many_small_files_become_one_with_the_same_rows(root: Path) -> None:
    for offset in range(5):
        publish(root, appended={**log(offset), **history(offset)})
    done = run(root)
    assert (done.files_before, done.files_after, done.rows_dropped) == (10, 2, 0)
    assert column(root, "log", "log_offset") == [0, 1, 2, 3, 4]
    assert column(root, "log", "dt") == ["2026-11-16"] * 5
    assert len(Lake.open(root).table_files("log")) == 1


def test_compacted_lake_has_nothing_to_compact(root: Path) -> None:
    for offset in range(3):
        publish(root, appended=log(offset))
    run(root)
    before = Lake.open(root).round
    assert run(root).changed == {}
    assert Lake.open(root).round == before


def test_old_days_of_the_log_go(root: Path) -> None:
    publish(root, appended=log(0, age=100))
    publish(root, appended=log(1, age=1))
    assert run(root, silver_days=90).rows_dropped == 1
    assert column(root, "log", "log_offset") == [1]


def test_bytes_of_what_could_not_be_decoded_go_before_the_rows(root: Path) -> None:
    publish(root, appended=log(0, age=15, key=b"k", value=b"v", problem="?"))
    publish(root, appended=log(1, age=2, key=b"k", value=b"v", problem="?"))
    run(root, bronze_days=14)
    rows = Lake.open(root).arrow("log").to_pylist()
    assert sorted((row["log_offset"], row["key"], row["value"]) for row in rows) == [(0, None, None), (1, b"k", b"v")]
    assert {row["problem"] for row in rows} == {"?"}


def test_gold_goes_after_its_own_days(root: Path) -> None:
    publish(root, appended=history(500, 399, 1))
    assert run(root, gold_days=400).rows_dropped == 1
    assert column(root, "g_lag_history", "minute_ms") == [NOW - 399 * DAY, NOW - DAY]


def generation(group: str, offset: int, age: int) -> dict[str, Any]:
    return {"cluster": "c", "group_id": group, "log_offset": offset, "record_ms": NOW - age * DAY, "generation": offset}


def test_every_table_of_facts_has_an_end() -> None:
    assert set(FACTS) - RULES.keys() == set(), "how long are its rows kept? See RULES"


def test_newest_generation_of_a_quiet_group_stays(root: Path) -> None:
    rows = [
        generation("quiet", 1, 300),
        generation("quiet", 2, 200),
        generation("busy", 3, 150),
        generation("busy", 4, 1),
    ]
    publish(root, appended={"s_group_generation": rows_of("s_group_generation", rows)})
    assert run(root).rows_dropped == 2
    assert column(root, "s_group_generation", "generation") == [2, 4]


@pytest.mark.parametrize("table", sorted(table for table, rule in RULES.items() if rule.newest_of))
def test_newest_of_each_key_is_found_piece_by_piece(root: Path, table: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whichever file it lies in, and without the whole table in memory."""

    def whole(*_: object) -> pa.Table:
        raise AssertionError("a table is read as a whole")

    for rows in (
        [generation("quiet", 2, 200), generation("busy", 3, 150)],
        [generation("quiet", 1, 300), generation("busy", 4, 1)],
        [generation("quiet", 0, 400)],
    ):
        publish(
            root,
            appended={
                table: rows_of(table, [{k: v for k, v in row.items() if k in schema_of(table).names} for row in rows])
            },
        )
    with monkeypatch.context() as patched:
        patched.setattr(Lake, "arrow", whole)
        assert run(root).rows_dropped == 3
    assert column(root, table, "log_offset") == [2, 4]


@pytest.mark.parametrize(
    ("table", "time", "moment", "is_old"),
    [
        ("g_rebalance", "ended_ms", NOW - 500 * DAY, True),
        ("g_rebalance", "ended_ms", NOW, False),
        ("g_member_churn", "dt", "2025-01-01", True),
        ("g_member_churn", "dt", "2026-11-16", False),
    ],
)
def test_whether_rows_are_old_is_asked_piece_by_piece_where_some_are_open(
    root: Path, table: str, time: str, moment: Any, is_old: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def whole(*_: object) -> pa.Table:
        raise AssertionError("a table is read as a whole")

    monkeypatch.setattr(Lake, "arrow", whole)
    publish(root, appended={table: rows_of(table, [{}, {time: moment}])})
    publish(root, replaced={table: rows_of(table, [{}])}, gold_at_ms=NOW)
    done = run(root)
    assert (done.rows_dropped, set(done.changed)) == ((1, {table}) if is_old else (0, set()))


def test_open_rows_can_still_be_replaced_afterwards(root: Path) -> None:
    def rebalance(generation: int) -> dict[str, pa.Table]:
        return {"g_rebalance": rows_of("g_rebalance", [{"group_id": "g", "generation": generation, "ended_ms": NOW}])}

    publish(root, appended=rebalance(1))
    publish(root, appended=rebalance(2))
    publish(root, replaced=rebalance(3), gold_at_ms=NOW)
    run(root)
    assert column(root, "g_rebalance", "generation") == [1, 2, 3]
    assert [file.part for file in Lake.open(root).table_files("g_rebalance")] == ["now", None]
    assert Lake.open(root).round.gold_round == Lake.open(root).round.round, "the tables of now are as they were"
    publish(root, replaced=rebalance(4))
    assert column(root, "g_rebalance", "generation") == [1, 2, 4]


def test_every_commit_says_that_compaction_made_it_and_for_which_round(root: Path) -> None:
    """Other engines read the newest version of a table: without its open rows while it is being compacted."""

    def rebalance(days: int) -> dict[str, pa.Table]:
        return {"g_rebalance": rows_of("g_rebalance", [{"group_id": "g", "ended_ms": NOW - days * DAY}])}

    publish(root, appended={**rebalance(500), **log(0, age=15, key=b"k", problem="?")})
    publish(root, appended={**rebalance(1), **log(1, age=100)})
    publish(root, appended={**rebalance(1), **log(2)})
    publish(root, appended=log(3))
    publish(root, replaced=rebalance(0), gold_at_ms=NOW)
    before = Lake.open(root).round
    run(root)
    this = Lake.open(root).round
    for table in ("g_rebalance", "log"):
        delta = DeltaTable(Location.parse(root).delta_table_url(table), version=this.versions[table])
        said = delta.history(this.versions[table] - before.versions[table])
        assert {each["operation"] for each in said} >= {"DELETE", "OPTIMIZE"}
        assert {(each.get("muster"), each.get("round")) for each in said} == {("compact", str(this.round))}
    noted = DeltaTable(Location.parse(root).delta_table_url("rounds")).history(1)[0]
    assert (noted["operation"], noted["muster"]) == ("SET TBLPROPERTIES", "compact")


def test_state_and_tables_of_now_are_left_alone(root: Path) -> None:
    for part in ("1", "2"):
        publish(root, replaced={"state": rows_of("state", [{"kind": part}])}, part=part)
    publish(root, replaced={"g_lag": rows_of("g_lag", [{"group_id": "g"}])})
    before = Lake.open(root).round
    run(root)
    assert Lake.open(root).round == before


def test_reader_from_before_sees_what_it_saw(root: Path) -> None:
    for offset in range(3):
        publish(root, appended=log(offset, age=100))
    before = Lake.open(root)
    run(root)
    assert before.arrow("log").num_rows == 3
    assert Lake.open(root).arrow("log").num_rows == 0


def test_death_before_publishing_changes_nothing_for_readers_nor_for_the_next_round(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for offset in range(3):
        publish(root, appended=log(offset, age=100))

    def die(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as broken:
        broken.setattr(compaction, "publish_round", die)
        with pytest.raises(KeyboardInterrupt):
            run(root)
    assert column(root, "log", "log_offset") == [0, 1, 2]
    publish(root, appended=log(3))
    assert column(root, "log", "log_offset") == [0, 1, 2, 3]
    run(root)
    assert column(root, "log", "log_offset") == [3]


def age_files(root: Path) -> None:
    """Two hours ago, so that no grace holds."""
    for file in root.rglob("*.parquet"):
        then = file.stat().st_mtime - 7_200
        os.utime(file, (then, then))


def test_files_of_dead_attempts_go_and_those_of_recent_rounds_stay(root: Path) -> None:
    publish(root, appended=log(0))
    dead = root / "log" / "00000009-dead" / "dt=2026-11-16"
    dead.mkdir(parents=True)
    (dead / "part-0.parquet").write_bytes(b"written, never committed")
    age_files(root)
    assert run(root).files_removed == 1
    assert not dead.parent.exists(), "nor do empty directories stay"
    assert column(root, "log", "log_offset") == [0]


def test_replaced_files_go_when_no_round_names_them(root: Path) -> None:
    lag = {"g_lag": rows_of("g_lag", [{"group_id": "g"}])}
    for _ in range(4):
        publish(root, replaced=lag, at_ms=NOW - 2 * DAY)
    for _ in range(3):
        publish(root, replaced=lag, at_ms=NOW)
    age_files(root)
    location = Location.parse(root)
    assert vacuum(location, NOW) == 0, "they were replaced a moment ago"
    removed = vacuum(location, NOW, grace_hours=0)
    assert removed == 4 + 7, "of the tables, and of the rounds every file but the last"
    for recent in known_rounds(location)[-3:]:
        assert Lake(location, recent).arrow("g_lag").num_rows == 1


@pytest.mark.parametrize(("newest", "expected"), [(None, 900), (500, 900), (950, 950), (5_000, 1_000)])
def test_ages_count_from_the_newest_time_but_not_from_the_future(newest: int | None, expected: int) -> None:
    assert newest_ms(Round("id", newest_ms=newest, gold_at_ms=900), now_ms=1_000) == expected
