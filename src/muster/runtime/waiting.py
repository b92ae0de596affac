"""Who waits while something is read apart from the loop, and whether it is still wanted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol


class Waiting(Protocol):
    """The part of a call that is needed here."""

    @property
    def is_abandoned(self) -> bool: ...

    def resume(self, step: Callable[[], None]) -> None: ...


class ToItsEnd:
    """A request that is gone on with though its client has gone: what was sent counts as held until then."""

    __slots__ = ("_call",)

    is_abandoned = False

    def __init__(self, call: Waiting) -> None:
        self._call = call

    def resume(self, step: Callable[[], None]) -> None:
        self._call.resume(step)


class Unhurried:
    """Something of the node's own."""

    is_abandoned = False

    def resume(self, step: Callable[[], None]) -> None:
        step()
