"""OffsetForLeaderEpoch (23), versions 2 to 4: where an epoch ended. v3+ may come from consumers (KIP-320)."""

from __future__ import annotations

from muster.runtime.node import Node
from muster.security.resources import Operation
from muster.server.authorize import authorize_cluster, authorize_topic
from muster.server.call import Call
from muster.topics.epochs import EpochSearch
from muster.wire.errors import TOPIC_AUTHORIZATION_FAILED
from muster.wire.generated.offset_for_leader_epoch import (
    OffsetForLeaderEpochRequest,
    OffsetForLeaderEpochRequestTopic,
    OffsetForLeaderEpochResponse,
    OffsetForLeaderEpochResponsePartition,
    OffsetForLeaderEpochResponseTopic,
)


def handle(call: Call, request: OffsetForLeaderEpochRequest, node: Node) -> None:
    asked = _Asked(call, request, node)
    if node.reads_apart is not None:
        node.reads_apart.run(call, asked.look, asked.reply)
    else:
        asked.look()
        asked.reply()


class _Asked:
    """One request."""

    __slots__ = ("_allowed", "_call", "_found", "_node", "_request", "_searches")

    def __init__(self, call: Call, request: OffsetForLeaderEpochRequest, node: Node) -> None:
        self._call = call
        self._request = request
        self._node = node
        self._found: list[OffsetForLeaderEpochResponseTopic] = []
        everything = authorize_cluster(call, node, Operation.CLUSTER_ACTION, quietly=True)
        self._allowed = [
            everything or authorize_topic(call, node, Operation.DESCRIBE, topic.topic) for topic in request.topics
        ]
        """Judged once, however often is looked."""
        self._searches = [[EpochSearch() for _ in topic.partitions] for topic in request.topics]

    def look(self) -> None:
        self._found = [
            OffsetForLeaderEpochResponseTopic(
                topic.topic, self._answers(topic, searches) if is_allowed else _denied(topic)
            )
            for topic, is_allowed, searches in zip(self._request.topics, self._allowed, self._searches, strict=True)
        ]

    def reply(self) -> None:
        self._call.reply(OffsetForLeaderEpochResponse(topics=self._found))

    def _answers(
        self, topic: OffsetForLeaderEpochRequestTopic, searches: list[EpochSearch]
    ) -> list[OffsetForLeaderEpochResponsePartition]:
        answers = []
        for partition, search in zip(topic.partitions, searches, strict=True):
            end = self._node.broker.end_of_epoch(
                topic.topic, partition.partition, partition.current_leader_epoch, partition.leader_epoch, search
            )
            answers.append(
                OffsetForLeaderEpochResponsePartition(
                    end.error_code, partition.partition, end.leader_epoch, end.end_offset
                )
            )
        return answers


def _denied(topic: OffsetForLeaderEpochRequestTopic) -> list[OffsetForLeaderEpochResponsePartition]:
    return [
        OffsetForLeaderEpochResponsePartition(TOPIC_AUTHORIZATION_FAILED, partition.partition)
        for partition in topic.partitions
    ]
