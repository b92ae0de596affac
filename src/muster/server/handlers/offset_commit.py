"""OffsetCommit v2-10.

v2-4: retention time. v6+: leader epoch. v7+: static members. v9+: an unknown group with a generation is
GROUP_ID_NOT_FOUND. v10+: topics by id. `commit_sorting` leaves out of the commit what is forbidden or unknown. A commit
that repeats the one before is served by `repeated_commit`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from muster.core.offsets.topic_offsets import TopicOffsets
from muster.runtime.node import Node
from muster.security.resources import Operation
from muster.server.authorize import authorize_group
from muster.server.call import Call
from muster.server.handlers.commit_sorting import as_commit, sorted_out
from muster.server.handlers.repeated_commit import learn
from muster.server.outside_changes import audited_response
from muster.wire.errors import GROUP_AUTHORIZATION_FAILED
from muster.wire.generated.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitResponse,
    OffsetCommitResponsePartition,
    OffsetCommitResponseTopic,
)

if TYPE_CHECKING:
    from muster.runtime.principal_usage import PrincipalUsage

__all__ = ["handle", "learn"]

_READ: Final = Operation.READ


def handle(call: Call, request: OffsetCommitRequest, node: Node) -> None:
    if not authorize_group(call, node, _READ, request.group_id):
        call.reply(_everywhere(request, GROUP_AUTHORIZATION_FAILED))
        return
    answer = sorted_out(call, request, node)
    accepted = answer.accepted
    if not accepted:
        call.reply(answer.with_codes([]))
        return
    commit = as_commit(call, request, accepted)
    if node.principal_usage is not None:
        error = _claim(call, request, accepted, node.principal_usage)
        if error:
            call.reply(answer.with_codes([error] * commit.count))
            return
    call.respond = audited_response(node, commit, answer.respond)
    node.coordinator.submit(commit, call)


def _claim(call: Call, request: OffsetCommitRequest, accepted: list[TopicOffsets], usage: PrincipalUsage) -> int:
    """Limits of its principal: NONE, or the error that refuses the commit."""
    if request.member_id:
        usage.seen(call.principal, request.group_id, request.member_id)
    return usage.why_no_commit(
        call.principal, request.group_id, accepted, makes_group=request.generation_id_or_member_epoch < 0
    )


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
