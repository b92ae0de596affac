"""A session that `spark-submit` has prepared: what it was told wins, and what it was not told is ours."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pyspark
import pytest
from pyspark.sql import SparkSession

from muster.pipeline import session
from muster.pipeline.java import find_java
from muster.pipeline.session import SessionSettings, is_submitted, submitted_settings

SUBMIT = str(Path(pyspark.__file__).parent / "bin" / "spark-submit")
PROGRAM = """
import json
from muster.pipeline.session import SessionSettings, open_session, submitted_settings

told = submitted_settings()
with open_session(SessionSettings(master="yarn", extra={"spark.sql.files.maxPartitionBytes": "1m"})) as spark:
    names = ["shuffle.partitions", "parquet.compression.codec", "files.maxPartitionBytes", "session.timeZone"]
    found = {name: spark.conf.get(f"spark.sql.{name}") for name in names}
    context = spark.sparkContext
    found |= {"master": context.master, "locality": context.getConf().get("spark.locality.wait")}
print(json.dumps({"told": told["spark.jars"], **found}))
"""


def test_what_spark_submit_was_told_wins_and_the_rest_is_chosen_for_its_master(tmp_path: Path) -> None:
    """The master too: what we choose for a local one is chosen, whatever our own flag says. Our own `--conf` wins over all.

    No home can be written to: our code is packed among the temporary files.
    """
    program, jar = tmp_path / "program.py", tmp_path / "some.jar"
    program.write_text(PROGRAM)
    jar.touch()
    told = {"spark.sql.shuffle.partitions": "7", "spark.sql.files.maxPartitionBytes": "2m", "spark.jars": str(jar)}
    confs = [word for name, value in told.items() for word in ("--conf", f"{name}={value}")]
    environment = {
        "JAVA_HOME": str(find_java().home),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "PYSPARK_PYTHON": sys.executable,
        "XDG_CACHE_HOME": str(jar / "cache"),
        "TMPDIR": str(tmp_path),
    }
    ran = subprocess.run(
        [SUBMIT, "--master", "local[1]", *confs, str(program)],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert list((tmp_path / f"muster-{os.getuid()}").glob("muster-*.zip"))
    found = json.loads(ran.stdout.splitlines()[-1])
    assert found.pop("told").endswith("some.jar")
    assert found == {
        "shuffle.partitions": "7",
        "parquet.compression.codec": "zstd",
        "files.maxPartitionBytes": "1m",
        "session.timeZone": "UTC",
        "master": "local[1]",
        "locality": "0s",
    }


class Preparing:
    """Stands for the builder of a session, and for the session."""

    def __init__(self) -> None:
        self.configured: dict[str, str] = {}

    def config(self, name: str, value: str) -> Preparing:
        self.configured[name] = value
        return self

    def getOrCreate(self) -> Preparing:
        return self

    def stop(self) -> None:
        pass


def test_the_lake_is_tried_with_what_spark_submit_was_told(monkeypatch: pytest.MonkeyPatch) -> None:
    endpoint, region = "spark.hadoop.fs.s3a.endpoint", "spark.hadoop.fs.s3a.endpoint.region"
    told = {"spark.master": "yarn", endpoint: "http://told:1", region: "told"}
    builder, tried = Preparing(), []
    monkeypatch.setattr(SparkSession, "builder", builder)
    monkeypatch.setattr(session, "submitted_settings", lambda: told)
    monkeypatch.setattr(session, "_send_code", lambda _: None)
    monkeypatch.setattr(session, "check_fitness", lambda _, settings: tried.append(settings))
    given = SessionSettings(lake_url="s3a://bucket/lake", extra={region: "own"})
    assert next(session._use_submitted(given)) is builder
    assert (tried[0].extra[endpoint], tried[0].extra[region], tried[0].master) == ("http://told:1", "own", "yarn")
    assert (builder.configured.get(endpoint), builder.configured.get(region)) == (None, "own")


def test_without_spark_submit_nothing_was_told() -> None:
    assert (is_submitted(), submitted_settings()) == (False, {})
