"""The walk over a producer's records, and what it refuses."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from muster.wire.batch import (
    CorruptBatch,
    Record,
    UnknownCompression,
    check_records,
    decode_records,
    encode_batch,
    encode_pairs,
    parse_header,
)
from muster.wire.errors import WireError

SIMPLE = encode_batch([Record(0, 100, b"a", b"1"), Record(1, 130, b"b", b"2"), Record(2, 110, b"c", b"3")])


def with_records(payload: bytes, count: int, last_delta: int | None = None, attributes: int = 0) -> bytes:
    """A batch around any payload at all; nobody looks at the checksum here."""
    last = count - 1 if last_delta is None else last_delta
    rest = struct.pack(">hiqqqhii", attributes, last, 0, 0, -1, -1, -1, count) + payload
    return struct.pack(">qiibI", 0, 9 + len(rest), -1, 2, 0) + rest


def test_a_sound_batch_tells_its_times_and_keyless_records() -> None:
    records = [Record(0, 50, None, b""), Record(1, 90, b"k", None), Record(2, 90, None, None), Record(3, 20, b"", b"")]
    batch = encode_batch(records, compression=4)
    verdict = check_records(batch)
    assert (verdict.min_timestamp, verdict.max_timestamp, verdict.max_timestamp_delta) == (20, 90, 1)
    assert verdict.null_keys == (0, 2)
    assert verdict.records_bytes > 0


def test_log_append_time_overrides_what_the_records_say() -> None:
    verdict = check_records(encode_batch([Record(0, 50, None, b"")], log_append_time_ms=7_000))
    assert (verdict.min_timestamp, verdict.max_timestamp, verdict.max_timestamp_delta) == (7_000, 7_000, 0)


RECORD = bytes.fromhex("0c 00 00 00 01 01 00")
"""Six bytes: attributes, timestamp delta 0, offset delta 0, no key, no value, no headers."""


@pytest.mark.parametrize(
    ("batch", "problem"),
    [
        (with_records(b"", 0, 0), "holds no records"),
        (with_records(RECORD, 1, last_delta=1), "cannot have the last offset delta 1"),
        (with_records(RECORD, 2), "do not fit"),
        (with_records(RECORD + b"\0" * 10, 1), "follow the last"),
        (with_records(RECORD + RECORD, 2), "offset delta 0"),
        (with_records(bytes.fromhex("0e 00 00 00 01 01 00"), 1), "does not fit"),
        (with_records(bytes.fromhex("0a 00 00 00 01 01 00"), 1), "should end at 6"),
        (with_records(bytes.fromhex("01 00 00 00 01 01 00"), 1), "length -1"),
        (with_records(bytes.fromhex("0e 00 00 00 7e 01 00 00"), 1), "middle of a record"),
        (with_records(bytes.fromhex("0c 00 00 00 01 01 01"), 1), "headers do not fit"),
        (with_records(bytes.fromhex("10 00 00 00 01 01 02 01 01"), 1), "header key of -1 bytes"),
        (with_records(bytes.fromhex("12 00 00 00 01 01 02 02 ff 01"), 1), "not UTF-8"),
        (with_records(b"\xff" * 30, 1), "more than ten bytes"),
    ],
)
def test_a_batch_that_is_not_what_its_header_says_is_corrupt(batch: bytes, problem: str) -> None:
    with pytest.raises(CorruptBatch, match=problem):
        check_records(batch)


def test_a_huge_record_count_is_refused_before_it_costs_anything() -> None:
    with pytest.raises(CorruptBatch, match="2147483647 records do not fit"):
        check_records(with_records(RECORD, 2**31 - 1))


@pytest.mark.parametrize("codec", [5, 6, 7])
def test_a_codec_that_kafka_has_not_given_out_is_its_own_error(codec: int) -> None:
    with pytest.raises(UnknownCompression, match=f"codec {codec} is unknown"):
        check_records(with_records(RECORD, 1, attributes=codec))


@pytest.mark.parametrize("codec", [1, 2, 3, 4])
def test_bytes_that_the_codec_cannot_unpack_are_corrupt(codec: int) -> None:
    with pytest.raises(CorruptBatch):
        check_records(with_records(b"not compressed at all", 1, attributes=codec))


@given(st.data())
@settings(max_examples=300, deadline=None)
def test_damaged_bytes_are_refused_or_read_but_never_anything_else(data: st.DataObject) -> None:
    """Whatever a peer sends, the answer is records or a WireError."""
    damaged = bytearray(SIMPLE)
    for _ in range(data.draw(st.integers(1, 4))):
        damaged[data.draw(st.integers(8, len(damaged) - 1))] = data.draw(st.integers(0, 255))
    for read in (check_records, decode_records):
        try:
            read(bytes(damaged))
        except WireError:
            continue


def test_offsets_with_holes_are_read_as_compaction_left_them() -> None:
    records = [Record(10, 5, b"a", b"1"), Record(14, 6, b"b", b"2")]
    batch = encode_batch(records, base_offset=8, last_offset_delta=9)
    header = parse_header(batch)
    assert decode_records(batch, header) == records
    assert (header.base_offset, header.next_offset) == (8, 18)


def test_the_fast_path_writes_what_the_general_one_does() -> None:
    pairs = [(b"k", b"v"), (None, b""), (b"x" * 5_000, None)]
    records = [Record(offset, 1_234, key, value) for offset, (key, value) in enumerate(pairs)]
    assert encode_pairs(pairs, 1_234) == encode_batch(records)


def test_timestamps_may_go_back_and_far_apart() -> None:
    records = [Record(0, 2**40, b"", b""), Record(1, 0, b"", b""), Record(2, -1, b"", b"")]
    batch = encode_batch(records)
    assert decode_records(batch) == records
    assert check_records(batch).min_timestamp == -1
