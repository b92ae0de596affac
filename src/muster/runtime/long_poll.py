"""Fetches that wait: until enough has arrived in one of their logs, or until their time is up.

Nothing sleeps: a parked poll is an entry under each of its logs and one deadline on a wheel. It fires exactly once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from muster.log.contract import PartitionLog
from muster.runtime.alarm import Alarm
from muster.runtime.wheel import TimerWheel


class ParkedPoll:
    __slots__ = ("_ended", "_fire", "_logs", "_polls", "_ready")

    def __init__(
        self,
        polls: LongPolls,
        logs: tuple[PartitionLog, ...],
        ready: Callable[[], bool],
        fire: Callable[[], None],
    ) -> None:
        self._polls = polls
        self._logs = logs
        self._ready = ready
        self._fire = fire
        self._ended = False

    def cancel(self) -> None:
        """The client is gone: forget it without firing. Harmless after it fired."""
        self._polls._forget(self)


class LongPolls:
    def __init__(self, alarm: Alarm) -> None:
        self._alarm = alarm
        self._wheel: TimerWheel[ParkedPoll] = TimerWheel()
        self._by_log: dict[PartitionLog, dict[ParkedPoll, None]] = {}
        alarm.join(self._expire)

    def __len__(self) -> int:
        return len(self._wheel)

    def park(
        self,
        logs: Iterable[PartitionLog],
        deadline_ms: int,
        ready: Callable[[], bool],
        fire: Callable[[], None],
    ) -> ParkedPoll:
        """Call `fire` once: when `ready()` holds after one of `logs` advanced, or at the deadline."""
        poll = ParkedPoll(self, tuple(logs), ready, fire)
        for log in poll._logs:
            self._by_log.setdefault(log, {})[poll] = None
        self._wheel.set(poll, deadline_ms)
        self._alarm.not_later_than(deadline_ms)
        return poll

    def on_advance(self, log: PartitionLog) -> None:
        """More of this log is durable now."""
        waiting = self._by_log.get(log)
        if waiting:
            for poll in tuple(waiting):
                if poll._ready():
                    self._complete(poll)

    def fire_all(self) -> None:
        """The server stops: answer everybody with what there is."""
        for poll in {poll: None for waiting in self._by_log.values() for poll in waiting}:
            self._complete(poll)

    def _expire(self, now_ms: int) -> int:
        for poll in self._wheel.due(now_ms):
            self._complete(poll)
        return self._wheel.next_slot_ms()

    def _complete(self, poll: ParkedPoll) -> None:
        if self._forget(poll):
            poll._fire()

    def _forget(self, poll: ParkedPoll) -> bool:
        """True for the one caller that ends it."""
        if poll._ended:
            return False
        poll._ended = True
        self._wheel.cancel(poll)
        for log in poll._logs:
            waiting = self._by_log[log]
            del waiting[poll]
            if not waiting:
                del self._by_log[log]
        return True
