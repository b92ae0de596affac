"""DeleteGroups v0-2. An id that is asked twice is answered once."""

from __future__ import annotations

from muster.core.replies import DeleteReply
from muster.core.requests import DeleteGroup
from muster.runtime.node import Node
from muster.security.audit import quoted
from muster.security.resources import Operation
from muster.server.authorize import authorize_group, tell_change
from muster.server.call import Call
from muster.server.parts import Parts
from muster.wire.errors import GROUP_AUTHORIZATION_FAILED, NONE
from muster.wire.generated.delete_groups import DeleteGroupsRequest, DeleteGroupsResponse, DeleteGroupsResponseResult


def handle(call: Call, request: DeleteGroupsRequest, node: Node) -> None:
    group_ids = list(dict.fromkeys(request.groups_names))

    def lay_out(replies: list[DeleteReply]) -> DeleteGroupsResponse:
        for group_id, reply in zip(group_ids, replies, strict=True):
            if reply.error == NONE:
                tell_change(call, node, f"deleted group {quoted(group_id)}")
        return DeleteGroupsResponse(
            results=[
                DeleteGroupsResponseResult(group_id, reply.error)
                for group_id, reply in zip(group_ids, replies, strict=True)
            ]
        )

    parts: Parts[DeleteReply] = Parts(call, lay_out)
    for group_id in group_ids:
        if authorize_group(call, node, Operation.DELETE, group_id):
            node.coordinator.submit(DeleteGroup(group_id), parts.ticket())
        else:
            parts.settled(DeleteReply(GROUP_AUTHORIZATION_FAILED))
    parts.seal()
