"""Requests to a shard that have no answer yet: who asked is told when the shard ends, and some when it takes too long.

Commits are not among them, which are in flight then: the runner finds them there. Knows tickets and times, not what is waited
for.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any, Final

from muster.runtime.tickets import Redeemable
from muster.runtime.wheel import NEVER
from muster.wire.errors import COORDINATOR_NOT_AVAILABLE
from muster.wire.value import Value

_UNSEEN: Final = 64
"""Tickets that may be kept without a look at whether anybody still waits for them."""


class Unanswered:
    __slots__ = ("_deadlines", "_hurried", "_look_through_at", "_refused", "_requests")

    def __init__(self, refused: Callable[[Any, int], Value]) -> None:
        """`refused` makes the answer to a request that is not handled, with an error code."""
        self._refused = refused
        self._requests: dict[Redeemable, object] = {}
        """A parked request that was superseded is never answered (spec 3.1), and must not be held for long once its connection
        is gone: see `keep`."""
        self._look_through_at = _UNSEEN
        self._deadlines: deque[tuple[int, object, Redeemable]] = deque()
        """When it has taken too long, of those that do not wait for ever; earliest first."""
        self._hurried: set[Redeemable] = set()
        """Those of them whose turn has not come. Then their records have a time of their own, and the answer to these."""

    def keep(self, ticket: Redeemable, request: object) -> None:
        if len(self._requests) >= self._look_through_at:
            still = {each: its for each, its in self._requests.items() if not each.answered and not each.is_abandoned}
            self._requests = still
            self._look_through_at = 2 * len(still) + _UNSEEN
        self._requests[ticket] = request

    def keep_until(self, deadline_ms: int, ticket: Redeemable, request: object) -> None:
        """No deadline before those that were given already."""
        self.keep(ticket, request)
        self._deadlines.append((deadline_ms, request, ticket))
        self._hurried.add(ticket)

    def forget(self, ticket: Redeemable) -> None:
        """It is about to be answered."""
        if self._requests:
            self._requests.pop(ticket, None)

    def forget_deadline(self, ticket: Redeemable) -> None:
        """Its turn has come."""
        self._hurried.discard(ticket)

    def forget_deadlines(self) -> None:
        """Of those whose turn came, or that came to be answered."""
        while self._deadlines and (self._deadlines[0][2].answered or self._deadlines[0][2] not in self._hurried):
            self._hurried.discard(self._deadlines.popleft()[2])

    def next_deadline_ms(self) -> int:
        return self._deadlines[0][0] if self._deadlines else NEVER

    def give_up(self, ticks_ms: int) -> None:
        """Tell those whose deadline has come."""
        while self._deadlines and self._deadlines[0][0] <= ticks_ms:
            _, request, ticket = self._deadlines.popleft()
            if ticket in self._hurried and not ticket.answered:
                ticket.redeem(self._refused(request, COORDINATOR_NOT_AVAILABLE))
            self._hurried.discard(ticket)

    def refuse_all(self, error: int) -> None:
        requests, self._requests = self._requests, {}
        self._deadlines.clear()
        self._hurried.clear()
        for ticket, request in requests.items():
            if not ticket.answered:
                ticket.redeem(self._refused(request, error))

    def tickets(self) -> list[Redeemable]:
        """Perhaps with some that are answered by now."""
        return list(self._requests)
