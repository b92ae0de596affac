"""How soon a worker that ended is started again: at once the first time, slower and slower if it keeps ending.

Pure arithmetic on times that the supervisor hands in.
"""

from __future__ import annotations

from typing import Final

FIRST_DELAY_S: Final = 0.1
LONGEST_DELAY_S: Final = 5.0
LONG_LIFE_S: Final = 10.0
"""Whoever lived so long may end again without being taken for broken."""
HOPELESS_AFTER: Final = 3


class Restarts:
    def __init__(self) -> None:
        self.count = -1
        """How often it was started again."""
        self._short_lives = 0
        self._began_s = 0.0

    @property
    def is_hopeless(self) -> bool:
        """It keeps ending: clients should not be sent to it before it is up again."""
        return self._short_lives >= HOPELESS_AFTER

    def begin(self, now_s: float) -> None:
        self.count += 1
        self._began_s = now_s

    def delay_after_end(self, now_s: float) -> float:
        self._short_lives = 1 if now_s - self._began_s >= LONG_LIFE_S else self._short_lives + 1
        delay_s: float = FIRST_DELAY_S * 2 ** min(self._short_lives - 1, 10)
        return min(delay_s, LONGEST_DELAY_S)
