"""Fetch, ListOffsets and DescribeProducers over the wire, of a topic with transactions (spec 14.1, 14.2)."""

from __future__ import annotations

import pytest

from muster.log.contract import PartitionLog
from muster.server.running import RunningServer
from muster.topics.produce import ProduceTerms
from muster.wire.batch import Record, encode_batch, iterate_batches
from muster.wire.generated.describe_producers import (
    DescribeProducersRequest,
    DescribeProducersRequestTopic,
    DescribeProducersResponseProducer,
)
from muster.wire.generated.list_offsets import (
    ListOffsetsRequest,
    ListOffsetsRequestPartition,
    ListOffsetsRequestTopic,
)
from tests.server.broker.whole_server import NOW_MS, batch, create, fetch, fetch_request, produce
from tests.server.driving import until
from tests.server.raw_client import RawClient, request_frame

READ_COMMITTED = 1


def write(server: RunningServer, topic: str, producer_id: int, sequence: int = 0) -> None:
    """A batch of a transaction that is verified, as the transaction coordinator would say."""
    content = encode_batch(
        [Record(0, NOW_MS, b"k", b"v")],
        producer_id=producer_id,
        producer_epoch=0,
        base_sequence=sequence,
        transactional=True,
    )
    node = server.node
    result = server.run(node.broker.produce, topic, 0, content, ProduceTerms(transaction_verified=True), NOW_MS)
    assert result.error_code == 0
    make_durable(server, result.log, result.end_offset)


def end(server: RunningServer, topic: str, producer_id: int, *, committed: bool) -> None:
    log, end_offset = server.run(
        lambda: server.node.broker.append_marker(
            topic,
            0,
            producer_id,
            0,
            commit=committed,
            coordinator_epoch=3,
            now_ms=NOW_MS,
            transaction_version=1,
        )
    )
    make_durable(server, log, end_offset)


def make_durable(server: RunningServer, log: PartitionLog, end_offset: int) -> None:
    server.run(server.node.durable.when_durable, log, end_offset, lambda error: None)
    until(server, lambda: log.durable_offset >= end_offset)


def bases(records: bytes | None) -> list[int]:
    return [header.base_offset for _, header in iterate_batches(records or b"")]


@pytest.mark.parametrize("version", range(4, 13))
def test_a_fetch_of_committed_records_ends_at_the_open_transaction_and_names_the_aborted_ones(
    server: RunningServer, client: RawClient, version: int
) -> None:
    name = f"reads-{version}"
    create(client, name)
    write(server, name, 7)
    end(server, name, 7, committed=False)
    produce(client, name, batch(b"plain"))
    write(server, name, 8)
    produce(client, name, batch(b"plain"))
    committed = fetch(client, fetch_request(name, isolation_level=READ_COMMITTED), version)
    assert (committed.high_watermark, committed.last_stable_offset) == (5, 3)
    assert bases(committed.records) == [0, 1, 2]
    assert [(each.producer_id, each.first_offset) for each in committed.aborted_transactions or ()] == [(7, 0)]
    later = fetch(client, fetch_request(name, 2, isolation_level=READ_COMMITTED), version)
    assert later.aborted_transactions is not None
    assert list(later.aborted_transactions) == []
    everything = fetch(client, fetch_request(name), version)
    assert (everything.last_stable_offset, everything.aborted_transactions) == (3, None)
    assert bases(everything.records) == [0, 1, 2, 3, 4]


def test_a_waiting_fetch_is_answered_when_the_transaction_ends(server: RunningServer, client: RawClient) -> None:
    create(client, "waits")
    write(server, "waits", 7)
    waiting = fetch_request("waits", max_wait_ms=60_000, isolation_level=READ_COMMITTED)
    client.send(request_frame("Fetch", 12, waiting))
    until(server, lambda: len(server.node.long_polls) == 1)
    write(server, "waits", 7, 1)
    assert server.run(lambda: len(server.node.long_polls)) == 1
    end(server, "waits", 7, committed=True)
    (topic,) = client.read("Fetch", 12).responses
    assert bases(topic.partitions[0].records) == [0, 1, 2]


@pytest.mark.parametrize("version", range(2, 11))
def test_isolation_decides_which_offset_is_the_latest(server: RunningServer, client: RawClient, version: int) -> None:
    name = f"lists-{version}"
    create(client, name)
    write(server, name, 7)

    def latest(isolation_level: int) -> tuple[int, int]:
        wanted = [ListOffsetsRequestTopic(name, [ListOffsetsRequestPartition(0, -1, -1)])]
        reply = client.ask("ListOffsets", version, ListOffsetsRequest(-1, isolation_level, wanted))
        answer = reply.topics[0].partitions[0]
        return answer.error_code, answer.offset

    assert [latest(level) for level in (0, 1, 2)] == [(0, 1), (0, 0), (-1, -1)]


def test_producers_are_described(server: RunningServer, client: RawClient) -> None:
    create(client, "described")
    write(server, "described", 7)
    end(server, "described", 9, committed=True)
    topics = [DescribeProducersRequestTopic("described", [0, 5]), DescribeProducersRequestTopic("nowhere", [0])]
    known, unknown = client.ask("DescribeProducers", 0, DescribeProducersRequest(topics)).topics
    assert [(each.partition_index, each.error_code) for each in known.partitions] == [(0, 0), (5, 3)]
    assert known.partitions[0].active_producers == [
        DescribeProducersResponseProducer(7, 0, 0, NOW_MS, -1, 0),
        DescribeProducersResponseProducer(9, 0, -1, NOW_MS, 3, -1),
    ]
    assert [each.error_code for each in unknown.partitions] == [3]
