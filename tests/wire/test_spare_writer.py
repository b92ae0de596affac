"""The writer that encoders use again: no message shows anything of another one, whatever became of that."""

from __future__ import annotations

from itertools import pairwise

import pytest

from muster.wire.errors import EncodeError
from muster.wire.generated import offset_fetch_native, offset_fetch_struct
from muster.wire.generated.offset_fetch import (
    OffsetFetchResponse,
    OffsetFetchResponseGroup,
    OffsetFetchResponseGroupPartition,
    OffsetFetchResponseGroupTopic,
)
from muster.wire.native import begun, finished

encode = offset_fetch_native.RESPONSE_ENCODERS[8]
expected = offset_fetch_struct.RESPONSE_ENCODERS[8]


def answer(text: str, error: int = 0) -> OffsetFetchResponse:
    partitions = [OffsetFetchResponseGroupPartition(0, 5, metadata=text), OffsetFetchResponseGroupPartition(1, 6)]
    topics = [OffsetFetchResponseGroupTopic("t", partitions=partitions)]
    return OffsetFetchResponse(groups=[OffsetFetchResponseGroup("g", topics, error)])


@pytest.mark.parametrize("sizes", list(pairwise([0, 300, 1, 200_000, 5, 70_000, 65_000, 0])))
def test_a_message_after_a_longer_or_shorter_one_is_whole(sizes: tuple[int, int]) -> None:
    for size in sizes:
        assert encode(answer("x" * size)) == expected(answer("x" * size))


def test_a_message_that_cannot_be_written_leaves_nothing_behind() -> None:
    with pytest.raises(EncodeError):
        encode(answer("text", error=2**20))
    assert encode(answer("")) == expected(answer(""))


def test_two_messages_at_a_time_have_writers_of_their_own() -> None:
    finished(begun())
    one, other = begun(), begun()
    one.write(b"one")
    other.write(b"other")
    assert (finished(one), finished(other)) == (b"one", b"other")
    assert finished(begun()) == b""


def test_the_room_of_a_long_message_is_not_kept() -> None:
    out = begun()
    out.write(bytes(65_536))
    finished(out)
    assert begun() is out
    out.write(bytes(65_537))
    finished(out)
    assert begun() is not out
