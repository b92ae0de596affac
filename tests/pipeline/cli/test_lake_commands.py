"""`muster pipeline` compact, report, migrate and sql over a lake; all but the last before any Java starts."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from deltalake import write_deltalake

from muster.cli.main import main
from muster.pipeline import session
from muster.pipeline.lake.location import Location
from muster.pipeline.lake.reader import Lake
from muster.pipeline.lake.rounds import SCHEMA
from muster.pipeline.lake.sql import named_tables
from muster.pipeline.lake.writer_lock import only_writer
from tests.cli.plain_pipes import assert_plain
from tests.pipeline.lake.delta_lakes import gold_lake, publish, rows_of

ROWS = [{"cluster": "c", "group_id": "g", "lag": 5, "end": 9}, {"cluster": "c", "group_id": "h", "lag": 7, "end": 9}]


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    return tmp_path / "lake"


def add_log(lake: Path, offset: int) -> None:
    publish(lake, appended={"log": rows_of("log", [{"log_offset": offset, "record_ms": 1_000, "dt": "2026-11-16"}])})


def test_compact_says_what_it_did(lake: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for offset in range(3):
        add_log(lake, offset)
    assert main(["pipeline", "compact", "--lake", str(lake)]) == 0
    assert capsys.readouterr().out == "3 files became 1, 0 rows dropped, 0 unused files removed\n"
    assert main(["pipeline", "compact", "--lake", str(lake), "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {
        "files_before": 0,
        "files_after": 0,
        "rows_dropped": 0,
        "files_removed": 0,
    }


def test_compact_refuses_gold_that_lives_shorter_than_silver(lake: Path, capsys: pytest.CaptureFixture[str]) -> None:
    gold_lake(lake, {})
    assert main(["pipeline", "compact", "--lake", str(lake), "--gold-days", "10"]) == 2
    assert "days must rise" in capsys.readouterr().err


def test_compact_refuses_a_lake_that_somebody_writes_to(lake: Path, capsys: pytest.CaptureFixture[str]) -> None:
    gold_lake(lake, {})
    with only_writer(Location.parse(lake)):
        assert main(["pipeline", "compact", "--lake", str(lake)]) == 2
    assert "is being written to by process" in capsys.readouterr().err


def test_a_report_of_a_lake_is_one_page(lake: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    gold_lake(lake, {})
    page = tmp_path / "report.html"
    assert main(["pipeline", "report", "--lake", str(lake), "--out", str(page)]) == 0
    assert capsys.readouterr().out == f"{page}\n"
    assert page.read_text(encoding="utf-8").lstrip().lower().startswith("<!doctype html>")


def test_a_report_of_a_lake_without_tables_is_refused(
    lake: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    add_log(lake, 0)
    assert main(["pipeline", "report", "--lake", str(lake), "--out", str(tmp_path / "x.html")]) == 2
    assert "has no finished tables yet" in capsys.readouterr().err


def test_migrate_names_the_command_that_makes_a_new_lake(lake: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lake.mkdir()
    offsets = {"east": {"__consumer_offsets": {"0": 7, "1": 9}}}
    (lake / "manifest.json").write_text(json.dumps({"format": "muster-lake", "next_offsets": offsets}))
    assert main(["pipeline", "migrate", "--lake", str(lake), "--to", "new"]) == 1
    said = capsys.readouterr().err
    assert "layout before Delta (clusters east; 2 log partitions read)" in said
    assert "muster pipeline run --from DIR --lake new" in said


@pytest.mark.parametrize(
    ("version", "says"),
    [
        (
            4,
            [
                "is a lake of version 4",
                "clusters east; 7 records",
                "run --from DIR --lake new",
                "with muster 0.1, which",
            ],
        ),
        (99, ["knows versions up to 5", "use muster 0.1, which wrote it, or a later one"]),
    ],
)
def test_migrate_of_a_lake_of_another_version_says_what_to_do(
    version: int, says: list[str], lake: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    publish(lake, batches={"east": 0}, records=7)
    location = Location.parse(lake)
    row = {**asdict(Lake.open(lake).round), "schema_version": version, "muster_version": "0.1"}
    row |= {"batches": sorted(row["batches"].items()), "versions": sorted(row["versions"].items())}
    write_deltalake(location.delta_table_url("rounds"), pa.Table.from_pylist([row], schema=SCHEMA), mode="overwrite")
    assert main(["lag", "--lake", str(lake)]) == 2
    assert f"muster pipeline migrate --lake {lake} --to NEW" in capsys.readouterr().err
    assert main(["pipeline", "migrate", "--lake", str(lake), "--to", "new"]) == 1
    said = capsys.readouterr().err
    assert [words for words in says if words not in said] == []
    assert "see `muster pipeline migrate" not in said


def test_migrate_of_a_present_lake_has_nothing_to_do(lake: Path, capsys: pytest.CaptureFixture[str]) -> None:
    gold_lake(lake, {})
    assert main(["pipeline", "migrate", "--lake", str(lake), "--to", "new"]) == 0
    assert "nothing to migrate" in capsys.readouterr().out


@pytest.mark.parametrize("content", ["{}", "no JSON"])
def test_migrate_of_something_else_is_refused(content: str, lake: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["pipeline", "migrate", "--lake", str(lake), "--to", "new"]) == 2
    assert "no lake at" in capsys.readouterr().err
    lake.mkdir()
    (lake / "manifest.json").write_text(content)
    assert main(["pipeline", "migrate", "--lake", str(lake), "--to", "new"]) == 2
    assert "is not the manifest of a lake" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("flags", "says"),
    [
        ([], "no lake at"),
        (["--conf", "x"], "--conf x: give NAME=VALUE"),
        (["--top", "-1"], "--top must be 0 or more"),
    ],
)
def test_sql_refuses_before_java_starts(
    flags: list[str], says: str, lake: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(session, "open_session", lambda _: pytest.fail("Java was started"))
    assert main(["pipeline", "sql", "--lake", str(lake), *flags, "select 1"]) == 2
    assert says in capsys.readouterr().err


def test_only_tables_that_a_statement_names_become_views() -> None:
    assert named_tables("select * from G_LAG join `g_status`", ["g_lag", "g_lag_history", "g_status"]) == [
        "g_lag",
        "g_status",
    ]
    assert named_tables("show views", ["g_lag", "g_status"]) == ["g_lag", "g_status"]


@pytest.fixture
def _shared_session(spark: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The command opens the session of the tests instead of one of its own."""

    @contextmanager
    def opened(_: object) -> Iterator[Any]:
        yield spark

    monkeypatch.setattr(session, "open_session", opened)


