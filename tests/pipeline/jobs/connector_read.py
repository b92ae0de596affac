"""Reads a broker through Spark's Kafka connector, in a process of its own: `python -m tests.pipeline.jobs.connector_read ...`.

The connector has to be on the class path when Java starts, and the tests' shared session is without it. Also finds the
connector's jars where Maven or Spark left them on this machine; fetches nothing.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from muster.pipeline.old.jobs import RunSettings, Watch, read_round
from muster.pipeline.old.jobs_sources import broker_source
from muster.pipeline.old.lake import Lake, LakeWriter
from muster.pipeline.session import SessionSettings, open_session
from muster.pipeline.sources.broker_security import security_in

_OF_SPARK = ("spark-sql-kafka-0-10_2.13", "spark-token-provider-kafka-0-10_2.13")
_BESIDE = ("kafka-clients", "commons-pool2")


def connector_jars() -> list[Path]:
    """The connector with what it needs; skips the test if this machine has none."""
    home = Path.home()
    folders = [home / ".m2" / "repository", *home.glob(".ivy2*")]
    jars = [jar for folder in folders if folder.is_dir() for jar in folder.rglob("*.jar")]
    of_spark = [_by_version(jars, name) for name in _OF_SPARK]
    beside = [_by_version(jars, name) for name in _BESIDE]
    versions = set.intersection(*(set(each) for each in of_spark))
    if not versions or not all(beside):
        pytest.skip(
            "Spark's Kafka connector is not on this machine: mvn dependency:get -Dartifact=org.apache.spark:"
            + _OF_SPARK[0]
        )
    chosen = max(versions)
    clients = {version: jar for version, jar in beside[0].items() if version < (4,)} or beside[0]
    return [*(each[chosen] for each in of_spark), clients[max(clients)], beside[1][max(beside[1])]]


def _by_version(jars: list[Path], name: str) -> dict[tuple[int, ...], Path]:
    """Maven names a jar `name-1.2.jar`, Ivy's cache `org_name-1.2.jar`."""
    pattern = re.compile(rf"(?:.*_)?{re.escape(name)}-(\d+(?:\.\d+)+)\.jar")
    found = ((pattern.fullmatch(jar.name), jar) for jar in jars)
    return {tuple(map(int, match[1].split("."))): jar for match, jar in found if match}


def main(bootstrap: str, lake: str, jars: str, command_config: str) -> None:
    source = broker_source(bootstrap, "c", security_in(command_config), by_connector=True)
    settings = SessionSettings(master="local[1]", tiny_job=True, extra={"spark.jars": jars})
    with open_session(settings) as spark, Lake.open_or_create(lake).write() as writer:
        read_round(spark, writer, source, RunSettings(batch_records=5), Watch(stopped=_after_one_batch(writer)))
        read_round(spark, writer, source, RunSettings(), Watch())


def _after_one_batch(writer: LakeWriter) -> Callable[[], bool]:
    return lambda: writer.manifest.revision > 0


if __name__ == "__main__":
    main(*sys.argv[1:])
