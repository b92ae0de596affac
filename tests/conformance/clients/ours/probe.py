"""What a check holds in its hand: a cluster, and a place for what it saw that both brokers should agree on."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path

from muster.client.cluster import Cluster
from muster.client.failure import ClientError
from tests.conformance.kafka import Node

PATIENCE_SECONDS = 40


@dataclass
class Probe:
    cluster: Cluster
    node: Node
    folder: Path
    sightings: dict[str, str] = field(default_factory=dict)

    def saw(self, what: str, value: object) -> None:
        self.sightings[what] = str(value)


async def refused(work: Awaitable[object]) -> str:
    """The error that it must end with, by Kafka's name, with the broker's own words."""
    try:
        await work
    except ClientError as failure:
        return f"{failure.name}: {failure.detail}"
    raise AssertionError("it was not refused")


async def until(what: str, holds: Callable[[], Awaitable[bool]]) -> None:
    """The limit only ends a check that has failed."""
    try:
        async with asyncio.timeout(PATIENCE_SECONDS):
            while not await holds():  # noqa: ASYNC110 - the state is the broker's
                await asyncio.sleep(0.05)
    except TimeoutError:
        raise AssertionError(f"still not after {PATIENCE_SECONDS} s: {what}") from None
