"""Questions about offsets: what a group has committed, where partitions begin and end, and changing commits.

Called through `admin`. Commits here are those of tools: without a member, which the coordinator takes for groups that have
none (generation -1). Members commit through `membership`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from muster.client.cluster import Cluster
from muster.client.failure import ClientError, is_retriable, raise_for
from muster.client.offset_messages import (
    MANY_GROUPS_SINCE,
    CommittedOffset,
    commit_request,
    committed_by_group,
    committed_in,
    fetch_all_request,
    fetch_request,
    raise_for_commit,
    unstable_in,
)
from muster.client.partitions import (
    PARTITIONS_A_REQUEST,
    TopicPartition,
    batched,
    by_topic,
    spread,
    values_by_topic,
)
from muster.client.topics import partition_counts
from muster.wire.errors import NONE, UNSUPPORTED_VERSION
from muster.wire.generated.list_offsets import (
    ListOffsetsRequest,
    ListOffsetsRequestPartition,
    ListOffsetsRequestTopic,
    ListOffsetsResponse,
)
from muster.wire.generated.offset_delete import (
    OffsetDeleteRequest,
    OffsetDeleteRequestPartition,
    OffsetDeleteRequestTopic,
    OffsetDeleteResponse,
)
from muster.wire.special_values import EARLIEST, LATEST, MAX_TIMESTAMP, MAX_TIMESTAMP_SINCE

__all__ = [
    "EARLIEST",
    "LATEST",
    "MAX_TIMESTAMP",
    "CommittedOffset",
    "ListedOffset",
    "commit_offsets",
    "committed_offsets",
    "delete_offsets",
    "list_offsets",
    "log_ends",
    "unstable_partitions",
]


_STABLE_SINCE: Final = 7


@dataclass(frozen=True, slots=True)
class ListedOffset:
    """`offset` is -1 if there is no such record, as for a time after the last one."""

    offset: int
    timestamp_ms: int = -1
    leader_epoch: int = -1


async def committed_offsets(
    cluster: Cluster,
    group_id: str,
    partitions: Iterable[TopicPartition] | None = None,
    *,
    require_stable: bool = False,
) -> dict[TopicPartition, CommittedOffset]:
    """What the group has committed, of all partitions if none are named. Those without a commit are absent."""
    wanted = None if partitions is None else by_topic(partitions)

    async def attempt() -> dict[TopicPartition, CommittedOffset]:
        connection = await cluster.coordinators.connection(group_id, "")
        version = connection.version("OffsetFetch")
        reply = await connection.call("OffsetFetch", fetch_request(group_id, wanted, require_stable, version))
        return committed_in(reply, group_id, version)

    return await cluster.persist(attempt)


async def committed_at(
    cluster: Cluster, group_ids: Sequence[str]
) -> dict[str, dict[TopicPartition, CommittedOffset] | ClientError]:
    """What groups with the same coordinator have committed, a ClientError in the place of one that it does not tell; in one
    request where brokers take several groups in one (KIP-709)."""
    connection = await cluster.coordinators.connection(group_ids[0], "")
    if connection.version("OffsetFetch") >= MANY_GROUPS_SINCE:
        return committed_by_group(await connection.call("OffsetFetch", fetch_all_request(group_ids)))
    found: dict[str, dict[TopicPartition, CommittedOffset] | ClientError] = {}
    for group_id in group_ids:
        try:
            found[group_id] = await committed_offsets(cluster, group_id)
        except ClientError as failure:
            found[group_id] = failure
    return found


async def unstable_partitions(
    cluster: Cluster, group_id: str, partitions: Iterable[TopicPartition]
) -> list[TopicPartition]:
    """Those of the partitions for which a transaction that has not ended holds an offset of the group (KIP-447)."""
    wanted = by_topic(partitions)

    async def attempt() -> list[TopicPartition]:
        connection = await cluster.coordinators.connection(group_id, "")
        version = connection.version("OffsetFetch")
        if version < _STABLE_SINCE:
            return []  # such a broker does not tell
        reply = await connection.call("OffsetFetch", fetch_request(group_id, wanted, True, version))
        return unstable_in(reply, group_id, version)

    return await cluster.persist(attempt) if wanted else []


async def commit_offsets(
    cluster: Cluster, group_id: str, offsets: Mapping[TopicPartition, int | CommittedOffset]
) -> None:
    """Set a group's offsets from outside; the group must have no members. ClientError names what was not taken."""

    async def commit(portion: Mapping[TopicPartition, int | CommittedOffset]) -> None:
        reply = await cluster.ask_coordinator(group_id, "OffsetCommit", commit_request(group_id, portion))
        raise_for_commit(reply, group_id)

    for places in batched(offsets, PARTITIONS_A_REQUEST):
        await cluster.persist(partial(commit, {place: offsets[place] for place in places}))


