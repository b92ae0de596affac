"""A database that is slow with old records holds up those who want them, and nobody else (docs/cluster.md)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from confluent_kafka import OFFSET_BEGINNING, Consumer, Producer, TopicPartition
from confluent_kafka.admin import AdminClient
from confluent_kafka.admin import NewTopic as TopicToMake

from muster.wire.errors import NONE
from muster.wire.generated.fetch import FetchRequest, FetchRequestPartition, FetchRequestTopic
from muster.wire.generated.find_coordinator import FindCoordinatorRequest
from muster.wire.generated.list_offsets import (
    ListOffsetsRequest,
    ListOffsetsRequestPartition,
    ListOffsetsRequestTopic,
)
from muster.wire.generated.metadata import MetadataRequest
from tests.cluster.node_process import SETTINGS
from tests.cluster.postgres_process import PostgresProcess
from tests.cluster.stage import ClusterStage
from tests.interop.waiting import PATIENCE_SECONDS, eventually
from tests.server.raw_client import RawClient, request_frame

TOPIC = "old"
PARTITIONS = 2
RECORDS = 200
WAITING = "SELECT count(*) FROM pg_stat_activity WHERE application_name LIKE %s AND wait_event_type = 'Lock'"


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ClusterStage]:
    """One node that was started after the records had been written: it has none of them in memory."""
    home: Path = tmp_path_factory.mktemp("apart")
    settings = {**SETTINGS, "muster.lease.ms": "6000"}
    with PostgresProcess() as database, ClusterStage(home, database, settings) as made:
        made.add(1)
        config = {"bootstrap.servers": made.bootstrap, "log_level": 0}
        admin = AdminClient(config)
        admin.create_topics([TopicToMake(TOPIC, PARTITIONS, 1)])[TOPIC].result(PATIENCE_SECONDS)
        producer = Producer({**config, "batch.num.messages": 10})
        for number in range(RECORDS):
            producer.produce(TOPIC, f"record {number}", partition=number % PARTITIONS, timestamp=1_000 + number)
        assert producer.flush(PATIENCE_SECONDS) == 0
        made.nodes[1].stop()
        made.add(1)
        eventually("it to lead them again", lambda: latest(made), lambda codes: codes == [NONE] * PARTITIONS)
        yield made


def latest(stage: ClusterStage) -> list[int]:
    """The errors of asking for the ends of the logs, which are known without the database."""
    answer = stage.ask(1, "ListOffsets", 1, list_by_time(-1))
    return [each.error_code for each in answer.topics[0].partitions]


def waiting(stage: ClusterStage, purpose: str = "reads old records") -> int:
    """How many connections for this wait in the database."""
    with psycopg.connect(stage.database.url) as connection:
        row = connection.execute(WAITING, (f"%{purpose}",)).fetchone()
    assert row is not None
    return int(row[0])


def fetch(max_wait_ms: int = 0) -> FetchRequest:
    partitions = [
        FetchRequestPartition(partition=index, fetch_offset=0, partition_max_bytes=1 << 20)
        for index in range(PARTITIONS)
    ]
    return FetchRequest(
        max_wait_ms=max_wait_ms, min_bytes=1, topics=[FetchRequestTopic(topic=TOPIC, partitions=partitions)]
    )


def list_by_time(timestamp: int) -> ListOffsetsRequest:
    partitions = [
        ListOffsetsRequestPartition(partition_index=index, timestamp=timestamp) for index in range(PARTITIONS)
    ]
    return ListOffsetsRequest(replica_id=-1, topics=[ListOffsetsRequestTopic(name=TOPIC, partitions=partitions)])


@pytest.mark.parametrize(
    ("api", "version", "request_"), [("Fetch", 11, fetch()), ("ListOffsets", 1, list_by_time(1_100))]
)
def test_while_one_client_waits_for_old_records_the_node_answers_the_others(
    stage: ClusterStage, api: str, version: int, request_: Any
) -> None:
    port = stage.nodes[1].port
    with (
        psycopg.connect(stage.database.url) as locking,
        RawClient(port) as patient,
        RawClient(port) as other,
    ):
        locking.execute("LOCK TABLE muster.batches IN ACCESS EXCLUSIVE MODE")
        patient.send(request_frame(api, version, request_))
        eventually("the database to be asked", lambda: waiting(stage))
        for _ in range(20):
            assert other.ask("Metadata", 4, MetadataRequest(topics=[])).brokers
        assert waiting(stage), "the others were answered while it still waits"
        locking.rollback()
        answer = patient.read(api, version)
    if api == "Fetch":
        assert [each.error_code for each in answer.responses[0].partitions] == [NONE] * PARTITIONS
        assert all(each.records for each in answer.responses[0].partitions)
    else:
        assert [(each.error_code, each.offset) for each in answer.topics[0].partitions] == [(NONE, 50), (NONE, 50)]


def test_a_client_that_goes_while_its_records_are_read_leaves_the_node_as_it_was(stage: ClusterStage) -> None:
    port = stage.nodes[1].port
    with psycopg.connect(stage.database.url) as locking:
        locking.execute("LOCK TABLE muster.batches IN ACCESS EXCLUSIVE MODE")
        with RawClient(port) as impatient:
            impatient.send(request_frame("Fetch", 11, fetch()))
            eventually("the database to be asked", lambda: waiting(stage))
        locking.rollback()
    with RawClient(port) as other:
        assert other.ask("Fetch", 11, fetch()).responses[0].partitions[0].records
    assert "Traceback" not in stage.nodes[1].log


def test_a_real_client_reads_all_that_is_old_and_goes_on_with_what_is_new(stage: ClusterStage) -> None:
    config = {"bootstrap.servers": stage.bootstrap, "log_level": 0}
    consumer = Consumer({**config, "group.id": "reader", "fetch.min.bytes": 1})
    consumer.assign([TopicPartition(TOPIC, index, OFFSET_BEGINNING) for index in range(PARTITIONS)])
    seen: list[str] = []
    while len(seen) < RECORDS:
        message = consumer.poll(PATIENCE_SECONDS)
        assert message is not None
        assert message.error() is None
        seen.append(message.value().decode())
    assert sorted(seen) == sorted(f"record {number}" for number in range(RECORDS))
    producer = Producer(config)
    producer.produce(TOPIC, "new", partition=0)
    assert producer.flush(PATIENCE_SECONDS) == 0
    message = consumer.poll(PATIENCE_SECONDS)
    assert message is not None
    assert message.value() == b"new"
    consumer.close()


def test_while_a_node_takes_over_and_the_database_is_slow_with_it_the_node_answers_whoever_asks(
    stage: ClusterStage,
) -> None:
    stage.coordinator_of("whoever asks first has the topic made")
    with psycopg.connect(stage.database.url) as locking:
        locking.execute("LOCK TABLE muster.batches IN ACCESS EXCLUSIVE MODE")
        stage.add(2)
        eventually("what it is to lead to be asked for", lambda: waiting(stage, "takes over"))
        with RawClient(stage.nodes[2].port) as other:
            for _ in range(20):
                assert other.ask("Metadata", 4, MetadataRequest(topics=[])).brokers
        assert waiting(stage, "takes over"), "it was answered while the node still waits"
        locking.rollback()
    stage.wait_for_owners(1, 2)
    found = stage.coordinator_of("anybody")
    assert stage.ask(found, "FindCoordinator", 3, FindCoordinatorRequest(key="anybody")).node_id == found
