"""CreateTopics, DeleteTopics, CreatePartitions, DescribeTopicPartitions and DescribeLogDirs over the wire."""

from __future__ import annotations

import pytest

from muster.server.running import RunningServer
from muster.wire.generated.create_partitions import (
    CreatePartitionsRequest,
    CreatePartitionsRequestAssignment,
    CreatePartitionsRequestTopic,
)
from muster.wire.generated.create_topics import (
    CreateTopicsRequest,
    CreateTopicsRequestAssignment,
    CreateTopicsRequestConfig,
    CreateTopicsRequestTopic,
)
from muster.wire.generated.delete_topics import DeleteTopicsRequest, DeleteTopicsRequestTopic
from muster.wire.generated.describe_log_dirs import DescribeLogDirsRequest, DescribeLogDirsRequestTopic
from muster.wire.generated.describe_topic_partitions import (
    DescribeTopicPartitionsRequest,
    DescribeTopicPartitionsRequestCursor,
    DescribeTopicPartitionsRequestTopic,
)
from muster.wire.generated.metadata import MetadataRequest, MetadataRequestTopic
from tests.server.broker.whole_server import ZERO_ID, batch, create, fetch_request, produce, whole_server
from tests.server.raw_client import RawClient, request_frame


def partitions_of(client: RawClient, name: str) -> int:
    (topic,) = client.ask("Metadata", 9, MetadataRequest([MetadataRequestTopic(name=name)], False)).topics
    return len(topic.partitions) if topic.error_code == 0 else -topic.error_code


@pytest.mark.parametrize("version", range(2, 8))
def test_a_topic_is_made_and_the_answer_says_what_it_is(client: RawClient, version: int) -> None:
    name = f"made-{version}"
    asked = CreateTopicsRequestTopic(name, 2, 1, configs=[CreateTopicsRequestConfig("retention.ms", "5000")])
    (topic,) = client.ask("CreateTopics", version, CreateTopicsRequest([asked])).topics
    assert (topic.name, topic.error_code, topic.error_message) == (name, 0, None)
    assert partitions_of(client, name) == 2
    if version >= 5:
        assert (topic.num_partitions, topic.replication_factor) == (2, 1)
        shown = {config.name: (config.value, config.config_source) for config in topic.configs}
        assert shown["retention.ms"] == ("5000", 1)
        assert shown["cleanup.policy"] == ("delete", 5)
    if version >= 7:
        assert topic.topic_id != ZERO_ID


def test_only_validating_makes_nothing(client: RawClient) -> None:
    request = CreateTopicsRequest([CreateTopicsRequestTopic("maybe", 3, 1)], validate_only=True)
    (topic,) = client.ask("CreateTopics", 7, request).topics
    assert (topic.error_code, topic.num_partitions) == (0, 3)
    assert partitions_of(client, "maybe") == -3


@pytest.mark.parametrize(
    ("topic", "code"),
    [
        (CreateTopicsRequestTopic("taken", 1, 1), 36),
        (CreateTopicsRequestTopic("bad name", 1, 1), 17),
        (CreateTopicsRequestTopic("zero", 0, 1), 37),
        (CreateTopicsRequestTopic("three", 1, 3), 38),
        (CreateTopicsRequestTopic("odd", -1, -1, [CreateTopicsRequestAssignment(0, [5])]), 39),
        (CreateTopicsRequestTopic("conf", 1, 1, configs=[CreateTopicsRequestConfig("no.such", "1")]), 40),
    ],
)
def test_a_topic_that_cannot_be_is_refused_with_kafkas_code_and_a_sentence(
    client: RawClient, topic: CreateTopicsRequestTopic, code: int
) -> None:
    client.ask("CreateTopics", 7, CreateTopicsRequest([CreateTopicsRequestTopic("taken", 1, 1)]))
    (answer,) = client.ask("CreateTopics", 7, CreateTopicsRequest([topic])).topics
    assert answer.error_code == code
    assert answer.error_message
    assert answer.num_partitions == -1


@pytest.mark.parametrize("version", range(1, 7))
def test_a_topic_is_deleted_and_can_be_made_again(client: RawClient, version: int) -> None:
    name = f"gone-{version}"
    create(client, name)
    request = DeleteTopicsRequest([DeleteTopicsRequestTopic(name)], [name], 1_000)
    (answer,) = client.ask("DeleteTopics", version, request).responses
    assert (answer.name, answer.error_code) == (name, 0)
    (again,) = client.ask("DeleteTopics", version, request).responses
    assert again.error_code == 3
    assert partitions_of(client, name) == -3
    create(client, name)


def test_from_v6_on_a_topic_is_deleted_by_id(client: RawClient) -> None:
    topic_id = create(client, "gone-by-id")
    request = DeleteTopicsRequest(
        [DeleteTopicsRequestTopic(None, topic_id), DeleteTopicsRequestTopic(None, b"\3" * 16)]
    )
    known, unknown = client.ask("DeleteTopics", 6, request).responses
    assert (known.name, known.topic_id, known.error_code) == ("gone-by-id", topic_id, 0)
    assert (unknown.name, unknown.error_code) == (None, 100)


