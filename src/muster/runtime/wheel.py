"""Keyed deadlines on a timing wheel (law 8).

A key has at most one deadline; setting it again replaces it, and a replaced or cancelled deadline never fires, not
even when it is already due (spec 6.2). Moving a deadline further away, which is what every heartbeat does, only
writes a number: the entry stays in the slot where it was filed and is filed anew when that slot comes up. A slot is
one millisecond; only slots in use exist. What was cancelled stays filed until its slot comes up, or until there is more
of it than of what is alive: a deadline may be weeks away, and what a key holds must not be kept that long.

Pure data: it does not know the time and calls nobody. Used by `runner.ShardRunner` and `session_token.SessionToken`.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from heapq import heappop, heappush
from typing import Final, Generic, TypeVar

from mypy_extensions import i64, mypyc_attr

Key = TypeVar("Key", bound=Hashable)

NEVER: Final = 1 << 62
_DEAD_KEYS_KEPT = 1_000
"""Cancelled keys that may stay filed without a look at how many are alive."""


@mypyc_attr(acyclic=True)
class Timer:
    """A key's deadline. A caller that moves it often keeps it, which spares the look-up in the wheel."""

    __slots__ = ("deadline_ms", "slot_ms")

    def __init__(self, deadline_ms: i64) -> None:
        self.deadline_ms: i64 = deadline_ms
        self.slot_ms: i64 = deadline_ms
        """What it is filed under, never later than the deadline; NEVER when it has fired or was cancelled."""

    def put_off(self, deadline_ms: i64) -> bool:
        """Move the deadline further away. False if that is not where it goes, or if there is none any more: ask the wheel."""
        if deadline_ms < self.slot_ms:
            return False
        self.deadline_ms = deadline_ms
        return True

    def end(self) -> None:
        self.slot_ms = NEVER


class TimerWheel(Generic[Key]):
    __slots__ = ("_filed", "_order", "_slots", "_timers")

    def __init__(self) -> None:
        self._timers: dict[Key, Timer] = {}
        self._slots: dict[int, list[Key]] = {}
        self._order: list[int] = []
        """A heap of the slots in use, each once."""
        self._filed = 0
        """Keys in all slots, with those that were cancelled or filed elsewhere since."""

    def __len__(self) -> int:
        return len(self._timers)

    def set(self, key: Key, deadline_ms: int) -> None:
        timer = self._timers.get(key)
        if timer is None:
            self._timers[key] = Timer(deadline_ms)
        elif timer.put_off(deadline_ms):
            return
        else:
            timer.deadline_ms = timer.slot_ms = deadline_ms
        self._file(key, deadline_ms)

    def cancel(self, key: Key) -> None:
        timer = self._timers.pop(key, None)
        if timer is None:
            return
        timer.end()
        if self._filed > 2 * len(self._timers) + _DEAD_KEYS_KEPT:
            self._file_anew()

    def timer_of(self, key: Key) -> Timer | None:
        return self._timers.get(key)

    def next_slot_ms(self) -> int:
        """When to look again. Not after the earliest deadline; perhaps before it, if that one was moved."""
        return self._order[0] if self._order else NEVER

    def due(self, now_ms: int) -> Iterator[Key]:
        """Take out, one by one and earliest first, the keys whose deadline has passed.

        Each is judged when its turn comes, so whatever the caller does between two of them (set, cancel) counts.
        """
        slots = []
        while self._order and self._order[0] <= now_ms:
            slot = heappop(self._order)
            keys = self._slots.pop(slot)
            self._filed -= len(keys)
            slots.append((slot, keys))
        # What the caller files from here on waits for the next round, even if it is due already: a timer that sets
        # itself again with no delay must not keep this loop for ever.
        for slot, keys in slots:
            for key in keys:
                timer = self._timers.get(key)
                if timer is None or timer.slot_ms != slot:
                    continue  # cancelled, or filed elsewhere since
                if timer.deadline_ms > slot:
                    timer.slot_ms = timer.deadline_ms
                    self._file(key, timer.deadline_ms)
                    continue
                del self._timers[key]
                timer.end()
                yield key

    def clear(self) -> None:
        for timer in self._timers.values():
            timer.end()
        self._timers.clear()
        self._slots.clear()
        self._order.clear()
        self._filed = 0

    def _file(self, key: Key, slot: int) -> None:
        self._filed += 1
        keys = self._slots.get(slot)
        if keys is None:
            self._slots[slot] = [key]
            heappush(self._order, slot)
        else:
            keys.append(key)

    def _file_anew(self) -> None:
        """Only what is alive. Keys of slots that `due` is handing out are filed too, and are still judged by their slot."""
        self._slots.clear()
        self._order.clear()
        self._filed = 0
        for key, timer in self._timers.items():
            self._file(key, timer.slot_ms)
