"""Produce, Fetch, ListOffsets, DeleteRecords, InitProducerId and OffsetForLeaderEpoch over the wire."""

from __future__ import annotations

import threading

import pytest

from muster.server.running import RunningServer
from muster.wire.batch import decode_records
from muster.wire.generated.delete_records import (
    DeleteRecordsRequest,
    DeleteRecordsRequestPartition,
    DeleteRecordsRequestTopic,
)
from muster.wire.generated.fetch import FetchRequest, FetchRequestPartition, FetchRequestTopic
from muster.wire.generated.init_producer_id import InitProducerIdRequest
from muster.wire.generated.list_offsets import (
    ListOffsetsRequest,
    ListOffsetsRequestPartition,
    ListOffsetsRequestTopic,
)
from muster.wire.generated.offset_for_leader_epoch import (
    OffsetForLeaderEpochRequest,
    OffsetForLeaderEpochRequestPartition,
    OffsetForLeaderEpochRequestTopic,
)
from muster.wire.generated.produce import ProduceRequest, ProduceRequestPartition, ProduceRequestTopic
from tests.server.broker.whole_server import NOW_MS, batch, create, fetch, fetch_request, produce
from tests.server.driving import until
from tests.server.raw_client import RawClient, request_frame


def values(records: bytes | None) -> list[bytes | None]:
    assert records is not None
    return [record.value for record in decode_records(records)]


@pytest.mark.parametrize("version", range(3, 13))
def test_what_is_produced_gets_offsets_in_order(client: RawClient, version: int) -> None:
    name = f"offsets-{version}"
    create(client, name)
    first = produce(client, name, batch(b"a", b"b"), version=version)
    second = produce(client, name, batch(b"c"), version=version)
    assert [(each.error_code, each.base_offset, each.log_append_time_ms) for each in (first, second)] == [
        (0, 0, -1),
        (0, 2, -1),
    ]


@pytest.mark.parametrize("version", range(4, 13))
def test_what_was_produced_is_fetched(client: RawClient, version: int) -> None:
    name = f"fetched-{version}"
    create(client, name)
    produce(client, name, batch(b"a", b"b"))
    answer = fetch(client, fetch_request(name), version)
    assert (answer.error_code, answer.high_watermark, answer.last_stable_offset) == (0, 2, 2)
    assert values(answer.records) == [b"a", b"b"]
    assert answer.aborted_transactions is None


def test_topics_by_id(client: RawClient) -> None:
    """Produce v13 and Fetch v13 to v17."""
    topic_id = create(client, "by-id")
    message = ProduceRequest(
        None,
        -1,
        1_000,
        [
            ProduceRequestTopic(topic_id=topic_id, partition_data=[ProduceRequestPartition(0, batch(b"x"))]),
            ProduceRequestTopic(topic_id=b"\7" * 16, partition_data=[ProduceRequestPartition(0, batch(b"x"))]),
        ],
    )
    known, unknown = client.ask("Produce", 13, message).responses
    assert (known.topic_id, known.partition_responses[0].error_code) == (topic_id, 0)
    assert (unknown.topic_id, unknown.partition_responses[0].error_code) == (b"\7" * 16, 100)
    for version in range(13, 18):
        assert values(fetch(client, fetch_request("", topic_id=topic_id), version).records) == [b"x"]
        for wrong in (b"\7" * 16, bytes(16)):
            assert fetch(client, fetch_request("", topic_id=wrong), version).error_code == 100


def test_an_unknown_topic_or_partition_is_an_error_of_that_partition_alone(client: RawClient) -> None:
    create(client, "known")
    assert produce(client, "unknown", batch(b"x")).error_code == 3
    assert produce(client, "known", batch(b"x"), partition=1).error_code == 3
    answer = fetch(client, fetch_request("unknown"))
    assert (answer.error_code, answer.high_watermark, answer.records) == (3, -1, b"")
    assert fetch(client, fetch_request("known", partition=5)).error_code == 3


def test_a_batch_that_lies_about_its_checksum_is_refused_and_nothing_is_appended(client: RawClient) -> None:
    create(client, "corrupt")
    good = batch(b"x")
    assert produce(client, "corrupt", good[:-1] + b"!").error_code == 2
    assert produce(client, "corrupt", good).base_offset == 0


def test_acks_that_do_not_exist_are_refused_for_every_partition(client: RawClient) -> None:
    create(client, "acks")
    assert produce(client, "acks", batch(b"x"), acks=2).error_code == 21
    assert produce(client, "acks", batch(b"x"), acks=1).base_offset == 0


def acks_zero(topic: str) -> bytes:
    records = ProduceRequestTopic(topic, partition_data=[ProduceRequestPartition(0, batch(b"x"))])
    return request_frame("Produce", 9, ProduceRequest(None, 0, 1_000, [records]))


