"""The loop of `--follow`: what is done when, and how it ends."""

from __future__ import annotations

import os
import signal

import pytest

from muster.pipeline.old.follow import Patience, Rhythm, Stop, follow


class _Story:
    """Rounds that take a second each, on a clock that only they and the waiting move."""

    def __init__(self, rounds: int, stop: Stop) -> None:
        self.now = 0.0
        self.log: list[str] = []
        self._rounds = rounds
        self._stop = stop
        stop.wait = self.wait  # type: ignore[method-assign]

    def read(self) -> None:
        self.log.append(f"read {self.now:g}")
        self.now += 1
        self._rounds -= 1
        if not self._rounds:
            self._stop.set()

    def make_gold(self) -> None:
        self.log.append(f"gold {self.now:g}")
        self.now += 2

    def wait(self, seconds: float) -> bool:
        self.now += seconds
        return self._stop()


def test_reads_at_its_rhythm_and_makes_gold_at_its_own() -> None:
    stop = Stop()
    story = _Story(4, stop)
    follow(story.read, story.make_gold, stop, Rhythm(read_every=10, gold_every=15), lambda: story.now)
    assert story.log == ["read 0", "gold 1", "read 10", "read 20", "gold 21", "read 30"]


def test_a_round_that_takes_longer_than_its_rhythm_is_followed_at_once() -> None:
    stop = Stop()
    story = _Story(2, stop)
    follow(story.read, story.make_gold, stop, Rhythm(read_every=1, gold_every=100), lambda: story.now)
    assert story.log == ["read 0", "gold 1", "read 3"]


def test_told_to_stop_it_makes_no_more_gold() -> None:
    stop = Stop()
    story = _Story(1, stop)
    follow(story.read, story.make_gold, stop, Rhythm(), lambda: story.now)
    assert story.log == ["read 0"]


class _Trouble(Exception):
    pass


def _failing(story: _Story, stop: Stop, fails: set[int], patience: int) -> list[str]:
    """What is told when these rounds of reading fail."""
    told: list[str] = []
    count = 0

    def read() -> None:
        nonlocal count
        count += 1
        story.read()
        if count in fails:
            raise _Trouble(f"round {count}")

    follow(
        read,
        story.make_gold,
        stop,
        Rhythm(read_every=10, gold_every=15),
        lambda: story.now,
        Patience((_Trouble,), lambda error: told.append(str(error)), patience),
    )
    return told


def test_a_round_that_fails_is_said_and_tried_again_at_the_next() -> None:
    stop = Stop()
    story = _Story(5, stop)
    assert _failing(story, stop, {2, 3}, patience=2) == ["round 2", "round 3"]
    assert story.log == ["read 0", "gold 1", "read 10", "read 20", "read 30", "gold 31", "read 40"]


@pytest.mark.parametrize(("fails", "last"), [({1}, "round 1"), ({2, 3, 4}, "round 4")], ids=["first", "too many"])
def test_a_first_round_that_fails_and_too_many_in_a_row_end_it(fails: set[int], last: str) -> None:
    stop = Stop()
    with pytest.raises(_Trouble, match=last):
        _failing(_Story(9, stop), stop, fails, patience=2)


def test_the_first_signal_asks_and_the_second_interrupts() -> None:
    told: list[str] = []
    stop = Stop()
    before = signal.getsignal(signal.SIGINT)
    with stop.on_signals(lambda: told.append("stopping")):
        os.kill(os.getpid(), signal.SIGINT)
        assert stop()
        assert told == ["stopping"]
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGTERM)
    assert signal.getsignal(signal.SIGINT) is before
