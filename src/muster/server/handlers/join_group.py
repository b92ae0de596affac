"""JoinGroup v0-9.

v0 has no rebalance timeout: the session timeout counts for both. v4+: a new dynamic member first gets its id
(KIP-394). v5+: static members (KIP-345). v7+: protocol type in the answer, and the protocol name may be null. v8+:
the client's reason. v9+: skip-assignment (KIP-814).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from muster.core.replies import JoinReply
from muster.core.requests import JoinGroup
from muster.runtime.node import Node
from muster.security.authorizer import AllowAll
from muster.security.resources import Operation
from muster.server.authorize import authorize_group
from muster.server.call import Call
from muster.wire.errors import GROUP_AUTHORIZATION_FAILED, MEMBER_ID_REQUIRED, NONE
from muster.wire.generated.join_group import JoinGroupRequest, JoinGroupResponse, JoinGroupResponseMember

if TYPE_CHECKING:
    from muster.runtime.principal_usage import PrincipalUsage

_READ: Final = Operation.READ


def handle(call: Call, request: JoinGroupRequest, node: Node) -> None:
    if not authorize_group(call, node, _READ, request.group_id):
        call.reply(respond(call, JoinReply(GROUP_AUTHORIZATION_FAILED, member_id="")))
        return
    version = call.version
    call.respond = _responder(node, request.group_id)
    if node.principal_usage is not None:
        error = _claim(call, request, node.principal_usage)
        if error:
            call.reply(respond(call, JoinReply(error, request.member_id)))
            return
    node.coordinator.submit(
        JoinGroup(
            group_id=request.group_id,
            member_id=request.member_id,
            group_instance_id=request.group_instance_id,
            client_id=call.client_id or "",
            client_host=call.host,
            session_timeout_ms=request.session_timeout_ms,
            rebalance_timeout_ms=request.rebalance_timeout_ms if version >= 1 else request.session_timeout_ms,
            protocol_type=request.protocol_type,
            protocols=tuple((protocol.name, protocol.metadata) for protocol in request.protocols),
            reason=request.reason,
            requires_known_member_id=version >= 4,
            supports_skip_assignment=version >= 9,
        ),
        call,
    )
    if node.principal_usage is not None and not call.answered:
        node.principal_usage.parked(call.principal, call, is_new=not request.member_id)


def _claim(call: Call, request: JoinGroupRequest, usage: PrincipalUsage) -> int:
    """Limits of its principal: NONE, or the error that refuses the join."""
    error = usage.why_no_join(call.principal, request.group_id, request.member_id, request.group_instance_id)
    if not error:
        then = call.respond
        call.respond = lambda call, reply: _count_and_respond(call, reply, request.group_id, usage, then)
    return error


def _count_and_respond(
    call: Call, reply: JoinReply, group_id: str, usage: PrincipalUsage, then: Callable[[Call, Any], object] | None
) -> object:
    if reply.error in (NONE, MEMBER_ID_REQUIRED):
        usage.answered(call.principal, group_id, reply.member_id, call)
    assert then is not None
    return then(call, reply)


def _responder(node: Node, group_id: str) -> Callable[[Call, Any], object]:
    if type(node.authorizer) is AllowAll:
        return respond
    return lambda call, reply: respond_if_allowed(call, reply, node, group_id)


def respond_if_allowed(call: Call, reply: JoinReply, node: Node, group_id: str) -> JoinGroupResponse:
    """The join may have waited for minutes: members and their subscriptions are told only to somebody who may still read.

    Not so an authentication that expired meanwhile: a client cannot renew it while its join waits, and Kafka answers it.
    """
    if reply.error == NONE and not authorize_group(call, node, _READ, group_id):
        reply = JoinReply(GROUP_AUTHORIZATION_FAILED, reply.member_id)
    return respond(call, reply)


def respond(call: Call, reply: JoinReply) -> JoinGroupResponse:
    name = reply.protocol_name or None
    return JoinGroupResponse(
        error_code=reply.error,
        generation_id=reply.generation,
        protocol_type=reply.protocol_type,
        protocol_name=name if call.version >= 7 else name or "",
        leader=reply.leader,
        skip_assignment=reply.skip_assignment,
        member_id=reply.member_id,
        members=[
            JoinGroupResponseMember(member.member_id, member.group_instance_id, member.metadata)
            for member in reply.members
        ],
    )
