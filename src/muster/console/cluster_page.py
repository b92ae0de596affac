"""The nodes of the cluster: addresses, who leads and coordinates how much, what each speaks, and which shards cannot answer now."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Final

from starlette.responses import Response

from muster.client import admin
from muster.client.cluster import Cluster
from muster.client.failure import ClientError
from muster.console.web import Visit
from muster.core.internal_topics import CONSUMER_OFFSETS, TRANSACTION_STATE
from muster.wire.errors import COORDINATOR_LOAD_IN_PROGRESS
from muster.wire.generated.list_groups import ListGroupsRequest, ListGroupsResponse

_SHOWN_SHARDS: Final = 200
_TOLD_BY: Final = ("ConsumerGroupHeartbeat", "Fetch", "JoinGroup", "OffsetCommit", "Produce")


@dataclass(frozen=True, slots=True)
class Node:
    node_id: int
    address: str
    is_controller: bool
    leads: int
    coordinates: int
    transactions: int
    versions: str
    """Newest versions of a few APIs that both sides speak: what tells releases apart."""
    groups: str
    """Whether its coordinator answers: how many groups, loading, or why not."""
    is_loading: bool


async def cluster(visit: Visit) -> Response:
    asked = visit.observer.cluster
    topics = await admin.list_topics(asked, internal=True)
    led = Counter(each.leader for topic in topics for each in topic.partitions)
    of_topic = {topic.name: topic for topic in topics}
    shards = [
        (name, each)
        for name in (CONSUMER_OFFSETS, TRANSACTION_STATE)
        for each in (of_topic[name].partitions if name in of_topic else ())
    ]
    coordinates = Counter(each.leader for name, each in shards if name == CONSUMER_OFFSETS)
    transactions = Counter(each.leader for name, each in shards if name == TRANSACTION_STATE)
    nodes = []
    for node_id in sorted(asked.brokers):
        versions, groups, is_loading = await _asked(asked, node_id)
        nodes.append(
            Node(
                node_id,
                str(asked.brokers[node_id]),
                node_id == asked.controller_id,
                led[node_id],
                coordinates[node_id],
                transactions[node_id],
                versions,
                groups,
                is_loading,
            )
        )
    context = {
        "nodes": nodes,
        "cluster_id": asked.cluster_id,
        "topics": len(topics),
        "leaderless": sum(number for node_id, number in led.items() if node_id < 0),
        "shards": shards[:_SHOWN_SHARDS],
        "more_shards": max(0, len(shards) - _SHOWN_SHARDS),
    }
    return visit.page("cluster.html", context)


async def _asked(cluster: Cluster, node_id: int) -> tuple[str, str, bool]:
    try:
        connection = await cluster.connection_to(node_id)
        reply: ListGroupsResponse = await connection.call("ListGroups", ListGroupsRequest([], []))
    except ClientError as failure:
        return "", str(failure), False
    told = ", ".join(f"{api} {connection.version(api)}" for api in _TOLD_BY if api in connection.versions)
    if reply.error_code == COORDINATOR_LOAD_IN_PROGRESS:
        return told, "loading", True
    return told, f"{len(reply.groups):,} groups", False
