"""Varints: unsigned in messages, zigzag in records, in Python numbers and in native ones."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from librt.strings import BytesWriter

from muster.wire import native
from muster.wire.errors import CorruptBatch, WireError
from muster.wire.varint import (
    read_uvarint,
    read_zigzag,
    uvarint,
    zigzag,
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
    with pytest.raises(CorruptBatch, match="more than ten bytes"):
        read_zigzag(b"\x80" * 20, 0)


@pytest.mark.parametrize(("value", "raw"), [(0, "00"), (-1, "01"), (1, "02"), (-64, "7f"), (64, "8001")])
def test_a_zigzag_varint_keeps_small_negatives_short(value: int, raw: str) -> None:
    assert zigzag(value).hex() == raw
    assert read_zigzag(bytes.fromhex(raw), 0) == (value, len(raw) // 2)


@given(value=st.integers(-(2**63), 2**63 - 1), before=st.binary(max_size=3))
def test_a_zigzag_varint_comes_back_as_it_went(value: int, before: bytes) -> None:
    raw = zigzag(value)
    assert len(raw) <= 10
    assert read_zigzag(before + raw, len(before)) == (value, len(before) + len(raw))


@given(value=st.integers(0, 2**32 - 1), before=st.binary(max_size=3))
def test_the_native_form_reads_what_the_other_reads(value: int, before: bytes) -> None:
    raw = before + uvarint(value)
    assert native.read_uvarint(raw, len(before)) == read_uvarint(raw, len(before))


@given(value=st.integers(0, 2**62 - 1))
def test_the_native_form_writes_the_same_bytes_and_knows_their_number(value: int) -> None:
    plain, signed = BytesWriter(), BytesWriter()
    native.write_uvarint(plain, value)
    native.write_zigzag(signed, value)
    assert (plain.getvalue(), native.uvarint_size(value)) == (uvarint(value), len(uvarint(value)))
    assert (signed.getvalue(), native.zigzag_size(value)) == (zigzag(value), len(zigzag(value)))


def test_the_native_form_refuses_a_varint_that_never_ends() -> None:
    with pytest.raises(WireError, match="more than five bytes at position 1"):
        native.read_uvarint(b"\0" + b"\x80" * 9, 1)
