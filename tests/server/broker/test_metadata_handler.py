"""Metadata and DescribeCluster, in every version."""

from __future__ import annotations

import pytest

from muster.server.running import RunningServer
from muster.wire.generated.describe_cluster import DescribeClusterRequest
from muster.wire.generated.metadata import MetadataRequest, MetadataRequestTopic
from tests.server.broker.whole_server import ZERO_ID, create, whole_server
from tests.server.raw_client import RawClient

ALL_VERSIONS = range(14)


@pytest.mark.parametrize("version", ALL_VERSIONS)
def test_a_topic_is_shown_with_its_partitions_and_this_node_in_every_role(
    server: RunningServer, client: RawClient, version: int
) -> None:
    name = f"shown-{version}"
    topic_id = create(client, name, 3)
    reply = client.ask("Metadata", version, MetadataRequest([MetadataRequestTopic(name=name)]))
    (broker,) = reply.brokers
    assert (broker.node_id, broker.host, broker.port) == (1, "127.0.0.1", server.port)
    (topic,) = reply.topics
    assert (topic.error_code, topic.name) == (0, name)
    assert [(each.partition_index, each.leader_id) for each in topic.partitions] == [(0, 1), (1, 1), (2, 1)]
    assert [(list(each.replica_nodes), list(each.isr_nodes)) for each in topic.partitions] == [([1], [1])] * 3
    if version >= 1:
        assert reply.controller_id == 1
    if version >= 2:
        assert len(reply.cluster_id) == 22
    if version >= 7:
        assert [each.leader_epoch for each in topic.partitions] == [0, 0, 0]
    if version >= 10:
        assert topic.topic_id == topic_id


def test_all_topics_are_asked_for_by_an_empty_list_in_v0_and_by_null_later(client: RawClient) -> None:
    create(client, "one-of-all")
    assert "one-of-all" in {topic.name for topic in client.ask("Metadata", 0, MetadataRequest([])).topics}
    for version in ALL_VERSIONS[1:]:
        assert list(client.ask("Metadata", version, MetadataRequest([])).topics) == []
        assert "one-of-all" in {topic.name for topic in client.ask("Metadata", version, MetadataRequest(None)).topics}


def test_an_unknown_topic_is_made_with_num_partitions_if_the_client_allows_it() -> None:
    with whole_server({"num.partitions": "4"}) as server, RawClient(server.port) as client:
        refused = client.ask("Metadata", 9, MetadataRequest([MetadataRequestTopic(name="new")], False))
        assert [(topic.error_code, topic.name) for topic in refused.topics] == [(3, "new")]
        made = client.ask("Metadata", 9, MetadataRequest([MetadataRequestTopic(name="new")], True))
        assert [(topic.error_code, len(topic.partitions)) for topic in made.topics] == [(0, 4)]


def test_an_unknown_topic_is_not_made_if_the_operator_forbids_it() -> None:
    with whole_server({"auto.create.topics.enable": "false"}) as server, RawClient(server.port) as client:
        for version in (1, 9):
            reply = client.ask("Metadata", version, MetadataRequest([MetadataRequestTopic(name="new")]))
            assert [topic.error_code for topic in reply.topics] == [3]


@pytest.mark.parametrize("name", ["a b", "", "..", "x" * 250])
@pytest.mark.parametrize("allow", [True, False])
def test_a_name_that_no_topic_can_have_is_an_invalid_topic(client: RawClient, name: str, allow: bool) -> None:
    reply = client.ask("Metadata", 9, MetadataRequest([MetadataRequestTopic(name=name)], allow))
    assert [(topic.error_code, topic.name) for topic in reply.topics] == [(17, name)]


def test_the_offsets_topic_is_not_made_by_asking_for_its_metadata(client: RawClient) -> None:
    """Spec 1.3: FindCoordinator makes it."""
    reply = client.ask("Metadata", 9, MetadataRequest([MetadataRequestTopic(name="__consumer_offsets")]))
    assert [(topic.error_code, topic.is_internal) for topic in reply.topics] == [(3, True)]


def test_a_topic_named_twice_is_shown_once(client: RawClient) -> None:
    create(client, "twice")
    reply = client.ask("Metadata", 9, MetadataRequest([MetadataRequestTopic(name="twice")] * 2))
    assert [topic.name for topic in reply.topics] == ["twice"]


def test_from_v12_on_topics_are_found_by_id(client: RawClient) -> None:
    topic_id = create(client, "by-id")
    for version in (12, 13):
        reply = client.ask(
            "Metadata",
            version,
            MetadataRequest([MetadataRequestTopic(topic_id, None), MetadataRequestTopic(b"\1" * 16, None)]),
        )
        known, unknown = reply.topics
        assert (known.error_code, known.name, known.topic_id) == (0, "by-id", topic_id)
        assert (unknown.error_code, unknown.name, unknown.topic_id) == (100, None, b"\1" * 16)


@pytest.mark.parametrize("version", [10, 11])
def test_before_v12_ids_and_null_names_are_an_invalid_request(client: RawClient, version: int) -> None:
    for topic in (MetadataRequestTopic(b"\1" * 16, "x"), MetadataRequestTopic(ZERO_ID, None)):
        reply = client.ask("Metadata", version, MetadataRequest([topic]))
        assert [each.error_code for each in reply.topics] == [42]
        assert list(reply.brokers) == []


def test_authorized_operations_are_shown_only_if_asked_for(client: RawClient) -> None:
    """KIP-430: all eight on a topic, all seven on the cluster; the cluster's only in v8 to v10."""
    create(client, "operations")
    ask = [MetadataRequestTopic(name="operations")]
    plain = client.ask("Metadata", 8, MetadataRequest(ask))
    assert (plain.topics[0].topic_authorized_operations, plain.cluster_authorized_operations) == (-(2**31), -(2**31))
    full = client.ask("Metadata", 8, MetadataRequest(ask, True, True, True))
    assert full.topics[0].topic_authorized_operations == 0b110111111000
    assert full.cluster_authorized_operations == 0b1111110100000


@pytest.mark.parametrize("version", range(3))
def test_the_cluster_is_this_node(server: RunningServer, client: RawClient, version: int) -> None:
    reply = client.ask("DescribeCluster", version, DescribeClusterRequest(True))
    assert (reply.error_code, reply.controller_id, len(reply.cluster_id)) == (0, 1, 22)
    assert [(broker.broker_id, broker.host, broker.port) for broker in reply.brokers] == [(1, "127.0.0.1", server.port)]
    assert reply.cluster_authorized_operations == 0b1111110100000


def test_who_looks_for_controllers_is_told_that_this_is_a_broker(client: RawClient) -> None:
    """KIP-919."""
    assert client.ask("DescribeCluster", 1, DescribeClusterRequest(endpoint_type=2)).error_code == 114
    assert client.ask("DescribeCluster", 1, DescribeClusterRequest(endpoint_type=7)).error_code == 115


def test_rack_and_node_id_are_the_operators() -> None:
    with whole_server({"broker.rack": "r1", "node.id": "9"}) as server, RawClient(server.port) as client:
        (broker,) = client.ask("Metadata", 9, MetadataRequest([])).brokers
        assert (broker.node_id, broker.rack) == (9, "r1")


def test_clients_are_told_the_advertised_address() -> None:
    with whole_server({"advertised.listeners": "kafka.example:19092"}) as server, RawClient(server.port) as client:
        (broker,) = client.ask("Metadata", 9, MetadataRequest([])).brokers
        assert (broker.host, broker.port) == ("kafka.example", 19092)
