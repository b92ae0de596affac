"""`examples/spark-pipelines` run as its README says, over the log of a real Kafka: its tables are those of the pipeline."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import polars as pl
import pyarrow.dataset as ds
import pyspark
import pytest

from muster.pipeline.java import find_java
from tests.pipeline.jobs.connect_server import connect_server
from tests.pipeline.jobs.kafka_log import unpacked

PROJECT = Path(__file__).parents[3] / "examples" / "spark-pipelines"
_PACKAGES = ("pyspark.pipelines", "grpc", "grpc_status", "yaml", "zstandard")
_MISSING = [name for name in _PACKAGES if find_spec(name) is None]

_PATIENCE_SECONDS = 600
"""A run takes half a minute; one that hangs must not hold up the tests."""

pytestmark = pytest.mark.skipif(
    bool(_MISSING), reason=f"spark-pipelines needs {', '.join(_MISSING)}: pip install 'pyspark[pipelines]'"
)


def test_the_project_makes_log_offsets_and_lag(tmp_path: Path) -> None:
    data = unpacked(
        tmp_path / "data"
    )  # Connect's own local server has one port for all; a server of ours gets a free one
    project = tmp_path / "project"
    shutil.copytree(PROJECT, project)
    spec = project / "spark-pipeline.yml"
    text = spec.read_text().replace("file:///tmp/muster-pipeline-storage", f"file://{tmp_path}/storage")
    spec.write_text(text.replace("spark.muster.bootstrap: localhost:9092", f"spark.muster.directory: {data}"))

    with connect_server(tmp_path, {"spark.sql.warehouse.dir": str(tmp_path / "warehouse")}) as server:
        ran = subprocess.run(
            [str(Path(pyspark.__file__).parent / "bin" / "spark-pipelines"), "run", "--remote", server],
            cwd=project,
            env={**os.environ, "PYSPARK_PYTHON": sys.executable, "JAVA_HOME": str(find_java().home)},
            capture_output=True,
            text=True,
            timeout=_PATIENCE_SECONDS,
        )
    assert ran.returncode == 0, ran.stdout[-3000:] + ran.stderr[-3000:]
    log, current, lag = (_table(tmp_path / "warehouse" / name) for name in ("log", "s_current_offset", "g_lag"))
    assert log.height > 100
    with_transactions = set(
        log.filter("is_transactional")["group_id"]
    )  # what counts there is more than the newest record
    newest = (
        log.filter(pl.col("record_type").is_in([0, 1]), pl.col("problem").is_null())
        .sort("log_partition", "log_offset")
        .group_by("group_id", "topic", "partition")
        .agg(pl.col("committed_offset").last(), pl.col("is_tombstone").last())
        .filter(~pl.col("is_tombstone"))
    )
    keys = ["group_id", "topic", "partition", "committed_offset"]
    plain = ~pl.col("group_id").is_in(with_transactions)
    assert set(current.filter(plain).select(keys).rows()) == set(newest.filter(plain).select(keys).rows())
    assert set(current.select(keys[:3]).rows()) <= set(lag.select(keys[:3]).rows())


def _table(directory: Path) -> pl.DataFrame:
    frame = pl.from_arrow(ds.dataset(directory, format="parquet").to_table())
    assert isinstance(frame, pl.DataFrame)
    return frame
