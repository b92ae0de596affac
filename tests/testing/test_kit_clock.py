"""The clock of the kit: runs, stands, moves; timers on the way fire at their own time and in order."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from muster.testing import Broker
from muster.testing.kit_clock import KitClock


def play(story: Callable[[KitClock], Awaitable[None]], *, frozen: bool = True) -> None:
    async def run() -> None:
        await story(KitClock(asyncio.get_running_loop(), 1_000, frozen=frozen))

    asyncio.run(asyncio.wait_for(run(), 30))


async def nothing_to_settle() -> None:
    await asyncio.sleep(0)


def test_a_move_wakes_everybody_at_its_own_time_and_in_order() -> None:
    async def story(clock: KitClock) -> None:
        woken: list[tuple[str, int]] = []
        clock.wake_at(1_300, lambda: woken.append(("third", clock.now_ms())))
        clock.wake_at(1_100, lambda: woken.append(("first", clock.now_ms())))
        clock.wake_at(1_200, lambda: woken.append(("second", clock.now_ms())))
        clock.wake_at(1_501, lambda: woken.append(("beyond", clock.now_ms())))
        await clock.advance(500, nothing_to_settle)
        assert woken == [("first", 1_100), ("second", 1_200), ("third", 1_300)]
        assert clock.now_ms() == 1_500

    play(story)


def test_a_timer_that_is_set_on_the_way_fires_on_the_way() -> None:
    async def story(clock: KitClock) -> None:
        woken: list[int] = []

        def again() -> None:
            woken.append(clock.now_ms())
            clock.wake_at(clock.now_ms() + 100, again)

        clock.wake_at(1_100, again)
        await clock.advance(350, nothing_to_settle)
        assert woken == [1_100, 1_200, 1_300]

    play(story)


def test_what_follows_from_a_timer_settles_before_the_next_one() -> None:
    async def story(clock: KitClock) -> None:
        order: list[str] = []
        clock.wake_at(1_100, lambda: order.append("first"))
        clock.wake_at(1_200, lambda: order.append("second"))

        async def settle() -> None:
            order.append("settled")

        await clock.advance(300, settle)
        assert order == ["settled", "first", "settled", "second", "settled"]

    play(story)


def test_a_cancelled_wake_does_not_come() -> None:
    async def story(clock: KitClock) -> None:
        woken: list[int] = []
        clock.wake_at(1_100, lambda: woken.append(1)).cancel()
        await clock.advance(500, nothing_to_settle)
        assert woken == []

    play(story)


def test_a_frozen_clock_stands_and_still_wakes_who_is_due() -> None:
    async def story(clock: KitClock) -> None:
        due = asyncio.get_running_loop().create_future()
        clock.wake_at(1_000, lambda: due.set_result(clock.now_ms()))
        assert await due == 1_000
        assert (clock.now_ms(), clock.is_frozen) == (1_000, True)

    play(story)


def test_a_running_clock_wakes_by_itself_and_shows_what_was_added() -> None:
    async def story(clock: KitClock) -> None:
        await clock.advance(60_000, nothing_to_settle)
        assert clock.now_ms() >= 61_000
        due = asyncio.get_running_loop().create_future()
        clock.wake_at(clock.now_ms() + 5, lambda: due.set_result(None))
        await due

    play(story, frozen=False)


def test_a_thawed_clock_runs_on_from_what_it_showed() -> None:
    async def story(clock: KitClock) -> None:
        due = asyncio.get_running_loop().create_future()
        clock.wake_at(1_005, lambda: due.set_result(clock.now_ms()))
        clock.thaw()
        assert await due >= 1_005

    play(story)


def test_a_clock_does_not_go_back() -> None:
    with Broker() as broker, pytest.raises(ValueError, match="cannot go back"):
        broker.clock.advance(seconds=-1)


def test_a_broker_can_start_frozen_at_a_given_time() -> None:
    with Broker(frozen=True, start_ms=1_700_000_000_000) as broker:
        assert broker.clock.now().isoformat() == "2023-11-14T22:13:20+00:00"
        broker.produce("orders", "a")
        assert [record.timestamp_ms for record in broker.records("orders")] == [1_700_000_000_000]
        broker.clock.advance(minutes=1, seconds=1, ms=1)
        assert broker.clock.now_ms() == 1_700_000_061_001
