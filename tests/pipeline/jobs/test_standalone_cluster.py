"""Spark where one machine is not enough: a real master with two workers gives the tables of the rules, as local sessions do."""

from __future__ import annotations

from pathlib import Path

from muster.pipeline.lake.reader import Lake
from tests.pipeline.cluster.runs import SMALL, run_pipeline
from tests.pipeline.jobs.standalone import standalone_cluster
from tests.pipeline.stream.lakes import different_tables


def test_cluster_of_two_workers_gives_the_tables_that_the_rules_give(data: Path, tmp_path: Path) -> None:
    """The run is the command itself, so our code reaches the workers as it does for users."""
    (tmp_path / "cluster").mkdir()
    with standalone_cluster(tmp_path / "cluster", workers=2) as master:
        ran = run_pipeline(data, str(tmp_path / "lake"), master=master, settings={**SMALL, "spark.cores.max": "2"})
    assert ran.returncode == 0, ran.stderr
    assert "0 behind" in ran.stderr
    assert different_tables(Lake.open(tmp_path / "lake"), data, "kafka") == []
