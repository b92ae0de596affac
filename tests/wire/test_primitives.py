"""Varints and arrays of numbers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muster.wire.errors import WireError
from muster.wire.primitives import (
    i32s,
    numbers,
    read_i32s,
    read_numbers,
    read_uvarint,
    uvarint,
)


@pytest.mark.parametrize(
    ("value", "raw"),
    [(0, "00"), (1, "01"), (127, "7f"), (128, "8001"), (300, "ac02"), (2**31 - 1, "ffffffff07")],
)
def test_an_unsigned_varint_has_seven_bits_a_byte_low_bits_first(value: int, raw: str) -> None:
    assert uvarint(value).hex() == raw
    assert read_uvarint(bytes.fromhex(raw), 0) == (value, len(raw) // 2)


def test_an_unsigned_varint_beyond_31_bits_is_negative_as_kafka_keeps_it() -> None:
    assert read_uvarint(bytes.fromhex("ffffffff0f"), 0) == (-1, 5)
    assert read_uvarint(bytes.fromhex("8080808008"), 0) == (-(2**31), 5)


def test_a_varint_that_never_ends_is_refused() -> None:
    with pytest.raises(WireError, match="more than five bytes at position 1"):
        read_uvarint(b"\0" + b"\x80" * 9, 1)


@given(values=st.lists(st.integers(-(2**31), 2**31 - 1), max_size=80))
def test_an_array_of_i32_comes_back_as_it_went(values: list[int]) -> None:
    raw = i32s(values)
    assert len(raw) == 4 * len(values)
    assert read_i32s(b"x" + raw, 1, len(values)) == values
    assert numbers("i", values) == raw


@pytest.mark.parametrize(
    ("code", "size", "values"),
    [("q", 8, [1, -1]), ("h", 2, list(range(50))), ("?", 1, [True, False]), ("16s", 16, [bytes(16), b"z" * 16])],
)
def test_an_array_of_any_fixed_type_comes_back_as_it_went(code: str, size: int, values: list[object]) -> None:
    raw = numbers(code, values)
    assert len(raw) == size * len(values)
    assert read_numbers(code, size, b"x" + raw, 1, len(values)) == values
