"""A few bytes that unpack to very many records: what they cost is bounded, and nobody else waits for it."""

from __future__ import annotations

import gc
import struct
import threading
import time
from pathlib import Path
from typing import Any

import google_crc32c
import pytest

from muster.topics.batch_checks import BatchRefused, judge_batch
from muster.topics.configs import TopicDefaults
from muster.topics.effort import ThreadEffort
from muster.topics.produce import Judging
from muster.wire.batch import HEADER_SIZE, Record, decode_records, encode_batch, parse_header
from muster.wire.compression import compress
from muster.wire.errors import INVALID_RECORD, INVALID_TIMESTAMP, MESSAGE_TOO_LARGE
from muster.wire.generated.produce import ProduceRequest, ProduceRequestPartition, ProduceRequestTopic
from tests.forms import interpreted_only
from tests.security.attacks.victim import Neighbour, Victim
from tests.server.broker.whole_server import create, produce, whole_server
from tests.server.driving import connections, until
from tests.server.raw_client import PATIENCE_SECONDS, RawClient, request_frame

NONE, GZIP, SNAPPY, LZ4, ZSTD = range(5)
NOW_MS = 1_700_000_000_000


def varint(number: int) -> bytes:
    raw, out = (number << 1) ^ (number >> 63), bytearray()
    while raw > 0x7F:
        out.append((raw & 0x7F) | 0x80)
        raw >>= 7
    return bytes((*out, raw))


def tiny_records(count: int) -> bytes:
    """No key, no value, no headers."""
    parts: list[bytes] = []
    for index in range(count):
        body = b"\0\0" + varint(index) + b"\1\1\0"
        parts += (varint(len(body)), body)
    return b"".join(parts)


def a_batch(count: int, payload: bytes, codec: int = ZSTD, timestamp_ms: int = NOW_MS) -> bytes:
    checked = struct.pack(">hiqqqhii", codec, count - 1, timestamp_ms, timestamp_ms, -1, -1, -1, count)
    checked += compress(codec, payload)
    return struct.pack(">qiibI", 0, 9 + len(checked), -1, 2, google_crc32c.value(checked)) + checked


MANY = 1_300_000
AS_MANY_AS_ALLOWED = 149_000


def test_more_records_than_the_topic_has_room_for_are_refused_before_they_are_unpacked(tmp_path: Path) -> None:
    """1.3 million records with bad timestamps, 1 MB packed: 1 GB of memory and five seconds for everybody, once."""
    too_many = a_batch(MANY, tiny_records(MANY), timestamp_ms=1)
    assert len(too_many) < 1_048_588
    with Victim(tmp_path, "--set", "log.message.timestamp.before.max.ms=1000") as victim:
        with victim.client() as client, Neighbour(victim):
            create(client, "t", 3)
            before = victim.peak_megabytes()
            partitions = [ProduceRequestPartition(index, too_many) for index in range(3)]
            request = ProduceRequest(None, -1, 1_000, [ProduceRequestTopic("t", partition_data=partitions)])
            (topic,) = client.ask("Produce", 12, request).responses
            assert {each.error_code for each in topic.partition_responses} == {MESSAGE_TOO_LARGE}
        assert victim.peak_megabytes() - before < 50


@pytest.mark.parametrize("codec", [ZSTD, GZIP])
def test_as_many_bad_records_as_allowed_make_few_errors(tmp_path: Path, codec: int) -> None:
    bad = a_batch(AS_MANY_AS_ALLOWED, tiny_records(AS_MANY_AS_ALLOWED), codec, timestamp_ms=1)
    with Victim(tmp_path, "--set", "log.message.timestamp.before.max.ms=1000") as victim:
        with victim.client() as client, Neighbour(victim):
            create(client, "t")
            create(client, "compacted", cleanup_policy="compact")
            before = victim.peak_megabytes()
            result = produce(client, "t", bad)
            assert (result.error_code, len(result.record_errors)) == (INVALID_TIMESTAMP, 100)
            result = produce(client, "compacted", bad)
            assert (result.error_code, len(result.record_errors)) == (INVALID_RECORD, 100)
            assert f"{AS_MANY_AS_ALLOWED} record errors in total" in (result.error_message or "")
        assert victim.peak_megabytes() - before < 100


