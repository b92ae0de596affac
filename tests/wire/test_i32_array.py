"""Numbers of a request that came unboxed: to whoever looks at them they are a list."""

from __future__ import annotations

import pytest

from muster.wire.generated import offset_fetch_native, offset_fetch_struct
from muster.wire.generated.offset_fetch import (
    OffsetFetchRequest,
    OffsetFetchRequestGroup,
    OffsetFetchRequestGroupTopic,
    OffsetFetchRequestTopic,
)
from muster.wire.i32_array import I32Array, i32_array

NUMBERS = [3, 0, 0, -1, 2**31 - 1, -(2**31)]


@pytest.mark.parametrize("numbers", [NUMBERS, [], list(range(300))])
def test_it_looks_like_a_list(numbers: list[int]) -> None:
    array = i32_array(numbers)
    assert list(array) == array.listed() == numbers
    assert [array[index] for index in range(len(array))] == numbers
    assert repr(array) == repr(numbers)
    assert array == numbers
    assert numbers == array
    assert array == tuple(numbers)
    assert array == i32_array(tuple(numbers))
    assert array != [*numbers, 1]
    assert array != i32_array([*numbers, 1])
    assert array != "text"


def test_what_is_one_already_is_not_copied() -> None:
    array = i32_array(NUMBERS)
    assert i32_array(array) is array  # type: ignore[arg-type]  # as decoders hand it out


def test_a_number_behind_the_last_is_an_error() -> None:
    with pytest.raises(IndexError):
        i32_array(NUMBERS)[6]


def test_a_number_of_more_than_32_bits_is_an_error() -> None:
    with pytest.raises(OverflowError):
        i32_array([2**31])


@pytest.mark.parametrize("version", range(1, 11))
@pytest.mark.parametrize("numbers", [NUMBERS, [], list(range(300))])
def test_both_dialects_read_the_same_numbers(version: int, numbers: list[int]) -> None:
    if version < 8:
        request = OffsetFetchRequest("g", [OffsetFetchRequestTopic("t", numbers), OffsetFetchRequestTopic("u", [7])])
    else:
        name, topic_id = ("t", bytes(16)) if version < 10 else ("", b"i" * 16)
        topics = [OffsetFetchRequestGroupTopic(name, topic_id, numbers)]
        request = OffsetFetchRequest(groups=[OffsetFetchRequestGroup("g", topics=topics)])
    octets = offset_fetch_struct.REQUEST_ENCODERS[version](request)
    native = offset_fetch_native.REQUEST_DECODERS[version](octets, 0)
    assert native == offset_fetch_struct.REQUEST_DECODERS[version](octets, 0) == request
    assert offset_fetch_struct.REQUEST_ENCODERS[version](native) == octets
    entry = (native.topics if version < 8 else native.groups[0].topics or ())[0]  # type: ignore[index]
    assert isinstance(entry.partition_indexes, I32Array)
