"""The same from a running cluster, through the protocol: the journal of a Muster, else the offsets log of a Kafka.

A plain reader without a group. Reading `__consumer_offsets` needs the right to read that topic.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable

from muster.client import admin
from muster.client.cluster import Cluster
from muster.client.failure import ClientError
from muster.client.partitions import TopicPartition
from muster.core.hashing import partition_for
from muster.core.internal_topics import CONSUMER_OFFSETS, GROUP_JOURNAL
from muster.core.offsets.tracked_query import TrackedQuery, newest_query
from muster.explain.event import Event, event_in
from muster.explain.failure import NothingToExplain
from muster.explain.fold import fold
from muster.explain.from_files import Found
from muster.explain.inferred import stored_in
from muster.wire.batch import Record


async def read_cluster(cluster: Cluster, group: str, since_ms: int | None = None) -> Found:
    """`since_ms` shortens the reading of an offsets log, which may be long; a journal is read whole, for what came before."""
    topics = await admin.list_topics(cluster, internal=True)
    counts = partitions_of_internal(topics)
    found = Found(topic_names={topic.topic_id: topic.name for topic in topics})
    if GROUP_JOURNAL in counts:
        found.events = await _journal(cluster, group, counts[GROUP_JOURNAL])
    if not found.events and CONSUMER_OFFSETS in counts:
        place = TopicPartition(CONSUMER_OFFSETS, partition_for(group, counts[CONSUMER_OFFSETS]))
        async for record in _records(cluster, place, since_ms):
            stored = stored_in(record, group)
            if stored is not None:
                found.stored.append(stored)
    if GROUP_JOURNAL not in counts and CONSUMER_OFFSETS not in counts:
        raise NothingToExplain("no group was ever here: the cluster has neither a group journal nor committed offsets")
    found.tracked = await _tracked(cluster, group, found.events)
    if not found.events and not found.stored and found.tracked is None:
        found.groups = [each.group_id for each in await admin.list_groups(cluster)]
    elif found.events and fold(found.events, group).state is None:
        found.state = await _state_now(cluster, group)
    return found


async def _tracked(cluster: Cluster, group: str, events: list[Event]) -> TrackedQuery | None:
    """What the commits say of a streaming query. Who may not see them still has the rest explained.

    Commits of several queries have no order, but the journal says which began last.
    """
    try:
        held = await admin.committed_offsets(cluster, group)
    except ClientError:
        return None
    texts = [each.metadata for each in held.values()]
    began = [event for event in events if event.kind == "query_tracked"]
    named = newest_query(texts, str(began[-1].detail.get("query_id"))) if began else None
    return named or newest_query(texts)


async def _state_now(cluster: Cluster, group: str) -> str | None:
    """After a restart or a move the journal goes on with the next thing that happens to the group."""
    try:
        (described,) = await admin.describe_groups(cluster, [group])
    except ClientError:
        return None  # the group is gone, or its coordinator is loading
    return described.state if described.state != "Dead" else None


async def journal_of(cluster: Cluster, group: str) -> list[Event]:
    """What the journal says of the group; nothing if the cluster keeps none."""
    counts = partitions_of_internal(await admin.list_topics(cluster, internal=True))
    return await _journal(cluster, group, counts[GROUP_JOURNAL]) if GROUP_JOURNAL in counts else []


def partitions_of_internal(topics: Iterable[admin.TopicDescription]) -> dict[str, int]:
    """The logs that only servers write. No client can make an internal topic; at a Kafka anybody may make one that has the name of
    Muster's journal.
    """
    return {topic.name: len(topic.partitions) for topic in topics if topic.is_internal}


async def _journal(cluster: Cluster, group: str, partitions: int) -> list[Event]:
    place = TopicPartition(GROUP_JOURNAL, partition_for(group, partitions))
    return [event async for event in _events(cluster, place, group)]


async def _events(cluster: Cluster, place: TopicPartition, group: str) -> AsyncIterator[Event]:
    key = group.encode("utf-8", "replace")
    async for record in _records(cluster, place, None):
        if record.key == key and (event := event_in(record.value)) is not None:
            yield event


async def _records(cluster: Cluster, place: TopicPartition, since_ms: int | None) -> AsyncIterator[Record]:
    """From the first, or the first at or after that time, to what is the end now."""
    end = (await admin.list_offsets(cluster, {place: admin.LATEST}))[place].offset
    when = admin.EARLIEST if since_ms is None else since_ms
    start = (await admin.list_offsets(cluster, {place: when}))[place].offset
    if start < 0:
        return  # nothing is as young as that
    async for record in admin.read_records(cluster, place.topic, place.partition, start, end):
        yield record
