"""Kafka Streams (org.apache.kafka:kafka-streams): an application of our own that counts exactly once while it is killed."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Final

from confluent_kafka import KafkaException

from tests.conformance import kafka
from tests.conformance.clients.contract import Findings, Status, Verdict
from tests.conformance.clients.programs import build_once, compile_, jars_from_maven, need
from tests.conformance.clients.streams import killed
from tests.conformance.clients.streams.application import Application
from tests.conformance.kafka import Node

FOLDER: Final = Path(__file__).parent
CHECKS: Final[dict[str, Callable[[Application], None]]] = {
    "exactly_once_v2: counts through a repartition topic": killed.counts_undisturbed,
    "exactly_once_v2: a frozen one is fenced": killed.counts_while_frozen,
    f"exactly_once_v2: exact after {killed.KILLS} kills": killed.counts_while_killed,
}


class StreamsClient:
    name = "streams"
    features = tuple(CHECKS)

    def build(self) -> None:
        need("java", "a Java runtime of version 17 or later")
        javac = need("javac", "a JDK of version 17 or later")
        jars = jars_from_maven("kafka-streams", kafka.VERSION)
        source = FOLDER / "Counting.java"

        def compile_into(folder: Path) -> None:
            compile_([javac, "-d", str(folder), "-cp", f"{jars}/*", str(source)], folder, "compile the application")

        classes = build_once("streams", [kafka.VERSION, source], compile_into)
        self._classpath = f"{classes}:{jars}/*:{kafka.obtain()}/*"

    def run(self, node: Node, folder: Path, only: str) -> Findings:
        found = Findings()
        for feature, check in CHECKS.items():
            if only not in feature:
                continue
            place = folder / str(len(found.verdicts))
            place.mkdir()
            application = Application(node, place, self._classpath, f"counting-{len(found.verdicts)}")
            try:
                check(application)
                found.verdicts[feature] = Verdict(Status.PASS)
            except (AssertionError, KafkaException, subprocess.SubprocessError, LookupError) as error:
                found.verdicts[feature] = Verdict(Status.FAIL, f"{type(error).__name__}: {str(error)[:600]}")
                found.talk += application.said()
            finally:
                application.kill_all()
            found.sightings.update({(feature, what): saw for what, saw in application.sightings.items()})
            found.talk += application.talk
        return found
