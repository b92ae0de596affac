"""Members for tests: quick hearts, and a diary of what they were told."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterable, Sequence
from typing import Any, TypeVar

from muster.client.admin import TopicPartition
from muster.client.cluster import Cluster
from muster.client.member import Member
from muster.client.membership_base import Phase

T = TypeVar("T")
HEARTBEAT_MS = 20
PATIENCE_SECONDS = 60


class DiaryMember(Member):
    """Writes down every callback: ("assigned", "t-0 t-1"), ("revoked", ...), ("lost", ...)."""

    def __init__(self, bootstrap: str | Cluster, group_id: str, topics: Iterable[str], **options: Any) -> None:
        self.diary: list[tuple[str, str]] = []
        super().__init__(
            bootstrap,
            group_id,
            topics,
            on_assigned=lambda places: self.diary.append(("assigned", shown(places))),
            on_revoked=lambda places: self.diary.append(("revoked", shown(places))),
            on_lost=lambda places: self.diary.append(("lost", shown(places))),
            **({} if options.get("protocol") == "consumer" else {"heartbeat_interval_ms": HEARTBEAT_MS}) | options,
        )

    async def kill(self) -> None:
        """End like a process that is killed: no callback, no goodbye."""
        await self.membership._stop_tasks()
        await self.cluster.close()


QUICK_CONSUMERS = {
    "group.consumer.min.heartbeat.interval.ms": HEARTBEAT_MS,
    "group.consumer.heartbeat.interval.ms": HEARTBEAT_MS,
    "group.consumer.assignment.interval.ms": 0,
}
"""The broker says how often members of consumer groups beat."""


def consumer(bootstrap: str | Cluster, topics: Iterable[str] = ("orders",), **options: Any) -> DiaryMember:
    """A member of the group g by the consumer protocol (KIP-848)."""
    return DiaryMember(bootstrap, "g", topics, protocol="consumer", **options)


async def until(holds: Callable[[], bool], *members: Member) -> None:
    """Come back when it holds, which is looked at with every change that one of the members sees."""
    while not holds():
        for each in members:
            if each.membership.failure is not None:
                raise each.membership.failure
        changes = [asyncio.ensure_future(each.membership.changed().wait()) for each in members]
        try:
            await asyncio.wait(changes, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for change in changes:
                change.cancel()


async def shared(counts: Sequence[int], *members: Member) -> None:
    """Come back when the members have so many partitions, in any order, at one epoch."""
    wanted = sorted(counts)
    await until(
        lambda: (
            sorted(len(each.assignment) for each in members) == wanted
            and len({each.generation for each in members}) == 1
            and all(each.membership.phase is Phase.STABLE for each in members)
        ),
        *members,
    )


async def reported(member: Member) -> None:
    """Come back when a newcomer's join and its report of what it has taken are answered: no heartbeat is on its way then."""
    await until(lambda: member.membership._heard >= 2, member)  # type: ignore[attr-defined]


async def beaten(member: Member, times: int = 1) -> None:
    """Come back when so many more heartbeats have been answered well."""
    left = times
    done = asyncio.Event()

    def count(seconds: float) -> None:
        nonlocal left
        left -= 1
        if left <= 0:
            done.set()

    member.membership.on_heartbeat = count
    await done.wait()
    member.membership.on_heartbeat = None


def shown(places: Iterable[TopicPartition]) -> str:
    return " ".join(map(str, sorted(places)))


def run(story: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """A story that must come to its end."""

    async def in_time() -> T:
        async with asyncio.timeout(PATIENCE_SECONDS):
            return await story()

    return asyncio.run(in_time())


class ManualTime:
    """Time that stands still until it is moved; whoever slept long enough then is woken."""

    def __init__(self) -> None:
        self._now = 0.0
        self._sleepers: list[tuple[float, asyncio.Future[None]]] = []

    def seconds(self) -> float:
        return self._now

    def sleep(self, seconds: float) -> asyncio.Future[None]:
        """Begins now, not when it is first awaited: time may be moved between the two."""
        woken: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._sleepers.append((self._now + seconds, woken))
        return woken

    def advance(self, seconds: float) -> None:
        self._now += seconds
        due = [each for until, each in self._sleepers if until <= self._now and not each.done()]
        self._sleepers = [(until, each) for until, each in self._sleepers if until > self._now and not each.done()]
        for each in due:
            each.set_result(None)
