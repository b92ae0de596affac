"""`muster pipeline run`: what it refuses before any Java starts."""

from __future__ import annotations

import argparse
import socket
from pathlib import Path

import pytest

from muster.cli.lake.pipeline import run
from muster.cli.main import main
from muster.pipeline import session
from muster.pipeline.lake import rounds
from muster.pipeline.lake.errors import StoreError
from muster.pipeline.lake.location import Location
from muster.pipeline.lake.writer_lock import only_writer
from muster.pipeline.session import SessionError
from muster.pipeline.session_settings import JobSize, SessionSettings
from tests.pipeline.lake.delta_lakes import gold_lake, publish

S3A = "spark.hadoop.fs.s3a."


@pytest.fixture
def data(tmp_path: Path) -> Path:
    (tmp_path / "data" / "__consumer_offsets-0").mkdir(parents=True)
    return tmp_path / "data"


@pytest.fixture(autouse=True)
def _no_java(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("Java was started")

    monkeypatch.setattr(session, "_build", refuse)


@pytest.mark.parametrize(
    ("flags", "says"),
    [
        (["--reader", "own"], "--reader is for a broker"),
        (["--command-config", "x"], "--command-config is for a broker"),
        (["--batch-records", "0"], "--batch-records must be 1 or more"),
        (["--conf", "spark.x"], "--conf spark.x: give NAME=VALUE"),
        (["--offsets-retention", "long"], "--offsets-retention long: give a span"),
        (["--compact-every", "often"], "--compact-every often: give a span"),
    ],
)
def test_flags_that_cannot_be_are_refused(
    flags: list[str], says: str, data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["pipeline", "run", "--from", str(data), "--lake", str(tmp_path / "lake"), *flags]) == 2
    assert f"muster pipeline: {says}" in capsys.readouterr().err


def test_the_broker_can_be_named_by_a_variable(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(SystemExit):
        main(["pipeline", "run", "--lake", str(tmp_path / "lake")])
    assert "one of the arguments --from --bootstrap is required" in capsys.readouterr().err
    with socket.create_server(("127.0.0.1", 0)) as closed:
        address = f"127.0.0.1:{closed.getsockname()[1]}"
    monkeypatch.setenv("MUSTER_BOOTSTRAP", address)
    assert main(["pipeline", "run", "--lake", str(tmp_path / "lake")]) == 1
    assert f"muster pipeline: {address}" in capsys.readouterr().err


def test_a_directory_counts_and_not_the_variable(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MUSTER_BOOTSTRAP", "127.0.0.1:1")
    assert main(["pipeline", "run", "--from", str(data), "--lake", str(tmp_path / "lake"), "--reader", "own"]) == 2
    assert "--reader is for a broker: it goes with --bootstrap, not with --from" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("flags", "every_ms"),
    [
        ([], 86_400_000),
        (["--compact-every", "90min"], 5_400_000),
        (["--compact-every", "0"], None),
        (["--compact-every", "0s"], None),
        (["--compact-every", "never"], None),
    ],
)
def test_how_often_a_followed_lake_is_compacted(flags: list[str], every_ms: int | None) -> None:
    parser = argparse.ArgumentParser()
    run.add_arguments(parser)
    arguments = parser.parse_args(["--from", "data", "--lake", "lake", *flags])
    assert run._query_settings(arguments).compact_every_ms == every_ms


def test_a_directory_without_a_coordinators_log_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["pipeline", "run", "--from", str(tmp_path), "--lake", str(tmp_path / "lake")]) == 1
    assert "no __consumer_offsets-N folder in" in capsys.readouterr().err


def test_a_broker_that_is_not_there_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["pipeline", "run", "--bootstrap", "127.0.0.1:1", "--lake", str(tmp_path / "lake")]) == 1
    assert "127.0.0.1:1" in capsys.readouterr().err


def test_a_lake_that_somebody_writes_to_is_refused(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    gold_lake(tmp_path / "lake", {})
    with only_writer(Location.parse(tmp_path / "lake")):
        assert main(["pipeline", "run", "--from", str(data), "--lake", str(tmp_path / "lake")]) == 2
    assert "is being written to by process" in capsys.readouterr().err


def test_a_store_that_does_not_answer_is_no_wrong_usage(
    data: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:1")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "x")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "x")
    assert main(["pipeline", "run", "--from", str(data), "--lake", "s3a://bucket/lake"]) == 1
    assert main(["lag", "--lake", "s3a://bucket/lake"]) == 1
    said = capsys.readouterr().err.splitlines()
    assert len(said) == 2
    assert all("s3a://bucket/lake cannot be read: " in line for line in said)


def test_access_to_the_store_that_spark_submit_was_given_opens_the_lake(
    data: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What was given behind the file wins, and both over the environment."""
    told = {f"{S3A}endpoint": "http://told:1", f"{S3A}access.key": "k", f"{S3A}secret.key": "never-shown"}
    monkeypatch.setattr(session, "submitted_settings", lambda: told)
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://environment:1")
    opened: list[Location] = []

    def refuse(location: Location) -> None:
        opened.append(location)
        raise StoreError(f"{location} cannot be read")

    monkeypatch.setattr(rounds, "open_or_create", refuse)
    flags = ["--from", str(data), "--lake", "s3a://bucket/lake", "--conf", f"{S3A}access.key=own"]
    assert main(["pipeline", "run", *flags]) == 1
    found = opened[0].storage_options
    assert found["AWS_ENDPOINT_URL"] == "http://told:1"
    assert (found["AWS_ACCESS_KEY_ID"], found["AWS_SECRET_ACCESS_KEY"]) == ("own", "never-shown")
    parser = argparse.ArgumentParser()
    run.add_arguments(parser)
    settings = run._session(parser.parse_args(flags), opened[0], 0)
    assert settings.extra[f"{S3A}endpoint"] == "http://told:1"
    assert "never-shown" not in repr(settings) + repr(opened[0]) + "".join(capsys.readouterr())


def test_without_java_one_line_says_what_to_do(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    assert main(["pipeline", "run", "--from", str(data), "--lake", str(tmp_path / "lake")]) == 1
    assert "install a JDK 17 or later" in capsys.readouterr().err.splitlines()[-1]


@pytest.mark.parametrize(
    ("flags", "size"),
    [([], JobSize.TINY), (["--rebuild"], JobSize.LONG), (["--rebuild", "--follow"], JobSize.LONG)],
)
def test_a_rebuild_is_as_large_as_the_lake_though_nothing_is_pending(
    flags: list[str], size: JobSize, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lake = str(tmp_path / "lake")
    publish(lake, records=1_000_000)
    asked: list[SessionSettings] = []

    def open_session(settings: SessionSettings) -> None:
        asked.append(settings)
        raise SessionError("that was all")

    monkeypatch.setattr(session, "open_session", open_session)
    assert main(["pipeline", "run", "--from", str(data), "--lake", lake, *flags]) == 1
    assert [settings.size for settings in asked] == [size]


def test_neither_source_nor_lake_is_a_usage_error(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["pipeline", "run"])
    assert ended.value.code == 2
    assert "--lake" in capsys.readouterr().err


def test_pipeline_alone_names_its_steps(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["pipeline"]) == 2
    assert "run, report, sql, compact, migrate" in capsys.readouterr().err
