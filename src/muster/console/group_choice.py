"""What the address of a group's page says: which moment, which rebalance, which topics, and which page of each long list."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Final

from muster.explain.words import moment

LISTS: Final = ("rebalances", "events", "lanes", "members", "offsets")
"""Each has its page in the address, under this name."""
_MOST_TOPIC: Final = 200


@dataclass(frozen=True, slots=True)
class GroupChoice:
    group: str
    generation: int | None = None
    """The rebalance that is open, on the page of the list that has it."""
    at_ms: int | None = None
    """The group as it was then; None: as it is now."""
    topic: str = ""
    """Only partitions of topics whose names contain this."""
    rebalances: int | None = None
    """A page; None: the newest, or the one that has `generation`."""
    events: int = 1
    lanes: int = 1
    members: int = 1
    offsets: int = 1

    @classmethod
    def of(
        cls, group: str, query: Mapping[str, str], *, generation: int | None = None, at_ms: int | None = None
    ) -> GroupChoice:
        """A page number that makes no sense counts as not said."""
        pages = {name: page for name in LISTS if (page := _page(query.get(name, ""))) is not None}
        return cls(group, generation, at_ms, query.get("topic", "").strip()[:_MOST_TOPIC], **pages)

    def query(self, **changes: object) -> dict[str, object]:
        """For links to this page with something else in its address: what differs from the defaults."""
        values = {**asdict(self), **changes}
        at_ms = values.pop("at_ms")
        kept = {"id": values.pop("group"), **values}
        if isinstance(at_ms, int):
            kept["at"] = moment(at_ms).replace(" ", "T")
        first = {name: 1 for name in LISTS if name != "rebalances"}
        return {name: value for name, value in kept.items() if value not in (None, "") and value != first.get(name)}

    def has(self, topic: str) -> bool:
        return not self.topic or self.topic.casefold() in topic.casefold()


def _page(text: str) -> int | None:
    return max(1, int(text)) if text.isdecimal() and len(text) < 9 else None
