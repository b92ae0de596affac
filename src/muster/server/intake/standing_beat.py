"""The heartbeat that a connection's client sends again and again, and its answer, which differ by their correlation ids alone.

Known again by its bytes and answered from its bytes: between two rebalances nothing is read and nothing is laid out anew. Knows
where frames have their correlation id, and nothing else of them. Made by the heartbeat's handler, kept by its connection.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from librt.strings import read_i32_be, read_i64_be, write_i32_be
from mypy_extensions import i32, i64

from muster.runtime.session_token import SessionToken
from muster.security.resources import Operation, ResourceType
from muster.wire.native import begun, finished

if TYPE_CHECKING:
    from muster.security.authorizer import Authorizer

_PREFIX_BYTES: Final = 4
"""Api key and version."""
_REQUEST_ID: Final = 8
"""Behind size and prefix."""
_ANSWER_ID: Final = 4
"""Behind the size."""
_ID_BYTES: Final = 4
_READ: Final = Operation.READ
_GROUP: Final = ResourceType.GROUP


class StandingBeat:
    __slots__ = (
        "_answer_begins",
        "_answer_ends",
        "_authorizer",
        "_begins",
        "_ends",
        "_group_id",
        "_host",
        "_principal",
        "_token",
    )

    def __init__(
        self, token: SessionToken, authorizer: Authorizer | None, principal: str, host: str, group_id: str
    ) -> None:
        """`authorizer` is asked each time; None: everybody may."""
        self._token = token
        self._authorizer = authorizer
        self._principal = principal
        self._host = host
        self._group_id = group_id
        self._begins: i64 = 0
        self._ends = b""
        self._answer_begins: i32 = 0
        self._answer_ends = b""

    def know(self, prefix: i32, ends: bytes, answer: bytes) -> None:
        """Of the request: api key and version, and what is behind the correlation id. The answer is a whole frame."""
        self._begins = (len(ends) + _PREFIX_BYTES + _ID_BYTES) << 32 | i64(prefix)
        self._ends = ends
        self._answer_begins = read_i32_be(answer, 0)
        self._answer_ends = answer[_ANSWER_ID + _ID_BYTES :]

    def answer(self, data: bytes) -> bytes | None:
        """The answer, if these bytes are one more of those heartbeats; None if they have to be looked at."""
        if (
            len(data) <= _REQUEST_ID + _ID_BYTES
            or read_i64_be(data, 0) != self._begins
            or data[_REQUEST_ID + _ID_BYTES :] != self._ends
        ):
            return None
        if self._authorizer is not None and not self._authorizer.allows(
            self._principal, self._host, _READ, _GROUP, self._group_id
        ):
            return None
        if not self._token.renew():
            return None
        frame = begun()
        write_i32_be(frame, self._answer_begins)
        write_i32_be(frame, read_i32_be(data, _REQUEST_ID))
        frame.write(self._answer_ends)
        return finished(frame)
