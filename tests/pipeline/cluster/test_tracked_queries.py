"""Tracked queries that are killed and go on: by Spark's Kafka connector and by our own source over a real Apache Kafka, whose own
tool shows the lag; and by the connector over Muster. Our source over Muster needs no Maven: `tests/pipeline/tracking` has it.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from muster.server.running import RunningServer
from muster.server.settings import Settings
from tests.conformance import kafka
from tests.pipeline.cluster.needs import CONNECTOR, Missing, jars
from tests.pipeline.cluster.real_kafka import figures_of
from tests.pipeline.tracking.story import fill, produce, tell_story
from tests.pipeline.tracking.tracked_run import GROUP, TOPIC

RECORDS = 60


@pytest.fixture(scope="module")
def connector() -> str:
    try:
        return ",".join(map(str, jars("connector", CONNECTOR, alone=True).files))
    except Missing as missing:
        pytest.skip(str(missing))


@pytest.fixture
def kafka_node() -> Iterator[kafka.Node]:
    try:
        kafka.obtain()
    except kafka.KafkaMissing as missing:
        pytest.skip(str(missing))
    with kafka.running({}) as node:
        yield node


def test_kafka_shows_the_lag_of_a_query_by_sparks_connector(
    connector: str, kafka_node: kafka.Node, tmp_path: Path
) -> None:
    assert_kafka_shows_the_lag(kafka_node, tmp_path, connector, RECORDS)


def test_kafka_shows_the_lag_of_a_query_by_our_source(kafka_node: kafka.Node, tmp_path: Path) -> None:
    """It reads as many records of each partition as the connector does of both."""
    assert_kafka_shows_the_lag(kafka_node, tmp_path, "", 2 * RECORDS)


def test_group_at_muster_follows_a_query_by_sparks_connector(connector: str, tmp_path: Path) -> None:
    settings = {"muster.data": str(tmp_path / "data"), "listeners": "127.0.0.1:0"}
    with RunningServer(Settings.of(settings)) as server:
        fill(server.address, RECORDS)
        figures = tell_story(server.address, tmp_path, connector)
    assert (figures["failures"], figures["last_error"]) == (0, None)


def assert_kafka_shows_the_lag(node: kafka.Node, directory: Path, jars: str, records: int) -> None:
    bootstrap = f"{node.host}:{node.port}"
    fill(bootstrap, records)
    tell_story(bootstrap, directory, jars)
    produce(bootstrap, 7, partitions=1)
    half = records // 2
    assert figures_of(bootstrap) == {
        (GROUP, TOPIC, 0): (half, half + 7, 7),
        (GROUP, TOPIC, 1): (half, half, 0),
    }
