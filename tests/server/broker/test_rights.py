"""What the broker's handlers answer to somebody whom the rules allow nothing, or only one thing (spec 9)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from muster.server.running import RunningServer
from muster.topics.creation import NewTopic
from muster.wire.generated.create_partitions import CreatePartitionsRequest, CreatePartitionsRequestTopic
from muster.wire.generated.create_topics import CreateTopicsRequest, CreateTopicsRequestTopic
from muster.wire.generated.delete_records import (
    DeleteRecordsRequest,
    DeleteRecordsRequestPartition,
    DeleteRecordsRequestTopic,
)
from muster.wire.generated.delete_topics import DeleteTopicsRequest, DeleteTopicsRequestTopic
from muster.wire.generated.describe_cluster import DescribeClusterRequest
from muster.wire.generated.describe_configs import DescribeConfigsRequest, DescribeConfigsRequestResource
from muster.wire.generated.describe_log_dirs import DescribeLogDirsRequest
from muster.wire.generated.describe_topic_partitions import (
    DescribeTopicPartitionsRequest,
    DescribeTopicPartitionsRequestTopic,
)
from muster.wire.generated.incremental_alter_configs import (
    IncrementalAlterConfigsRequest,
    IncrementalAlterConfigsRequestResource,
)
from muster.wire.generated.init_producer_id import InitProducerIdRequest
from muster.wire.generated.list_offsets import ListOffsetsRequest, ListOffsetsRequestPartition, ListOffsetsRequestTopic
from muster.wire.generated.metadata import MetadataRequest, MetadataRequestTopic
from muster.wire.generated.offset_for_leader_epoch import (
    OffsetForLeaderEpochRequest,
    OffsetForLeaderEpochRequestPartition,
    OffsetForLeaderEpochRequestTopic,
)
from tests.server.broker.whole_server import batch, fetch, fetch_request, produce, whole_server
from tests.server.raw_client import RawClient

SECRET, READABLE = "secret", "readable"
DENIED, CLUSTER_DENIED = 29, 31

RULES = """
[[allow]]
principal = "User:*"
operation = "READ"
resource = "topic"
name = "readable"

[[allow]]
principal = "User:*"
operation = "READ"
resource = "topic"
name = "not-there"

[[allow]]
principal = "User:*"
operation = "CREATE"
resource = "topic"
name = "secret-too"
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    rules: Path = tmp_path_factory.mktemp("rules") / "rules.toml"
    rules.write_text(RULES)
    with whole_server({"muster.rules": str(rules)}) as running:
        running.run(lambda: running.node.broker.create_topics([NewTopic(SECRET), NewTopic(READABLE)]))
        yield running


def topic_id(server: RunningServer, name: str) -> bytes:
    found: bytes = server.run(lambda: server.node.broker.topic(name).topic_id)
    return found


