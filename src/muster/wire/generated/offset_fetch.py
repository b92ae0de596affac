"""Generated from tools/codecs/schemas/offset_fetch.api by `make generate`; changes belong there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from mypy_extensions import mypyc_attr

from muster.wire.message import Message

NO_UUID: Final = bytes(16)


@mypyc_attr(acyclic=True)
class OffsetFetchRequestTopic(Message):
    __match_args__ = ("name", "partition_indexes")
    __slots__ = __match_args__

    def __init__(
        self,
        name: str = "",
        partition_indexes: Sequence[int] = (),
    ) -> None:
        self.name = name
        self.partition_indexes = partition_indexes


@mypyc_attr(acyclic=True)
class OffsetFetchRequestGroupTopic(Message):
    __match_args__ = ("name", "topic_id", "partition_indexes")
    __slots__ = __match_args__

    def __init__(
        self,
        name: str = "",
        topic_id: bytes = NO_UUID,
        partition_indexes: Sequence[int] = (),
    ) -> None:
        self.name = name
        self.topic_id = topic_id
        self.partition_indexes = partition_indexes


@mypyc_attr(acyclic=True)
class OffsetFetchRequestGroup(Message):
    __match_args__ = ("group_id", "member_id", "member_epoch", "topics")
    __slots__ = __match_args__

    def __init__(
        self,
        group_id: str = "",
        member_id: str | None = None,
        member_epoch: int = -1,
        topics: Sequence[OffsetFetchRequestGroupTopic] | None = (),
    ) -> None:
        self.group_id = group_id
        self.member_id = member_id
        self.member_epoch = member_epoch
        self.topics = topics


@mypyc_attr(acyclic=True)
class OffsetFetchRequest(Message):
    __match_args__ = ("group_id", "topics", "groups", "require_stable")
    __slots__ = __match_args__

    def __init__(
        self,
        group_id: str = "",
        topics: Sequence[OffsetFetchRequestTopic] | None = (),
        groups: Sequence[OffsetFetchRequestGroup] = (),
        require_stable: bool = False,
    ) -> None:
        self.group_id = group_id
        self.topics = topics
        self.groups = groups
        self.require_stable = require_stable


@mypyc_attr(acyclic=True)
class OffsetFetchResponsePartition(Message):
    __match_args__ = ("partition_index", "committed_offset", "committed_leader_epoch", "metadata", "error_code")
    __slots__ = __match_args__

    def __init__(
        self,
        partition_index: int = 0,
        committed_offset: int = 0,
        committed_leader_epoch: int = -1,
        metadata: str | None = "",
        error_code: int = 0,
    ) -> None:
        self.partition_index = partition_index
        self.committed_offset = committed_offset
        self.committed_leader_epoch = committed_leader_epoch
        self.metadata = metadata
        self.error_code = error_code


@mypyc_attr(acyclic=True)
class OffsetFetchResponseTopic(Message):
    __match_args__ = ("name", "partitions")
    __slots__ = __match_args__

    def __init__(
        self,
        name: str = "",
        partitions: Sequence[OffsetFetchResponsePartition] = (),
    ) -> None:
        self.name = name
        self.partitions = partitions


@mypyc_attr(acyclic=True)
class OffsetFetchResponseGroupPartition(Message):
    __match_args__ = ("partition_index", "committed_offset", "committed_leader_epoch", "metadata", "error_code")
    __slots__ = __match_args__

    def __init__(
        self,
        partition_index: int = 0,
        committed_offset: int = 0,
        committed_leader_epoch: int = -1,
        metadata: str | None = "",
        error_code: int = 0,
    ) -> None:
        self.partition_index = partition_index
        self.committed_offset = committed_offset
        self.committed_leader_epoch = committed_leader_epoch
        self.metadata = metadata
        self.error_code = error_code


@mypyc_attr(acyclic=True)
class OffsetFetchResponseGroupTopic(Message):
    __match_args__ = ("name", "topic_id", "partitions")
    __slots__ = __match_args__

    def __init__(
        self,
        name: str = "",
        topic_id: bytes = NO_UUID,
        partitions: Sequence[OffsetFetchResponseGroupPartition] = (),
    ) -> None:
        self.name = name
        self.topic_id = topic_id
        self.partitions = partitions


@mypyc_attr(acyclic=True)
class OffsetFetchResponseGroup(Message):
    __match_args__ = ("group_id", "topics", "error_code")
    __slots__ = __match_args__

    def __init__(
        self,
        group_id: str = "",
        topics: Sequence[OffsetFetchResponseGroupTopic] = (),
        error_code: int = 0,
    ) -> None:
        self.group_id = group_id
        self.topics = topics
        self.error_code = error_code


@mypyc_attr(acyclic=True)
class OffsetFetchResponse(Message):
    __match_args__ = ("throttle_time_ms", "topics", "error_code", "groups")
    __slots__ = __match_args__

    def __init__(
        self,
        throttle_time_ms: int = 0,
        topics: Sequence[OffsetFetchResponseTopic] = (),
        error_code: int = 0,
        groups: Sequence[OffsetFetchResponseGroup] = (),
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.topics = topics
        self.error_code = error_code
        self.groups = groups
