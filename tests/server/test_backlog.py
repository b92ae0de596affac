"""Bytes that wait to be served: frames are taken whole and in order, and a connection keeps nothing that is served."""

from __future__ import annotations

import tracemalloc
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from muster.server.backlog import Backlog
from muster.server.limits import LARGE_FRAME_BYTES, WAITING_BYTES_PER_CONNECTION
from muster.wire.generated.heartbeat import HeartbeatRequest
from tests.server.driving import only_connection, until
from tests.server.fake_apis import fake_server
from tests.server.raw_client import RawClient, request_frame


class Transport:
    def __init__(self) -> None:
        self.calls: list[str] = []

    def pause_reading(self) -> None:
        self.calls.append("pause")

    def resume_reading(self) -> None:
        self.calls.append("resume")


def taken(backlog: Backlog) -> list[bytes]:
    """Every whole frame in it, as a connection takes them."""
    frames = []
    while (size := backlog.next_size()) is not None and (frame := backlog.take(size)) is not None:
        frames.append(frame)
    backlog.drop_taken()
    return frames


@given(st.lists(st.binary(max_size=40), max_size=8), st.lists(st.integers(1, 30), min_size=1))
def test_however_the_bytes_come_frames_are_taken_whole_and_in_order(frames: list[bytes], pieces: list[int]) -> None:
    octets = b"".join(len(frame).to_bytes(4, "big") + frame for frame in frames)
    backlog = Backlog()
    found: list[bytes] = []
    position = 0
    for piece in pieces * (len(octets) + 1):
        backlog.add(octets[position : position + piece])
        position += piece
        found += taken(backlog)
        if position >= len(octets):
            break
    assert found == frames
    assert not backlog


@given(
    st.lists(st.sampled_from((0, 5, LARGE_FRAME_BYTES, LARGE_FRAME_BYTES + 1, 2_500_000)), max_size=4),
    st.lists(st.sampled_from((1, 3, 4, 5, 6, 65_536, 262_144, 3_000_000)), min_size=1, max_size=6),
)
@settings(max_examples=30)
def test_large_frames_are_taken_whole_and_in_order_and_counted_all_the_time(
    sizes: list[int], pieces: list[int]
) -> None:
    frames = [bytes([number]) * size for number, size in enumerate(sizes)]
    octets = b"".join(len(frame).to_bytes(4, "big") + frame for frame in frames)
    backlog = Backlog()
    found: list[bytes] = []
    position = 0
    for piece in [*pieces, *[65_536] * (len(octets) // 65_536 + 1)]:
        come = octets[position : position + piece]
        backlog.add(come)
        position += len(come)
        found += taken(backlog)
        assert len(backlog) == position - sum(4 + len(frame) for frame in found)
    assert found == frames
    assert not backlog


def test_a_large_frame_is_taken_without_a_copy() -> None:
    """Nobody else is served while tens of megabytes are copied."""
    size = 20_000_000
    backlog = Backlog()
    tracemalloc.start()
    try:
        backlog.add(size.to_bytes(4, "big"))
        for _ in range(size // 100_000):
            assert backlog.take(size) is None
            backlog.add(bytes(100_000))
        frame = backlog.take(size)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert frame == bytes(size)
    assert most < 1.5 * size


@pytest.mark.parametrize("api_key", [0, 1])
def test_a_large_frame_that_has_not_come_as_a_whole_is_known_to_be_a_produce_or_not(api_key: int) -> None:
    size = LARGE_FRAME_BYTES + 2
    backlog = Backlog()
    backlog.add(size.to_bytes(4, "big") + b"\0")
    assert backlog.next_is_produce(), "as far as it has come"
    for octets in (bytes([api_key]), bytes(100), bytes(LARGE_FRAME_BYTES - 101)):
        assert backlog.take(size) is None
        backlog.add(octets)
        assert (backlog.next_size(), backlog.next_is_produce()) == (size, api_key == 0)
    assert backlog.take(size) is None
    backlog.add(b"x" + b"\0\0")
    assert backlog.take(size) == bytes([0, api_key]) + bytes(LARGE_FRAME_BYTES - 1) + b"x"
    assert (len(backlog), backlog.next_size()) == (2, None)


def test_a_size_is_told_as_it_came_also_if_it_makes_no_sense() -> None:
    backlog = Backlog()
    backlog.add(b"\xff\xff\xff")
    assert backlog.next_size() is None
    backlog.add(b"\xfe")
    assert backlog.next_size() == -2


def test_only_a_long_backlog_that_nobody_works_on_holds_its_client_back() -> None:
    transport = Transport()
    backlog = Backlog()
    backlog.add(WAITING_BYTES_PER_CONNECTION.to_bytes(4, "big") + bytes(WAITING_BYTES_PER_CONNECTION))
    for is_blocked in (False, True, True, False, False):
        backlog.hold_back(cast(Any, transport), is_blocked=is_blocked, may_read=True)
    assert transport.calls == ["pause", "resume"]
    backlog.hold_back(cast(Any, transport), is_blocked=True, may_read=True)
    assert len(taken(backlog)) == 1
    backlog.hold_back(cast(Any, transport), is_blocked=True, may_read=True)
    assert transport.calls == ["pause", "resume"] * 2


def test_when_all_that_came_at_once_is_served_a_connection_keeps_nothing() -> None:
    with fake_server() as server, RawClient(server.port) as client:
        frames = [request_frame("Heartbeat", 4, HeartbeatRequest("g", 1, "m"), number) for number in range(3)]
        client.send(b"".join(frames) + frames[0][:9])
        for number in range(3):
            client.read("Heartbeat", 4, number)
        connection = only_connection(server)
        until(server, lambda: len(connection._backlog or b"") == 9)
        client.send(frames[0][9:])
        client.read("Heartbeat", 4, 0)
        assert server.run(lambda: connection._backlog is None)


def test_a_backlog_that_the_budget_has_no_room_for_holds_its_client_back() -> None:
    transport = Transport()
    backlog = Backlog()
    backlog.add(b"\0\0\0\x09part")
    for may_read in (True, False, False, True):
        backlog.hold_back(cast(Any, transport), is_blocked=False, may_read=may_read)
    assert transport.calls == ["pause", "resume"]
