"""Consumers of aiokafka that hear quickly what the broker has to say, and nothing that slows a test down."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from aiokafka import AIOKafkaConsumer

from muster.testing import Broker

SESSION_SECONDS = 10


@asynccontextmanager
async def consumer(broker: Broker, name: str = "one", group: str = "g", topic: str = "orders") -> AsyncIterator[Any]:
    member = AIOKafkaConsumer(
        topic,
        bootstrap_servers=broker.bootstrap_servers,
        group_id=group,
        client_id=name,
        session_timeout_ms=SESSION_SECONDS * 1000,
        heartbeat_interval_ms=50,
        retry_backoff_ms=20,
        enable_auto_commit=False,
        auto_offset_reset="earliest",
    )
    await member.start()
    try:
        yield member
    finally:
        await member.stop()
