"""Durations as people read them, for the texts of evidence and reasons."""

from __future__ import annotations

_SECOND_MS, _MINUTE_MS, _HOUR_MS, _DAY_MS = 1_000, 60_000, 3_600_000, 86_400_000


def span(ms: int) -> str:
    """`90 s`, `10 min`, `36 h`, `7 days`: two of a unit before the next larger one is used."""
    if ms < 2 * _MINUTE_MS:
        return f"{round(ms / _SECOND_MS)} s"
    if ms < 2 * _HOUR_MS:
        return f"{round(ms / _MINUTE_MS)} min"
    return f"{round(ms / _HOUR_MS)} h" if ms < 2 * _DAY_MS else f"{round(ms / _DAY_MS)} days"
