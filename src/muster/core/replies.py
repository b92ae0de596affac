"""What a shard answers, before a handler lays it out for the client's API version. `error` is a code of errors.py."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

NO_GENERATION = -1


@dataclass(slots=True)
class JoinedMember:
    member_id: str
    group_instance_id: str | None
    metadata: bytes


@dataclass(slots=True)
class JoinReply:
    error: int
    member_id: str
    generation: int = NO_GENERATION
    protocol_type: str | None = None
    protocol_name: str | None = None
    leader: str = ""
    skip_assignment: bool = False
    members: tuple[JoinedMember, ...] = ()


@dataclass(slots=True)
class SyncReply:
    error: int
    protocol_type: str | None = None
    protocol_name: str | None = None
    assignment: bytes = b""


@dataclass(slots=True)
class HeartbeatReply:
    error: int


@dataclass(slots=True)
class LeaveReply:
    error: int
    members: tuple[tuple[str, str | None, int], ...] = ()
    """(member id as asked, instance id as asked, error) for each entry, in request order."""


@dataclass(slots=True)
class DescribedMember:
    member_id: str
    group_instance_id: str | None
    client_id: str
    client_host: str
    metadata: bytes
    assignment: bytes


@dataclass(slots=True)
class DescribeReply:
    error: int
    group_id: str
    state: str = ""
    protocol_type: str = ""
    protocol_name: str = ""
    members: tuple[DescribedMember, ...] = ()
    """An unknown group is error GROUP_ID_NOT_FOUND and state `Dead`; the handler turns that into NONE below v6."""


@dataclass(slots=True)
class ListedGroup:
    group_id: str
    protocol_type: str
    state: str
    group_type: str


@dataclass(slots=True)
class ListReply:
    error: int
    groups: tuple[ListedGroup, ...] = ()


@dataclass(slots=True)
class DeleteReply:
    error: int


@dataclass(slots=True)
class CommitReply:
    errors: list[int]
    """One code per entry of the request, in its order."""


FetchedOffset: TypeAlias = tuple[int, int, int, str, int]
"""(partition, offset or -1, leader epoch or -1, metadata, error)."""


@dataclass(slots=True)
class FetchReply:
    error: int
    topics: list[tuple[str, list[FetchedOffset]]]


@dataclass(slots=True)
class OffsetDeleteReply:
    error: int
    """Not NONE: replaces every per-partition result (spec 3.16)."""
    errors: tuple[int, ...] = ()
    """One code per entry of the request, in its order."""


Reply: TypeAlias = (
    JoinReply
    | SyncReply
    | HeartbeatReply
    | LeaveReply
    | DescribeReply
    | ListReply
    | DeleteReply
    | CommitReply
    | FetchReply
    | OffsetDeleteReply
)