def test_with_acks_zero_there_is_no_reply_and_the_records_arrive(client: RawClient) -> None:
    create(client, "quiet")
    client.send(acks_zero("quiet"))
    answer = fetch(client, fetch_request("quiet", max_wait_ms=20_000))
    assert values(answer.records) == [b"x"]


def test_with_acks_zero_a_failure_closes_the_connection(client: RawClient) -> None:
    """As Kafka does it: the client has no other way to notice."""
    client.send(acks_zero("not-there"))
    assert client.is_closed_by_server()


def test_a_request_without_topics_is_answered(client: RawClient) -> None:
    assert list(client.ask("Produce", 9, ProduceRequest(None, -1, 1_000, [])).responses) == []
    assert list(client.ask("Fetch", 12, FetchRequest(max_wait_ms=10_000, min_bytes=1)).responses) == []


def test_zstd_is_refused_from_clients_that_cannot_know_it(client: RawClient) -> None:
    """KIP-110: Produce from v7 on, Fetch from v10 on."""
    create(client, "zstd", compression_type="zstd")
    produce(client, "zstd", batch(b"x"))
    assert fetch(client, fetch_request("zstd"), 9).error_code == 76
    assert values(fetch(client, fetch_request("zstd"), 10).records) == [b"x"]


# ---- fetch: waiting, limits, sessions


def test_a_fetch_at_the_end_waits_for_a_produce(server: RunningServer, client: RawClient) -> None:
    create(client, "awaited")
    with RawClient(server.port) as waiting:
        waiting.send(request_frame("Fetch", 12, fetch_request("awaited", max_wait_ms=60_000)))
        _until_parked(server)
        produce(client, "awaited", batch(b"at last"))
        (topic,) = waiting.read("Fetch", 12).responses
        assert values(topic.partitions[0].records) == [b"at last"]


def test_a_fetch_that_wants_many_bytes_is_not_woken_by_few(server: RunningServer, client: RawClient) -> None:
    create(client, "much")
    with RawClient(server.port) as waiting:
        waiting.send(request_frame("Fetch", 12, fetch_request("much", max_wait_ms=60_000, min_bytes=200)))
        _until_parked(server)
        produce(client, "much", batch(b"a"))
        assert server.run(len, server.node.long_polls) == 1
        produce(client, "much", batch(b"b" * 200))
        (topic,) = waiting.read("Fetch", 12).responses
        assert len(topic.partitions[0].records) > 200


def test_a_fetch_that_nothing_arrives_for_is_answered_empty_at_its_deadline(client: RawClient) -> None:
    create(client, "nothing")
    answer = fetch(client, fetch_request("nothing", max_wait_ms=1))
    assert (answer.error_code, answer.records) == (0, b"")


def test_an_error_is_answered_at_once(client: RawClient) -> None:
    create(client, "short")
    assert fetch(client, fetch_request("short", offset=5, max_wait_ms=600_000)).error_code == 1
    assert fetch(client, fetch_request("no-such", max_wait_ms=600_000)).error_code == 3


def test_a_client_that_goes_leaves_no_fetch_behind(server: RunningServer, client: RawClient) -> None:
    create(client, "left")
    with RawClient(server.port) as leaving:
        leaving.send(request_frame("Fetch", 12, fetch_request("left", max_wait_ms=600_000)))
        _until_parked(server)
    until(server, lambda: not len(server.node.long_polls))


def _until_parked(server: RunningServer) -> None:
    until(server, lambda: len(server.node.long_polls) > 0)


def test_the_first_partition_with_data_gives_a_batch_however_small_the_limit(client: RawClient) -> None:
    """KIP-74."""
    create(client, "large", 2)
    for partition in (0, 1):
        produce(client, "large", batch(b"x" * 500), partition=partition)
    message = FetchRequest(
        max_bytes=1,
        topics=[
            FetchRequestTopic(
                "large", partitions=[FetchRequestPartition(each, partition_max_bytes=1) for each in (0, 1)]
            )
        ],
    )
    (topic,) = client.ask("Fetch", 12, message).responses
    assert [len(each.records) > 500 for each in topic.partitions] == [True, False]


def test_a_client_that_wants_a_fetch_session_is_told_to_send_whole_requests(client: RawClient) -> None:
    """KIP-227: session id 0 in the answer means that there is none."""
    create(client, "session")
    reply = client.ask("Fetch", 12, fetch_request("session", session_id=0, session_epoch=0))
    assert (reply.error_code, reply.session_id, len(reply.responses)) == (0, 0, 1)
    reply = client.ask("Fetch", 12, fetch_request("session", session_id=77, session_epoch=3))
    assert (reply.error_code, list(reply.responses)) == (70, [])
    reply = client.ask("Fetch", 12, fetch_request("session", session_id=77, session_epoch=-1))
    assert (reply.error_code, reply.session_id, len(reply.responses)) == (0, 0, 1)


