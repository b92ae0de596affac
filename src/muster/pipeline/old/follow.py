"""Rounds again and again until told to stop: what is new is read every few seconds, gold is made when it has become old.

A loop of our own and not Structured Streaming, because the lake's manifest already holds the offsets that were read: a checkpoint
beside it would be a second truth, and files and offsets could no longer be published in one step. One round is the same code as a
single run.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType


@dataclass(frozen=True, slots=True)
class Rhythm:
    """Both in seconds. Gold costs as much as the lake is large, so it has a rhythm of its own."""

    read_every: float = 10.0
    gold_every: float = 60.0


@dataclass(frozen=True, slots=True)
class Patience:
    """Failures that a running loop outlives: a broker that restarts, a partition that elects its leader."""

    with_errors: tuple[type[Exception], ...] = ()
    tell: Callable[[Exception], None] = lambda _: None
    rounds: int = 30
    """So many in a row are too many."""


class Stop:
    """Set by the first Ctrl-C or SIGTERM: the batch in work is finished. The second one interrupts."""

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


def follow(
    read: Callable[[], None],
    make_gold: Callable[[], None],
    stop: Stop,
    rhythm: Rhythm,
    clock: Callable[[], float],
    patience: Patience = Patience(),  # noqa: B008  # frozen
) -> None:
    """Read, make gold where it is due, wait. Told to stop it makes no more gold: the next run does.

    A round that fails is tried again, for a failed batch leaves nothing behind; but not the first one, which most likely
    was asked for something that is not there.
    """
    gold_at = -float("inf")
    failed = patience.rounds
    while not stop():
        began = clock()
        try:
            read()
            if stop():
                return
            if clock() - gold_at >= rhythm.gold_every:
                make_gold()
                gold_at = clock()
            failed = 0
        except patience.with_errors as error:
            failed += 1
            if failed > patience.rounds or stop():
                raise
            patience.tell(error)
        stop.wait(max(0.0, rhythm.read_every - (clock() - began)))
