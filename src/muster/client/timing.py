"""Time as this room sees it: passed in, so that tests can move it. Only waits for the network use the loop's own time."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable
from typing import Final, Protocol


class Timing(Protocol):
    def seconds(self) -> float:
        """Time that only goes forward, from an origin of its own."""
        ...

    def sleep(self, seconds: float) -> Awaitable[None]:
        """Come back when that much of this time has passed."""
        ...


class SystemTiming:
    """Real time."""

    def seconds(self) -> float:
        return time.monotonic()

    def sleep(self, seconds: float) -> Awaitable[None]:
        return asyncio.sleep(seconds)


REAL_TIME: Final = SystemTiming()


class Backoff:
    """How long to wait before asking again: doubling, with chance, as Kafka's clients do (KIP-580)."""

    def __init__(self, first_seconds: float = 0.1, most_seconds: float = 1.0) -> None:
        self._first = first_seconds
        self._most = most_seconds
        self.failures = 0

    def next_seconds(self) -> float:
        seconds = min(self._most, self._first * 2.0 ** min(self.failures, 30))
        self.failures += 1
        return seconds * random.uniform(0.8, 1.2)

    def reset(self) -> None:
        self.failures = 0
