"""Time, passed in: everything that needs to know the time or to be woken holds a Clock.

`SystemClock` is the wall clock; tests and the simulator have others. Timestamps are milliseconds since 1970; deadlines are
absolute milliseconds of a clock that nobody sets.
"""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic
from typing import TYPE_CHECKING, Final, Protocol

from librt.time import time
from mypy_extensions import mypyc_attr

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop

_monotonic_s: Final = monotonic
"""Seconds, which become milliseconds in a register; nanoseconds would be a long integer, and divided as one."""


class Wake(Protocol):
    """A promise to be woken, which can be taken back."""

    def cancel(self) -> None: ...


@mypyc_attr(allow_interpreted_subclasses=True)
class Clock:
    """A class and no protocol, because compiled code then calls it directly: every request reads it."""

    __slots__ = ()

    def now_ms(self) -> int:
        """The time of day: what records and events are stamped with. It may be set, forward and back."""
        raise NotImplementedError

    def ticks_ms(self) -> int:
        """Time that only goes forward, from an origin of its own: what deadlines are measured in."""
        raise NotImplementedError

    def wake_at(self, deadline_ms: int, callback: Callable[[], None]) -> Wake:
        """Call back once, not before `ticks_ms()` is `deadline_ms`, from the loop's thread."""
        raise NotImplementedError


@mypyc_attr(allow_interpreted_subclasses=True)
class SystemClock(Clock):
    """The wall clock for timestamps, the monotonic one for deadlines: setting the clock expels nobody."""

    __slots__ = ("_loop",)

    def __init__(self, loop: AbstractEventLoop) -> None:
        self._loop = loop

    def now_ms(self) -> int:
        return int(time() * 1000)

    def ticks_ms(self) -> int:
        return int(_monotonic_s() * 1000)

    def wake_at(self, deadline_ms: int, callback: Callable[[], None]) -> Wake:
        delay_ms = deadline_ms - self.ticks_ms()
        if delay_ms <= 0:
            return self._loop.call_soon(callback)
        # One millisecond more: a timer of the loop may fire a fraction early, and nobody may be expelled before its
        # time.
        return self._loop.call_later((delay_ms + 1) / 1000, callback)
