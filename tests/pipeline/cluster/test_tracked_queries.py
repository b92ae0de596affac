"""Spark's Kafka connector over a real Apache Kafka: a tracked query is killed and goes on, and Kafka's own tool shows its lag."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conformance import kafka
from tests.pipeline.cluster.needs import CONNECTOR, Missing, jars
from tests.pipeline.cluster.real_kafka import figures_of
from tests.pipeline.tracking.story import fill, produce, tell_story
from tests.pipeline.tracking.tracked_run import GROUP, TOPIC

RECORDS = 60


def test_kafka_shows_the_lag_of_a_tracked_query(tmp_path: Path) -> None:
    try:
        connector = ",".join(map(str, jars("connector", CONNECTOR, alone=True).files))
        kafka.obtain()
    except (Missing, kafka.KafkaMissing) as missing:
        pytest.skip(str(missing))
    with kafka.running({}) as node:
        bootstrap = f"{node.host}:{node.port}"
        fill(bootstrap, RECORDS)
        tell_story(bootstrap, tmp_path, connector)
        produce(bootstrap, 7, partitions=1)
        half = RECORDS // 2
        assert figures_of(bootstrap) == {
            (GROUP, TOPIC, 0): (half, half + 7, 7),
            (GROUP, TOPIC, 1): (half, half, 0),
        }
