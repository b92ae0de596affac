"""A batch sent again is not written again; one that does not follow is refused (KIP-98, as Kafka 4.x answers)."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from muster.log.contract import StorageError
from muster.log.memory import MemoryStore
from muster.topics import producers
from muster.topics.broker import Broker
from muster.topics.broker_config import BrokerConfig
from muster.topics.producer_snapshots import DOCUMENT
from muster.wire import errors
from muster.wire.batch import BatchHeader
from tests.forms import interpreted_only
from tests.topics.bench_broker import (
    NODE_ID,
    NOW_MS,
    batch,
    commit,
    numbered,
    send,
    send_durably,
    started,
    with_topic,
)

LAST_SEQUENCE = 2**31 - 1
DAY_MS = 86_400_000


@pytest.fixture
def broker() -> Broker:
    made = started()
    with_topic(made)
    return made


def test_sequences_that_follow_each_other_are_appended(broker: Broker) -> None:
    assert send(broker, numbered(1, 0, size=2)).base_offset == 0
    assert send(broker, numbered(1, 2)).base_offset == 2
    assert send(broker, numbered(2, 0)).base_offset == 3


def test_a_batch_sent_again_gets_its_first_offset_and_is_not_appended(broker: Broker) -> None:
    send(broker, numbered(1, 0, size=3))
    send(broker, numbered(1, 3))
    again = send(broker, numbered(1, 0, size=3))
    assert (again.error_code, again.base_offset, again.end_offset) == (0, 0, 3)
    assert broker.partition("t", 0).log.end_offset == 4


def test_a_repeat_must_wait_for_the_durability_of_the_first(broker: Broker) -> None:
    """The first one may still be staged: the answer names what must be durable before it is sent."""
    first = send(broker, numbered(1, 0))
    again = send(broker, numbered(1, 0))
    assert (again.log, again.end_offset) == (first.log, first.end_offset)
    assert again.log is not None
    assert again.log.durable_offset < again.end_offset


def test_the_last_five_batches_are_known_and_an_older_one_is_out_of_order(broker: Broker) -> None:
    """Kafka no longer answers DUPLICATE_SEQUENCE_NUMBER: what it does not remember does not follow."""
    for sequence in range(6):
        send(broker, numbered(1, sequence))
    assert send(broker, numbered(1, 1)).base_offset == 1
    assert send(broker, numbered(1, 0)).error_code == errors.OUT_OF_ORDER_SEQUENCE_NUMBER


@pytest.mark.parametrize("sequence", [1, 3, 100])
def test_a_sequence_that_does_not_follow_is_refused(broker: Broker, sequence: int) -> None:
    send(broker, numbered(1, 0, size=2))
    answer = send(broker, numbered(1, sequence))
    assert answer.error_code == errors.OUT_OF_ORDER_SEQUENCE_NUMBER
    assert f"{sequence} (incoming seq. number), 1 (current end sequence number)" in (answer.message or "")
    assert broker.partition("t", 0).log.end_offset == 2


def test_a_producer_of_which_nothing_is_known_may_begin_anywhere(broker: Broker) -> None:
    """Its earlier records may have been deleted; Kafka 4.x then takes any sequence."""
    assert send(broker, numbered(1, 17)).error_code == 0
    assert send(broker, numbered(1, 18)).error_code == 0


def test_a_stale_epoch_is_refused(broker: Broker) -> None:
    send(broker, numbered(1, 0, epoch=3))
    answer = send(broker, numbered(1, 1, epoch=2))
    assert answer.error_code == errors.INVALID_PRODUCER_EPOCH
    assert "is 2, which is smaller than the last seen epoch 3" in (answer.message or "")


def test_a_new_epoch_begins_at_sequence_zero(broker: Broker) -> None:
    send(broker, numbered(1, 0, epoch=0))
    assert send(broker, numbered(1, 1, epoch=1)).error_code == errors.OUT_OF_ORDER_SEQUENCE_NUMBER
    assert send(broker, numbered(1, 0, epoch=1)).base_offset == 1
    assert send(broker, numbered(1, 0, epoch=0)).error_code == errors.INVALID_PRODUCER_EPOCH


def test_sequences_wrap_after_the_largest_one(broker: Broker) -> None:
    send(broker, numbered(1, LAST_SEQUENCE - 1, size=2))
    assert send(broker, numbered(1, 0)).base_offset == 2
    assert send(broker, numbered(1, LAST_SEQUENCE - 1, size=2)).base_offset == 0


def test_a_batch_may_wrap_in_its_middle(broker: Broker) -> None:
    send(broker, numbered(1, LAST_SEQUENCE, size=3))
    assert send(broker, numbered(1, 2)).base_offset == 3
    assert send(broker, numbered(1, LAST_SEQUENCE, size=3)).base_offset == 0


def test_a_restart_remembers_producers_from_the_log() -> None:
    store = MemoryStore()
    broker = started(store)
    with_topic(broker)
    for sequence in range(3):
        send_durably(broker, numbered(1, sequence))
    again = started(store)
    assert send(again, numbered(1, 1)).base_offset == 1
    assert send(again, numbered(1, 7)).error_code == errors.OUT_OF_ORDER_SEQUENCE_NUMBER
    assert send(again, numbered(1, 3)).base_offset == 3


def test_a_snapshot_spares_a_restart_the_headers_that_it_knows(monkeypatch: pytest.MonkeyPatch) -> None:
    store = MemoryStore()
    broker = started(store)
    with_topic(broker)
    for sequence in range(3):
        send_durably(broker, numbered(1, sequence))
    broker.keep_producers()
    send_durably(broker, numbered(1, 3))
    again = started(store)
    read_from: list[int] = []
    log = again.partition("t", 0).log
    read_headers = log.read_headers

    def noticed(offset: int) -> Iterable[tuple[int, BatchHeader]]:
        read_from.append(offset)
        return read_headers(offset)

    monkeypatch.setattr(log, "read_headers", noticed)
    assert send(again, numbered(1, 1)).base_offset == 1
    assert send(again, numbered(1, 3)).base_offset == 3, "written after the snapshot"
    assert send(again, numbered(1, 7)).error_code == errors.OUT_OF_ORDER_SEQUENCE_NUMBER
    assert read_from == [3]


def test_a_snapshot_does_not_keep_what_is_not_durable_yet() -> None:
    store = MemoryStore()
    broker = started(store)
    with_topic(broker)
    send(broker, numbered(1, 0))
    broker.keep_producers()
    assert store.read_document(DOCUMENT) is None


@pytest.mark.parametrize("content", [b"{", b"[]", b'{"format":9}', b'{"format":1,"partitions":[{"topic_id":"zz"}]}'])
def test_a_damaged_snapshot_is_left_alone_and_said(content: bytes, caplog: pytest.LogCaptureFixture) -> None:
    store = MemoryStore()
    broker = started(store)
    with_topic(broker)
    send_durably(broker, numbered(1, 0))
    store.write_document(DOCUMENT, content)
    again = started(store)
    assert send(again, numbered(1, 0)).base_offset == 0
    assert "producers.json cannot be used" in caplog.text


def test_a_snapshot_of_a_topic_that_was_made_anew_counts_for_nothing() -> None:
    store = MemoryStore()
    broker = started(store)
    with_topic(broker)
    send_durably(broker, numbered(1, 0))
    broker.keep_producers()
    broker.delete_topics([("t", bytes(16))])
    with_topic(broker)
    again = started(store)
    assert send(again, numbered(1, 5)).error_code == 0, "nothing is known of this producer here"


def test_a_restart_forgets_producers_that_have_expired() -> None:
    store = MemoryStore()
    broker = started(store)
    with_topic(broker)
    send_durably(broker, numbered(1, 0))
    again = started(store)
    assert send(again, numbered(1, 9), now_ms=NOW_MS + DAY_MS).error_code == 0


def test_a_silent_producer_is_forgotten_by_the_retention_pass() -> None:
    broker = started(config=BrokerConfig(NODE_ID, producer_id_expiration_ms=1_000))
    with_topic(broker)
    send_durably(broker, numbered(1, 0), now_ms=NOW_MS)
    send_durably(broker, numbered(2, 0), now_ms=NOW_MS + 500)
    assert broker.apply_retention(NOW_MS + 999).producers_forgotten == 0
    assert broker.apply_retention(NOW_MS + 1_000).producers_forgotten == 1
    assert send(broker, numbered(1, 9)).error_code == 0
    assert send(broker, numbered(2, 9)).error_code == errors.OUT_OF_ORDER_SEQUENCE_NUMBER


def failing(broker: Broker) -> None:
    """Commit what is staged on a disk that fails once."""
    store = broker.store
    assert isinstance(store, MemoryStore)
    store.failure = lambda topic, partition: StorageError("no space left")
    commit(broker)
    store.failure = None


def test_a_batch_that_was_lost_is_appended_when_it_is_sent_again(broker: Broker) -> None:
    send_durably(broker, numbered(1, 0))
    send(broker, numbered(1, 1))
    failing(broker)
    again = send(broker, numbered(1, 1))
    assert (again.error_code, again.base_offset) == (0, 1)
    assert broker.partition("t", 0).log.end_offset == 2


def test_a_batch_that_only_followed_a_lost_one_is_out_of_order(broker: Broker) -> None:
    send_durably(broker, numbered(1, 0))
    send(broker, numbered(1, 1))
    failing(broker)
    assert send(broker, numbered(1, 2)).error_code == errors.OUT_OF_ORDER_SEQUENCE_NUMBER


def test_a_loss_is_noticed_although_others_have_written_since(broker: Broker) -> None:
    """A plain append after the loss may bring the log to the very end that it had before."""
    send_durably(broker, numbered(1, 0))
    send(broker, numbered(1, 1))
    failing(broker)
    send_durably(broker, batch(b"plain"))
    assert send(broker, numbered(1, 2)).error_code == errors.OUT_OF_ORDER_SEQUENCE_NUMBER
    assert send(broker, numbered(1, 1)).base_offset == 2


def test_a_loss_forgets_no_producer_however_old_its_records_say_they_are(broker: Broker) -> None:
    send_durably(broker, numbered(1, 0), now_ms=NOW_MS + 30 * DAY_MS)
    send(broker, numbered(2, 0), now_ms=NOW_MS + 30 * DAY_MS)
    failing(broker)
    answer = send(broker, numbered(1, 9), now_ms=NOW_MS + 30 * DAY_MS)
    assert answer.error_code == errors.OUT_OF_ORDER_SEQUENCE_NUMBER


def test_the_hook_of_the_runtime_does_the_same_at_once(broker: Broker) -> None:
    send_durably(broker, numbered(1, 0))
    send(broker, numbered(1, 1))
    failing(broker)
    partition = broker.partition("t", 0)
    broker.forget_unconfirmed(partition.log)
    assert partition.producers is not None
    assert partition.producers.next_offset == 1


def test_a_log_that_can_be_neither_written_nor_read_is_the_error_of_the_next_produce(
    broker: Broker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The hook is called while the lost appends of others are being told: it must not end that."""
    send_durably(broker, numbered(1, 0))
    send(broker, numbered(1, 1))
    failing(broker)
    log = broker.partition("t", 0).log

    def fail(offset: int) -> Iterable[tuple[int, BatchHeader]]:
        raise StorageError("unreadable")

    with monkeypatch.context() as patch:
        patch.setattr(log, "read_headers", fail)
        broker.forget_unconfirmed(log)
        assert send(broker, numbered(1, 1)).error_code == errors.KAFKA_STORAGE_ERROR
    assert send(broker, numbered(1, 1)).base_offset == 1


@interpreted_only
def test_the_number_of_remembered_producers_is_bounded(monkeypatch: pytest.MonkeyPatch, broker: Broker) -> None:
    monkeypatch.setattr(producers, "MAX_PRODUCERS_PER_PARTITION", 2)
    for producer_id in (1, 2):
        send(broker, numbered(producer_id, 0))
    send(broker, numbered(1, 1))
    send(broker, numbered(3, 0))
    ledger = broker.partition("t", 0).producers
    assert ledger is not None
    assert ledger.producer_ids() == [1, 3]


def test_each_new_producer_gets_its_own_id(broker: Broker) -> None:
    assert [broker.new_producer_id() for _ in range(3)] == [0, 1, 2]
