"""Generated from tools/codecs/schemas/txn_offset_commit.api by `make generate`; changes belong there."""

from __future__ import annotations

from collections.abc import Sequence

from mypy_extensions import mypyc_attr

from muster.wire.message import Message


@mypyc_attr(acyclic=True)
class TxnOffsetCommitRequestPartition(Message):
    __match_args__ = ("partition_index", "committed_offset", "committed_leader_epoch", "committed_metadata")
    __slots__ = __match_args__

    def __init__(
        self,
        partition_index: int = 0,
        committed_offset: int = 0,
        committed_leader_epoch: int = -1,
        committed_metadata: str | None = "",
    ) -> None:
        self.partition_index = partition_index
        self.committed_offset = committed_offset
        self.committed_leader_epoch = committed_leader_epoch
        self.committed_metadata = committed_metadata


@mypyc_attr(acyclic=True)
class TxnOffsetCommitRequestTopic(Message):
    __match_args__ = ("name", "partitions")
    __slots__ = __match_args__

    def __init__(
        self,
        name: str = "",
        partitions: Sequence[TxnOffsetCommitRequestPartition] = (),
    ) -> None:
        self.name = name
        self.partitions = partitions


@mypyc_attr(acyclic=True)
class TxnOffsetCommitRequest(Message):
    __match_args__ = ("transactional_id", "group_id", "producer_id", "producer_epoch", "generation_id", "member_id", "group_instance_id", "topics")
    __slots__ = __match_args__

    def __init__(
        self,
        transactional_id: str = "",
        group_id: str = "",
        producer_id: int = 0,
        producer_epoch: int = 0,
        generation_id: int = -1,
        member_id: str = "",
        group_instance_id: str | None = None,
        topics: Sequence[TxnOffsetCommitRequestTopic] = (),
    ) -> None:
        self.transactional_id = transactional_id
        self.group_id = group_id
        self.producer_id = producer_id
        self.producer_epoch = producer_epoch
        self.generation_id = generation_id
        self.member_id = member_id
        self.group_instance_id = group_instance_id
        self.topics = topics


@mypyc_attr(acyclic=True)
class TxnOffsetCommitResponsePartition(Message):
    __match_args__ = ("partition_index", "error_code")
    __slots__ = __match_args__

    def __init__(
        self,
        partition_index: int = 0,
        error_code: int = 0,
    ) -> None:
        self.partition_index = partition_index
        self.error_code = error_code


@mypyc_attr(acyclic=True)
class TxnOffsetCommitResponseTopic(Message):
    __match_args__ = ("name", "partitions")
    __slots__ = __match_args__

    def __init__(
        self,
        name: str = "",
        partitions: Sequence[TxnOffsetCommitResponsePartition] = (),
    ) -> None:
        self.name = name
        self.partitions = partitions


@mypyc_attr(acyclic=True)
class TxnOffsetCommitResponse(Message):
    __match_args__ = ("throttle_time_ms", "topics")
    __slots__ = __match_args__

    def __init__(
        self,
        throttle_time_ms: int = 0,
        topics: Sequence[TxnOffsetCommitResponseTopic] = (),
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.topics = topics
