"""How long something took, summed up: enough for a rate, a mean and a worst case, and nothing to keep per event."""

from __future__ import annotations


class Timing:
    __slots__ = ("count", "max_ms", "sum_ms")

    def __init__(self) -> None:
        self.count = 0
        self.sum_ms = 0.0
        self.max_ms = 0.0

    def add(self, duration_ms: float) -> None:
        self.count += 1
        self.sum_ms += duration_ms
        if duration_ms > self.max_ms:
            self.max_ms = duration_ms
