"""The Java client (org.apache.kafka:kafka-clients), compiled with javac against the jars that Kafka itself comes with."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from tests.conformance import kafka
from tests.conformance.clients.contract import Findings
from tests.conformance.clients.programs import JVM, build_once, compile_, need, read_features, run_program
from tests.conformance.kafka import Node

FOLDER: Final = Path(__file__).parent


class JavaClient:
    name = "java"
    features = read_features(FOLDER)

    def build(self) -> None:
        self._classes = self._compiled()

    def _compiled(self) -> Path:
        need("java", "a Java runtime of version 17 or later")
        javac = need("javac", "a JDK of version 17 or later")
        jars = kafka.obtain()
        sources = sorted(FOLDER.glob("*.java"))

        def compile_into(folder: Path) -> None:
            classes = ["-d", str(folder), "-cp", f"{jars}/*"]
            compile_([javac, *classes, *map(str, sources)], folder, "compile the Java programs")

        return build_once("java", [kafka.VERSION, *sources], compile_into)

    def run(self, node: Node, folder: Path, only: str) -> Findings:
        features = [each for each in self.features if only in each]
        classpath = f"{self._classes}:{kafka.obtain()}/*"
        logging = f"-Dlog4j2.configurationFile={FOLDER / 'log4j2.xml'}"
        command = ["java", *JVM, logging, "-cp", classpath, "Main", f"{node.host}:{node.port}", only]
        return run_program(command, folder, features, seconds=900)
