"""Keyed deadlines on a timing wheel (law 8).

A key has at most one deadline; setting it again replaces it, and a replaced or cancelled deadline never fires, not
even when it is already due (spec 6.2). Moving a deadline further away, which is what every heartbeat does, only
writes a number: the entry stays in the slot where it was filed and is filed anew when that slot comes up. A slot is
one millisecond; only slots in use exist. What was cancelled stays filed until its slot comes up, or until there is more
of it than of what is alive: a deadline may be weeks away, and what a key holds must not be kept that long.

Pure data: it does not know the time and calls nobody. Used by `runner.ShardRunner`.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from heapq import heappop, heappush
from typing import Final, Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)

NEVER = 1 << 62
_DEADLINE: Final = 0
_SLOT: Final = 1
_DEAD_KEYS_KEPT = 1_000
"""Cancelled keys that may stay filed without a look at how many are alive."""


class TimerWheel(Generic[Key]):
    __slots__ = ("_entries", "_filed", "_order", "_slots")

    def __init__(self) -> None:
        self._entries: dict[Key, list[int]] = {}
        """key -> [deadline, slot it is filed under]; the slot is never later than the deadline."""
        self._slots: dict[int, list[Key]] = {}
        self._order: list[int] = []
        """A heap of the slots in use, each once."""
        self._filed = 0
        """Keys in all slots, with those that were cancelled or filed elsewhere since."""

    def __len__(self) -> int:
        return len(self._entries)

    def set(self, key: Key, deadline_ms: int) -> None:
        entry = self._entries.get(key)
        if entry is None:
            self._entries[key] = [deadline_ms, deadline_ms]
        elif entry[_SLOT] <= deadline_ms:
            entry[_DEADLINE] = deadline_ms
            return
        else:
            entry[_DEADLINE] = entry[_SLOT] = deadline_ms
        self._file(key, deadline_ms)

    def cancel(self, key: Key) -> None:
        if self._entries.pop(key, None) is not None and self._filed > 2 * len(self._entries) + _DEAD_KEYS_KEPT:
            self._file_anew()

    def deadline_of(self, key: Key) -> int | None:
        entry = self._entries.get(key)
        return None if entry is None else entry[_DEADLINE]

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
                entry = self._entries.get(key)
                if entry is None or entry[_SLOT] != slot:
                    continue  # cancelled, or filed elsewhere since
                if entry[_DEADLINE] > slot:
                    entry[_SLOT] = entry[_DEADLINE]
                    self._file(key, entry[_DEADLINE])
                    continue
                del self._entries[key]
                yield key

    def clear(self) -> None:
        self._entries.clear()
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
        for key, entry in self._entries.items():
            self._file(key, entry[_SLOT])