def test_metadata_that_makes_no_topic_does_not_wait_behind_changes(
    server: RunningServer, client: RawClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a name that is refused, or that this client may not create."""
    changes: list[object] = []
    monkeypatch.setattr(server.node.changes, "request", lambda call, work: changes.append(call))
    for name, code in (("no name", DENIED), ("none", DENIED), ("not-there", DENIED), ("secret-too", DENIED)):
        reply = client.ask("Metadata", 12, MetadataRequest([MetadataRequestTopic(name=name)], True))
        assert [topic.error_code for topic in reply.topics] == [code], name
    assert changes == []


def test_a_topic_that_may_not_be_seen_is_denied_by_name_and_left_out_of_all(
    server: RunningServer, client: RawClient
) -> None:
    asked = [MetadataRequestTopic(name=SECRET), MetadataRequestTopic(name=READABLE), MetadataRequestTopic(name="none")]
    reply = client.ask("Metadata", 12, MetadataRequest(asked))
    assert [(topic.name, topic.error_code) for topic in reply.topics] == [
        (SECRET, DENIED),
        (READABLE, 0),
        ("none", DENIED),
    ]
    assert [topic.name for topic in client.ask("Metadata", 12, MetadataRequest(None)).topics] == [READABLE]
    (by_id,) = client.ask(
        "Metadata", 12, MetadataRequest([MetadataRequestTopic(topic_id(server, SECRET), None)])
    ).topics
    assert (by_id.error_code, by_id.name) == (DENIED, None)


def test_operations_that_are_allowed_are_the_bits_that_are_set(client: RawClient) -> None:
    """READ implies DESCRIBE."""
    ask = MetadataRequest([MetadataRequestTopic(name=READABLE)], True, True, True)
    reply = client.ask("Metadata", 8, ask)
    assert reply.topics[0].topic_authorized_operations == 1 << 3 | 1 << 8
    assert reply.cluster_authorized_operations == 0
    assert client.ask("DescribeCluster", 0, DescribeClusterRequest(True)).cluster_authorized_operations == 0


def test_reading_is_allowed_where_it_is_and_writing_is_not(server: RunningServer, client: RawClient) -> None:
    assert produce(client, READABLE, batch(b"x")).error_code == DENIED
    assert fetch(client, fetch_request(READABLE)).error_code == 0
    assert fetch(client, fetch_request(SECRET)).error_code == DENIED
    assert fetch(client, fetch_request("", topic_id=topic_id(server, SECRET)), 13).error_code == DENIED


def test_reading_requests_are_denied_for_each_topic(client: RawClient) -> None:
    offsets = [ListOffsetsRequestTopic(name, [ListOffsetsRequestPartition(0, -1, -1)]) for name in (SECRET, READABLE)]
    reply = client.ask("ListOffsets", 10, ListOffsetsRequest(-1, 0, offsets))
    assert [topic.partitions[0].error_code for topic in reply.topics] == [DENIED, 0]
    epochs = [
        OffsetForLeaderEpochRequestTopic(name, [OffsetForLeaderEpochRequestPartition(0, -1, 0)])
        for name in (SECRET, READABLE)
    ]
    reply = client.ask("OffsetForLeaderEpoch", 4, OffsetForLeaderEpochRequest(-1, epochs))
    assert [topic.partitions[0].error_code for topic in reply.topics] == [DENIED, 0]


def test_changes_are_denied_for_each_topic_and_nothing_changes(server: RunningServer, client: RawClient) -> None:
    made = client.ask("CreateTopics", 7, CreateTopicsRequest([CreateTopicsRequestTopic("new", 1, 1)])).topics
    assert [topic.error_code for topic in made] == [DENIED]
    grown = client.ask("CreatePartitions", 3, CreatePartitionsRequest([CreatePartitionsRequestTopic(READABLE, 5)]))
    assert [result.error_code for result in grown.results] == [DENIED]
    records = [DeleteRecordsRequestTopic(READABLE, [DeleteRecordsRequestPartition(0, 0)])]
    emptied = client.ask("DeleteRecords", 2, DeleteRecordsRequest(records)).topics
    assert [topic.partitions[0].error_code for topic in emptied] == [DENIED]
    resource = IncrementalAlterConfigsRequestResource(2, READABLE, [])
    altered = client.ask("IncrementalAlterConfigs", 1, IncrementalAlterConfigsRequest([resource])).responses
    assert [each.error_code for each in altered] == [DENIED]
    assert server.run(lambda: len(server.node.broker.topic(READABLE).partitions)) == 1


def test_deleting_is_denied_without_telling_names_or_ids(server: RunningServer, client: RawClient) -> None:
    secret_id = topic_id(server, SECRET)
    request = DeleteTopicsRequest([DeleteTopicsRequestTopic(SECRET), DeleteTopicsRequestTopic(None, secret_id)])
    by_name, by_id = client.ask("DeleteTopics", 6, request).responses
    assert (by_name.error_code, by_name.name, by_name.topic_id) == (DENIED, SECRET, bytes(16))
    assert (by_id.error_code, by_id.name, by_id.topic_id) == (DENIED, None, secret_id)


def test_settings_are_denied_for_topics_and_for_the_broker(client: RawClient) -> None:
    resources = [DescribeConfigsRequestResource(2, READABLE, None), DescribeConfigsRequestResource(4, "1", None)]
    results = client.ask("DescribeConfigs", 4, DescribeConfigsRequest(resources)).results
    assert [(result.error_code, list(result.configs)) for result in results] == [(DENIED, []), (CLUSTER_DENIED, [])]


def test_partitions_of_unseen_topics_are_denied_by_name_and_left_out_of_all(client: RawClient) -> None:
    names = [DescribeTopicPartitionsRequestTopic(name) for name in (SECRET, READABLE)]
    reply = client.ask("DescribeTopicPartitions", 0, DescribeTopicPartitionsRequest(names))
    assert [(topic.name, topic.error_code) for topic in reply.topics] == [(READABLE, 0), (SECRET, DENIED)]
    reply = client.ask("DescribeTopicPartitions", 0, DescribeTopicPartitionsRequest([]))
    assert [topic.name for topic in reply.topics] == [READABLE]


def test_what_concerns_the_cluster_is_denied(client: RawClient) -> None:
    reply = client.ask("DescribeLogDirs", 4, DescribeLogDirsRequest(None))
    assert (reply.error_code, list(reply.results)) == (CLUSTER_DENIED, [])
    assert client.ask("InitProducerId", 4, InitProducerIdRequest(None, 1)).error_code == CLUSTER_DENIED
    assert client.ask("InitProducerId", 4, InitProducerIdRequest("tx", 1)).error_code == 53
