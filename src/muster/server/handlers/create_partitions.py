"""CreatePartitions (37), versions 0 to 3: more partitions for topics that exist. The versions differ in layout only."""

from __future__ import annotations

from typing import Final

from muster.runtime.node import Node
from muster.security.audit import quoted
from muster.security.resources import Operation
from muster.server.authorize import authorize_topic, tell_change
from muster.server.call import Call
from muster.server.throttle import QUOTA_EXCEEDED, Throttle
from muster.topics.creation import NewPartitions, TopicAnswer
from muster.wire.errors import (
    NONE,
    THROTTLING_QUOTA_EXCEEDED,
    TOPIC_AUTHORIZATION_FAILED,
    UNKNOWN_TOPIC_OR_PARTITION,
)
from muster.wire.generated.create_partitions import (
    CreatePartitionsRequest,
    CreatePartitionsResponse,
    CreatePartitionsResponseResult,
)

_CAN_BE_REFUSED: Final = 3
"""The first version whose clients know THROTTLING_QUOTA_EXCEEDED; the others only wait."""


def handle(call: Call, request: CreatePartitionsRequest, node: Node) -> None:
    node.changes.request(call, lambda: _answer(call, request, node))


def _answer(call: Call, request: CreatePartitionsRequest, node: Node) -> CreatePartitionsResponse:
    wanted: list[NewPartitions] = []
    denied: dict[str, TopicAnswer] = {}
    for topic in request.topics:
        if authorize_topic(call, node, Operation.ALTER, topic.name):
            assignments = topic.assignments
            wanted.append(
                NewPartitions(
                    topic.name, topic.count, None if assignments is None else [each.broker_ids for each in assignments]
                )
            )
        else:
            denied[topic.name] = TopicAnswer(topic.name, TOPIC_AUTHORIZATION_FAILED)
    exceeded: list[TopicAnswer] = []
    if call.connection.throttle is not None:
        wanted, exceeded = _within_quota(call, node, wanted, call.connection.throttle)
    answers = node.broker.create_partitions(wanted, validate_only=request.validate_only)
    if not request.validate_only:
        for answer in answers:
            if answer.error_code == NONE:
                tell_change(call, node, f"added partitions to topic {quoted(answer.name)}")
    return CreatePartitionsResponse(
        results=[
            CreatePartitionsResponseResult(answer.name, answer.error_code, _message(answer))
            for answer in (*answers, *exceeded, *denied.values())
        ]
    )


def _within_quota(
    call: Call, node: Node, wanted: list[NewPartitions], throttle: Throttle
) -> tuple[list[NewPartitions], list[TopicAnswer]]:
    """KIP-599: what could be made counts for controller_mutation_rate; what is beyond it is not made."""
    within: list[NewPartitions] = []
    exceeded: list[TopicAnswer] = []
    answers = {answer.name: answer for answer in node.broker.create_partitions(wanted, validate_only=True)}
    for new in wanted:
        topic = node.broker.topic(new.name)
        more = 0 if topic is None or answers[new.name].error_code != NONE else new.count - len(topic.partitions)
        if not more or throttle.may_change(call, more, strictly=call.version >= _CAN_BE_REFUSED):
            within.append(new)
        else:
            exceeded.append(TopicAnswer(new.name, THROTTLING_QUOTA_EXCEEDED, QUOTA_EXCEEDED))
    return within, exceeded


def _message(answer: TopicAnswer) -> str | None:
    """Kafka has nothing to say about a topic that is not there."""
    return None if answer.error_code == UNKNOWN_TOPIC_OR_PARTITION else answer.message
