"""DescribeGroups v0-6.

v3+: authorized operations when asked for. v4+: instance ids. v6+: an unknown group is GROUP_ID_NOT_FOUND with a text;
before that it is NONE with the state `Dead`.
"""

from __future__ import annotations

from muster.core.replies import DescribeReply
from muster.core.requests import DescribeGroup
from muster.runtime.node import Node
from muster.security.resources import Operation, ResourceType
from muster.server.call import Call
from muster.server.may import may_use_group, operations_on
from muster.server.parts import Parts
from muster.wire.errors import GROUP_AUTHORIZATION_FAILED, GROUP_ID_NOT_FOUND, NONE
from muster.wire.generated.describe_groups import (
    DescribeGroupsRequest,
    DescribeGroupsResponse,
    DescribeGroupsResponseGroup,
    DescribeGroupsResponseMember,
)

NO_OPERATIONS_SHOWN = -2147483648


def handle(call: Call, request: DescribeGroupsRequest, node: Node) -> None:
    show_operations = request.include_authorized_operations and call.version >= 3

    def lay_out(replies: list[DescribeReply]) -> DescribeGroupsResponse:
        return DescribeGroupsResponse(groups=[_entry(call, node, reply, show_operations) for reply in replies])

    parts: Parts[DescribeReply] = Parts(call, lay_out)
    for group_id in request.groups:
        if may_use_group(call, node, Operation.DESCRIBE, group_id):
            node.coordinator.submit(DescribeGroup(group_id), parts.ticket())
        else:
            parts.settled(DescribeReply(GROUP_AUTHORIZATION_FAILED, group_id))
    parts.seal()


def _entry(call: Call, node: Node, reply: DescribeReply, show_operations: bool) -> DescribeGroupsResponseGroup:
    error, message = reply.error, None
    if error == GROUP_ID_NOT_FOUND:
        if call.version >= 6:
            message = f"Group {reply.group_id} not found."
        else:
            error = NONE
    operations = NO_OPERATIONS_SHOWN
    if show_operations and error == NONE:
        operations = operations_on(call, node, ResourceType.GROUP, reply.group_id)
    return DescribeGroupsResponseGroup(
        error_code=error,
        error_message=message,
        group_id=reply.group_id,
        group_state=reply.state,
        protocol_type=reply.protocol_type,
        protocol_data=reply.protocol_name,
        members=[
            DescribeGroupsResponseMember(
                member_id=member.member_id,
                group_instance_id=member.group_instance_id,
                client_id=member.client_id,
                client_host=member.client_host,
                member_metadata=member.metadata,
                member_assignment=member.assignment,
            )
            for member in reply.members
        ],
        authorized_operations=operations,
    )
