"""Compaction of a lake that is followed: between two rounds, when the last one is long enough ago.

The lake says when that was, so that a run that is started again every few hours compacts too. Called by whoever makes the rounds,
in the process that follows or where a Connect server is: that is the lake's only writer.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from muster.pipeline.lake.compact import Compacted, compact, compacted_at
from muster.pipeline.lake.errors import LakeError
from muster.pipeline.lake.location import Location
from muster.pipeline.lake.retention import Retention

AGAIN_MS: Final = 3_600_000
"""One that failed is tried again after an hour at the latest."""


@dataclass(slots=True)
class RegularCompaction:
    """Picklable. `every_ms` None: never."""

    location: Location
    every_ms: int | None
    clock: Callable[[], int]
    _due_ms: int | None = None
    """None: the lake has not been asked yet."""

    def is_due(self, warn: Callable[[str], None]) -> bool:
        """A lake that was never compacted is due at once."""
        if self.every_ms is None:
            return False
        if self._due_ms is None:
            self._due_ms = self._first_due(self.every_ms, warn)
        return self.clock() >= self._due_ms

    def run(self, warn: Callable[[str], None]) -> Compacted | None:
        """Compact now; None if it failed, which is only warned of: rounds go on without it."""
        assert self.every_ms is not None
        try:
            done = compact(self.location, Retention(), clock=self.clock)
        except (LakeError, OSError) as error:
            self._due_ms = self.clock() + min(AGAIN_MS, self.every_ms)
            warn(f"the lake was not compacted: {error}; trying again later")
            return None
        self._due_ms = self.clock() + self.every_ms
        return done

    def _first_due(self, every_ms: int, warn: Callable[[str], None]) -> int:
        try:
            return compacted_at(self.location) + every_ms
        except LakeError as error:
            warn(f"when the lake was compacted is not known: {error}; trying again later")
            return self.clock() + min(AGAIN_MS, every_ms)
