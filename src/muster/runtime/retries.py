"""Steps that are tried again a little later, each after the same delay, and not for ever.

One wake-up serves all that are due: a timer of the event loop for each would cost several times what the step does. Knows nothing
of the steps.
"""

from __future__ import annotations

from collections.abc import Callable

from muster.core.fifo import Fifo
from muster.runtime.clock import Clock


class _Waiting:
    __slots__ = ("due_ms", "step")

    def __init__(self, due_ms: int, step: Callable[[], None]) -> None:
        self.due_ms = due_ms
        self.step = step


class Retries:
    def __init__(self, clock: Clock, delay_ms: int, longest_ms: int) -> None:
        self._clock = clock
        self._delay_ms = delay_ms
        self._longest_ms = longest_ms
        self._waiting: Fifo[_Waiting] = Fifo()
        """Earliest first: all wait equally long."""
        self._is_woken = False

    def __len__(self) -> int:
        return len(self._waiting)

    def try_again(self, began_ms: int, step: Callable[[], None]) -> bool:
        """Call `step` after the delay. False if what began then, in ticks, has been tried for long enough."""
        now_ms = self._clock.ticks_ms()
        if now_ms >= began_ms + self._longest_ms:
            return False
        self._waiting.append(_Waiting(now_ms + self._delay_ms, step))
        self._wake()
        return True

    def _wake(self) -> None:
        if not self._is_woken and len(self._waiting):
            self._is_woken = True
            self._clock.wake_at(self._waiting.oldest().due_ms, self._on_wake)

    def _on_wake(self) -> None:
        self._is_woken = False
        now_ms = self._clock.ticks_ms()
        try:
            while len(self._waiting) and self._waiting.oldest().due_ms <= now_ms:
                self._waiting.pop().step()
        finally:  # a step that fails must not keep the others from their turn
            self._wake()
