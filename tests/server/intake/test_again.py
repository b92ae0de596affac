"""What a connection learns of requests that come again with other numbers in them, and when it gives up trying."""

from __future__ import annotations

from typing import Any, cast

from hypothesis import given, settings
from hypothesis import strategies as st
from librt.vecs import append, vec
from mypy_extensions import i64

from muster.server.call import Call
from muster.server.intake.again import Again, Learning
from muster.server.limits import LEARNED_IN_VAIN, LEARNED_REQUEST_BYTES
from muster.server.routes import Route
from tests.server.lone_connection import LoneConnection, LoneNode

NUMBER_BYTES = 8


@st.composite
def remembered(draw: st.DrawFn) -> tuple[bytes, list[int]]:
    """Bytes, and where in them numbers stand."""
    gaps = draw(st.lists(st.binary(max_size=20), min_size=1, max_size=5))
    octets, numbers_at = gaps[0], []
    for gap in gaps[1:]:
        numbers_at.append(len(octets))
        octets += draw(st.binary(min_size=NUMBER_BYTES, max_size=NUMBER_BYTES)) + gap
    return octets, numbers_at


def again_of(octets: bytes, numbers_at: list[int]) -> Again:
    positions = vec[i64]()
    for at in numbers_at:
        positions = append(positions, at)
    return Again(cast(Any, route_with(lambda *_: None)), octets, 0, positions)


def fits_by_slices(octets: bytes, numbers_at: list[int], frame: bytes, start: int) -> bool:
    """The same question, asked plainly: without the numbers they are equal."""
    masked = [bytearray(octets), bytearray(frame[start:])]
    for each in masked:
        for at in numbers_at:
            each[at : at + NUMBER_BYTES] = bytes(NUMBER_BYTES)
    return len(frame) - start == len(octets) and masked[0] == masked[1]


@settings(max_examples=60)
@given(remembered(), st.binary(max_size=12), st.data())
def test_a_frame_fits_exactly_if_it_differs_only_where_the_numbers_stand(
    known: tuple[bytes, list[int]], before: bytes, data: st.DataObject
) -> None:
    octets, numbers_at = known
    frame = bytearray(before + octets)
    for _ in range(data.draw(st.integers(0, 3))):
        if len(octets):
            frame[len(before) + data.draw(st.integers(0, len(octets) - 1))] = data.draw(st.integers(0, 255))
    frame += data.draw(st.sampled_from((b"", b"", b"", b"\0")))
    again = again_of(octets, numbers_at)
    assert again.fits(bytes(frame), len(before)) == fits_by_slices(octets, numbers_at, bytes(frame), len(before))


@settings(max_examples=60)
@given(remembered(), st.binary(max_size=12), st.data())
def test_other_numbers_always_fit_and_any_other_byte_never_does(
    known: tuple[bytes, list[int]], before: bytes, data: st.DataObject
) -> None:
    octets, numbers_at = known
    frame = bytearray(before + octets)
    for at in numbers_at:
        frame[len(before) + at : len(before) + at + NUMBER_BYTES] = data.draw(st.binary(min_size=8, max_size=8))
    again = again_of(octets, numbers_at)
    assert again.fits(bytes(frame), len(before))
    fixed = sorted(set(range(len(octets))) - {at + byte for at in numbers_at for byte in range(NUMBER_BYTES)})
    if fixed:
        frame[len(before) + data.draw(st.sampled_from(fixed))] ^= data.draw(st.integers(1, 255))
        assert not again.fits(bytes(frame), len(before))


def test_a_frame_that_ends_before_the_request_begins_does_not_fit() -> None:
    assert not again_of(b"abc", []).fits(b"abc", 8)
    assert not again_of(b"", []).fits(b"abc", 8)


# ---- when it learns


def route_with(learn: Any) -> Route:
    nothing: Any = lambda *_: None  # noqa: E731
    return Route(8, "OffsetCommit", 9, nothing, nothing, nothing, learn, flexible_request=True, flexible_reply=True)


class Pupil:
    """Counts how often it was tried to learn one of its requests. `lesson` says what came of it."""

    def __init__(self) -> None:
        self.tries: list[tuple[bytes, int]] = []
        self.lesson: Again | None = None
        self.learning = Learning()
        node = LoneNode()
        self._node = cast(Any, node)
        self._call = Call(LoneConnection(node).connection, route_with(self._learn), 1, None)

    def _learn(self, call: object, request: object, node: object, octets: bytes, body_at: int) -> Again | None:
        self.tries.append((octets, body_at))
        return self.lesson

    def read(self, octets: bytes) -> None:
        self.learning.learn(self._call, None, self._node, b"headhead" + octets, 8, 8 + 3)


def test_the_second_request_of_a_length_is_learned() -> None:
    pupil = Pupil()
    pupil.lesson = again_of(b"", [])
    pupil.read(b"client and body")
    assert pupil.learning.again is None
    pupil.read(b"CLIENT AND BODY")
    assert pupil.tries == [(b"CLIENT AND BODY", 3)]
    assert pupil.learning.again is pupil.lesson


def test_requests_of_changing_lengths_are_not_learned() -> None:
    pupil = Pupil()
    for length in range(1, 50):
        pupil.read(bytes(length))
    assert pupil.tries == []


def test_a_request_that_is_too_large_is_not_learned() -> None:
    pupil = Pupil()
    for length in (LEARNED_REQUEST_BYTES + 1, LEARNED_REQUEST_BYTES):
        pupil.read(bytes(length))
        pupil.read(bytes(length))
    assert [len(octets) for octets, _ in pupil.tries] == [LEARNED_REQUEST_BYTES]


def test_after_trying_in_vain_some_times_it_is_not_tried_any_more() -> None:
    """There may be nothing to learn, or it never comes again."""
    for lesson in (None, again_of(b"", [])):
        pupil = Pupil()
        pupil.lesson = lesson
        for _ in range(20):
            pupil.read(b"request")
        assert len(pupil.tries) == LEARNED_IN_VAIN + (lesson is not None)  # the last one may still come again


def test_a_request_that_came_again_makes_up_for_those_that_did_not() -> None:
    pupil = Pupil()
    for _ in range(5):
        for _ in range(LEARNED_IN_VAIN - 1):
            pupil.lesson = None
            pupil.read(b"request")
        pupil.lesson = again_of(b"", [])
        pupil.read(b"request")
        pupil.lesson.has_served = True
    assert len(pupil.tries) == 5 * LEARNED_IN_VAIN - 1  # but the very first, of which it only knows the length


def test_what_is_forgotten_and_had_not_served_was_in_vain() -> None:
    pupil = Pupil()
    pupil.lesson = again_of(b"", [])
    for _ in range(20):
        pupil.read(b"request")
        pupil.learning.forget()
        assert pupil.learning.again is None
    assert len(pupil.tries) == LEARNED_IN_VAIN