@pytest.mark.usefixtures("_shared_session")
def test_sql_answers_as_table_json_and_csv(lake: Path, capsys: pytest.CaptureFixture[str]) -> None:
    gold_lake(lake, {"g_lag": ROWS})
    statement = "select group_id, lag, array(lag) as lags, cast(group_id as binary) as raw from g_lag order by lag"
    assert main(["pipeline", "sql", "--lake", str(lake), "--json", statement]) == 0
    assert [json.loads(line) for line in capsys.readouterr().out.splitlines()] == [
        {"group_id": "g", "lag": 5, "lags": [5], "raw": "67"},
        {"group_id": "h", "lag": 7, "lags": [7], "raw": "68"},
    ]
    assert main(["pipeline", "sql", "--lake", str(lake), "--csv", "select lag, end from g_lag order by lag"]) == 0
    assert capsys.readouterr().out == "lag,end\n5,9\n7,9\n"
    assert main(["pipeline", "sql", "--lake", str(lake), "--top", "1", statement]) == 0
    told = capsys.readouterr()
    shown = told.out
    assert told.err == "1 row, more not shown (--top 0 shows all)\n"
    assert "67" in shown
    assert_plain(shown, told.err)


@pytest.mark.usefixtures("_shared_session")
def test_sql_keeps_the_names_of_the_statement(lake: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Both of them: other commands call the column `group_id` of our tables `group`."""
    gold_lake(lake, {"g_lag": ROWS[:1]})
    statement = "select group_id, lag as `group` from g_lag"
    assert main(["pipeline", "sql", "--lake", str(lake), "--json", statement]) == 0
    assert json.loads(capsys.readouterr().out) == {"group_id": "g", "group": 5}
    assert main(["pipeline", "sql", "--lake", str(lake), "--csv", statement]) == 0
    assert capsys.readouterr().out == "group_id,group\ng,5\n"


@pytest.mark.usefixtures("_shared_session")
def test_statement_that_makes_no_sense_is_one_line(lake: Path, capsys: pytest.CaptureFixture[str]) -> None:
    gold_lake(lake, {"g_lag": ROWS})
    assert main(["pipeline", "sql", "--lake", str(lake), "select lagg from g_lag"]) == 2
    (said,) = capsys.readouterr().err.strip().splitlines()
    assert said.startswith("muster pipeline sql: Spark cannot run this: [UNRESOLVED_COLUMN")
    assert "lagg" in said
    assert main(["pipeline", "sql", "--lake", str(lake), "selectt"]) == 2
    (said,) = capsys.readouterr().err.strip().splitlines()
    assert "[PARSE_SYNTAX_ERROR]" in said
