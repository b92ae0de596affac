"""Generated from tools/codecs/schemas/produce.api by `make generate`; changes belong there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from mypy_extensions import mypyc_attr

from muster.wire.message import Message

NO_UUID: Final = bytes(16)


@mypyc_attr(acyclic=True)
class ProduceRequestPartition(Message):
    __match_args__ = ("index", "records")
    __slots__ = __match_args__

    def __init__(
        self,
        index: int = 0,
        records: bytes | None = b"",
    ) -> None:
        self.index = index
        self.records = records


@mypyc_attr(acyclic=True)
class ProduceRequestTopic(Message):
    __match_args__ = ("name", "topic_id", "partition_data")
    __slots__ = __match_args__

    def __init__(
        self,
        name: str = "",
        topic_id: bytes = NO_UUID,
        partition_data: Sequence[ProduceRequestPartition] = (),
    ) -> None:
        self.name = name
        self.topic_id = topic_id
        self.partition_data = partition_data


@mypyc_attr(acyclic=True)
class ProduceRequest(Message):
    __match_args__ = ("transactional_id", "acks", "timeout_ms", "topic_data")
    __slots__ = __match_args__

    def __init__(
        self,
        transactional_id: str | None = None,
        acks: int = 0,
        timeout_ms: int = 0,
        topic_data: Sequence[ProduceRequestTopic] = (),
    ) -> None:
        self.transactional_id = transactional_id
        self.acks = acks
        self.timeout_ms = timeout_ms
        self.topic_data = topic_data


@mypyc_attr(acyclic=True)
class ProduceResponseRecordError(Message):
    __match_args__ = ("batch_index", "batch_index_error_message")
    __slots__ = __match_args__

    def __init__(
        self,
        batch_index: int = 0,
        batch_index_error_message: str | None = None,
    ) -> None:
        self.batch_index = batch_index
        self.batch_index_error_message = batch_index_error_message


@mypyc_attr(acyclic=True)
class ProduceResponseCurrentLeader(Message):
    __match_args__ = ("leader_id", "leader_epoch")
    __slots__ = __match_args__

    def __init__(
        self,
        leader_id: int = -1,
        leader_epoch: int = -1,
    ) -> None:
        self.leader_id = leader_id
        self.leader_epoch = leader_epoch


@mypyc_attr(acyclic=True)
class ProduceResponsePartition(Message):
    __match_args__ = ("index", "error_code", "base_offset", "log_append_time_ms", "log_start_offset", "record_errors", "error_message", "current_leader")
    __slots__ = __match_args__

    def __init__(
        self,
        index: int = 0,
        error_code: int = 0,
        base_offset: int = 0,
        log_append_time_ms: int = -1,
        log_start_offset: int = -1,
        record_errors: Sequence[ProduceResponseRecordError] = (),
        error_message: str | None = None,
        current_leader: ProduceResponseCurrentLeader | None = None,
    ) -> None:
        self.index = index
        self.error_code = error_code
        self.base_offset = base_offset
        self.log_append_time_ms = log_append_time_ms
        self.log_start_offset = log_start_offset
        self.record_errors = record_errors
        self.error_message = error_message
        self.current_leader = current_leader


@mypyc_attr(acyclic=True)
class ProduceResponseTopic(Message):
    __match_args__ = ("name", "topic_id", "partition_responses")
    __slots__ = __match_args__

    def __init__(
        self,
        name: str = "",
        topic_id: bytes = NO_UUID,
        partition_responses: Sequence[ProduceResponsePartition] = (),
    ) -> None:
        self.name = name
        self.topic_id = topic_id
        self.partition_responses = partition_responses


@mypyc_attr(acyclic=True)
class ProduceResponseNodeEndpoint(Message):
    __match_args__ = ("node_id", "host", "port", "rack")
    __slots__ = __match_args__

    def __init__(
        self,
        node_id: int = 0,
        host: str = "",
        port: int = 0,
        rack: str | None = None,
    ) -> None:
        self.node_id = node_id
        self.host = host
        self.port = port
        self.rack = rack


@mypyc_attr(acyclic=True)
class ProduceResponse(Message):
    __match_args__ = ("responses", "throttle_time_ms", "node_endpoints")
    __slots__ = __match_args__

    def __init__(
        self,
        responses: Sequence[ProduceResponseTopic] = (),
        throttle_time_ms: int = 0,
        node_endpoints: Sequence[ProduceResponseNodeEndpoint] = (),
    ) -> None:
        self.responses = responses
        self.throttle_time_ms = throttle_time_ms
        self.node_endpoints = node_endpoints
