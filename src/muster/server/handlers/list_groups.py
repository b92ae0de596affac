"""ListGroups v0-5. v4+: filter by state, states shown. v5+: filter by type, types shown. Missing rights hide groups,
they are no error.
"""

from __future__ import annotations

from typing import Final

from mypy_extensions import i64

from muster.core.replies import ListReply
from muster.core.requests import ListGroups
from muster.runtime.node import Node
from muster.security.resources import Operation
from muster.server.authorize import authorize_cluster, authorize_group
from muster.server.call import Call
from muster.server.parts import Parts
from muster.server.reply_size import check_reply_bytes
from muster.wire.errors import NONE
from muster.wire.generated.list_groups import ListGroupsRequest, ListGroupsResponse
from muster.wire.generated.list_groups_native import write_response_group
from muster.wire.message import raw_items
from muster.wire.native import begun, finished

_DESCRIBE: Final = Operation.DESCRIBE


class ListGroupsQuery:
    """What the answer needs to know of the request."""

    __slots__ = ("call", "node", "sees_all")

    def __init__(self, call: Call, node: Node) -> None:
        self.call = call
        self.node = node
        self.sees_all = authorize_cluster(call, node, _DESCRIBE, quietly=True)

    def lay_out(self, replies: list[ListReply]) -> ListGroupsResponse:
        out = begun()
        version: i64 = self.call.version
        shown = 0
        for reply in replies:
            if reply.error != NONE:
                # Half a list would look like groups that are gone.
                return ListGroupsResponse(error_code=reply.error)
            for group in reply.groups:
                if self.sees_all or authorize_group(self.call, self.node, _DESCRIBE, group.group_id, quietly=True):
                    shown += 1
                    write_response_group(
                        out, version, group.group_id, group.protocol_type, group.state, group.group_type
                    )
            check_reply_bytes(len(out))
        return ListGroupsResponse(groups=raw_items(shown, finished(out)))


def handle(call: Call, request: ListGroupsRequest, node: Node) -> None:
    parts: Parts[ListReply] = Parts(call, ListGroupsQuery(call, node).lay_out)
    asked = ListGroups(tuple(request.states_filter), tuple(request.types_filter))
    error = node.coordinator.list_groups(asked, parts.ticket)
    if error != NONE:
        call.reply(ListGroupsResponse(error_code=error))
        return
    parts.seal()
