"""Assignors by the names that Kafka's clients know."""

from __future__ import annotations

from typing import Final

from muster.core.assignors.by_range import RangeAssignor
from muster.core.assignors.contract import Assignor
from muster.core.assignors.round_robin import RoundRobinAssignor
from muster.core.assignors.sticky import CooperativeStickyAssignor, StickyAssignor

RANGE: Final[Assignor] = RangeAssignor()
ROUND_ROBIN: Final[Assignor] = RoundRobinAssignor()
STICKY: Final[Assignor] = StickyAssignor()
COOPERATIVE_STICKY: Final[Assignor] = CooperativeStickyAssignor()

ASSIGNORS: Final = {each.name: each for each in (RANGE, ROUND_ROBIN, STICKY, COOPERATIVE_STICKY)}


def assignor_named(name: str) -> Assignor:
    """ValueError names those that there are."""
    found = ASSIGNORS.get(name)
    if found is None:
        raise ValueError(f"there is no assignor {name!r}; there are {', '.join(ASSIGNORS)}")
    return found
