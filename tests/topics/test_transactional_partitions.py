"""Transactions as a partition sees them: what may be appended, what readers of committed records see (spec 14.1, 14.2)."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

from muster.log.contract import StorageError
from muster.log.files import FileStore
from muster.log.memory import MemoryStore
from muster.topics import producers
from muster.topics.broker import Broker, BrokerConfig
from muster.topics.describe_producers import ActiveProducer
from muster.topics.markers import append_marker
from muster.topics.produce import ProduceTerms, needs_verification
from muster.topics.producer_snapshots import DOCUMENT
from muster.topics.refusal import TopicError
from muster.topics.topic import Partition
from muster.wire import errors
from muster.wire.batch import (
    BatchHeader,
    decode_marker,
    decode_records,
    encode_batch,
    iterate_batches,
    parse_header,
)
from muster.wire.special_values import LATEST, MAX_TIMESTAMP
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

VERIFIED = ProduceTerms(transaction_verified=True)
DAY_MS = 86_400_000


@pytest.fixture
def broker() -> Broker:
    made = started()
    with_topic(made)
    return made


def of(broker: Broker) -> Partition:
    return broker.partition("t", 0)


def transactional(producer_id: int, sequence: int = 0, size: int = 1, epoch: int = 0, value: bytes = b"v") -> bytes:
    return encode_batch(
        records(*(value for _ in range(size))),
        producer_id=producer_id,
        producer_epoch=epoch,
        base_sequence=sequence,
        transactional=True,
    )


def write(broker: Broker, producer_id: int, sequence: int = 0, size: int = 1, epoch: int = 0) -> int:
    """Durably, in a transaction that the coordinator knows of; the base offset."""
    result = send(broker, transactional(producer_id, sequence, size, epoch), VERIFIED)
    assert result.error_code == 0, result
    commit(broker)
    return result.base_offset


def mark(
    broker: Broker,
    producer_id: int,
    *,
    committed: bool,
    epoch: int = 0,
    coordinator_epoch: int = 0,
    version: int = 1,
    durably: bool = True,
) -> int:
    """The marker's end offset."""
    end = append_marker(of(broker), producer_id, epoch, committed, coordinator_epoch, NOW_MS, version)
    if durably:
        commit(broker)
    return end


def refused_marker(broker: Broker, producer_id: int, **marker: int) -> int:
    with pytest.raises(TopicError) as refused:
        mark(broker, producer_id, committed=True, **marker)  # type: ignore[arg-type]
    return refused.value.code


def stable(broker: Broker) -> int:
    return of(broker).last_stable_offset


def committed_offsets(broker: Broker, offset: int = 0, max_bytes: int = 1_000_000) -> list[int]:
    """What a client hands on that reads as KIP-98 says: aborted records are left out by it."""
    (read,) = broker.fetch([ask(offset, max_bytes)], max_bytes, read_committed=True).partitions
    assert read.error_code == 0
    waiting = sorted(read.aborted, key=lambda each: each.first_offset)
    dropped: set[int] = set()
    found: list[int] = []
    for position, header in iterate_batches(read.records):
        while waiting and waiting[0].first_offset <= header.last_offset:
            dropped.add(waiting.pop(0).producer_id)
        content = decode_records(read.records, header, position)
        if header.is_control:
            marker = decode_marker(content[0].key, content[0].value)
            if marker is not None and not marker.committed:
                dropped.discard(header.producer_id)
        elif not (header.is_transactional and header.producer_id in dropped):
            found += [record.offset for record in content]
    return found


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
    since_12 = ProduceTerms(transaction_verified=True, first_sequence_is_zero=True)
    assert send(broker, transactional(1, 7), since_12).error_code == errors.OUT_OF_ORDER_SEQUENCE_NUMBER
    assert send(broker, transactional(1, 7), VERIFIED).error_code == 0
    assert send(broker, transactional(1, 8), since_12).error_code == 0


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


def test_a_producer_with_an_open_transaction_is_not_evicted(monkeypatch: pytest.MonkeyPatch, broker: Broker) -> None:
    monkeypatch.setattr(producers, "MAX_PRODUCERS_PER_PARTITION", 2)
    write(broker, 1)
    send(broker, numbered(2, 0))
    send(broker, numbered(3, 0))
    ledger = of(broker).producers
    assert ledger is not None
    assert ledger.producer_ids() == [1, 3]


