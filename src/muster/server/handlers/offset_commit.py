"""OffsetCommit v2-10.

v2-4: retention time. v6+: leader epoch. v7+: static members. v9+: an unknown group with a generation is
GROUP_ID_NOT_FOUND. v10+: topics by id. Rights and existence of partitions are checked here, before any group is
looked at (spec 4.1); what fails is left out of the commit. A commit like the one before is served by `commit_again`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from librt.vecs import append, vec
from mypy_extensions import i64

from muster.core.offsets.topic_offsets import TopicOffsets
from muster.core.requests import OffsetCommit
from muster.runtime.node import Node
from muster.security.resources import Operation
from muster.server.call import Call
from muster.server.handlers.commit_again import learn
from muster.server.handlers.commit_answer import CommitAnswer
from muster.server.may import may_use_group, may_use_topic
from muster.topics.topic import Topic
from muster.wire.errors import (
    GROUP_AUTHORIZATION_FAILED,
    NONE,
    TOPIC_AUTHORIZATION_FAILED,
    UNKNOWN_TOPIC_ID,
    UNKNOWN_TOPIC_OR_PARTITION,
)
from muster.wire.generated.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestTopic,
    OffsetCommitResponse,
    OffsetCommitResponsePartition,
    OffsetCommitResponseTopic,
)

if TYPE_CHECKING:
    from muster.runtime.holdings import Holdings

__all__ = ["handle", "learn"]

_READ: Final = Operation.READ


def handle(call: Call, request: OffsetCommitRequest, node: Node) -> None:
    if not may_use_group(call, node, _READ, request.group_id):
        call.reply(_everywhere(request, GROUP_AUTHORIZATION_FAILED))
        return
    answer = CommitAnswer()
    for entry in request.topics:
        _sort_out(call, node, entry, answer)
    accepted = answer.accepted
    if not accepted:
        call.reply(answer.with_codes([]))
        return
    retention_ms = request.retention_time_ms
    commit = OffsetCommit(
        request.group_id,
        request.generation_id_or_member_epoch,
        request.member_id,
        request.group_instance_id,
        None if retention_ms == -1 else retention_ms,
        accepted,
        call.version >= 9,
    )
    if node.holdings is not None:
        error = _claim(call, request, accepted, node.holdings)
        if error:
            call.reply(answer.with_codes([error] * commit.count))
            return
    call.respond = answer.respond
    node.coordinator.submit(commit, call)


def _claim(call: Call, request: OffsetCommitRequest, accepted: list[TopicOffsets], holdings: Holdings) -> int:
    """Limits of its principal: NONE, or the error that refuses the commit."""
    if request.member_id:
        holdings.seen(call.principal, request.group_id, request.member_id)
    return holdings.why_no_commit(
        call.principal, request.group_id, accepted, makes_group=request.generation_id_or_member_epoch < 0
    )


def _sort_out(call: Call, node: Node, entry: OffsetCommitRequestTopic, answer: CommitAnswer) -> None:
    topic, error = _find(call, node, entry)
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


def _find(call: Call, node: Node, entry: OffsetCommitRequestTopic) -> tuple[Topic | None, int]:
    catalog = node.broker.catalog
    topic = catalog.by_id(entry.topic_id) if call.version >= 10 else catalog.get(entry.name)
    if call.version >= 10 and topic is None:
        return None, UNKNOWN_TOPIC_ID
    if not may_use_topic(call, node, _READ, topic.name if topic is not None else entry.name):
        return None, TOPIC_AUTHORIZATION_FAILED
    return topic, NONE if topic is not None else UNKNOWN_TOPIC_OR_PARTITION


def _everywhere(request: OffsetCommitRequest, error: int) -> OffsetCommitResponse:
    return OffsetCommitResponse(
        topics=[
            OffsetCommitResponseTopic(
                topic.name,
                topic.topic_id,
                [OffsetCommitResponsePartition(partition.partition_index, error) for partition in topic.partitions],
            )
            for topic in request.topics
        ]
    )
