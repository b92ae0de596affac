"""DeleteTopics (20), versions 1 to 6: by name, and from v6 on by name or id. v5+ says why not.

The coordinator hears of what is gone: committed offsets of deleted topics go with them.
"""

from __future__ import annotations

from typing import Final

from muster.runtime.node import Node
from muster.security.audit import quoted
from muster.security.resources import Operation
from muster.server.authorize import authorize_cluster, authorize_topic, tell_change
from muster.server.call import Call
from muster.server.throttle import QUOTA_EXCEEDED, Throttle
from muster.topics.deletion import DeletedTopic
from muster.topics.topic import Topic
from muster.wire.errors import (
    INVALID_REQUEST,
    NONE,
    THROTTLING_QUOTA_EXCEEDED,
    TOPIC_AUTHORIZATION_FAILED,
    TOPIC_DELETION_DISABLED,
)
from muster.wire.generated.delete_topics import (
    DeleteTopicsRequest,
    DeleteTopicsResponse,
    DeleteTopicsResponseTopic,
)
from muster.wire.special_values import NO_TOPIC_ID

Reference = tuple[str | None, bytes]
_CAN_BE_REFUSED: Final = 5
"""The first version whose clients know THROTTLING_QUOTA_EXCEEDED; the others only wait."""


def handle(call: Call, request: DeleteTopicsRequest, node: Node) -> None:
    node.changes.request(call, lambda: _answer(call, request, node))


def _answer(call: Call, request: DeleteTopicsRequest, node: Node) -> DeleteTopicsResponse:
    references: list[Reference]
    if call.version >= 6:
        references = [(topic.name, topic.topic_id) for topic in request.topics]
    else:
        references = [(name, NO_TOPIC_ID) for name in request.topic_names]
    everything = authorize_cluster(call, node, Operation.DELETE, quietly=True)
    denied = [None if everything else _denial(call, node, reference) for reference in references]
    if call.connection.throttle is not None:
        denied = [
            answer or _beyond_quota(call, node, reference, call.connection.throttle)
            for reference, answer in zip(references, denied, strict=True)
        ]
    allowed = [reference for reference, answer in zip(references, denied, strict=True) if answer is None]
    deleted = node.broker.delete_topics(allowed)
    gone = frozenset(answer.name for answer in deleted if answer.error_code == NONE and answer.name is not None)
    for name in sorted(gone):
        tell_change(call, node, f"deleted topic {quoted(name)}")
    if gone:
        node.tell_topics_deleted(gone, [log for answer in deleted for log in answer.logs])
    answers = iter(deleted)
    return DeleteTopicsResponse(responses=[_laid_out(call, answer or next(answers)) for answer in denied])


def _find(node: Node, reference: Reference) -> Topic | None:
    name, topic_id = reference
    return node.broker.topic(name) if name is not None else node.broker.catalog.by_id(topic_id)


def _denial(call: Call, node: Node, reference: Reference) -> DeletedTopic | None:
    """A client that may not see the topic is told only what it named itself: neither the name of an id nor the id of a name."""
    topic = _find(node, reference)
    name = topic.name if topic is not None else reference[0]
    if name is None or authorize_topic(call, node, Operation.DELETE, name):
        return None
    is_seen = reference[0] is None and authorize_topic(call, node, Operation.DESCRIBE, name, quietly=True)
    shown = (name, reference[1]) if is_seen else reference
    return DeletedTopic(*shown, TOPIC_AUTHORIZATION_FAILED, "Topic authorization failed.")


def _beyond_quota(call: Call, node: Node, reference: Reference, throttle: Throttle) -> DeletedTopic | None:
    """KIP-599: partitions that go count for controller_mutation_rate."""
    topic = _find(node, reference)
    if topic is None or throttle.may_change(call, len(topic.partitions), strictly=call.version >= _CAN_BE_REFUSED):
        return None
    return DeletedTopic(*reference, THROTTLING_QUOTA_EXCEEDED, QUOTA_EXCEEDED)


def _laid_out(call: Call, answer: DeletedTopic) -> DeleteTopicsResponseTopic:
    error = answer.error_code
    # A disabled deletion has its own code from v3 on; there is none older that says it, and v1-2 know INVALID_REQUEST.
    if error == TOPIC_DELETION_DISABLED and call.version < 3:
        error = INVALID_REQUEST
    name = answer.name if answer.name is not None or call.version >= 6 else ""
    return DeleteTopicsResponseTopic(name, answer.topic_id, error, answer.message)
