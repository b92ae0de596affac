"""Transactions as a partition sees them: what may be appended, and how far everything is decided (spec 14.1)."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

from muster.log.contract import StorageError
from muster.log.files import FileStore
from muster.log.memory import MemoryStore
from muster.topics import producers
from muster.topics.broker import Broker
from muster.topics.broker_config import BrokerConfig
from muster.topics.describe_producers import ActiveProducer
from muster.topics.markers import append_marker
from muster.topics.produce import begin_verification, needs_verification
from muster.topics.producer_snapshots import DOCUMENT
from muster.topics.refusal import TopicError
from muster.wire import errors
from muster.wire.batch import BatchHeader, decode_records, encode_batch, parse_header
from tests.forms import interpreted_only
from tests.topics.bench_broker import (
    NODE_ID,
    NOW_MS,
    ask,
    batch,
    commit,
    numbered,
    records,
    send,
    send_durably,
    started,
    with_topic,
)
from tests.topics.transactional import (
    VERIFIED,
    committed_offsets,
    mark,
    of,
    refused_marker,
    stable,
    transactional,
    write,
)

DAY_MS = 86_400_000


@pytest.fixture
def broker() -> Broker:
    made = started()
    with_topic(made)
    return made


# What may be appended


def test_a_transactional_batch_needs_to_be_verified_until_its_transaction_is_open_here(broker: Broker) -> None:
    header = parse_header(transactional(1))
    assert needs_verification(of(broker), header)
    assert send(broker, transactional(1)).error_code == errors.INVALID_TXN_STATE
    write(broker, 1)
    assert not needs_verification(of(broker), header)
    assert send(broker, transactional(1, 1)).error_code == 0
    mark(broker, 1, committed=True)
    assert needs_verification(of(broker), header)
    assert send(broker, transactional(1, 2)).error_code == errors.INVALID_TXN_STATE


@pytest.mark.parametrize("content", [batch(b"v"), numbered(1, 0), encode_batch(records(b"v"), transactional=True)])
def test_no_other_batch_needs_to_be_verified(broker: Broker, content: bytes) -> None:
    assert not needs_verification(of(broker), parse_header(content))


def test_another_epoch_of_the_producer_needs_to_be_verified_again(broker: Broker) -> None:
    write(broker, 1, epoch=3)
    assert needs_verification(of(broker), parse_header(transactional(1, epoch=4)))


def test_a_repeated_batch_is_answered_without_verification_also_after_the_end(broker: Broker) -> None:
    write(broker, 1, size=2)
    mark(broker, 1, committed=True)
    again = send(broker, transactional(1, size=2))
    assert (again.error_code, again.base_offset) == (0, 0)


def test_a_transactional_batch_without_a_producer_id_is_accepted_and_holds_nothing_back(broker: Broker) -> None:
    """Observed on 4.3.1."""
    result = send_durably(broker, encode_batch(records(b"v"), transactional=True))
    assert result.error_code == 0
    assert stable(broker) == 1


def test_a_plain_batch_inside_of_the_producers_open_transaction_is_refused(broker: Broker) -> None:
    write(broker, 1)
    assert send(broker, numbered(1, 1)).error_code == errors.INVALID_TXN_STATE
    assert send(broker, numbered(2, 0)).error_code == 0
    mark(broker, 1, committed=True)
    assert send(broker, numbered(1, 1)).error_code == 0


def test_sequences_go_on_after_a_marker_of_the_same_epoch(broker: Broker) -> None:
    write(broker, 1, 0)
    mark(broker, 1, committed=True)
    assert send(broker, transactional(1, 0, epoch=0), VERIFIED).base_offset == 0, "sent again"
    assert send(broker, transactional(1, 5), VERIFIED).error_code == errors.OUT_OF_ORDER_SEQUENCE_NUMBER
    assert send(broker, transactional(1, 1), VERIFIED).error_code == 0


def test_a_marker_with_a_raised_epoch_begins_sequences_anew(broker: Broker) -> None:
    write(broker, 1, 0)
    mark(broker, 1, committed=True, epoch=1, version=2)
    assert send(broker, transactional(1, 1, epoch=0), VERIFIED).error_code == errors.INVALID_PRODUCER_EPOCH
    assert send(broker, transactional(1, 1, epoch=1), VERIFIED).error_code == errors.OUT_OF_ORDER_SEQUENCE_NUMBER
    assert send(broker, transactional(1, 0, epoch=1), VERIFIED).base_offset == 2


def test_an_unknown_producer_may_begin_anywhere_unless_the_version_says_zero(broker: Broker) -> None:
    """Spec 14.1: v11 accepted, v12 OUT_OF_ORDER_SEQUENCE_NUMBER."""
    begin_verification(of(broker), parse_header(transactional(1, 7)), must_begin_at_zero=True)
    assert send(broker, transactional(1, 7), VERIFIED).error_code == errors.OUT_OF_ORDER_SEQUENCE_NUMBER
    begin_verification(of(broker), parse_header(transactional(2, 7)), must_begin_at_zero=False)
    assert send(broker, transactional(2, 7), VERIFIED).error_code == 0
    begin_verification(of(broker), parse_header(transactional(2, 8)), must_begin_at_zero=True)
    assert send(broker, transactional(2, 8), VERIFIED).error_code == 0


def test_no_first_batch_is_taken_before_one_with_a_lower_sequence_that_is_asked_for(broker: Broker) -> None:
    """Spec 14.1: until the lowest is appended; plain batches of the producer wait, too."""
    for sequence in (5, 3, 4):
        begin_verification(of(broker), parse_header(transactional(1, sequence)), must_begin_at_zero=False)
    assert send(broker, transactional(1, 4), VERIFIED).error_code == errors.OUT_OF_ORDER_SEQUENCE_NUMBER
    assert send(broker, numbered(1, 4)).error_code == errors.OUT_OF_ORDER_SEQUENCE_NUMBER
    assert send(broker, transactional(1, 3), VERIFIED).error_code == 0
    assert send(broker, transactional(1, 4), VERIFIED).error_code == 0


def test_what_was_asked_for_at_an_older_epoch_or_before_a_marker_counts_no_longer(broker: Broker) -> None:
    begin_verification(of(broker), parse_header(transactional(1, 3)), must_begin_at_zero=False)
    begin_verification(of(broker), parse_header(transactional(1, 5, epoch=1)), must_begin_at_zero=False)
    assert send(broker, transactional(1, 5, epoch=1), VERIFIED).error_code == 0
    write(broker, 2, 0)
    mark(broker, 2, committed=True)
    begin_verification(of(broker), parse_header(transactional(2, 0)), must_begin_at_zero=False)
    assert send(broker, transactional(2, 1), VERIFIED).error_code == errors.OUT_OF_ORDER_SEQUENCE_NUMBER
    mark(broker, 2, committed=False)
    assert send(broker, transactional(2, 1), VERIFIED).error_code == 0


def test_a_partition_that_has_seen_a_newer_epoch_asks_nobody(broker: Broker) -> None:
    """Spec 14.1: so that the partition does not join a transaction by that."""
    mark(broker, 1, committed=False, epoch=2)
    with pytest.raises(TopicError, match="smaller than the last seen epoch 2"):
        begin_verification(of(broker), parse_header(transactional(1, 0, epoch=1)), must_begin_at_zero=True)


# Markers


def test_a_marker_is_one_control_record(broker: Broker) -> None:
    write(broker, 1, epoch=4)
    assert mark(broker, 1, committed=False, epoch=4, coordinator_epoch=9) == 2
    content = of(broker).log.read(1, 1)
    header = parse_header(content)
    assert (header.is_control, header.is_transactional, header.base_sequence) == (True, True, -1)
    assert (header.producer_id, header.producer_epoch) == (1, 4)
    (record,) = decode_records(content, header)
    assert (record.key, record.value) == (bytes.fromhex("00000000"), bytes.fromhex("000000000009"))


def test_a_marker_of_a_stranger_is_accepted(broker: Broker) -> None:
    assert mark(broker, 1, committed=True) == 1
    assert stable(broker) == 1


def test_a_marker_of_an_old_epoch_is_refused(broker: Broker) -> None:
    write(broker, 1, epoch=3)
    assert refused_marker(broker, 1, epoch=2) == errors.INVALID_PRODUCER_EPOCH
    assert of(broker).log.end_offset == 1


def test_a_marker_of_an_older_coordinator_is_fenced(broker: Broker) -> None:
    mark(broker, 1, committed=True, coordinator_epoch=5)
    assert refused_marker(broker, 1, coordinator_epoch=4) == errors.TRANSACTION_COORDINATOR_FENCED
    mark(broker, 1, committed=True, coordinator_epoch=5)


def test_version_2_needs_a_higher_epoch_while_the_transaction_is_open(broker: Broker) -> None:
    write(broker, 1, epoch=3)
    assert refused_marker(broker, 1, epoch=3, version=2) == errors.INVALID_PRODUCER_EPOCH
    mark(broker, 1, committed=True, epoch=4, version=2)
    mark(broker, 1, committed=True, epoch=4, version=2)


# The last stable offset


def test_the_oldest_open_transaction_holds_back_the_last_stable_offset(broker: Broker) -> None:
    send_durably(broker, batch(b"plain"))
    assert stable(broker) == 1
    write(broker, 1)
    write(broker, 2)
    write(broker, 1, 1)
    assert (stable(broker), of(broker).high_watermark) == (1, 4)
    mark(broker, 1, committed=True)
    assert stable(broker) == 2
    mark(broker, 2, committed=False)
    assert stable(broker) == of(broker).high_watermark == 6


def test_a_marker_counts_once_it_is_durable(broker: Broker) -> None:
    write(broker, 1)
    mark(broker, 1, committed=True, durably=False)
    assert stable(broker) == 0
    commit(broker)
    assert stable(broker) == 2


def test_a_marker_that_is_lost_leaves_the_transaction_open(broker: Broker) -> None:
    write(broker, 1)
    mark(broker, 1, committed=True, durably=False)
    store = broker.store
    assert isinstance(store, MemoryStore)
    store.failure = lambda topic, partition: StorageError("no space left")
    commit(broker)
    store.failure = None
    assert stable(broker) == 0
    send_durably(broker, batch(b"plain"))
    assert stable(broker) == 0
    mark(broker, 1, committed=True)
    assert stable(broker) == 3


def test_it_never_lies_before_the_start_of_the_log(broker: Broker) -> None:
    write(broker, 1)
    write(broker, 1, 1)
    broker.delete_records("t", 0, 1)
    assert stable(broker) == 1


def test_a_partition_without_transactions_has_no_ledger_because_of_a_fetch(broker: Broker) -> None:
    send_durably(broker, batch(b"plain"))
    broker.fetch([ask()], 1_000, read_committed=True)
    assert of(broker).producers is None


def test_a_restart_finds_open_transactions_in_the_log() -> None:
    store = MemoryStore()
    broker = started(store)
    with_topic(broker)
    write(broker, 1)
    write(broker, 2)
    mark(broker, 1, committed=True, coordinator_epoch=7)
    again = started(store)
    assert stable(again) == 1
    assert refused_marker(again, 1, coordinator_epoch=6) == errors.TRANSACTION_COORDINATOR_FENCED
    assert not needs_verification(of(again), parse_header(transactional(2, 1)))


def test_a_snapshot_keeps_open_transactions_and_spares_the_headers(monkeypatch: pytest.MonkeyPatch) -> None:
    store = MemoryStore()
    broker = started(store)
    with_topic(broker)
    write(broker, 1, 0)
    write(broker, 2)
    mark(broker, 2, committed=True, coordinator_epoch=7)
    broker.keep_producers()
    write(broker, 3)
    again = started(store)
    log = of(again).log
    read_headers, read_from = log.read_headers, []

    def noticed(offset: int) -> Iterable[tuple[int, BatchHeader]]:
        read_from.append(offset)
        return read_headers(offset)

    monkeypatch.setattr(log, "read_headers", noticed)
    assert stable(again) == 0
    assert read_from == [3]
    mark(again, 1, committed=True)
    assert stable(again) == 3
    assert refused_marker(again, 2, coordinator_epoch=6) == errors.TRANSACTION_COORDINATOR_FENCED


def test_a_snapshot_without_producers_still_spares_reading_a_log_with_transactions() -> None:
    store = MemoryStore()
    broker = started(store, BrokerConfig(NODE_ID, producer_id_expiration_ms=1_000))
    with_topic(broker)
    write(broker, 1)
    mark(broker, 1, committed=True)
    broker.apply_retention(NOW_MS + DAY_MS)
    broker.keep_producers()
    assert b'"next_offset":2' in (store.read_document(DOCUMENT) or b"")


@pytest.mark.parametrize("is_clean", [True, False])
def test_a_log_of_files_remembers_that_it_has_transactions(tmp_path: Path, is_clean: bool) -> None:
    store = FileStore(str(tmp_path))
    broker = started(store)
    with_topic(broker)
    write(broker, 1)
    write(broker, 2)
    mark(broker, 1, committed=False)
    store.close()
    if not is_clean:
        (tmp_path / ".kafka_cleanshutdown").unlink()
    again = started(FileStore(str(tmp_path)))
    assert stable(again) == 1
    mark(again, 2, committed=True)
    assert committed_offsets(again) == [1]
    again.store.close()


def test_a_topic_that_kafka_left_is_searched_for_transactions(tmp_path: Path) -> None:
    store = FileStore(str(tmp_path))
    broker = started(store)
    with_topic(broker)
    write(broker, 1)
    store.close()
    (tmp_path / "topics.json").unlink()
    (index,) = (tmp_path / "t-0").glob("*.txnindex")
    index.unlink()
    for _ in range(2):
        again = started(FileStore(str(tmp_path)))
        assert stable(again) == 0
        again.store.close()


def test_an_internal_topic_is_followed_although_others_append_to_it(broker: Broker) -> None:
    """The coordinator's own records do not pass `produce`."""
    broker.ensure_internal("__consumer_offsets", 1, {})
    partition = broker.partition("__consumer_offsets", 0)

    def append(content: bytes) -> None:
        partition.log.append(content, parse_header(content), 0, NOW_MS)
        commit(broker)

    append(batch(b"plain"))
    assert partition.last_stable_offset == 1
    append(transactional(1))
    append(batch(b"plain"))
    assert partition.last_stable_offset == 1
    append_marker(partition, 1, 0, False, 0, NOW_MS, 1)
    assert partition.last_stable_offset == 1
    commit(broker)
    assert partition.last_stable_offset == 4
    assert [each.first_offset for each in partition.log.aborted_transactions(0, 4)] == [1]


