"""The kit with aiokafka: everything that can happen to a group, caused by the test and waited for without a sleep."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator

import pytest
from aiokafka import TopicPartition
from aiokafka.errors import KafkaError

from muster.testing import Broker
from tests.testing.aiokafka_members import SESSION_SECONDS, consumer


@pytest.fixture
def broker() -> Iterator[Broker]:
    with Broker(topics={"orders": 4}) as running:
        yield running


def play(story: Callable[[], Awaitable[None]]) -> None:
    asyncio.run(asyncio.wait_for(story(), 60))


def test_a_consumer_gets_what_was_produced(broker: Broker) -> None:
    async def story() -> None:
        async with consumer(broker) as one:
            broker.produce("orders", "a", "b", ("key", "c"))
            assert sorted([(await one.getone()).value for _ in range(3)]) == [b"a", b"b", b"c"]

    play(story)


def test_two_consumers_share_the_partitions(broker: Broker) -> None:
    async def story() -> None:
        async with consumer(broker, "one"), consumer(broker, "two"):
            view = await broker.group("g").wait_async("Stable", members=2)
            owned = [partition for member in view.members for partition in member.assignment]
            assert sorted(owned) == [("orders", index) for index in range(4)]
            assert [len(member.assignment) for member in view.members] == [2, 2]
            assert all(member.is_connected for member in view.members)

    play(story)


def test_moving_the_clock_past_the_session_expels_and_the_consumer_joins_again(broker: Broker) -> None:
    async def story() -> None:
        async with consumer(broker):
            group = broker.group("g")
            before = await group.wait_async("Stable", members=1)
            broker.clock.advance(seconds=SESSION_SECONDS + 1)
            assert (group.state(), group.members()) == ("Empty", ())
            after = await group.wait_async("Stable", members=1)
            assert after.members[0].member_id != before.members[0].member_id
            assert "was expelled (no heartbeat within the session timeout)" in group.explain()

    play(story)


def test_moving_the_clock_within_the_session_expels_nobody(broker: Broker) -> None:
    async def story() -> None:
        broker.clock.freeze()  # the second that is left must not pass by itself
        async with consumer(broker):
            before = await broker.group("g").wait_async("Stable", members=1)
            broker.clock.advance(seconds=SESSION_SECONDS - 1)
            assert broker.group("g").view() == before

    play(story)


def test_members_that_are_connected_outlive_a_long_move_if_told_so(broker: Broker) -> None:
    async def story() -> None:
        async with consumer(broker):
            before = await broker.group("g").wait_async("Stable", members=1)
            broker.clock.advance(hours=3, keep_connected=True)
            assert broker.group("g").view() == before

    play(story)


def test_a_forced_rebalance_gives_a_new_generation_to_the_same_members(broker: Broker) -> None:
    async def story() -> None:
        async with consumer(broker, "one"), consumer(broker, "two"):
            group = broker.group("g")
            before = await group.wait_async("Stable", members=2)
            group.force_rebalance()
            assert group.state() == "PreparingRebalance"
            after = await group.wait_async("Stable", members=2)
            assert after.generation == before.generation + 1
            assert {m.member_id for m in after.members} == {m.member_id for m in before.members}
            assert "a rebalance began (the test asked for it)" in group.explain()

    play(story)


def test_an_expired_member_comes_back_and_the_other_stays(broker: Broker) -> None:
    async def story() -> None:
        async with consumer(broker, "one"), consumer(broker, "two"):
            group = broker.group("g")
            before = await group.wait_async("Stable", members=2)
            expired = group.expire("two")
            after = await group.wait_async("Stable", members=2, generation=before.generation + 1)
            names = {member.client_id: member.member_id for member in after.members}
            assert names["two"] != expired
            assert names["one"] in {member.member_id for member in before.members}

    play(story)


def test_a_commit_whose_reply_is_dropped_is_retried_and_not_lost(broker: Broker) -> None:
    async def story() -> None:
        async with consumer(broker) as one:
            await broker.group("g").wait_async("Stable", members=1)
            dropped = broker.faults.drop_reply("OffsetCommit", group="g")
            await one.commit({TopicPartition("orders", 1): 7})
            assert dropped.uses == 1
            assert broker.group("g").offsets() == {("orders", 1): 7}

    play(story)


def test_a_coordinator_that_was_away_is_found_again(broker: Broker) -> None:
    async def story() -> None:
        async with consumer(broker) as one:
            group = broker.group("g")
            await group.wait_async("Stable", members=1)
            with broker.faults.coordinator_moved("g"):
                commit = asyncio.ensure_future(one.commit({TopicPartition("orders", 0): 3}))
                assert group.state() == "Dead"  # nobody here knows it
                assert not commit.done()
            await commit
            view = await group.wait_async("Stable", members=1, committed={("orders", 0): 3})
            assert view.generation == 1  # its members were in the log

    play(story)


def test_a_coordinator_that_loads_lets_nobody_in_until_its_time_is_over(broker: Broker) -> None:
    async def story() -> None:
        broker.clock.freeze()
        loading = broker.faults.coordinator_loading("g", seconds=5)
        member = consumer(broker)
        started = asyncio.ensure_future(member.__aenter__())
        broker.clock.advance(seconds=4)
        assert (loading.is_over, started.done()) == (False, False)
        broker.clock.advance(seconds=1)
        assert broker.faults.active() == []
        await started
        await broker.group("g").wait_async("Stable", members=1)
        await member.__aexit__(None, None, None)

    play(story)


def test_a_coordinator_that_is_not_available_is_asked_for_again(broker: Broker) -> None:
    async def story() -> None:
        fault = broker.faults.error("FindCoordinator", "COORDINATOR_NOT_AVAILABLE", times=2, group="g")
        async with consumer(broker):
            await broker.group("g").wait_async("Stable", members=1)
        assert (fault.uses, fault.left, fault.is_over) == (2, 0, True)

    play(story)


def test_a_heartbeat_that_is_told_of_an_unknown_member_makes_it_join_anew(broker: Broker) -> None:
    async def story() -> None:
        async with consumer(broker):
            group = broker.group("g")
            before = await group.wait_async("Stable", members=1)
            broker.faults.error("Heartbeat", "UNKNOWN_MEMBER_ID")
            old = before.members[0].member_id
            await group.wait_async(where=lambda view: any(member.member_id != old for member in view.members))
            broker.clock.advance(seconds=SESSION_SECONDS + 1)  # nobody speaks for the old member id any more
            await group.wait_async("Stable", members=1)

    play(story)


def test_a_commit_that_is_refused_for_good_is_the_consumers_to_see(broker: Broker) -> None:
    async def story() -> None:
        async with consumer(broker) as one:
            await broker.group("g").wait_async("Stable", members=1)
            broker.faults.error("OffsetCommit", "GROUP_AUTHORIZATION_FAILED")
            with pytest.raises(KafkaError, match="GroupAuthorizationFailed"):
                await one.commit({TopicPartition("orders", 0): 1})
            assert broker.group("g").offsets() == {}

    play(story)


def test_offsets_of_an_empty_group_are_gone_when_their_retention_is_over(broker: Broker) -> None:
    async def story() -> None:
        async with consumer(broker) as one:
            await one.commit({TopicPartition("orders", 0): 1})
        await broker.group("g").wait_async("Empty")
        broker.clock.advance(days=6)
        assert broker.group("g").offsets() == {("orders", 0): 1}
        broker.clock.advance(days=2)
        assert broker.group("g").offsets() == {}
        assert broker.group("g").state() == "Dead"

    play(story)


def test_waiting_in_a_loop_without_await_is_said_to_be_wrong(broker: Broker) -> None:
    async def story() -> None:
        with pytest.raises(RuntimeError, match="wait_async"):
            broker.group("g").wait("Stable")

    play(story)
