"""An OffsetCommit like the one before but for its offsets, as consumers send them as long as they keep their partitions.

Which group, member and partitions it is about, where its offsets stand and how it is answered is known then. What may have
changed meanwhile is asked each time: the topics, the rights and, by the coordinator, everything about the group.
"""

from __future__ import annotations

from struct import Struct
from typing import TYPE_CHECKING, Final

from librt.strings import read_i64_be
from librt.vecs import append, vec
from mypy_extensions import i64

from muster.core.offsets.commit import all_accepted
from muster.core.offsets.topic_offsets import TopicOffsets
from muster.core.replies import CommitReply
from muster.core.requests import Heartbeat, OffsetCommit
from muster.runtime.node import Node
from muster.security.authorizer import AllowAll
from muster.security.resources import Operation
from muster.server.call import Call, Foreseen
from muster.server.handlers.commit_answer import CommitAnswer
from muster.server.handlers.commit_sorting import as_commit, sorted_out
from muster.server.intake.again import Again
from muster.server.may import may_use_group, may_use_topic
from muster.wire.errors import WireError
from muster.wire.generated.offset_commit import OffsetCommitRequest, OffsetCommitRequestPartition

if TYPE_CHECKING:
    from muster.server.routes import Route

_READ: Final = Operation.READ
_ROW: Final = Struct(">iq")
"""A partition and its offset: in every version one stands behind the other."""
_OFFSET: Final = Struct(">q")
_PARTITION_BYTES: Final = 4


def learn(call: Call, request: OffsetCommitRequest, node: Node, octets: bytes, body_at: int) -> Again | None:
    """What to remember of a commit; None if there is more to it than its offsets.

    `octets` is the request behind its correlation id, the body begins at `body_at`.
    """
    if node.holdings is not None:
        return None  # limits of its principal: it has to be counted
    if not may_use_group(call, node, _READ, request.group_id, quietly=True):
        return None
    answer = sorted_out(call, request, node, quietly=True)
    if not answer.accepted or answer.has_refused or len(answer.accepted) != len(request.topics):
        return None
    offsets_at = _offsets_at(call.route, request, octets, body_at)
    if offsets_at is None:
        return None
    return CommitAgain(call, node, as_commit(call, request, answer.accepted), answer, octets, body_at, offsets_at)


class CommitAgain(Again):
    __slots__ = (
        "_accepted",
        "_asks_nobody",
        "_catalog",
        "_changes",
        "_commit",
        "_node",
        "_respond",
        "_token",
    )

    def __init__(
        self,
        call: Call,
        node: Node,
        commit: OffsetCommit,
        answer: CommitAnswer,
        octets: bytes,
        body_at: int,
        offsets_at: vec[i64],
    ) -> None:
        super().__init__(call.route, octets, body_at, offsets_at)
        self._node = node
        self._asks_nobody = type(node.authorizer) is AllowAll
        self._catalog = node.broker.catalog
        self._changes = node.broker.catalog.changes
        self._commit = commit
        self._token = node.coordinator.session_token(
            Heartbeat(commit.group_id, commit.generation, commit.member_id, commit.group_instance_id)
        )
        self._accepted = _Accepted(call, answer.without_request(), commit.count)
        self._respond = self._accepted.respond

    def serve(self, call: Call, frame: bytes, start: i64) -> bool:
        if self._catalog.changes != self._changes:
            return False
        if not self._asks_nobody and not self._is_allowed(call):
            return False
        self.has_served = True
        commit = self._commit
        topics = commit.topics
        numbers_at = self._numbers_at
        number: i64 = 0
        for index in range(len(topics)):
            offsets = topics[index]
            known = offsets.numbers
            numbers = vec[i64](capacity=len(known))
            at: i64 = 0
            while at < len(known):
                numbers = append(numbers, known[at])
                numbers = append(numbers, read_i64_be(frame, start + numbers_at[number]))
                numbers = append(numbers, known[at + 2])
                at += 3
                number += 1
            topics[index] = TopicOffsets(offsets.topic, offsets.topic_id, numbers, offsets.metadata)
        call.foreseen = self._accepted
        call.respond = self._respond
        token = self._token
        # With a token it is decided at once, and nobody keeps the request itself, which serves again.
        if token is None or not token.commit(commit, call):
            self._node.coordinator.submit(_copied(commit), call)
        return True

    def _is_allowed(self, call: Call) -> bool:
        """Quietly: who is denied goes the whole way, and is told and noted there."""
        commit = self._commit
        return may_use_group(call, self._node, _READ, commit.group_id, quietly=True) and all(
            may_use_topic(call, self._node, _READ, offsets.topic, quietly=True) for offsets in commit.topics
        )


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


class _Accepted(Foreseen):
    """The answer if every offset is accepted, made once; and any other answer."""

    __slots__ = ("_answer", "_codes")

    def __init__(self, call: Call, answer: CommitAnswer, count: int) -> None:
        reply = all_accepted(count)
        super().__init__(reply, call.route.encode(answer.respond(call, reply)))
        self._answer = answer
        self._codes = reply.errors

    def respond(self, call: Call, reply: CommitReply) -> object:
        if reply.errors == self._codes and call.connection.throttle is None:
            return self.body
        return self._answer.respond(call, reply)


def _offsets_at(route: Route, request: OffsetCommitRequest, octets: bytes, body_at: int) -> vec[i64] | None:
    """Where the offsets stand: looked for, then proven by reading the request with other numbers in these places."""
    found = vec[i64]()
    probe = bytearray(octets)
    at = body_at
    for row, partition in enumerate(_rows(request)):
        at = octets.find(_ROW.pack(partition.partition_index, partition.committed_offset), at)
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
