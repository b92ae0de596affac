"""Fetch: how much comes from where, which errors are told, and when a waiting fetch is ready."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from muster.log.contract import StorageError
from muster.topics.broker import Broker
from muster.topics.broker_config import BrokerConfig
from muster.topics.fetch import FetchAsk
from muster.topics.produce import ProduceTerms
from muster.wire import errors
from muster.wire.batch import BatchHeader, iterate_batches
from muster.wire.special_values import NO_TOPIC_ID
from tests.topics.bench_broker import (
    NODE_ID,
    NOW_MS,
    ask,
    batch,
    commit,
    fetch,
    send,
    send_durably,
    started,
    unread,
    with_topic,
)

SIZE = len(batch(b"0123456789"))


@pytest.fixture
def broker() -> Broker:
    """Topic t: two partitions with three batches of one record each."""
    made = started()
    with_topic(made, "t", 2)
    for partition in (0, 1):
        for _ in range(3):
            made.produce("t", partition, batch(b"0123456789"), ProduceTerms(), NOW_MS)
    commit(made)
    return made


def offsets(records: bytes) -> list[int]:
    return [header.base_offset for _, header in iterate_batches(records)]


def test_everything_from_the_offset_on_is_read(broker: Broker) -> None:
    read = fetch(broker, ask(1))
    (part,) = read.partitions
    assert (part.error_code, part.high_watermark, part.last_stable_offset, part.log_start_offset) == (0, 3, 3, 0)
    assert offsets(part.records) == [1, 2]
    assert (read.total_bytes, read.failed) == (2 * SIZE, False)


def test_what_is_not_durable_is_not_seen(broker: Broker) -> None:
    send(broker, batch(b"staged"))
    (part,) = fetch(broker, ask(3)).partitions
    assert (part.error_code, part.high_watermark, part.records) == (0, 3, b"")


def test_an_offset_between_high_watermark_and_end_is_not_an_error_yet(broker: Broker) -> None:
    send(broker, batch(b"staged"))
    assert fetch(broker, ask(4)).partitions[0].error_code == 0
    assert fetch(broker, ask(5)).partitions[0].error_code == errors.OFFSET_OUT_OF_RANGE


def test_a_partitions_own_limit_holds(broker: Broker) -> None:
    read = fetch(broker, ask(0, SIZE * 2), ask(0, SIZE, partition=1))
    assert [len(part.records) for part in read.partitions] == [SIZE * 2, SIZE]


def test_the_limit_of_the_whole_fetch_holds(broker: Broker) -> None:
    read = fetch(broker, ask(0), ask(0, partition=1), max_bytes=SIZE * 4)
    assert [len(part.records) for part in read.partitions] == [SIZE * 3, SIZE]
    assert read.total_bytes == SIZE * 4


def test_the_servers_own_limit_holds_too() -> None:
    broker = started(config=BrokerConfig(NODE_ID, fetch_max_bytes=SIZE))
    with_topic(broker)
    send_durably(broker, batch(b"0123456789"))
    send_durably(broker, batch(b"0123456789"))
    assert fetch(broker, ask(0)).total_bytes == SIZE


def test_the_first_partition_that_has_anything_gives_a_batch_whatever_the_limits_say(broker: Broker) -> None:
    """KIP-74: a consumer must get past a batch that is larger than its limits."""
    read = fetch(broker, ask(3), ask(0, 1, partition=1), ask(0, 1), max_bytes=1)
    assert [len(part.records) for part in read.partitions] == [0, SIZE, 0]


def test_nothing_more_is_read_when_the_limit_is_used_up(broker: Broker) -> None:
    read = fetch(broker, ask(0), ask(0, partition=1), max_bytes=SIZE * 3)
    assert [len(part.records) for part in read.partitions] == [SIZE * 3, 0]
    assert read.partitions[1].high_watermark == 3


@pytest.mark.parametrize(
    ("wanted", "code"),
    [
        (FetchAsk("no", 0, 0, 100), errors.UNKNOWN_TOPIC_OR_PARTITION),
        (FetchAsk("t", 2, 0, 100), errors.UNKNOWN_TOPIC_OR_PARTITION),
        (FetchAsk("t", -1, 0, 100), errors.UNKNOWN_TOPIC_OR_PARTITION),
        (FetchAsk("", 0, 0, 100, topic_id=b"x" * 16), errors.UNKNOWN_TOPIC_ID),
        (FetchAsk("t", 0, 4, 100), errors.OFFSET_OUT_OF_RANGE),
        (FetchAsk("t", 0, -1, 100), errors.OFFSET_OUT_OF_RANGE),
        (FetchAsk("t", 0, 0, 100, leader_epoch=1), errors.UNKNOWN_LEADER_EPOCH),
    ],
)
def test_a_partition_that_cannot_be_read_is_an_error_of_its_own(broker: Broker, wanted: FetchAsk, code: int) -> None:
    read = fetch(broker, wanted, ask(0))
    bad, good = read.partitions
    assert (bad.error_code, bad.high_watermark, bad.log_start_offset, bad.records) == (code, -1, -1, b"")
    assert good.error_code == 0
    assert len(good.records) == SIZE * 3
    assert read.failed


def test_a_client_that_believes_in_an_old_epoch_is_fenced(broker: Broker) -> None:
    broker.partition("t", 0).leader_epoch = 2
    stale = FetchAsk("t", 0, 0, 100, leader_epoch=1)
    assert fetch(broker, stale).partitions[0].error_code == errors.FENCED_LEADER_EPOCH


def test_a_topic_can_be_asked_for_by_its_id(broker: Broker) -> None:
    topic = broker.topic("t")
    assert topic is not None
    by_id = FetchAsk("", 0, 0, 1_000, topic_id=topic.topic_id)
    assert offsets(fetch(broker, by_id).partitions[0].records) == [0, 1, 2]
    no_partition = FetchAsk("", 9, 0, 1_000, topic_id=topic.topic_id)
    assert fetch(broker, no_partition).partitions[0].error_code == errors.UNKNOWN_TOPIC_OR_PARTITION


def test_what_was_deleted_is_out_of_range(broker: Broker) -> None:
    broker.delete_records("t", 0, 2)
    assert fetch(broker, ask(1)).partitions[0].error_code == errors.OFFSET_OUT_OF_RANGE
    assert fetch(broker, ask(2)).partitions[0].log_start_offset == 2


def test_a_disk_that_cannot_be_read_is_an_error_code(broker: Broker, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*arguments: object, **named: object) -> bytes:
        raise StorageError("unreadable")

    monkeypatch.setattr(broker.partition("t", 0).log, "read", fail)
    assert fetch(broker, ask(0)).partitions[0].error_code == errors.KAFKA_STORAGE_ERROR


def test_a_waiting_fetch_is_ready_when_anything_arrives(broker: Broker) -> None:
    wait = broker.fetch_wait(unread(ask(3), ask(3, partition=1)), 1)
    assert wait.logs() == [broker.partition("t", 0).log, broker.partition("t", 1).log]
    assert not wait.ready()
    send(broker, batch(b"new"))
    assert not wait.ready()
    commit(broker)
    assert wait.ready()


def test_a_waiting_fetch_adds_up_what_arrives_in_all_its_partitions(broker: Broker) -> None:
    wait = broker.fetch_wait(unread(ask(3), ask(3, partition=1)), SIZE * 3)
    for partition in (0, 1, 0):
        assert not wait.ready()
        broker.produce("t", partition, batch(b"0123456789"), ProduceTerms(), NOW_MS)
        commit(broker)
    assert wait.ready()
    assert wait.ready()


def test_bytes_beyond_a_partitions_limit_do_not_count(broker: Broker) -> None:
    """They could not be sent: Kafka counts each partition up to its own limit."""
    wait = broker.fetch_wait(unread(ask(0, SIZE)), SIZE * 2)
    assert not wait.ready()
    assert broker.fetch_wait(unread(ask(0, SIZE)), SIZE).ready()
    assert not broker.fetch_wait(unread(ask(0, SIZE - 1)), SIZE).ready()


def test_a_waiting_fetch_does_not_count_the_same_batches_again(broker: Broker, monkeypatch: pytest.MonkeyPatch) -> None:
    """A fetch that waits for a megabyte of small batches is asked after every one of them."""
    log = broker.partition("t", 0).log
    began_at: list[int] = []
    read_headers = log.read_headers

    def watched(offset: int) -> Iterable[tuple[int, BatchHeader]]:
        began_at.append(offset)
        return read_headers(offset)

    monkeypatch.setattr(log, "read_headers", watched)
    wait = broker.fetch_wait(unread(ask(0)), 10_000)
    assert not wait.ready()
    assert not wait.ready()
    send_durably(broker, batch(b"more"))
    assert not wait.ready()
    assert began_at == [0, 3]


def test_a_waiting_fetch_counts_on_from_what_was_read_for_it(broker: Broker, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was read before may lie in a database by now; what comes is in memory."""
    log = broker.partition("t", 0).log
    read_headers, began_at = log.read_headers, []

    def watched(offset: int) -> Iterable[tuple[int, BatchHeader]]:
        began_at.append(offset)
        return read_headers(offset)

    monkeypatch.setattr(log, "read_headers", watched)
    wait = broker.fetch_wait(broker.fetch([ask(0)], 1 << 20), SIZE * 4)
    assert not wait.ready()
    send_durably(broker, batch(b"0123456789"))
    assert wait.ready()
    assert began_at == [3]


def test_a_waiting_fetch_whose_log_cannot_be_read_is_ready(broker: Broker, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is asked by the commit of whoever wrote: the fault must end this fetch, with its error code, and nothing else."""

    def fail(offset: int) -> Iterable[tuple[int, BatchHeader]]:
        raise StorageError("unreadable")

    monkeypatch.setattr(broker.partition("t", 0).log, "read_headers", fail)
    assert broker.fetch_wait(unread(ask(0)), 10_000).ready()


def test_a_waiting_fetch_is_ready_when_its_topic_goes(broker: Broker) -> None:
    wait = broker.fetch_wait(unread(ask(3)), 1)
    broker.delete_topics([("t", NO_TOPIC_ID)])
    assert wait.ready()
    assert wait.logs() == []


def test_a_waiting_fetch_is_ready_when_its_offset_is_gone(broker: Broker) -> None:
    wait = broker.fetch_wait(unread(ask(0)), 10_000)
    assert not wait.ready()
    broker.delete_records("t", 0, 1)
    assert wait.ready()


def test_a_fetch_that_wants_nothing_is_ready(broker: Broker) -> None:
    assert broker.fetch_wait(unread(ask(3)), 0).ready()
