"""A thread that takes turns with the loop: what belongs to the loop has one user at a time, and waiting holds nobody up."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Any

import pytest

from muster.log.contract import StorageError
from muster.log.postgres.line import Line
from muster.runtime.changes_apart import ChangesApart
from muster.runtime.database_lane import DatabaseLane

NOWHERE = "postgresql://nobody@/nothing?host=/nowhere"


class Database(Line):
    """Answers when a test says so; without a real one."""

    def __init__(self) -> None:
        super().__init__(NOWHERE, "test")
        self.asked = threading.Semaphore(0)
        self.may_answer = threading.Semaphore(0)

    def _run(self, work: Callable[[Any], Any]) -> Any:
        self.asked.release()
        self.may_answer.acquire()
        return work(None)

    def cut(self) -> None:
        self.may_answer.release()


class Stage:
    def __init__(self) -> None:
        tell = asyncio.get_running_loop().call_soon_threadsafe
        self.database = Database()
        self.changes = ChangesApart(DatabaseLane(self.database, tell, "test"), tell)
        self.changes.begin()
        self.events: list[str] = []

    def two_statements(self, name: str) -> Callable[[], str]:
        def work() -> str:
            self.events.append(f"{name} begins")
            self.database.run(lambda _: None)
            self.events.append(f"{name} goes on")
            self.database.run(lambda _: None)
            self.events.append(f"{name} ends")
            return name

        return work

    async def until_asked(self) -> None:
        await asyncio.get_running_loop().run_in_executor(None, self.database.asked.acquire)


def test_the_loop_goes_on_while_a_change_waits_for_the_database_and_changes_come_one_after_the_other() -> None:
    async def scenario() -> list[str]:
        stage, told = Stage(), asyncio.Queue[str]()
        for name in ("first", "second"):
            stage.changes.run(stage.two_statements(name), lambda outcome: told.put_nowait(outcome()))
        for _ in range(4):
            await stage.until_asked()
            stage.events.append("the loop")
            stage.database.may_answer.release()
        stage.events += [f"{await told.get()} is told" for _ in range(2)]
        stage.changes.close()
        return stage.events

    first = ["first begins", "the loop", "first goes on", "the loop", "first ends"]
    second = [event.replace("first", "second") for event in first]
    assert asyncio.run(scenario()) == [*first, *second, "first is told", "second is told"]


def test_what_a_change_raises_is_raised_where_its_result_is_asked_for() -> None:
    async def scenario() -> None:
        stage = Stage()
        failed: asyncio.Future[Callable[[], Any]] = asyncio.get_running_loop().create_future()

        def refuse() -> None:
            raise StorageError("no")

        stage.changes.run(refuse, failed.set_result)
        outcome = await failed
        with pytest.raises(StorageError, match="no"):
            outcome()
        stage.changes.close()

    asyncio.run(scenario())


def test_the_loop_s_own_thread_is_refused_an_answer_for_which_everybody_would_wait() -> None:
    async def scenario() -> None:
        stage = Stage()
        with pytest.raises(StorageError, match="not asked in the loop"):
            stage.database.run(lambda _: None)
        stage.changes.close()

    asyncio.run(scenario())


@pytest.mark.parametrize("is_waiting_for_its_turn", [False, True])
def test_a_node_that_stops_waits_neither_for_the_database_nor_for_a_thread_that_waits_for_the_loop(
    is_waiting_for_its_turn: bool,
) -> None:
    async def scenario() -> list[str]:
        stage = Stage()
        stage.changes.run(stage.two_statements("it"), lambda outcome: None)
        if not is_waiting_for_its_turn:
            await stage.until_asked()
        stage.database.may_answer.release()  # of the second statement, which comes while it stops
        stage.changes.close()
        return stage.events

    assert asyncio.run(scenario()) == ["it begins", "it goes on", "it ends"]