# Reading


def test_a_reader_of_committed_records_stops_at_the_last_stable_offset(broker: Broker) -> None:
    send_durably(broker, batch(b"plain"))
    write(broker, 1)
    send_durably(broker, batch(b"plain"))
    (plain,) = broker.fetch([ask()], 10_000).partitions
    (committed,) = broker.fetch([ask()], 10_000, read_committed=True).partitions
    assert [header.base_offset for _, header in iterate_batches(plain.records)] == [0, 1, 2]
    assert [header.base_offset for _, header in iterate_batches(committed.records)] == [0]
    assert (committed.high_watermark, committed.last_stable_offset) == (3, 1)
    assert (plain.high_watermark, plain.last_stable_offset) == (3, 1)
    (beyond,) = broker.fetch([ask(2)], 10_000, read_committed=True).partitions
    assert (beyond.error_code, beyond.records) == (0, b"")


def test_a_reader_of_committed_records_is_told_what_was_aborted(broker: Broker) -> None:
    write(broker, 1)
    write(broker, 2)
    mark(broker, 1, committed=False)
    mark(broker, 2, committed=True)
    write(broker, 1, 1)
    mark(broker, 1, committed=True)
    assert committed_offsets(broker) == [1, 4]
    (read,) = broker.fetch([ask()], 10_000, read_committed=True).partitions
    assert [(each.producer_id, each.first_offset) for each in read.aborted] == [(1, 0)]
    (later,) = broker.fetch([ask(4)], 10_000, read_committed=True).partitions
    assert later.aborted == []
    (plain,) = broker.fetch([ask()], 10_000).partitions
    assert plain.aborted == ()


def test_every_read_from_anywhere_gives_the_committed_records_alone(broker: Broker) -> None:
    sequences: dict[int, int] = {}
    wanted: list[int] = []
    for step in range(40):
        producer_id = step % 3
        sequence = sequences.get(producer_id, 0)
        write(broker, producer_id, sequence)
        sequences[producer_id] = sequence + 1
        if step % 7 == 6:
            mark(broker, producer_id, committed=step % 2 == 0)
    for producer_id in range(3):
        mark(broker, producer_id, committed=producer_id == 0)
    partition = of(broker)
    ends: dict[int, bool] = {}
    for _, header in reversed(list(partition.log.read_headers(0))):
        if header.is_control:
            content = decode_records(partition.log.read(header.base_offset, 1))
            marker = decode_marker(content[0].key, content[0].value)
            assert marker is not None
            ends[header.producer_id] = marker.committed
        elif ends[header.producer_id]:
            wanted.append(header.base_offset)
    wanted.reverse()
    for start in range(partition.log.end_offset):
        for max_bytes in (1, 300, 1_000_000):
            found = committed_offsets(broker, start, max_bytes)
            assert found == [offset for offset in wanted if offset >= start][: len(found)]
    assert committed_offsets(broker) == wanted


def test_a_waiting_reader_of_committed_records_wakes_when_the_transaction_ends(broker: Broker) -> None:
    write(broker, 1)
    for min_bytes in (1, 50):
        committed = broker.fetch_wait([ask()], min_bytes, read_committed=True)
        assert broker.fetch_wait([ask()], min_bytes).ready()
        assert not committed.ready()
    mark(broker, 1, committed=True, durably=False)
    assert not committed.ready()
    commit(broker)
    assert committed.ready()


def test_list_offsets_stops_at_the_last_stable_offset_for_readers_of_committed_records(broker: Broker) -> None:
    send_durably(broker, batch(b"plain", timestamp_ms=NOW_MS - 5_000))
    write(broker, 1)

    def listed(timestamp_ms: int, *, read_committed: bool) -> int:
        return broker.list_offset("t", 0, timestamp_ms, read_committed=read_committed).offset

    assert [listed(LATEST, read_committed=each) for each in (True, False)] == [1, 2]
    assert [listed(NOW_MS, read_committed=each) for each in (True, False)] == [-1, 1]
    assert [listed(MAX_TIMESTAMP, read_committed=each) for each in (True, False)] == [-1, 1]
    assert listed(NOW_MS - 5_000, read_committed=True) == 0


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
