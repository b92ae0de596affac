"""LeaveGroup v0-5.

v0-2 name one member, and its error is the answer's error. v3+: a list of members, each with an error of its own. v5+:
reasons.
"""

from __future__ import annotations

from muster.core.replies import LeaveReply
from muster.core.requests import LeaveGroup, LeavingMember
from muster.runtime.node import Node
from muster.security.resources import Operation
from muster.server.authorize import authorize_group
from muster.server.call import Call
from muster.server.outside_changes import of_others, tell_removals
from muster.wire.errors import GROUP_AUTHORIZATION_FAILED, NONE
from muster.wire.generated.leave_group import LeaveGroupRequest, LeaveGroupResponse, LeaveGroupResponseMember


def handle(call: Call, request: LeaveGroupRequest, node: Node) -> None:
    if not authorize_group(call, node, Operation.READ, request.group_id):
        call.reply(LeaveGroupResponse(error_code=GROUP_AUTHORIZATION_FAILED))
        return
    if call.version >= 3:
        members = tuple(
            LeavingMember(member.member_id, member.group_instance_id, member.reason) for member in request.members
        )
    else:
        members = (LeavingMember(request.member_id, None, None),)
    others = of_others(call, node, request.group_id, members)
    if not others:
        call.respond = respond
    else:

        def tell_and_respond(call: Call, reply: LeaveReply) -> LeaveGroupResponse:
            if reply.error == NONE:
                tell_removals(call, node, request.group_id, reply, others)
            return respond(call, reply)

        call.respond = tell_and_respond
    node.coordinator.submit(LeaveGroup(request.group_id, members), call)


def respond(call: Call, reply: LeaveReply) -> LeaveGroupResponse:
    if call.version >= 3:
        members = [LeaveGroupResponseMember(member, instance, error) for member, instance, error in reply.members]
        return LeaveGroupResponse(error_code=reply.error, members=members)
    error = reply.error
    if error == NONE and reply.members:
        error = reply.members[0][2]
    return LeaveGroupResponse(error_code=error)
