"""The heartbeats of one member that are all the same: judged once by the core, then only their timer is moved.

One is like those before it as long as nothing has happened that the core or the runner would have to be asked about. Otherwise
it is submitted like any other request. Made by `ShardRunner.pulse_of`, kept by the member's connection, which may outlive the
shard: so it holds no runner and no shard, and knows the end of both by the end of its timer.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from muster.core.contract import TimerKey
from muster.runtime.clock import Clock
from muster.runtime.wheel import Timer

if TYPE_CHECKING:
    from muster.core.classic.heartbeat import SignOfLife


class Pulse:
    __slots__ = ("_clock", "_may_speak", "_postponed", "_queues", "_session", "_sign", "beaten_ms")

    def __init__(
        self,
        sign: SignOfLife,
        session: Timer,
        queues: dict[str, Any],
        postponed: dict[TimerKey, None],
        clock: Clock,
        may_speak: Callable[[], bool] | None,
    ) -> None:
        """`queues` and `postponed` are those of the shard's `Turns`: what waits for records of groups."""
        self._sign = sign
        self._session = session
        self._queues = queues
        self._postponed = postponed
        self._clock = clock
        self._may_speak = may_speak
        self.beaten_ms = 0
        """When it beat last, in ticks of the clock: for whoever goes on from there."""

    def beat(self) -> bool:
        """The member is alive: True if that was all there is to it, and NONE is the answer. False: nothing has been done."""
        sign = self._sign
        if self._queues or self._postponed or not sign.holds():
            return False
        if self._may_speak is not None and not self._may_speak():
            return False
        ticks_ms = self._clock.ticks_ms()
        self.beaten_ms = ticks_ms
        return self._session.put_off(ticks_ms + sign.member.session_timeout_ms)
