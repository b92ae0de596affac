"""Our members and those of librdkafka and aiokafka in one group, each of them as its leader."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

import pytest
from aiokafka import AIOKafkaConsumer
from aiokafka.coordinator.assignors.range import RangePartitionAssignor
from aiokafka.coordinator.assignors.roundrobin import RoundRobinPartitionAssignor
from aiokafka.coordinator.assignors.sticky.sticky_assignor import StickyPartitionAssignor
from confluent_kafka import Consumer

from muster.core.assignors.choice import assignor_named
from muster.testing import Broker, GroupView
from tests.client.members import DiaryMember, run
from tests.testing.confluent_members import Polled, configured

AIOKAFKA = {
    "range": RangePartitionAssignor,
    "roundrobin": RoundRobinPartitionAssignor,
    "sticky": StickyPartitionAssignor,
}
MIXES = [
    ("confluent", "range"),
    ("confluent", "roundrobin"),
    ("confluent", "cooperative-sticky"),
    ("aiokafka", "range"),
    ("aiokafka", "roundrobin"),
    ("aiokafka", "sticky"),
]


@pytest.fixture
def broker() -> Iterator[Broker]:
    with Broker(topics={"orders": 4}) as running:
        yield running


def other_member(broker: Broker, client: str, assignor: str) -> AbstractAsyncContextManager[None]:
    return confluent_member(broker, assignor) if client == "confluent" else aiokafka_member(broker, assignor)


@asynccontextmanager
async def confluent_member(broker: Broker, assignor: str) -> AsyncIterator[None]:
    member = Consumer({**configured(broker, "other", "g"), "partition.assignment.strategy": assignor})
    member.subscribe(["orders"])
    polled = Polled(member)
    try:
        yield
    finally:
        await asyncio.to_thread(polled.end)
        await asyncio.to_thread(member.close)


@asynccontextmanager
async def aiokafka_member(broker: Broker, assignor: str) -> AsyncIterator[None]:
    kind: Any = AIOKAFKA[assignor]
    if assignor == "sticky":
        kind.member_assignment = None  # kept by the class for the whole process: what an earlier test had
        kind.generation = kind.DEFAULT_GENERATION_ID
    member = AIOKafkaConsumer(
        "orders",
        bootstrap_servers=broker.bootstrap_servers,
        group_id="g",
        client_id="other",
        heartbeat_interval_ms=50,
        retry_backoff_ms=20,
        enable_auto_commit=False,
        partition_assignment_strategy=(kind,),
    )
    try:
        await member.start()
        yield
    finally:
        await member.stop()


def halved(view: GroupView) -> bool:
    return sorted(len(member.assignment) for member in view.members) == [2, 2]


def everything_is_shared(view: GroupView) -> bool:
    places = [place for member in view.members for place in member.assignment]
    return sorted(places) == [("orders", number) for number in range(4)]


@pytest.mark.parametrize(("client", "assignor"), MIXES)
def test_ours_leads_and_the_other_follows(broker: Broker, client: str, assignor: str) -> None:
    async def story() -> None:
        ours = DiaryMember(broker.bootstrap_servers, "g", ["orders"], assignors=[assignor_named(assignor)])
        async with ours:
            await ours.stable()
            async with other_member(broker, client, assignor):
                view = await broker.group("g").wait_async("Stable", members=2, where=halved)
                assert everything_is_shared(view)
                await ours.stable(generation=view.generation)
                assert ours.is_leader
                assert {(place.topic, place.partition) for place in ours.assignment} in [
                    set(member.assignment) for member in view.members
                ]
            view = await broker.group("g").wait_async("Stable", members=1, where=everything_is_shared)
            await ours.stable(generation=view.generation)
            assert len(ours.assignment) == 4

    run(story)


@pytest.mark.parametrize(("client", "assignor"), MIXES)
def test_the_other_leads_and_ours_follows(broker: Broker, client: str, assignor: str) -> None:
    async def story() -> None:
        async with other_member(broker, client, assignor):
            await broker.group("g").wait_async("Stable", members=1, where=everything_is_shared)
            ours = DiaryMember(broker.bootstrap_servers, "g", ["orders"], assignors=[assignor_named(assignor)])
            async with ours:
                view = await broker.group("g").wait_async("Stable", members=2, where=halved)
                assert everything_is_shared(view)
                await ours.stable(generation=view.generation)
                assert not ours.is_leader
                assert len(ours.assignment) == 2
            await broker.group("g").wait_async("Stable", members=1, where=everything_is_shared)

    run(story)
