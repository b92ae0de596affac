"""Units of time in milliseconds, in which all times here are counted."""

from __future__ import annotations

from typing import Final

MINUTE_MS: Final = 60_000
HOUR_MS: Final = 3_600_000
DAY_MS: Final = 86_400_000
FOR_EVER_MS: Final = 2**62
"""Longer than anything is kept, and small enough to be added to a moment."""
