"""Finds the jars of Spark's Kafka connector where Maven or Spark left them on this machine; fetches nothing."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

_OF_SPARK = ("spark-sql-kafka-0-10_2.13", "spark-token-provider-kafka-0-10_2.13")
_BESIDE = ("kafka-clients", "commons-pool2")


def connector_jars(since: tuple[int, ...] = (4,)) -> list[Path]:
    """The connector, of this version or newer, with what it needs; skips the test if this machine has none."""
    home = Path.home()
    folders = [home / ".m2" / "repository", *home.glob(".ivy2*")]
    jars = [jar for folder in folders if folder.is_dir() for jar in folder.rglob("*.jar")]
    of_spark = [_by_version(jars, name) for name in _OF_SPARK]
    beside = [_by_version(jars, name) for name in _BESIDE]
    streaming = {version: jar for version, jar in of_spark[0].items() if version >= since}
    if not streaming or not all((*of_spark, *beside)):
        pytest.skip(
            "Spark's Kafka connector is not on this machine: mvn dependency:get -Dartifact=org.apache.spark:"
            + _OF_SPARK[0]
        )
    # The token provider is not released with every version of the connector, and does not depend on it.
    chosen = [streaming[max(streaming)], of_spark[1][max(of_spark[1])]]
    clients = {version: jar for version, jar in beside[0].items() if version < (4,)} or beside[0]
    return [*chosen, clients[max(clients)], beside[1][max(beside[1])]]


def _by_version(jars: list[Path], name: str) -> dict[tuple[int, ...], Path]:
    """Maven names a jar `name-1.2.jar`, Ivy's cache `org_name-1.2.jar`."""
    pattern = re.compile(rf"(?:.*_)?{re.escape(name)}-(\d+(?:\.\d+)+)\.jar")
    found = ((pattern.fullmatch(jar.name), jar) for jar in jars)
    return {tuple(map(int, match[1].split("."))): jar for match, jar in found if match}
