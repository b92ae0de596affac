"""Heartbeat v0-4. v3+: static members. The request that comes most often: nothing here that is not needed."""

from __future__ import annotations

from typing import Final

from muster.core.replies import HeartbeatReply
from muster.core.requests import Heartbeat
from muster.runtime.node import Node
from muster.security.resources import Operation, ResourceType
from muster.server.authorize import authorize_group
from muster.server.call import Call
from muster.server.intake.repeated_request import RepeatedRequest
from muster.wire.errors import GROUP_AUTHORIZATION_FAILED, NONE
from muster.wire.generated.heartbeat import HeartbeatRequest, HeartbeatResponse

_READ: Final = Operation.READ


def handle(call: Call, request: HeartbeatRequest, node: Node) -> None:
    if not authorize_group(call, node, _READ, request.group_id):
        call.reply(HeartbeatResponse(0, GROUP_AUTHORIZATION_FAILED))
        return
    call.respond = respond
    node.coordinator.submit(_asked(request), call)


def learn(
    repeated: RepeatedRequest, call: Call, request: HeartbeatRequest, node: Node, payload: bytes, _body_at: int
) -> None:
    """A heartbeat repeats as it is: no number in it changes. It is not kept if it is refused, or will be soon."""
    token = node.coordinator.session_token(_asked(request))
    if token is not None:
        reads = [(ResourceType.GROUP, request.group_id)]
        repeated.keep(call, node, payload, reads, HeartbeatResponse(0, NONE), token)


def _asked(request: HeartbeatRequest) -> Heartbeat:
    return Heartbeat(request.group_id, request.generation_id, request.member_id, request.group_instance_id)


def respond(call: Call, reply: HeartbeatReply) -> HeartbeatResponse:
    return HeartbeatResponse(0, reply.error)
