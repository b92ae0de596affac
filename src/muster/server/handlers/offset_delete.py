"""OffsetDelete v0. An error of the group replaces everything that was found out about single partitions (spec 3.16).

A topic that is listed several times is answered as often, each entry as it was asked. As soon as one partition is refused
before the group is asked, Kafka 4.3.1 merges all entries of a topic, the refused ones first (OffsetDeleteResponse.Builder).
"""

from __future__ import annotations

from collections.abc import Sequence

from muster.core.replies import OffsetDeleteReply
from muster.core.requests import OffsetDelete
from muster.runtime.node import Node
from muster.security.audit import quoted
from muster.security.resources import Operation
from muster.server.authorize import authorize_group, authorize_topic, tell_change
from muster.server.call import Call
from muster.wire.errors import (
    GROUP_AUTHORIZATION_FAILED,
    NONE,
    TOPIC_AUTHORIZATION_FAILED,
    UNKNOWN_TOPIC_OR_PARTITION,
)
from muster.wire.generated.offset_delete import (
    OffsetDeleteRequest,
    OffsetDeleteResponse,
    OffsetDeleteResponsePartition,
    OffsetDeleteResponseTopic,
)


def handle(call: Call, request: OffsetDeleteRequest, node: Node) -> None:
    if not authorize_group(call, node, Operation.DELETE, request.group_id):
        call.reply(OffsetDeleteResponse(error_code=GROUP_AUTHORIZATION_FAILED))
        return
    refused: list[tuple[str, int, int]] = []
    accepted: list[tuple[str, int]] = []
    for entry in request.topics:
        readable = authorize_topic(call, node, Operation.READ, entry.name)
        for partition in entry.partitions:
            index = partition.partition_index
            if not readable:
                refused.append((entry.name, index, TOPIC_AUTHORIZATION_FAILED))
            elif node.broker.catalog.partition(entry.name, index) is None:
                refused.append((entry.name, index, UNKNOWN_TOPIC_OR_PARTITION))
            else:
                accepted.append((entry.name, index))

    def respond(_call: Call, reply: OffsetDeleteReply) -> OffsetDeleteResponse:
        if reply.error != NONE:
            return OffsetDeleteResponse(error_code=reply.error)
        if NONE in reply.errors:
            tell_change(call, node, f"deleted offsets of group {quoted(request.group_id)}")
        if not refused:
            return OffsetDeleteResponse(topics=_as_asked(request, reply.errors))
        answered = [(name, index, error) for (name, index), error in zip(accepted, reply.errors, strict=True)]
        return OffsetDeleteResponse(topics=_by_topic(refused + answered))

    call.respond = respond
    # Asked even if no partition is left: the group's own error counts (spec 3.16).
    node.coordinator.submit(OffsetDelete(request.group_id, accepted), call)


def _as_asked(request: OffsetDeleteRequest, errors: Sequence[int]) -> list[OffsetDeleteResponseTopic]:
    each_error = iter(errors)
    return [
        OffsetDeleteResponseTopic(
            entry.name,
            [
                OffsetDeleteResponsePartition(partition.partition_index, next(each_error))
                for partition in entry.partitions
            ],
        )
        for entry in request.topics
        if entry.partitions  # Kafka hands on only topics that have partitions to delete
    ]


def _by_topic(results: list[tuple[str, int, int]]) -> list[OffsetDeleteResponseTopic]:
    topics: dict[str, list[OffsetDeleteResponsePartition]] = {}
    for name, index, error in results:
        topics.setdefault(name, []).append(OffsetDeleteResponsePartition(index, error))
    return [OffsetDeleteResponseTopic(name, partitions) for name, partitions in topics.items()]