def test_who_reads_committed_data_is_told_that_nothing_was_aborted(client: RawClient) -> None:
    create(client, "committed")
    produce(client, "committed", batch(b"x"))
    answer = fetch(client, fetch_request("committed", isolation_level=1))
    assert list(answer.aborted_transactions or ()) == []
    assert answer.aborted_transactions is not None


def test_many_clients_produce_at_once_and_every_record_has_its_own_offset(
    server: RunningServer, client: RawClient
) -> None:
    create(client, "crowd")
    offsets: list[int] = []

    def work() -> None:
        with RawClient(server.port) as mine:
            for _ in range(20):
                offsets.append(produce(mine, "crowd", batch(b"x")).base_offset)

    threads = [threading.Thread(target=work) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(offsets) == list(range(100))


# ---- the others


def list_offset(
    client: RawClient, topic: str, timestamp: int, version: int = 10, times: int = 1
) -> tuple[int, int, int]:
    message = ListOffsetsRequest(
        -1, 0, [ListOffsetsRequestTopic(topic, [ListOffsetsRequestPartition(0, -1, timestamp)] * times)]
    )
    partition = client.ask("ListOffsets", version, message).topics[0].partitions[0]
    return partition.error_code, partition.offset, partition.timestamp


@pytest.mark.parametrize("version", range(1, 11))
def test_offsets_are_found_by_time(client: RawClient, version: int) -> None:
    name = f"times-{version}"
    create(client, name)
    for step in range(3):
        produce(client, name, batch(b"x", timestamp_ms=NOW_MS + step))
    assert list_offset(client, name, -2, version) == (0, 0, -1)
    assert list_offset(client, name, -1, version) == (0, 3, -1)
    assert list_offset(client, name, NOW_MS + 1, version) == (0, 1, NOW_MS + 1)
    assert list_offset(client, name, NOW_MS + 9, version) == (0, -1, -1)
    assert list_offset(client, name, -3, version) == ((0, 2, NOW_MS + 2) if version >= 7 else (35, -1, -1))
    assert list_offset(client, name, -4, version) == ((0, 0, -1) if version >= 8 else (35, -1, -1))
    assert list_offset(client, name, -5, version) == ((0, -1, -1) if version >= 9 else (35, -1, -1))


def test_a_partition_asked_for_twice_is_an_invalid_request(client: RawClient) -> None:
    create(client, "asked-twice")
    assert list_offset(client, "asked-twice", -1, times=2)[0] == 42


def test_offsets_of_an_unknown_topic(client: RawClient) -> None:
    assert list_offset(client, "nowhere", -1) == (3, -1, -1)


@pytest.mark.parametrize("version", range(3))
def test_records_before_an_offset_are_deleted(client: RawClient, version: int) -> None:
    name = f"deleted-{version}"
    create(client, name)
    produce(client, name, batch(b"a", b"b", b"c"))

    def delete(offset: int, topic: str = name) -> tuple[int, int]:
        partitions = [DeleteRecordsRequestPartition(0, offset)]
        message = DeleteRecordsRequest([DeleteRecordsRequestTopic(topic, partitions)], 1_000)
        answer = client.ask("DeleteRecords", version, message).topics[0].partitions[0]
        return answer.error_code, answer.low_watermark

    assert delete(2) == (0, 2)
    assert list_offset(client, name, -2) == (0, 2, -1)
    assert fetch(client, fetch_request(name)).error_code == 1
    assert delete(9) == (1, -1)
    assert delete(-1) == (0, 3)
    assert delete(0, "nowhere") == (3, -1)


@pytest.mark.parametrize("version", range(6))
def test_every_producer_gets_an_id_of_its_own(client: RawClient, version: int) -> None:
    ids = [client.ask("InitProducerId", version, InitProducerIdRequest(None, 1_000)) for _ in range(3)]
    assert len({each.producer_id for each in ids}) == 3
    assert [(each.error_code, each.producer_epoch) for each in ids] == [(0, 0)] * 3


@pytest.mark.parametrize("version", range(2, 5))
def test_the_epoch_of_the_only_leader_ends_at_the_end_of_the_log(client: RawClient, version: int) -> None:
    name = f"epochs-{version}"
    create(client, name)
    produce(client, name, batch(b"a", b"b"))

    def end(epoch: int, topic: str = name, current: int = -1) -> tuple[int, int, int]:
        partitions = [OffsetForLeaderEpochRequestPartition(0, current, epoch)]
        message = OffsetForLeaderEpochRequest(-1, [OffsetForLeaderEpochRequestTopic(topic, partitions)])
        answer = client.ask("OffsetForLeaderEpoch", version, message).topics[0].partitions[0]
        return answer.error_code, answer.leader_epoch, answer.end_offset

    assert end(0) == (0, 0, 2)
    assert end(5) == (0, -1, -1)
    assert end(0, current=3) == (75, -1, -1)
    assert end(0, "nowhere") == (3, -1, -1)
