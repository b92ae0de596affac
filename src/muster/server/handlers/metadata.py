"""Metadata (3), versions 0 to 13: the cluster as a client needs to see it.

v0: an empty list asks for all topics; v1+: null does, and an empty list for none. v4+ says whether topics may be created.
v8+ authorized operations (those of the cluster up to v10). v10 topic ids in the answer, v12+ in the question. v13 an error for
the whole answer. Asking for a topic that does not exist makes it, if the operator and the client allow it.

Deviates: one request makes 20 topics at most (`TOPICS_CREATED_AT_ONCE`). The others are unknown to it, so the client asks again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from muster.log.contract import NOBODY
from muster.runtime.node import Node
from muster.security.resources import CLUSTER_NAME, Operation, ResourceType
from muster.server.authorize import authorize_cluster, authorize_topic, operations_on
from muster.server.brokers import controller_id, live_brokers, send_away_if_lost
from muster.server.call import Call
from muster.server.limits import TOPICS_CREATED_AT_ONCE
from muster.topics.names import INTERNAL_TOPICS, check_name, is_name
from muster.topics.refusal import TopicError
from muster.topics.topic import Partition, Topic
from muster.wire.errors import (
    INVALID_REQUEST,
    LEADER_NOT_AVAILABLE,
    NONE,
    TOPIC_AUTHORIZATION_FAILED,
    UNKNOWN_TOPIC_ID,
    UNKNOWN_TOPIC_OR_PARTITION,
)
from muster.wire.generated.metadata import (
    MetadataRequest,
    MetadataRequestTopic,
    MetadataResponse,
    MetadataResponseBroker,
    MetadataResponsePartition,
    MetadataResponseTopic,
)
from muster.wire.special_values import NO_TOPIC_ID

NOT_ASKED = -2147483648
"""Authorized operations that nobody asked for."""


def handle(call: Call, request: MetadataRequest, node: Node) -> None:
    send_away_if_lost(call, node)
    if _asks_the_impossible(call, request):
        call.reply(_refused(request))
        return
    if _may_make_topics(call, request, node):
        node.changes.request(call, lambda: _answer(call, request, node))
    else:
        call.reply(_answer(call, request, node))


def _may_make_topics(call: Call, request: MetadataRequest, node: Node) -> bool:
    """Whether it has to wait its turn behind other changes, and for a database. Whatever makes no topic is answered at once."""
    if not request.allow_auto_topic_creation or not node.broker.config.auto_create_topics:
        return False
    return any(
        topic.topic_id == NO_TOPIC_ID and topic.name is not None and _may_be_made(call, node, topic.name)
        for topic in request.topics or ()
    )


def _may_be_made(call: Call, node: Node, name: str) -> bool:
    if node.broker.topic(name) is not None or name in INTERNAL_TOPICS or not is_name(name):
        return False
    return authorize_topic(call, node, Operation.DESCRIBE, name, quietly=True) and _may_create(
        call, node, name, quietly=True
    )


def _answer(call: Call, request: MetadataRequest, node: Node) -> MetadataResponse:
    return MetadataResponse(
        brokers=[MetadataResponseBroker(*broker) for broker in live_brokers(call, node)],
        cluster_id=node.broker.cluster_id,
        controller_id=controller_id(node),
        topics=list(_topics(call, request, node)),
        cluster_authorized_operations=_cluster_operations(call, request, node),
    )


def _asks_the_impossible(call: Call, request: MetadataRequest) -> bool:
    """Kafka: before v12 a topic must be asked for by name, and an id may not be given."""
    for topic in request.topics or ():
        if topic.name is None and (call.version < 12 or topic.topic_id == NO_TOPIC_ID):
            return True
        if topic.topic_id != NO_TOPIC_ID and call.version < 12:
            return True
    return False


def _refused(request: MetadataRequest) -> MetadataResponse:
    return MetadataResponse(
        topics=[
            MetadataResponseTopic(INVALID_REQUEST, topic.name or "", topic.topic_id) for topic in request.topics or ()
        ],
        error_code=INVALID_REQUEST,
    )


def _topics(call: Call, request: MetadataRequest, node: Node) -> Iterable[MetadataResponseTopic]:
    if request.topics is None or (call.version == 0 and not request.topics):
        return [
            _described(call, request, node, topic)
            for topic in node.broker.catalog.topics()
            if authorize_topic(call, node, Operation.DESCRIBE, topic.name, quietly=True)
        ]
    # Each once, however often it is named.
    asked: dict[str | bytes | None, MetadataRequestTopic] = {}
    for topic in request.topics:
        asked.setdefault(topic.name if topic.topic_id == NO_TOPIC_ID else topic.topic_id, topic)
    new_topics = iter(range(TOPICS_CREATED_AT_ONCE))
    return [_one(call, request, node, topic, new_topics) for topic in asked.values()]


def _one(
    call: Call, request: MetadataRequest, node: Node, asked: MetadataRequestTopic, new_topics: Iterator[int]
) -> MetadataResponseTopic:
    """`new_topics` ends when no more topics may be made for this request."""
    if asked.topic_id != NO_TOPIC_ID:
        return _by_id(call, request, node, asked.topic_id)
    name = asked.name
    assert name is not None
    topic = node.broker.topic(name)
    if not authorize_topic(call, node, Operation.DESCRIBE, name):
        return _failed(TOPIC_AUTHORIZATION_FAILED, name)
    if topic is not None:
        return _described(call, request, node, topic)
    may_be_made = request.allow_auto_topic_creation and node.broker.config.auto_create_topics
    try:
        check_name(name)
        if not may_be_made:
            raise TopicError(UNKNOWN_TOPIC_OR_PARTITION)
        if not _may_create(call, node, name):
            raise TopicError(TOPIC_AUTHORIZATION_FAILED)
        throttle = call.connection.throttle
        if throttle is not None and not throttle.may_change(call, node.broker.config.num_partitions, strictly=True):
            raise TopicError(UNKNOWN_TOPIC_OR_PARTITION)  # as of a topic that is not there yet: the client asks again
        if next(new_topics, None) is None:
            raise TopicError(UNKNOWN_TOPIC_OR_PARTITION)
        return _described(call, request, node, node.broker.auto_create(name))
    except TopicError as refused:
        return _failed(refused.code, name)


def _may_create(call: Call, node: Node, name: str, *, quietly: bool = False) -> bool:
    return authorize_cluster(call, node, Operation.CREATE, quietly=True) or authorize_topic(
        call, node, Operation.CREATE, name, quietly=quietly
    )


def _by_id(call: Call, request: MetadataRequest, node: Node, topic_id: bytes) -> MetadataResponseTopic:
    topic = node.broker.catalog.by_id(topic_id)
    if topic is None:
        return MetadataResponseTopic(UNKNOWN_TOPIC_ID, None, topic_id)
    if not authorize_topic(call, node, Operation.DESCRIBE, topic.name):
        # The name is not told to somebody who may not see it.
        return MetadataResponseTopic(TOPIC_AUTHORIZATION_FAILED, None, topic_id)
    return _described(call, request, node, topic)


def _failed(error: int, name: str) -> MetadataResponseTopic:
    return MetadataResponseTopic(error, name, is_internal=name in INTERNAL_TOPICS)


def _described(call: Call, request: MetadataRequest, node: Node, topic: Topic) -> MetadataResponseTopic:
    operations = NOT_ASKED
    if request.include_topic_authorized_operations:
        operations = operations_on(call, node, ResourceType.TOPIC, topic.name)
    return MetadataResponseTopic(
        NONE,
        topic.name,
        topic.topic_id,
        topic.internal,
        [_partition(partition) for partition in topic.partitions],
        operations,
    )


def _partition(partition: Partition) -> MetadataResponsePartition:
    """In a cluster the store keeps the copies: the leader is shown as the only replica."""
    leader_id = partition.leader_id
    if leader_id == NOBODY:
        return MetadataResponsePartition(
            LEADER_NOT_AVAILABLE, partition.index, NOBODY, max(0, partition.leader_epoch), [], []
        )
    return MetadataResponsePartition(NONE, partition.index, leader_id, partition.leader_epoch, [leader_id], [leader_id])


def _cluster_operations(call: Call, request: MetadataRequest, node: Node) -> int:
    if not request.include_cluster_authorized_operations:
        return NOT_ASKED
    if not authorize_cluster(call, node, Operation.DESCRIBE, quietly=True):
        return 0
    return operations_on(call, node, ResourceType.CLUSTER, CLUSTER_NAME)
