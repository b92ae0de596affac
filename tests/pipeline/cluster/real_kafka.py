"""The story that `test_real_kafka` looks at: a real Kafka, what happens to its groups, and the lakes that both readers make of it.

Kafka is started by `tests.conformance.kafka`. Each reader runs twice into a lake of its own, the second time after more has
happened; then one lake is rebuilt and another is made anew. Tables are read into memory after every run, with Kafka's own figures
of that moment beside them.
"""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.conformance import kafka
from tests.pipeline.cluster.kafka_history import SETTINGS, History
from tests.pipeline.cluster.needs import CONNECTOR, Missing, jars
from tests.pipeline.cluster.runs import open_lake, run_from

Tables = dict[str, list[dict[str, Any]]]
Figures = dict[tuple[str, str, int], tuple[int, int, int]]
"""By group, topic and partition: committed offset, log end offset, lag."""

OWN, CONNECTED = "own", "connector"
READERS = (OWN, CONNECTED)
_DESCRIBE = "org.apache.kafka.tools.consumer.group.ConsumerGroupCommand"
_FIGURES = re.compile(r"^(\S+) +(\S+) +(\d+) +(\d+) +(\d+) +(\d+) ", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Stage:
    """One moment: what Kafka says, and the tables by reader."""

    figures: Figures
    tables: Mapping[str, Tables]


@dataclass(frozen=True, slots=True)
class Story:
    first: Stage
    second: Stage
    rebuilt: Tables
    """The connector's lake after `--rebuild`."""
    anew: Tables
    """A lake that our own reader made of the whole log in one run."""


def tell_story(directory: Path) -> Story:
    """Raises `Missing` where Kafka or the connector cannot be had."""
    connector = ",".join(map(str, jars("connector", CONNECTOR, alone=True).files))
    try:
        kafka.obtain()
    except kafka.KafkaMissing as missing:
        raise Missing(str(missing)) from None
    with kafka.running(SETTINGS) as node:
        return _tell(History(node), _Runs(f"{node.host}:{node.port}", directory, connector))


def _tell(history: History, runs: _Runs) -> Story:
    history.before_the_first_run()
    first = runs.stage()
    history.before_the_second_run()
    second = runs.stage()
    rebuilt = runs.run(CONNECTED, CONNECTED, "--rebuild")
    return Story(first, second, rebuilt, runs.run(OWN, "anew"))


class _Runs:
    """Runs over one Kafka. Those of one stage speak of the same moment."""

    def __init__(self, at: str, directory: Path, connector: str) -> None:
        self._at = at
        self._directory = directory
        self._settings: dict[str, dict[str, str]] = {OWN: {}, CONNECTED: {"spark.jars": connector}}
        self._moment_ms = 0

    def stage(self) -> Stage:
        self._moment_ms = int(time.time() * 1000)
        return Stage(figures_of(self._at), {reader: self.run(reader, reader) for reader in READERS})

    def run(self, reader: str, lake: str, *flags: str) -> Tables:
        place = str(self._directory / lake)
        source = ["--bootstrap", self._at, "--reader", reader, "--at", str(self._moment_ms), *flags]
        ran = run_from(source, place, settings=self._settings[reader])
        assert ran.returncode == 0, ran.stderr
        opened = open_lake(place)
        return {table: opened.arrow(table).to_pylist() for table in opened.tables}


def figures_of(at: str) -> Figures:
    """What `kafka-consumer-groups.sh --describe --all-groups` says."""
    said = kafka.run_tool(_DESCRIBE, "--bootstrap-server", at, "--describe", "--all-groups")
    assert said.returncode == 0, said.stderr
    return {
        (group, topic, int(partition)): (int(committed), int(end), int(lag))
        for group, topic, partition, committed, end, lag in _FIGURES.findall(said.stdout)
    }
