"""What somebody changes in a group without being a member of it, for the audit: offsets set from outside, members taken out.

Kafka has no request of its own for either: an operator commits without a generation, as a reader without a group does, and removes
a member by the request with which members leave. Asked by the handlers before the coordinator decides, while the group is still
as it was; told after it has decided.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from muster.core.replies import CommitReply, LeaveReply
from muster.core.requests import LeavingMember, OffsetCommit, TxnOffsetCommit
from muster.core.shard import Shard
from muster.runtime.node import Node
from muster.security.audit import quoted
from muster.server.authorize import tell_group_change
from muster.server.call import Call
from muster.wire.errors import NONE

_Respond: TypeAlias = Callable[[Call, CommitReply], object]


def is_set_from_outside(
    node: Node, commit: OffsetCommit | TxnOffsetCommit, *, members_name_generations: bool = True
) -> bool:
    """Whether the audit is told of this commit.

    In a group that has had members a commit without a generation is an operator's. A group that never had any belongs to a reader
    that commits for itself: there only offsets that are set back count. The same holds for versions in which members cannot name
    their generation.
    """
    if commit.generation >= 0:
        return False
    shard = node.coordinator.shard_of(commit.group_id)
    if shard is None:
        return False
    group = shard.groups.get(commit.group_id)
    has_had_members = commit.group_id in shard.consumer_groups or (group is not None and bool(group.protocol_type))
    if members_name_generations and has_had_members:
        return True
    return any(
        (before := shard.offsets.get(commit.group_id, topic.topic, partition)) is not None and offset < before.offset
        for topic in commit.topics
        for partition, offset, _, _ in topic.rows()
    )


def audited_response(
    node: Node,
    commit: OffsetCommit | TxnOffsetCommit,
    respond: _Respond,
    *,
    members_name_generations: bool = True,
) -> _Respond:
    """How the reply to this commit becomes a response: with a line for the audit first, if the offsets are set from outside."""
    if not is_set_from_outside(node, commit, members_name_generations=members_name_generations):
        return respond
    group_id = commit.group_id
    how = "from outside, by a transaction" if isinstance(commit, TxnOffsetCommit) else "from outside"

    def audited(call: Call, reply: CommitReply) -> object:
        count = reply.errors.count(NONE)
        if count:
            offsets = "1 offset" if count == 1 else f"{count} offsets"
            tell_group_change(call, node, f"set {offsets} of group {quoted(group_id)} {how}")
        return respond(call, reply)

    return audited


def of_others(call: Call, node: Node, group_id: str, leaving: Sequence[LeavingMember]) -> list[int]:
    """Which of these members are not the one who calls: another client id or address, or named by instance id alone."""
    shard = node.coordinator.shard_of(group_id)
    if shard is None:
        return []
    here = (call.client_id or "", call.host)
    return [
        index
        for index, each in enumerate(leaving)
        if not each.member_id or _client_of(shard, group_id, each.member_id) not in (None, here)
    ]


def tell_removals(call: Call, node: Node, group_id: str, reply: LeaveReply, others: Sequence[int]) -> None:
    for index in others:
        member_id, instance_id, error = reply.members[index]
        if error == NONE:
            tell_group_change(
                call, node, f"removed member {quoted(member_id or instance_id or '')} of group {quoted(group_id)}"
            )


def _client_of(shard: Shard, group_id: str, member_id: str) -> tuple[str, str] | None:
    """Client id and address of a member; None if there is no such member."""
    group = shard.groups.get(group_id)
    if group is not None:
        member = group.members.get(member_id)
        return None if member is None else (member.client_id, member.client_host)
    consumer_group = shard.consumer_groups.get(group_id)
    if consumer_group is None or member_id not in consumer_group.members:
        return None
    subscription = consumer_group.members[member_id].subscription
    return subscription.client_id, subscription.client_host
