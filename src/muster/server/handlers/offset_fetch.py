"""OffsetFetch v1-10.

v1-7 ask for one group; v1 has no error of its own, a group's error stands on every partition that was asked for. v2+:
null topics ask for all. v5+: leader epochs. v7+: require-stable. v8+: several groups. v9: member id and epoch, which
classic groups ignore. v10+: topics by id.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from muster.core.replies import FetchedOffset, FetchReply
from muster.core.requests import OffsetFetch
from muster.runtime.node import Node
from muster.security.resources import Operation
from muster.server.call import Call
from muster.server.may import may_use_group, may_use_topic
from muster.server.parts import Parts
from muster.wire.errors import (
    GROUP_AUTHORIZATION_FAILED,
    NONE,
    TOPIC_AUTHORIZATION_FAILED,
    UNKNOWN_TOPIC_ID,
)
from muster.wire.generated.offset_fetch import (
    OffsetFetchRequest,
    OffsetFetchRequestGroup,
    OffsetFetchRequestGroupTopic,
    OffsetFetchResponse,
    OffsetFetchResponseGroup,
    OffsetFetchResponseGroupPartition,
    OffsetFetchResponseGroupTopic,
    OffsetFetchResponsePartition,
    OffsetFetchResponseTopic,
)

NO_TOPIC_ID = bytes(16)


@dataclass(slots=True)
class Question:
    """What is asked about one group, after rights and topic ids have been looked at."""

    group_id: str
    asks_all: bool
    known: list[tuple[str, list[int]]] = field(default_factory=list)
    refused: list[tuple[str, bytes, list[int], int]] = field(default_factory=list)
    """(name, id, partitions, error): these come after the others in the answer."""


def handle(call: Call, request: OffsetFetchRequest, node: Node) -> None:
    asked = request.groups if call.version >= 8 else [_as_group(request)]
    questions: list[Question] = []

    def lay_out(replies: list[FetchReply]) -> OffsetFetchResponse:
        pairs = zip(questions, replies, strict=True)
        if call.version < 8:
            return _single(call, node, *next(pairs))
        return OffsetFetchResponse(groups=[_group(call, node, question, reply) for question, reply in pairs])

    parts: Parts[FetchReply] = Parts(call, lay_out)
    for group in asked:
        if not may_use_group(call, node, Operation.DESCRIBE, group.group_id):
            questions.append(_unsorted(group))
            parts.settled(FetchReply(GROUP_AUTHORIZATION_FAILED, []))
            continue
        question = _question(call, node, group)
        questions.append(question)
        topics = None if question.asks_all else question.known
        node.coordinator.submit(OffsetFetch(question.group_id, topics, request.require_stable), parts.ticket())
    parts.seal()


def _as_group(request: OffsetFetchRequest) -> OffsetFetchRequestGroup:
    topics = None
    if request.topics is not None:
        topics = [
            OffsetFetchRequestGroupTopic(name=topic.name, partition_indexes=topic.partition_indexes)
            for topic in request.topics
        ]
    return OffsetFetchRequestGroup(group_id=request.group_id, topics=topics)


def _unsorted(group: OffsetFetchRequestGroup) -> Question:
    """Of a group that may not be seen: nothing is looked up for it."""
    asked = [(entry.name, list(entry.partition_indexes)) for entry in group.topics or ()]
    return Question(group.group_id, asks_all=group.topics is None, known=asked)


def _question(call: Call, node: Node, group: OffsetFetchRequestGroup) -> Question:
    question = Question(group.group_id, asks_all=group.topics is None)
    for entry in group.topics or ():
        name, indexes = entry.name, list(entry.partition_indexes)
        if call.version >= 10:
            topic = node.broker.catalog.by_id(entry.topic_id)
            if topic is None:
                question.refused.append(("", entry.topic_id, indexes, UNKNOWN_TOPIC_ID))
                continue
            name = topic.name
        if may_use_topic(call, node, Operation.DESCRIBE, name):
            question.known.append((name, indexes))
        else:
            question.refused.append((name, entry.topic_id, indexes, TOPIC_AUTHORIZATION_FAILED))
    return question


def _topics(
    call: Call, node: Node, question: Question, reply: FetchReply
) -> Iterator[tuple[str, bytes, list[FetchedOffset]]]:
    """(name, id, partitions) as the answer shows them. A group's error leaves nothing to show."""
    if reply.error != NONE:
        return
    for name, partitions in reply.topics:
        if question.asks_all and not may_use_topic(call, node, Operation.DESCRIBE, name, quietly=True):
            continue
        if call.version < 10:
            yield name, NO_TOPIC_ID, partitions
            continue
        topic = node.broker.catalog.get(name)
        if topic is not None:
            yield name, topic.topic_id, partitions
    for name, topic_id, indexes, error in question.refused:
        yield name, topic_id, [(index, -1, -1, "", error) for index in indexes]


def _group(call: Call, node: Node, question: Question, reply: FetchReply) -> OffsetFetchResponseGroup:
    return OffsetFetchResponseGroup(
        group_id=question.group_id,
        topics=[
            OffsetFetchResponseGroupTopic(
                name, topic_id, [OffsetFetchResponseGroupPartition(*partition) for partition in partitions]
            )
            for name, topic_id, partitions in _topics(call, node, question, reply)
        ],
        error_code=reply.error,
    )


def _single(call: Call, node: Node, question: Question, reply: FetchReply) -> OffsetFetchResponse:
    topics = [
        OffsetFetchResponseTopic(name, [OffsetFetchResponsePartition(*partition) for partition in partitions])
        for name, _, partitions in _topics(call, node, question, reply)
    ]
    if call.version == 1 and reply.error != NONE:
        # Whatever was found out about single topics, the group's error stands on all of them (T180).
        asked = [*question.known, *((name, indexes) for name, _, indexes, _ in question.refused)]
        topics = [
            OffsetFetchResponseTopic(
                name, [OffsetFetchResponsePartition(index, -1, -1, "", reply.error) for index in indexes]
            )
            for name, indexes in asked
        ]
    return OffsetFetchResponse(topics=topics, error_code=reply.error)
