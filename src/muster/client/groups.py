"""Questions about groups: which there are, who is in them, and taking empty ones away.

Called through `admin`. Members of `consumer` groups are shown decoded; of other protocol types as the bytes they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from muster.client.cluster import Cluster
from muster.client.connection import Connection
from muster.client.failure import ClientError, is_retriable, raise_for
from muster.client.partitions import GROUPS_A_REQUEST, TopicPartition, batched, spread
from muster.wire.consumer_protocol import decode_assignment, decode_subscription
from muster.wire.errors import GROUP_ID_NOT_FOUND, NONE, UNSUPPORTED_VERSION, WireError
from muster.wire.generated.consumer_group_describe import (
    ConsumerGroupDescribeRequest,
    ConsumerGroupDescribeResponse,
    ConsumerGroupDescribeResponseGroup,
    ConsumerGroupDescribeResponseMember,
)
from muster.wire.generated.delete_groups import DeleteGroupsRequest, DeleteGroupsResponse
from muster.wire.generated.describe_groups import (
    DescribeGroupsRequest,
    DescribeGroupsResponse,
    DescribeGroupsResponseGroup,
    DescribeGroupsResponseMember,
)
from muster.wire.generated.leave_group import LeaveGroupRequest, LeaveGroupRequestMember, LeaveGroupResponse
from muster.wire.generated.list_groups import ListGroupsRequest, ListGroupsResponse

CONSUMER: Final = "consumer"
DEAD: Final = "Dead"
_STATES_SINCE: Final = 4
_MEMBERS_SINCE: Final = 3


@dataclass(frozen=True, slots=True)
class GroupListing:
    group_id: str
    protocol_type: str
    state: str
    """Empty if the broker is too old to say (KIP-518)."""
    type: str
    """`classic` or `consumer`; empty if the broker is too old to say (KIP-848)."""


@dataclass(frozen=True, slots=True)
class GroupMember:
    member_id: str
    client_id: str
    host: str
    instance_id: str | None = None
    topics: tuple[str, ...] = ()
    """What it subscribes to, if it says so in the consumer protocol."""
    assignment: tuple[TopicPartition, ...] = ()
    target: tuple[TopicPartition, ...] = ()
    """Where the assignment is going; members of classic groups have it already."""
    epoch: int | None = None
    """Only members of the new protocol (KIP-848) have one."""
    metadata: bytes = field(default=b"", repr=False)
    assignment_bytes: bytes = field(default=b"", repr=False)


@dataclass(frozen=True, slots=True)
class GroupDescription:
    group_id: str
    state: str
    type: str
    protocol_type: str
    assignor: str
    """The protocol that the members agreed on; empty while there is none."""
    coordinator: int
    """Node id."""
    members: tuple[GroupMember, ...] = ()
    epoch: int | None = None
    """Only groups of the new protocol (KIP-848) have one."""
    target_epoch: int | None = None
    """The epoch that the target assignment was made for; below `epoch` while a new one is due."""

    @property
    def exists(self) -> bool:
        return self.state != DEAD


async def list_groups(cluster: Cluster, states: Sequence[str] = (), types: Sequence[str] = ()) -> list[GroupListing]:
    """Every group of the cluster, by name. `states` and `types` are Kafka's words; empty means all."""

    async def attempt() -> list[GroupListing]:
        await cluster.refresh([])
        found: dict[str, GroupListing] = {}
        for node_id in sorted(cluster.brokers):
            found |= await list_groups_at(cluster, node_id, states, types)
        return [found[group_id] for group_id in sorted(found)]

    return await cluster.persist(attempt)


async def list_groups_at(
    cluster: Cluster, node_id: int, states: Sequence[str] = (), types: Sequence[str] = ()
) -> dict[str, GroupListing]:
    """Those that one broker coordinates, asked once."""
    connection = await cluster.connection_to(node_id)
    if (states or types) and connection.version("ListGroups") < _STATES_SINCE + bool(types):
        raise ClientError(UNSUPPORTED_VERSION, "list groups by state or type", "the broker is too old for that")
    reply: ListGroupsResponse = await connection.call("ListGroups", ListGroupsRequest(list(states), list(types)))
    raise_for(reply.error_code, f"list the groups of broker {node_id}")
    return {
        each.group_id: GroupListing(each.group_id, each.protocol_type, each.group_state, each.group_type)
        for each in reply.groups
    }


async def describe_groups(cluster: Cluster, group_ids: Sequence[str]) -> list[GroupDescription]:
    """In the order that was asked. A group that nobody knows is `Dead`."""
    found: dict[str, GroupDescription] = {}

    async def attempt() -> None:
        missing = [group_id for group_id in dict.fromkeys(group_ids) if group_id not in found]
        coordinators = await cluster.coordinators.find(missing)
        by_node: dict[int, list[str]] = {}
        for group_id in missing:
            by_node.setdefault(coordinators[group_id], []).append(group_id)
        for node_id, wanted in by_node.items():
            connection = await cluster.coordinators.connection(wanted[0], "")
            for portion in batched(wanted, GROUPS_A_REQUEST):
                for group_id, each in (await describe_at(connection, node_id, portion)).items():
                    if isinstance(each, ClientError):
                        raise each
                    found[group_id] = each

    await cluster.persist(attempt)
    return [found[group_id] for group_id in group_ids]


