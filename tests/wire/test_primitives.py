"""Arrays of numbers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muster.wire.primitives import (
    i32s,
    numbers,
    read_i32s,
    read_numbers,
)


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
