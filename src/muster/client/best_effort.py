"""Questions about many groups and partitions, asked once: what cannot be told now is absent, or a ClientError in its place.

For whoever asks again soon anyway, as the console does: one group that is denied, and one broker that is down or silent
(`late_answers`), must not hold up what is known of all others. Called through `admin`; ClientError only where nobody can be asked.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, TypeVar

from muster.client.cluster import Cluster
from muster.client.connection import Connection
from muster.client.failure import ClientError
from muster.client.groups import GroupDescription, GroupListing, describe_at, list_groups_at
from muster.client.offset_messages import CommittedOffset
from muster.client.offsets import LATEST, ListedOffset, committed_at, list_at
from muster.client.partitions import GROUPS_A_REQUEST, PARTITIONS_A_REQUEST, TopicPartition, batched, by_topic

T = TypeVar("T")


async def list_groups_by_node(cluster: Cluster) -> tuple[list[GroupListing], dict[int, ClientError]]:
    """Every group that a broker names, and the brokers that do not say what groups they have. ClientError if none says it."""
    await cluster.refresh([])
    found: dict[str, GroupListing] = {}
    failures: dict[int, ClientError] = {}

    async def ask(node_id: int) -> None:
        try:
            found.update(await cluster.late_answers.ask(node_id, partial(list_groups_at, cluster, node_id)))
        except ClientError as failure:
            failures[node_id] = failure

    nodes = sorted(cluster.brokers)
    await asyncio.gather(*map(ask, nodes))
    if nodes and len(failures) == len(nodes):
        raise failures[nodes[0]]
    return [found[group_id] for group_id in sorted(found)], failures


async def describe_each(cluster: Cluster, group_ids: Sequence[str]) -> dict[str, GroupDescription | ClientError]:
    """A group that nobody knows is `Dead`."""

    async def ask(
        connection: Connection, node_id: int, portion: list[str]
    ) -> dict[str, GroupDescription | ClientError]:
        return await describe_at(connection, node_id, portion)

    return await _ask_coordinators(cluster, group_ids, ask)


async def committed_offsets_of(
    cluster: Cluster, group_ids: Sequence[str]
) -> dict[str, dict[TopicPartition, CommittedOffset] | ClientError]:
    """What each of many groups has committed."""

    async def ask(
        _: Connection, __: int, portion: list[str]
    ) -> dict[str, dict[TopicPartition, CommittedOffset] | ClientError]:
        return await committed_at(cluster, portion)

    return await _ask_coordinators(cluster, group_ids, ask)


async def known_ends(cluster: Cluster, places: Iterable[TopicPartition]) -> dict[TopicPartition, int]:
    """Log end offsets: absent where a topic is gone or denied, or where a partition has no leader now."""
    wanted = {topic: frozenset(numbers) for topic, numbers in by_topic(places).items()}
    if not wanted:
        return {}
    by_leader: dict[int, list[TopicPartition]] = {}
    for topic in (await cluster.refresh(list(wanted))).topics:
        name = topic.name or ""
        for each in topic.partitions:
            if each.leader_id >= 0 and each.partition_index in wanted.get(name, ()):
                by_leader.setdefault(each.leader_id, []).append(TopicPartition(name, each.partition_index))
    found: dict[TopicPartition, ListedOffset] = {}

    async def ask(leader: int) -> None:
        for portion in batched(by_leader[leader], PARTITIONS_A_REQUEST):
            try:
                wanted_ends = dict.fromkeys(portion, LATEST)
                await cluster.late_answers.ask(leader, partial(list_at, cluster, leader, wanted_ends, False, found))
            except ClientError:
                continue  # what it did say is in `found`

    await asyncio.gather(*map(ask, by_leader))
    return {place: each.offset for place, each in found.items()}


async def _ask_coordinators(
    cluster: Cluster,
    group_ids: Sequence[str],
    ask: Callable[[Connection, int, list[str]], Coroutine[Any, Any, Mapping[str, T | ClientError]]],
) -> dict[str, T | ClientError]:
    """All coordinators at once, each about its own groups, and anew about where those are that failed for a passing reason."""
    found: dict[str, T | ClientError] = {}
    by_node: dict[int, list[str]] = {}
    for group_id, node_id in (await cluster.coordinators.find_each(list(dict.fromkeys(group_ids)))).items():
        if isinstance(node_id, ClientError):
            found[group_id] = node_id
        else:
            by_node.setdefault(node_id, []).append(group_id)

    async def ask_portion(node_id: int, portion: list[str]) -> Mapping[str, T | ClientError]:
        return await ask(await cluster.coordinators.connection(portion[0], ""), node_id, portion)

    async def ask_one(node_id: int) -> None:
        groups = by_node[node_id]
        try:
            for portion in batched(groups, GROUPS_A_REQUEST):
                found.update(await cluster.late_answers.ask(node_id, partial(ask_portion, node_id, portion)))
        except ClientError as failure:
            found.update({group_id: failure for group_id in groups if group_id not in found})

    await asyncio.gather(*map(ask_one, by_node))
    for group_id, each in found.items():
        if isinstance(each, ClientError) and each.is_retriable:
            cluster.coordinators.forget(group_id)
    return found
