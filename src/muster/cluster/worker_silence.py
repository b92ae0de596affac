"""How a supervisor tells a worker that hangs from one that works: a working one shows life every now and then.

Pure arithmetic on times that the supervisor hands in. Time in which the supervisor itself did not run (the machine slept, a
virtual machine was paused, everything starved) counts for next to nothing: nobody could have shown life then.
"""

from __future__ import annotations

from typing import Final

SIGNS_A_LIMIT: Final = 10
"""So often a worker shows life, and the supervisor looks, within the time after which silence counts."""


class SilenceWatch:
    """Of one worker, through all its lives. It is not watched before its first sign in a life: a start may take as long as
    its logs are large."""

    def __init__(self) -> None:
        self._silent_s: float | None = None
        """Since the last sign, in time that counts; None: not watched."""

    def begin_life(self) -> None:
        self._silent_s = None

    def note_sign(self) -> None:
        self._silent_s = 0.0

    def grow(self, passed_s: float) -> float:
        """So much more time has passed without a sign. Returns for how long there was none."""
        if self._silent_s is None:
            return 0.0
        self._silent_s += passed_s
        return self._silent_s


class WakingTime:
    """Time that counts: of a longer gap between two looks only as much as a look late by one."""

    def __init__(self, limit_s: float, now_s: float) -> None:
        self.interval_s = limit_s / SIGNS_A_LIMIT
        """Between two looks."""
        self._looked_at_s = now_s

    @property
    def next_look_s(self) -> float:
        return self._looked_at_s + self.interval_s

    def passed(self, now_s: float) -> float:
        """Since it was asked last."""
        passed_s = now_s - self._looked_at_s
        self._looked_at_s = now_s
        return min(passed_s, 2 * self.interval_s)
