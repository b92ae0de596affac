"""Which groups read a topic. That is known of groups that were looked at, so a page that asks it has all of them looked at.

Knows what is known, asks nobody.
"""

from __future__ import annotations

from itertools import islice
from typing import Any, Final

from muster.console.observer import SWEEP_GROUPS, Observer, Wants

SHOWN_READERS: Final = 100


class ReaderView:
    regions: Final = {"readers": "topic_readers.html"}

    def __init__(self, observer: Observer, topic: str | None) -> None:
        """`topic`: None for a page about all of them."""
        self._observer = observer
        self._topic = topic

    @property
    def key(self) -> str:
        return f"readers of {self._topic!r}"

    def wants(self) -> Wants:
        """The groups that are shown, and a portion of those that nobody has looked at yet."""
        shown = (group for group, _ in self._readers()[:SHOWN_READERS])
        return Wants(True, frozenset([*shown, *islice(self._observer.groups.unseen(), SWEEP_GROUPS)]))

    def fingerprint(self) -> object:
        groups = self._observer.groups
        return self._readers(), groups.count_seen(), len(groups.statuses), groups.has_listed, self._trouble()

    def context(self) -> dict[str, Any]:
        observer, readers = self._observer, self._readers()
        return {
            "readers": readers[:SHOWN_READERS],
            "more_readers": max(0, len(readers) - SHOWN_READERS),
            "seen": observer.groups.count_seen(),
            "groups": len(observer.groups.statuses),
            "is_asking": not observer.groups.has_listed and not observer.trouble,
            "trouble": self._trouble(),
        }

    def _trouble(self) -> str:
        """Of all, of the list, or of the first reader that could not be asked about."""
        observer = self._observer
        if observer.trouble or observer.list_trouble:
            return observer.trouble or observer.list_trouble
        return next(
            filter(None, (observer.state_trouble_of(group) for group, _ in self._readers()[:SHOWN_READERS])), ""
        )

    def _readers(self) -> list[tuple[str, int | None]]:
        return [] if self._topic is None else self._observer.groups.readers_of(self._topic)
