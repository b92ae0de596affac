"""Which offsets of an OffsetCommit the coordinator gets, and which are refused before it hears of them (spec 4.1).

Rights and existence of partitions are looked at here, before any group is. Asked for every request that is read, and once
more when a connection learns one (`repeated_commit`): there is one opinion about what a request says.
"""

from __future__ import annotations

from typing import Final

from librt.vecs import append, vec
from mypy_extensions import i64

from muster.core.offsets.topic_offsets import TopicOffsets
from muster.core.requests import OffsetCommit
from muster.runtime.node import Node
from muster.security.resources import Operation
from muster.server.authorize import authorize_topic
from muster.server.call import Call
from muster.server.handlers.commit_answer import CommitAnswer
from muster.topics.topic import Topic
from muster.wire.errors import NONE, TOPIC_AUTHORIZATION_FAILED, UNKNOWN_TOPIC_ID, UNKNOWN_TOPIC_OR_PARTITION
from muster.wire.generated.offset_commit import OffsetCommitRequest, OffsetCommitRequestTopic

_READ: Final = Operation.READ


def sorted_out(call: Call, request: OffsetCommitRequest, node: Node, *, quietly: bool = False) -> CommitAnswer:
    """What is accepted is for the coordinator to decide about. `quietly`: no denial is told to the audit."""
    answer = CommitAnswer()
    for entry in request.topics:
        _sort_out(call, node, entry, answer, quietly)
    return answer


def as_commit(call: Call, request: OffsetCommitRequest, accepted: list[TopicOffsets]) -> OffsetCommit:
    """As the coordinator gets it."""
    retention_ms = request.retention_time_ms
    return OffsetCommit(
        request.group_id,
        request.generation_id_or_member_epoch,
        request.member_id,
        request.group_instance_id,
        None if retention_ms == -1 else retention_ms,
        accepted,
        call.version >= 9,
    )


def _sort_out(call: Call, node: Node, entry: OffsetCommitRequestTopic, answer: CommitAnswer, quietly: bool) -> None:
    topic, error = _find(call, node, entry, quietly)
    if topic is None:
        answer.refuse(entry, [partition.partition_index for partition in entry.partitions], error)
        return
    count = len(topic.partitions)
    numbers = vec[i64](capacity=3 * len(entry.partitions))
    texts: list[str | None] | None = None
    unknown: list[int] = []
    for partition in entry.partitions:
        index = partition.partition_index
        if 0 <= index < count:
            metadata = partition.committed_metadata
            if metadata and texts is None:
                texts = [""] * (len(numbers) // 3)
            if texts is not None:
                texts.append(metadata)
            numbers = append(numbers, index)
            numbers = append(numbers, partition.committed_offset)
            numbers = append(numbers, partition.committed_leader_epoch)
        else:
            unknown.append(index)
    if unknown:
        answer.refuse(entry, unknown, UNKNOWN_TOPIC_OR_PARTITION)
    if len(numbers):
        answer.accept(entry, TopicOffsets(topic.name, topic.topic_id, numbers, texts))


def _find(call: Call, node: Node, entry: OffsetCommitRequestTopic, quietly: bool) -> tuple[Topic | None, int]:
    catalog = node.broker.catalog
    topic = catalog.by_id(entry.topic_id) if call.version >= 10 else catalog.get(entry.name)
    if call.version >= 10 and topic is None:
        return None, UNKNOWN_TOPIC_ID
    if not authorize_topic(call, node, _READ, topic.name if topic is not None else entry.name, quietly=quietly):
        return None, TOPIC_AUTHORIZATION_FAILED
    return topic, NONE if topic is not None else UNKNOWN_TOPIC_OR_PARTITION
