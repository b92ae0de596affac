"""A request that its client repeats: the same bytes as before, except for numbers at known positions.

What was read from the bytes, checked and laid out once is then used again. A heartbeat has no such number, a commit has its
offsets. An API whose requests repeat has a `learn` beside its `handle`, which makes one of these; `RepeatSlot` keeps it. Knows
bytes, rights and whether topics have changed; whether the member may go unchecked is said by the runtime's `SessionToken`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from librt.strings import read_i32_be, read_i64_be
from librt.vecs import vec
from mypy_extensions import i32, i64

from muster.security.authorizer import AllowAll
from muster.security.resources import Operation, ResourceType
from muster.server.call import framed

if TYPE_CHECKING:
    from muster.runtime.node import Node
    from muster.runtime.session_token import Token
    from muster.security.authorizer import Authorizer
    from muster.server.call import Call
    from muster.server.connection import Connection

PREFIX_BYTES: Final = 4
"""Api key and version."""
BEFORE_PAYLOAD: Final = 8
"""Prefix and correlation id, which is another one each time. The payload is everything behind it, from the client id on."""
_NUMBER_BYTES: Final = 8
_READ: Final = Operation.READ
_TOPIC: Final = ResourceType.TOPIC


class RepeatedRequest:
    """As it is, a request without numbers whose answer is known as soon as its session token is renewed: a heartbeat."""

    __slots__ = (
        "_authorizer",
        "_body",
        "_catalog",
        "_catalog_changes",
        "_head",
        "_numbers_at",
        "_payload",
        "_prefix",
        "_reads",
        "_route",
        "_token",
        "client_id",
        "has_served",
        "next",
    )

    def __init__(
        self,
        call: Call,
        node: Node,
        payload: bytes,
        numbers_at: vec[i64],
        reads: list[tuple[ResourceType, str]],
        response: object,
        token: Token | None,
    ) -> None:
        """`numbers_at`: positions of 64-bit numbers in the payload, ascending, none overlapping another.

        `reads`: everything that the principal must have the right to read. `response`: the answer if all goes well.
        """
        # First what a heartbeat needs: side by side, in few cache lines.
        self._payload = payload
        self._prefix: i32 = call.route.api_key << 16 | call.route.version
        self._head = payload[: numbers_at[0]] if len(numbers_at) else payload
        """Up to the first number: the longest part that is the same, which is compared in one go."""
        self._numbers_at = numbers_at
        self._token = token
        self._catalog = node.broker.catalog if any(kind is _TOPIC for kind, _ in reads) else None
        self._authorizer: Authorizer | None = None if type(node.authorizer) is AllowAll else node.authorizer
        self.has_served = False
        self._route = call.route
        self._body = call.route.encode(response)
        self._catalog_changes = 0 if self._catalog is None else self._catalog.changes
        self._reads = reads
        self.client_id = call.client_id
        self.next: RepeatedRequest | None = None
        """Of another API, learned by the same connection."""

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
        token = self._token
        if token is None or not self.is_valid(connection) or not token.renew():
            return False
        self.has_served = True
        correlation_id = read_i32_be(frame, position + PREFIX_BYTES)
        connection.finish(framed(correlation_id, self._body, has_tags=self._route.flexible_reply))
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
