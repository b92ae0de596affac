"""DescribeGroups v0-6.

v3+: authorized operations when asked for. v4+: instance ids. v6+: an unknown group is GROUP_ID_NOT_FOUND with a text;
before that it is NONE with the state `Dead`.

A group that is listed several times is looked for once, and told as often. Deviates: not without end (`Repeats`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from librt.strings import BytesWriter
from mypy_extensions import mypyc_attr

from muster.core.replies import DescribeReply
from muster.core.requests import DescribeGroup
from muster.runtime.node import Node
from muster.security.resources import Operation, ResourceType
from muster.server.authorize import authorize_group, operations_on
from muster.server.call import Call
from muster.server.parts import Parts
from muster.server.reply_size import Repeats, check_reply_bytes
from muster.wire.errors import GROUP_AUTHORIZATION_FAILED, GROUP_ID_NOT_FOUND, NONE
from muster.wire.generated.describe_groups import (
    DescribeGroupsRequest,
    DescribeGroupsResponse,
    DescribeGroupsResponseGroup,
)
from muster.wire.generated.describe_groups_native import write_response_member
from muster.wire.message import raw_items

NO_OPERATIONS_SHOWN: Final = -2147483648
_DESCRIBE: Final = Operation.DESCRIBE
_ENTRY_BYTES: Final = 100
"""Names, states and sizes of a group or member, about."""


@mypyc_attr(acyclic=True)
class LaidOutMembers:
    """The members of a reply as bytes. Kept with the reply, which the core gives again as long as it is true."""

    __slots__ = ("items", "layout")

    def __init__(self, layout: int, items: Any) -> None:
        self.layout = layout
        """The first version that has it."""
        self.items = items


class DescribeGroupsQuery:
    """What the answer needs to know of the request."""

    __slots__ = ("call", "groups", "node", "show_operations")

    def __init__(self, call: Call, node: Node, groups: Sequence[str], show_operations: bool) -> None:
        self.call = call
        self.groups = groups
        self.node = node
        self.show_operations = show_operations

    def lay_out(self, replies: list[DescribeReply]) -> DescribeGroupsResponse:
        """An entry for each group as it was asked; each reply is of another group."""
        entries: list[DescribeGroupsResponseGroup] = []
        found = {reply.group_id: reply for reply in replies}
        told: set[str] = set()
        repeats = Repeats()
        size = 0
        for group_id in self.groups:
            reply = found[group_id]
            size_here = reply_bytes(reply)
            size += size_here
            check_reply_bytes(size)
            if group_id in told:
                repeats.add_bytes(size_here)
            told.add(group_id)
            entries.append(self.entry(reply))
        return DescribeGroupsResponse(groups=entries)

    def lay_out_one(self, _call: Call, reply: DescribeReply) -> DescribeGroupsResponse:
        return DescribeGroupsResponse(groups=[self.entry(reply)])

    def entry(self, reply: DescribeReply) -> DescribeGroupsResponseGroup:
        version = self.call.version
        error, message = reply.error, None
        if error == GROUP_ID_NOT_FOUND:
            if version >= 6:
                problem = "is not a classic group." if reply.is_of_other_type else "not found."
                message = f"Group {reply.group_id} {problem}"
            else:
                error = NONE
        operations = NO_OPERATIONS_SHOWN
        if self.show_operations and error == NONE:
            operations = operations_on(self.call, self.node, ResourceType.GROUP, reply.group_id)
        return DescribeGroupsResponseGroup(
            error_code=error,
            error_message=message,
            group_id=reply.group_id,
            group_state=reply.state,
            protocol_type=reply.protocol_type,
            protocol_data=reply.protocol_name,
            members=_members(reply, version),
            authorized_operations=operations,
        )


def handle(call: Call, request: DescribeGroupsRequest, node: Node) -> None:
    groups = request.groups
    question = DescribeGroupsQuery(call, node, groups, request.include_authorized_operations and call.version >= 3)
    if len(groups) == 1 and authorize_group(call, node, _DESCRIBE, groups[0]):
        call.respond = question.lay_out_one
        node.coordinator.submit(DescribeGroup(groups[0]), call)
        return
    parts: Parts[DescribeReply] = Parts(call, question.lay_out)
    for group_id in dict.fromkeys(groups):
        if authorize_group(call, node, _DESCRIBE, group_id):
            node.coordinator.submit(DescribeGroup(group_id), parts.ticket())
        else:
            parts.settled(DescribeReply(GROUP_AUTHORIZATION_FAILED, group_id))
    parts.seal()


def reply_bytes(reply: DescribeReply) -> int:
    """About what the entry takes, without laying it out."""
    size = _ENTRY_BYTES + len(reply.group_id)
    for member in reply.members:
        size += _ENTRY_BYTES + len(member.member_id) + len(member.metadata) + len(member.assignment)
    return size


def _members(reply: DescribeReply, version: int) -> Any:
    members = reply.members
    if not members:
        return ()
    layout = 5 if version >= 5 else 4 if version == 4 else 0
    kept = reply.laid_out
    if isinstance(kept, LaidOutMembers) and kept.layout == layout:
        return kept.items
    out = BytesWriter()
    for member in members:
        write_response_member(
            out,
            layout,
            member.member_id,
            member.group_instance_id,
            member.client_id,
            member.client_host,
            member.metadata,
            member.assignment,
        )
    items = raw_items(len(members), out.getvalue())
    reply.laid_out = LaidOutMembers(layout, items)
    return items
