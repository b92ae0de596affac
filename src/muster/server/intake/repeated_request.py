"""A request that a client repeats: the same bytes as before, except for numbers at known positions.

What was read from the bytes, checked and laid out once is then used again. A heartbeat has no such number, a commit has its
offsets. An API whose requests repeat has a `learn` beside its `handle`, which says what to keep. Knows bytes, rights, whether
topics have changed, and when it is time to learn; whether the member may go unchecked is said by the runtime's `SessionToken`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from librt.strings import read_i32_be, read_i64_be
from librt.vecs import vec
from mypy_extensions import i32, i64

from muster.security.authorizer import AllowAll
from muster.security.resources import Operation, ResourceType
from muster.server.call import Call, framed
from muster.server.limits import REPEAT_PAUSES, REPEATED_REQUEST_BYTES

if TYPE_CHECKING:
    from muster.runtime.node import Node
    from muster.runtime.session_token import SessionToken
    from muster.security.authorizer import Authorizer
    from muster.server.connection import Connection
    from muster.server.routes import Route
    from muster.topics.catalog import Catalog

PREFIX_BYTES: Final = 4
"""Api key and version."""
BEFORE_PAYLOAD: Final = 8
"""Prefix and correlation id, which is another one each time. The payload is everything behind it, from the client id on."""
_NUMBER_BYTES: Final = 8
_READ: Final = Operation.READ
_TOPIC: Final = ResourceType.TOPIC


class Submission:
    """What an API adds for requests with numbers: it reads them and has the request decided."""

    __slots__ = ()

    def submit(self, call: Call, frame: bytes, start: i64) -> None:
        """The payload begins at `start`. The call is that of the new request, and will be answered."""
        raise NotImplementedError


class RepeatedRequest:
    """The request of one API that one connection repeats, and when to learn another one.

    Learning costs more than reading a request, and not every client repeats itself: a try that was of no use puts off the next
    one. Consumers send heartbeats and commits over the same connection, so there is one of these for each API whose requests
    repeat.
    """

    __slots__ = (
        "_authorizer",
        "_body",
        "_catalog",
        "_catalog_changes",
        "_client_id",
        "_head",
        "_last_bytes",
        "_numbers_at",
        "_of_no_use",
        "_pause_left",
        "_payload",
        "_prefix",
        "_reads",
        "_route",
        "_submission",
        "_token",
        "has_served",
        "is_learned",
        "next",
    )

    def __init__(self, route: Route) -> None:
        """Nothing is learned yet."""
        # First what a heartbeat needs: side by side, in few cache lines.
        self._payload = b""
        self._prefix: i32 = 0
        self._head = b""
        """The payload up to the first number: the longest part that is the same, which is compared in one go."""
        self._numbers_at = vec[i64]()
        self._token: SessionToken | None = None
        self._catalog: Catalog | None = None
        self._authorizer: Authorizer | None = None
        self._submission: Submission | None = None
        self.has_served = False
        self._route = route
        self._body = b""
        self._catalog_changes = 0
        self._reads: list[tuple[ResourceType, str]] = []
        self._client_id: str | None = None
        self.next: RepeatedRequest | None = None
        """Of another API, learned by the same connection."""
        self.is_learned = False
        self._last_bytes = 0
        """Length of the last request that was read as a whole."""
        self._of_no_use = 0
        """Tries since the last one that was of use."""
        self._pause_left = 0
        """Requests to leave out before the next try."""

    @property
    def api_key(self) -> int:
        return self._route.api_key

    # ---- learning

    def learn(self, call: Call, request: object, node: Node, frame: bytes, start: int, body: int) -> None:
        """Learn the second request of a length. In the frame its payload begins at `start`, its body at `body`."""
        length = len(frame) - start
        if length != self._last_bytes:
            self._last_bytes = length
            return
        if length > REPEATED_REQUEST_BYTES:
            return
        self._forget()
        if self._pause_left:
            self._pause_left -= 1
            return
        learn = call.route.learn
        assert learn is not None
        learn(self, call, request, node, frame[start:], body - start)
        if not self.is_learned:
            self._put_off()
        elif not self.is_valid(call.connection):
            self._forget()

    def keep(
        self,
        call: Call,
        node: Node,
        payload: bytes,
        reads: list[tuple[ResourceType, str]],
        response: object,
        token: SessionToken,
    ) -> None:
        """A request without numbers, which is answered by `response` as soon as its session token is renewed.

        `reads`: everything that the principal must have the right to read.
        """
        self._keep(call, node, payload, reads)
        self._head = payload
        self._body = call.route.encode(response)
        self._token = token

    def keep_with_numbers(
        self,
        call: Call,
        node: Node,
        payload: bytes,
        reads: list[tuple[ResourceType, str]],
        numbers_at: vec[i64],
        submission: Submission,
    ) -> None:
        """A request that `submission` has decided. At these positions of its payload, which ascend and do not overlap, there are
        numbers of 64 bits."""
        self._keep(call, node, payload, reads)
        self._head = payload[: numbers_at[0]] if len(numbers_at) else payload
        self._numbers_at = numbers_at
        self._submission = submission

    def _keep(self, call: Call, node: Node, payload: bytes, reads: list[tuple[ResourceType, str]]) -> None:
        self._payload = payload
        self._prefix = call.route.api_key << 16 | call.route.version
        self._catalog = node.broker.catalog if any(kind is _TOPIC for kind, _ in reads) else None
        self._catalog_changes = 0 if self._catalog is None else self._catalog.changes
        self._authorizer = None if type(node.authorizer) is AllowAll else node.authorizer
        self._route = call.route
        self._reads = reads
        self._client_id = call.client_id
        self.has_served = False
        self.is_learned = True

    def _forget(self) -> None:
        if not self.is_learned:
            return
        self.is_learned = False
        self._token = self._submission = None  # they keep the group, which may end
        if self.has_served:
            self._of_no_use = self._pause_left = 0
        else:
            self._put_off()

    def _put_off(self) -> None:
        self._pause_left = REPEAT_PAUSES[self._of_no_use]
        self._of_no_use = min(self._of_no_use + 1, len(REPEAT_PAUSES) - 1)

    # ---- serving

    def matches(self, frame: bytes, position: i64) -> bool:
        """Whether the request at `position` is this one, whatever its correlation id and its numbers are."""
        payload, head = self._payload, self._head
        start = position + BEFORE_PAYLOAD
        at: i64 = len(head)
        if (
            len(frame) - start != len(payload)
            or read_i32_be(frame, position) != self._prefix
            or frame[start : start + at] != head
        ):
            return False
        if at == len(payload):
            return True
        for number_at in self._numbers_at:
            if not _equal(frame, start, payload, at, number_at):
                return False
            at = number_at + _NUMBER_BYTES
        return _equal(frame, start, payload, at, len(payload))

    def is_valid(self, connection: Connection) -> bool:
        """Whether what is checked before the coordinator is asked would be found as it was: rights and topics.

        Quietly: who is denied something is answered, and audited, when the request is read as a whole.
        """
        if self._catalog is not None and self._catalog.changes != self._catalog_changes:
            return False
        authorizer = self._authorizer
        if authorizer is None:
            return True
        principal, host = connection.principal, connection.host
        return all(authorizer.allows(principal, host, _READ, kind, name) for kind, name in self._reads)

    def serve(self, connection: Connection, frame: bytes, position: i64) -> bool:
        """Serve a request that matches. False: something has changed; nothing has been done, so read it as a whole."""
        if not self.is_valid(connection):
            return False
        submission = self._submission
        if submission is None:
            token = self._token
            if token is None or not token.renew():
                return False
            self.has_served = True
            correlation_id = read_i32_be(frame, position + PREFIX_BYTES)
            connection.finish(framed(correlation_id, self._body, has_tags=self._route.flexible_reply))
            return True
        self.has_served = True
        call = Call(connection, self._route, read_i32_be(frame, position + PREFIX_BYTES), self._client_id)
        connection.call = call
        submission.submit(call, frame, position + BEFORE_PAYLOAD)
        return True


def _equal(frame: bytes, start: i64, payload: bytes, at: i64, end: i64) -> bool:
    while at + _NUMBER_BYTES <= end:
        if read_i64_be(frame, start + at) != read_i64_be(payload, at):
            return False
        at += _NUMBER_BYTES
    while at < end:
        if frame[start + at] != payload[at]:
            return False
        at += 1
    return True
