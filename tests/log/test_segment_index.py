"""The sparse indexes, apart from files."""

from __future__ import annotations

import pytest

from muster.log.index import IndexDamaged, SegmentIndex


def filled(count: int = 100, base: int = 1_000, size: int = 50, interval: int = 120) -> SegmentIndex:
    index = SegmentIndex(base, interval)
    for number in range(count):
        index.note(base + number, 5_000 + number * 10, size)
    return index


def test_the_floor_is_never_behind_the_offset_and_at_most_an_interval_before_it() -> None:
    index = filled()
    for number in range(100):
        position = index.floor_position(1_000 + number)
        assert position <= number * 50
        assert number * 50 - position <= 120 + 2 * 50


def test_an_offset_before_the_first_entry_is_looked_for_from_the_start() -> None:
    assert filled().floor_position(1_000) == 0
    assert SegmentIndex(7, 10).floor_position(7) == 0


def test_a_time_is_looked_for_where_everything_earlier_is_older() -> None:
    index = filled()
    for number in range(100):
        position = index.position_before_time(5_000 + number * 10)
        assert position <= number * 50
        assert number * 50 - position <= 2 * (120 + 2 * 50)


def test_saved_and_loaded_it_answers_the_same() -> None:
    index = filled()
    twin = SegmentIndex(1_000, 120)
    twin.load(*index.to_files(), segment_size=5_000)
    assert twin.max_timestamp == index.max_timestamp == 5_990
    for number in range(100):
        assert twin.floor_position(1_000 + number) == index.floor_position(1_000 + number)
        time = 5_000 + number * 10
        assert twin.position_before_time(time) == index.position_before_time(time)


def test_a_resumed_index_goes_on_as_if_it_had_never_been_saved() -> None:
    index = filled(50)
    twin = SegmentIndex(1_000, 120)
    twin.load(*index.to_files(), segment_size=2_500)
    start = twin.resume_at_last_entry() // 50
    for number in range(start, 100):
        twin.note(1_000 + number, 5_000 + number * 10, 50)
    assert (twin.size, twin.next_offset) == (5_000, 1_100)
    assert twin.to_files()[0] == filled(100).to_files()[0]


def test_a_copy_leaves_the_original_alone() -> None:
    index = filled(10)
    before = index.to_files()
    twin = index.copy()
    for number in range(10, 50):
        twin.note(1_000 + number, 9_999, 50)
    assert index.to_files() == before
    assert twin.size == 2_500


@pytest.mark.parametrize(
    ("offsets", "times"),
    [
        (b"\0" * 7, b""),
        (b"", b"\0" * 11),
        (b"\0" * 16, b""),
        (b"\0" * 4 + b"\0\0\xff\xff", b""),
        (b"\xff" * 4 + b"\0" * 4, b""),
        (b"", b"\0" * 24),
    ],
    ids=["half offset entry", "half time entry", "repeated", "behind the log", "negative", "repeated time"],
)
def test_bytes_that_cannot_be_an_index_are_refused(offsets: bytes, times: bytes) -> None:
    with pytest.raises(IndexDamaged):
        SegmentIndex(0, 10).load(offsets, times, segment_size=5_000)
