"""What the runtime keeps of an outcome until its records are durable, or lost."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from mypy_extensions import mypyc_attr

from muster.core.contract import Outcome

Event: TypeAlias = Callable[[], None]
"""Something that happens when its turn has come."""


@mypyc_attr(acyclic=True)
class InFlight:
    """An outcome whose records are on their way to the log."""

    __slots__ = ("appended_ms", "base_offset", "is_overdue", "keys", "member_id", "outcome", "then")

    def __init__(
        self, outcome: Outcome, base_offset: int, appended_ms: int, keys: tuple[str, ...], member_id: str
    ) -> None:
        self.outcome = outcome
        self.base_offset = base_offset
        self.appended_ms = appended_ms
        """Who waits longer than `offsets.commit.timeout.ms` from then on is told so, the records stay (spec 1.4)."""
        self.keys = keys
        """Whose later events wait for this: groups, transactional ids."""
        self.member_id = member_id
        """Of those only events that are not another member's own step; "": all of them."""
        self.is_overdue = False
        self.then: list[Event] | None = None
        """Reads that must see this (OffsetFetch with require-stable)."""

    def follow_with(self, event: Event) -> None:
        if self.then is None:
            self.then = []
        self.then.append(event)
