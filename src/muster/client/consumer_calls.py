"""What a member of a consumer group (KIP-848) says to its coordinator: heartbeats. Joining and leaving are heartbeats too.

Knows the message, and words for each refusal that a person has to act on. What follows from a refusal is `consumer_membership`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from muster.client.cluster import Cluster
from muster.client.connection import Connection
from muster.client.consumer_state import JOIN_EPOCH, Heartbeat, Held, IdPartition
from muster.client.coordinator_calls import CoordinatorCalls
from muster.client.failure import ClientError, raise_for
from muster.wire import errors
from muster.wire.generated.consumer_group_heartbeat import (
    ConsumerGroupHeartbeatRequest,
    ConsumerGroupHeartbeatRequestTopicPartition,
    ConsumerGroupHeartbeatResponse,
)
from muster.wire.generated.metadata import MetadataRequest, MetadataRequestTopic, MetadataResponse

_API: Final = "ConsumerGroupHeartbeat"
_REGEX_SINCE: Final = 1
_HINTS: Final = {
    errors.UNSUPPORTED_VERSION: "The broker does not serve the consumer protocol: use the classic one, or a broker with"
    " consumer in group.coordinator.rebalance.protocols and the feature group.version",
    errors.UNRELEASED_INSTANCE_ID: "Another process uses the same group.instance.id, or was killed and its session has"
    " not ended yet: give each its own, or start it again later",
    errors.UNSUPPORTED_ASSIGNOR: "Choose one of the broker's group.consumer.assignors",
    errors.INVALID_REGULAR_EXPRESSION: "Write the expression as RE2 does: it has to match whole topic names",
    errors.GROUP_MAX_SIZE_REACHED: "The group has as many members as group.consumer.max.size allows",
    errors.GROUP_ID_NOT_FOUND: "The group is gone, or it is a classic one that may not become a consumer group: see"
    " group.consumer.migration.policy",
}


@dataclass(frozen=True, slots=True)
class ConsumerTerms:
    """What a member is to its group all its life."""

    group_id: str
    member_id: str
    """A UUID of its own making (KIP-1082)."""
    instance_id: str | None
    rack_id: str | None
    rebalance_timeout_ms: int
    topics: tuple[str, ...]
    topic_regex: str | None
    assignor: str | None
    """One of the broker's; None: the group's choice."""


class ConsumerCalls(CoordinatorCalls):
    def __init__(self, cluster: Cluster, terms: ConsumerTerms) -> None:
        super().__init__(cluster, terms.group_id, terms.instance_id)
        self._terms = terms

    async def heartbeat(self, said: Heartbeat) -> ConsumerGroupHeartbeatResponse:
        asked = f"{'join' if said.epoch == JOIN_EPOCH else 'heartbeat to'} group {self.group_id}"
        request = self._request(said.epoch)
        request.topic_partitions = None if said.owned is None else _by_topic_id(said.owned)
        if said.is_full:
            self._tell_everything(request)
        return await self._ask(request, asked)

    async def leave(self, epoch: int) -> None:
        await self._ask(self._request(epoch), f"leave group {self.group_id}")

    async def topic_names(self, topic_ids: Sequence[bytes]) -> dict[bytes, str]:
        """Topic id -> name (KIP-516); those that the broker does not know, or not yet, are absent."""
        wanted = [MetadataRequestTopic(topic_id=each, name=None) for each in topic_ids]
        request = MetadataRequest(topics=wanted, allow_auto_topic_creation=False)
        view: MetadataResponse = await self.cluster.ask_any("Metadata", request)
        raise_for(view.error_code, "ask for the names of topics")
        return {bytes(each.topic_id): each.name for each in view.topics if each.error_code == errors.NONE and each.name}

    def _request(self, epoch: int) -> ConsumerGroupHeartbeatRequest:
        terms = self._terms
        return ConsumerGroupHeartbeatRequest(terms.group_id, terms.member_id, epoch, terms.instance_id)

    def _tell_everything(self, request: ConsumerGroupHeartbeatRequest) -> None:
        terms = self._terms
        request.rack_id = terms.rack_id
        request.rebalance_timeout_ms = terms.rebalance_timeout_ms
        request.subscribed_topic_names = terms.topics
        # A static member takes over its predecessor's expression unless it says that it has none.
        request.subscribed_topic_regex = terms.topic_regex or (None if terms.instance_id is None else "")
        request.server_assignor = terms.assignor

    async def _ask(self, request: ConsumerGroupHeartbeatRequest, asked: str) -> ConsumerGroupHeartbeatResponse:
        connection = await self.cluster.coordinators.connection(self.group_id, self._lane)
        self._check_version(connection, asked)
        try:
            reply: ConsumerGroupHeartbeatResponse = await connection.call(_API, request)
        except ClientError:
            self.forget_coordinator()
            raise
        if reply.error_code != errors.NONE:
            raise _refusal(reply.error_code, asked, reply.error_message)
        return reply

    def _check_version(self, connection: Connection, asked: str) -> None:
        if _API not in connection.versions:
            raise _refusal(errors.UNSUPPORTED_VERSION, asked, f"it has no {_API}")
        if self._terms.topic_regex is not None and connection.version(_API) < _REGEX_SINCE:
            hint = "Name the topics, or use a newer broker"
            raise ClientError(errors.UNSUPPORTED_VERSION, asked, "the broker is too old for regular expressions", hint)


def assignment_in(reply: ConsumerGroupHeartbeatResponse) -> list[IdPartition] | None:
    if reply.assignment is None:
        return None
    return [
        IdPartition(bytes(each.topic_id), number)
        for each in reply.assignment.topic_partitions
        for number in each.partitions
    ]


def _by_topic_id(held: Held) -> list[ConsumerGroupHeartbeatRequestTopicPartition]:
    found: dict[bytes, list[int]] = {}
    for topic_id, number in sorted(held):
        found.setdefault(topic_id, []).append(number)
    return [ConsumerGroupHeartbeatRequestTopicPartition(topic_id, numbers) for topic_id, numbers in found.items()]


def _refusal(code: int, asked: str, detail: str | None) -> ClientError:
    return ClientError(code, asked, detail, _HINTS.get(code))
