"""ListGroups v0-5. v4+: filter by state, states shown. v5+: filter by type, types shown. Missing rights hide groups,
they are no error.
"""

from __future__ import annotations

from muster.core.replies import ListReply
from muster.core.requests import ListGroups
from muster.runtime.node import Node
from muster.security.resources import Operation
from muster.server.call import Call
from muster.server.may import may_use_cluster, may_use_group
from muster.server.parts import Parts
from muster.wire.errors import NONE
from muster.wire.generated.list_groups import ListGroupsRequest, ListGroupsResponse, ListGroupsResponseGroup


def handle(call: Call, request: ListGroupsRequest, node: Node) -> None:
    sees_all = may_use_cluster(call, node, Operation.DESCRIBE, quietly=True)

    def lay_out(replies: list[ListReply]) -> ListGroupsResponse:
        failed = next((reply.error for reply in replies if reply.error != NONE), NONE)
        if failed != NONE:
            # Half a list would look like groups that are gone.
            return ListGroupsResponse(error_code=failed)
        return ListGroupsResponse(
            groups=[
                ListGroupsResponseGroup(group.group_id, group.protocol_type, group.state, group.group_type)
                for reply in replies
                for group in reply.groups
                if sees_all or may_use_group(call, node, Operation.DESCRIBE, group.group_id, quietly=True)
            ]
        )

    parts: Parts[ListReply] = Parts(call, lay_out)
    question = ListGroups(tuple(request.states_filter), tuple(request.types_filter))
    error = node.coordinator.list_groups(question, parts.ticket)
    if error != NONE:
        call.reply(ListGroupsResponse(error_code=error))
        return
    parts.seal()
