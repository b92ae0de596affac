"""Members of consumer groups (KIP-848) against a broker in this process: joining, sharing, moving, losing, leaving."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager

import pytest

from muster.client import admin
from muster.client.admin import CommittedOffset, TopicPartition, add_partitions
from muster.client.cluster import Cluster
from muster.client.failure import ClientError
from muster.client.member import Member
from muster.client.membership_base import Phase
from muster.testing import Broker
from muster.wire.generated.consumer_group_heartbeat import ConsumerGroupHeartbeatRequest
from muster.wire.generated.leave_group import LeaveGroupRequest, LeaveGroupRequestMember
from tests.client.members import (
    QUICK_CONSUMERS,
    DiaryMember,
    ManualTime,
    beaten,
    consumer,
    reported,
    run,
    shared,
    shown,
    until,
)

ALL = "orders-0 orders-1 orders-2 orders-3"
SESSION_SECONDS = 45


@pytest.fixture
def broker() -> Iterator[Broker]:
    with Broker(QUICK_CONSUMERS, topics={"orders": 4}) as running:
        yield running


@asynccontextmanager
async def unblocking(let_go: asyncio.Event) -> AsyncIterator[None]:
    """A callback that waits for this goes on afterwards, also if the test has failed: leaving waits for callbacks."""
    try:
        yield
    finally:
        let_go.set()


@asynccontextmanager
async def consumer_after(first: Member, broker: Broker) -> AsyncIterator[DiaryMember]:
    """One that comes when the first has everything."""
    await first.stable()
    async with consumer(broker.bootstrap_servers) as second:
        yield second


async def described(broker: Broker) -> admin.GroupDescription:
    async with Cluster(broker.bootstrap_servers) as cluster:
        return await admin.describe_group(cluster, "g")


def test_a_member_alone_gets_everything_and_gives_it_up_when_it_leaves(broker: Broker) -> None:
    async def story() -> None:
        member = consumer(broker.bootstrap_servers, client_id="alone", rack_id="r1", assignor="range")
        async with member:
            await member.stable()
            assert shown(member.assignment) == ALL
            assert not member.is_leader
            group = await described(broker)
            (seen,) = group.members
            assert (group.state, group.type, group.assignor) == ("Stable", "consumer", "range")
            assert (seen.member_id, seen.client_id, seen.epoch) == (member.member_id, "alone", member.generation)
        assert member.diary == [("assigned", ALL), ("revoked", ALL)]
        assert (await described(broker)).state == "Empty"

    run(story)


@pytest.mark.parametrize("assignor", ["uniform", "range", None])
def test_two_members_share_and_the_rest_goes_to_who_stays(broker: Broker, assignor: str | None) -> None:
    async def story() -> None:
        first = consumer(broker.bootstrap_servers, assignor=assignor)
        async with first:
            await first.stable()
            async with consumer(broker.bootstrap_servers, assignor=assignor) as second:
                await shared([2, 2], first, second)
                assert shown(first.assignment | second.assignment) == ALL
            await shared([4], first)

    run(story)


def test_only_what_moves_is_given_up(broker: Broker) -> None:
    async def story() -> None:
        async with consumer(broker.bootstrap_servers) as first:
            await first.stable()
            async with consumer(broker.bootstrap_servers) as second:
                await shared([2, 2], first, second)
                moved = shown(second.assignment)
                assert first.diary == [("assigned", ALL), ("revoked", moved), ("assigned", "")]
                assert second.diary == [("assigned", ""), ("assigned", moved)]

    run(story)


def test_nobody_gets_what_the_program_has_not_given_up_yet(broker: Broker) -> None:
    """Heartbeats go on while a callback runs, and say nothing of it."""

    async def story() -> None:
        let_go, asked = asyncio.Event(), asyncio.Event()

        async def hold(places: frozenset[TopicPartition]) -> None:
            asked.set()
            await let_go.wait()
            await first.commit(dict.fromkeys(places, 7))

        first = Member(broker.bootstrap_servers, "g", ["orders"], protocol="consumer", on_revoked=hold)
        async with first, consumer_after(first, broker) as second:
            async with unblocking(let_go):
                await asked.wait()
                await beaten(first, 3)
                await beaten(second, 3)
                assert second.assignment == frozenset()
                assert first.membership.phase is Phase.RECONCILING
                assert shown(first.assignment) == ALL
            await shared([2, 2], first, second)
            assert broker.group("g").offsets() == {(each.topic, each.partition): 7 for each in second.assignment}

    run(story)


def test_a_member_that_was_removed_loses_everything_and_comes_back_with_its_id(broker: Broker) -> None:
    """Spec 7.9: an administrator's LeaveGroup removes members of the new protocol too; UNKNOWN_MEMBER_ID is their answer."""

    async def story() -> None:
        async with Cluster(broker.bootstrap_servers) as cluster, consumer(broker.bootstrap_servers) as member:
            await member.stable()
            member_id = member.member_id
            gone = LeaveGroupRequest("g", members=[LeaveGroupRequestMember(member_id, None, "out")])
            await cluster.ask_coordinator("g", "LeaveGroup", gone)
            await member.stable(2)
            assert member.member_id == member_id
            assert member.diary == [("assigned", ALL), ("lost", ALL), ("assigned", ALL)]

    run(story)


