"""What a member of a consumer group does about refusals, lost answers and a coordinator in trouble; static members."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest

from muster.client.admin import TopicPartition
from muster.client.callbacks import Callbacks
from muster.client.cluster import Cluster
from muster.client.consumer_calls import ConsumerTerms
from muster.client.consumer_membership import ConsumerMembership
from muster.client.consumer_state import Heartbeat
from muster.client.failure import ClientError
from muster.client.member import Member
from muster.client.membership_base import Phase
from muster.core.assignors.choice import RANGE
from muster.testing import Broker
from muster.wire import errors
from muster.wire.generated.consumer_group_heartbeat import ConsumerGroupHeartbeatResponse
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
)

ALL = "orders-0 orders-1 orders-2 orders-3"


@pytest.fixture
def broker() -> Iterator[Broker]:
    with Broker(QUICK_CONSUMERS, topics={"orders": 4}) as running:
        yield running


# -- refusals for good


@pytest.mark.parametrize(
    ("options", "error"),
    [
        (
            {"assignor": "sticky"},
            r"UNSUPPORTED_ASSIGNOR: ServerAssignor sticky is not supported.*group.consumer.assignors",
        ),
        ({"topic_regex": "("}, r"INVALID_REGULAR_EXPRESSION: .*as RE2 does: it has to match whole topic names"),
        ({"instance_id": " "}, r"INVALID_REQUEST: InstanceId can't be empty"),
    ],
)
def test_what_will_not_be_otherwise_next_time_ends_the_member(
    broker: Broker, options: dict[str, Any], error: str
) -> None:
    async def story() -> None:
        async with consumer(broker.bootstrap_servers, **options) as member:
            with pytest.raises(ClientError, match=f"join group g: {error}"):
                await member.stable()
            assert member.membership.phase is Phase.ENDED
            assert member.diary == []

    run(story)


@pytest.mark.parametrize(
    ("settings", "error"),
    [
        ({"group.consumer.max.size": 1}, "GROUP_MAX_SIZE_REACHED.*group.consumer.max.size"),
        ({"group.consumer.migration.policy": "disabled"}, "GROUP_ID_NOT_FOUND.*group.consumer.migration.policy"),
        ({"group.coordinator.rebalance.protocols": "classic"}, "UNSUPPORTED_VERSION.*use the classic one"),
    ],
)
def test_a_group_that_cannot_have_it_says_why(settings: dict[str, Any], error: str) -> None:
    protocol = "consumer" if "group.consumer.max.size" in settings else "classic"

    async def story() -> None:
        async with DiaryMember(limited.bootstrap_servers, "g", ["orders"], protocol=protocol) as first:
            await first.stable()
            async with consumer(limited.bootstrap_servers) as second:
                with pytest.raises(ClientError, match=error):
                    await second.ended()
            assert first.diary == [("assigned", ALL)]

    with Broker({**QUICK_CONSUMERS, **settings}, topics={"orders": 4}) as limited:
        run(story)


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"protocol": "modern"}, "protocol is 'modern'. Choose classic or consumer"),
        ({"protocol": "consumer", "session_timeout_ms": 6_000}, "group.consumer.session.timeout.ms"),
        ({"protocol": "consumer", "heartbeat_interval_ms": 100}, "group.consumer.heartbeat.interval.ms"),
        ({"protocol": "consumer", "assignors": [RANGE]}, "choose one of its assignors with `assignor`"),
        ({"assignor": "uniform"}, "assignor is not an option of the classic protocol"),
        ({"topic_regex": "o.*"}, "topic_regex is not an option of the classic protocol.*protocol='consumer'"),
    ],
)
def test_options_of_the_other_protocol_are_refused(options: dict[str, Any], complaint: str) -> None:
    with pytest.raises(ClientError, match=f"INVALID_CONFIG.*{complaint}"):
        Member("127.0.0.1:1", "g", ["orders"], **options)


def test_a_rebalance_cannot_be_asked_for(broker: Broker) -> None:
    async def story() -> None:
        async with consumer(broker.bootstrap_servers) as member:
            await member.stable()
            with pytest.raises(ClientError, match="rejoin group g: UNSUPPORTED_VERSION"):
                member.rejoin("please")

    run(story)


# -- the table of 7.11, code by code, with answers that are made up


class _Scripted:
    """In place of the calls of a membership: the first heartbeat of its kind gets the code, all others are accepted."""

    group_id = "g"

    def __init__(self, code: int, at_epoch: int) -> None:
        self._code, self._at_epoch = code, at_epoch
        self.said: list[Heartbeat] = []
        self.left: list[int] = []
        self.forgotten = 0

    async def heartbeat(self, said: Heartbeat) -> Any:
        self.said.append(said)
        if (said.epoch > 0) == (self._at_epoch > 0) and self._code:
            code, self._code = self._code, errors.NONE
            raise ClientError(code, "heartbeat")
        return ConsumerGroupHeartbeatResponse(0, 0, None, "m", 7, 5_000, None)

    async def leave(self, epoch: int) -> None:
        self.left.append(epoch)

    def forget_coordinator(self) -> None:
        self.forgotten += 1

    def close(self) -> None:
        pass


AGAIN = {
    errors.COORDINATOR_LOAD_IN_PROGRESS: 0,
    errors.COORDINATOR_NOT_AVAILABLE: 1,
    errors.NOT_COORDINATOR: 1,
    errors.NETWORK_EXCEPTION: 1,
    errors.REQUEST_TIMED_OUT: 1,
}
LOST = [errors.UNKNOWN_MEMBER_ID, errors.FENCED_MEMBER_EPOCH]
FATAL = [
    errors.FENCED_INSTANCE_ID,
    errors.UNRELEASED_INSTANCE_ID,
    errors.INVALID_REQUEST,
    errors.UNSUPPORTED_ASSIGNOR,
    errors.GROUP_MAX_SIZE_REACHED,
    errors.UNSUPPORTED_VERSION,
    errors.GROUP_AUTHORIZATION_FAILED,
    errors.GROUP_ID_NOT_FOUND,
    errors.INVALID_REGULAR_EXPRESSION,
    errors.UNKNOWN_SERVER_ERROR,
]


def scripted(code: int, at_epoch: int, time: ManualTime) -> tuple[ConsumerMembership, _Scripted]:
    terms = ConsumerTerms("g", "m", None, None, 60_000, ("orders",), None, None)
    membership = ConsumerMembership(Cluster("127.0.0.1:1"), terms, Callbacks(), timing=time)
    calls = _Scripted(code, at_epoch)
    membership._calls = membership._coordinator = calls  # type: ignore[assignment]
    return membership, calls


@pytest.mark.parametrize("at_epoch", [0, 7], ids=["joining", "member"])
@pytest.mark.parametrize("code", [*AGAIN, *LOST, *FATAL], ids=errors.name_of)
def test_every_refusal_has_its_consequence(code: int, at_epoch: int) -> None:
    """Spec 7.11. What was said last is said again in full; a lost place is joined again with epoch 0; the rest is the end."""

    async def story() -> None:
        time = ManualTime()
        membership, calls = scripted(code, at_epoch, time)
        membership.start()
        if code in FATAL:
            while membership.phase is not Phase.ENDED:
                await _turn(time)
            with pytest.raises(ClientError, match=errors.name_of(code)):
                await membership.ended()
        else:
            while len(calls.said) < (2 if at_epoch == 0 else 4):
                await _turn(time)
            epochs = [each.epoch for each in calls.said[:4]]
            assert calls.said[1 if at_epoch == 0 else 2].is_full
            lost = code in LOST and at_epoch > 0
            assert epochs[:2] == [0, 0] if at_epoch == 0 else epochs[:3] == [0, 7, 0 if lost else 7]
            assert calls.forgotten == AGAIN.get(code, 0)
            assert not calls.said[-1].is_full or at_epoch == 0
        await membership.leave()
        assert calls.left == ([] if code in FATAL else [-1])

    run(story)


async def _turn(time: ManualTime) -> None:
    for _ in range(5):
        await asyncio.sleep(0)
    time.advance(5)


# -- the coordinator in trouble, and lost answers


def test_a_coordinator_that_moves_keeps_the_members_places(broker: Broker) -> None:
    async def story() -> None:
        async with consumer(broker.bootstrap_servers) as member:
            await shared([4], member)
            epoch = member.generation
            await asyncio.to_thread(broker.group("g").move_coordinator)
            await beaten(member, 2)
            await member.commit({TopicPartition("orders", 0): 5})
            assert member.diary == [("assigned", ALL)]
            assert member.generation == epoch

    run(story)


@pytest.mark.parametrize("trouble", ["coordinator_loading", "coordinator_moved"])
def test_a_coordinator_that_is_away_is_found_again(broker: Broker, trouble: str) -> None:
    async def story() -> None:
        async with consumer(broker.bootstrap_servers) as member:
            await shared([4], member)
            fault = await asyncio.to_thread(getattr(broker.faults, trouble), "g")
            committing = asyncio.create_task(member.commit({TopicPartition("orders", 0): 5}))
            newcomer = consumer(broker.bootstrap_servers)
            newcomer.start()
            await asyncio.to_thread(fault.remove)
            await committing
            await shared([2, 2], member, newcomer)
            assert ("lost", ALL) not in member.diary
            await newcomer.stop()

    run(story)


@pytest.mark.parametrize("instance_id", [None, "one"], ids=["dynamic", "static"])
@pytest.mark.parametrize("fault", ["drop_reply", "drop_request"])
def test_a_join_whose_answer_is_lost_is_sent_again(broker: Broker, fault: str, instance_id: str | None) -> None:
    """A static member that the coordinator has already would be refused its own instance id (T226): it gives it back first."""

    async def story() -> None:
        dropped = getattr(broker.faults, fault)("ConsumerGroupHeartbeat")
        async with consumer(broker.bootstrap_servers, instance_id=instance_id) as member:
            await shared([4], member)
            assert dropped.is_over
            assert member.diary == [("assigned", ALL)]

    run(story)


@pytest.mark.parametrize("fault", ["drop_reply", "drop_request"])
def test_lost_answers_in_the_middle_of_a_change_lose_nothing(broker: Broker, fault: str) -> None:
    """Spec 7.4 step 4: the epoch before is accepted with what is owned."""

    async def story() -> None:
        async with consumer(broker.bootstrap_servers) as first:
            await shared([4], first)
            getattr(broker.faults, fault)("ConsumerGroupHeartbeat", times=3)
            async with consumer(broker.bootstrap_servers) as second:
                await shared([2, 2], first, second)
                assert [word for word, _ in [*first.diary, *second.diary] if word == "lost"] == []
                assert shown(first.assignment | second.assignment) == ALL

    run(story)


# -- static members


def test_a_static_member_comes_back_to_its_place_and_nobody_notices(broker: Broker) -> None:
    """KIP-345: it leaves with epoch -2, and its partitions wait for it."""

    async def story() -> None:
        async with consumer(broker.bootstrap_servers, instance_id="two") as other:
            async with consumer(broker.bootstrap_servers, instance_id="one") as member:
                await shared([2, 2], member, other)
                had, epoch, told = member.assignment, other.generation, list(other.diary)
            await beaten(other, 3)
            async with consumer(broker.bootstrap_servers, instance_id="one") as again:
                await again.stable()
                assert again.assignment == had
                assert (again.generation, other.generation, other.diary) == (epoch, epoch, told)
                await again.stop(stay_static=False)
            await shared([4], other)

    run(story)


def test_a_static_member_that_comes_back_with_other_topics_has_no_old_expression(broker: Broker) -> None:
    """The coordinator keeps what a predecessor said and the successor does not mention."""

    async def story() -> None:
        await asyncio.to_thread(broker.create_topic, "others", 1)
        async with consumer(broker.bootstrap_servers, (), topic_regex="orders", instance_id="one") as before:
            await shared([4], before)
        async with consumer(broker.bootstrap_servers, ["others"], instance_id="one") as after:
            await shared([1], after)
            assert shown(after.assignment) == "others-0"

    run(story)


def test_who_takes_anothers_instance_id_is_refused(broker: Broker) -> None:
    async def story() -> None:
        async with consumer(broker.bootstrap_servers, instance_id="one") as member:
            await member.stable()
            async with consumer(broker.bootstrap_servers, instance_id="one") as usurper:
                with pytest.raises(ClientError, match=r"UNRELEASED_INSTANCE_ID.*Another process uses the same"):
                    await usurper.stable()
            await beaten(member, 2)
            assert member.diary == [("assigned", ALL)]

    run(story)


def test_a_static_member_whose_place_another_has_taken_ends(broker: Broker) -> None:
    """FENCED_INSTANCE_ID: it was away for a while, as the coordinator saw it, and somebody came in its name."""

    async def story() -> None:
        time = ManualTime()
        async with consumer(broker.bootstrap_servers, instance_id="one", timing=time) as member:
            await reported(member)
            await member.membership._calls.leave(-2)  # type: ignore[attr-defined]
            async with consumer(broker.bootstrap_servers, instance_id="one") as successor:
                await shared([4], successor)
                time.advance(10)
                with pytest.raises(ClientError, match="FENCED_INSTANCE_ID"):
                    await member.ended()
                assert member.diary[-1] == ("lost", ALL)

    run(story)
