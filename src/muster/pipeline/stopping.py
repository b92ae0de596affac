"""Ctrl-C for work that must not be torn: the first one finishes what is being done, the second one interrupts."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType


class Stop:
    """Set by the first Ctrl-C or SIGTERM. The second one raises KeyboardInterrupt."""

    def __init__(self) -> None:
        self._event = threading.Event()

    def __call__(self) -> bool:
        return self._event.is_set()

    def set(self) -> None:
        self._event.set()

    def wait(self, seconds: float) -> bool:
        """True when told to stop, at once."""
        return self._event.wait(seconds)

    @contextmanager
    def on_signals(self, tell: Callable[[], None]) -> Iterator[None]:
        def handle(number: int, frame: FrameType | None) -> None:
            if self._event.is_set():
                raise KeyboardInterrupt
            self._event.set()
            tell()

        before = {number: signal.signal(number, handle) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
