"""What clients ask of a shard, with API versions already turned into capability flags by the handlers (law 4)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(slots=True)
class JoinGroup:
    group_id: str
    member_id: str
    group_instance_id: str | None
    client_id: str
    client_host: str
    """Java's address text, such as `/127.0.0.1` (spec 3.1)."""
    session_timeout_ms: int
    rebalance_timeout_ms: int
    """The handler has already put the session timeout here for v0, which has no such field."""
    protocol_type: str
    protocols: tuple[tuple[str, bytes], ...]
    """(name, metadata) in the member's order of preference."""
    reason: str | None
    requires_known_member_id: bool
    """v4+, KIP-394: a new dynamic member first gets its id with MEMBER_ID_REQUIRED."""
    supports_skip_assignment: bool
    """v9+, KIP-814."""


@dataclass(slots=True)
class SyncGroup:
    group_id: str
    generation: int
    member_id: str
    group_instance_id: str | None
    protocol_type: str | None
    protocol_name: str | None
    assignments: tuple[tuple[str, bytes], ...]


@dataclass(slots=True)
class Heartbeat:
    group_id: str
    generation: int
    member_id: str
    group_instance_id: str | None


@dataclass(slots=True)
class LeavingMember:
    member_id: str
    group_instance_id: str | None
    reason: str | None


@dataclass(slots=True)
class LeaveGroup:
    group_id: str
    members: tuple[LeavingMember, ...]


@dataclass(slots=True)
class DescribeGroup:
    group_id: str


@dataclass(slots=True)
class ListGroups:
    """Asked of every shard; the handler joins the answers."""

    states: tuple[str, ...]
    types: tuple[str, ...]


@dataclass(slots=True)
class DeleteGroup:
    group_id: str


OffsetToCommit: TypeAlias = tuple[str, int, int, int, str | None, bytes | None]
"""(topic, partition, offset, leader epoch or -1, metadata, topic id or None). A plain tuple: the hottest input there
is.
"""


@dataclass(slots=True)
class OffsetCommit:
    group_id: str
    generation: int
    member_id: str
    group_instance_id: str | None
    retention_ms: int | None
    """v2-4 only: every value but -1, the handler turns -1 into None."""
    offsets: list[OffsetToCommit]
    unknown_group_is_not_found: bool
    """v9+: an unknown group with a generation >= 0 gets GROUP_ID_NOT_FOUND, else ILLEGAL_GENERATION."""


@dataclass(slots=True)
class OffsetFetch:
    group_id: str
    topics: list[tuple[str, list[int]]] | None
    """None asks for everything; an empty list for nothing."""
    require_stable: bool


@dataclass(slots=True)
class OffsetDelete:
    group_id: str
    partitions: list[tuple[str, int]]


Request: TypeAlias = (
    JoinGroup
    | SyncGroup
    | Heartbeat
    | LeaveGroup
    | DescribeGroup
    | ListGroups
    | DeleteGroup
    | OffsetCommit
    | OffsetFetch
    | OffsetDelete
)
