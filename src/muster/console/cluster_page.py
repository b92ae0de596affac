"""The nodes of the cluster: what each leads and coordinates, leases, versions, and which shards are still loading.

Asked again every few seconds while the page is open.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from starlette.responses import Response

from muster.client.topics import TopicDescription
from muster.console.cluster_look import Answers, ClusterLook
from muster.console.live import FIRST_LOOK_SECONDS
from muster.console.paging import portion_of
from muster.console.polled_region import stream_region
from muster.console.rendering import link
from muster.console.settings import NodeLease, StoreFailure
from muster.console.web import Visit
from muster.core.internal_topics import CONSUMER_OFFSETS, TRANSACTION_STATE

EVERY_SECONDS: Final = 3.0
PATIENCE_SECONDS: Final = 1.0
"""So long an update waits for nodes that have not answered, before it is sent with what is known."""
PAGE_SHARDS: Final = 200
_STORE_THREADS: Final = ThreadPoolExecutor(4, "leases")
"""Their own: a store that does not answer must not hold up what else needs threads, such as the names of brokers."""


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
    """Answered with what is known after a moment; the rest comes in the stream, node by node."""
    context = await _context(visit, FIRST_LOOK_SECONDS)
    address = link("/live/cluster", **dict(visit.query))
    return visit.page("cluster.html", {**context, "live": address})


async def follow_cluster(visit: Visit) -> Response:
    async def markup() -> str:
        return visit.console.render("cluster_nodes.html", await _context(visit, PATIENCE_SECONDS))

    look = visit.live.cluster_look
    return stream_region(visit, "nodes", markup, EVERY_SECONDS, lambda: not _is_asking(look))


async def _context(visit: Visit, patience_seconds: float) -> dict[str, Any]:
    look, asked = visit.live.cluster_look, visit.observer.cluster
    await look.see(partial(_leases, visit), patience_seconds)
    topics = look.topics or []
    led = Counter(each.leader for topic in topics for each in topic.partitions)
    of_topic = {topic.name: topic for topic in topics}
    leases, store_failure = look.leases or ({}, "")
    answers = {node_id: look.answers(node_id) for node_id in sorted(asked.brokers)}
    coordinates = _leaders(of_topic.get(CONSUMER_OFFSETS))
    transactions = _leaders(of_topic.get(TRANSACTION_STATE))
    shards = [
        Shard(
            name, each.partition, each.leader, each.leader_epoch, _state(name, each.partition, answers.get(each.leader))
        )
        for name in (CONSUMER_OFFSETS, TRANSACTION_STATE)
        for each in (of_topic[name].partitions if name in of_topic else ())
    ]
    return {
        "failure": look.failure,
        "is_asking": _is_asking(look),
        "is_known": look.topics is not None,
        "nodes": [
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
            for node_id in answers
        ],
        "cluster_id": asked.cluster_id,
        "topics": len(topics),
        "leaderless": sum(number for node_id, number in led.items() if node_id < 0),
        "loading": sum(each.loading for each in answers.values()),
        "shards": portion_of(shards, visit.number("shards", least=1) or 1, PAGE_SHARDS),
        "has_leases": bool(leases),
        "has_store": visit.console.settings.store is not None,
        "is_asking_store": visit.console.settings.store is not None and look.leases is None,
        "store_failure": store_failure,
        "store_silent_seconds": look.store_silent_seconds,
    }


def _is_asking(look: ClusterLook) -> bool:
    return look.topics is None and not look.failure


def _leaders(topic: TopicDescription | None) -> Counter[int]:
    """Node -> how many partitions it leads."""
    return Counter() if topic is None else Counter(each.leader for each in topic.partitions)


def _state(topic: str, partition: int, answers: Answers | None) -> str:
    return "" if answers is None or answers.shards is None else answers.shards.get((topic, partition), "")


async def _leases(visit: Visit) -> tuple[Mapping[int, NodeLease], str]:
    store = visit.console.settings.store
    if store is None:
        return {}, ""
    if refusal := await visit.refusal_to_describe_cluster():
        return {}, refusal
    try:
        return await asyncio.get_running_loop().run_in_executor(_STORE_THREADS, store.leases), ""
    except StoreFailure as failure:
        return {}, str(failure)
