"""What clients ask of a shard, with API versions already turned into capability flags by the handlers (law 4)."""

from __future__ import annotations

from typing import TypeAlias

from mypy_extensions import mypyc_attr

from muster.core.consumer.requests import ConsumerHeartbeat, DescribeConsumerGroup
from muster.core.offsets.topic_offsets import TopicOffsets
from muster.wire.i32_array import I32Array
from muster.wire.value import Value


class JoinGroup(Value):
    __match_args__ = (
        "group_id",
        "member_id",
        "group_instance_id",
        "client_id",
        "client_host",
        "session_timeout_ms",
        "rebalance_timeout_ms",
        "protocol_type",
        "protocols",
        "reason",
        "requires_known_member_id",
        "supports_skip_assignment",
    )
    __slots__ = __match_args__

    def __init__(
        self,
        group_id: str,
        member_id: str,
        group_instance_id: str | None,
        client_id: str,
        client_host: str,
        session_timeout_ms: int,
        rebalance_timeout_ms: int,
        protocol_type: str,
        protocols: tuple[tuple[str, bytes], ...],
        reason: str | None,
        requires_known_member_id: bool,
        supports_skip_assignment: bool,
    ) -> None:
        self.group_id = group_id
        self.member_id = member_id
        self.group_instance_id = group_instance_id
        self.client_id = client_id
        self.client_host = client_host
        """Java's address text, such as `/127.0.0.1` (spec 3.1)."""
        self.session_timeout_ms = session_timeout_ms
        self.rebalance_timeout_ms = rebalance_timeout_ms
        """The handler has already put the session timeout here for v0, which has no such field."""
        self.protocol_type = protocol_type
        self.protocols = protocols
        """(name, metadata) in the member's order of preference."""
        self.reason = reason
        self.requires_known_member_id = requires_known_member_id
        """v4+, KIP-394: a new dynamic member first gets its id with MEMBER_ID_REQUIRED."""
        self.supports_skip_assignment = supports_skip_assignment
        """v9+, KIP-814."""


class SyncGroup(Value):
    __match_args__ = (
        "group_id",
        "generation",
        "member_id",
        "group_instance_id",
        "protocol_type",
        "protocol_name",
        "assignments",
    )
    __slots__ = __match_args__

    def __init__(
        self,
        group_id: str,
        generation: int,
        member_id: str,
        group_instance_id: str | None,
        protocol_type: str | None,
        protocol_name: str | None,
        assignments: tuple[tuple[str, bytes], ...],
    ) -> None:
        self.group_id = group_id
        self.generation = generation
        self.member_id = member_id
        self.group_instance_id = group_instance_id
        self.protocol_type = protocol_type
        self.protocol_name = protocol_name
        self.assignments = assignments


@mypyc_attr(acyclic=True)
class Heartbeat(Value):
    __match_args__ = ("group_id", "generation", "member_id", "group_instance_id")
    __slots__ = __match_args__

    def __init__(
        self,
        group_id: str,
        generation: int,
        member_id: str,
        group_instance_id: str | None,
    ) -> None:
        self.group_id = group_id
        self.generation = generation
        self.member_id = member_id
        self.group_instance_id = group_instance_id


class LeavingMember(Value):
    __match_args__ = ("member_id", "group_instance_id", "reason")
    __slots__ = __match_args__

    def __init__(self, member_id: str, group_instance_id: str | None, reason: str | None) -> None:
        self.member_id = member_id
        self.group_instance_id = group_instance_id
        self.reason = reason


class LeaveGroup(Value):
    __match_args__ = ("group_id", "members")
    __slots__ = __match_args__

    def __init__(self, group_id: str, members: tuple[LeavingMember, ...]) -> None:
        self.group_id = group_id
        self.members = members


class DescribeGroup(Value):
    __match_args__ = ("group_id",)
    __slots__ = __match_args__

    def __init__(self, group_id: str) -> None:
        self.group_id = group_id


class ListGroups(Value):
    """Asked of every shard; the handler joins the answers."""

    __match_args__ = ("states", "types")
    __slots__ = __match_args__

    def __init__(self, states: tuple[str, ...], types: tuple[str, ...]) -> None:
        self.states = states
        self.types = types


