"""How an OffsetCommit is answered: the layout of the reply, for whatever the coordinator said about each partition."""

from __future__ import annotations

from librt.strings import BytesWriter
from mypy_extensions import i32, i64

from muster.core.offsets.topic_offsets import TopicOffsets
from muster.core.replies import CommitReply
from muster.server.call import Call
from muster.wire.generated.offset_commit import (
    OffsetCommitRequestTopic,
    OffsetCommitResponse,
    OffsetCommitResponsePartition,
    OffsetCommitResponseTopic,
)
from muster.wire.generated.offset_commit_native import write_response_partition
from muster.wire.message import raw_items


class CommitAnswer:
    """The layout of the answer: refused partitions first, then the coordinator's, merged by topic.

    If nothing was refused it mirrors the request, repeated topics and partitions included (observed on a real
    broker).
    """

    __slots__ = ("_entries", "_expected", "_expected_body", "_refused", "accepted")

    def __init__(self) -> None:
        self.accepted: list[TopicOffsets] = []
        """What the coordinator decides about."""
        self._entries: list[OffsetCommitRequestTopic] = []
        """Where each of these stood in the request."""
        self._refused: list[tuple[OffsetCommitRequestTopic, list[int], int]] = []
        self._expected: CommitReply | None = None
        self._expected_body = b""

    def accept(self, entry: OffsetCommitRequestTopic, offsets: TopicOffsets) -> None:
        self._entries.append(entry)
        self.accepted.append(offsets)

    def refuse(self, entry: OffsetCommitRequestTopic, indexes: list[int], error: int) -> None:
        if indexes:
            self._refused.append((entry, indexes, error))

    @property
    def has_refused(self) -> bool:
        return bool(self._refused)

    def for_repeats(self, expected: CommitReply, body: bytes) -> CommitAnswer:
        """For an answer that is kept: what was accepted, without the partitions of the request. `body` is sent, as it is, if
        the coordinator's reply is the expected one."""
        kept = CommitAnswer()
        for entry, offsets in zip(self._entries, self.accepted, strict=True):
            kept.accept(OffsetCommitRequestTopic(entry.name, entry.topic_id), offsets)
        kept._expected = expected
        kept._expected_body = body
        return kept

    def respond(self, call: Call, reply: CommitReply) -> object:
        expected = self._expected
        if (
            expected is not None
            and (reply is expected or reply.errors == expected.errors)
            and call.connection.throttle is None  # else it has to get a throttle time
        ):
            return self._expected_body
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
