"""kcat, the command line client (librdkafka of its own build). Skipped where it is not installed."""

from __future__ import annotations

import json
import shutil
import subprocess
from typing import Any

import pytest

from tests.interop.broker_process import BrokerProcess
from tests.interop.client_confluent import ConfluentClient
from tests.interop.vocabulary import CODECS, Sent
from tests.interop.waiting import PATIENCE_SECONDS

pytestmark = pytest.mark.skipif(shutil.which("kcat") is None, reason="kcat is not installed (apt-get install kcat)")


def kcat(server: BrokerProcess, *arguments: str, given: str = "") -> str:
    command = ["kcat", "-b", server.address, *arguments]
    done = subprocess.run(command, input=given, capture_output=True, text=True, timeout=PATIENCE_SECONDS, check=False)
    assert done.returncode == 0, f"{' '.join(command)} ended with {done.returncode}: {done.stderr}"
    return done.stdout


def consume(server: BrokerProcess, topic: str, *arguments: str) -> list[dict[str, Any]]:
    """From an offset to the end of the partition, one JSON object a record."""
    printed = kcat(server, "-C", "-t", topic, "-p", "0", "-e", "-q", "-J", *arguments)
    return [json.loads(line) for line in printed.splitlines()]


@pytest.fixture
def made_topic(server: BrokerProcess, topic: str) -> str:
    """kcat cannot create topics other than by auto creation."""
    client = ConfluentClient(server.address)
    client.create_topic(topic)
    client.close()
    return topic


@pytest.mark.parametrize("compression", CODECS)
def test_kcat_reads_what_it_produced(server: BrokerProcess, made_topic: str, compression: str) -> None:
    produce = ("-P", "-t", made_topic, "-p", "0", "-K", ":", "-H", "colour=blue", "-Z")
    kcat(server, *produce, "-z", compression, given="k1:first\nk2:second\nk3:\n")
    got = consume(server, made_topic)
    assert [(record["offset"], record["key"], record["payload"]) for record in got] == [
        (0, "k1", "first"),
        (1, "k2", "second"),
        (2, "k3", None),
    ]
    assert all(record["headers"] == ["colour", "blue"] for record in got)


def test_kcat_produces_idempotently(server: BrokerProcess, made_topic: str) -> None:
    kcat(server, "-P", "-t", made_topic, "-p", "0", "-X", "enable.idempotence=true", given="a\nb\nc\n")
    assert [record["payload"] for record in consume(server, made_topic)] == ["a", "b", "c"]


def test_kcat_reads_from_an_offset_from_the_tail_and_by_time(server: BrokerProcess, made_topic: str) -> None:
    client = ConfluentClient(server.address)
    client.send(made_topic, 0, [Sent(b"%d" % each, timestamp_ms=5_000 + each) for each in range(10)])
    client.close()
    assert [record["offset"] for record in consume(server, made_topic, "-o", "7")] == [7, 8, 9]
    assert [record["offset"] for record in consume(server, made_topic, "-o", "-2")] == [8, 9]
    assert [record["offset"] for record in consume(server, made_topic, "-o", "s@5004")] == [4, 5, 6, 7, 8, 9]
    assert kcat(server, "-Q", "-t", f"{made_topic}:0:5006").split() == [made_topic, "[0]", "offset", "6"]


def test_kcat_lists_the_broker_and_the_topic(server: BrokerProcess, made_topic: str) -> None:
    listed = json.loads(kcat(server, "-L", "-J", "-t", made_topic))
    assert [broker["name"] for broker in listed["brokers"]] == [server.address]
    (found,) = listed["topics"]
    assert found["topic"] == made_topic
    assert [partition["partition"] for partition in found["partitions"]] == [0]


def test_kcat_creates_a_topic_by_producing_to_it(server: BrokerProcess, topic: str) -> None:
    """auto.create.topics.enable is on by default, as in Kafka."""
    kcat(server, "-P", "-t", topic, given="created by this\n")
    assert [record["payload"] for record in consume(server, topic)] == ["created by this"]


def test_kcat_reads_as_a_member_of_a_group_and_resumes(server: BrokerProcess, made_topic: str) -> None:
    """-G is a balanced consumer: it joins, reads to the end, commits and leaves."""
    kcat(server, "-P", "-t", made_topic, "-p", "0", given="a\nb\n")
    member = ("-G", f"{made_topic}.group", "-X", "auto.offset.reset=earliest", "-e", "-q", "-f", "%o %s\n", made_topic)
    assert kcat(server, *member).splitlines() == ["0 a", "1 b"]
    kcat(server, "-P", "-t", made_topic, "-p", "0", given="c\n")
    assert kcat(server, *member).splitlines() == ["2 c"]
