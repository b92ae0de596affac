"""COMMIT and ABORT markers byte for byte as Kafka 4.3.1 writes them into a topic's log (spec 14.3)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muster.wire.batch import (
    CorruptBatch,
    EndMarker,
    check_crc,
    control_type,
    decode_marker,
    decode_records,
    encode_marker_batch,
    parse_header,
)
from tests.wire.kafka.transactions import recorded_log

COMMITTED = EndMarker(committed=True, coordinator_epoch=2)
LAST_EPOCH = (
    "000000000000000b0000004200000002024f8faf5f003000000000000001a1e5c62f5e000001a1e5c62f5e"
    "0000000000000fa07fffffffffff000000012000000008000000010c00000000000200"
)
"""A commit that a real Kafka wrote for producer 4000 with its last epoch, 32767, in leader epoch 2."""


def test_a_marker_has_its_golden_bytes() -> None:
    batch = encode_marker_batch(COMMITTED, 4_000, 32_767, 1_794_856_333_150, base_offset=11, leader_epoch=2)
    assert batch.hex() == LAST_EPOCH
    (record,) = decode_records(batch)
    assert decode_marker(record.key, record.value) == COMMITTED


def test_the_markers_of_a_real_kafka_are_read_and_written_as_they_were() -> None:
    ended = []
    for batch in [*recorded_log("orders-0"), *recorded_log("orders-1")]:
        header = parse_header(batch)
        if not header.is_control:
            continue
        (record,) = decode_records(batch, header)
        marker = decode_marker(record.key, record.value)
        assert marker is not None
        assert batch == encode_marker_batch(
            marker,
            header.producer_id,
            header.producer_epoch,
            record.timestamp_ms,
            base_offset=header.base_offset,
            leader_epoch=header.partition_leader_epoch,
        )
        ended.append(marker.committed)
    assert (ended.count(True), ended.count(False)) == (13, 12)


@given(
    st.builds(EndMarker, st.booleans(), st.integers(-(2**31), 2**31 - 1)),
    st.integers(0, 2**63 - 1),
    st.integers(0, 2**15 - 1),
    st.integers(0, 2**42),
)
def test_a_marker_is_alone_in_a_transactional_control_batch_without_sequence(
    marker: EndMarker, producer_id: int, producer_epoch: int, timestamp_ms: int
) -> None:
    batch = encode_marker_batch(marker, producer_id, producer_epoch, timestamp_ms)
    header = parse_header(batch)
    check_crc(batch, header)
    assert (header.attributes, header.record_count, header.base_sequence) == (0x30, 1, -1)
    assert (header.producer_id, header.producer_epoch) == (producer_id, producer_epoch)
    assert (header.base_offset, header.partition_leader_epoch) == (0, -1), "the log gives it its place"
    assert header.base_timestamp == header.max_timestamp == timestamp_ms
    (record,) = decode_records(batch, header)
    assert decode_marker(record.key, record.value) == marker


@pytest.mark.parametrize("number", [2, 6, 77, -1])
def test_other_control_types_are_no_markers(number: int) -> None:
    """KRaft's metadata log has some: LEADER_CHANGE is 2, KRAFT_VOTERS 6."""
    key = b"\0\0" + number.to_bytes(2, "big", signed=True)
    assert control_type(key) == number
    assert decode_marker(key, b"") is None
    assert decode_marker(key, None) is None


def test_later_versions_are_read_by_what_they_begin_with() -> None:
    """As Kafka does: fields may be added to them, not taken away."""
    assert decode_marker(bytes.fromhex("0007000100"), bytes.fromhex("000300000002beef")) == COMMITTED


@pytest.mark.parametrize(
    ("key", "value", "problem"),
    [
        (None, "000000000000", "the key of a control record needs 4 bytes, it has 0"),
        ("000000", "000000000000", "it has 3"),
        ("ffff0001", "000000000000", "version -1 of a control record's key"),
        ("00000001", None, "the value of a marker needs 6 bytes, it has 0"),
        ("00000000", "0000000000", "it has 5"),
        ("00000001", "ffff00000000", "version -1 of a marker's value"),
    ],
)
def test_what_is_neither_is_refused(key: str | None, value: str | None, problem: str) -> None:
    with pytest.raises(CorruptBatch, match=problem):
        decode_marker(None if key is None else bytes.fromhex(key), None if value is None else bytes.fromhex(value))
