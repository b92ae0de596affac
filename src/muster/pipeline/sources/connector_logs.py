"""The logs of a live broker, read by Spark's own Kafka connector: Java fetches, our workers decode.

Only committed records are seen, so a log ends here at its last stable offset: before it every transaction is decided. Where it
ends, and how many partitions there are, is asked by our own client, in the same security.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final

from muster.pipeline.sources.broker import BrokerLogs
from muster.pipeline.sources.broker_security import java_properties
from muster.pipeline.sources.kafka_connector import read_kafka
from muster.pipeline.sources.log_source import Stretch, StretchReader
from muster.wire.special_values import READ_COMMITTED

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

PACKAGE: Final = "org.apache.spark:spark-sql-kafka-0-10_2.13"
"""Spark 4 is built with Scala 2.13."""
_JAR: Final = "spark-sql-kafka-0-10"
_NAMING: Final = ("spark.jars.packages", "spark.jars", "spark.yarn.dist.jars")
"""Settings that name packages and jars; the last is what `spark-submit` makes of its flag for jars on YARN."""


@dataclass(frozen=True)
class ConnectorLogs(BrokerLogs):
    def ends(self) -> dict[int, int]:
        return self.ends_as_seen(READ_COMMITTED)

    def open(self, stretch: Stretch) -> StretchReader:
        raise AssertionError("Spark reads these logs: ask for `frame`")

    def frame(self, spark: SparkSession, stretches: list[Stretch]) -> DataFrame:
        """`b_log_record` rows of these stretches, one Spark task a log partition, in log order."""
        return read_kafka(
            spark,
            self.bootstrap,
            cluster=self.cluster,
            topic=self.topic,
            starts={stretch.partition: stretch.start for stretch in stretches},
            ends={stretch.partition: stretch.end for stretch in stretches},
            options={f"kafka.{name}": value for name, value in java_properties(self.security).items()},
        )


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
