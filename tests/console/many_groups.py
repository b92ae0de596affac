"""Thousands of groups, made cheaply: each has one commit and no members. Group n is n records into partition 0 of `orders`."""

from __future__ import annotations

import asyncio

from muster.client import admin
from muster.client.cluster import Cluster
from muster.client.partitions import TopicPartition

AT_ONCE = 50
RECORDS = 1_000


def name_of(number: int) -> str:
    return f"group-{number:05}"


async def make_groups(bootstrap: str, numbers: range) -> None:
    async with Cluster(bootstrap) as cluster:
        place = TopicPartition("orders", 0)

        async def make(group: int) -> None:
            await admin.commit_offsets(cluster, name_of(group), {place: group % RECORDS})

        for first in range(numbers.start, numbers.stop, AT_ONCE):
            await asyncio.gather(*map(make, range(first, min(first + AT_ONCE, numbers.stop))))


async def fill(bootstrap: str) -> None:
    """So many records that every group has some to read."""
    async with Cluster(bootstrap) as cluster:
        records = [admin.NewRecord(b"tea", partition=0)] * RECORDS
        await admin.Producer(cluster).send("orders", records)
