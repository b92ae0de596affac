"""Questions about topics: which there are, how they are laid out and configured; making, changing and deleting them.

Called through `admin`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from muster.client.cluster import Cluster
from muster.client.failure import ClientError, raise_for
from muster.wire.errors import NONE, UNKNOWN_TOPIC_OR_PARTITION
from muster.wire.generated.create_partitions import (
    CreatePartitionsRequest,
    CreatePartitionsRequestTopic,
    CreatePartitionsResponse,
)
from muster.wire.generated.create_topics import (
    CreateTopicsRequest,
    CreateTopicsRequestConfig,
    CreateTopicsRequestTopic,
    CreateTopicsResponse,
)
from muster.wire.generated.delete_topics import DeleteTopicsRequest, DeleteTopicsRequestTopic, DeleteTopicsResponse
from muster.wire.generated.metadata import MetadataResponseTopic

DEFAULT: Final = -1
"""As many partitions or replicas as the broker is configured for (KIP-464)."""
_BY_NAME_OR_ID_SINCE: Final = 6


@dataclass(frozen=True, slots=True)
class PartitionDescription:
    partition: int
    leader: int
    """Node id; -1 if it has none now."""
    replicas: tuple[int, ...]
    in_sync: tuple[int, ...]
    leader_epoch: int = -1


@dataclass(frozen=True, slots=True)
class TopicDescription:
    name: str
    topic_id: bytes
    """Sixteen zeros if the broker is too old to have ids."""
    is_internal: bool
    partitions: tuple[PartitionDescription, ...]


async def list_topics(cluster: Cluster, *, internal: bool = False) -> list[TopicDescription]:
    """Every topic that the user may see, by name."""

    async def attempt() -> list[TopicDescription]:
        view = await cluster.refresh(None)
        return sorted((_described(each) for each in view.topics if each.error_code == NONE), key=lambda each: each.name)

    return [each for each in await cluster.persist(attempt) if internal or not each.is_internal]


async def describe_topics(cluster: Cluster, names: Sequence[str]) -> list[TopicDescription]:
    """In the order that was asked; ClientError for the first that cannot be described."""

    async def attempt() -> list[TopicDescription]:
        view = await cluster.refresh(list(dict.fromkeys(names)))
        for each in view.topics:
            raise_for(each.error_code, f"describe topic {each.name}")
        found = {each.name: _described(each) for each in view.topics}
        for name in names:
            if name not in found:
                raise ClientError(UNKNOWN_TOPIC_OR_PARTITION, f"describe topic {name}")
        return [found[name] for name in names]

    return await cluster.persist(attempt) if names else []


async def partition_counts(cluster: Cluster, names: Sequence[str]) -> dict[str, int]:
    """How many partitions each topic has; those that do not exist are absent. What assignors want."""

    async def attempt() -> dict[str, int]:
        view = await cluster.refresh(list(dict.fromkeys(names)))
        for each in view.topics:
            if each.error_code != UNKNOWN_TOPIC_OR_PARTITION:
                raise_for(each.error_code, f"count the partitions of topic {each.name}")
        return {each.name or "": len(each.partitions) for each in view.topics if each.partitions}

    return await cluster.persist(attempt) if names else {}


async def create_topic(
    cluster: Cluster,
    name: str,
    partitions: int = DEFAULT,
    *,
    replication: int = DEFAULT,
    configs: Mapping[str, str] | None = None,
    validate_only: bool = False,
) -> None:
    wanted = CreateTopicsRequestTopic(
        name,
        partitions,
        replication,
        [],
        [CreateTopicsRequestConfig(key, value) for key, value in (configs or {}).items()],
    )

    async def attempt() -> None:
        request = CreateTopicsRequest([wanted], _timeout_ms(cluster), validate_only)
        reply: CreateTopicsResponse = await cluster.ask_controller("CreateTopics", request)
        for each in reply.topics:
            raise_for(each.error_code, f"create topic {name}", each.error_message)

    await cluster.persist(attempt)


async def delete_topics(cluster: Cluster, names: Sequence[str]) -> dict[str, ClientError | None]:
    """What became of each: None if it is gone, else why not."""
    outcome: dict[str, ClientError | None] = {}
    for name in names:
        try:
            await cluster.persist(lambda one=name: _delete(cluster, one))  # type: ignore[misc]
            outcome[name] = None
        except ClientError as failure:
            outcome[name] = failure
    cluster.forget()
    return outcome


async def add_partitions(cluster: Cluster, name: str, total: int, *, validate_only: bool = False) -> None:
    """Let the topic have `total` partitions; never fewer than it has."""

    async def attempt() -> None:
        wanted = CreatePartitionsRequestTopic(name, total, None)
        request = CreatePartitionsRequest([wanted], _timeout_ms(cluster), validate_only)
        reply: CreatePartitionsResponse = await cluster.ask_controller("CreatePartitions", request)
        for each in reply.results:
            raise_for(each.error_code, f"add partitions to topic {name}", each.error_message)

    await cluster.persist(attempt)
    cluster.forget()


async def _delete(cluster: Cluster, name: str) -> None:
    controller = cluster.controller_id if cluster.controller_id in cluster.brokers else None
    if controller is None:
        await cluster.refresh([])
        controller = cluster.controller_id
    connection = await cluster.connection_to(controller)
    request = DeleteTopicsRequest(timeout_ms=_timeout_ms(cluster))
    if connection.version("DeleteTopics") >= _BY_NAME_OR_ID_SINCE:
        request.topics = [DeleteTopicsRequestTopic(name, bytes(16))]
    else:
        request.topic_names = [name]
    reply: DeleteTopicsResponse = await connection.call("DeleteTopics", request)
    for each in reply.responses:
        raise_for(each.error_code, f"delete topic {name}", each.error_message)


def _described(topic: MetadataResponseTopic) -> TopicDescription:
    partitions = [
        PartitionDescription(
            each.partition_index, each.leader_id, tuple(each.replica_nodes), tuple(each.isr_nodes), each.leader_epoch
        )
        for each in topic.partitions
    ]
    partitions.sort(key=lambda each: each.partition)
    return TopicDescription(topic.name or "", topic.topic_id, topic.is_internal, tuple(partitions))


def _timeout_ms(cluster: Cluster) -> int:
    return int(cluster.request_timeout_seconds * 1000)
