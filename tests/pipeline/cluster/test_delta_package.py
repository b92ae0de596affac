"""The lake read by Delta's own Spark package, on the newest Spark that it runs on, has the rows that our readers see."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pyarrow as pa
import pytest

from muster.pipeline.java import find_java
from muster.pipeline.lake.compact import compact
from muster.pipeline.lake.location import Location
from muster.pipeline.lake.retention import Retention
from tests.pipeline.cluster import delta_reader
from tests.pipeline.cluster.needs import DELTA, Missing, jars, python_with
from tests.pipeline.cluster.runs import digest, open_lake, run_from, source_flags

SPARK = "4.2.1"


@pytest.fixture(scope="module")
def package() -> tuple[Path, str]:
    """A Python with that Spark, and Delta's jars. Spark's own jars win where both bring one."""
    try:
        python = python_with(f"spark-{SPARK}", [f"pyspark=={SPARK}", "pyarrow>=19", "pandas>=2.2,<3", "setuptools"])
        found = jars("delta", DELTA, leave_out=["org.apache.spark", "org.scala-lang", "org.apache.hadoop"])
    except Missing as missing:
        pytest.skip(str(missing))
    return python, ",".join(str(path) for path in found.files if path.name.startswith(("delta-", "unitycatalog-")))


@pytest.fixture(scope="module")
def compacted_lake(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Of several micro-batches, whose files are merged: Delta's log has files that are gone."""
    root = tmp_path_factory.mktemp("compacted") / "lake"
    ran = run_from([*source_flags(data), "--batch-records", "20"], str(root))
    assert ran.returncode == 0, ran.stderr
    assert compact(Location.parse(root), Retention()).changed.keys() >= {"log", "s_group_generation", "s_member_epoch"}
    return root


@pytest.mark.parametrize("made", ["local_lake", "compacted_lake"])
def test_every_table_has_equal_rows(
    made: str, package: tuple[Path, str], request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    python, files = package
    lake = open_lake(str(request.getfixturevalue(made)))
    tables = [table for table in lake.tables if lake.table_files(table)]
    assert {"log", "state", "g_lag", "g_status", "s_current_offset"} <= set(tables)
    settings = {
        "spark.jars": files,
        "spark.ui.enabled": "false",
        "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
        "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
        "spark.driver.host": "127.0.0.1",
    }
    urls = {table: lake.location.delta_table_url(table) for table in tables}
    ran = subprocess.run(
        [str(python), delta_reader.__file__, json.dumps(urls), str(tmp_path), json.dumps(settings)],
        env={
            **os.environ,
            "JAVA_HOME": str(find_java().home),
            "PYSPARK_PYTHON": str(python),
            "SPARK_LOCAL_IP": "127.0.0.1",
        },
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0, ran.stderr[-3000:]
    for table in tables:
        ours = lake.arrow(table)
        theirs = pa.ipc.open_file(tmp_path / f"{table}.arrow").read_all().select(ours.schema.names)
        assert digest(theirs.to_pylist()) == digest(ours.to_pylist()), table