def test_a_fenced_epoch_loses_everything_and_the_member_comes_back(broker: Broker) -> None:
    """T219: somebody else speaks with our id. Its changes raise the epoch, and FENCED_MEMBER_EPOCH is our next answer."""

    async def story() -> None:
        time = ManualTime()
        async with Cluster(broker.bootstrap_servers) as cluster, consumer(cluster, timing=time) as member:
            await reported(member)
            other = ConsumerGroupHeartbeatRequest(
                "g",
                member.member_id,
                member.generation,
                subscribed_topic_names=["orders", "others"],
                topic_partitions=[],
            )
            reply = await cluster.ask_coordinator("g", "ConsumerGroupHeartbeat", other)
            assert reply.member_epoch > member.generation
            time.advance(10)
            await member.stable(2)
            assert member.diary == [("assigned", ALL), ("lost", ALL), ("assigned", ALL)]

    run(story)


def test_a_session_that_ends_while_the_member_is_silent_is_noticed(broker: Broker) -> None:
    async def story() -> None:
        time = ManualTime()
        async with consumer(broker.bootstrap_servers, timing=time) as silent:
            await shared([4], silent)
            async with consumer(broker.bootstrap_servers) as other:
                await other.stable()
                for _ in range(2):
                    await asyncio.to_thread(broker.clock.advance, seconds=SESSION_SECONDS - 10)
                    await beaten(other, 2)
                await shared([4], other)
                time.advance(SESSION_SECONDS)
                await until(lambda: ("lost", ALL) in silent.diary, silent)

    run(story)


def test_a_killed_members_partitions_go_to_the_others_when_its_session_ends(broker: Broker) -> None:
    async def story() -> None:
        victim = consumer(broker.bootstrap_servers)
        async with consumer(broker.bootstrap_servers) as other:
            victim.start()
            await shared([2, 2], other, victim)
            await victim.kill()
            for _ in range(2):
                await asyncio.to_thread(broker.clock.advance, seconds=SESSION_SECONDS - 10)
                await beaten(other, 2)
            await shared([4], other)
            assert [word for word, _ in victim.diary if word != "assigned"] == []

    run(story)


def test_hearts_beat_on_the_clock_that_is_given_as_often_as_the_broker_says() -> None:
    """Both clocks moved in steps shorter than the session lose nobody in ten minutes of seconds."""

    async def story() -> None:
        time = ManualTime()
        async with consumer(usual.bootstrap_servers, timing=time) as member:
            await member.stable()
            for _ in range(20):
                await asyncio.to_thread(usual.clock.advance, seconds=30)
                heard = asyncio.create_task(beaten(member))
                await asyncio.sleep(0)
                time.advance(5)
                await heard
            assert member.membership.rebalances == 1

    with Broker(topics={"orders": 4}, frozen=True) as usual:
        run(story)


def test_a_topic_that_grows_or_comes_later_is_seen(broker: Broker) -> None:
    async def story() -> None:
        async with Cluster(broker.bootstrap_servers) as cluster, consumer(cluster, ["orders", "later"]) as member:
            await member.stable()
            await add_partitions(cluster, "orders", 5)
            await shared([5], member)
            await asyncio.to_thread(broker.create_topic, "later", 1)
            await shared([6], member)
            assert TopicPartition("later", 0) in member.assignment

    run(story)


def test_a_topic_that_is_deleted_and_made_again_is_given_up_and_taken_anew(broker: Broker) -> None:
    async def story() -> None:
        async with Cluster(broker.bootstrap_servers) as cluster, consumer(cluster) as member:
            await member.stable()
            assert await admin.delete_topics(cluster, ["orders"]) == {"orders": None}
            await shared([0], member)
            await admin.create_topic(cluster, "orders", 2)
            await shared([2], member)
            assert member.diary == [
                ("assigned", ALL),
                ("revoked", ALL),
                ("assigned", ""),
                ("assigned", "orders-0 orders-1"),
            ]

    run(story)


def test_topics_are_chosen_by_an_expression_also_those_that_come_later(broker: Broker) -> None:
    """Spec 15.1: matches whole names, by RE2; new topics are seen after about ten seconds."""

    async def story() -> None:
        async with consumer(broker.bootstrap_servers, (), topic_regex="orders|late.*") as member:
            await shared([4], member)
            for name in ("late-1", "too-late"):
                await asyncio.to_thread(broker.create_topic, name, 1)
            while len(member.assignment) < 5:
                await asyncio.to_thread(broker.clock.advance, seconds=11)
                await beaten(member)
            await shared([5], member)
            assert shown(member.assignment) == f"late-1-0 {ALL}"

    run(story)