def test_large_valid_batches_do_not_keep_others_waiting(tmp_path: Path) -> None:
    """30 MB of tiny records in each of two partitions: 4.6 s for everybody, once."""
    count = 3_000_000
    valid = a_batch(count, tiny_records(count), NONE, timestamp_ms=int(time.time() * 1000))
    with (
        Victim(tmp_path, "--set", "message.max.bytes=60000000") as victim,
        victim.client() as client,
        Neighbour(victim),
    ):
        create(client, "t", 2)
        partitions = [ProduceRequestPartition(index, valid) for index in range(2)]
        request = ProduceRequest(None, -1, 60_000, [ProduceRequestTopic("t", partition_data=partitions)])
        client.socket.settimeout(4 * PATIENCE_SECONDS)
        (topic,) = client.ask("Produce", 12, request).responses
        assert [each.error_code for each in topic.partition_responses] == [0, 0]


def test_one_record_with_a_million_headers_does_not_keep_others_waiting(tmp_path: Path) -> None:
    count = 4_000_000
    body = b"\0\0\0\1\1" + varint(count) + b"\0\0" * count
    heads = a_batch(1, varint(len(body)) + body, ZSTD)
    with Victim(tmp_path) as victim, victim.client() as client, Neighbour(victim):
        create(client, "t")
        assert produce(client, "t", heads).error_code == 0


def test_very_many_partitions_in_one_request_do_not_keep_others_waiting(tmp_path: Path) -> None:
    small = encode_batch([Record(0, NOW_MS, None, b"x")])
    partitions = [ProduceRequestPartition(index % 50, small) for index in range(9_900)]
    request = ProduceRequest(None, -1, 60_000, [ProduceRequestTopic("t", partition_data=partitions)])
    with Victim(tmp_path) as victim, victim.client() as client, Neighbour(victim):
        create(client, "t", 50)
        (topic,) = client.ask("Produce", 12, request).responses
        assert len(topic.partition_responses) == len(partitions)


SETTINGS = TopicDefaults().settings({})


def test_a_count_that_cannot_be_is_refused_before_anything_is_unpacked() -> None:
    for codec in (NONE, ZSTD):
        lie = a_batch(100_000, tiny_records(10), codec)
        with pytest.raises(BatchRefused, match="do not fit") as refused:
            judge_batch(lie, "t-0", SETTINGS, NOW_MS)
        assert refused.value.code == INVALID_RECORD


def test_what_a_batch_unpacks_to_has_a_limit_that_goes_with_the_topics() -> None:
    body = b"\0\0\0\1" + varint(40_000_000) + bytes(40_000_000) + b"\0"
    bomb = a_batch(1, varint(len(body)) + body)
    assert len(bomb) < 10_000
    with pytest.raises(BatchRefused, match="unpacks to more than the 33554816 bytes") as refused:
        judge_batch(bomb, "t-0", SETTINGS, NOW_MS)
    assert refused.value.code == INVALID_RECORD
    judge_batch(bomb, "t-0", TopicDefaults().settings({"max.message.bytes": "10000000"}), NOW_MS)


@pytest.mark.parametrize("codec", [NONE, GZIP, SNAPPY, LZ4])
def test_a_topic_with_a_codec_of_its_own_repacks_without_looking_at_single_records(codec: int) -> None:
    """Records became objects for it, some hundred bytes each."""
    name = ("uncompressed", "gzip", "snappy", "lz4")[codec]
    settings = TopicDefaults().settings({"compression.type": name})
    records = [Record(index, NOW_MS + index % 7, b"k", b"v" * index, (("h", None),)) for index in range(300)]
    packed = encode_batch(records, compression=ZSTD, producer_id=5, producer_epoch=1, base_sequence=9)
    batch, header = judge_batch(packed, "t-0", settings, NOW_MS)
    assert decode_records(batch) == records
    assert (header.compression, header.record_count, header.max_timestamp) == (codec, 300, NOW_MS + 6)
    assert (header.producer_id, header.producer_epoch, header.base_sequence) == (5, 1, 9)
    assert parse_header(batch).size == len(batch) > HEADER_SIZE


