"""An OffsetCommit that differs from the one before in its offsets alone, as consumers send them while they keep their partitions.

Which group, member and partitions it is about, where its offsets are and how it is answered is known then. What may have changed
is checked each time: rights and topics by `RepeatedRequest`, group and member by the session token or, without one, by the
coordinator.
"""

from __future__ import annotations

from struct import Struct
from typing import TYPE_CHECKING, Final

from librt.strings import read_i64_be
from librt.vecs import append, vec
from mypy_extensions import i64

from muster.core.offsets.commit import all_accepted
from muster.core.offsets.topic_offsets import TopicOffsets
from muster.core.requests import Heartbeat, OffsetCommit
from muster.runtime.node import Node
from muster.security.resources import ResourceType
from muster.server.call import Call
from muster.server.handlers.commit_answer import CommitAnswer
from muster.server.handlers.commit_sorting import as_commit, sorted_out
from muster.server.intake.repeated_request import RepeatedRequest, Submission
from muster.server.outside_changes import audited_response
from muster.wire.errors import WireError
from muster.wire.generated.offset_commit import OffsetCommitRequest, OffsetCommitRequestPartition

if TYPE_CHECKING:
    from muster.server.routes import Route

_ROW: Final = Struct(">iq")
"""A partition and its offset: in every version one stands behind the other."""
_OFFSET: Final = Struct(">q")
_PARTITION_BYTES: Final = 4


def learn(
    repeated: RepeatedRequest, call: Call, request: OffsetCommitRequest, node: Node, payload: bytes, body_at: int
) -> None:
    """Not kept if a part of the commit is refused or empty, or if its offsets cannot be found."""
    if node.principal_usage is not None:
        return  # limits of its principal: each commit has to be counted
    answer = sorted_out(call, request, node, quietly=True)
    if not answer.accepted or answer.has_refused or len(answer.accepted) != len(request.topics):
        return
    offsets_at = _offsets_at(call.route, request, payload, body_at)
    if offsets_at is None:
        return
    commit = as_commit(call, request, answer.accepted)
    expected = all_accepted(commit.count)
    body = call.route.encode(answer.respond(call, expected))
    reads = [(ResourceType.GROUP, commit.group_id), *[(ResourceType.TOPIC, each.topic) for each in commit.topics]]
    submission = CommitSubmission(node, commit, offsets_at, answer.for_repeats(expected, body))
    repeated.keep_with_numbers(call, node, payload, reads, offsets_at, submission)


class CommitSubmission(Submission):
    """Commits again with the offsets of the new request."""

    __slots__ = ("_commit", "_node", "_offsets_at", "_respond", "_token")

    def __init__(self, node: Node, commit: OffsetCommit, offsets_at: vec[i64], answer: CommitAnswer) -> None:
        self._node = node
        self._commit = commit
        """The last one: its topics are replaced by each that follows."""
        self._offsets_at = offsets_at
        self._respond = answer.respond
        self._token = node.coordinator.session_token(
            Heartbeat(commit.group_id, commit.generation, commit.member_id, commit.group_instance_id)
        )

    def submit(self, call: Call, frame: bytes, start: i64) -> None:
        self._read_offsets(frame, start)
        token, commit = self._token, self._commit
        # Without a generation it may be an operator's: each is looked at for the audit.
        call.respond = self._respond if commit.generation >= 0 else audited_response(self._node, commit, self._respond)
        # By its token it is decided at once, so nobody keeps the commit and it can serve again.
        if token is None or not token.commit(commit, call):
            self._node.coordinator.submit(_copied(commit), call)

    def _read_offsets(self, frame: bytes, start: i64) -> None:
        topics = self._commit.topics
        offsets_at = self._offsets_at
        number: i64 = 0
        for index in range(len(topics)):
            offsets = topics[index]
            known = offsets.numbers
            numbers = vec[i64](capacity=len(known))
            at: i64 = 0
            while at < len(known):
                numbers = append(numbers, known[at])
                numbers = append(numbers, read_i64_be(frame, start + offsets_at[number]))
                numbers = append(numbers, known[at + 2])
                at += 3
                number += 1
            topics[index] = TopicOffsets(offsets.topic, offsets.topic_id, numbers, offsets.metadata)


def _copied(commit: OffsetCommit) -> OffsetCommit:
    return OffsetCommit(
        commit.group_id,
        commit.generation,
        commit.member_id,
        commit.group_instance_id,
        commit.retention_ms,
        list(commit.topics),
        commit.unknown_group_is_not_found,
    )


def _offsets_at(route: Route, request: OffsetCommitRequest, payload: bytes, body_at: int) -> vec[i64] | None:
    """Where the offsets are. Only the schema knows the layout of each version, so they are searched for, and the finding is proven
    by decoding the request with other numbers at these positions."""
    found = vec[i64]()
    probe = bytearray(payload)
    at = body_at
    for row, partition in enumerate(_rows(request)):
        at = payload.find(_ROW.pack(partition.partition_index, partition.committed_offset), at)
        if at < 0:
            return None
        at += _PARTITION_BYTES
        found = append(found, at)
        _OFFSET.pack_into(probe, at, _other(partition, row))
        at += _OFFSET.size
    try:
        read: OffsetCommitRequest = route.decode(bytes(probe), body_at)  # type: ignore[assignment]
    except WireError:
        return None  # a length or a text was taken for an offset
    for row, (partition, changed) in enumerate(zip(_rows(request), _rows(read), strict=False)):
        if changed.committed_offset != _other(partition, row):
            return None
        changed.committed_offset = partition.committed_offset
    return found if read == request else None


def _rows(request: OffsetCommitRequest) -> list[OffsetCommitRequestPartition]:
    return [partition for topic in request.topics for partition in topic.partitions]


def _other(partition: OffsetCommitRequestPartition, row: int) -> int:
    """Another offset than it has, and than its neighbours get."""
    return partition.committed_offset ^ (row + 1)
