"""What a member does about every refusal that the specification's tables know, call by call."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from muster.client.admin import TopicPartition
from muster.client.failure import ClientError
from muster.client.group_calls import JOIN_GRACE_MS
from muster.client.membership_base import Phase
from muster.testing import Broker
from tests.client.members import DiaryMember, run

EVERYTHING = "orders-0 orders-1"
COORDINATOR_ERRORS = ["COORDINATOR_LOAD_IN_PROGRESS", "COORDINATOR_NOT_AVAILABLE", "NOT_COORDINATOR"]
SHORT = {"rebalance_timeout_ms": 300}
"""A broker that is made to deny a member still has it, and waits for it to join: not for long here."""
FATAL_AT_JOIN = [
    "INCONSISTENT_GROUP_PROTOCOL",
    "INVALID_SESSION_TIMEOUT",
    "GROUP_AUTHORIZATION_FAILED",
    "GROUP_MAX_SIZE_REACHED",
    "FENCED_INSTANCE_ID",
    "INVALID_GROUP_ID",
]


@pytest.fixture(scope="module")
def shared_broker() -> Iterator[Broker]:
    with Broker(topics={"orders": 2}) as running:
        yield running


@pytest.fixture
def broker(shared_broker: Broker) -> Broker:
    return shared_broker


@pytest.fixture
def group(request: pytest.FixtureRequest) -> str:
    return str(request.node.name)


@pytest.mark.parametrize("error", [*COORDINATOR_ERRORS, "REBALANCE_IN_PROGRESS", "UNKNOWN_MEMBER_ID"])
@pytest.mark.parametrize("api", ["JoinGroup", "SyncGroup"])
def test_joining_goes_on_until_it_succeeds(broker: Broker, group: str, api: str, error: str) -> None:
    async def story() -> None:
        broker.faults.error(api, error, times=2, group=group)
        async with DiaryMember(broker.bootstrap_servers, group, ["orders"], **SHORT) as member:
            await member.stable()
            assert member.diary == [("assigned", EVERYTHING)]

    run(story)


def test_a_generation_that_is_over_at_sync_is_joined_anew(broker: Broker, group: str) -> None:
    async def story() -> None:
        broker.faults.error("SyncGroup", "ILLEGAL_GENERATION", group=group)
        async with DiaryMember(broker.bootstrap_servers, group, ["orders"]) as member:
            await member.stable()

    run(story)


@pytest.mark.parametrize("error", FATAL_AT_JOIN)
def test_what_will_not_be_otherwise_next_time_ends_the_member(broker: Broker, group: str, error: str) -> None:
    async def story() -> None:
        broker.faults.error("JoinGroup", error, group=group)
        async with DiaryMember(broker.bootstrap_servers, group, ["orders"]) as member:
            with pytest.raises(ClientError, match=f"join group .*: {error}"):
                await member.stable()
            assert member.membership.phase is Phase.ENDED

    run(story)


@pytest.mark.parametrize("error", COORDINATOR_ERRORS)
def test_a_heart_goes_on_beating_through_a_coordinators_troubles(broker: Broker, group: str, error: str) -> None:
    """The place in the group is kept: the coordinator knows it when it is back."""

    async def story() -> None:
        async with DiaryMember(broker.bootstrap_servers, group, ["orders"]) as member:
            await member.stable()
            beaten = asyncio.Event()
            fault = broker.faults.error("Heartbeat", error, times=2, group=group)
            member.membership.on_heartbeat = lambda seconds: beaten.set() if fault.is_over else None
            await beaten.wait()
            assert member.diary == [("assigned", EVERYTHING)]

    run(story)


@pytest.mark.parametrize(
    ("error", "told"),
    [("REBALANCE_IN_PROGRESS", "revoked"), ("ILLEGAL_GENERATION", "lost"), ("UNKNOWN_MEMBER_ID", "lost")],
)
def test_a_heartbeat_that_hears_of_a_rebalance_joins_it(broker: Broker, group: str, error: str, told: str) -> None:
    """Spec 3.11. After REBALANCE_IN_PROGRESS the partitions are still ours to give up; after the others they are not."""

    async def story() -> None:
        async with DiaryMember(broker.bootstrap_servers, group, ["orders"], **SHORT) as member:
            await member.stable()
            broker.faults.error("Heartbeat", error, group=group)
            await member.stable(2)
            assert member.diary == [("assigned", EVERYTHING), (told, EVERYTHING), ("assigned", EVERYTHING)]

    run(story)


@pytest.mark.parametrize("error", ["FENCED_INSTANCE_ID", "GROUP_AUTHORIZATION_FAILED"])
def test_a_heartbeat_that_is_refused_for_good_ends_the_member(broker: Broker, group: str, error: str) -> None:
    async def story() -> None:
        async with DiaryMember(broker.bootstrap_servers, group, ["orders"]) as member:
            await member.stable()
            broker.faults.error("Heartbeat", error, group=group)
            with pytest.raises(ClientError, match=error):
                await member.ended()
            assert member.diary[-1] == ("lost", EVERYTHING)

    run(story)


@pytest.mark.parametrize("api", ["JoinGroup", "SyncGroup", "Heartbeat"])
def test_a_connection_that_breaks_is_made_anew(broker: Broker, group: str, api: str) -> None:
    async def story() -> None:
        async with DiaryMember(broker.bootstrap_servers, group, ["orders"]) as member:
            fault = broker.faults.drop_reply(api, group=group)
            await member.stable()
            beaten = asyncio.Event()
            member.membership.on_heartbeat = lambda seconds: beaten.set() if fault.is_over else None
            await beaten.wait()
            await member.stable()

    run(story)


@pytest.mark.parametrize("error", COORDINATOR_ERRORS)
def test_a_commit_is_sent_again_when_the_coordinator_was_not_ready(broker: Broker, group: str, error: str) -> None:
    async def story() -> None:
        async with DiaryMember(broker.bootstrap_servers, group, ["orders"]) as member:
            await member.stable()
            broker.faults.error("OffsetCommit", error, group=group)
            await member.commit({TopicPartition("orders", 0): 3})
            assert broker.group(group).offsets() == {("orders", 0): 3}

    run(story)


@pytest.mark.parametrize(
    ("error", "told"),
    [("REBALANCE_IN_PROGRESS", "revoked"), ("ILLEGAL_GENERATION", "lost"), ("UNKNOWN_MEMBER_ID", "lost")],
)
def test_a_commit_that_comes_too_late_is_refused_and_the_group_joined(
    broker: Broker, group: str, error: str, told: str
) -> None:
    async def story() -> None:
        async with DiaryMember(broker.bootstrap_servers, group, ["orders"], **SHORT) as member:
            await member.stable()
            broker.faults.error("OffsetCommit", error, group=group)
            with pytest.raises(ClientError, match=error):
                await member.commit({TopicPartition("orders", 0): 3})
            await member.stable(2)
            assert (told, EVERYTHING) in member.diary

    run(story)


@pytest.mark.parametrize(
    "error", ["OFFSET_METADATA_TOO_LARGE", "INVALID_COMMIT_OFFSET_SIZE", "TOPIC_AUTHORIZATION_FAILED"]
)
def test_a_commit_that_is_wrong_in_itself_leaves_the_member_in_its_place(
    broker: Broker, group: str, error: str
) -> None:
    async def story() -> None:
        async with DiaryMember(broker.bootstrap_servers, group, ["orders"]) as member:
            await member.stable()
            broker.faults.error("OffsetCommit", error, group=group)
            with pytest.raises(ClientError, match=error):
                await member.commit({TopicPartition("orders", 0): 3})
            await member.commit({TopicPartition("orders", 0): 4})
            assert member.diary == [("assigned", EVERYTHING)]

    run(story)


def test_a_commit_of_a_fenced_member_ends_it(broker: Broker, group: str) -> None:
    async def story() -> None:
        async with DiaryMember(broker.bootstrap_servers, group, ["orders"]) as member:
            await member.stable()
            broker.faults.error("OffsetCommit", "FENCED_INSTANCE_ID", group=group)
            with pytest.raises(ClientError, match="FENCED_INSTANCE_ID"):
                await member.commit({TopicPartition("orders", 0): 3})
            with pytest.raises(ClientError, match="FENCED_INSTANCE_ID"):
                await member.ended()

    run(story)


def test_an_offset_under_a_transaction_is_waited_for(broker: Broker, group: str) -> None:
    """KIP-447: UNSTABLE_OFFSET_COMMIT passes."""

    async def story() -> None:
        async with DiaryMember(broker.bootstrap_servers, group, ["orders"]) as member:
            await member.stable()
            broker.faults.error("OffsetFetch", "UNSTABLE_OFFSET_COMMIT", group=group)
            assert await member.committed() == {}

    run(story)


def test_a_goodbye_that_is_refused_is_no_failure(broker: Broker, group: str) -> None:
    async def story() -> None:
        broker.faults.error("LeaveGroup", "UNKNOWN_MEMBER_ID", group=group)
        async with DiaryMember(broker.bootstrap_servers, group, ["orders"]) as member:
            await member.stable()

    run(story)


def test_the_coordinator_has_the_rebalance_timeout_and_five_seconds_to_answer_a_join(
    broker: Broker, group: str
) -> None:
    """Spec 2.4: clients wait longer than the coordinator, so that its answer and not their patience decides."""

    async def story() -> None:
        member = DiaryMember(broker.bootstrap_servers, group, ["orders"], rebalance_timeout_ms=7_000)
        waits: list[float | None] = []
        ask = member.cluster.ask_coordinator

        async def noting(group_id: str, api: str, message: object, **options: object) -> object:
            if api == "JoinGroup":
                waits.append(options["timeout_seconds"])  # type: ignore[arg-type]
            return await ask(group_id, api, message, **options)  # type: ignore[arg-type]

        member.cluster.ask_coordinator = noting  # type: ignore[method-assign]
        async with member:
            await member.stable()
        assert waits == [(7_000 + JOIN_GRACE_MS) / 1000] * 2

    run(story)


def test_who_waits_for_a_member_that_has_left_hears_so(broker: Broker, group: str) -> None:
    async def story() -> None:
        member = DiaryMember(broker.bootstrap_servers, group, ["orders"])
        async with member:
            await member.stable()
        with pytest.raises(ClientError, match="the member has left"):
            await member.stable()
        await member.ended()

    run(story)
