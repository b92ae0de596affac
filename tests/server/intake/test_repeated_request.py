"""Which frames are the request that was learned: those that differ only where its numbers are."""

from __future__ import annotations

from struct import pack
from typing import Any, cast

from hypothesis import given, settings
from hypothesis import strategies as st
from librt.vecs import append, vec
from mypy_extensions import i64

from muster.server.call import Call
from muster.server.intake.repeated_request import RepeatedRequest, Submission
from tests.server.lone_connection import ROUTES, LoneConnection, LoneNode

NUMBER_BYTES = 8
PREFIX = 12 << 16 | 4
"""Heartbeat v4."""
OTHER_PREFIX = 12 << 16 | 3


def repeated(payload: bytes, numbers_at: list[int]) -> RepeatedRequest:
    positions = vec[i64]()
    for at in numbers_at:
        positions = append(positions, at)
    node = LoneNode()
    call = Call(LoneConnection(node).connection, ROUTES.find(PREFIX), 1, None)
    learned = RepeatedRequest(call.route)
    learned.keep_with_numbers(call, cast(Any, node), payload, [], positions, Submission())
    return learned


def request(payload: bytes, prefix: int = PREFIX, correlation_id: int = 4711) -> bytes:
    return pack(">ii", prefix, correlation_id) + payload


@st.composite
def payloads(draw: st.DrawFn) -> tuple[bytes, list[int]]:
    """Bytes, and where in them there are numbers."""
    gaps = draw(st.lists(st.binary(max_size=20), min_size=1, max_size=5))
    payload, numbers_at = gaps[0], []
    for gap in gaps[1:]:
        numbers_at.append(len(payload))
        payload += draw(st.binary(min_size=NUMBER_BYTES, max_size=NUMBER_BYTES)) + gap
    return payload, numbers_at


def equal_without_numbers(numbers_at: list[int], one: bytes, other: bytes) -> bool:
    masked = [bytearray(one), bytearray(other)]
    for each in masked:
        for at in numbers_at:
            each[at : at + NUMBER_BYTES] = bytes(NUMBER_BYTES)
    return len(one) == len(other) and masked[0] == masked[1]


@settings(max_examples=60)
@given(payloads(), st.binary(max_size=12), st.data())
def test_a_request_matches_exactly_if_it_differs_only_where_the_numbers_are(
    known: tuple[bytes, list[int]], before: bytes, data: st.DataObject
) -> None:
    payload, numbers_at = known
    changed = bytearray(payload)
    for _ in range(data.draw(st.integers(0, 3))):
        if len(payload):
            changed[data.draw(st.integers(0, len(payload) - 1))] = data.draw(st.integers(0, 255))
    changed += data.draw(st.sampled_from((b"", b"", b"", b"\0")))
    frame = before + request(bytes(changed), correlation_id=data.draw(st.integers(-(2**31), 2**31 - 1)))
    expected = equal_without_numbers(numbers_at, payload, bytes(changed))
    assert repeated(payload, numbers_at).matches(frame, len(before)) == expected


@settings(max_examples=60)
@given(payloads(), st.binary(max_size=12), st.data())
def test_other_numbers_always_match_and_any_other_byte_never_does(
    known: tuple[bytes, list[int]], before: bytes, data: st.DataObject
) -> None:
    payload, numbers_at = known
    changed = bytearray(payload)
    for at in numbers_at:
        changed[at : at + NUMBER_BYTES] = data.draw(st.binary(min_size=8, max_size=8))
    learned = repeated(payload, numbers_at)
    assert learned.matches(before + request(bytes(changed)), len(before))
    fixed = sorted(set(range(len(payload))) - {at + byte for at in numbers_at for byte in range(NUMBER_BYTES)})
    if fixed:
        changed[data.draw(st.sampled_from(fixed))] ^= data.draw(st.integers(1, 255))
        assert not learned.matches(before + request(bytes(changed)), len(before))


def test_another_api_or_version_does_not_match() -> None:
    learned = repeated(b"payload", [])
    assert learned.matches(request(b"payload"), 0)
    assert not learned.matches(request(b"payload", OTHER_PREFIX), 0)
    assert not learned.matches(request(b"payload", PREFIX - (1 << 16)), 0)


def test_a_frame_that_ends_before_the_payload_begins_does_not_match() -> None:
    for payload in (b"abc", b""):
        learned = repeated(payload, [])
        for length in range(8):
            assert not learned.matches(request(payload)[:length], 0)
            assert not learned.matches(b"abc", length)


def test_a_request_that_was_not_learned_is_not_answered() -> None:
    one = LoneConnection(LoneNode())
    assert not RepeatedRequest(ROUTES.find(PREFIX)).serve(one.connection, request(b"payload"), 0)
    assert one.sent == []
