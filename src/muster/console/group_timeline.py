"""What has happened to one group, as far as it was read: journal events, or the stored states in the offsets log of a Kafka.

Takes them one by one in the order of the log and has the group's `History` at hand at any time. Events are kept as the bytes of
their records: decoded they take five times as much memory. Pure.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from muster.explain.event import Event, event_in
from muster.explain.facts import History
from muster.explain.fold import Folding, fold
from muster.explain.inferred import StoredAt, infer

KEPT_EVENTS: Final = 2_000
KEPT_STATES: Final = 300
_REFOLD_AFTER: Final = 2 * KEPT_EVENTS
_STARTS: Final = frozenset({"rebalance_started", "epoch_raised"})


class GroupTimeline:
    def __init__(self, group: str, topic_names: Mapping[bytes, str]) -> None:
        """`topic_names`: by topic id; grows as topics come."""
        self.group = group
        self._topic_names = topic_names
        self.version = 0
        self.last_rebalance_ms: int | None = None
        self.is_whole = False
        """The part of the log before the first follow-up has been read too."""
        self._events: deque[bytes] = deque(maxlen=KEPT_EVENTS)
        self._states: deque[StoredAt] = deque(maxlen=KEPT_STATES)
        self._folding: Folding | None = None
        self._folded = 0
        self._history: tuple[int, History] | None = None

    def __len__(self) -> int:
        return len(self._events) + len(self._states)

    def take(self, event: Event, value: bytes) -> None:
        """An event, and the record that it was decoded from."""
        self.version += 1
        self._events.append(value)
        if event.kind in _STARTS:
            self.last_rebalance_ms = event.at_ms
        if self._folding is not None:
            self._folding.take(event)
            self._folded += 1

    def take_state(self, state: StoredAt) -> None:
        self.version += 1
        self._states.append(state)
        self.last_rebalance_ms = state.at_ms

    def prepend(self, values: Sequence[bytes], states: Sequence[StoredAt]) -> None:
        """What the log had before, of an event the bytes of its record; of that no more than is kept."""
        self.version += 1
        self.is_whole = True
        self._events = deque([*values, *self._events], maxlen=KEPT_EVENTS)
        self._states = deque([*states, *self._states], maxlen=KEPT_STATES)
        self._folding = None
        if self.last_rebalance_ms is None:
            started = [each.at_ms for each in self._decoded() if each.kind in _STARTS] or [
                each.at_ms for each in states
            ]
            self.last_rebalance_ms = started[-1] if started else None

    def history(self) -> History:
        if self._history is None or self._history[0] != self.version:
            self._history = (self.version, self._made())
        return self._history[1]

    def history_at(self, at_ms: int) -> History:
        """As it was known at a moment of the past."""
        if self._states:
            return infer([each for each in self._states if each.at_ms <= at_ms], self.group, self._topic_names)
        return fold((each for each in self._decoded() if each.at_ms <= at_ms), self.group)

    def _decoded(self) -> Iterator[Event]:
        return (event for value in self._events if (event := event_in(value)) is not None)

    def _made(self) -> History:
        if self._states and not self._events:
            return infer(list(self._states), self.group, self._topic_names)
        if self._folding is None or self._folded > _REFOLD_AFTER:
            self._folding = Folding(self.group)
            self._folded = len(self._events)
            for event in self._decoded():
                self._folding.take(event)
        return self._folding.so_far()
