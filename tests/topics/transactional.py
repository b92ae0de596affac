"""Transactions on the bench broker: batches of theirs, markers, and what a reader of committed records hands on."""

from __future__ import annotations

import pytest

from muster.topics.broker import Broker
from muster.topics.markers import append_marker
from muster.topics.produce import ProduceTerms
from muster.topics.refusal import TopicError
from muster.topics.topic import Partition
from muster.wire.batch import decode_marker, decode_records, encode_batch, iterate_batches
from tests.topics.bench_broker import NOW_MS, ask, commit, records, send

VERIFIED = ProduceTerms(transaction_verified=True)


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
