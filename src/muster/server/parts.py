"""One request about several groups is several questions to the coordinator; the answer leaves when all of them are answered.

Knows nothing of what is asked. Used by the handlers of DescribeGroups, DeleteGroups, OffsetFetch and ListGroups.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar, cast

from muster.runtime.tickets import Redeemable
from muster.server.call import Call
from muster.wire.value import Value

R = TypeVar("R", bound=Value)


class Parts(Generic[R]):
    """Hands out tickets, collects their replies in the order in which the tickets were made, then lays out the
    answer.
    """

    __slots__ = ("_call", "_lay_out", "_replies", "_sealed", "_waiting")

    def __init__(self, call: Call, lay_out: Callable[[list[R]], object]) -> None:
        self._call = call
        self._lay_out = lay_out
        self._replies: list[R | None] = []
        self._waiting = 0
        self._sealed = False

    def ticket(self) -> PartTicket[R]:
        assert not self._sealed, "all parts were said to be asked"
        self._replies.append(None)
        self._waiting += 1
        return PartTicket(self, len(self._replies) - 1)

    def settled(self, reply: R) -> None:
        """A part whose answer is known without asking anybody."""
        self._replies.append(reply)

    def seal(self) -> None:
        """All parts are asked; the answer may leave, now or when the last one comes."""
        self._sealed = True
        self._finish_if_complete()

    @property
    def is_abandoned(self) -> bool:
        return self._call.is_abandoned

    def _collect(self, index: int, reply: R) -> None:
        self._replies[index] = reply
        self._waiting -= 1
        self._finish_if_complete()

    def _finish_if_complete(self) -> None:
        if self._sealed and self._waiting == 0:
            self._call.resume(self._answer)

    def _answer(self) -> None:
        self._call.reply(self._lay_out(cast("list[R]", self._replies)))


class PartTicket(Redeemable, Generic[R]):
    """The ticket of one part."""

    __slots__ = ("_index", "_parts")

    def __init__(self, parts: Parts[R], index: int) -> None:
        self._parts = parts
        self._index = index
        self.answered = False

    @property
    def is_abandoned(self) -> bool:
        return self._parts.is_abandoned

    def redeem(self, reply: Value) -> None:
        assert not self.answered, "a part is answered twice"
        self.answered = True
        self._parts._collect(self._index, cast(R, reply))
