"""Retries a failed step: at once, then after a second, then each time after twice as long, a minute at most.

What fails for reasons that stay costs the database nearly nothing, however long they stay. Knows nothing of what is tried.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from asyncio import TimerHandle

FIRST_SECONDS: Final = 1.0
LONGEST_SECONDS: Final = 60.0


class Backoff:
    def __init__(self, call_later: Callable[[float, Callable[[], Any]], TimerHandle], step: Callable[[], None]) -> None:
        self._call_later = call_later
        self._step = step
        self._failed: object = None
        self._delay_s = 0.0
        self._timer: TimerHandle | None = None

    def try_again(self, failed: object) -> None:
        """`failed`: what did. Something else than before is tried at once. Said again while it waits for its time it changes
        nothing."""
        if failed != self._failed:
            self.stop()
            self._failed, self._delay_s = failed, 0.0
            self._step()
        elif self._timer is None:
            self._delay_s = min(max(FIRST_SECONDS, 2 * self._delay_s), LONGEST_SECONDS)
            self._timer = self._call_later(self._delay_s, self._on_time)

    def stop(self) -> None:
        """What failed does not any more, or nobody wants it now."""
        self._failed = None
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _on_time(self) -> None:
        self._timer = None
        self._step()