async def delete_offsets(
    cluster: Cluster, group_id: str, partitions: Iterable[TopicPartition]
) -> dict[TopicPartition, ClientError | None]:
    """Forget commits: None for each that is gone, else why not (its topic is still subscribed)."""
    topics = [
        OffsetDeleteRequestTopic(topic, [OffsetDeleteRequestPartition(number) for number in numbers])
        for topic, numbers in by_topic(partitions).items()
    ]
    asked = f"delete offsets of group {group_id}"

    async def attempt() -> dict[TopicPartition, ClientError | None]:
        reply: OffsetDeleteResponse = await cluster.ask_coordinator(
            group_id, "OffsetDelete", OffsetDeleteRequest(group_id, topics)
        )
        raise_for(reply.error_code, asked)
        return {
            TopicPartition(topic.name, each.partition_index): None
            if each.error_code == NONE
            else ClientError(each.error_code, f"{asked} in {topic.name}-{each.partition_index}")
            for topic in reply.topics
            for each in topic.partitions
        }

    return await cluster.persist(attempt)


async def list_offsets(
    cluster: Cluster, wanted: Mapping[TopicPartition, int], *, read_committed: bool = False
) -> dict[TopicPartition, ListedOffset]:
    """For each partition the offset of a time in ms since 1970, or of EARLIEST, LATEST, MAX_TIMESTAMP."""
    found: dict[TopicPartition, ListedOffset] = {}

    async def attempt() -> None:
        by_leader: dict[int, dict[TopicPartition, int]] = {}
        for place, time in wanted.items():
            if place not in found:
                leader = await cluster.leader(*place)
                by_leader.setdefault(leader, {})[place] = time
        for leader, asked in by_leader.items():
            for places in batched(asked, PARTITIONS_A_REQUEST):
                portion = {place: asked[place] for place in places}
                await list_at(cluster, leader, portion, read_committed, found)

    await cluster.persist(attempt)
    return {place: found[place] for place in wanted}


async def log_ends(
    cluster: Cluster, places: Iterable[TopicPartition]
) -> tuple[dict[TopicPartition, int], list[ClientError]]:
    """Log end offsets, as far as they can be had: a topic may be gone, or not for this user to see."""
    wanted = by_topic(places)
    try:
        return await _ends(cluster, wanted), []
    except ClientError:
        pass  # of one topic: the others have ends
    ends: dict[TopicPartition, int] = {}
    failures: list[ClientError] = []
    for topic, numbers in wanted.items():
        try:
            ends |= await _ends(cluster, {topic: numbers})
        except ClientError as failure:
            failures.append(failure)
    return ends, failures


async def _ends(cluster: Cluster, wanted: Mapping[str, list[int]]) -> dict[TopicPartition, int]:
    counts = await partition_counts(cluster, list(wanted))
    there = spread(
        (topic, [each for each in numbers if each < counts.get(topic, 0)]) for topic, numbers in wanted.items()
    )
    listed = await list_offsets(cluster, dict.fromkeys(there, LATEST))
    return {place: found.offset for place, found in listed.items()}


async def list_at(
    cluster: Cluster,
    leader: int,
    wanted: Mapping[TopicPartition, int],
    read_committed: bool,
    found: dict[TopicPartition, ListedOffset],
) -> None:
    """Ask one leader, and put what it says into `found`. ClientError if that is not all, the first one that lasts."""
    connection = await cluster.connection_to(leader)
    if MAX_TIMESTAMP in wanted.values() and connection.version("ListOffsets") < MAX_TIMESTAMP_SINCE:
        raise ClientError(UNSUPPORTED_VERSION, "find the record with the largest timestamp", "the broker is too old")
    topics = [
        ListOffsetsRequestTopic(topic, [ListOffsetsRequestPartition(number, -1, time) for number, time in pairs])
        for topic, pairs in values_by_topic(wanted).items()
    ]
    request = ListOffsetsRequest(-1, int(read_committed), topics, int(cluster.request_timeout_seconds * 1000))
    reply: ListOffsetsResponse = await connection.call("ListOffsets", request)
    failures: list[ClientError] = []
    for topic in reply.topics:
        for each in topic.partitions:
            place = TopicPartition(topic.name, each.partition_index)
            if each.error_code == NONE:
                found[place] = ListedOffset(each.offset, each.timestamp, each.leader_epoch)
            else:
                failures.append(ClientError(each.error_code, f"list offsets of {place}"))
    for failure in sorted(failures, key=lambda each: is_retriable(each.code)):
        raise failure  # one that lasts, if there is one
