"""Members for tests: quick hearts, and a diary of what they were told."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterable
from typing import Any, TypeVar

from muster.client.admin import TopicPartition
from muster.client.cluster import Cluster
from muster.client.member import Member

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
            **{"heartbeat_interval_ms": HEARTBEAT_MS, **options},
        )


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

    async def sleep(self, seconds: float) -> None:
        woken: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._sleepers.append((self._now + seconds, woken))
        await woken

    def advance(self, seconds: float) -> None:
        self._now += seconds
        due = [each for until, each in self._sleepers if until <= self._now and not each.done()]
        self._sleepers = [(until, each) for until, each in self._sleepers if until > self._now and not each.done()]
        for each in due:
            each.set_result(None)
