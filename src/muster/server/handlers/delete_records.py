"""DeleteRecords (21), versions 0 to 2: drop what lies before an offset; -1 stands for the high watermark."""

from __future__ import annotations

from muster.runtime.node import Node
from muster.security.audit import quoted
from muster.security.resources import Operation
from muster.server.authorize import authorize_topic, tell_change
from muster.server.call import Call
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
    node.changes.request(call, lambda: _answer(call, request, node))


def _answer(call: Call, request: DeleteRecordsRequest, node: Node) -> DeleteRecordsResponse:
    # Kafka 4.3.1: a partition that is listed several times is answered once, and its last offset counts.
    wanted: dict[str, dict[int, int]] = {}
    for topic in request.topics:
        wanted.setdefault(topic.name, {}).update(
            (partition.partition_index, partition.offset) for partition in topic.partitions
        )
    topics = []
    for name, offsets in wanted.items():
        allowed = authorize_topic(call, node, Operation.DELETE, name)
        partitions = [
            _delete(node, name, index, offset)
            if allowed
            else DeleteRecordsResponsePartition(index, NO_WATERMARK, TOPIC_AUTHORIZATION_FAILED)
            for index, offset in offsets.items()
        ]
        if any(partition.error_code == NONE for partition in partitions):
            tell_change(call, node, f"deleted records of topic {quoted(name)}")
        topics.append(DeleteRecordsResponseTopic(name, partitions))
    return DeleteRecordsResponse(topics=topics)


def _delete(node: Node, name: str, index: int, offset: int) -> DeleteRecordsResponsePartition:
    try:
        return DeleteRecordsResponsePartition(index, node.broker.delete_records(name, index, offset), NONE)
    except TopicError as refused:
        return DeleteRecordsResponsePartition(index, NO_WATERMARK, refused.code)
