"""Generated from tools/codecs/schemas/offset_commit.api by `make generate`; changes belong there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from mypy_extensions import mypyc_attr

from muster.wire.message import Message

NO_UUID: Final = bytes(16)


@mypyc_attr(acyclic=True)
class OffsetCommitRequestPartition(Message):
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
class OffsetCommitRequestTopic(Message):
    __match_args__ = ("name", "topic_id", "partitions")
    __slots__ = __match_args__

    def __init__(
        self,
        name: str = "",
        topic_id: bytes = NO_UUID,
        partitions: Sequence[OffsetCommitRequestPartition] = (),
    ) -> None:
        self.name = name
        self.topic_id = topic_id
        self.partitions = partitions


@mypyc_attr(acyclic=True)
class OffsetCommitRequest(Message):
    __match_args__ = ("group_id", "generation_id_or_member_epoch", "member_id", "group_instance_id", "retention_time_ms", "topics")
    __slots__ = __match_args__

    def __init__(
        self,
        group_id: str = "",
        generation_id_or_member_epoch: int = -1,
        member_id: str = "",
        group_instance_id: str | None = None,
        retention_time_ms: int = -1,
        topics: Sequence[OffsetCommitRequestTopic] = (),
    ) -> None:
        self.group_id = group_id
        self.generation_id_or_member_epoch = generation_id_or_member_epoch
        self.member_id = member_id
        self.group_instance_id = group_instance_id
        self.retention_time_ms = retention_time_ms
        self.topics = topics


@mypyc_attr(acyclic=True)
class OffsetCommitResponsePartition(Message):
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
class OffsetCommitResponseTopic(Message):
    __match_args__ = ("name", "topic_id", "partitions")
    __slots__ = __match_args__

    def __init__(
        self,
        name: str = "",
        topic_id: bytes = NO_UUID,
        partitions: Sequence[OffsetCommitResponsePartition] = (),
    ) -> None:
        self.name = name
        self.topic_id = topic_id
        self.partitions = partitions


@mypyc_attr(acyclic=True)
class OffsetCommitResponse(Message):
    __match_args__ = ("throttle_time_ms", "topics")
    __slots__ = __match_args__

    def __init__(
        self,
        throttle_time_ms: int = 0,
        topics: Sequence[OffsetCommitResponseTopic] = (),
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.topics = topics
