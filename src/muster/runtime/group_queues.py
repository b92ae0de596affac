"""Whose turn it is: while group records of a group are in flight, later events of that group and its timers wait.

Nobody waits for records of another group. Nor do members of one group for each other, where a record is about one member alone
(`begin` with a member): a thousand members that take their next step are stored together. Knows the order of events, not what they
do; the shard's runner says when records leave and when they have settled.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from muster.core.contract import TimerChange, TimerKey
from muster.core.fifo import Fifo
from muster.runtime.in_flight import Event

Stepping: TypeAlias = Callable[[], str]
"""Which member an event would take one step of its own with, if its turn came now; "" if it may change more."""


class GroupQueues:
    __slots__ = ("_fire", "_stepping", "_storing", "postponed", "queues")

    def __init__(self, fire: Callable[[TimerKey], None]) -> None:
        """`fire` is called with a timer that came due while its group was busy."""
        self.queues: dict[str, Fifo[tuple[Event, Stepping | None]]] = {}
        """Groups with group records in flight, and what waits for them."""
        self.postponed: dict[TimerKey, None] = {}
        """Timers that are due and wait for records of their group."""
        self._storing: dict[str, int] = {}
        """How many outcomes with group records of a group are in flight."""
        self._stepping: dict[str, set[str]] = {}
        """Members of a group with a step of their own in flight."""
        self._fire = fire

    def begin(self, groups: tuple[str, ...], member_id: str = "") -> None:
        """Records of these are in flight. `member_id`: they are about this member of one group alone."""
        for group_id in groups:
            if member_id:
                self._stepping.setdefault(group_id, set()).add(member_id)
            else:
                self._storing[group_id] = self._storing.get(group_id, 0) + 1
            if group_id not in self.queues:
                self.queues[group_id] = Fifo()

    def end(self, groups: tuple[str, ...], member_id: str = "") -> None:
        """They have settled. Nothing happens yet: see `let_through`."""
        for group_id in groups:
            if member_id:
                stepping = self._stepping[group_id]
                stepping.remove(member_id)
                if not stepping:
                    del self._stepping[group_id]
                continue
            self._storing[group_id] -= 1
            if not self._storing[group_id]:
                del self._storing[group_id]

    def wait(self, group_id: str, event: Event, stepping: Stepping | None = None) -> None:
        """It happens when its turn comes."""
        self.queues[group_id].append((event, stepping))

    def may_step(self, group_id: str, member_id: str) -> bool:
        """Whether a member may take a step of its own beside what is in flight. Others that wait are not overtaken."""
        return not len(self.queues[group_id]) and not self.postponed and self._is_free_for(group_id, member_id)

    def _is_free_for(self, group_id: str, member_id: str) -> bool:
        return group_id not in self._storing and member_id not in self._stepping.get(group_id, ())

    def let_through(self, group_id: str) -> None:
        """Hand out what waited for the group, until one of these events puts group records in flight itself."""
        queue = self.queues.get(group_id)
        while queue is not None and group_id not in self._storing:
            is_busy = group_id in self._stepping
            if not len(queue):
                if not is_busy:
                    del self.queues[group_id]
                    self._fire_postponed(group_id)
                return
            event, stepping = queue.oldest()
            if is_busy:
                member_id = "" if stepping is None else stepping()
                if not member_id or not self._is_free_for(group_id, member_id):
                    return
            queue.pop()
            event()
            if group_id not in self.queues:
                return  # the shard ended over it, and everybody has been told

    def postpone(self, key: TimerKey) -> bool:
        """A timer is due; False if nothing keeps it from firing."""
        if len(key) > 1 and key[1] in self.queues:
            # The group's records are in flight: it fires when they have settled, unless it is cancelled or moved
            # meanwhile (spec 6.2).
            self.postponed[key] = None
            return True
        return False

    def timers_change(self, timers: list[TimerChange]) -> None:
        if self.postponed:
            for key, _ in timers:
                self.postponed.pop(key, None)

    def clear(self) -> None:
        self.queues.clear()
        self.postponed.clear()
        self._storing.clear()
        self._stepping.clear()

    def __len__(self) -> int:
        """How many events wait."""
        return sum([len(queue) for queue in self.queues.values()])

    def _fire_postponed(self, group_id: str) -> None:
        """Timers that came due while the group was busy. One of them may make it busy again: the others wait on."""
        for key in [key for key in self.postponed if key[1] == group_id]:
            if key in self.postponed:
                del self.postponed[key]
                self._fire(key)
