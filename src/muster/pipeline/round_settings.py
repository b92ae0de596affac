"""What a round is asked for and what it tells: plain values, for the query, the command line and whoever watches."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from muster.pipeline.tables.settings import GoldSettings


def wall_clock_ms() -> int:
    return time.time_ns() // 1_000_000


@dataclass(frozen=True, slots=True)
class RoundSettings:
    """What the tables are made with. `gold.now_ms` is set by each round."""

    gold: GoldSettings
    speaks_of_ms: int | None = None
    """The moment that the tables speak of; by default now, and for a directory the newest time in it."""
    clock: Callable[[], int] = wall_clock_ms

    def moment_ms(self, is_live: bool, newest_ms: int) -> int:
        """The moment that the tables speak of; `newest_ms` is the newest time of a record or an end.

        Producers name their records' times: one with a broken clock must not make everything else look years old (trap 19).
        """
        if self.speaks_of_ms is not None:
            return self.speaks_of_ms
        now = self.clock()
        return now if is_live else min(newest_ms, now)


@dataclass(frozen=True, slots=True)
class Gold:
    """How the tables of now are asked for."""

    only_changes: bool = False
    """Not if no log record is new and no end has moved: they would say the same."""


@dataclass(frozen=True, slots=True)
class Done:
    """What one round did, for those who watch."""

    round: int
    records: int
    gold: bool
    provisional: bool
    """The log was not read to its end (trap 28)."""
    seconds: float
