"""Keyed deadlines on a timing wheel (law 8).

A key has at most one deadline; setting it again replaces it, and a replaced or cancelled deadline never fires, not
even when it is already due (spec 6.2). Moving a deadline further away, which is what every heartbeat does, only
writes a number: the entry stays in the slot where it was filed and is filed anew when that slot comes up. A slot is
one millisecond; only slots in use exist.

Pure data: it does not know the time and calls nobody. Used by `runner.ShardRunner`.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from heapq import heappop, heappush
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)

NEVER = 1 << 62
_DEADLINE, _SLOT = 0, 1


class TimerWheel(Generic[Key]):
    __slots__ = ("_entries", "_order", "_slots")

    def __init__(self) -> None:
        self._entries: dict[Key, list[int]] = {}
        """key -> [deadline, slot it is filed under]; the slot is never later than the deadline."""
        self._slots: dict[int, list[Key]] = {}
        self._order: list[int] = []
        """A heap of the slots in use, each once."""

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
        self._entries.pop(key, None)

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
            slots.append((slot, self._slots.pop(slot)))
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

    def _file(self, key: Key, slot: int) -> None:
        keys = self._slots.get(slot)
        if keys is None:
            self._slots[slot] = [key]
            heappush(self._order, slot)
        else:
            keys.append(key)
