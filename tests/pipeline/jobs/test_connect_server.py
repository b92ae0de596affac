"""Spark behind a Connect server: the same tables as local, without Java on this side."""

from __future__ import annotations

from pathlib import Path

import pytest

from muster.pipeline import session
from muster.pipeline.lake.reader import Lake
from muster.pipeline.session import SessionError, SessionSettings, open_session
from tests.pipeline.cluster.runs import run_pipeline
from tests.pipeline.jobs.connect_server import connect_server
from tests.pipeline.stream.lakes import different_tables


def test_connect_server_gives_the_tables_that_the_rules_give(data: Path, tmp_path: Path) -> None:
    """As local sessions do. The command runs where no Java can be found; our code reaches the server's workers as an artifact."""
    pytest.importorskip("grpc", reason="Spark Connect needs grpcio: pip install 'pyspark[connect]'")
    with connect_server(tmp_path) as address:
        without_java = {"JAVA_HOME": "/nowhere"}
        ran = run_pipeline(data, str(tmp_path / "lake"), master=address, environment=without_java)
    assert ran.returncode == 0, ran.stderr
    assert different_tables(Lake.open(tmp_path / "lake"), data, "kafka") == []


def test_settings_of_the_server_cannot_be_set_from_here() -> None:
    settings = SessionSettings(master="sc://127.0.0.1:1", extra={"spark.executor.memory": "1g"}, packages=("a:b:1",))
    with (
        pytest.raises(SessionError, match=r"spark\.executor\.memory, a:b:1 has to be set where the Connect server"),
        open_session(settings),
    ):
        raise AssertionError("a session that ignores its settings")


def test_without_grpc_the_way_to_it_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "find_spec", lambda name: None if name == "grpc" else object())
    with (
        pytest.raises(SessionError, match=r"pip install 'pyspark\[connect\]'"),
        open_session(SessionSettings(master="sc://127.0.0.1:1")),
    ):
        raise AssertionError("a session without grpc")
