"""The proof that a member's requests need not be checked again: as long as it can be renewed, heartbeats are answered alike.

The core has checked group, member and generation (or epoch) once. The token holds everything that could make it decide otherwise
the next time; if any of it has changed, the request is submitted like any other. Made by `GroupRunner.session_token` and kept by
the member's connection, which may outlive the shard: so it holds no runner and no shard, and learns of their end by the end of
its timer.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from muster.core.contract import TimerKey
from muster.core.requests import OffsetCommit
from muster.core.steady_member import SteadyMember
from muster.runtime.clock import Clock
from muster.runtime.tickets import Redeemable
from muster.runtime.wheel import Timer

if TYPE_CHECKING:
    from muster.runtime.coordinator_shards import LedPartition
    from muster.runtime.group_runner import GroupRunner


class SessionToken:
    """What a connection keeps of a member, of either protocol, for its requests that repeat."""

    __slots__ = ("_clock", "_may_speak", "_member", "_place", "_postponed", "_queues", "_timer", "_until_ticks_ms")

    def __init__(
        self,
        place: LedPartition[GroupRunner],
        member: SteadyMember,
        timer: Timer,
        queues: dict[str, Any],
        postponed: dict[TimerKey, None],
        clock: Clock,
        may_speak: Callable[[], bool] | None,
    ) -> None:
        """`timer` is that of the member's session; `queues` and `postponed` are those of the shard's `GroupQueues`."""
        self._place = place
        self._member = member
        self._timer = timer
        self._queues = queues
        self._postponed = postponed
        self._clock = clock
        self._may_speak = may_speak
        self._until_ticks_ms = clock.ticks_ms() + member.until_ms - clock.now_ms()

    def renew(self) -> bool:
        """Take a heartbeat: True if the answer is the one before. False: nothing has been done, submit the request."""
        # Records of groups in flight: what comes behind them is decided after them.
        if self._queues or self._postponed or not self._member.holds():
            return False
        # In a cluster: this node's lease has run out.
        if self._may_speak is not None and not self._may_speak():
            return False
        ticks_ms = self._clock.ticks_ms()
        # False if the timer has ended: with the session, or with the shard.
        return ticks_ms < self._until_ticks_ms and self._timer.put_off(ticks_ms + self._member.session_timeout_ms)

    def commit(self, commit: OffsetCommit, ticket: Redeemable) -> bool:
        """Submit a commit of a classic member without having it checked. False: nothing has been done, submit it as usual.

        A commit is accepted where a heartbeat of the same member is answered NONE in a Stable group, and restarts the session
        as well (spec 4.1 row 6).
        """
        runner = self._place.runner
        if runner is None or not self.renew():
            return False
        runner.submit_checked(commit, ticket)
        return True
