"""Members in a loop of their own thread: started, killed, stalled in the middle of a rebalance, and let go again."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine, Mapping
from types import TracebackType
from typing import Any, TypeVar

from muster.client import admin
from muster.client.cluster import Cluster
from muster.client.member import Member
from muster.client.offset_messages import CommittedOffset
from muster.client.partitions import TopicPartition
from muster.client.security import PLAINTEXT, Security
from tests.client.members import HEARTBEAT_MS

T = TypeVar("T")


class Fleet:
    """`with Fleet(bootstrap, "billing", ["orders"]) as fleet:`."""

    def __init__(self, bootstrap: str, group: str, topics: list[str], *, security: Security = PLAINTEXT) -> None:
        self._security = security
        self._bootstrap, self._group, self._topics = bootstrap, group, topics
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._members: dict[str, Member] = {}
        self._gates: dict[str, asyncio.Event] = {}

    def __enter__(self) -> Fleet:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        for gate in self._gates.values():
            self._loop.call_soon_threadsafe(gate.set)
        for name in list(self._members):
            self.leave(name)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(timeout=60)

    def join(self, name: str, **options: Any) -> None:
        """Comes back when it has an assignment."""
        self.begin(name, **options)
        self.run(self._members[name].stable())

    def begin(self, name: str, **options: Any) -> None:
        """Joins by itself, sooner or later."""

        async def start() -> None:
            gate = self._gates[name] = asyncio.Event()
            gate.set()

            async def wait_at_gate(places: frozenset[TopicPartition]) -> None:
                await gate.wait()

            member = Member(
                self._bootstrap,
                self._group,
                self._topics,
                client_id=name,
                security=self._security,
                on_revoked=wait_at_gate,
                **({"session_timeout_ms": 60_000, "heartbeat_interval_ms": HEARTBEAT_MS} | options),
            )
            member.start()
            self._members[name] = member

        self.run(start())

    def stall(self, name: str) -> None:
        """It will not give up its partitions, and so not join again, until it is let go."""
        self._loop.call_soon_threadsafe(self._gates[name].clear)

    def let_go(self, name: str) -> None:
        self._loop.call_soon_threadsafe(self._gates[name].set)

    def kill(self, name: str) -> None:
        """End like a process that is killed: no callback, no goodbye."""
        member = self._members.pop(name)
        if member._watch is not None:
            member._watch.cancel()
        self.run(member.membership._stop_tasks())
        self.run(member.cluster.close())

    def leave(self, name: str) -> None:
        self.run(self._members.pop(name).stop("the test is over"))

    def rebalance(self, name: str, times: int) -> None:
        """It asks for a new round so many times, one after the other."""
        membership = self._members[name].membership

        async def ask() -> None:
            for _ in range(times):
                membership.rejoin("the test asks")
                await membership.stable(membership.rebalances + 1)

        self.run(ask())

    def commit(self, name: str, offset: int) -> None:
        member = self._members[name]
        self.run(member.commit(dict.fromkeys(member.assignment, offset)))


async def produce(bootstrap: str, topic: str, values: list[bytes]) -> None:
    async with Cluster(bootstrap) as cluster:
        await admin.Producer(cluster).send(topic, [admin.NewRecord(each) for each in values])


def run(work: Coroutine[Any, Any, T]) -> T:
    return asyncio.run(work)


async def set_offsets(bootstrap: str, group: str, offsets: Mapping[TopicPartition, int | CommittedOffset]) -> None:
    async with Cluster(bootstrap) as cluster:
        await admin.commit_offsets(cluster, group, offsets)
