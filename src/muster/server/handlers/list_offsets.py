"""ListOffsets (2), versions 1 to 10: the offset that belongs to a time.

v2+ isolation level; one that is not known is UNKNOWN_SERVER_ERROR for each partition, as in Kafka 4.3.1. v4+ leader epochs. v7+
the newest timestamp (-3), v8+ local start (-4), v9+ newest tiered offset (-5). v10+ a timeout for tiered storage, of which
there is none.
"""

from __future__ import annotations

from collections import Counter
from itertools import repeat

from muster.runtime.node import Node
from muster.security.resources import Operation
from muster.server.authorize import authorize_topic
from muster.server.call import Call
from muster.wire.errors import INVALID_REQUEST, TOPIC_AUTHORIZATION_FAILED, UNKNOWN_SERVER_ERROR
from muster.wire.generated.list_offsets import (
    ListOffsetsRequest,
    ListOffsetsRequestPartition,
    ListOffsetsResponse,
    ListOffsetsResponsePartition,
    ListOffsetsResponseTopic,
)
from muster.wire.special_values import (
    EARLIEST,
    EARLIEST_LOCAL,
    LATEST_TIERED,
    MAX_TIMESTAMP,
    READ_COMMITTED,
    READ_UNCOMMITTED,
)


def handle(call: Call, request: ListOffsetsRequest, node: Node) -> None:
    asked = _Asked(call, request, node)
    if node.reads_apart is not None:
        node.reads_apart.run(call, asked.look, asked.reply)
    else:
        asked.look()
        asked.reply()


class _Asked:
    """One request."""

    __slots__ = ("_allowed", "_call", "_found", "_node", "_request", "_times")

    def __init__(self, call: Call, request: ListOffsetsRequest, node: Node) -> None:
        self._call = call
        self._request = request
        self._node = node
        self._found: list[ListOffsetsResponseTopic] = []
        self._allowed = [
            [authorize_topic(call, node, Operation.DESCRIBE, topic.name) for _ in topic.partitions]
            for topic in request.topics
        ]
        """Judged once, however often is looked."""
        self._times = Counter(
            (topic.name, partition.partition_index) for topic in request.topics for partition in topic.partitions
        )

    def look(self) -> None:
        self._found = [
            ListOffsetsResponseTopic(topic.name, list(map(self._answer, repeat(topic.name), topic.partitions, allowed)))
            for topic, allowed in zip(self._request.topics, self._allowed, strict=True)
        ]

    def reply(self) -> None:
        self._call.reply(ListOffsetsResponse(topics=self._found))

    def _answer(
        self, topic: str, partition: ListOffsetsRequestPartition, is_allowed: bool
    ) -> ListOffsetsResponsePartition:
        index = partition.partition_index
        if not is_allowed:
            return ListOffsetsResponsePartition(index, TOPIC_AUTHORIZATION_FAILED)
        if self._times[topic, index] > 1:
            return ListOffsetsResponsePartition(index, INVALID_REQUEST)
        isolation_level = self._request.isolation_level
        if isolation_level not in (READ_UNCOMMITTED, READ_COMMITTED):
            return ListOffsetsResponsePartition(index, UNKNOWN_SERVER_ERROR)
        found = self._node.broker.list_offset(
            topic,
            index,
            partition.timestamp,
            current_epoch=partition.current_leader_epoch,
            read_committed=isolation_level == READ_COMMITTED,
            lowest_special=_lowest_special(self._call.version),
        )
        return ListOffsetsResponsePartition(
            index, found.error_code, found.timestamp_ms, found.offset, found.leader_epoch
        )


def _lowest_special(version: int) -> int:
    """The last of the special times that the version knows."""
    if version >= 9:
        return LATEST_TIERED
    if version == 8:
        return EARLIEST_LOCAL
    return MAX_TIMESTAMP if version == 7 else EARLIEST
