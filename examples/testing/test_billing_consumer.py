"""How a team would test its own consumer with the kit: `pytest examples/testing`.

`BillingConsumer` stands for your code: it reads orders, adds them up and commits what it has done.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from aiokafka import AIOKafkaConsumer, TopicPartition

from muster.testing import Broker

TOPIC = "orders"


class BillingConsumer:
    def __init__(self, bootstrap_servers: str) -> None:
        self.total = 0
        self._consumer: Any = AIOKafkaConsumer(
            TOPIC,
            bootstrap_servers=bootstrap_servers,
            group_id="billing",
            enable_auto_commit=False,
            auto_offset_reset="earliest",
            heartbeat_interval_ms=100,
            session_timeout_ms=10_000,
        )

    async def __aenter__(self) -> BillingConsumer:
        await self._consumer.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._consumer.stop()

    async def bill_one(self) -> None:
        message = await self._consumer.getone()
        self.total += int(message.value)
        await self._consumer.commit({TopicPartition(TOPIC, message.partition): message.offset + 1})


def play(story: Callable[[], Awaitable[None]]) -> None:
    asyncio.run(asyncio.wait_for(story(), 60))


@pytest.mark.muster(topics={TOPIC: 1})
def test_orders_are_billed_and_committed(muster_broker: Broker) -> None:
    async def story() -> None:
        muster_broker.produce(TOPIC, "10", "32")
        async with BillingConsumer(muster_broker.bootstrap_servers) as consumer:
            await consumer.bill_one()
            await consumer.bill_one()
            assert consumer.total == 42
        assert muster_broker.group("billing").offsets() == {(TOPIC, 0): 2}

    play(story)


@pytest.mark.muster(topics={TOPIC: 1})
def test_a_lost_answer_to_a_commit_bills_nothing_twice(muster_broker: Broker) -> None:
    async def story() -> None:
        muster_broker.produce(TOPIC, "10", "32")
        muster_broker.faults.drop_reply("OffsetCommit")
        async with BillingConsumer(muster_broker.bootstrap_servers) as consumer:
            await consumer.bill_one()
            await consumer.bill_one()
            assert consumer.total == 42
        assert muster_broker.group("billing").offsets() == {(TOPIC, 0): 2}

    play(story)


@pytest.mark.muster(topics={TOPIC: 1})
def test_a_consumer_that_was_thought_dead_carries_on_where_it_was(muster_broker: Broker) -> None:
    async def story() -> None:
        muster_broker.produce(TOPIC, "10")
        async with BillingConsumer(muster_broker.bootstrap_servers) as consumer:
            await consumer.bill_one()
            muster_broker.clock.advance(seconds=11)
            await muster_broker.group("billing").wait_async("Stable", members=1)
            muster_broker.produce(TOPIC, "32")
            await consumer.bill_one()
            assert consumer.total == 42

    play(story)