class DeleteGroup(Value):
    __match_args__ = ("group_id",)
    __slots__ = __match_args__

    def __init__(self, group_id: str) -> None:
        self.group_id = group_id


@mypyc_attr(acyclic=True)
class OffsetCommit(Value):
    __match_args__ = (
        "group_id",
        "generation",
        "member_id",
        "group_instance_id",
        "retention_ms",
        "topics",
        "unknown_group_is_not_found",
    )
    __slots__ = __match_args__

    def __init__(
        self,
        group_id: str,
        generation: int,
        member_id: str,
        group_instance_id: str | None,
        retention_ms: int | None,
        topics: list[TopicOffsets],
        unknown_group_is_not_found: bool,
    ) -> None:
        self.group_id = group_id
        self.generation = generation
        self.member_id = member_id
        self.group_instance_id = group_instance_id
        self.retention_ms = retention_ms
        """v2-4 only: every value but -1, the handler turns -1 into None."""
        self.topics = topics
        """What is said about each topic, in request order; a topic may come twice."""
        self.unknown_group_is_not_found = unknown_group_is_not_found
        """v9+: an unknown group with a generation >= 0 gets GROUP_ID_NOT_FOUND, else ILLEGAL_GENERATION."""

    @property
    def count(self) -> int:
        """Entries of the request."""
        count = 0
        for offsets in self.topics:
            count += len(offsets)
        return count


@mypyc_attr(acyclic=True)
class TxnOffsetCommit(Value):
    """Offsets that count when the producer's transaction is committed. The transaction has been verified already (spec 4.6)."""

    __match_args__ = (
        "group_id",
        "generation",
        "member_id",
        "group_instance_id",
        "producer_id",
        "producer_epoch",
        "topics",
        "transactional_id",
    )
    __slots__ = __match_args__

    def __init__(
        self,
        group_id: str,
        generation: int,
        member_id: str,
        group_instance_id: str | None,
        producer_id: int,
        producer_epoch: int,
        topics: list[TopicOffsets],
        transactional_id: str = "",
    ) -> None:
        self.group_id = group_id
        self.generation = generation
        self.member_id = member_id
        self.group_instance_id = group_instance_id
        self.producer_id = producer_id
        self.producer_epoch = producer_epoch
        self.topics = topics
        """What is said about each topic, in request order; a topic may come twice."""
        self.transactional_id = transactional_id
        """For the journal: nothing is decided by it."""

    @property
    def count(self) -> int:
        """Entries of the request."""
        count = 0
        for offsets in self.topics:
            count += len(offsets)
        return count


@mypyc_attr(acyclic=True)
class OffsetFetch(Value):
    __match_args__ = ("group_id", "topics", "require_stable", "client_id", "client_host", "member_id", "member_epoch")
    __slots__ = __match_args__

    def __init__(
        self,
        group_id: str,
        topics: list[tuple[str, I32Array]] | None,
        require_stable: bool,
        client_id: str | None = None,
        client_host: str | None = None,
        member_id: str | None = None,
        member_epoch: int = -1,
    ) -> None:
        self.group_id = group_id
        self.topics = topics
        """None asks for everything; an empty list for nothing."""
        self.require_stable = require_stable
        self.client_id = client_id
        self.client_host = client_host
        """For the journal: who it is that waits for a transaction."""
        self.member_id = member_id
        """v9+. With the epoch it counts for consumer groups only (spec 4.4)."""
        self.member_epoch = member_epoch


class OffsetDelete(Value):
    __match_args__ = ("group_id", "partitions")
    __slots__ = __match_args__

    def __init__(self, group_id: str, partitions: list[tuple[str, int]]) -> None:
        self.group_id = group_id
        self.partitions = partitions


Request: TypeAlias = (
    JoinGroup
    | SyncGroup
    | Heartbeat
    | LeaveGroup
    | DescribeGroup
    | ListGroups
    | DeleteGroup
    | OffsetCommit
    | TxnOffsetCommit
    | OffsetFetch
    | OffsetDelete
    | ConsumerHeartbeat
    | DescribeConsumerGroup
)
