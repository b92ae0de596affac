"""`muster pipeline`: what it refuses, and compacting and reporting, all before any Java starts."""

from __future__ import annotations

from pathlib import Path

import pytest

from muster.cli.main import main
from muster.pipeline import session
from muster.pipeline.old.lake import Lake
from tests.pipeline.lake.lakes import append, bronze, gold_lake


@pytest.fixture
def data(tmp_path: Path) -> Path:
    (tmp_path / "data" / "__consumer_offsets-0").mkdir(parents=True)
    return tmp_path / "data"


@pytest.fixture(autouse=True)
def _no_java(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("Java was started")

    monkeypatch.setattr(session, "_start", refuse)


@pytest.mark.parametrize(
    ("flags", "says"),
    [
        (["--reader", "own"], "--reader is for a broker"),
        (["--command-config", "x"], "--command-config is for a broker"),
        (["--batch-records", "0"], "--batch-records must be 1 or more"),
        (["--conf", "spark.x"], "--conf spark.x: give NAME=VALUE"),
        (["--offsets-retention", "long"], "--offsets-retention long: give a span"),
    ],
)
def test_flags_that_cannot_be_are_refused(
    flags: list[str], says: str, data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["pipeline", "run", "--from", str(data), "--lake", str(tmp_path / "lake"), *flags]) == 2
    assert f"muster pipeline: {says}" in capsys.readouterr().err


def test_delta_without_its_package_names_the_extra(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("muster.pipeline.old.lake_delta.find_spec", lambda _: None)
    flags = ["--from", str(data), "--lake", str(tmp_path / "lake"), "--table-format", "delta"]
    assert main(["pipeline", "run", *flags]) == 2
    assert "pip install 'muster-kafka[delta]'" in capsys.readouterr().err


def test_a_directory_without_a_coordinators_log_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["pipeline", "run", "--from", str(tmp_path), "--lake", str(tmp_path / "lake")]) == 1
    assert "no __consumer_offsets-N folder in" in capsys.readouterr().err


def test_a_broker_that_is_not_there_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["pipeline", "run", "--bootstrap", "127.0.0.1:1", "--lake", str(tmp_path / "lake")]) == 1
    assert "127.0.0.1:1" in capsys.readouterr().err


def test_a_lake_that_somebody_writes_to_is_refused(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with Lake.open_or_create(tmp_path / "lake").write():
        assert main(["pipeline", "run", "--from", str(data), "--lake", str(tmp_path / "lake")]) == 2
    assert "is being written to by process" in capsys.readouterr().err


def test_without_java_one_line_says_what_to_do(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    assert main(["pipeline", "run", "--from", str(data), "--lake", str(tmp_path / "lake")]) == 1
    assert "install a JDK 17 or later" in capsys.readouterr().err.splitlines()[-1]


def test_neither_source_nor_lake_is_a_usage_error(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["pipeline", "run"])
    assert ended.value.code == 2
    assert "--lake" in capsys.readouterr().err


def test_pipeline_alone_names_its_steps(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["pipeline"]) == 2
    assert "run, report, compact" in capsys.readouterr().err


def test_compact_says_what_it_did(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with Lake.open_or_create(tmp_path / "lake").write() as writer:
        for offset in range(3):
            append(writer, {"b_log_record": [bronze(offset, 1_000)]})
    assert main(["pipeline", "compact", "--lake", str(tmp_path / "lake")]) == 0
    assert capsys.readouterr().out == "3 files became 1, 0 rows dropped\n"


def test_compact_refuses_gold_that_lives_shorter_than_silver(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    gold_lake(tmp_path / "lake", {})
    assert main(["pipeline", "compact", "--lake", str(tmp_path / "lake"), "--gold-days", "10"]) == 2
    assert "days must rise" in capsys.readouterr().err


def test_a_report_of_a_lake_is_one_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root, page = gold_lake(tmp_path / "lake", {}).root, tmp_path / "report.html"
    assert main(["pipeline", "report", "--lake", str(root), "--out", str(page)]) == 0
    assert capsys.readouterr().out == f"{page}\n"
    assert page.read_text(encoding="utf-8").lstrip().lower().startswith("<!doctype html>")


def test_a_report_of_a_lake_without_tables_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with Lake.open_or_create(tmp_path / "lake").write() as writer:
        append(writer, {"b_log_record": [bronze(0, 1)]})
    assert main(["pipeline", "report", "--lake", str(tmp_path / "lake"), "--out", str(tmp_path / "x.html")]) == 2
    assert "has no finished tables yet" in capsys.readouterr().err
