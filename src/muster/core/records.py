"""The durable facts of a coordinator, as values. How they look as bytes is `muster.log.record_codec`'s business."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeAlias

from mypy_extensions import mypyc_attr

from muster.core.consumer.records import ConsumerGroupRecord
from muster.core.offsets.topic_offsets import TopicOffsets
from muster.wire.value import Value


@mypyc_attr(acyclic=True)
class OffsetCommitted(Value):
    """One committed offset, as it lies in the log. Loading makes many of them, hence no dataclass."""

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


@mypyc_attr(acyclic=True)
class OffsetsCommitted(Value):
    """The offsets that one commit has for one topic: as many records in the log as there are rows, one after the other.

    Only decisions make these; what is read from a log is one `OffsetCommitted` after the other, and means the same.
    """

    __match_args__ = ("group_id", "offsets", "commit_timestamp_ms", "expire_timestamp_ms")
    __slots__ = __match_args__

    def __init__(
        self, group_id: str, offsets: TopicOffsets, commit_timestamp_ms: int, expire_timestamp_ms: int = -1
    ) -> None:
        self.group_id = group_id
        self.offsets = offsets
        self.commit_timestamp_ms = commit_timestamp_ms
        self.expire_timestamp_ms = expire_timestamp_ms
        """-1: the broker's retention applies."""

    def singly(self) -> Iterator[OffsetCommitted]:
        offsets = self.offsets
        for partition, offset, leader_epoch, metadata in offsets.rows():
            yield OffsetCommitted(
                self.group_id,
                offsets.topic,
                partition,
                offset,
                leader_epoch,
                metadata,
                self.commit_timestamp_ms,
                self.expire_timestamp_ms,
                offsets.topic_id,
            )


class OffsetErased(Value):
    __match_args__ = ("group_id", "topic", "partition")
    __slots__ = __match_args__

    def __init__(self, group_id: str, topic: str, partition: int) -> None:
        self.group_id = group_id
        self.topic = topic
        self.partition = partition


class StoredMember(Value):
    __match_args__ = (
        "member_id",
        "group_instance_id",
        "client_id",
        "client_host",
        "rebalance_timeout_ms",
        "session_timeout_ms",
        "subscription",
        "assignment",
    )
    __slots__ = __match_args__

    def __init__(
        self,
        member_id: str,
        group_instance_id: str | None,
        client_id: str,
        client_host: str,
        rebalance_timeout_ms: int,
        session_timeout_ms: int,
        subscription: bytes,
        assignment: bytes,
    ) -> None:
        self.member_id = member_id
        self.group_instance_id = group_instance_id
        self.client_id = client_id
        self.client_host = client_host
        self.rebalance_timeout_ms = rebalance_timeout_ms
        self.session_timeout_ms = session_timeout_ms
        self.subscription = subscription
        self.assignment = assignment


class GroupStored(Value):
    __match_args__ = (
        "group_id",
        "protocol_type",
        "generation",
        "protocol_name",
        "leader",
        "state_timestamp_ms",
        "members",
    )
    __slots__ = __match_args__

    def __init__(
        self,
        group_id: str,
        protocol_type: str,
        generation: int,
        protocol_name: str | None,
        leader: str | None,
        state_timestamp_ms: int,
        members: tuple[StoredMember, ...],
    ) -> None:
        self.group_id = group_id
        self.protocol_type = protocol_type
        """Empty: none."""
        self.generation = generation
        self.protocol_name = protocol_name
        self.leader = leader
        self.state_timestamp_ms = state_timestamp_ms
        """When the group entered the state it had when this was written; -1 if unknown."""
        self.members = members


class GroupErased(Value):
    __match_args__ = ("group_id",)
    __slots__ = __match_args__

    def __init__(self, group_id: str) -> None:
        self.group_id = group_id


class UnknownRecord(Value):
    """A record type that this version does not know: kept in the log, counted, skipped (law 10)."""

    __match_args__ = ("record_type",)
    __slots__ = __match_args__

    def __init__(self, record_type: int) -> None:
        self.record_type = record_type


@mypyc_attr(acyclic=True)
class ProducerRecord(Value):
    """Base of what belongs to a transaction. The batch around it names the producer: no record of others can be in it."""

    __match_args__ = ("producer_id", "producer_epoch")
    __slots__ = __match_args__

    def __init__(self, producer_id: int, producer_epoch: int) -> None:
        self.producer_id = producer_id
        self.producer_epoch = producer_epoch


@mypyc_attr(acyclic=True)
class TransactionalOffset(ProducerRecord):
    """One offset that a transaction commits if it is committed itself (spec 4.6)."""

    __match_args__ = ("producer_id", "producer_epoch", "committed")
    __slots__ = ("committed",)

    def __init__(self, producer_id: int, producer_epoch: int, committed: OffsetCommitted) -> None:
        super().__init__(producer_id, producer_epoch)
        self.committed = committed
        """What key and value say, as in any other commit."""


@mypyc_attr(acyclic=True)
class EndTransactionMarker(ProducerRecord):
    """The producer's transaction has ended in this partition. A control batch of its own in the log."""

    __match_args__ = ("producer_id", "producer_epoch", "commit", "coordinator_epoch")
    __slots__ = ("commit", "coordinator_epoch")

    def __init__(self, producer_id: int, producer_epoch: int, commit: bool, coordinator_epoch: int) -> None:
        super().__init__(producer_id, producer_epoch)
        self.commit = commit
        """False: it was aborted."""
        self.coordinator_epoch = coordinator_epoch


LogRecord: TypeAlias = OffsetCommitted | OffsetErased | GroupStored | GroupErased | ConsumerGroupRecord | UnknownRecord
"""What key and value of one record of the log say."""

SingleRecord: TypeAlias = LogRecord | TransactionalOffset | EndTransactionMarker
"""One record of the log, with what its batch says about it."""

Record: TypeAlias = OffsetsCommitted | SingleRecord
"""What an outcome may ask for: one record, or several of the same kind at once."""


def log_length(record: Record) -> int:
    """How many records of the log it is."""
    return len(record.offsets) if type(record) is OffsetsCommitted else 1


def singly(records: Iterable[Record]) -> Iterator[SingleRecord]:
    """As they lie in the log, one by one."""
    for record in records:
        if isinstance(record, OffsetsCommitted):
            yield from record.singly()
        else:
            yield record
