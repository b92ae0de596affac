"""OffsetCommit v2-10.

v2-4: retention time. v6+: leader epoch. v7+: static members. v9+: an unknown group with a generation is
GROUP_ID_NOT_FOUND. v10+: topics by id. Rights and existence of partitions are checked here, before any group is
looked at (spec 4.1); what fails is left out of the commit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from muster.core.replies import CommitReply
from muster.core.requests import OffsetCommit, OffsetToCommit
from muster.runtime.node import Node
from muster.security.resources import Operation
from muster.server.call import Call
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

_READ: Final = Operation.READ


def handle(call: Call, request: OffsetCommitRequest, node: Node) -> None:
    if not may_use_group(call, node, _READ, request.group_id):
        call.reply(_everywhere(request, GROUP_AUTHORIZATION_FAILED))
        return
    accepted: list[OffsetToCommit] = []
    answer = _Answer()
    for entry in request.topics:
        _sort_out(call, node, entry, accepted, answer)
    if not accepted:
        call.reply(answer.with_codes([]))
        return
    if node.holdings is not None:
        error = _claim(call, request, accepted, node.holdings)
        if error:
            call.reply(answer.with_codes([error] * len(accepted)))
            return
    call.respond = lambda _call, reply: _respond(answer, reply)
    retention_ms = request.retention_time_ms
    node.coordinator.submit(
        OffsetCommit(
            group_id=request.group_id,
            generation=request.generation_id_or_member_epoch,
            member_id=request.member_id,
            group_instance_id=request.group_instance_id,
            retention_ms=None if retention_ms == -1 else retention_ms,
            offsets=accepted,
            unknown_group_is_not_found=call.version >= 9,
        ),
        call,
    )


def _claim(call: Call, request: OffsetCommitRequest, accepted: list[OffsetToCommit], holdings: Holdings) -> int:
    """Limits of its principal: NONE, or the error that refuses the commit."""
    if request.member_id:
        holdings.seen(call.principal, request.group_id, request.member_id)
    return holdings.why_no_commit(
        call.principal, request.group_id, accepted, makes_group=request.generation_id_or_member_epoch < 0
    )


def _respond(answer: _Answer, reply: CommitReply) -> OffsetCommitResponse:
    return answer.with_codes(reply.errors)


def _sort_out(
    call: Call, node: Node, entry: OffsetCommitRequestTopic, accepted: list[OffsetToCommit], answer: _Answer
) -> None:
    topic, error = _find(call, node, entry)
    if topic is None:
        answer.refuse(entry, [partition.partition_index for partition in entry.partitions], error)
        return
    name, topic_id, count = topic.name, topic.topic_id, len(topic.partitions)
    indexes: list[int] = []
    unknown: list[int] = []
    for partition in entry.partitions:
        index = partition.partition_index
        if 0 <= index < count:
            indexes.append(index)
            accepted.append(
                (
                    name,
                    index,
                    partition.committed_offset,
                    partition.committed_leader_epoch,
                    partition.committed_metadata,
                    topic_id,
                )
            )
        else:
            unknown.append(index)
    if unknown:
        answer.refuse(entry, unknown, UNKNOWN_TOPIC_OR_PARTITION)
    answer.accept(entry, indexes)


def _find(call: Call, node: Node, entry: OffsetCommitRequestTopic) -> tuple[Topic | None, int]:
    catalog = node.broker.catalog
    topic = catalog.by_id(entry.topic_id) if call.version >= 10 else catalog.get(entry.name)
    if call.version >= 10 and topic is None:
        return None, UNKNOWN_TOPIC_ID
    if not may_use_topic(call, node, _READ, topic.name if topic is not None else entry.name):
        return None, TOPIC_AUTHORIZATION_FAILED
    return topic, NONE if topic is not None else UNKNOWN_TOPIC_OR_PARTITION


class _Answer:
    """The layout of the answer: refused partitions first, then the coordinator's, merged by topic.

    If nothing was refused it mirrors the request, repeated topics and partitions included (observed on a real
    broker).
    """

    __slots__ = ("_accepted", "_refused")

    def __init__(self) -> None:
        self._accepted: list[tuple[OffsetCommitRequestTopic, list[int]]] = []
        self._refused: list[tuple[OffsetCommitRequestTopic, list[int], int]] = []

    def accept(self, entry: OffsetCommitRequestTopic, indexes: list[int]) -> None:
        if indexes:
            self._accepted.append((entry, indexes))

    def refuse(self, entry: OffsetCommitRequestTopic, indexes: list[int], error: int) -> None:
        if indexes:
            self._refused.append((entry, indexes, error))

    def with_codes(self, codes: list[int]) -> OffsetCommitResponse:
        if not self._refused:
            return OffsetCommitResponse(0, self._mirrored(codes))
        merged: dict[tuple[str, bytes], OffsetCommitResponseTopic] = {}
        for entry, indexes, error in self._refused:
            _add(merged, entry, [OffsetCommitResponsePartition(index, error) for index in indexes])
        for topic in self._mirrored(codes):
            _add(merged, topic, topic.partitions)
        return OffsetCommitResponse(topics=list(merged.values()))

    def _mirrored(self, codes: list[int]) -> list[OffsetCommitResponseTopic]:
        position = 0
        topics: list[OffsetCommitResponseTopic] = []
        for entry, indexes in self._accepted:
            partitions: list[OffsetCommitResponsePartition] = []
            for index in indexes:
                partitions.append(OffsetCommitResponsePartition(index, codes[position]))
                position += 1
            topics.append(OffsetCommitResponseTopic(entry.name, entry.topic_id, partitions))
        return topics


def _add(
    merged: dict[tuple[str, bytes], OffsetCommitResponseTopic],
    topic: OffsetCommitRequestTopic | OffsetCommitResponseTopic,
    partitions: object,
) -> None:
    entry = merged.setdefault((topic.name, topic.topic_id), OffsetCommitResponseTopic(topic.name, topic.topic_id, []))
    entry.partitions = [*entry.partitions, *partitions]  # type: ignore[misc]


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
