"""ConsumerGroupHeartbeat v0-1 (KIP-848). v1+: subscription by regular expression; the client makes its own member id (KIP-1082)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from muster.core.consumer.records import Target
from muster.core.consumer.replies import ConsumerHeartbeatReply
from muster.core.consumer.requests import ConsumerHeartbeat
from muster.core.consumer.states import JOIN_EPOCH
from muster.runtime.node import Node
from muster.security.authorizer import AllowAll
from muster.security.resources import Operation, ResourceType
from muster.server.authorize import authorize_group, authorize_topic
from muster.server.call import Call
from muster.server.intake.repeated_request import RepeatedRequest
from muster.server.settings import serves_consumer_groups
from muster.wire.errors import GROUP_AUTHORIZATION_FAILED, NONE, TOPIC_AUTHORIZATION_FAILED, UNSUPPORTED_VERSION
from muster.wire.generated.consumer_group_heartbeat import (
    ConsumerGroupHeartbeatRequest,
    ConsumerGroupHeartbeatRequestTopicPartition,
    ConsumerGroupHeartbeatResponse,
    ConsumerGroupHeartbeatResponseAssignment,
    ConsumerGroupHeartbeatResponseTopicPartition,
)

if TYPE_CHECKING:
    from muster.runtime.principal_usage import PrincipalUsage

_DESCRIBE: Final = Operation.DESCRIBE
_MAKES_OWN_ID_SINCE: Final = 1


def handle(call: Call, request: ConsumerGroupHeartbeatRequest, node: Node) -> None:
    if not serves_consumer_groups(node):
        call.reply(ConsumerGroupHeartbeatResponse(error_code=UNSUPPORTED_VERSION))
        return
    error = _denial(call, request, node)
    if error:
        call.reply(ConsumerGroupHeartbeatResponse(error_code=error))
        return
    call.respond = respond
    if node.principal_usage is not None and request.member_epoch == JOIN_EPOCH:
        error = _claim(call, request, node.principal_usage)
        if error:
            call.reply(ConsumerGroupHeartbeatResponse(error_code=error))
            return
    node.coordinator.submit(_asked(call, request, node), call)


def learn(
    repeated: RepeatedRequest,
    call: Call,
    request: ConsumerGroupHeartbeatRequest,
    node: Node,
    payload: bytes,
    _body_at: int,
) -> None:
    """A heartbeat of a member that has arrived at its target repeats as it is. Not kept if the next answer may be another one."""
    asked = _asked(call, request, node)
    token = None if asked.topic_names is not None else node.coordinator.session_token(asked)
    if token is None:
        return
    interval_ms = node.coordinator.times.of(request.group_id).heartbeat_interval_ms
    response = ConsumerGroupHeartbeatResponse(0, NONE, None, request.member_id, request.member_epoch, interval_ms, None)
    reads = [(ResourceType.GROUP, request.group_id)]
    repeated.keep(call, node, payload, reads, response, token)


def _claim(call: Call, request: ConsumerGroupHeartbeatRequest, usage: PrincipalUsage) -> int:
    """Limits of its principal: NONE, or the error that refuses the join."""
    group_id = request.group_id

    def count_and_respond(call: Call, reply: ConsumerHeartbeatReply) -> ConsumerGroupHeartbeatResponse:
        if reply.error == NONE and reply.member_id is not None:
            usage.answered(call.principal, group_id, reply.member_id, call)
        return respond(call, reply)

    call.respond = count_and_respond
    return usage.why_no_consumer(call.principal, group_id, request.member_id, request.instance_id)


def _denial(call: Call, request: ConsumerGroupHeartbeatRequest, node: Node) -> int:
    if not authorize_group(call, node, Operation.READ, request.group_id):
        return GROUP_AUTHORIZATION_FAILED
    for name in request.subscribed_topic_names or ():
        if not authorize_topic(call, node, _DESCRIBE, name):
            return TOPIC_AUTHORIZATION_FAILED
    return NONE


def _asked(call: Call, request: ConsumerGroupHeartbeatRequest, node: Node) -> ConsumerHeartbeat:
    names = request.subscribed_topic_names
    owned = request.topic_partitions
    return ConsumerHeartbeat(
        group_id=request.group_id,
        member_id=request.member_id,
        member_epoch=request.member_epoch,
        instance_id=request.instance_id,
        rack_id=request.rack_id,
        rebalance_timeout_ms=request.rebalance_timeout_ms,
        topic_names=None if names is None else tuple(names),
        topic_regex=request.subscribed_topic_regex,
        server_assignor=request.server_assignor,
        owned=None if owned is None else {each.topic_id: _numbers(each) for each in owned},
        client_id=call.client_id or "",
        client_host=call.host,
        makes_own_id=call.version >= _MAKES_OWN_ID_SINCE,
        sees_topic=_sees_topic(call, node),
    )


def _numbers(entry: ConsumerGroupHeartbeatRequestTopicPartition) -> tuple[int, ...]:
    return tuple(entry.partitions)


def _sees_topic(call: Call, node: Node) -> Callable[[str], bool] | None:
    """A regular expression shows no topic that the client may not see; it is resolved after the answer (spec 12)."""
    authorizer, principal, host = node.authorizer, call.principal, call.host
    if type(authorizer) is AllowAll:
        return None
    return lambda name: authorizer.allows(principal, host, _DESCRIBE, ResourceType.TOPIC, name)


def respond(call: Call, reply: ConsumerHeartbeatReply) -> ConsumerGroupHeartbeatResponse:
    return ConsumerGroupHeartbeatResponse(
        0,
        reply.error,
        reply.message,
        reply.member_id,
        reply.member_epoch,
        reply.interval_ms,
        None if reply.assignment is None else _assignment(reply.assignment),
    )


def _assignment(assignment: Target) -> ConsumerGroupHeartbeatResponseAssignment:
    return ConsumerGroupHeartbeatResponseAssignment(
        [
            ConsumerGroupHeartbeatResponseTopicPartition(topic_id, partitions)
            for topic_id, partitions in assignment.items()
        ]
    )
