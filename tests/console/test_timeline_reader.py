"""What happened to groups is followed without a hole; a hole that retention made is counted, and a new log is read anew."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from dataclasses import replace

import pytest

from muster.client import admin
from muster.client.cluster import Cluster
from muster.console import timeline_reader
from muster.console.timeline_reader import TimelineReader
from muster.core.internal_topics import GROUP_JOURNAL
from muster.testing import Broker
from tests.console.fleet import Fleet

PATIENCE_SECONDS = 60


class Followed:
    """A reader that can be stopped and started, as it is when the last page is closed and another one opened."""

    def __init__(self, cluster: Cluster) -> None:
        self._changed = asyncio.Event()
        self.reader = TimelineReader(cluster, lambda _: self._changed.set())

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        task = asyncio.create_task(self.reader.run())
        yield
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task

    async def until(self, group: str, generations: int) -> None:
        async with asyncio.timeout(PATIENCE_SECONDS):
            while len(self.reader.timelines.history(group).rebalances) < generations:
                await self._changed.wait()
                self._changed.clear()


@pytest.fixture
def own_broker() -> Iterator[Broker]:
    with Broker(topics={"orders": 1}, settings={"offsets.topic.num.partitions": 1}) as running:
        yield running


@pytest.fixture
def without_journal(own_broker: Broker, monkeypatch: pytest.MonkeyPatch) -> Broker:
    """As a Kafka looks to the reader: all there is to read is the offsets log."""
    really = admin.list_topics

    async def listed(cluster: Cluster, *, internal: bool = False) -> list[admin.TopicDescription]:
        return [each for each in await really(cluster, internal=internal) if each.name != GROUP_JOURNAL]

    monkeypatch.setattr(admin, "list_topics", listed)
    return own_broker


def _join_and_leave(broker: Broker, group: str) -> None:
    with Fleet(broker.bootstrap_servers, group, ["orders"]) as fleet:
        fleet.join("ada")


def _expire_journal(broker: Broker) -> None:
    """As retention does when the time of the records is over."""

    def expire() -> None:
        for partition in broker.kit.node.broker.catalog.partitions():
            if partition.topic.name == GROUP_JOURNAL:
                partition.log.delete_before(partition.high_watermark)

    broker.run(expire)


def test_records_that_were_deleted_before_they_could_be_read_are_counted(own_broker: Broker) -> None:
    async def story() -> None:
        async with Cluster(own_broker.bootstrap_servers) as cluster:
            followed = Followed(cluster)
            await asyncio.to_thread(_join_and_leave, own_broker, "seen")
            async with followed.running():
                await followed.until("seen", 2)
            await asyncio.to_thread(_join_and_leave, own_broker, "missed")
            _expire_journal(own_broker)
            async with followed.running():
                await asyncio.to_thread(_join_and_leave, own_broker, "seen again")
                await followed.until("seen again", 2)
            assert followed.reader.lost > 0
            assert not followed.reader.timelines.history("missed").rebalances

    asyncio.run(story())


def test_a_journal_that_was_made_anew_is_read_from_its_beginning(own_broker: Broker) -> None:
    async def story() -> None:
        async with Cluster(own_broker.bootstrap_servers) as cluster:
            followed = Followed(cluster)
            for group in ("one", "two"):
                await asyncio.to_thread(_join_and_leave, own_broker, group)
            async with followed.running():
                await followed.until("two", 2)
            await asyncio.to_thread(own_broker.reset)
            await asyncio.to_thread(_join_and_leave, own_broker, "after")
            async with followed.running():
                await followed.until("after", 2)

    asyncio.run(story())


def test_without_a_journal_rebalances_from_before_the_start_are_known(
    without_journal: Broker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only as many records of each partition are read as the bound says."""

    async def latest_of(*groups: str) -> list[str | None]:
        async with Cluster(without_journal.bootstrap_servers) as cluster:
            followed = Followed(cluster)
            async with followed.running():
                await followed.until("late", 1)
            found = [followed.reader.timelines.latest(group) for group in groups]
            return [None if each is None else each.why for each in found]

    async def story() -> None:
        for group in ("early", "late"):
            await asyncio.to_thread(_join_and_leave, without_journal, group)
        early, late = await latest_of("early", "late")
        assert early is not None
        assert "ada on 127.0.0.1 is gone" in early
        assert late is not None
        monkeypatch.setattr(timeline_reader, "OFFSETS_READ_BACK", 1)
        early, late = await latest_of("early", "late")
        assert early is None
        assert late is not None

    asyncio.run(story())


def test_a_journal_that_a_client_made_is_not_believed(own_broker: Broker, monkeypatch: pytest.MonkeyPatch) -> None:
    """At a Kafka whoever may create topics can make one of that name; it is not internal there. A Muster's is."""
    really, is_internal = admin.list_topics, [False]

    async def listed(cluster: Cluster, *, internal: bool = False) -> list[admin.TopicDescription]:
        return [
            each if each.name != GROUP_JOURNAL else replace(each, is_internal=each.is_internal and is_internal[0])
            for each in await really(cluster, internal=internal)
        ]

    monkeypatch.setattr(admin, "list_topics", listed)

    async def story() -> None:
        await asyncio.to_thread(_join_and_leave, own_broker, "anybody")
        async with Cluster(own_broker.bootstrap_servers) as cluster:
            reader = TimelineReader(cluster, lambda _: None)
            assert await reader._find_topic()
            assert reader.has_journal is False
            is_internal[0] = True
            assert await reader._find_topic()
            assert reader.has_journal is True

    asyncio.run(story())