async def describe_group(cluster: Cluster, group_id: str) -> GroupDescription:
    """One that exists, or ClientError GROUP_ID_NOT_FOUND."""
    (found,) = await describe_groups(cluster, [group_id])
    if not found.exists:
        raise ClientError(GROUP_ID_NOT_FOUND, f"describe group {group_id}")
    return found


async def delete_groups(cluster: Cluster, group_ids: Sequence[str]) -> dict[str, ClientError | None]:
    """What became of each: None if it is gone, else why not. Only groups without members can be deleted."""
    outcome: dict[str, ClientError | None] = {}
    for group_id in group_ids:
        try:
            await cluster.persist(lambda one=group_id: _delete(cluster, one))  # type: ignore[misc]
            outcome[group_id] = None
        except ClientError as failure:
            outcome[group_id] = failure
    return outcome


async def remove_member(cluster: Cluster, group_id: str, member: GroupMember, reason: str) -> None:
    """Take one member out of its group, as an administrator (KIP-345). Its process may join again."""

    async def attempt() -> None:
        connection = await cluster.coordinators.connection(group_id, "")
        if connection.version("LeaveGroup") < _MEMBERS_SINCE:
            raise ClientError(
                UNSUPPORTED_VERSION, f"remove a member of group {group_id}", "the broker is too old for that"
            )
        gone = LeaveGroupRequestMember(member.member_id, member.instance_id, reason)
        request = LeaveGroupRequest(group_id, members=[gone])
        reply: LeaveGroupResponse = await connection.call("LeaveGroup", request)
        for code in (reply.error_code, *(each.error_code for each in reply.members)):
            raise_for(code, f"remove member {member.member_id} of group {group_id}")

    await cluster.persist(attempt)


async def _delete(cluster: Cluster, group_id: str) -> None:
    reply: DeleteGroupsResponse = await cluster.ask_coordinator(
        group_id, "DeleteGroups", DeleteGroupsRequest([group_id])
    )
    for each in reply.results:
        raise_for(each.error_code, f"delete group {group_id}")


async def describe_at(
    connection: Connection, node_id: int, group_ids: Sequence[str]
) -> dict[str, GroupDescription | ClientError]:
    """What a coordinator says of each of its groups: a ClientError in the place of one that it does not describe.

    KIP-848 groups have a question of their own; brokers answer GROUP_ID_NOT_FOUND to it for classic ones.
    """
    found: dict[str, GroupDescription | ClientError] = {}
    if "ConsumerGroupDescribe" in connection.versions:
        modern: ConsumerGroupDescribeResponse = await connection.call(
            "ConsumerGroupDescribe", ConsumerGroupDescribeRequest(list(group_ids))
        )
        for group in modern.groups:
            if group.error_code == NONE:
                found[group.group_id] = _modern(group, node_id)
            elif is_retriable(group.error_code):
                found[group.group_id] = _not_described(group.group_id, group.error_code, group.error_message)
    others = [group_id for group_id in group_ids if group_id not in found]
    if others:
        reply: DescribeGroupsResponse = await connection.call("DescribeGroups", DescribeGroupsRequest(others))
        for classic in reply.groups:
            if classic.error_code in (NONE, GROUP_ID_NOT_FOUND):  # version 6 says the latter, with the state Dead
                found[classic.group_id] = _classic(classic, node_id)
            else:
                found[classic.group_id] = _not_described(classic.group_id, classic.error_code, classic.error_message)
    return found


def _not_described(group_id: str, code: int, message: str | None) -> ClientError:
    return ClientError(code, f"describe group {group_id}", message)


def _classic(group: DescribeGroupsResponseGroup, node_id: int) -> GroupDescription:
    members = tuple(_classic_member(group.protocol_type, each) for each in group.members)
    return GroupDescription(
        group.group_id, group.group_state, "classic", group.protocol_type, group.protocol_data, node_id, members
    )


def _classic_member(protocol_type: str, member: DescribeGroupsResponseMember) -> GroupMember:
    """Brokers show metadata only of stable groups, and members may say anything: what cannot be read is left out."""
    metadata, assigned = bytes(member.member_metadata), bytes(member.member_assignment)
    topics: tuple[str, ...] = ()
    assignment: tuple[TopicPartition, ...] = ()
    if protocol_type == CONSUMER:
        try:
            topics = tuple(decode_subscription(metadata).topics) if metadata else ()
            assignment = tuple(sorted(spread(decode_assignment(assigned).partitions))) if assigned else ()
        except WireError:
            pass
    return GroupMember(
        member.member_id,
        member.client_id,
        member.client_host,
        member.group_instance_id,
        topics,
        assignment,
        assignment,
        None,
        metadata,
        assigned,
    )


def _modern(group: ConsumerGroupDescribeResponseGroup, node_id: int) -> GroupDescription:
    members = tuple(_modern_member(each) for each in group.members)
    return GroupDescription(
        group.group_id,
        group.group_state,
        CONSUMER,
        CONSUMER,
        group.assignor_name,
        node_id,
        members,
        group.group_epoch,
        group.assignment_epoch,
    )


def _modern_member(member: ConsumerGroupDescribeResponseMember) -> GroupMember:
    assigned, target = (
        tuple(sorted(spread((each.topic_name, each.partitions) for each in side.topic_partitions)))
        for side in (member.assignment, member.target_assignment)
    )
    return GroupMember(
        member.member_id,
        member.client_id,
        member.client_host,
        member.instance_id,
        tuple(member.subscribed_topic_names),
        assigned,
        target,
        member.member_epoch,
    )
