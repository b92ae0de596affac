"""The Java client (org.apache.kafka:kafka-clients): the release that Kafka itself comes with, and an older one.

The older one knows the first protocol of transactions only: partitions and offsets are added by requests of their own,
and the epoch stays.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from tests.conformance import kafka
from tests.conformance.clients.contract import Findings
from tests.conformance.clients.programs import (
    JVM,
    build_once,
    compile_,
    jars_from_maven,
    need,
    read_features,
    run_program,
)
from tests.conformance.kafka import Node

FOLDER: Final = Path(__file__).parent
OLDER_VERSION: Final = "3.9.2"
"""The last series that knows nothing of the second protocol of transactions (KIP-890)."""
OLDER_PROGRAM: Final = (
    "Clients",
    "Feature",
    "Features",
    "Probe",
    "TransactionEnds",
    "Transactions",
    "TransactionsOnly",
)


class JavaClient:
    name = "java"
    features = read_features(FOLDER / "features.txt")

    def build(self) -> None:
        jars = kafka.obtain()
        self._classpath = f"{_compiled(kafka.VERSION, jars, sorted(FOLDER.glob('*.java')))}:{jars}/*"

    def run(self, node: Node, folder: Path, only: str) -> Findings:
        features = [each for each in self.features if only in each]
        command = [*_java(self._classpath), "Main", f"{node.host}:{node.port}", only]
        return run_program(command, folder, features, seconds=900)


class OlderJavaClient:
    name = f"java {OLDER_VERSION}"
    features = read_features(FOLDER / "older_features.txt")

    def build(self) -> None:
        jars = jars_from_maven("kafka-clients", OLDER_VERSION)
        sources = [FOLDER / f"{each}.java" for each in OLDER_PROGRAM]
        logging = sorted(kafka.obtain().glob("log4j-*.jar"))
        self._classpath = ":".join(map(str, (_compiled(OLDER_VERSION, jars, sources), f"{jars}/*", *logging)))

    def run(self, node: Node, folder: Path, only: str) -> Findings:
        features = [each for each in self.features if only in each]
        command = [*_java(self._classpath), "TransactionsOnly", f"{node.host}:{node.port}", only]
        return run_program(command, folder, features, seconds=600)


def _compiled(version: str, jars: Path, sources: list[Path]) -> Path:
    need("java", "a Java runtime of version 17 or later")
    javac = need("javac", "a JDK of version 17 or later")

    def compile_into(folder: Path) -> None:
        classes = ["-d", str(folder), "-cp", f"{jars}/*"]
        compile_([javac, *classes, *map(str, sources)], folder, "compile the Java programs")

    return build_once("java", [version, *sources], compile_into)


def _java(classpath: str) -> list[str]:
    return ["java", *JVM, f"-Dlog4j2.configurationFile={FOLDER / 'log4j2.xml'}", "-cp", classpath]
