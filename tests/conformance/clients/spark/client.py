"""Spark's Kafka source and sink: PySpark from PyPI in an environment of its own, the connector from Maven."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

from tests.conformance.clients.contract import Findings
from tests.conformance.clients.programs import build_once, fetch, need, read_features, run_program
from tests.conformance.kafka import Node

FOLDER: Final = Path(__file__).parent
VERSION: Final = "4.0.0"
"""Of both, since the connector uses Spark's insides: the newest for which every mirror that was tried had all parts."""
JARS: Final = (
    ("org.apache.spark", "spark-sql-kafka-0-10_2.13", VERSION),
    ("org.apache.spark", "spark-token-provider-kafka-0-10_2.13", VERSION),
    ("org.apache.kafka", "kafka-clients", "3.9.0"),
    ("org.apache.commons", "commons-pool2", "2.12.0"),
)
"""The connector and what it needs beyond Spark's own jars. Named one by one: Spark's parent POM sends Maven to a
repository of its own for what they depend on, which not every network reaches."""

_DEPENDENCY: Final = """    <dependency>
      <groupId>{}</groupId><artifactId>{}</artifactId><version>{}</version>
      <exclusions><exclusion><groupId>*</groupId><artifactId>*</artifactId></exclusion></exclusions>
    </dependency>
"""
_POM: Final = f"""<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>conformance</groupId><artifactId>spark-kafka</artifactId><version>1</version>
  <dependencies>
{"".join(_DEPENDENCY.format(*each) for each in JARS)}  </dependencies>
</project>
"""
_SETTINGS: Final = {
    "spark.master": "local[1]",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.driver.memory": "512m",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    "spark.sql.shuffle.partitions": "1",
}


class SparkClient:
    name = "spark"
    features = read_features(FOLDER / "features.txt")

    def build(self) -> None:
        need("java", "a Java runtime of version 17 or later")
        mvn = need("mvn", "Apache Maven")
        uv = Path(sys.executable).parent / "uv"

        def connector_into(folder: Path) -> None:
            (folder / "pom.xml").write_text(_POM)
            goal = "org.apache.maven.plugins:maven-dependency-plugin:copy-dependencies"
            fetch(
                [mvn, "-q", "-B", goal, f"-DoutputDirectory={folder / 'jars'}"],
                folder,
                f"fetch Spark's Kafka connector {VERSION}",
            )

        def pyspark_into(folder: Path) -> None:
            tool = str(uv) if uv.exists() else need("uv", "uv, or make the environment with `make setup`")
            fetch([tool, "venv", "-q", "venv"], folder, "make an environment")
            into = ["--python", str(folder / "venv" / "bin" / "python")]
            fetch([tool, "pip", "install", "-q", *into, f"pyspark=={VERSION}"], folder, f"fetch pyspark {VERSION}")

        self._jars = build_once("spark-connector", [_POM], connector_into) / "jars"
        self._python = build_once("pyspark", [VERSION, sys.version], pyspark_into) / "venv" / "bin" / "python"

    def run(self, node: Node, folder: Path, only: str) -> Findings:
        features = [each for each in self.features if only in each]
        jars = ",".join(map(str, sorted(self._jars.glob("*.jar"))))
        settings = [item for name, value in _SETTINGS.items() for item in ("--conf", f"{name}={value}")]
        work = folder / "work"
        work.mkdir()
        environment = {
            "PYSPARK_SUBMIT_ARGS": " ".join(f"'{each}'" for each in [*settings, "--jars", jars, "pyspark-shell"]),
            "PYSPARK_PYTHON": str(self._python),
            "SPARK_LOCAL_DIRS": str(work),
        }
        program = [str(self._python), str(FOLDER / "program.py"), f"{node.host}:{node.port}", str(work), only]
        return run_program(program, folder, features, seconds=900, environment=environment)
