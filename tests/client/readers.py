"""A program that consumes with our members: what it notes is committed, and what is committed is noted."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Any

from muster.client.admin import TopicPartition, fetch_records
from muster.client.cluster import Cluster
from muster.client.failure import ClientError
from muster.client.member import Member

IDLE_SECONDS = 0.005


class Reader:
    """Reads what its member has from where the group is, commits after every batch, and notes each record that it committed."""

    def __init__(self, cluster: Cluster, read: Counter[bytes], group: str, topic: str, **options: Any) -> None:
        self._cluster = cluster
        self._read = read
        self._reading: dict[TopicPartition, asyncio.Task[None]] = {}
        self.member = Member(
            cluster, group, [topic], on_assigned=self._begin, on_revoked=self._end, on_lost=self._end, **options
        )

    async def _begin(self, places: frozenset[TopicPartition]) -> None:
        starts = await self.member.committed(places)
        for place in places:
            offset = starts[place].offset if place in starts else 0
            self._reading[place] = asyncio.create_task(self._follow(place, offset))

    async def _end(self, places: frozenset[TopicPartition]) -> None:
        """Whoever is in the middle of a commit finishes it: what is noted is committed, and what is committed is noted."""
        tasks = [self._reading.pop(place) for place in places]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _follow(self, place: TopicPartition, offset: int) -> None:
        while True:
            fetched = await fetch_records(self._cluster, place.topic, place.partition, offset)
            if not fetched.records:
                await asyncio.sleep(IDLE_SECONDS)
                continue
            committing = asyncio.ensure_future(self._commit(place, [each.value for each in fetched.records], fetched))
            try:
                await asyncio.shield(committing)
                offset = fetched.next_offset
            except asyncio.CancelledError:
                await asyncio.gather(committing, return_exceptions=True)
                raise
            except ClientError:
                await asyncio.sleep(IDLE_SECONDS)  # a rebalance: what was not committed is read again

    async def _commit(self, place: TopicPartition, values: list[bytes | None], fetched: Any) -> None:
        await self.member.commit({place: fetched.next_offset})
        self._read.update(value for value in values if value is not None)
