"""Spark behind a Connect server: the same tables as local, without Java on this side."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from muster.pipeline import session
from muster.pipeline.lake.compact import compacted_at
from muster.pipeline.lake.reader import Lake
from muster.pipeline.session import SessionError, SessionSettings, open_session
from tests.pipeline.cluster.runs import follow_one_batch, run_pipeline
from tests.pipeline.jobs.connect_server import connect_server
from tests.pipeline.stream.lakes import different_tables

_LACKS_A_PACKAGE = """
import sys
from muster.pipeline.session import SessionSettings, open_session
from muster.pipeline.session_probe import NEEDED_BY_ROUNDS, probe_rounds
with open_session(SessionSettings(master=sys.argv[1])) as spark:
    print(probe_rounds(spark, {**NEEDED_BY_ROUNDS, "no-such-package": (1, 0)}))
"""
"""Where `foreachBatch` runs, asked by a process of its own: a process has one kind of session."""


def test_connect_server_gives_the_tables_that_the_rules_give(data: Path, tmp_path: Path) -> None:
    """As local sessions do, and with `--follow` until Ctrl-C. The command runs where no Java can be found; our code reaches the
    server's workers as an artifact.
    """
    pytest.importorskip("grpc", reason="Spark Connect needs grpcio: pip install 'pyspark[connect]'")
    with connect_server(tmp_path) as address:
        without_java = {"JAVA_HOME": "/nowhere"}
        ran = run_pipeline(data, str(tmp_path / "lake"), master=address, environment=without_java)
        asked = ["whatif", "--lake", str(tmp_path / "lake"), "--master", address, "--set", "static", "--json"]
        replayed = subprocess.run(
            [sys.executable, "-m", "muster", *asked], capture_output=True, text=True, env=os.environ | without_java
        )
        followed, said = follow_one_batch(
            data, tmp_path / "followed", "--batch-records", "40", "--master", address, environment=without_java
        )
        unfit = subprocess.run(
            [sys.executable, "-c", _LACKS_A_PACKAGE, address],
            capture_output=True,
            text=True,
            env=os.environ | without_java,
        )
    assert ran.returncode == 0, ran.stderr
    assert re.fullmatch(
        r"the Connect server cannot make rounds: on \S+: no-such-package is missing \(Python [\d.]+\)\. Install Muster .*\n",
        unfit.stdout,
    ), unfit
    assert replayed.returncode == 0, replayed.stderr
    asked_about = [json.loads(line)["group"] for line in replayed.stdout.splitlines()]
    assert asked_about == ["classic-group", "new-protocol-group", "simple-5"]
    assert different_tables(Lake.open(tmp_path / "lake"), data, "kafka") == []
    assert followed == 0, said
    assert "stopped; the same command goes on here" in said[-1]
    assert_server_made_all_of_it(Lake.open(tmp_path / "followed"))


def assert_server_made_all_of_it(lake: Lake) -> None:
    """With `--follow` the rounds, the tables of now, and the compaction of a lake that never had one."""
    assert 0 < lake.round.records == lake.arrow("log", ["log_offset"]).num_rows
    assert lake.round.gold_round == 1
    assert lake.arrow("g_lag", ["provisional"])["provisional"].to_pylist().count(True) > 0
    assert compacted_at(lake.location) > 0


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
