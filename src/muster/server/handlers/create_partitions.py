"""CreatePartitions (37), versions 0 to 3: more partitions for topics that exist. The versions differ in layout only."""

from __future__ import annotations

from muster.runtime.node import Node
from muster.security.audit import quoted
from muster.security.resources import Operation
from muster.server.call import Call
from muster.server.may import may_use_topic, tell_change
from muster.topics.creation import NewPartitions, TopicAnswer
from muster.wire.errors import NONE, TOPIC_AUTHORIZATION_FAILED, UNKNOWN_TOPIC_OR_PARTITION
from muster.wire.generated.create_partitions import (
    CreatePartitionsRequest,
    CreatePartitionsResponse,
    CreatePartitionsResponseResult,
)


def handle(call: Call, request: CreatePartitionsRequest, node: Node) -> None:
    wanted: list[NewPartitions] = []
    denied: dict[str, TopicAnswer] = {}
    for topic in request.topics:
        if may_use_topic(call, node, Operation.ALTER, topic.name):
            assignments = topic.assignments
            wanted.append(
                NewPartitions(
                    topic.name, topic.count, None if assignments is None else [each.broker_ids for each in assignments]
                )
            )
        else:
            denied[topic.name] = TopicAnswer(topic.name, TOPIC_AUTHORIZATION_FAILED)
    answers = node.broker.create_partitions(wanted, validate_only=request.validate_only)
    if not request.validate_only:
        for answer in answers:
            if answer.error_code == NONE:
                tell_change(call, node, f"added partitions to topic {quoted(answer.name)}")
    call.reply(
        CreatePartitionsResponse(
            results=[
                CreatePartitionsResponseResult(answer.name, answer.error_code, _message(answer))
                for answer in (*answers, *denied.values())
            ]
        )
    )


def _message(answer: TopicAnswer) -> str | None:
    """Kafka has nothing to say about a topic that is not there."""
    return None if answer.error_code == UNKNOWN_TOPIC_OR_PARTITION else answer.message
