"""`muster whatif` of a group at a real Apache Kafka: the generations of its log are replayed, and what that assumes is printed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from contextlib import closing

import pytest
from confluent_kafka import Consumer

from muster.whatif.generations import ASSUMED
from tests.conformance import kafka
from tests.pipeline.cluster.runs import run_from
from tests.pipeline.kafka_clients import consumer_of, create_topics, poll_until

GROUP = "billing"
PARTITIONS = 4
RESTARTS = 3
SETTINGS = {"offsets.topic.num.partitions": "4", "group.initial.rebalance.delay.ms": "0"}
QUICK = {"heartbeat.interval.ms": "500", "session.timeout.ms": "6000"}


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Of a Kafka where one of two members was restarted again and again, and came back under its client id."""
    try:
        kafka.obtain()
    except kafka.KafkaMissing as missing:
        pytest.skip(str(missing))
    lake = str(tmp_path_factory.mktemp("whatif") / "lake")
    with kafka.running(SETTINGS) as node:
        at = f"{node.host}:{node.port}"
        create_topics(at, {"orders": PARTITIONS})
        with closing(consumer_of(at, GROUP, **QUICK, **{"client.id": "anna"})) as stays:
            stays.subscribe(["orders"])
            share(stays)
            for _ in range(RESTARTS):
                with closing(consumer_of(at, GROUP, **QUICK, **{"client.id": "boris"})) as restarted:
                    restarted.subscribe(["orders"])
                    share(stays, restarted)
                share(stays)
        ran = run_from(["--bootstrap", at, "--reader", "own"], lake)
        assert ran.returncode == 0, ran.stderr
    return lake


def share(*members: Consumer) -> None:
    """Until each has as many partitions as the others."""
    equal = [PARTITIONS // len(members)] * len(members)
    poll_until(members, lambda: [len(each.assignment()) for each in members] == equal)


def what_if(lake: str, *flags: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "muster", "whatif", "--lake", lake, "--group", GROUP, "--set", "static", *flags]
    ran = subprocess.run(command, env={**os.environ, "SPARK_LOCAL_IP": "127.0.0.1"}, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    return ran


def test_generations_are_given_back_and_a_restarted_member_would_have_kept_its_place(lake: str) -> None:
    (row,) = map(json.loads, what_if(lake, "--json").stdout.splitlines())
    assert row["problem"] is None
    # The first member, each start and each end of the other, and the end of the first.
    assert row["recorded_rebalances"] == row["reproduced"] == 2 + 2 * RESTARTS
    assert row["replayed_rebalances"] < row["recorded_rebalances"] / 2
    assert (row["recorded_deaths"], row["recorded_detection_ms"]) == (0, None)


def test_what_a_log_without_a_journal_does_not_say_is_printed_below_the_table(lake: str) -> None:
    ran = what_if(lake)
    assert f"{GROUP}, assumed: {ASSUMED}" in ran.stderr
    assert f"{2 + 2 * RESTARTS} of {2 + 2 * RESTARTS}" in ran.stdout
