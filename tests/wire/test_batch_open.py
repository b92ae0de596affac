"""A batch that grows is, once sealed, the batch that would have been written at once."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muster.wire.batch import OpenBatch, Record, check_crc, check_records, encode_batch, parse_header

octets = st.one_of(st.none(), st.binary(max_size=80), st.integers(60, 70).map(lambda size: b"x" * size))
additions = st.lists(
    st.tuples(
        st.integers(0, 100_000),
        st.lists(st.tuples(octets, octets), min_size=1, max_size=70),
        st.booleans(),
    ),
    max_size=4,
)


@given(additions, st.integers(0, 2**40))
def test_what_is_kept_is_written_as_if_it_had_come_at_once(
    parts: list[tuple[int, list[tuple[bytes | None, bytes | None]], bool]], base_offset: int
) -> None:
    batch = OpenBatch(base_offset, 7)
    expected: list[Record] = []
    for timestamp_ms, pairs, is_kept in parts:
        batch.mark(timestamp_ms)
        for key, value in pairs:
            batch.add(key, value)
        if not is_kept:
            batch.undo()
            continue
        batch.keep()
        first = batch.base_offset + len(expected)
        expected += [Record(first + index, timestamp_ms, *pair) for index, pair in enumerate(pairs)]
    assert batch.next_offset == base_offset + len(expected)
    if expected:
        sealed = batch.seal()
        assert sealed == encode_batch(expected, leader_epoch=7)
        assert batch.size == len(sealed)


@pytest.mark.parametrize("compression", [0, 1, 4])
def test_a_sealed_batch_is_sound_and_may_grow_and_be_sealed_again(compression: int) -> None:
    batch = OpenBatch(5, 2)
    for count in (1, 2):
        batch.mark(1_000 + count)
        batch.add(b"key", b"value" * 50)
        batch.keep()
        sealed = batch.seal(compression)
        header = parse_header(sealed)
        check_crc(sealed, header)
        assert check_records(sealed).max_timestamp == 1_000 + count
        assert (header.base_offset, header.next_offset, header.partition_leader_epoch) == (5, 5 + count, 2)
        assert (header.record_count, header.compression) == (count, compression)


def test_a_batch_without_a_record_is_no_batch() -> None:
    with pytest.raises(AssertionError, match="at least one record"):
        OpenBatch(0, 0).seal()
