"""`examples/spark-pipelines` run as its README says, over the log of a real Kafka.

Its tables are those that the rules give of the whole log, as the lakes of `muster pipeline run` are (test_equals_oracle.py).
"""

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
from muster.pipeline.log_schema import LOG
from muster.pipeline.schemas import TABLES
from tests.pipeline.jobs.connect_server import connect_server
from tests.pipeline.jobs.kafka_log import unpacked
from tests.pipeline.stream.lakes import comparable, decoded_log, oracle, oracle_rows

PROJECT = Path(__file__).parents[3] / "examples" / "spark-pipelines"
_PACKAGES = ("pyspark.pipelines", "grpc", "grpc_status", "yaml", "zstandard")
_MISSING = [name for name in _PACKAGES if find_spec(name) is None]

_PATIENCE_SECONDS = 600
"""A run takes half a minute; one that hangs must not hold up the tests."""

pytestmark = pytest.mark.skipif(
    bool(_MISSING), reason=f"spark-pipelines needs {', '.join(_MISSING)}: pip install 'pyspark[pipelines]'"
)


def test_the_project_makes_log_offsets_and_lag(tmp_path: Path) -> None:
    data = unpacked(tmp_path / "data")
    project = tmp_path / "project"
    shutil.copytree(PROJECT, project)
    spec = project / "spark-pipeline.yml"
    text = spec.read_text().replace("file:///tmp/muster-pipeline-storage", f"file://{tmp_path}/storage")
    spec.write_text(text.replace("spark.muster.bootstrap: localhost:9092", f"spark.muster.directory: {data}"))

    # Connect's own local server has one port for all; a server of ours gets a free one.
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
    made = {name: _table(tmp_path / "warehouse" / name) for name in ("log", "s_current_offset", "g_lag")}
    age = made["g_lag"].drop_nulls("commit_age_ms").row(0, named=True)
    now_ms = age["commit_ms"] + age["commit_age_ms"]
    expected = oracle([data], "example", now_ms, now_ms)
    for name in ("s_current_offset", "g_lag"):
        rows = made[name].select(TABLES[name].names).to_arrow().cast(TABLES[name])
        assert comparable(rows) == oracle_rows(expected, name), name
    log = made["log"].select(LOG.names).to_arrow().cast(LOG)
    assert comparable(log) == comparable(decoded_log(data, "example"))
    in_transactions = set(made["log"].filter("is_transactional")["group_id"])
    assert in_transactions & set(made["g_lag"]["group_id"]), "what counts there is more than the newest record"
    assert (made["g_lag"]["lag"] > 0).any()


def _table(directory: Path) -> pl.DataFrame:
    frame = pl.from_arrow(ds.dataset(directory, format="parquet").to_table())
    assert isinstance(frame, pl.DataFrame)
    return frame
