"""What a test sees of a group: one moment of it, as plain values that do not change any more."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TypeAlias

from muster.core.classic.group import CONSUMER_PROTOCOL_TYPE, Group
from muster.core.classic.member import Member
from muster.core.classic.states import GroupState
from muster.core.consumer.states import ConsumerGroupState
from muster.wire.consumer_protocol import decode_assignment
from muster.wire.errors import WireError

TopicPartition: TypeAlias = tuple[str, int]


@dataclass(slots=True, frozen=True)
class MemberView:
    member_id: str
    client_id: str
    client_host: str
    instance_id: str | None
    """`group.instance.id` of a static member."""
    session_timeout_ms: int
    rebalance_timeout_ms: int
    is_leader: bool
    is_connected: bool
    """Whether the connection is open that it last sent a group request through."""
    waits_for: str | None
    """`JoinGroup` or `SyncGroup` if the coordinator owes it that answer."""
    assignment: tuple[TopicPartition, ...]
    """Decoded if the group speaks the consumer protocol, else empty."""
    raw_assignment: bytes
    epoch: int | None = None
    """Of a member of a consumer group (KIP-848), as all below: the target epoch that it has reached."""
    target: tuple[TopicPartition, ...] = ()
    """What it shall have. Members of classic groups have it already."""
    revoking: tuple[TopicPartition, ...] = ()
    """What it was told to give up and has not yet: nobody else gets these partitions."""
    revoking_since_ms: int | None = None
    """When it was told, on the broker's clock."""


@dataclass(slots=True, frozen=True)
class GroupView:
    group_id: str
    state: GroupState | ConsumerGroupState
    """A text too: `view.state == "Stable"`. A group that nobody knows is Dead, as in DescribeGroups."""
    generation: int = 0
    """The group epoch of a consumer group."""
    protocol_type: str | None = None
    protocol: str | None = None
    """The assignor, for consumers."""
    leader: str | None = None
    members: tuple[MemberView, ...] = ()
    type: str = "classic"
    """Or `consumer` (KIP-848)."""
    target_epoch: int | None = None
    """Of a consumer group: the epoch that its target assignment was made for."""

    def to_json(self) -> dict[str, object]:
        shown = asdict(self)
        for member in shown["members"]:
            member["raw_assignment"] = member["raw_assignment"].hex()
        return shown

    def __str__(self) -> str:
        names = ", ".join(member.client_id or member.member_id for member in self.members)
        inside = f": {names}" if names else ""
        count = f"{len(self.members)} member{'' if len(self.members) == 1 else 's'}"
        number = f"generation {self.generation}"
        if self.target_epoch is not None:
            number = f"epoch {self.generation}, target epoch {self.target_epoch}"
        return f"{self.group_id} is {self.state}, {number}, {count}{inside}"


def view_of(group_id: str, group: Group | None, connected: frozenset[str]) -> GroupView:
    """`connected`: the member ids whose connections are open."""
    if group is None:
        return GroupView(group_id, GroupState.DEAD)
    return GroupView(
        group_id,
        group.state,
        group.generation,
        group.protocol_type,
        group.protocol_name,
        group.leader,
        tuple(_member(group, member, connected) for member in group.members.values()),
    )


def _member(group: Group, member: Member, connected: frozenset[str]) -> MemberView:
    waits_for = "JoinGroup" if member.parked_join is not None else "SyncGroup" if member.parked_sync else None
    return MemberView(
        member.member_id,
        member.client_id,
        member.client_host,
        member.instance_id,
        member.session_timeout_ms,
        member.rebalance_timeout_ms,
        member.member_id == group.leader,
        member.member_id in connected,
        waits_for,
        _partitions(group, member.assignment),
        member.assignment,
    )


def _partitions(group: Group, assignment: bytes) -> tuple[TopicPartition, ...]:
    if group.protocol_type != CONSUMER_PROTOCOL_TYPE or not assignment:
        return ()
    try:
        decoded = decode_assignment(assignment)
    except WireError:
        return ()  # the leader's own affair, as it is Kafka's view too
    return tuple((topic, partition) for topic, partitions in decoded.partitions for partition in partitions)
