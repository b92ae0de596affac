"""The timelines of all groups, within bounds: of what was read, and of the histories that are made of it.

Where there is no more room the group that has been quiet for longest goes, and the history that nobody has asked for for longest;
each costs the same, however many groups there are. Pure.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from typing import Final

from muster.console.group_timeline import GroupTimeline, Latest
from muster.explain.event import Event
from muster.explain.facts import History
from muster.explain.inferred import StoredAt

MOST_KEPT_BYTES: Final = 64 << 20
MOST_HISTORY_BYTES: Final = 64 << 20
"""A history takes about as much as the bytes of the events that it is made of."""


class Timelines:
    def __init__(
        self,
        topic_names: Mapping[bytes, str],
        most_bytes: int = MOST_KEPT_BYTES,
        most_history_bytes: int = MOST_HISTORY_BYTES,
    ) -> None:
        """`topic_names`: by topic id; grows as topics come."""
        self._topic_names = topic_names
        self._most_bytes = most_bytes
        self._most_history_bytes = most_history_bytes
        self._by_group: OrderedDict[str, GroupTimeline] = OrderedDict()
        """The one that changed last is the last."""
        self._histories: OrderedDict[str, int] = OrderedDict()
        """Groups whose history is at hand, and its bytes; the one that was asked for last is the last."""
        self.kept_bytes = 0
        self.history_bytes = 0
        self.version = 0
        """Grows with every change of any timeline."""

    def known(self, group: str) -> GroupTimeline | None:
        return self._by_group.get(group)

    def of(self, group: str) -> GroupTimeline:
        """An empty one where nothing is known: a page may ask for any name."""
        found = self._by_group.get(group)
        if found is None:
            found = self._by_group[group] = GroupTimeline(group, self._topic_names)
            self.kept_bytes += found.kept_bytes
            self._make_room()
        return found

    def take(self, event: Event, value: bytes) -> None:
        timeline = self._moved_to_end(event.group)
        timeline.take(event, value)
        self._count(timeline)

    def take_state(self, state: StoredAt, size: int) -> None:
        timeline = self._moved_to_end(state.group.group_id)
        timeline.take_state(state, size)
        self._count(timeline)

    def complete(self, timeline: GroupTimeline, read: GroupTimeline, taken_before: int) -> None:
        """What was read for a timeline; nothing happens if it has been dropped meanwhile."""
        if self._by_group.get(timeline.group) is timeline:
            self._moved_to_end(timeline.group).complete(read, taken_before)
            self._count(timeline)

    def history(self, group: str) -> History:
        timeline = self.of(group)
        history = timeline.history()
        self.history_bytes += timeline.kept_bytes - self._histories.pop(group, 0)
        self._histories[group] = timeline.kept_bytes
        while self.history_bytes > self._most_history_bytes and len(self._histories) > 1:
            forgotten, size = self._histories.popitem(last=False)
            self.history_bytes -= size
            self._by_group[forgotten].forget_history()
        return history

    def latest(self, group: str) -> Latest | None:
        """The last rebalance; None if none is known."""
        timeline = self._by_group.get(group)
        if timeline is None:
            return None
        if timeline.is_latest_stale:
            timeline.note_latest(self.history(group))
        return timeline.latest

    def _moved_to_end(self, group: str) -> GroupTimeline:
        timeline = self.of(group)
        self._by_group.move_to_end(group)
        self.kept_bytes -= timeline.kept_bytes
        return timeline

    def _count(self, timeline: GroupTimeline) -> None:
        self.version += 1
        self.kept_bytes += timeline.kept_bytes
        self._make_room()

    def _make_room(self) -> None:
        while self.kept_bytes > self._most_bytes and len(self._by_group) > 1:
            group, dropped = self._by_group.popitem(last=False)
            self.version += 1
            self.kept_bytes -= dropped.kept_bytes
            self.history_bytes -= self._histories.pop(group, 0)
