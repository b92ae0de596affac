"""One write and one sync for all appends of a tick, callbacks after it, in order, whatever fails."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from muster.log.contract import LogConfig, PartitionLog, StorageError
from muster.log.memory import MemoryStore
from muster.runtime.group_commit import BUSY_COMMITS, GATHER_TURNS, GroupCommit
from muster.wire.batch import encode_pairs, parse_header
from tests.runtime.manual_loop import ManualLoop


class World:
    def __init__(self) -> None:
        self.loop = ManualLoop()
        self.store = MemoryStore()
        self.advanced: list[PartitionLog] = []
        self.commit = GroupCommit(self.store, cast(Any, self.loop), self.advanced.append)
        self.settled: list[tuple[str, StorageError | None]] = []

    def open(self, topic: str) -> PartitionLog:
        return self.store.open(topic, 0, bytes(16), LogConfig())

    def append(self, log: PartitionLog, name: str) -> None:
        batch = encode_pairs([(b"k", name.encode())], 1)
        base_offset = log.append(batch, parse_header(batch, 0), 0, 1)
        self.commit.when_durable(log, base_offset + 1, lambda error: self.settled.append((name, error)))


def test_nothing_is_durable_before_the_end_of_the_tick() -> None:
    world = World()
    log = world.open("t")
    world.append(log, "a")
    assert (world.settled, log.durable_offset, log.end_offset) == ([], 0, 1)
    world.loop.run_until_idle()
    assert (world.settled, log.durable_offset) == ([("a", None)], 1)


def test_all_appends_of_a_tick_to_all_logs_share_one_commit() -> None:
    world = World()
    one, two = world.open("one"), world.open("two")
    for name in ("a", "b"):
        world.append(one, name)
        world.append(two, name.upper())
    world.loop.run_until_idle()
    assert world.commit.flushes.count == 1
    assert world.settled == [("a", None), ("b", None), ("A", None), ("B", None)]
    assert world.advanced == [one, two]


def test_an_append_made_by_a_callback_gets_a_commit_of_its_own() -> None:
    world = World()
    log = world.open("t")
    batch = encode_pairs([(b"k", b"v")], 1)
    log.append(batch, parse_header(batch, 0), 0, 1)
    world.commit.when_durable(log, 1, lambda error: world.append(log, "second"))
    world.loop.run_until_idle()
    assert world.settled == [("second", None)]
    assert world.commit.flushes.count == 2
    assert log.durable_offset == 2


def test_when_a_write_fails_everything_staged_in_that_log_fails_and_other_logs_do_not() -> None:
    world = World()
    broken, sound = world.open("broken"), world.open("sound")
    world.store.failure = lambda topic, partition: StorageError("disk full") if topic == "broken" else None
    world.append(broken, "a")
    world.append(sound, "b")
    world.append(broken, "c")
    world.loop.run_until_idle()
    assert [(name, str(error)) for name, error in world.settled] == [
        ("a", "disk full"),
        ("c", "disk full"),
        ("b", "None"),
    ]
    assert (broken.durable_offset, broken.end_offset) == (0, 0)
    world.store.failure = None
    world.append(broken, "again")
    world.loop.run_until_idle()
    assert world.settled[-1] == ("again", None)


def test_who_asks_for_what_is_durable_already_is_called_all_the_same() -> None:
    world = World()
    log = world.open("t")
    world.append(log, "a")
    world.loop.run_until_idle()
    world.commit.when_durable(log, 1, lambda error: world.settled.append(("late", error)))
    world.loop.run_until_idle()
    assert world.settled == [("a", None), ("late", None)]


def test_when_idle_comes_after_everything_that_was_staged() -> None:
    world = World()
    log = world.open("t")
    world.append(log, "a")
    world.commit.when_idle(lambda: world.settled.append(("idle", None)))
    world.loop.run_until_idle()
    assert world.settled == [("a", None), ("idle", None)]


def test_when_a_log_is_given_up_whoever_waits_for_it_is_told_and_nobody_twice() -> None:
    world = World()
    log = world.open("t")
    world.append(log, "a")
    world.commit.give_up(log, StorageError("deleted"))
    world.loop.run_until_idle()
    assert [(name, str(error)) for name, error in world.settled] == [("a", "deleted")]


class SlowWorld(World):
    """Commits end when the test says so."""

    def __init__(self) -> None:
        super().__init__()
        self.store.durability = "fsync"
        self.under_way: list[tuple[Callable[[], None], Callable[[], None]]] = []
        self.commit = GroupCommit(
            self.store, cast(Any, self.loop), background=lambda work, then: self.under_way.append((work, then))
        )

    def end_commit(self) -> None:
        work, then = self.under_way.pop()
        work()
        then()

    def turns_until_the_next_commit(self) -> int:
        turns = 0
        while not self.under_way:
            self.loop.turn()
            turns += 1
        return turns


def test_a_commit_that_was_alone_leaves_the_loop_nothing_to_do() -> None:
    world = SlowWorld()
    log = world.open("t")
    for name in ("a", "b"):
        world.append(log, name)
        assert world.turns_until_the_next_commit() == 1
        world.end_commit()
        assert world.loop.is_idle
    assert world.settled == [("a", None), ("b", None)]


def test_what_came_during_a_commit_waits_some_turns_for_company_after_it() -> None:
    world = SlowWorld()
    log = world.open("t")
    world.append(log, "a")
    world.loop.run_until_idle()
    world.append(log, "b")
    world.loop.run_until_idle()
    world.end_commit()
    assert world.turns_until_the_next_commit() == GATHER_TURNS
    world.end_commit()
    world.loop.run_until_idle()
    assert world.settled == [("a", None), ("b", None)]


def test_company_is_expected_for_some_commits_after_one_that_had_it() -> None:
    world = SlowWorld()
    log = world.open("t")
    world.append(log, "first")
    world.loop.run_until_idle()
    world.append(log, "company")
    world.loop.run_until_idle()
    world.end_commit()
    world.loop.run_until_idle()
    for number in range(BUSY_COMMITS - 1):
        world.end_commit()
        world.append(log, f"next {number}")
        assert world.turns_until_the_next_commit() == GATHER_TURNS
    world.end_commit()
    assert world.loop.is_idle


def test_when_idle_comes_after_the_commit_that_is_under_way_and_the_one_that_waits_for_it() -> None:
    world = SlowWorld()
    log = world.open("t")
    world.append(log, "a")
    world.loop.run_until_idle()
    world.append(log, "b")
    world.commit.when_idle(lambda: world.settled.append(("idle", None)))
    world.loop.run_until_idle()
    world.end_commit()
    assert world.turns_until_the_next_commit() == 0
    world.end_commit()
    world.loop.run_until_idle()
    assert world.settled == [("a", None), ("b", None), ("idle", None)]
