"""OffsetCommit v2-10.

v2-4: retention time. v6+: leader epoch. v7+: static members. v9+: an unknown group with a generation is
GROUP_ID_NOT_FOUND. v10+: topics by id. Rights and existence of partitions are checked here, before any group is
looked at (spec 4.1); what fails is left out of the commit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from librt.strings import BytesWriter
from librt.vecs import append, vec
from mypy_extensions import i32, i64

from muster.core.offsets.topic_offsets import TopicOffsets
from muster.core.replies import CommitReply
from muster.core.requests import OffsetCommit
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
from muster.wire.generated.offset_commit_native import write_response_partition
from muster.wire.message import raw_items

if TYPE_CHECKING:
    from muster.runtime.holdings import Holdings

_READ: Final = Operation.READ


def handle(call: Call, request: OffsetCommitRequest, node: Node) -> None:
    if not may_use_group(call, node, _READ, request.group_id):
        call.reply(_everywhere(request, GROUP_AUTHORIZATION_FAILED))
        return
    answer = _Answer()
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


def _sort_out(call: Call, node: Node, entry: OffsetCommitRequestTopic, answer: _Answer) -> None:
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


class _Answer:
    """The layout of the answer: refused partitions first, then the coordinator's, merged by topic.

    If nothing was refused it mirrors the request, repeated topics and partitions included (observed on a real
    broker).
    """

    __slots__ = ("_entries", "_refused", "accepted")

    def __init__(self) -> None:
        self.accepted: list[TopicOffsets] = []
        """What the coordinator decides about."""
        self._entries: list[OffsetCommitRequestTopic] = []
        """Where each of these stood in the request."""
        self._refused: list[tuple[OffsetCommitRequestTopic, list[int], int]] = []

    def accept(self, entry: OffsetCommitRequestTopic, offsets: TopicOffsets) -> None:
        self._entries.append(entry)
        self.accepted.append(offsets)

    def refuse(self, entry: OffsetCommitRequestTopic, indexes: list[int], error: int) -> None:
        if indexes:
            self._refused.append((entry, indexes, error))

    def respond(self, call: Call, reply: CommitReply) -> OffsetCommitResponse:
        if self._refused:
            return self.with_codes(reply.errors)
        return OffsetCommitResponse(0, self._laid_out(reply.errors, call.version))

    def _laid_out(self, codes: list[int], version: i64) -> list[OffsetCommitResponseTopic]:
        """What `_mirrored` is, without an object for each partition."""
        position: i64 = 0
        topics: list[OffsetCommitResponseTopic] = []
        number: i64 = 0
        for entry in self._entries:
            offsets = self.accepted[number]
            number += 1  # noqa: SIM113  # a 64-bit number when compiled
            out = BytesWriter()
            count: i64 = len(offsets)
            for row in range(count):
                write_response_partition(out, version, i32(offsets.partition(row)), codes[position])
                position += 1
            topics.append(OffsetCommitResponseTopic(entry.name, entry.topic_id, raw_items(count, out.getvalue())))
        return topics

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
        for entry, offsets in zip(self._entries, self.accepted, strict=True):
            partitions: list[OffsetCommitResponsePartition] = []
            count: i64 = len(offsets)
            for row in range(count):
                partitions.append(OffsetCommitResponsePartition(offsets.partition(row), codes[position]))
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
