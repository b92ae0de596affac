"""Heartbeat v0-4. v3+: static members. The request that comes most often: nothing here that is not needed."""

from __future__ import annotations

from typing import Final

from muster.core.replies import HeartbeatReply
from muster.core.requests import Heartbeat
from muster.runtime.node import Node
from muster.security.authorizer import AllowAll
from muster.security.resources import Operation
from muster.server.call import Call
from muster.server.intake.standing_beat import StandingBeat
from muster.server.may import may_use_group
from muster.wire.errors import GROUP_AUTHORIZATION_FAILED, NONE
from muster.wire.generated.heartbeat import HeartbeatRequest, HeartbeatResponse

_READ: Final = Operation.READ
_ALIVE: Final = HeartbeatResponse(0, NONE)
"""One for everybody: its bytes are kept with the route."""


def handle(call: Call, request: HeartbeatRequest, node: Node) -> None:
    if not may_use_group(call, node, _READ, request.group_id):
        call.reply(HeartbeatResponse(0, GROUP_AUTHORIZATION_FAILED))
        return
    call.respond = respond
    node.coordinator.submit(_asked(request), call)


def expect(call: Call, request: HeartbeatRequest, node: Node) -> StandingBeat | None:
    """For the next ones like this one, which came again and was answered at once: if it was told that all is well."""
    token = node.coordinator.session_token(_asked(request)) if call.route.last_response is _ALIVE else None
    if token is None:
        return None
    authorizer = None if type(node.authorizer) is AllowAll else node.authorizer
    return StandingBeat(token, authorizer, call.principal, call.host, request.group_id)


def _asked(request: HeartbeatRequest) -> Heartbeat:
    return Heartbeat(request.group_id, request.generation_id, request.member_id, request.group_instance_id)


def respond(call: Call, reply: HeartbeatReply) -> HeartbeatResponse:
    return _ALIVE if reply.error == NONE else HeartbeatResponse(0, reply.error)
