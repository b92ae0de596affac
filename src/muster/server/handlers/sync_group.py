"""SyncGroup v0-5.

v3+: static members. v5+: protocol type and name must be there and fit; their absence is told before anything else is
looked at.
"""

from __future__ import annotations

from typing import Final

from muster.core.replies import SyncReply
from muster.core.requests import SyncGroup
from muster.runtime.node import Node
from muster.security.authorizer import AllowAll
from muster.security.resources import Operation
from muster.server.authorize import authorize_group
from muster.server.call import Call
from muster.wire.errors import GROUP_AUTHORIZATION_FAILED, INCONSISTENT_GROUP_PROTOCOL, NONE
from muster.wire.generated.sync_group import SyncGroupRequest, SyncGroupResponse

_READ: Final = Operation.READ


def handle(call: Call, request: SyncGroupRequest, node: Node) -> None:
    if call.version >= 5 and (request.protocol_type is None or request.protocol_name is None):
        call.reply(respond(call, SyncReply(INCONSISTENT_GROUP_PROTOCOL)))
        return
    if not authorize_group(call, node, _READ, request.group_id):
        call.reply(respond(call, SyncReply(GROUP_AUTHORIZATION_FAILED)))
        return
    call.respond = respond
    if type(node.authorizer) is not AllowAll:
        call.respond = lambda call, reply: respond_if_allowed(call, reply, node, request.group_id)
    if node.principal_usage is not None:
        node.principal_usage.seen(call.principal, request.group_id, request.member_id)
    node.coordinator.submit(
        SyncGroup(
            group_id=request.group_id,
            generation=request.generation_id,
            member_id=request.member_id,
            group_instance_id=request.group_instance_id,
            protocol_type=request.protocol_type,
            protocol_name=request.protocol_name,
            assignments=tuple((entry.member_id, entry.assignment) for entry in request.assignments),
        ),
        call,
    )


def respond_if_allowed(call: Call, reply: SyncReply, node: Node, group_id: str) -> SyncGroupResponse:
    """The request may have waited for the leader's assignments: it is answered with them only if the client may still read."""
    if reply.error == NONE and not authorize_group(call, node, _READ, group_id):
        reply = SyncReply(GROUP_AUTHORIZATION_FAILED)
    return respond(call, reply)


def respond(call: Call, reply: SyncReply) -> SyncGroupResponse:
    return SyncGroupResponse(
        error_code=reply.error,
        protocol_type=reply.protocol_type,
        protocol_name=reply.protocol_name,
        assignment=reply.assignment,
    )
