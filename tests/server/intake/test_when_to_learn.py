"""When a connection tries to learn a request, and how it puts that off if it was of no use."""

from __future__ import annotations

from struct import pack
from typing import Any, cast

from librt.vecs import vec
from mypy_extensions import i64

from muster.server.call import Call
from muster.server.intake.repeated_request import RepeatedRequest, Submission
from muster.server.limits import REPEATED_REQUEST_BYTES
from muster.server.routes import Route
from tests.server.lone_connection import LoneConnection, LoneNode


def route_with(learn: Any) -> Route:
    nothing: Any = lambda *_: None  # noqa: E731
    return Route(8, "OffsetCommit", 9, nothing, nothing, nothing, learn, flexible_request=True, flexible_reply=True)


class Learner:
    """Notes each try. `keeps` says whether anything comes of it."""

    def __init__(self, keeps: bool = False) -> None:
        self.tries: list[tuple[bytes, int]] = []
        self.keeps = keeps
        node = LoneNode()
        self._node = cast(Any, node)
        self._call = Call(LoneConnection(node).connection, route_with(self._learn), 1, None)
        self.repeated = RepeatedRequest(self._call.route)

    def _learn(
        self, repeated: RepeatedRequest, call: Call, request: object, node: Any, payload: bytes, body_at: int
    ) -> None:
        self.tries.append((payload, body_at))
        if self.keeps:
            repeated.keep_with_numbers(call, node, payload, [], vec[i64](), Submission())

    def read(self, payload: bytes = b"request") -> None:
        self.repeated.learn(self._call, None, self._node, b"headhead" + payload, 8, 8 + 3)

    def tries_of(self, requests: int) -> list[int]:
        """At which of so many requests of one length it was tried, counted from 1."""
        tried_at = []
        for number in range(1, requests + 1):
            before = len(self.tries)
            self.read()
            if len(self.tries) > before:
                tried_at.append(number)
        return tried_at


def test_the_second_request_of_a_length_is_learned() -> None:
    learner = Learner(keeps=True)
    learner.read(b"client and body")
    assert learner.tries == []
    learner.read(b"CLIENT AND BODY")
    assert learner.tries == [(b"CLIENT AND BODY", 3)]
    assert learner.repeated.is_learned
    assert learner.repeated.matches(pack(">hhi", 8, 9, 4711) + b"CLIENT AND BODY", 0)


def test_requests_of_changing_lengths_are_not_learned() -> None:
    learner = Learner()
    for length in range(1, 50):
        learner.read(bytes(length))
    assert learner.tries == []


def test_a_request_that_is_too_large_is_not_learned() -> None:
    learner = Learner()
    for length in (REPEATED_REQUEST_BYTES + 1, REPEATED_REQUEST_BYTES):
        learner.read(bytes(length))
        learner.read(bytes(length))
    assert [len(payload) for payload, _ in learner.tries] == [REPEATED_REQUEST_BYTES]


def test_what_cannot_be_learned_is_tried_ever_more_rarely_but_never_given_up() -> None:
    assert Learner().tries_of(270) == [2, 3, 4, 6, 9, 14, 23, 40, 73, 138, 203, 268]


def test_what_was_learned_and_did_not_serve_was_of_no_use() -> None:
    assert Learner(keeps=True).tries_of(80) == [2, 3, 4, 6, 9, 14, 23, 40, 73]


def test_what_has_served_is_learned_anew_at_once() -> None:
    learner = Learner()
    assert learner.tries_of(8) == [2, 3, 4, 6]
    learner.keeps = True
    assert learner.tries_of(1) == [1]
    for _ in range(5):
        learner.repeated.has_served = True
        assert learner.tries_of(1) == [1]