def test_commits_are_read_back_by_the_next_member(broker: Broker) -> None:
    async def story() -> None:
        place = TopicPartition("orders", 2)
        async with consumer(broker.bootstrap_servers) as member:
            await member.stable()
            await member.commit({place: CommittedOffset(42, metadata="so far")})
            assert broker.group("g").offsets() == {("orders", 2): 42}
        async with consumer(broker.bootstrap_servers) as member:
            await member.stable()
            assert await member.committed() == {place: CommittedOffset(42, -1, "so far")}

    run(story)


def test_a_commit_after_the_end_is_refused(broker: Broker) -> None:
    async def story() -> None:
        async with consumer(broker.bootstrap_servers) as member:
            await member.stable()
        with pytest.raises(ClientError, match=r"STALE_MEMBER_EPOCH: this member has no place"):
            await member.commit({TopicPartition("orders", 0): 1})
        await member.ended()

    run(story)


def test_a_commit_that_a_new_epoch_overtook_is_sent_again_with_it(broker: Broker) -> None:
    async def story() -> None:
        time = ManualTime()
        async with Cluster(broker.bootstrap_servers) as cluster, consumer(cluster, timing=time) as member:
            await member.stable()
            before = member.generation
            await add_partitions(cluster, "orders", 5)
            fault = broker.faults.error("OffsetCommit", "STALE_MEMBER_EPOCH", group="g")
            await member.commit({TopicPartition("orders", 0): 3})
            assert (fault.is_over, member.generation) == (True, before + 1)
            assert broker.group("g").offsets() == {("orders", 0): 3}

    run(story)


def test_a_commit_that_stays_stale_is_refused(broker: Broker) -> None:
    async def story() -> None:
        async with consumer(broker.bootstrap_servers) as member:
            await member.stable()
            broker.faults.error("OffsetCommit", "STALE_MEMBER_EPOCH", group="g")
            with pytest.raises(ClientError, match="STALE_MEMBER_EPOCH"):
                await member.commit({TopicPartition("orders", 0): 3})
            await member.commit({TopicPartition("orders", 0): 4})
            assert member.diary == [("assigned", ALL)]

    run(story)


def test_a_callback_that_takes_too_long_ends_the_place_and_the_member_joins_again(broker: Broker) -> None:
    """As Java's members do after max.poll.interval.ms: they leave, and what they had is lost."""

    async def story() -> None:
        time, stuck, let_go = ManualTime(), asyncio.Event(), asyncio.Event()
        told: list[str] = []

        async def work(places: frozenset[TopicPartition]) -> None:
            told.append("assigned")
            stuck.set()
            await let_go.wait()

        member = Member(
            broker.bootstrap_servers,
            "g",
            ["orders"],
            protocol="consumer",
            on_assigned=work,
            on_lost=lambda places: told.append(f"lost {shown(places)}"),
            rebalance_timeout_ms=60_000,
            timing=time,
        )
        async with member:
            await stuck.wait()
            async with consumer(broker.bootstrap_servers) as other, unblocking(let_go):
                time.advance(59)
                await beaten(member)
                time.advance(1)
                await shared([4], other)
                assert told == ["assigned"]
            await member.stable(2)
            assert told[:3] == ["assigned", f"lost {ALL}", "assigned"]

    run(story)


def test_a_callback_that_fails_ends_the_member_and_frees_its_place(broker: Broker) -> None:
    async def story() -> None:
        def fail(places: frozenset[TopicPartition]) -> None:
            raise RuntimeError("the disk is full")

        async with Member(broker.bootstrap_servers, "g", ["orders"], protocol="consumer", on_assigned=fail) as member:
            with pytest.raises(RuntimeError, match="the disk is full"):
                await member.stable()
            with pytest.raises(RuntimeError, match="the disk is full"):
                await member.ended()
            assert (await described(broker)).state == "Empty"

    run(story)


def test_a_member_that_is_stopped_before_its_join_is_answered_leaves_nothing_behind(broker: Broker) -> None:
    async def story() -> None:
        member = consumer(broker.bootstrap_servers)
        member.start()
        while not member.membership._state.join_sent:  # type: ignore[attr-defined]  # noqa: ASYNC110 - turns of this loop
            await asyncio.sleep(0)
        await member.stop()
        async with DiaryMember(broker.bootstrap_servers, "g", ["orders"], protocol="consumer") as next_one:
            await shared([4], next_one)
            assert len((await described(broker)).members) == 1

    run(story)
