"""Quotas over TCP with a clock that stands still: what replies say, and how long a connection is muted (KIP-219, KIP-124)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from muster.log.contract import StorageError
from muster.server.running import RunningServer
from muster.server.settings import Settings
from muster.testing.broker import Broker
from muster.wire.errors import NONE, THROTTLING_QUOTA_EXCEEDED, UNKNOWN_TOPIC_OR_PARTITION
from muster.wire.generated.api_versions import ApiVersionsRequest
from muster.wire.generated.create_partitions import CreatePartitionsRequest, CreatePartitionsRequestTopic
from muster.wire.generated.create_topics import CreateTopicsRequest, CreateTopicsRequestTopic
from muster.wire.generated.delete_topics import DeleteTopicsRequest, DeleteTopicsRequestTopic
from muster.wire.generated.heartbeat import HeartbeatRequest
from muster.wire.generated.metadata import MetadataRequest, MetadataRequestTopic
from muster.wire.generated.produce import ProduceRequest, ProduceRequestPartition, ProduceRequestTopic
from tests.security.quota_server import (
    GUEST,
    OTHER,
    AddressedClient,
    connection_of,
    listener_of,
    set_quotas,
    until,
)
from tests.server.broker.whole_server import batch, fetch_request, produce
from tests.server.raw_client import request_frame


@pytest.fixture
def broker() -> Iterator[Broker]:
    with Broker(topics={"t": 1}, frozen=True) as running:
        yield running


@pytest.fixture
def client(broker: Broker) -> Iterator[AddressedClient]:
    with AddressedClient(broker.port) as connected:
        yield connected


def is_muted(broker: Broker, client: AddressedClient) -> bool:
    return broker.run(lambda: connection_of(broker, client).is_muted)


def test_without_quotas_connections_know_nothing_of_them(broker: Broker, client: AddressedClient) -> None:
    assert [client.beat() for _ in range(200)] == [0] * 200
    assert broker.run(lambda: connection_of(broker, client).throttle) is None
    set_quotas(broker.port, {"ip": GUEST}, connection_creation_rate=1000)
    assert broker.run(lambda: connection_of(broker, client).throttle) is None  # that bears on no request


def test_the_reply_comes_at_once_and_the_next_request_waits_for_the_throttle_time(
    broker: Broker, client: AddressedClient
) -> None:
    """KIP-219. Two requests a second: twenty at once use up the windows, the next one is half a second early."""
    set_quotas(broker.port, {"client-id": "raw"}, muster_request_rate=2)
    assert [client.beat() for _ in range(20)] == [0] * 20
    assert client.beat() == 500
    assert is_muted(broker, client)
    client.send(request_frame("Heartbeat", 4, HeartbeatRequest("g", 1, "m")))
    until(broker, lambda: connection_of(broker, client)._backlog is not None)
    broker.clock.advance(ms=499)
    assert is_muted(broker, client)
    broker.clock.advance(ms=1)
    assert client.read("Heartbeat", 4).throttle_time_ms > 0


def test_old_versions_are_muted_though_they_cannot_be_told(broker: Broker, client: AddressedClient) -> None:
    set_quotas(broker.port, {"client-id": "raw"}, muster_request_rate=1)
    for _ in range(11):
        assert client.ask("Heartbeat", 0, HeartbeatRequest("g", 1, "m")).error_code > 0
    assert is_muted(broker, client)


def test_what_others_are_told_does_not_change(broker: Broker, client: AddressedClient) -> None:
    """ApiVersions gives everybody the same answer: a throttle time in it is for one client alone."""
    set_quotas(broker.port, {"client-id": "raw"}, muster_request_rate=0.1)
    replies = [client.ask("ApiVersions", 3, ApiVersionsRequest("x", "1")) for _ in range(2)]
    assert [reply.throttle_time_ms for reply in replies] == [0, 10_000]
    with AddressedClient(broker.port) as other:
        assert other.ask("ApiVersions", 3, ApiVersionsRequest("x", "1"), client_id="other").throttle_time_ms == 0


def test_a_quota_that_is_removed_or_changed_counts_at_once_for_those_who_are_connected(
    broker: Broker, client: AddressedClient
) -> None:
    entity: dict[str, str | None] = {"user": None, "client-id": "raw"}
    set_quotas(broker.port, entity, muster_request_rate=0.5)
    assert [client.beat() for _ in range(6)] == [0, 0, 0, 0, 0, 2000]
    broker.clock.advance(seconds=2)
    set_quotas(broker.port, entity, muster_request_rate=1000)
    assert [client.beat() for _ in range(50)] == [0] * 50
    set_quotas(broker.port, entity, muster_request_rate=None)
    assert broker.run(lambda: connection_of(broker, client).throttle) is None


def test_all_connections_of_a_client_use_one_quota(broker: Broker, client: AddressedClient) -> None:
    set_quotas(broker.port, {"client-id": "raw"}, muster_request_rate=1)
    with AddressedClient(broker.port) as second:
        assert [client.beat() for _ in range(6)] == [0] * 6
        assert [second.beat() for _ in range(4)] == [0] * 4
        assert second.beat() == 1000
        assert client.beat() == 2000


def test_an_address_has_a_request_rate_of_its_own(broker: Broker, client: AddressedClient) -> None:
    set_quotas(broker.port, {"ip": GUEST}, muster_request_rate=1)
    assert [client.beat(f"id-{number}") for number in range(10)] == [0] * 10
    assert client.beat("another") == 1000
    with AddressedClient(broker.port, OTHER) as other:
        assert [other.beat() for _ in range(30)] == [0] * 30


def test_bytes_of_producers_are_throttled_by_what_they_send(broker: Broker, client: AddressedClient) -> None:
    """KIP-13. 1,000 bytes a second: the request of 20,000 takes twenty, of which ten count already."""
    set_quotas(broker.port, {"client-id": "raw"}, producer_byte_rate=1000)
    with AddressedClient(broker.port) as consumer:
        produce(client, "t", batch(b"x" * 20_000))
        assert is_muted(broker, client)
        waits = broker.run(lambda: listener_of(broker).throttling.throttled_ms)  # type: ignore[union-attr]
        assert 10_000 < waits < 11_000
        assert consumer.beat() == 0  # bytes are counted, not requests
    broker.clock.advance(ms=waits)
    assert not is_muted(broker, client)


def test_a_producer_without_acks_is_muted_too(broker: Broker, client: AddressedClient) -> None:
    set_quotas(broker.port, {"client-id": "raw"}, producer_byte_rate=1000)
    records = batch(b"x" * 20_000)
    topic = ProduceRequestTopic("t", partition_data=[ProduceRequestPartition(0, records)])
    client.send(request_frame("Produce", 12, ProduceRequest(None, 0, 1_000, [topic])))
    until(broker, lambda: connection_of(broker, client).is_muted)


def test_a_consumer_over_its_bytes_gets_an_empty_answer_and_later_the_records(
    broker: Broker, client: AddressedClient
) -> None:
    """Kafka's fetch quota: what would be too much is not sent and not counted. The records come when there is room."""
    broker.produce("t", *(b"x" * 4_000 for _ in range(4)))
    set_quotas(broker.port, {"client-id": "raw"}, consumer_byte_rate=1000)
    first = client.ask("Fetch", 12, fetch_request("t"))
    given = len(first.responses[0].partitions[0].records)
    assert (first.throttle_time_ms, 4_000 < given <= 10_000) == (0, True)
    second = client.ask("Fetch", 12, fetch_request("t"))
    assert (second.responses, second.error_code) == ([], NONE)
    assert second.throttle_time_ms > 0
    broker.clock.advance(seconds=30)
    third = client.ask("Fetch", 12, fetch_request("t"))
    assert (third.throttle_time_ms, len(third.responses[0].partitions[0].records)) == (0, given)


