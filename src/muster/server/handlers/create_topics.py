"""CreateTopics (19), versions 2 to 7: new topics, or only the question whether they could be made.

v4+ -1 partitions or replicas takes the operator's default. v5+ the answer shows partitions, replicas and settings. v7+ topic ids.
"""

from __future__ import annotations

from typing import Final

from muster.runtime.node import Node
from muster.security.audit import quoted
from muster.security.resources import Operation
from muster.server.authorize import authorize_cluster, authorize_topic, tell_change
from muster.server.call import Call
from muster.server.throttle import QUOTA_EXCEEDED, Throttle
from muster.topics.creation import CreatedTopic, NewTopic
from muster.topics.topic import Topic
from muster.wire.errors import NONE, THROTTLING_QUOTA_EXCEEDED, TOPIC_AUTHORIZATION_FAILED
from muster.wire.generated.create_topics import (
    CreateTopicsRequest,
    CreateTopicsRequestTopic,
    CreateTopicsResponse,
    CreateTopicsResponseConfig,
    CreateTopicsResponseTopic,
)
from muster.wire.special_values import NO_TOPIC_ID

_CAN_BE_REFUSED: Final = 6
"""The first version whose clients know THROTTLING_QUOTA_EXCEEDED; the others only wait."""


def handle(call: Call, request: CreateTopicsRequest, node: Node) -> None:
    node.changes.request(call, lambda: _answer(call, request, node))


def _answer(call: Call, request: CreateTopicsRequest, node: Node) -> CreateTopicsResponse:
    everything = authorize_cluster(call, node, Operation.CREATE, quietly=True)
    allowed: list[NewTopic] = []
    denied: dict[str, None] = {}
    for topic in request.topics:
        if everything or authorize_topic(call, node, Operation.CREATE, topic.name):
            allowed.append(_new_topic(topic))
        else:
            denied[topic.name] = None
    exceeded: list[CreatedTopic] = []
    if call.connection.throttle is not None:
        allowed, exceeded = _within_quota(call, node, allowed, call.connection.throttle)
    made = [*node.broker.create_topics(allowed, validate_only=request.validate_only), *exceeded]
    if not request.validate_only:
        for answer in made:
            if answer.error_code == NONE:
                tell_change(call, node, f"created topic {quoted(answer.name)}")
    topics = [_laid_out(call, node, answer) for answer in made]
    topics += [
        CreateTopicsResponseTopic(name, NO_TOPIC_ID, TOPIC_AUTHORIZATION_FAILED, "Authorization failed.")
        for name in denied
    ]
    return CreateTopicsResponse(topics=topics)


def _within_quota(
    call: Call, node: Node, wanted: list[NewTopic], throttle: Throttle
) -> tuple[list[NewTopic], list[CreatedTopic]]:
    """KIP-599: what could be made counts for controller_mutation_rate, also if that is only asked; what is beyond it is not
    made."""
    exceeded: dict[str, CreatedTopic] = {}
    for answer in node.broker.create_topics(wanted, validate_only=True):
        is_counted = answer.error_code == NONE
        if is_counted and not throttle.may_change(call, answer.partitions, strictly=call.version >= _CAN_BE_REFUSED):
            exceeded[answer.name] = CreatedTopic(answer.name, THROTTLING_QUOTA_EXCEEDED, QUOTA_EXCEEDED)
    return [new for new in wanted if new.name not in exceeded], list(exceeded.values())


def _new_topic(topic: CreateTopicsRequestTopic) -> NewTopic:
    return NewTopic(
        topic.name,
        topic.num_partitions,
        topic.replication_factor,
        [(assignment.partition_index, assignment.broker_ids) for assignment in topic.assignments],
        [(config.name, config.value) for config in topic.configs],
    )


def _laid_out(call: Call, node: Node, answer: CreatedTopic) -> CreateTopicsResponseTopic:
    topic = answer.topic
    if answer.error_code != NONE or topic is None:
        return CreateTopicsResponseTopic(answer.name, NO_TOPIC_ID, answer.error_code, answer.message)
    # Also of a topic that was only validated: Kafka shows the id that it would have had.
    response = CreateTopicsResponseTopic(answer.name, topic.topic_id, NONE, answer.message)
    if not authorize_topic(call, node, Operation.DESCRIBE_CONFIGS, answer.name, quietly=True):
        # KIP-525: made, but its settings are not shown to somebody who may not see them.
        response.topic_config_error_code = TOPIC_AUTHORIZATION_FAILED
        response.configs = None
        return response
    response.num_partitions = answer.partitions
    response.replication_factor = answer.replication_factor
    response.configs = _configs(node, topic)
    return response


def _configs(node: Node, topic: Topic) -> list[CreateTopicsResponseConfig]:
    return [
        CreateTopicsResponseConfig(entry.name, entry.value, False, entry.source, False)
        for entry in node.broker.defaults.describe(topic.overrides)
    ]