def test_what_is_sent_with_acks_0_counts_as_held_until_it_is_done() -> None:
    """The client had gone, so nothing was counted: 14 requests of 80 MB came to 1.1 GB."""
    release, begun = threading.Event(), threading.Event()

    def block() -> None:
        begun.set()
        assert release.wait(PATIENCE_SECONDS)

    count = 100_000
    large = a_batch(count, tiny_records(count), NONE)
    request = ProduceRequest(
        None, 0, 1_000, [ProduceRequestTopic("t", partition_data=[ProduceRequestPartition(0, large)])]
    )
    with whole_server() as server, RawClient(server.port) as client:
        create(client, "t")
        assert server.server is not None
        budget = server.server.listener.request_budget
        server.run(server.node.validate_apart, block, lambda: None)
        assert begun.wait(PATIENCE_SECONDS)
        for _ in range(3):
            with RawClient(server.port) as attacker:
                attacker.send(request_frame("Produce", 12, request))
                until(server, lambda: any(each.call is not None for each in connections(server)))
            until(server, lambda: len(connections(server)) == 1)
        assert 3 * len(large) <= server.run(lambda: budget.used) < 4 * len(large)
        release.set()
        until(server, lambda: budget.used == 0)
        assert not budget._waiting
        assert produce(client, "t", large).base_offset == 3 * count


@interpreted_only
def test_without_memory_for_one_batch_the_next_is_judged_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """The thread died of it, and nobody's large request was answered any more."""
    count = 100_000
    large = a_batch(count, tiny_records(count), NONE)
    is_first = True

    def judge(*arguments: Any, **named: Any) -> Any:
        nonlocal is_first
        if is_first and isinstance(named["effort"], ThreadEffort):
            is_first = False
            raise MemoryError("no room")
        return judge_batch(*arguments, **named)

    monkeypatch.setattr("muster.topics.produce.judge_batch", judge)
    with whole_server() as server, RawClient(server.port) as first, RawClient(server.port) as second:
        create(second, "t")
        request = ProduceRequest(
            None, -1, 1_000, [ProduceRequestTopic("t", partition_data=[ProduceRequestPartition(0, large)])]
        )
        first.send(request_frame("Produce", 12, request))
        assert first.is_closed_by_server()
        assert not is_first
        assert produce(second, "t", large).base_offset == 0
        assert server.server is not None
        budget = server.server.listener.request_budget
        until(server, lambda: budget.used == 0)


def test_records_of_a_client_that_has_gone_do_not_wait_for_their_turn() -> None:
    """Large requests are judged one after the other: who sends them and goes must not fill the queue with them."""
    release, begun = threading.Event(), threading.Event()
    earlier = [step for step in gc.get_objects() if isinstance(step, Judging)]  # of tests before, not collected yet

    def block() -> None:
        begun.set()
        assert release.wait(PATIENCE_SECONDS)

    with whole_server() as server, RawClient(server.port) as client:
        create(client, "t")
        node = server.node
        server.run(node.validate_apart, block, lambda: None)
        assert begun.wait(PATIENCE_SECONDS)
        large = a_batch(AS_MANY_AS_ALLOWED, tiny_records(AS_MANY_AS_ALLOWED))
        request = ProduceRequest(
            None, -1, 1_000, [ProduceRequestTopic("t", partition_data=[ProduceRequestPartition(0, large)])]
        )
        for _ in range(3):
            with RawClient(server.port) as attacker:
                attacker.send(request_frame("Produce", 12, request))
                until(server, lambda: any(each.call is not None for each in connections(server)))
            until(server, lambda: len(connections(server)) == 1)
        waiting = [step for step in gc.get_objects() if isinstance(step, Judging) and step not in earlier]
        assert len(waiting) == 3
        assert [judging._records for judging in waiting] == [None] * 3
        release.set()
        assert produce(client, "t", large).base_offset == 0