def test_a_batch_that_is_larger_than_the_quota_is_given_and_paid_for(broker: Broker, client: AddressedClient) -> None:
    """Deviates: from Kafka it could never be read."""
    broker.produce("t", b"x" * 50_000)
    set_quotas(broker.port, {"client-id": "raw"}, consumer_byte_rate=1000)
    reply = client.ask("Fetch", 12, fetch_request("t"))
    assert len(reply.responses[0].partitions[0].records) > 50_000
    assert reply.throttle_time_ms > 40_000


def test_time_of_requests_is_counted_in_percent_and_never_waits_longer_than_a_window(
    broker: Broker, client: AddressedClient
) -> None:
    """KIP-124. Each request here takes a second by the meter: 50 percent allow five of them, then it is a second too much."""
    set_quotas(broker.port, {"client-id": "raw"}, request_percentage=50)
    moments = iter(range(10**9, 10**15, 10**9))
    broker.run(lambda: setattr(listener_of(broker).throttling, "spent_ns", lambda: next(moments)))
    waits = []
    for _ in range(8):
        waits.append(client.beat())
        broker.clock.advance(ms=waits[-1])
    assert waits == [0, 0, 0, 0, 0, 1000, 1000, 1000]


def test_partitions_beyond_the_mutation_rate_are_refused_where_clients_know_it(
    broker: Broker, client: AddressedClient
) -> None:
    """KIP-599: 1 a second, eleven saved up. Whoever finds some may take more than there are; then it is paid back."""
    set_quotas(broker.port, {"client-id": "raw"}, controller_mutation_rate=1)

    def create(*topics: tuple[str, int], version: int = 7) -> tuple[list[int], int]:
        wanted = [CreateTopicsRequestTopic(name, count, -1) for name, count in topics]
        reply = client.ask("CreateTopics", version, CreateTopicsRequest(wanted))
        return [topic.error_code for topic in reply.topics], reply.throttle_time_ms

    assert create(("a", 10), ("b", 5), ("c", 1)) == ([NONE, NONE, THROTTLING_QUOTA_EXCEEDED], 4_000)
    broker.clock.advance(ms=3_999)
    reply = client_after_mute(broker, client, 1).ask(
        "DeleteTopics", 6, DeleteTopicsRequest([DeleteTopicsRequestTopic("a")])
    )
    assert ([topic.error_code for topic in reply.responses], reply.throttle_time_ms) == ([NONE], 0)
    grown = client.ask("CreatePartitions", 3, CreatePartitionsRequest([CreatePartitionsRequestTopic("b", 9, None)]))
    assert ([each.error_code for each in grown.results], grown.throttle_time_ms) == (
        [THROTTLING_QUOTA_EXCEEDED],
        10_000,
    )
    broker.clock.advance(seconds=10)
    assert create(("old", 20), version=5) == ([NONE], 20_000)  # cannot be told no: made, and then it waits
    broker.clock.advance(seconds=10)
    with AddressedClient(broker.port) as other:
        asked = other.ask("Metadata", 12, MetadataRequest([MetadataRequestTopic(name="auto")], True))
        assert (asked.topics[0].error_code, asked.throttle_time_ms) == (UNKNOWN_TOPIC_OR_PARTITION, 10_000)
    assert broker.run(lambda: listener_of(broker).throttling.mutations_refused) == 3  # type: ignore[union-attr]


