"""Generated from tools/codecs/schemas/create_topics.api by `make generate`; changes belong there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from struct import Struct, error as StructError

from muster.wire.message import Message, encode_failure
from muster.wire.primitives import i32s, misfit, null_field, overrun, read_i32s, read_length, read_tag, skip_tagged, too_many
from muster.wire.varint import read_uvarint, uvarint

new = Message.__new__
pack_uh = Struct(">16sh").pack
pack_uhB = Struct(">16shB").pack
pack_uhx = Struct(">16shx").pack
pack_tbtx = Struct(">?b?x").pack
pack_h = Struct(">h").pack
pack_hB = Struct(">hB").pack
pack_hh = Struct(">hh").pack
pack_hx = Struct(">hx").pack
pack_i = Struct(">i").pack
pack_it = Struct(">i?").pack
pack_itx = Struct(">i?x").pack
pack_iB = Struct(">iB").pack
pack_ih = Struct(">ih").pack
pack_ihB = Struct(">ihB").pack
pack_ihi = Struct(">ihi").pack
pack_ihx = Struct(">ihx").pack
pack_ii = Struct(">ii").pack
unpack_uhB = Struct(">16shB").unpack_from
unpack_tbtB = Struct(">?b?B").unpack_from
unpack_h = Struct(">h").unpack_from
unpack_hB = Struct(">hB").unpack_from
unpack_hh = Struct(">hh").unpack_from
unpack_i = Struct(">i").unpack_from
unpack_it = Struct(">i?").unpack_from
unpack_itB = Struct(">i?B").unpack_from
unpack_iB = Struct(">iB").unpack_from
unpack_ihB = Struct(">ihB").unpack_from
unpack_ihi = Struct(">ihi").unpack_from
unpack_ii = Struct(">ii").unpack_from
NO_UUID: Final = bytes(16)


class CreateTopicsRequestAssignment(Message):
    __match_args__ = ("partition_index", "broker_ids")
    __slots__ = __match_args__

    def __init__(
        self,
        partition_index: int = 0,
        broker_ids: Sequence[int] = (),
    ) -> None:
        self.partition_index = partition_index
        self.broker_ids = broker_ids


class CreateTopicsRequestConfig(Message):
    __match_args__ = ("name", "value")
    __slots__ = __match_args__

    def __init__(
        self,
        name: str = "",
        value: str | None = "",
    ) -> None:
        self.name = name
        self.value = value


class CreateTopicsRequestTopic(Message):
    __match_args__ = ("name", "num_partitions", "replication_factor", "assignments", "configs")
    __slots__ = __match_args__

    def __init__(
        self,
        name: str = "",
        num_partitions: int = 0,
        replication_factor: int = 0,
        assignments: Sequence[CreateTopicsRequestAssignment] = (),
        configs: Sequence[CreateTopicsRequestConfig] = (),
    ) -> None:
        self.name = name
        self.num_partitions = num_partitions
        self.replication_factor = replication_factor
        self.assignments = assignments
        self.configs = configs


class CreateTopicsRequest(Message):
    __match_args__ = ("topics", "timeout_ms", "validate_only")
    __slots__ = __match_args__

    def __init__(
        self,
        topics: Sequence[CreateTopicsRequestTopic] = (),
        timeout_ms: int = 60000,
        validate_only: bool = False,
    ) -> None:
        self.topics = topics
        self.timeout_ms = timeout_ms
        self.validate_only = validate_only


class CreateTopicsResponseConfig(Message):
    __match_args__ = ("name", "value", "read_only", "config_source", "is_sensitive")
    __slots__ = __match_args__

    def __init__(
        self,
        name: str = "",
        value: str | None = "",
        read_only: bool = False,
        config_source: int = -1,
        is_sensitive: bool = False,
    ) -> None:
        self.name = name
        self.value = value
        self.read_only = read_only
        self.config_source = config_source
        self.is_sensitive = is_sensitive


class CreateTopicsResponseTopic(Message):
    __match_args__ = ("name", "topic_id", "error_code", "error_message", "topic_config_error_code", "num_partitions", "replication_factor", "configs")
    __slots__ = __match_args__

    def __init__(
        self,
        name: str = "",
        topic_id: bytes = NO_UUID,
        error_code: int = 0,
        error_message: str | None = "",
        topic_config_error_code: int = 0,
        num_partitions: int = -1,
        replication_factor: int = -1,
        configs: Sequence[CreateTopicsResponseConfig] | None = (),
    ) -> None:
        self.name = name
        self.topic_id = topic_id
        self.error_code = error_code
        self.error_message = error_message
        self.topic_config_error_code = topic_config_error_code
        self.num_partitions = num_partitions
        self.replication_factor = replication_factor
        self.configs = configs


class CreateTopicsResponse(Message):
    __match_args__ = ("throttle_time_ms", "topics")
    __slots__ = __match_args__

    def __init__(
        self,
        throttle_time_ms: int = 0,
        topics: Sequence[CreateTopicsResponseTopic] = (),
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.topics = topics


# versions 2-4
def decode_request_v2(buf: bytes, pos: int) -> CreateTopicsRequest:
    try:
        (n,) = unpack_i(buf, pos)
        pos += 4
        if n < 0:
            raise null_field("CreateTopics request v2-4", "Topics")
        if n * 16 > len(buf) - pos:
            raise overrun("CreateTopics request v2-4", buf, pos)
        if n > 50000:
            raise too_many("CreateTopics request v2-4", n)
        topics_0_items: list[CreateTopicsRequestTopic] = []
        for _ in range(n):
            (n,) = unpack_h(buf, pos)
            pos += 2
            if n < 0:
                raise null_field("CreateTopics request v2-4", "Name")
            end = pos + n
            name_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            num_partitions_1, replication_factor_1, n = unpack_ihi(buf, pos)
            pos += 10
            if n < 0:
                raise null_field("CreateTopics request v2-4", "Assignments")
            if n * 8 > len(buf) - pos:
                raise overrun("CreateTopics request v2-4", buf, pos)
            if n > 50000:
                raise too_many("CreateTopics request v2-4", n)
            assignments_1_items: list[CreateTopicsRequestAssignment] = []
            for _ in range(n):
                partition_index_2, n = unpack_ii(buf, pos)
                pos += 8
                if n < 0:
                    raise null_field("CreateTopics request v2-4", "BrokerIds")
                if n * 4 > len(buf) - pos:
                    raise overrun("CreateTopics request v2-4", buf, pos)
                broker_ids_2 = read_i32s(buf, pos, n)
                pos += n * 4
                made_2 = new(CreateTopicsRequestAssignment)
                made_2.partition_index = partition_index_2
                made_2.broker_ids = broker_ids_2
                assignments_1_items.append(made_2)
            assignments_1 = assignments_1_items
            (n,) = unpack_i(buf, pos)
            pos += 4
            if n < 0:
                raise null_field("CreateTopics request v2-4", "Configs")
            if n * 4 > len(buf) - pos:
                raise overrun("CreateTopics request v2-4", buf, pos)
            if n > 50000:
                raise too_many("CreateTopics request v2-4", n)
            configs_1_items: list[CreateTopicsRequestConfig] = []
            for _ in range(n):
                (n,) = unpack_h(buf, pos)
                pos += 2
                if n < 0:
                    raise null_field("CreateTopics request v2-4", "Name")
                end = pos + n
                name_3 = buf[pos:end].decode("utf-8", "replace")
                pos = end
                (n,) = unpack_h(buf, pos)
                pos += 2
                value_3: str | None = None
                if n >= 0:
                    end = pos + n
                    value_3 = buf[pos:end].decode("utf-8", "replace")
                    pos = end
                made_3 = new(CreateTopicsRequestConfig)
                made_3.name = name_3
                made_3.value = value_3
                configs_1_items.append(made_3)
            configs_1 = configs_1_items
            made_1 = new(CreateTopicsRequestTopic)
            made_1.name = name_1
            made_1.num_partitions = num_partitions_1
            made_1.replication_factor = replication_factor_1
            made_1.assignments = assignments_1
            made_1.configs = configs_1
            topics_0_items.append(made_1)
        topics_0 = topics_0_items
        timeout_ms_0, validate_only_0 = unpack_it(buf, pos)
        pos += 5
        made_0 = new(CreateTopicsRequest)
        made_0.topics = topics_0
        made_0.timeout_ms = timeout_ms_0
        made_0.validate_only = validate_only_0
    except (IndexError, StructError) as error:
        raise overrun("CreateTopics request v2-4", buf, pos) from error
    if pos > len(buf):
        raise overrun("CreateTopics request v2-4", buf, pos)
    return made_0


# versions 5-7
def decode_request_v5(buf: bytes, pos: int) -> CreateTopicsRequest:
    try:
        n = buf[pos]
        pos += 1
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "CreateTopics request v5-7", "Topics")
        n -= 1
        if n * 10 > len(buf) - pos:
            raise overrun("CreateTopics request v5-7", buf, pos)
        if n > 50000:
            raise too_many("CreateTopics request v5-7", n)
        topics_0_items: list[CreateTopicsRequestTopic] = []
        for _ in range(n):
            n = buf[pos]
            pos += 1
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "CreateTopics request v5-7", "Name")
            end = pos + n - 1
            name_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            num_partitions_1, replication_factor_1, n = unpack_ihB(buf, pos)
            pos += 7
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "CreateTopics request v5-7", "Assignments")
            n -= 1
            if n * 6 > len(buf) - pos:
                raise overrun("CreateTopics request v5-7", buf, pos)
            if n > 50000:
                raise too_many("CreateTopics request v5-7", n)
            assignments_1_items: list[CreateTopicsRequestAssignment] = []
            for _ in range(n):
                partition_index_2, n = unpack_iB(buf, pos)
                pos += 5
                if not 0 < n < 128:
                    n, pos = read_length(buf, pos - 1, "CreateTopics request v5-7", "BrokerIds")
                n -= 1
                if n * 4 > len(buf) - pos:
                    raise overrun("CreateTopics request v5-7", buf, pos)
                broker_ids_2 = read_i32s(buf, pos, n)
                pos += n * 4
                tags = buf[pos]
                pos += 1
                if tags:
                    pos = skip_tagged(buf, pos - 1)
                made_2 = new(CreateTopicsRequestAssignment)
                made_2.partition_index = partition_index_2
                made_2.broker_ids = broker_ids_2
                assignments_1_items.append(made_2)
            assignments_1 = assignments_1_items
            n = buf[pos]
            pos += 1
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "CreateTopics request v5-7", "Configs")
            n -= 1
            if n * 3 > len(buf) - pos:
                raise overrun("CreateTopics request v5-7", buf, pos)
            if n > 50000:
                raise too_many("CreateTopics request v5-7", n)
            configs_1_items: list[CreateTopicsRequestConfig] = []
            for _ in range(n):
                n = buf[pos]
                pos += 1
                if not 0 < n < 128:
                    n, pos = read_length(buf, pos - 1, "CreateTopics request v5-7", "Name")
                end = pos + n - 1
                name_3 = buf[pos:end].decode("utf-8", "replace")
                pos = end
                n = buf[pos]
                pos += 1
                if n > 127:
                    n, pos = read_uvarint(buf, pos - 1)
                value_3: str | None = None
                if n > 0:
                    end = pos + n - 1
                    value_3 = buf[pos:end].decode("utf-8", "replace")
                    pos = end
                tags = buf[pos]
                pos += 1
                if tags:
                    pos = skip_tagged(buf, pos - 1)
                made_3 = new(CreateTopicsRequestConfig)
                made_3.name = name_3
                made_3.value = value_3
                configs_1_items.append(made_3)
            configs_1 = configs_1_items
            tags = buf[pos]
            pos += 1
            if tags:
                pos = skip_tagged(buf, pos - 1)
            made_1 = new(CreateTopicsRequestTopic)
            made_1.name = name_1
            made_1.num_partitions = num_partitions_1
            made_1.replication_factor = replication_factor_1
            made_1.assignments = assignments_1
            made_1.configs = configs_1
            topics_0_items.append(made_1)
        topics_0 = topics_0_items
        timeout_ms_0, validate_only_0, tags = unpack_itB(buf, pos)
        pos += 6
        if tags:
            pos = skip_tagged(buf, pos - 1)
        made_0 = new(CreateTopicsRequest)
        made_0.topics = topics_0
        made_0.timeout_ms = timeout_ms_0
        made_0.validate_only = validate_only_0
    except (IndexError, StructError) as error:
        raise overrun("CreateTopics request v5-7", buf, pos) from error
    if pos > len(buf):
        raise overrun("CreateTopics request v5-7", buf, pos)
    return made_0


# versions 2-4
def encode_request_v2(message: CreateTopicsRequest) -> bytes:
    try:
        out = bytearray()
        items_1 = message.topics
        out += pack_i(len(items_1))
        for item_1 in items_1:
            raw = item_1.name.encode()
            out += pack_h(len(raw))
            out += raw
            items_2 = item_1.assignments
            out += pack_ihi(item_1.num_partitions, item_1.replication_factor, len(items_2))
            for item_2 in items_2:
                items_3 = item_2.broker_ids
                out += pack_ii(item_2.partition_index, len(items_3))
                out += i32s(items_3)
            items_4 = item_1.configs
            out += pack_i(len(items_4))
            for item_4 in items_4:
                raw = item_4.name.encode()
                out += pack_h(len(raw))
                out += raw
                value_5 = item_4.value
                if value_5 is None:
                    out += pack_h(-1)
                else:
                    raw = value_5.encode()
                    out += pack_h(len(raw))
                    out += raw
        out += pack_it(message.timeout_ms, message.validate_only)
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("CreateTopics request v2-4", message, error) from error


# versions 5-7
def encode_request_v5(message: CreateTopicsRequest) -> bytes:
    try:
        out = bytearray()
        items_1 = message.topics
        n = len(items_1) + 1
        if n < 128:
            out.append(n)
        else:
            out += uvarint(n)
        for item_1 in items_1:
            raw = item_1.name.encode()
            n = len(raw) + 1
            if n < 128:
                out.append(n)
            else:
                out += uvarint(n)
            out += raw
            items_2 = item_1.assignments
            n = len(items_2) + 1
            if n < 128:
                out += pack_ihB(item_1.num_partitions, item_1.replication_factor, n)
            else:
                out += pack_ih(item_1.num_partitions, item_1.replication_factor)
                out += uvarint(n)
            for item_2 in items_2:
                items_3 = item_2.broker_ids
                n = len(items_3) + 1
                if n < 128:
                    out += pack_iB(item_2.partition_index, n)
                else:
                    out += pack_i(item_2.partition_index)
                    out += uvarint(n)
                out += i32s(items_3)
                out += b"\0"
            items_4 = item_1.configs
            n = len(items_4) + 1
            if n < 128:
                out.append(n)
            else:
                out += uvarint(n)
            for item_4 in items_4:
                raw = item_4.name.encode()
                n = len(raw) + 1
                if n < 128:
                    out.append(n)
                else:
                    out += uvarint(n)
                out += raw
                value_5 = item_4.value
                if value_5 is None:
                    out += b"\0"
                else:
                    raw = value_5.encode()
                    n = len(raw) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        out += uvarint(n)
                    out += raw
                out += b"\0"
            out += b"\0"
        out += pack_itx(message.timeout_ms, message.validate_only)
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("CreateTopics request v5-7", message, error) from error


# versions 2-4
def decode_response_v2(buf: bytes, pos: int) -> CreateTopicsResponse:
    try:
        throttle_time_ms_0, n = unpack_ii(buf, pos)
        pos += 8
        if n < 0:
            raise null_field("CreateTopics response v2-4", "Topics")
        if n * 6 > len(buf) - pos:
            raise overrun("CreateTopics response v2-4", buf, pos)
        topics_0_items: list[CreateTopicsResponseTopic] = []
        for _ in range(n):
            (n,) = unpack_h(buf, pos)
            pos += 2
            if n < 0:
                raise null_field("CreateTopics response v2-4", "Name")
            end = pos + n
            name_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            error_code_1, n = unpack_hh(buf, pos)
            pos += 4
            error_message_1: str | None = None
            if n >= 0:
                end = pos + n
                error_message_1 = buf[pos:end].decode("utf-8", "replace")
                pos = end
            made_1 = new(CreateTopicsResponseTopic)
            made_1.name = name_1
            made_1.topic_id = NO_UUID
            made_1.error_code = error_code_1
            made_1.error_message = error_message_1
            made_1.topic_config_error_code = 0
            made_1.num_partitions = -1
            made_1.replication_factor = -1
            made_1.configs = ()
            topics_0_items.append(made_1)
        topics_0 = topics_0_items
        made_0 = new(CreateTopicsResponse)
        made_0.throttle_time_ms = throttle_time_ms_0
        made_0.topics = topics_0
    except (IndexError, StructError) as error:
        raise overrun("CreateTopics response v2-4", buf, pos) from error
    if pos > len(buf):
        raise overrun("CreateTopics response v2-4", buf, pos)
    return made_0


# versions 5-6
def decode_response_v5(buf: bytes, pos: int) -> CreateTopicsResponse:
    try:
        throttle_time_ms_0, n = unpack_iB(buf, pos)
        pos += 5
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "CreateTopics response v5-6", "Topics")
        n -= 1
        if n * 12 > len(buf) - pos:
            raise overrun("CreateTopics response v5-6", buf, pos)
        topics_0_items: list[CreateTopicsResponseTopic] = []
        for _ in range(n):
            n = buf[pos]
            pos += 1
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "CreateTopics response v5-6", "Name")
            end = pos + n - 1
            name_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            error_code_1, n = unpack_hB(buf, pos)
            pos += 3
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            error_message_1: str | None = None
            if n > 0:
                end = pos + n - 1
                error_message_1 = buf[pos:end].decode("utf-8", "replace")
                pos = end
            num_partitions_1, replication_factor_1, n = unpack_ihB(buf, pos)
            pos += 7
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            configs_1: Sequence[CreateTopicsResponseConfig] | None = None
            if n > 0:
                n -= 1
                if n > len(buf) - pos:
                    raise overrun("CreateTopics response v5-6", buf, pos)
                configs_1_items: list[CreateTopicsResponseConfig] = []
                for _ in range(n):
                    n = buf[pos]
                    pos += 1
                    if not 0 < n < 128:
                        n, pos = read_length(buf, pos - 1, "CreateTopics response v5-6", "Name")
                    end = pos + n - 1
                    name_2 = buf[pos:end].decode("utf-8", "replace")
                    pos = end
                    n = buf[pos]
                    pos += 1
                    if n > 127:
                        n, pos = read_uvarint(buf, pos - 1)
                    value_2: str | None = None
                    if n > 0:
                        end = pos + n - 1
                        value_2 = buf[pos:end].decode("utf-8", "replace")
                        pos = end
                    read_only_2, config_source_2, is_sensitive_2, tags = unpack_tbtB(buf, pos)
                    pos += 4
                    if tags:
                        pos = skip_tagged(buf, pos - 1)
                    made_2 = new(CreateTopicsResponseConfig)
                    made_2.name = name_2
                    made_2.value = value_2
                    made_2.read_only = read_only_2
                    made_2.config_source = config_source_2
                    made_2.is_sensitive = is_sensitive_2
                    configs_1_items.append(made_2)
                configs_1 = configs_1_items
            tags = buf[pos]
            pos += 1
            topic_config_error_code_1: int = 0
            if tags:
                tags, pos = read_uvarint(buf, pos - 1)
                for _ in range(tags):
                    tag, pos, end_3 = read_tag(buf, pos)
                    if tag == 0:
                        (topic_config_error_code_1,) = unpack_h(buf, pos)
                        pos += 2
                        if pos != end_3:
                            raise misfit("CreateTopics response v5-6", "TopicConfigErrorCode", pos)
                    else:
                        pos = end_3
            made_1 = new(CreateTopicsResponseTopic)
            made_1.name = name_1
            made_1.topic_id = NO_UUID
            made_1.error_code = error_code_1
            made_1.error_message = error_message_1
            made_1.topic_config_error_code = topic_config_error_code_1
            made_1.num_partitions = num_partitions_1
            made_1.replication_factor = replication_factor_1
            made_1.configs = configs_1
            topics_0_items.append(made_1)
        topics_0 = topics_0_items
        tags = buf[pos]
        pos += 1
        if tags:
            pos = skip_tagged(buf, pos - 1)
        made_0 = new(CreateTopicsResponse)
        made_0.throttle_time_ms = throttle_time_ms_0
        made_0.topics = topics_0
    except (IndexError, StructError) as error:
        raise overrun("CreateTopics response v5-6", buf, pos) from error
    if pos > len(buf):
        raise overrun("CreateTopics response v5-6", buf, pos)
    return made_0


def decode_response_v7(buf: bytes, pos: int) -> CreateTopicsResponse:
    try:
        throttle_time_ms_0, n = unpack_iB(buf, pos)
        pos += 5
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "CreateTopics response v7", "Topics")
        n -= 1
        if n * 28 > len(buf) - pos:
            raise overrun("CreateTopics response v7", buf, pos)
        topics_0_items: list[CreateTopicsResponseTopic] = []
        for _ in range(n):
            n = buf[pos]
            pos += 1
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "CreateTopics response v7", "Name")
            end = pos + n - 1
            name_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            topic_id_1, error_code_1, n = unpack_uhB(buf, pos)
            pos += 19
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            error_message_1: str | None = None
            if n > 0:
                end = pos + n - 1
                error_message_1 = buf[pos:end].decode("utf-8", "replace")
                pos = end
            num_partitions_1, replication_factor_1, n = unpack_ihB(buf, pos)
            pos += 7
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            configs_1: Sequence[CreateTopicsResponseConfig] | None = None
            if n > 0:
                n -= 1
                if n > len(buf) - pos:
                    raise overrun("CreateTopics response v7", buf, pos)
                configs_1_items: list[CreateTopicsResponseConfig] = []
                for _ in range(n):
                    n = buf[pos]
                    pos += 1
                    if not 0 < n < 128:
                        n, pos = read_length(buf, pos - 1, "CreateTopics response v7", "Name")
                    end = pos + n - 1
                    name_2 = buf[pos:end].decode("utf-8", "replace")
                    pos = end
                    n = buf[pos]
                    pos += 1
                    if n > 127:
                        n, pos = read_uvarint(buf, pos - 1)
                    value_2: str | None = None
                    if n > 0:
                        end = pos + n - 1
                        value_2 = buf[pos:end].decode("utf-8", "replace")
                        pos = end
                    read_only_2, config_source_2, is_sensitive_2, tags = unpack_tbtB(buf, pos)
                    pos += 4
                    if tags:
                        pos = skip_tagged(buf, pos - 1)
                    made_2 = new(CreateTopicsResponseConfig)
                    made_2.name = name_2
                    made_2.value = value_2
                    made_2.read_only = read_only_2
                    made_2.config_source = config_source_2
                    made_2.is_sensitive = is_sensitive_2
                    configs_1_items.append(made_2)
                configs_1 = configs_1_items
            tags = buf[pos]
            pos += 1
            topic_config_error_code_1: int = 0
            if tags:
                tags, pos = read_uvarint(buf, pos - 1)
                for _ in range(tags):
                    tag, pos, end_3 = read_tag(buf, pos)
                    if tag == 0:
                        (topic_config_error_code_1,) = unpack_h(buf, pos)
                        pos += 2
                        if pos != end_3:
                            raise misfit("CreateTopics response v7", "TopicConfigErrorCode", pos)
                    else:
                        pos = end_3
            made_1 = new(CreateTopicsResponseTopic)
            made_1.name = name_1
            made_1.topic_id = topic_id_1
            made_1.error_code = error_code_1
            made_1.error_message = error_message_1
            made_1.topic_config_error_code = topic_config_error_code_1
            made_1.num_partitions = num_partitions_1
            made_1.replication_factor = replication_factor_1
            made_1.configs = configs_1
            topics_0_items.append(made_1)
        topics_0 = topics_0_items
        tags = buf[pos]
        pos += 1
        if tags:
            pos = skip_tagged(buf, pos - 1)
        made_0 = new(CreateTopicsResponse)
        made_0.throttle_time_ms = throttle_time_ms_0
        made_0.topics = topics_0
    except (IndexError, StructError) as error:
        raise overrun("CreateTopics response v7", buf, pos) from error
    if pos > len(buf):
        raise overrun("CreateTopics response v7", buf, pos)
    return made_0


# versions 2-4
def encode_response_v2(message: CreateTopicsResponse) -> bytes:
    try:
        out = bytearray()
        items_1 = message.topics
        out += pack_ii(message.throttle_time_ms, len(items_1))
        for item_1 in items_1:
            raw = item_1.name.encode()
            out += pack_h(len(raw))
            out += raw
            value_2 = item_1.error_message
            if value_2 is None:
                out += pack_hh(item_1.error_code, -1)
            else:
                raw = value_2.encode()
                out += pack_hh(item_1.error_code, len(raw))
                out += raw
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("CreateTopics response v2-4", message, error) from error


# versions 5-6
def encode_response_v5(message: CreateTopicsResponse) -> bytes:
    try:
        out = bytearray()
        items_1 = message.topics
        n = len(items_1) + 1
        if n < 128:
            out += pack_iB(message.throttle_time_ms, n)
        else:
            out += pack_i(message.throttle_time_ms)
            out += uvarint(n)
        for item_1 in items_1:
            raw = item_1.name.encode()
            n = len(raw) + 1
            if n < 128:
                out.append(n)
            else:
                out += uvarint(n)
            out += raw
            value_2 = item_1.error_message
            if value_2 is None:
                out += pack_hx(item_1.error_code)
            else:
                raw = value_2.encode()
                n = len(raw) + 1
                if n < 128:
                    out += pack_hB(item_1.error_code, n)
                else:
                    out += pack_h(item_1.error_code)
                    out += uvarint(n)
                out += raw
            value_3 = item_1.configs
            if value_3 is None:
                out += pack_ihx(item_1.num_partitions, item_1.replication_factor)
            else:
                items_4 = value_3
                n = len(items_4) + 1
                if n < 128:
                    out += pack_ihB(item_1.num_partitions, item_1.replication_factor, n)
                else:
                    out += pack_ih(item_1.num_partitions, item_1.replication_factor)
                    out += uvarint(n)
                for item_4 in items_4:
                    raw = item_4.name.encode()
                    n = len(raw) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        out += uvarint(n)
                    out += raw
                    value_5 = item_4.value
                    if value_5 is None:
                        out += b"\0"
                    else:
                        raw = value_5.encode()
                        n = len(raw) + 1
                        if n < 128:
                            out.append(n)
                        else:
                            out += uvarint(n)
                        out += raw
                    out += pack_tbtx(item_4.read_only, item_4.config_source, item_4.is_sensitive)
            if (item_1.topic_config_error_code != 0):
                count_6 = 0
                section_6 = bytearray()
                if item_1.topic_config_error_code != 0:
                    payload_6 = bytearray()
                    payload_6 += pack_h(item_1.topic_config_error_code)
                    count_6 += 1
                    section_6 += uvarint(0) + uvarint(len(payload_6)) + payload_6
                out += uvarint(count_6) + section_6
            else:
                out += b"\0"
        out += b"\0"
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("CreateTopics response v5-6", message, error) from error


def encode_response_v7(message: CreateTopicsResponse) -> bytes:
    try:
        out = bytearray()
        items_1 = message.topics
        n = len(items_1) + 1
        if n < 128:
            out += pack_iB(message.throttle_time_ms, n)
        else:
            out += pack_i(message.throttle_time_ms)
            out += uvarint(n)
        for item_1 in items_1:
            raw = item_1.name.encode()
            n = len(raw) + 1
            if n < 128:
                out.append(n)
            else:
                out += uvarint(n)
            out += raw
            value_2 = item_1.error_message
            if value_2 is None:
                out += pack_uhx(item_1.topic_id, item_1.error_code)
            else:
                raw = value_2.encode()
                n = len(raw) + 1
                if n < 128:
                    out += pack_uhB(item_1.topic_id, item_1.error_code, n)
                else:
                    out += pack_uh(item_1.topic_id, item_1.error_code)
                    out += uvarint(n)
                out += raw
            value_3 = item_1.configs
            if value_3 is None:
                out += pack_ihx(item_1.num_partitions, item_1.replication_factor)
            else:
                items_4 = value_3
                n = len(items_4) + 1
                if n < 128:
                    out += pack_ihB(item_1.num_partitions, item_1.replication_factor, n)
                else:
                    out += pack_ih(item_1.num_partitions, item_1.replication_factor)
                    out += uvarint(n)
                for item_4 in items_4:
                    raw = item_4.name.encode()
                    n = len(raw) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        out += uvarint(n)
                    out += raw
                    value_5 = item_4.value
                    if value_5 is None:
                        out += b"\0"
                    else:
                        raw = value_5.encode()
                        n = len(raw) + 1
                        if n < 128:
                            out.append(n)
                        else:
                            out += uvarint(n)
                        out += raw
                    out += pack_tbtx(item_4.read_only, item_4.config_source, item_4.is_sensitive)
            if (item_1.topic_config_error_code != 0):
                count_6 = 0
                section_6 = bytearray()
                if item_1.topic_config_error_code != 0:
                    payload_6 = bytearray()
                    payload_6 += pack_h(item_1.topic_config_error_code)
                    count_6 += 1
                    section_6 += uvarint(0) + uvarint(len(payload_6)) + payload_6
                out += uvarint(count_6) + section_6
            else:
                out += b"\0"
        out += b"\0"
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("CreateTopics response v7", message, error) from error


REQUEST_DECODERS = {
    2: decode_request_v2,
    3: decode_request_v2,
    4: decode_request_v2,
    5: decode_request_v5,
    6: decode_request_v5,
    7: decode_request_v5,
}
REQUEST_ENCODERS = {
    2: encode_request_v2,
    3: encode_request_v2,
    4: encode_request_v2,
    5: encode_request_v5,
    6: encode_request_v5,
    7: encode_request_v5,
}
RESPONSE_DECODERS = {
    2: decode_response_v2,
    3: decode_response_v2,
    4: decode_response_v2,
    5: decode_response_v5,
    6: decode_response_v5,
    7: decode_response_v7,
}
RESPONSE_ENCODERS = {
    2: encode_response_v2,
    3: encode_response_v2,
    4: encode_response_v2,
    5: encode_response_v5,
    6: encode_response_v5,
    7: encode_response_v7,
}
