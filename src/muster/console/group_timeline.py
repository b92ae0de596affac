"""What has happened to one group, as far as it was read: journal events, or the stored states in the offsets log of a Kafka.

Takes them one by one in the order of the log, and makes the group's `History` of them when somebody asks. Events are kept as the
bytes of their records: decoded they take five times as much memory. What is kept is bounded by number and by bytes. Pure.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import count, islice
from typing import Final, TypeVar

from muster.explain.cause_words import why_sentence
from muster.explain.event import Event, event_in
from muster.explain.facts import History
from muster.explain.fold import Folding, fold
from muster.explain.inferred import StoredAt, infer
from muster.explain.names import Names

T = TypeVar("T")

KEPT_EVENTS: Final = 2_000
KEPT_STATES: Final = 300
KEPT_BYTES: Final = 2 << 20
"""Of one group. An event of a group with a thousand members names them all."""
DECODED: Final = 5
"""So many times its record's bytes a decoded state takes."""
EMPTY_BYTES: Final = 1_500
"""What a timeline takes by itself."""
_REFOLD_AFTER: Final = KEPT_EVENTS // 4
"""A history of so many more events than are kept is made anew: it may not grow for ever either."""
_versions = count(1)
_STARTS: Final = frozenset({"rebalance_started", "epoch_raised"})


@dataclass(frozen=True, slots=True)
class Latest:
    """The last rebalance, as a list of groups has it."""

    began_ms: int
    took_ms: int | None
    is_running: bool
    why: str


class GroupTimeline:
    def __init__(self, group: str, topic_names: Mapping[bytes, str]) -> None:
        """`topic_names`: by topic id; grows as topics come."""
        self.group = group
        self._topic_names = topic_names
        self.version = next(_versions)
        """Never that of another timeline: one that was dropped may be made again."""
        self.last_rebalance_ms: int | None = None
        self.is_whole = False
        """It has all that the log has, as far as it is kept."""
        self.taken = 0
        """How many were taken one by one."""
        self.kept_bytes = EMPTY_BYTES
        """About as much memory as the timeline takes, without the history that is made of it."""
        self._events: deque[bytes] = deque()
        self._states: deque[tuple[StoredAt, int]] = deque()
        """Each with the bytes that it counts as."""
        self._folding: Folding | None = None
        self._unfolded = 0
        """So many of the newest events are not in the folding yet."""
        self._folded = 0
        self._history: tuple[int, History] | None = None
        self.latest: Latest | None = None
        self._latest_version = 0

    def take(self, event: Event, value: bytes) -> None:
        """An event, and the record that it was decoded from."""
        self.version = next(_versions)
        self.taken += 1
        self._events.append(value)
        self._unfolded += 1
        self.kept_bytes += len(value)
        if event.kind in _STARTS:
            self.last_rebalance_ms = event.at_ms
        self._trim()

    def take_state(self, state: StoredAt, size: int) -> None:
        """A stored state, and the bytes of its record."""
        self.version = next(_versions)
        self.taken += 1
        self._states.append((state, DECODED * size))
        self.kept_bytes += DECODED * size
        self.last_rebalance_ms = state.at_ms
        self._trim()

    def complete(self, read: GroupTimeline, taken_before: int) -> None:
        """`read` is all that the log has up to a moment at which this one had taken `taken_before`."""
        self.version = next(_versions)
        self.is_whole = True
        since = self.taken - taken_before
        self._events = deque([*read._events, *_last(self._events, since)])
        self._states = deque([*read._states, *_last(self._states, since)])
        self.kept_bytes = EMPTY_BYTES + sum(map(len, self._events)) + sum(size for _, size in self._states)
        self._folding = None
        self._trim()
        if self.last_rebalance_ms is None:
            self.last_rebalance_ms = read.last_rebalance_ms

    def _trim(self) -> None:
        """The oldest go, but never the newest."""
        events, states = self._events, self._states
        while len(events) > KEPT_EVENTS or (len(events) > 1 and self.kept_bytes > KEPT_BYTES):
            self.kept_bytes -= len(events.popleft())
        while len(states) > KEPT_STATES or (len(states) > 1 and self.kept_bytes > KEPT_BYTES):
            self.kept_bytes -= states.popleft()[1]

    def history(self) -> History:
        """Ask `Timelines`, which bounds how many of these there are."""
        if self._history is None or self._history[0] != self.version:
            self._history = (self.version, self._made())
        return self._history[1]

    @property
    def is_latest_stale(self) -> bool:
        return self._latest_version != self.version

    def note_latest(self, history: History) -> None:
        """Remember the last rebalance apart: it is small, and lists ask for it all the time."""
        self.latest, self._latest_version = _latest_of(history), self.version

    def history_at(self, at_ms: int) -> History:
        """As it was known at a moment of the past."""
        if self._states:
            then = [each for each, _ in self._states if each.at_ms <= at_ms]
            return infer(then, self.group, self._topic_names)
        return fold((each for each in self._decoded() if each.at_ms <= at_ms), self.group)

    def forget_history(self) -> None:
        """It is made anew when somebody asks again."""
        self._folding = self._history = None

    def _decoded(self, newest: int | None = None) -> Iterator[Event]:
        """All that are kept, or only so many of the newest."""
        first = 0 if newest is None else max(0, len(self._events) - newest)
        return (event for value in islice(self._events, first, None) if (event := event_in(value)) is not None)

    def _made(self) -> History:
        if self._states and not self._events:
            return infer([each for each, _ in self._states], self.group, self._topic_names)
        folding, self._folding = self._folding, None  # an event that cannot be folded spoils it
        is_too_long = self._folded + self._unfolded > KEPT_EVENTS + _REFOLD_AFTER
        if folding is None or is_too_long or self._unfolded > len(self._events):
            folding = Folding(self.group)
            self._folded, self._unfolded = 0, len(self._events)
        for event in self._decoded(self._unfolded):
            folding.take(event)
        self._folded += self._unfolded
        self._unfolded = 0
        self._folding = folding
        return folding.so_far()


def _last(kept: deque[T], number: int) -> list[T]:
    return list(kept)[-number:] if number else []


def _latest_of(history: History) -> Latest | None:
    if not history.rebalances:
        return None
    last = history.rebalances[-1]
    return Latest(
        last.began_ms,
        None if last.is_inferred else last.took_ms,
        last.result == "running",
        why_sentence(last, Names(history)),
    )