def client_after_mute(broker: Broker, client: AddressedClient, ms: int) -> AddressedClient:
    assert is_muted(broker, client)
    broker.clock.advance(ms=ms)
    assert not is_muted(broker, client)
    return client


def test_a_muted_connection_is_not_idle_and_ends_when_its_client_goes(broker: Broker, client: AddressedClient) -> None:
    set_quotas(broker.port, {"client-id": "raw"}, muster_request_rate=0.1)
    client.beat()
    client.beat()
    listener = listener_of(broker)
    for now_ms in (0, 10**9, 2 * 10**9):
        broker.run(listener.close_idle, now_ms)
    assert is_muted(broker, client)
    client.close()
    until(broker, lambda: all(not each.is_muted for each in listener.connections))


def test_quotas_survive_a_restart_and_a_damaged_document_stops_the_start(tmp_path: Path) -> None:
    settings = Settings.of({"listeners": "127.0.0.1:0", "muster.data": str(tmp_path)})
    with RunningServer(settings) as server:
        set_quotas(server.port, {"client-id": "raw"}, muster_request_rate=0.1)
    with RunningServer(settings) as server, AddressedClient(server.port) as client:
        assert client.beat() == 0
        assert client.beat() > 0
    (tmp_path / "quotas.json").write_text("{")
    with pytest.raises(StorageError, match=r"quotas\.json cannot be read"):
        RunningServer(settings).start()
