"""ConsumerGroupDescribe v0-1 (KIP-848). v1+: which protocol each member speaks.

A group with a topic that the client may not see is answered TOPIC_AUTHORIZATION_FAILED, without its description. Topics that no
longer exist are left out. A group that is listed several times is looked for once, and told as often. Deviates: not without end
(`Repeats`).
"""

from __future__ import annotations

from typing import Final

from muster.core.consumer.records import Target
from muster.core.consumer.replies import ConsumerDescribeReply, DescribedConsumer
from muster.core.consumer.requests import DescribeConsumerGroup
from muster.runtime.node import Node
from muster.security.resources import Operation, ResourceType
from muster.server.authorize import authorize_group, authorize_topic, operations_on
from muster.server.call import Call
from muster.server.parts import Parts
from muster.server.reply_size import Repeats, check_reply_bytes
from muster.server.settings import serves_consumer_groups
from muster.wire.errors import GROUP_AUTHORIZATION_FAILED, NONE, TOPIC_AUTHORIZATION_FAILED, UNSUPPORTED_VERSION
from muster.wire.generated.consumer_group_describe import (
    ConsumerGroupDescribeRequest,
    ConsumerGroupDescribeResponse,
    ConsumerGroupDescribeResponseAssignment,
    ConsumerGroupDescribeResponseGroup,
    ConsumerGroupDescribeResponseMember,
    ConsumerGroupDescribeResponseTopicPartition,
)

_CLASSIC_MEMBER: Final = 0
_CONSUMER_MEMBER: Final = 1
_ENTRY_BYTES: Final = 100
"""Names, states and sizes of a group, a member or a topic, about."""
_PARTITION_BYTES: Final = 4


def handle(call: Call, request: ConsumerGroupDescribeRequest, node: Node) -> None:
    group_ids = list(request.group_ids)
    if not serves_consumer_groups(node):
        refused = [ConsumerDescribeReply(UNSUPPORTED_VERSION, group_id) for group_id in group_ids]
        call.reply(_laid_out(call, node, group_ids, refused, shows_operations=False))
        return

    def lay_out(replies: list[ConsumerDescribeReply]) -> ConsumerGroupDescribeResponse:
        return _laid_out(call, node, group_ids, replies, shows_operations=request.include_authorized_operations)

    parts: Parts[ConsumerDescribeReply] = Parts(call, lay_out)
    for group_id in dict.fromkeys(group_ids):
        if authorize_group(call, node, Operation.DESCRIBE, group_id):
            node.coordinator.submit(DescribeConsumerGroup(group_id), parts.ticket())
        else:
            parts.settled(ConsumerDescribeReply(GROUP_AUTHORIZATION_FAILED, group_id))
    parts.seal()


def _laid_out(
    call: Call, node: Node, group_ids: list[str], replies: list[ConsumerDescribeReply], *, shows_operations: bool
) -> ConsumerGroupDescribeResponse:
    found = {reply.group_id: _shown(call, node, reply) for reply in replies}
    entries: list[ConsumerGroupDescribeResponseGroup] = []
    told: set[str] = set()
    repeats = Repeats()
    size = 0
    for group_id in group_ids:
        reply = found[group_id]
        size_here = _reply_bytes(reply)
        size += size_here
        check_reply_bytes(size)
        if group_id in told:
            repeats.add_bytes(size_here)
        told.add(group_id)
        entry = _entry(reply)
        if shows_operations and reply.error == NONE:
            entry.authorized_operations = operations_on(call, node, ResourceType.GROUP, group_id)
        entries.append(entry)
    return ConsumerGroupDescribeResponse(groups=entries)


def _shown(call: Call, node: Node, reply: ConsumerDescribeReply) -> ConsumerDescribeReply:
    """The description, or a refusal if it names a topic that the client may not see."""
    names = {name for member in reply.members for name in member.subscription.topic_names}
    for name in sorted(names.union(reply.topic_names.values())):
        if not authorize_topic(call, node, Operation.DESCRIBE, name):
            return ConsumerDescribeReply(TOPIC_AUTHORIZATION_FAILED, reply.group_id)
    return reply


def _reply_bytes(reply: ConsumerDescribeReply) -> int:
    """About what the entry takes, without laying it out."""
    size = _ENTRY_BYTES + len(reply.group_id)
    for member in reply.members:
        size += _ENTRY_BYTES + sum(len(name) for name in member.subscription.topic_names)
        for shown in (member.assigned, member.target):
            for partitions in shown.values():
                size += _ENTRY_BYTES + _PARTITION_BYTES * len(partitions)
    return size


def _entry(reply: ConsumerDescribeReply) -> ConsumerGroupDescribeResponseGroup:
    return ConsumerGroupDescribeResponseGroup(
        error_code=reply.error,
        error_message=reply.message,
        group_id=reply.group_id,
        group_state=reply.state,
        group_epoch=reply.group_epoch,
        assignment_epoch=reply.target_epoch,
        assignor_name=reply.assignor,
        members=[_member(member, reply.topic_names) for member in reply.members],
    )


def _member(member: DescribedConsumer, names: dict[bytes, str]) -> ConsumerGroupDescribeResponseMember:
    own = member.subscription
    return ConsumerGroupDescribeResponseMember(
        member_id=member.member_id,
        instance_id=own.instance_id,
        rack_id=own.rack_id,
        member_epoch=member.member_epoch,
        client_id=own.client_id,
        client_host=own.client_host,
        subscribed_topic_names=list(own.topic_names),
        subscribed_topic_regex=own.topic_regex,
        assignment=_assignment(member.assigned, names),
        target_assignment=_assignment(member.target, names),
        member_type=_CONSUMER_MEMBER if own.classic is None else _CLASSIC_MEMBER,
    )


def _assignment(assignment: Target, names: dict[bytes, str]) -> ConsumerGroupDescribeResponseAssignment:
    return ConsumerGroupDescribeResponseAssignment(
        [
            ConsumerGroupDescribeResponseTopicPartition(topic_id, names[topic_id], partitions)
            for topic_id, partitions in assignment.items()
            if topic_id in names
        ]
    )
