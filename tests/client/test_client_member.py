"""Members of consumer groups against a broker in this process: joining, sharing, moving, losing, leaving."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence

import pytest

from muster.client.admin import CommittedOffset, TopicPartition, add_partitions
from muster.client.cluster import Cluster
from muster.client.failure import ClientError
from muster.client.member import Member
from muster.core.assignors.choice import ASSIGNORS, COOPERATIVE_STICKY, RANGE, STICKY
from muster.core.assignors.contract import Assignments, Assignor, PartitionCounts, Subscriber
from muster.testing import Broker, GroupView
from tests.client.members import DiaryMember, ManualTime, run, shown


@pytest.fixture
def broker() -> Iterator[Broker]:
    with Broker(topics={"orders": 4}) as running:
        yield running


def test_a_member_alone_gets_everything_and_gives_it_up_when_it_leaves(broker: Broker) -> None:
    async def story() -> None:
        member = DiaryMember(broker.bootstrap_servers, "g", ["orders"], client_id="alone")
        async with member:
            await member.stable()
            assert shown(member.assignment) == "orders-0 orders-1 orders-2 orders-3"
            assert member.is_leader
            (seen,) = broker.group("g").members()
            assert (seen.member_id, seen.client_id) == (member.member_id, "alone")
        assert member.diary == [("assigned", "orders-0 orders-1 orders-2 orders-3"), ("revoked", shown_all())]
        assert broker.group("g").state() == "Empty"

    run(story)


def shown_all() -> str:
    return "orders-0 orders-1 orders-2 orders-3"


@pytest.mark.parametrize("assignor", ASSIGNORS.values(), ids=lambda each: each.name)
def test_two_members_share_and_the_rest_goes_to_who_stays(broker: Broker, assignor: Assignor) -> None:
    async def story() -> None:
        first = DiaryMember(broker.bootstrap_servers, "g", ["orders"], assignors=[assignor])
        second = DiaryMember(broker.bootstrap_servers, "g", ["orders"], assignors=[assignor])
        async with first:
            await first.stable()
            async with second:
                await _settled(broker, 2, first, second)
                assert len(first.assignment) == len(second.assignment) == 2
                assert shown(first.assignment | second.assignment) == shown_all()
            await _settled(broker, 4, first)
            assert shown(first.assignment) == shown_all()

    run(story)


def test_an_eager_member_gives_up_everything_before_it_joins_again(broker: Broker) -> None:
    async def story() -> None:
        first = DiaryMember(broker.bootstrap_servers, "g", ["orders"], assignors=[STICKY])
        async with first, DiaryMember(broker.bootstrap_servers, "g", ["orders"], assignors=[STICKY]) as second:
            await _settled(broker, 2, first, second)
        said = [word for word, _ in first.diary]
        assert said == ["assigned", "revoked"] * (len(said) // 2)
        revoked = [places for word, places in first.diary if word == "revoked"]
        assigned = [places for word, places in first.diary if word == "assigned"]
        assert revoked == assigned

    run(story)


def test_a_cooperative_member_keeps_what_does_not_move(broker: Broker) -> None:
    """KIP-429: two rebalances, and only the partitions that move are without an owner between them."""

    async def story() -> None:
        first = DiaryMember(broker.bootstrap_servers, "g", ["orders"], assignors=[COOPERATIVE_STICKY])
        async with first:
            await first.stable()
            second = DiaryMember(broker.bootstrap_servers, "g", ["orders"], assignors=[COOPERATIVE_STICKY])
            async with second:
                await _settled(broker, 2, first, second)
                kept, moved = shown(first.assignment), shown(second.assignment)
                assert first.diary == [
                    ("assigned", shown_all()),
                    ("revoked", moved),
                    ("assigned", ""),
                    ("assigned", ""),
                ]
                assert second.diary == [("assigned", ""), ("assigned", moved)]
                assert sorted([*kept.split(), *moved.split()]) == shown_all().split()

    run(story)


def test_a_member_that_the_group_forgot_loses_everything_and_comes_back(broker: Broker) -> None:
    """Spec 3.11: UNKNOWN_MEMBER_ID. What was lost is not given up: others may have had it."""

    async def story() -> None:
        async with DiaryMember(broker.bootstrap_servers, "g", ["orders"]) as member:
            await member.stable()
            before = member.member_id
            broker.group("g").expire(before)
            await member.stable(2)
            assert member.member_id != before
            assert member.diary == [("assigned", shown_all()), ("lost", shown_all()), ("assigned", shown_all())]

    run(story)


def test_a_session_that_ends_on_the_brokers_clock_is_noticed(broker: Broker) -> None:
    async def story() -> None:
        async with DiaryMember(broker.bootstrap_servers, "g", ["orders"], session_timeout_ms=10_000) as member:
            await member.stable()
            await asyncio.to_thread(broker.clock.advance, seconds=11)
            await member.stable(2)
            assert ("lost", shown_all()) in member.diary

    run(story)


def test_hearts_beat_on_the_clock_that_is_given(broker: Broker) -> None:
    """Both clocks moved in steps shorter than the session lose nobody in ten minutes of seconds."""

    async def story() -> None:
        broker.clock.freeze()
        time = ManualTime()
        member = DiaryMember(broker.bootstrap_servers, "g", ["orders"], heartbeat_interval_ms=3_000, timing=time)
        beaten = asyncio.Event()
        member.membership.on_heartbeat = lambda seconds: beaten.set()
        async with member:
            await member.stable()
            for _ in range(20):
                beaten.clear()
                await asyncio.to_thread(broker.clock.advance, seconds=30)
                time.advance(30)
                await beaten.wait()
            assert member.membership.rebalances == 1

    run(story)


def test_a_static_member_comes_back_to_its_place_without_a_rebalance(broker: Broker) -> None:
    """KIP-345: it does not say goodbye, and the group does not rebalance when it is back."""

    async def story() -> None:
        async with DiaryMember(broker.bootstrap_servers, "g", ["orders"], instance_id="two") as other:
            async with DiaryMember(broker.bootstrap_servers, "g", ["orders"], instance_id="one") as member:
                await _settled(broker, 2, member, other)
                had, generation = member.assignment, broker.group("g").generation()
            async with DiaryMember(broker.bootstrap_servers, "g", ["orders"], instance_id="one") as again:
                await again.stable()
                assert again.assignment == had
                assert broker.group("g").generation() == generation
                await again.stop(stay_static=False)
            await broker.group("g").wait_async("Stable", members=1, where=_each_has(4))

    run(story)


def test_who_takes_anothers_instance_id_ends_it(broker: Broker) -> None:
    """KIP-345: FENCED_INSTANCE_ID ends a member; its partitions are lost, not given up."""

    async def story() -> None:
        async with DiaryMember(broker.bootstrap_servers, "g", ["orders"], instance_id="one") as member:
            await member.stable()
            async with DiaryMember(broker.bootstrap_servers, "g", ["orders"], instance_id="one") as usurper:
                await usurper.stable()
                with pytest.raises(ClientError, match=r"FENCED_INSTANCE_ID.*Another process uses the same"):
                    await member.ended()
                assert member.diary[-1] == ("lost", shown_all())
                assert member.assignment == frozenset()

    run(story)


def test_commits_are_read_back_by_the_next_member(broker: Broker) -> None:
    async def story() -> None:
        place = TopicPartition("orders", 2)
        async with DiaryMember(broker.bootstrap_servers, "g", ["orders"]) as member:
            await member.stable()
            await member.commit({place: CommittedOffset(42, metadata="so far")})
            assert broker.group("g").offsets() == {("orders", 2): 42}
        async with DiaryMember(broker.bootstrap_servers, "g", ["orders"]) as member:
            await member.stable()
            assert await member.committed() == {place: CommittedOffset(42, -1, "so far")}

    run(story)


def test_revoked_partitions_can_still_be_committed_in_the_callback(broker: Broker) -> None:
    async def story() -> None:
        async def commit(places: frozenset[TopicPartition]) -> None:
            await member.commit(dict.fromkeys(places, 7))

        member = Member(broker.bootstrap_servers, "g", ["orders"], on_revoked=commit, heartbeat_interval_ms=20)
        async with member:
            await member.stable()
            member.rejoin("to see what happens")
            await member.stable(2)
            assert broker.group("g").offsets() == {("orders", number): 7 for number in range(4)}
        assert "to see what happens" in broker.group("g").explain()

    run(story)


def test_the_coordinator_hears_why_a_member_left(broker: Broker) -> None:
    """KIP-800."""

    async def story() -> None:
        member = DiaryMember(broker.bootstrap_servers, "g", ["orders"])
        member.start()
        await member.stable()
        await member.stop("the night shift is over")
        assert "the night shift is over" in broker.group("g").explain()

    run(story)


def test_leaving_while_the_group_still_waits_does_not_wait_for_it(broker: Broker) -> None:
    """A JoinGroup holds up its connection: goodbye is said on another."""

    async def story() -> None:
        async with DiaryMember(broker.bootstrap_servers, "g", ["orders"], heartbeat_interval_ms=60_000) as silent:
            await silent.stable()
            newcomer = DiaryMember(broker.bootstrap_servers, "g", ["orders"])
            newcomer.start()
            await broker.group("g").wait_async("PreparingRebalance", members=2)
            await newcomer.stop("changed its mind")
            await broker.group("g").wait_async(members=1)
            assert "changed its mind" in broker.group("g").explain()

    run(story)


def test_the_leader_notices_a_topic_that_grew(broker: Broker) -> None:
    async def story() -> None:
        async with (
            Cluster(broker.bootstrap_servers) as cluster,
            DiaryMember(cluster, "g", ["orders", "later"], metadata_max_age_ms=20) as member,
        ):
            await member.stable()
            await add_partitions(cluster, "orders", 5)
            await member.stable(2)
            assert len(member.assignment) == 5
            broker.create_topic("later", 1)
            await member.stable(3)
            assert TopicPartition("later", 0) in member.assignment
            assert "topics have changed: orders has 5 partitions, had 4" in broker.group("g").explain()

    run(story)


class _FirstTakesAll:
    """An assignor that a user might write."""

    name = "first-takes-all"
    cooperative = False

    def user_data(self, owned: object, generation: int) -> bytes | None:
        return None

    def assign(self, counts: PartitionCounts, members: Sequence[Subscriber]) -> Assignments:
        first = min(members, key=lambda each: each.instance_id or "")
        everything = [TopicPartition(topic, number) for topic in counts for number in range(counts[topic])]
        return {first.member_id: everything}  # the others get nothing


def test_the_users_own_assignor_decides(broker: Broker) -> None:
    async def story() -> None:
        own = [_FirstTakesAll()]
        async with (
            DiaryMember(broker.bootstrap_servers, "g", ["orders"], instance_id="b", assignors=own) as second,
            DiaryMember(broker.bootstrap_servers, "g", ["orders"], instance_id="a", assignors=own) as first,
        ):
            view = await broker.group("g").wait_async("Stable", members=2, where=_someone_has(4))
            await asyncio.gather(first.stable(generation=view.generation), second.stable(generation=view.generation))
            assert (len(first.assignment), len(second.assignment)) == (4, 0)

    run(story)


def test_a_member_without_an_assignor_in_common_is_told_so(broker: Broker) -> None:
    async def story() -> None:
        async with DiaryMember(broker.bootstrap_servers, "g", ["orders"], assignors=[RANGE]) as member:
            await member.stable()
            async with DiaryMember(broker.bootstrap_servers, "g", ["orders"], assignors=[STICKY]) as other:
                with pytest.raises(ClientError, match=r"INCONSISTENT_GROUP_PROTOCOL.*no assignor in common"):
                    await other.stable()

    run(story)


def test_a_callback_that_fails_ends_the_member_and_frees_its_place(broker: Broker) -> None:
    async def story() -> None:
        def fail(places: frozenset[TopicPartition]) -> None:
            raise RuntimeError("the disk is full")

        async with Member(broker.bootstrap_servers, "g", ["orders"], on_assigned=fail) as member:
            with pytest.raises(RuntimeError, match="the disk is full"):
                await member.stable()
            await broker.group("g").wait_async("Empty")
            assert "the member failed: RuntimeError" in broker.group("g").explain()

    run(story)


def _someone_has(count: int) -> Callable[[GroupView], bool]:
    return lambda view: any(len(member.assignment) == count for member in view.members)


def _each_has(count: int) -> Callable[[GroupView], bool]:
    return lambda view: all(len(member.assignment) == count for member in view.members)


async def _settled(broker: Broker, count: int, *members: Member) -> None:
    """The coordinator has given each so many partitions, and each member has taken them."""
    view = await broker.group("g").wait_async("Stable", members=len(members), where=_each_has(count))
    for each in members:
        await each.stable(generation=view.generation)


def test_a_fault_beside_the_callbacks_ends_the_member_too(broker: Broker) -> None:
    """Without its heart a member would sit there for ever while the group goes on without it."""

    async def story() -> None:
        def fail(seconds: float) -> None:
            raise RuntimeError("the pulse was counted wrongly")

        async with DiaryMember(broker.bootstrap_servers, "g", ["orders"]) as member:
            member.membership.on_heartbeat = fail
            with pytest.raises(RuntimeError, match="counted wrongly"):
                await member.ended()
            await broker.group("g").wait_async("Empty")

    run(story)
