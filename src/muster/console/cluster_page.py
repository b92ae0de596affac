"""The nodes of the cluster: what each leads and coordinates, leases, versions, and which shards are still loading.

Asked again every few seconds while the page is open.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from starlette.responses import Response

from muster.client import admin
from muster.client.cluster import Cluster
from muster.client.failure import ClientError
from muster.client.topics import TopicDescription
from muster.console.polled_region import stream_region
from muster.console.settings import NodeLease, StoreFailure
from muster.console.shard_states import READY, count_groups, states_while_loading
from muster.console.web import Visit
from muster.core.internal_topics import CONSUMER_OFFSETS, TRANSACTION_STATE

EVERY_SECONDS: Final = 3.0
_SHOWN_SHARDS: Final = 200
_SHOWN_APIS: Final = ("ConsumerGroupHeartbeat", "Fetch", "JoinGroup", "OffsetCommit", "Produce")


@dataclass(frozen=True, slots=True)
class Answers:
    """What one node answered."""

    versions: str = ""
    """Newest versions of a few APIs that both sides speak: they tell releases apart."""
    groups: int | None = None
    failure: str = ""
    shards: Mapping[int, str] | None = None
    """Shard of `__consumer_offsets` -> `ready` or `loading`; None: the node did not answer."""

    @property
    def loading(self) -> int:
        return sum(state != READY for state in (self.shards or {}).values())


@dataclass(frozen=True, slots=True)
class Node:
    node_id: int
    address: str
    is_controller: bool
    leads: int
    coordinates: int
    transactions: int
    answers: Answers
    lease: NodeLease | None


@dataclass(frozen=True, slots=True)
class Shard:
    topic: str
    partition: int
    leader: int
    leader_epoch: int
    state: str
    """`ready`, `loading`, or empty: not known."""


async def cluster(visit: Visit) -> Response:
    return visit.page("cluster.html", {**await _context(visit), "live": "/live/cluster"})


async def follow_cluster(visit: Visit) -> Response:
    async def markup() -> str:
        try:
            return visit.console.render("cluster_nodes.html", await _context(visit))
        except ClientError as failure:
            return visit.console.render("cluster_nodes.html", {"failure": str(failure)})

    return stream_region(visit, "nodes", markup, EVERY_SECONDS)


async def _context(visit: Visit) -> dict[str, Any]:
    asked = visit.observer.cluster
    topics = await admin.list_topics(asked, internal=True)
    led = Counter(each.leader for topic in topics for each in topic.partitions)
    of_topic = {topic.name: topic for topic in topics}
    group_shards = _leaders(of_topic.get(CONSUMER_OFFSETS))
    transaction_shards = _leaders(of_topic.get(TRANSACTION_STATE))
    leases, store_failure = await _leases(visit)
    answers = {node_id: await _answers(asked, node_id, group_shards) for node_id in sorted(asked.brokers)}
    coordinates, transactions = Counter(group_shards.values()), Counter(transaction_shards.values())
    nodes = [
        Node(
            node_id,
            str(asked.brokers[node_id]),
            node_id == asked.controller_id,
            led[node_id],
            coordinates[node_id],
            transactions[node_id],
            answers[node_id],
            leases.get(node_id),
        )
        for node_id in sorted(asked.brokers)
    ]
    shards = [
        Shard(
            name, each.partition, each.leader, each.leader_epoch, _state(name, each.partition, answers.get(each.leader))
        )
        for name in (CONSUMER_OFFSETS, TRANSACTION_STATE)
        for each in (of_topic[name].partitions if name in of_topic else ())
    ]
    return {
        "failure": "",
        "nodes": nodes,
        "cluster_id": asked.cluster_id,
        "topics": len(topics),
        "leaderless": sum(number for node_id, number in led.items() if node_id < 0),
        "loading": sum(node.answers.loading for node in nodes),
        "shards": shards[:_SHOWN_SHARDS],
        "more_shards": max(0, len(shards) - _SHOWN_SHARDS),
        "has_leases": bool(leases),
        "has_store": visit.console.settings.store is not None,
        "store_failure": store_failure,
    }


def _leaders(topic: TopicDescription | None) -> dict[int, int]:
    """Partition -> node."""
    return {} if topic is None else {each.partition: each.leader for each in topic.partitions}


async def _answers(cluster: Cluster, node_id: int, group_shards: Mapping[int, int]) -> Answers:
    led = [shard for shard, leader in group_shards.items() if leader == node_id]
    try:
        connection = await cluster.connection_to(node_id)
        versions = ", ".join(f"{api} {connection.version(api)}" for api in _SHOWN_APIS if api in connection.versions)
        groups = await count_groups(connection)
        if groups is not None:
            return Answers(versions, groups, shards=dict.fromkeys(led, READY))
        return Answers(versions, shards=await states_while_loading(connection, led, len(group_shards)))
    except ClientError as failure:
        return Answers(failure=str(failure))


def _state(topic: str, partition: int, answers: Answers | None) -> str:
    if topic != CONSUMER_OFFSETS or answers is None or answers.shards is None:
        return ""
    return answers.shards.get(partition, "")


async def _leases(visit: Visit) -> tuple[Mapping[int, NodeLease], str]:
    store = visit.console.settings.store
    if store is None:
        return {}, ""
    if refusal := await visit.refusal_to_describe_cluster():
        return {}, refusal
    try:
        return await asyncio.to_thread(store.leases), ""
    except StoreFailure as failure:
        return {}, str(failure)