def test_a_fetch_that_waits_for_a_deleted_topic_is_answered(server: RunningServer, client: RawClient) -> None:
    create(client, "vanishing")
    with RawClient(server.port) as waiting:
        waiting.send(request_frame("Fetch", 12, fetch_request("vanishing", max_wait_ms=600_000)))
        while not server.run(len, server.node.long_polls):
            pass
        client.ask("DeleteTopics", 6, DeleteTopicsRequest([DeleteTopicsRequestTopic("vanishing")]))
        (topic,) = waiting.read("Fetch", 12).responses
        assert topic.partitions[0].error_code == 3


def test_deletion_can_be_disabled_and_older_versions_hear_of_it_in_the_code_they_know() -> None:
    with whole_server({"delete.topic.enable": "false"}) as server, RawClient(server.port) as client:
        create(client, "kept")
        request = DeleteTopicsRequest([DeleteTopicsRequestTopic("kept")], ["kept"])
        codes = [client.ask("DeleteTopics", version, request).responses[0].error_code for version in range(1, 7)]
        assert codes == [42, 42, 73, 73, 73, 73]
        assert partitions_of(client, "kept") == 1


@pytest.mark.parametrize("version", range(4))
def test_a_topic_grows(client: RawClient, version: int) -> None:
    name = f"growing-{version}"
    create(client, name, 2)

    def grow(count: int, topic: str = name) -> int:
        request = CreatePartitionsRequest([CreatePartitionsRequestTopic(topic, count, None)])
        (answer,) = client.ask("CreatePartitions", version, request).results
        assert answer.name == topic
        return int(answer.error_code)

    assert grow(4) == 0
    assert partitions_of(client, name) == 4
    assert grow(4) == 37
    assert grow(1) == 37
    assert grow(3, "nowhere") == 3


def test_new_partitions_may_be_placed_on_this_node_only(client: RawClient) -> None:
    create(client, "placed")
    for brokers, code in (([2], 39), ([1], 0)):
        placed = CreatePartitionsRequestTopic("placed", 2, [CreatePartitionsRequestAssignment(brokers)])
        (answer,) = client.ask("CreatePartitions", 3, CreatePartitionsRequest([placed])).results
        assert answer.error_code == code


def page(
    client: RawClient, names: list[str], limit: int = 2_000, cursor: tuple[str, int] | None = None
) -> tuple[list[tuple[str, int, list[int]]], tuple[str, int] | None]:
    request = DescribeTopicPartitionsRequest(
        [DescribeTopicPartitionsRequestTopic(name) for name in names],
        limit,
        DescribeTopicPartitionsRequestCursor(*cursor) if cursor else None,
    )
    reply = client.ask("DescribeTopicPartitions", 0, request)
    topics = [
        (topic.name, topic.error_code, [partition.partition_index for partition in topic.partitions])
        for topic in reply.topics
    ]
    following = reply.next_cursor
    return topics, None if following is None else (following.topic_name, following.partition_index)


def test_partitions_come_in_pages_and_the_cursor_leads_through_all_of_them() -> None:
    """KIP-966."""
    with whole_server() as server, RawClient(server.port) as client:
        create(client, "a", 3)
        create(client, "b", 2)
        create(client, "c", 1)
        seen = []
        cursor: tuple[str, int] | None = None
        while True:
            topics, cursor = page(client, [], 2, cursor)
            seen += [(name, partition) for name, error, partitions in topics for partition in partitions]
            assert all(error == 0 for _, error, _ in topics)
            assert sum(len(partitions) for *_, partitions in topics) <= 2
            if cursor is None:
                break
        assert seen == [("a", 0), ("a", 1), ("a", 2), ("b", 0), ("b", 1), ("c", 0)]
        assert page(client, [], 3) == ([("a", 0, [0, 1, 2])], ("b", 0))


def test_topics_are_described_by_name_and_unknown_ones_are_errors(client: RawClient) -> None:
    create(client, "described", 2)
    topics, cursor = page(client, ["nowhere", "described", "not valid"])
    assert topics == [("described", 0, [0, 1]), ("not valid", 17, []), ("nowhere", 3, [])]
    assert cursor is None


def test_a_cursor_before_the_first_partition_is_an_invalid_request(client: RawClient) -> None:
    assert page(client, ["described"], cursor=("described", -1)) == ([("described", 42, [])], None)


@pytest.mark.parametrize("version", range(1, 5))
def test_log_dirs_show_the_size_of_each_partition(client: RawClient, version: int) -> None:
    name = f"sized-{version}"
    create(client, name, 2)
    produce(client, name, batch(b"x" * 100))
    request = DescribeLogDirsRequest([DescribeLogDirsRequestTopic(name, [0, 1, 7])])
    (directory,) = client.ask("DescribeLogDirs", version, request).results
    (topic,) = directory.topics
    sizes = {partition.partition_index: partition.partition_size for partition in topic.partitions}
    assert sizes[0] > 100
    assert sizes[1] == 0
    assert sorted(sizes) == [0, 1]


def test_log_dirs_without_topics_show_all_of_them(client: RawClient) -> None:
    create(client, "in-all")
    (directory,) = client.ask("DescribeLogDirs", 4, DescribeLogDirsRequest(None)).results
    assert "in-all" in {topic.name for topic in directory.topics}
