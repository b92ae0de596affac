"""From values to pixels, with axis ticks that people can read. Pure arithmetic."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

from muster.pipeline.report import words

_SECOND: Final = 1000
_MINUTE: Final = 60 * _SECOND
_HOUR: Final = 60 * _MINUTE
_STEPS_MS: Final = (
    *(n * _SECOND for n in (1, 2, 5, 10, 15, 30)),
    *(n * _MINUTE for n in (1, 2, 5, 10, 15, 30)),
    *(n * _HOUR for n in (1, 2, 3, 6, 12, 24, 48, 168, 720)),
)


@dataclass(frozen=True, slots=True)
class TimeScale:
    start_ms: int
    end_ms: int
    width: float

    def x(self, ms: float) -> float:
        """Held inside the plot, so that what began before the window starts at its edge."""
        span = max(self.end_ms - self.start_ms, 1)
        return min(max((ms - self.start_ms) / span, 0.0), 1.0) * self.width

    def ticks(self, most: int = 9) -> list[tuple[float, str]]:
        """Round times, the date where a day starts."""
        span = max(self.end_ms - self.start_ms, 1)
        step = next((s for s in _STEPS_MS if span / s <= most), _STEPS_MS[-1] * math.ceil(span / _STEPS_MS[-1] / most))
        first = -(-self.start_ms // step) * step
        return [(self.x(t), _tick_label(t, step)) for t in range(first, self.end_ms + 1, step)]


def _tick_label(ms: int, step: int) -> str:
    if words.starts_day(ms):
        return words.day(ms)
    return words.clock(ms, seconds=step < _MINUTE)


@dataclass(frozen=True, slots=True)
class Scale:
    """From [low, high] to [start, end] pixels; `end` below `start` turns an axis around."""

    low: float
    high: float
    start: float
    end: float

    def at(self, value: float) -> float:
        span = self.high - self.low
        part = 0.5 if span <= 0 else min(max((value - self.low) / span, 0.0), 1.0)
        return self.start + part * (self.end - self.start)

    def ticks(self, about: int = 4) -> list[float]:
        span = self.high - self.low
        if span <= 0:
            return [self.low]
        rough = span / about * 1.2
        size = 10.0 ** math.floor(math.log10(rough))
        step = max(size * n for n in (1, 2, 5) if size * n <= rough)
        first = math.ceil(self.low / step)
        return [n * step for n in range(first, math.floor(self.high / step + 1e-9) + 1)]


def duration_ticks(longest_ms: float, most: int = 6) -> list[int]:
    """Round durations from zero up to the longest."""
    small = (1, 2, 5, 10, 20, 50, 100, 200, 500)
    step = next((s for s in (*small, *_STEPS_MS) if longest_ms / s <= most), _STEPS_MS[-1])
    return list(range(0, int(longest_ms) + 1, step))
