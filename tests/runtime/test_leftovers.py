"""What deleted topics have left goes a little at a time, and other changes of the node in between."""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Callable
from typing import Any, cast

import pytest

from muster.log.contract import StorageError
from muster.log.memory import MemoryStore
from muster.runtime.node import Node
from muster.security.authorizer import AllowAll
from muster.server.settings import Settings
from muster.topics.broker import Broker
from muster.topics.broker_config import BrokerConfig
from tests.movable_clock import MovableClock
from tests.runtime.manual_loop import ManualLoop

RETENTION_MS = 300_000


class SlowStore(MemoryStore):
    """Has some slices left."""

    def __init__(self, left: int) -> None:
        super().__init__()
        self.left = left
        self.trouble: StorageError | None = None

    def clear_some(self) -> bool:
        if self.trouble is not None:
            raise self.trouble
        self.left -= self.left > 0
        return self.left > 0


class Lane:
    """One change after the other, when a test says so."""

    def __init__(self) -> None:
        self._waiting: deque[Callable[[], None]] = deque()

    def run(self, work: Callable[[], Any], then: Callable[[Callable[[], Any]], None]) -> None:
        def both() -> None:
            try:
                done = work()
            except StorageError as error:
                then(lambda failure=error: _raise(failure))  # type: ignore[misc]
            else:
                then(lambda: done)

        self._waiting.append(both)

    def turn(self) -> bool:
        if self._waiting:
            self._waiting.popleft()()
            return True
        return False

    def run_all(self) -> None:
        while self.turn():
            pass


def _raise(failure: StorageError) -> None:
    raise failure


class World:
    def __init__(self) -> None:
        self.store, self.lane, self.loop, self.clock = SlowStore(3), Lane(), ManualLoop(), MovableClock()
        ids = itertools.count(1)
        broker = Broker(self.store, BrokerConfig(), lambda size: next(ids).to_bytes(size, "big"), {})
        settings = Settings.of({"log.retention.check.interval.ms": str(RETENTION_MS)})
        self.node = Node(settings, broker, self.clock, cast(Any, self.loop), AllowAll(), lambda: f"id-{next(ids)}")
        self.node.changes.apart = cast(Any, self.lane)
        self.node.start()


@pytest.fixture
def world() -> World:
    return World()


def test_a_start_waits_for_none_of_it_and_other_changes_go_in_between(world: World) -> None:
    assert world.store.left == 3
    seen: list[int] = []
    for _ in range(3):
        world.node.changes.in_turns(lambda: seen.append(world.store.left), lambda outcome: outcome())
        world.lane.turn()
        world.lane.turn()
    assert seen == [2, 1, 0]
    assert not world.lane.turn()


def test_a_deletion_of_topics_begins_it_once(world: World) -> None:
    world.lane.run_all()
    world.store.left = 2
    for _ in range(2):
        world.node.tell_topics_deleted(frozenset({"t"}), [])
        world.loop.run_until_idle()
    assert world.lane.turn()
    assert world.store.left == 1
    assert world.lane.turn()
    assert not world.lane.turn()


def test_after_a_failure_it_goes_on_with_the_next_retention_pass(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    world.store.trouble = StorageError("the database cannot be reached")
    world.lane.run_all()
    assert caplog.messages[-1].endswith("it is tried again: the database cannot be reached")
    world.store.trouble = None
    world.clock.advance(RETENTION_MS)
    world.lane.run_all()
    assert world.store.left == 0
