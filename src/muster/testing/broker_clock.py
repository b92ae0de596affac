"""`broker.clock`: the time as the broker sees it, for tests to move."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from muster.testing.argument_checks import check_number

if TYPE_CHECKING:
    from muster.testing.broker import Broker

__tracebackhide__ = True  # in pytest's output, see broker.py


class BrokerClock:
    """It runs with real time, plus what tests added to it, unless it is frozen. Clients keep their own time."""

    def __init__(self, broker: Broker) -> None:
        self._broker = broker

    def now_ms(self) -> int:
        """Milliseconds since 1970, as in timestamps of records."""
        return self._broker.run(self._broker.kit.clock.now_ms)

    def now(self) -> datetime:
        return datetime.fromtimestamp(self.now_ms() / 1000, UTC)

    def advance(
        self,
        *,
        seconds: float = 0,
        minutes: float = 0,
        hours: float = 0,
        days: float = 0,
        ms: int = 0,
        keep_connected: bool = False,
    ) -> None:
        """Move forward. Every timer on the way fires at its own time, in order, and its effects are durable before the next.

        Members whose sessions end on the way are expelled, though their clients may be well: no heartbeat came in that time.
        With `keep_connected` that happens only to members whose connection is closed.
        """
        for name, given in (("seconds", seconds), ("minutes", minutes), ("hours", hours), ("days", days), ("ms", ms)):
            check_number(name, given, "30")
        duration_ms = ms + round(1000 * (seconds + 60 * (minutes + 60 * (hours + 24 * days))))
        self._broker.wait_for(self._broker.kit.advance(duration_ms, keep_connected=keep_connected))

    @property
    def is_frozen(self) -> bool:
        return self._broker.kit.clock.is_frozen

    def freeze(self) -> None:
        """Stand still: from now on nothing expires unless the test moves the clock."""
        self._broker.run(self._broker.kit.clock.freeze)

    def thaw(self) -> None:
        """Run again, from what it shows."""
        self._broker.run(self._broker.kit.clock.thaw)
