"""Spark where one machine is not enough: a real master with two workers gives the tables of the rules, as local sessions do."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import venv
from collections.abc import Iterator
from pathlib import Path

import pytest

from muster.cli.exit_codes import FAILED
from muster.pipeline.lake.reader import Lake
from muster.whatif.answer import answer, as_row
from tests.pipeline.cluster.runs import SMALL, run_pipeline
from tests.pipeline.jobs.standalone import standalone_cluster
from tests.pipeline.jobs.what_if_run import VARIANTS, journals
from tests.pipeline.stream.lakes import different_tables

pytestmark = pytest.mark.xdist_group("standalone")  # one cluster for all


@pytest.fixture(scope="module")
def master(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with standalone_cluster(tmp_path_factory.mktemp("cluster"), workers=2) as address:
        yield address


def test_cluster_of_two_workers_gives_the_tables_that_the_rules_give(master: str, data: Path, tmp_path: Path) -> None:
    """The run is the command itself, so our code reaches the workers as it does for users."""
    ran = run_pipeline(data, str(tmp_path / "lake"), master=master, settings={**SMALL, "spark.cores.max": "2"})
    assert ran.returncode == 0, ran.stderr
    assert "0 behind" in ran.stderr
    assert different_tables(Lake.open(tmp_path / "lake"), data, "kafka") == []


def test_workers_without_our_packages_are_said_in_a_line_before_anything_is_read(
    master: str, data: Path, tmp_path: Path
) -> None:
    venv.create(tmp_path / "bare", symlinks=True)
    settings = {**SMALL, "spark.cores.max": "1", "spark.pyspark.python": str(tmp_path / "bare" / "bin" / "python")}
    ran = run_pipeline(data, str(tmp_path / "lake"), master=master, settings=settings)
    assert ran.returncode == FAILED
    starting, said = ran.stderr.splitlines()
    assert "starting Spark" in starting
    for package in ("pyarrow", "pandas", "polars", "cramjam"):
        assert f"{package} is missing" in said
    assert f"on {os.uname().nodename}: " in said
    assert "Install Muster with its extra `pipeline` where tasks run" in said
    assert Lake.open(tmp_path / "lake").round.records == 0


def test_cluster_of_two_workers_answers_what_if_as_the_pure_function_does(master: str) -> None:
    """Five groups with three variants; a session of its own process."""
    ran = subprocess.run(
        [sys.executable, "-m", "tests.pipeline.jobs.what_if_run", master],
        env={**os.environ, "SPARK_LOCAL_IP": "127.0.0.1"},
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0, ran.stderr
    expected = [
        {"cluster": "c", **as_row(each)}
        for group, events in journals().items()
        for each in answer(group, map(json.dumps, events), VARIANTS)
    ]
    expected.sort(key=lambda row: (row["group_id"], row["variant"]))
    assert [json.loads(line) for line in ran.stdout.splitlines()] == expected
