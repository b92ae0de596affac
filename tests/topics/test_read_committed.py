"""What readers of committed records see, and what they are told of aborted transactions (spec 14.2)."""

from __future__ import annotations

import pytest

from muster.topics.broker import Broker
from muster.wire.batch import decode_marker, decode_records, iterate_batches
from muster.wire.special_values import LATEST, MAX_TIMESTAMP
from tests.topics.bench_broker import NOW_MS, ask, batch, commit, send_durably, started, unread, with_topic
from tests.topics.transactional import committed_offsets, mark, of, write


@pytest.fixture
def broker() -> Broker:
    made = started()
    with_topic(made)
    return made


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
        committed = broker.fetch_wait(unread(ask()), min_bytes, read_committed=True)
        assert broker.fetch_wait(unread(ask()), min_bytes).ready()
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
