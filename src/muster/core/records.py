"""The durable facts of a coordinator, as values. How they look as bytes is `muster.log.record_codec`'s business."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from mypy_extensions import mypyc_attr

from muster.wire.value import Value


@mypyc_attr(acyclic=True)
class OffsetCommitted(Value):
    """The only record made on a hot path, hence no dataclass."""

    __match_args__ = (
        "group_id",
        "topic",
        "partition",
        "offset",
        "leader_epoch",
        "metadata",
        "commit_timestamp_ms",
        "expire_timestamp_ms",
        "topic_id",
    )
    __slots__ = __match_args__

    def __init__(
        self,
        group_id: str,
        topic: str,
        partition: int,
        offset: int,
        leader_epoch: int,
        metadata: str,
        commit_timestamp_ms: int,
        expire_timestamp_ms: int = -1,
        topic_id: bytes | None = None,
    ) -> None:
        self.group_id = group_id
        self.topic = topic
        self.partition = partition
        self.offset = offset
        self.leader_epoch = leader_epoch
        self.metadata = metadata
        self.commit_timestamp_ms = commit_timestamp_ms
        self.expire_timestamp_ms = expire_timestamp_ms
        """-1: the broker's retention applies."""
        self.topic_id = topic_id


@dataclass(slots=True, frozen=True)
class OffsetErased:
    group_id: str
    topic: str
    partition: int


@dataclass(slots=True, frozen=True)
class StoredMember:
    member_id: str
    group_instance_id: str | None
    client_id: str
    client_host: str
    rebalance_timeout_ms: int
    session_timeout_ms: int
    subscription: bytes
    assignment: bytes


@dataclass(slots=True, frozen=True)
class GroupStored:
    group_id: str
    protocol_type: str
    """Empty: none."""
    generation: int
    protocol_name: str | None
    leader: str | None
    state_timestamp_ms: int
    """When the group entered the state it had when this was written; -1 if unknown."""
    members: tuple[StoredMember, ...]


@dataclass(slots=True, frozen=True)
class GroupErased:
    group_id: str


@dataclass(slots=True, frozen=True)
class UnknownRecord:
    """A record type that this version does not know: kept in the log, counted, skipped (law 10)."""

    record_type: int


Record: TypeAlias = OffsetCommitted | OffsetErased | GroupStored | GroupErased | UnknownRecord
