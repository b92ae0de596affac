"""Groups with something to do: producers, readers that keep up, one that falls behind, one whose members come and go.

Real members through `muster.client`, all in this process. Used by `make console`, by the pictures of the docs and by the soak.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from muster.client import admin
from muster.client.cluster import Cluster
from muster.client.failure import ClientError
from muster.client.member import Member

TOPICS = {"orders": 6, "payments": 3}
_BEAT_MS = 300


@dataclass(frozen=True)
class Plan:
    """How a group reads: `keeps` is the part of what is there that it commits."""

    group: str
    topic: str
    members: int
    keeps: float = 1.0
    protocol: str = "classic"
    is_static: bool = False
    restarts_every: float = 0.0
    """Seconds after which one of its members is started anew; 0: never."""


PLANS = (
    Plan("billing", "orders", 3, restarts_every=12.0),
    Plan("fraud-check", "payments", 2, protocol="consumer"),
    Plan("reports", "orders", 1, keeps=0.6),
    Plan("search-index", "orders", 2, is_static=True, restarts_every=30.0),
)


async def make_topics(bootstrap: str) -> None:
    async with Cluster(bootstrap) as cluster:
        for name, partitions in TOPICS.items():
            with contextlib.suppress(ClientError):  # it is there from before
                await admin.create_topic(cluster, name, partitions)


async def produce(bootstrap: str, every: float = 0.5) -> None:
    """A few records in every partition, again and again."""
    async with Cluster(bootstrap, client_id="shop") as cluster:
        producer, number = admin.Producer(cluster), 0
        while True:
            for topic, partitions in TOPICS.items():
                records = []
                for _ in range(partitions):
                    number += 1
                    value = json.dumps({"id": number, "topic": topic, "amount": number * 7 % 250}).encode()
                    records.append(admin.NewRecord(value, key=f"customer-{number % 17}".encode()))
                await producer.send(topic, records)
            await asyncio.sleep(every)


async def read(bootstrap: str, plan: Plan) -> None:
    """All members of one group, until cancelled."""
    members = [_member(bootstrap, plan, number) for number in range(plan.members)]
    for each in members:
        each.start()
    restart = plan.restarts_every or float("inf")
    loop = asyncio.get_running_loop()
    due = loop.time() + restart
    turn = 0
    try:
        while True:
            await _commit(members, plan)
            await asyncio.sleep(1.0)
            if loop.time() >= due:
                due, turn = loop.time() + restart, turn + 1
                at = turn % len(members)
                await members[at].stop("restarted by the demo")
                members[at] = _member(bootstrap, plan, at)
                members[at].start()
    finally:
        await asyncio.gather(*(each.stop() for each in members), return_exceptions=True)


async def _commit(members: list[Member], plan: Plan) -> None:
    for member in members:
        places = list(member.assignment)
        if not places:
            continue
        with contextlib.suppress(ClientError):  # a rebalance came between
            ends = await admin.list_offsets(member.cluster, dict.fromkeys(places, admin.LATEST))
            await member.commit({place: int(ends[place].offset * plan.keeps) for place in places})


def _member(bootstrap: str, plan: Plan, number: int) -> Member:
    client_id = f"{plan.group}-{number + 1}"
    beats = {} if plan.protocol == "consumer" else {"heartbeat_interval_ms": _BEAT_MS, "session_timeout_ms": 6_000}
    return Member(
        bootstrap,
        plan.group,
        [plan.topic],
        protocol=plan.protocol,
        instance_id=client_id if plan.is_static else None,
        rebalance_timeout_ms=20_000,
        client_id=client_id,
        **beats,  # type: ignore[arg-type]
    )


async def keep_busy(bootstrap: str, plans: tuple[Plan, ...] = PLANS) -> None:
    """Until cancelled. What fails for a passing reason is begun anew."""
    await make_topics(bootstrap)
    work: list[Callable[[], Awaitable[None]]] = [lambda: produce(bootstrap)]
    work += [lambda plan=plan: read(bootstrap, plan) for plan in plans]  # type: ignore[misc]
    await asyncio.gather(*map(_again_and_again, work))


async def _again_and_again(work: Callable[[], Awaitable[None]]) -> None:
    while True:
        with contextlib.suppress(ClientError):
            await work()
        await asyncio.sleep(1.0)
