"""DeleteRecords (21), versions 0 to 2: drop what lies before an offset; -1 stands for the high watermark."""

from __future__ import annotations

from muster.runtime.node import Node
from muster.security.audit import quoted
from muster.security.resources import Operation
from muster.server.call import Call
from muster.server.may import may_use_topic, tell_change
from muster.topics.refusal import TopicError
from muster.wire.errors import NONE, TOPIC_AUTHORIZATION_FAILED
from muster.wire.generated.delete_records import (
    DeleteRecordsRequest,
    DeleteRecordsResponse,
    DeleteRecordsResponsePartition,
    DeleteRecordsResponseTopic,
)

NO_WATERMARK = -1


def handle(call: Call, request: DeleteRecordsRequest, node: Node) -> None:
    topics = []
    for topic in request.topics:
        allowed = may_use_topic(call, node, Operation.DELETE, topic.name)
        partitions = [
            _delete(node, topic.name, partition.partition_index, partition.offset)
            if allowed
            else DeleteRecordsResponsePartition(partition.partition_index, NO_WATERMARK, TOPIC_AUTHORIZATION_FAILED)
            for partition in topic.partitions
        ]
        if any(partition.error_code == NONE for partition in partitions):
            tell_change(call, node, f"deleted records of topic {quoted(topic.name)}")
        topics.append(DeleteRecordsResponseTopic(topic.name, partitions))
    call.reply(DeleteRecordsResponse(topics=topics))


def _delete(node: Node, name: str, index: int, offset: int) -> DeleteRecordsResponsePartition:
    try:
        return DeleteRecordsResponsePartition(index, node.broker.delete_records(name, index, offset), NONE)
    except TopicError as refused:
        return DeleteRecordsResponsePartition(index, NO_WATERMARK, refused.code)
