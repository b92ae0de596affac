"""DescribeTopicPartitions (75), version 0: partitions of topics in pages (KIP-966).

No topics asks for all of them. Topics come by name; a page that is full ends with a cursor where the next one begins.
"""

from __future__ import annotations

from muster.log.contract import NOBODY
from muster.runtime.node import Node
from muster.security.resources import Operation, ResourceType
from muster.server.authorize import authorize_topic, operations_on
from muster.server.call import Call
from muster.server.settings import settings_of
from muster.topics.names import INTERNAL_TOPICS, check_name
from muster.topics.refusal import TopicError
from muster.topics.topic import Partition, Topic
from muster.wire.errors import (
    INVALID_REQUEST,
    LEADER_NOT_AVAILABLE,
    NONE,
    TOPIC_AUTHORIZATION_FAILED,
    UNKNOWN_TOPIC_OR_PARTITION,
)
from muster.wire.generated.describe_topic_partitions import (
    DescribeTopicPartitionsRequest,
    DescribeTopicPartitionsResponse,
    DescribeTopicPartitionsResponseCursor,
    DescribeTopicPartitionsResponsePartition,
    DescribeTopicPartitionsResponseTopic,
)


def handle(call: Call, request: DescribeTopicPartitionsRequest, node: Node) -> None:
    cursor = request.cursor
    if cursor is not None and cursor.partition_index < 0:
        call.reply(
            DescribeTopicPartitionsResponse(
                topics=[DescribeTopicPartitionsResponseTopic(INVALID_REQUEST, topic.name) for topic in request.topics]
            )
        )
        return
    names, denied = _names(call, request, node)
    limit = min(settings_of(node).integer("max.request.partition.size.limit"), request.response_partition_limit)
    page = _Page(call, node, max(limit, 1))
    for name in names:
        first = cursor.partition_index if cursor is not None and cursor.topic_name == name else 0
        if not page.add(name, first):
            break
    call.reply(DescribeTopicPartitionsResponse(topics=[*page.topics, *denied], next_cursor=page.next_cursor))


def _names(
    call: Call, request: DescribeTopicPartitionsRequest, node: Node
) -> tuple[list[str], list[DescribeTopicPartitionsResponseTopic]]:
    """What to show, by name from the cursor on; and what was asked for by name and may not be seen."""
    asked = {topic.name for topic in request.topics}
    names = asked or {topic.name for topic in node.broker.catalog.topics()}
    begin = request.cursor.topic_name if request.cursor is not None else ""
    visible, denied = [], []
    for name in sorted(name for name in names if name >= begin):
        if authorize_topic(call, node, Operation.DESCRIBE, name, quietly=not asked):
            visible.append(name)
        elif asked:
            denied.append(
                DescribeTopicPartitionsResponseTopic(
                    TOPIC_AUTHORIZATION_FAILED, name, is_internal=name in INTERNAL_TOPICS
                )
            )
    return visible, denied


class _Page:
    """Partitions until there is no room left."""

    def __init__(self, call: Call, node: Node, room: int) -> None:
        self._call = call
        self._node = node
        self._room = room
        self.topics: list[DescribeTopicPartitionsResponseTopic] = []
        self.next_cursor: DescribeTopicPartitionsResponseCursor | None = None

    def add(self, name: str, first: int) -> bool:
        """False if the page is full: the cursor says where to go on."""
        if self._room == 0:
            self.next_cursor = DescribeTopicPartitionsResponseCursor(name, 0)
            return False
        topic = self._node.broker.topic(name)
        if topic is None:
            self.topics.append(
                DescribeTopicPartitionsResponseTopic(
                    _why_unknown(name), name, topic_authorized_operations=self._operations(name)
                )
            )
            return True
        end = min(first + self._room, len(topic.partitions))
        self.topics.append(self._described(topic, first, end))
        self._room -= max(0, end - first)
        if end < len(topic.partitions):
            self.next_cursor = DescribeTopicPartitionsResponseCursor(name, end)
            return False
        return True

    def _described(self, topic: Topic, first: int, end: int) -> DescribeTopicPartitionsResponseTopic:
        return DescribeTopicPartitionsResponseTopic(
            NONE,
            topic.name,
            topic.topic_id,
            topic.internal,
            [_partition(partition) for partition in topic.partitions[first:end]],
            self._operations(topic.name),
        )

    def _operations(self, name: str) -> int:
        """Shown unasked, also for a topic that does not exist."""
        return operations_on(self._call, self._node, ResourceType.TOPIC, name)


def _partition(partition: Partition) -> DescribeTopicPartitionsResponsePartition:
    leader_id, epoch = partition.leader_id, partition.leader_epoch
    if leader_id == NOBODY:
        return DescribeTopicPartitionsResponsePartition(
            LEADER_NOT_AVAILABLE, partition.index, NOBODY, max(0, epoch), [], [], [], [], []
        )
    return DescribeTopicPartitionsResponsePartition(
        NONE, partition.index, leader_id, epoch, [leader_id], [leader_id], [], [], []
    )


def _why_unknown(name: str) -> int:
    try:
        check_name(name)
    except TopicError as refused:
        return refused.code
    return UNKNOWN_TOPIC_OR_PARTITION
