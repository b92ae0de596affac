"""Generated from tools/codecs/schemas/consumer_group_heartbeat.api by `make generate`; changes belong there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from mypy_extensions import mypyc_attr

from muster.wire.message import Message

NO_UUID: Final = bytes(16)


@mypyc_attr(acyclic=True)
class ConsumerGroupHeartbeatRequestTopicPartition(Message):
    __match_args__ = ("topic_id", "partitions")
    __slots__ = __match_args__

    def __init__(
        self,
        topic_id: bytes = NO_UUID,
        partitions: Sequence[int] = (),
    ) -> None:
        self.topic_id = topic_id
        self.partitions = partitions


@mypyc_attr(acyclic=True)
class ConsumerGroupHeartbeatRequest(Message):
    __match_args__ = ("group_id", "member_id", "member_epoch", "instance_id", "rack_id", "rebalance_timeout_ms", "subscribed_topic_names", "subscribed_topic_regex", "server_assignor", "topic_partitions")
    __slots__ = __match_args__

    def __init__(
        self,
        group_id: str = "",
        member_id: str = "",
        member_epoch: int = 0,
        instance_id: str | None = None,
        rack_id: str | None = None,
        rebalance_timeout_ms: int = -1,
        subscribed_topic_names: Sequence[str] | None = None,
        subscribed_topic_regex: str | None = None,
        server_assignor: str | None = None,
        topic_partitions: Sequence[ConsumerGroupHeartbeatRequestTopicPartition] | None = None,
    ) -> None:
        self.group_id = group_id
        self.member_id = member_id
        self.member_epoch = member_epoch
        self.instance_id = instance_id
        self.rack_id = rack_id
        self.rebalance_timeout_ms = rebalance_timeout_ms
        self.subscribed_topic_names = subscribed_topic_names
        self.subscribed_topic_regex = subscribed_topic_regex
        self.server_assignor = server_assignor
        self.topic_partitions = topic_partitions


@mypyc_attr(acyclic=True)
class ConsumerGroupHeartbeatResponseTopicPartition(Message):
    __match_args__ = ("topic_id", "partitions")
    __slots__ = __match_args__

    def __init__(
        self,
        topic_id: bytes = NO_UUID,
        partitions: Sequence[int] = (),
    ) -> None:
        self.topic_id = topic_id
        self.partitions = partitions


@mypyc_attr(acyclic=True)
class ConsumerGroupHeartbeatResponseAssignment(Message):
    __match_args__ = ("topic_partitions",)
    __slots__ = __match_args__

    def __init__(
        self,
        topic_partitions: Sequence[ConsumerGroupHeartbeatResponseTopicPartition] = (),
    ) -> None:
        self.topic_partitions = topic_partitions


@mypyc_attr(acyclic=True)
class ConsumerGroupHeartbeatResponse(Message):
    __match_args__ = ("throttle_time_ms", "error_code", "error_message", "member_id", "member_epoch", "heartbeat_interval_ms", "assignment")
    __slots__ = __match_args__

    def __init__(
        self,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        error_message: str | None = None,
        member_id: str | None = None,
        member_epoch: int = 0,
        heartbeat_interval_ms: int = 0,
        assignment: ConsumerGroupHeartbeatResponseAssignment | None = None,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.error_message = error_message
        self.member_id = member_id
        self.member_epoch = member_epoch
        self.heartbeat_interval_ms = heartbeat_interval_ms
        self.assignment = assignment
