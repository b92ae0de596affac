"""The logs of a live broker, read by Spark's own Kafka connector: Java fetches, our workers decode.

Only committed records are seen, so a log ends here at its last stable offset: before it every transaction is decided. Where it
ends, and how many partitions there are, is asked by our own client, in the same security.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from muster.pipeline.sources.broker import BrokerLogs
from muster.wire.special_values import READ_COMMITTED

PACKAGE: Final = "org.apache.spark:spark-sql-kafka-0-10_2.13"
"""Spark 4 is built with Scala 2.13."""
_JAR: Final = "spark-sql-kafka-0-10"
_NAMING: Final = ("spark.jars.packages", "spark.jars", "spark.yarn.dist.jars")
"""Settings that name packages and jars; the last is what `spark-submit` makes of its flag for jars on YARN."""


@dataclass(frozen=True)
class ConnectorLogs(BrokerLogs):
    def ends(self) -> dict[int, int]:
        return self.ends_as_seen(READ_COMMITTED)


def own_package() -> str:
    """The Maven package of the connector that belongs to the PySpark that is installed."""
    from pyspark import __version__

    return f"{PACKAGE}:{__version__}"


def connector_is_there(packages: tuple[str, ...], settings: Mapping[str, str]) -> bool:
    """Named by the user as package or jar, or among Spark's own jars. Nothing is fetched to find out."""
    named = [*packages, *(settings.get(name, "") for name in _NAMING)]
    return any(_JAR in text for text in named) or any(_spark_jars().glob(f"{_JAR}*.jar"))


def _spark_jars() -> Path:
    found = find_spec("pyspark")
    assert found is not None
    assert found.origin is not None
    return Path(found.origin).parent / "jars"
