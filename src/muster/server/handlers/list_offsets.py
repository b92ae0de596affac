"""ListOffsets (2), versions 1 to 10: the offset that belongs to a time.

v2+ isolation level. v4+ leader epochs. v7+ the newest timestamp (-3), v8+ local start (-4), v9+ newest tiered offset (-5).
v10+ a timeout for tiered storage, of which there is none.
"""

from __future__ import annotations

from collections import Counter

from muster.runtime.node import Node
from muster.security.resources import Operation
from muster.server.call import Call
from muster.server.may import may_use_topic
from muster.topics.list_offsets import EARLIEST, EARLIEST_LOCAL, LATEST_TIERED, MAX_TIMESTAMP
from muster.wire.errors import INVALID_REQUEST, TOPIC_AUTHORIZATION_FAILED
from muster.wire.generated.list_offsets import (
    ListOffsetsRequest,
    ListOffsetsRequestPartition,
    ListOffsetsRequestTopic,
    ListOffsetsResponse,
    ListOffsetsResponsePartition,
    ListOffsetsResponseTopic,
)

READ_COMMITTED = 1


def handle(call: Call, request: ListOffsetsRequest, node: Node) -> None:
    times = Counter(
        (topic.name, partition.partition_index) for topic in request.topics for partition in topic.partitions
    )

    def answer(topic: ListOffsetsRequestTopic, partition: ListOffsetsRequestPartition) -> ListOffsetsResponsePartition:
        index = partition.partition_index
        if not may_use_topic(call, node, Operation.DESCRIBE, topic.name):
            return ListOffsetsResponsePartition(index, TOPIC_AUTHORIZATION_FAILED)
        if times[topic.name, index] > 1:
            return ListOffsetsResponsePartition(index, INVALID_REQUEST)
        found = node.broker.list_offset(
            topic.name,
            index,
            partition.timestamp,
            current_epoch=partition.current_leader_epoch,
            read_committed=request.isolation_level == READ_COMMITTED,
            lowest_special=_lowest_special(call.version),
        )
        return ListOffsetsResponsePartition(
            index, found.error_code, found.timestamp_ms, found.offset, found.leader_epoch
        )

    call.reply(
        ListOffsetsResponse(
            topics=[
                ListOffsetsResponseTopic(topic.name, [answer(topic, partition) for partition in topic.partitions])
                for topic in request.topics
            ]
        )
    )


def _lowest_special(version: int) -> int:
    """The last of the special times that the version knows."""
    if version >= 9:
        return LATEST_TIERED
    if version == 8:
        return EARLIEST_LOCAL
    return MAX_TIMESTAMP if version == 7 else EARLIEST