# Forgetting


def test_a_producer_with_an_open_transaction_is_not_forgotten() -> None:
    broker = started(config=BrokerConfig(NODE_ID, producer_id_expiration_ms=1_000))
    with_topic(broker)
    write(broker, 1)
    send_durably(broker, numbered(2, 0))
    assert broker.apply_retention(NOW_MS + DAY_MS).producers_forgotten == 1
    assert stable(broker) == 0
    mark(broker, 1, committed=True)
    assert broker.apply_retention(NOW_MS + 2 * DAY_MS).producers_forgotten == 1


@interpreted_only
def test_a_producer_with_an_open_transaction_is_not_evicted(monkeypatch: pytest.MonkeyPatch, broker: Broker) -> None:
    monkeypatch.setattr(producers, "MAX_PRODUCERS_PER_PARTITION", 2)
    write(broker, 1)
    send(broker, numbered(2, 0))
    send(broker, numbered(3, 0))
    ledger = of(broker).producers
    assert ledger is not None
    assert ledger.producer_ids() == [1, 3]


# Describing


def test_producers_are_described_with_their_open_transactions(broker: Broker) -> None:
    write(broker, 2, 0, size=3, epoch=1)
    mark(broker, 1, committed=True, coordinator_epoch=5)
    assert broker.describe_producers("t", 0, NOW_MS) == [
        ActiveProducer(1, 0, -1, NOW_MS, 5, -1),
        ActiveProducer(2, 1, 2, NOW_MS, -1, 0),
    ]
    with pytest.raises(TopicError):
        broker.describe_producers("t", 9, NOW_MS)


def test_a_ledger_that_could_not_be_read_goes_on_where_it_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    store = MemoryStore()
    broker = started(store)
    with_topic(broker)
    for sequence in range(4):
        write(broker, 1, sequence)
    again = started(store)
    log = of(again).log
    read_headers, read_from = log.read_headers, []

    def breaks_off(offset: int) -> Iterable[tuple[int, BatchHeader]]:
        read_from.append(offset)
        for at, header in enumerate(read_headers(offset)):
            if at == 2:
                raise StorageError("not yet")
            yield header

    monkeypatch.setattr(log, "read_headers", breaks_off)
    (read,) = again.fetch([ask()], 1_000).partitions
    assert read.error_code == errors.KAFKA_STORAGE_ERROR
    assert stable(again) == 0
    assert read_from == [0, 2]
