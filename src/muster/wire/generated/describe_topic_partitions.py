"""Generated from tools/codecs/schemas/describe_topic_partitions.api by `make generate`; changes belong there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from struct import Struct, error as StructError

from muster.wire.message import Message, encode_failure
from muster.wire.primitives import i32s, overrun, read_i32s, read_length, skip_tagged, too_many
from muster.wire.varint import read_uvarint, uvarint

new = Message.__new__
pack_ut = Struct(">16s?").pack
pack_utB = Struct(">16s?B").pack
pack_b = Struct(">b").pack
pack_bB = Struct(">bB").pack
pack_h = Struct(">h").pack
pack_hB = Struct(">hB").pack
pack_hiii = Struct(">hiii").pack
pack_hiiiB = Struct(">hiiiB").pack
pack_hx = Struct(">hx").pack
pack_i = Struct(">i").pack
pack_iB = Struct(">iB").pack
pack_ib = Struct(">ib").pack
pack_ibB = Struct(">ibB").pack
pack_ix = Struct(">ix").pack
unpack_utB = Struct(">16s?B").unpack_from
unpack_b = Struct(">b").unpack_from
unpack_hB = Struct(">hB").unpack_from
unpack_hiiiB = Struct(">hiiiB").unpack_from
unpack_iB = Struct(">iB").unpack_from
unpack_ib = Struct(">ib").unpack_from
NO_UUID: Final = bytes(16)


class DescribeTopicPartitionsRequestTopic(Message):
    __match_args__ = ("name",)
    __slots__ = __match_args__

    def __init__(
        self,
        name: str = "",
    ) -> None:
        self.name = name


class DescribeTopicPartitionsRequestCursor(Message):
    __match_args__ = ("topic_name", "partition_index")
    __slots__ = __match_args__

    def __init__(
        self,
        topic_name: str = "",
        partition_index: int = 0,
    ) -> None:
        self.topic_name = topic_name
        self.partition_index = partition_index


class DescribeTopicPartitionsRequest(Message):
    __match_args__ = ("topics", "response_partition_limit", "cursor")
    __slots__ = __match_args__

    def __init__(
        self,
        topics: Sequence[DescribeTopicPartitionsRequestTopic] = (),
        response_partition_limit: int = 2000,
        cursor: DescribeTopicPartitionsRequestCursor | None = None,
    ) -> None:
        self.topics = topics
        self.response_partition_limit = response_partition_limit
        self.cursor = cursor


class DescribeTopicPartitionsResponsePartition(Message):
    __match_args__ = ("error_code", "partition_index", "leader_id", "leader_epoch", "replica_nodes", "isr_nodes", "eligible_leader_replicas", "last_known_elr", "offline_replicas")
    __slots__ = __match_args__

    def __init__(
        self,
        error_code: int = 0,
        partition_index: int = 0,
        leader_id: int = 0,
        leader_epoch: int = -1,
        replica_nodes: Sequence[int] = (),
        isr_nodes: Sequence[int] = (),
        eligible_leader_replicas: Sequence[int] | None = None,
        last_known_elr: Sequence[int] | None = None,
        offline_replicas: Sequence[int] = (),
    ) -> None:
        self.error_code = error_code
        self.partition_index = partition_index
        self.leader_id = leader_id
        self.leader_epoch = leader_epoch
        self.replica_nodes = replica_nodes
        self.isr_nodes = isr_nodes
        self.eligible_leader_replicas = eligible_leader_replicas
        self.last_known_elr = last_known_elr
        self.offline_replicas = offline_replicas


class DescribeTopicPartitionsResponseTopic(Message):
    __match_args__ = ("error_code", "name", "topic_id", "is_internal", "partitions", "topic_authorized_operations")
    __slots__ = __match_args__

    def __init__(
        self,
        error_code: int = 0,
        name: str | None = "",
        topic_id: bytes = NO_UUID,
        is_internal: bool = False,
        partitions: Sequence[DescribeTopicPartitionsResponsePartition] = (),
        topic_authorized_operations: int = -2147483648,
    ) -> None:
        self.error_code = error_code
        self.name = name
        self.topic_id = topic_id
        self.is_internal = is_internal
        self.partitions = partitions
        self.topic_authorized_operations = topic_authorized_operations


class DescribeTopicPartitionsResponseCursor(Message):
    __match_args__ = ("topic_name", "partition_index")
    __slots__ = __match_args__

    def __init__(
        self,
        topic_name: str = "",
        partition_index: int = 0,
    ) -> None:
        self.topic_name = topic_name
        self.partition_index = partition_index


class DescribeTopicPartitionsResponse(Message):
    __match_args__ = ("throttle_time_ms", "topics", "next_cursor")
    __slots__ = __match_args__

    def __init__(
        self,
        throttle_time_ms: int = 0,
        topics: Sequence[DescribeTopicPartitionsResponseTopic] = (),
        next_cursor: DescribeTopicPartitionsResponseCursor | None = None,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.topics = topics
        self.next_cursor = next_cursor


def decode_request_v0(buf: bytes, pos: int) -> DescribeTopicPartitionsRequest:
    try:
        n = buf[pos]
        pos += 1
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "DescribeTopicPartitions request v0", "Topics")
        n -= 1
        if n * 2 > len(buf) - pos:
            raise overrun("DescribeTopicPartitions request v0", buf, pos)
        if n > 50000:
            raise too_many("DescribeTopicPartitions request v0", n)
        topics_0_items: list[DescribeTopicPartitionsRequestTopic] = []
        for _ in range(n):
            n = buf[pos]
            pos += 1
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "DescribeTopicPartitions request v0", "Name")
            end = pos + n - 1
            name_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            tags = buf[pos]
            pos += 1
            if tags:
                pos = skip_tagged(buf, pos - 1)
            made_1 = new(DescribeTopicPartitionsRequestTopic)
            made_1.name = name_1
            topics_0_items.append(made_1)
        topics_0 = topics_0_items
        response_partition_limit_0, present = unpack_ib(buf, pos)
        pos += 5
        cursor_0: DescribeTopicPartitionsRequestCursor | None = None
        if present >= 0:
            n = buf[pos]
            pos += 1
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "DescribeTopicPartitions request v0", "TopicName")
            end = pos + n - 1
            topic_name_2 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            partition_index_2, tags = unpack_iB(buf, pos)
            pos += 5
            if tags:
                pos = skip_tagged(buf, pos - 1)
            made_2 = new(DescribeTopicPartitionsRequestCursor)
            made_2.topic_name = topic_name_2
            made_2.partition_index = partition_index_2
            cursor_0 = made_2
        tags = buf[pos]
        pos += 1
        if tags:
            pos = skip_tagged(buf, pos - 1)
        made_0 = new(DescribeTopicPartitionsRequest)
        made_0.topics = topics_0
        made_0.response_partition_limit = response_partition_limit_0
        made_0.cursor = cursor_0
    except (IndexError, StructError) as error:
        raise overrun("DescribeTopicPartitions request v0", buf, pos) from error
    if pos > len(buf):
        raise overrun("DescribeTopicPartitions request v0", buf, pos)
    return made_0


def encode_request_v0(message: DescribeTopicPartitionsRequest) -> bytes:
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
            out += b"\0"
        value_2 = message.cursor
        if value_2 is None:
            out += pack_ib(message.response_partition_limit, -1)
        else:
            raw = value_2.topic_name.encode()
            n = len(raw) + 1
            if n < 128:
                out += pack_ibB(message.response_partition_limit, 1, n)
            else:
                out += pack_ib(message.response_partition_limit, 1)
                out += uvarint(n)
            out += raw
            out += pack_ix(value_2.partition_index)
        out += b"\0"
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("DescribeTopicPartitions request v0", message, error) from error


def decode_response_v0(buf: bytes, pos: int) -> DescribeTopicPartitionsResponse:
    try:
        throttle_time_ms_0, n = unpack_iB(buf, pos)
        pos += 5
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "DescribeTopicPartitions response v0", "Topics")
        n -= 1
        if n * 26 > len(buf) - pos:
            raise overrun("DescribeTopicPartitions response v0", buf, pos)
        topics_0_items: list[DescribeTopicPartitionsResponseTopic] = []
        for _ in range(n):
            error_code_1, n = unpack_hB(buf, pos)
            pos += 3
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            name_1: str | None = None
            if n > 0:
                end = pos + n - 1
                name_1 = buf[pos:end].decode("utf-8", "replace")
                pos = end
            topic_id_1, is_internal_1, n = unpack_utB(buf, pos)
            pos += 18
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "DescribeTopicPartitions response v0", "Partitions")
            n -= 1
            if n * 20 > len(buf) - pos:
                raise overrun("DescribeTopicPartitions response v0", buf, pos)
            partitions_1_items: list[DescribeTopicPartitionsResponsePartition] = []
            for _ in range(n):
                error_code_2, partition_index_2, leader_id_2, leader_epoch_2, n = unpack_hiiiB(buf, pos)
                pos += 15
                if not 0 < n < 128:
                    n, pos = read_length(buf, pos - 1, "DescribeTopicPartitions response v0", "ReplicaNodes")
                n -= 1
                if n * 4 > len(buf) - pos:
                    raise overrun("DescribeTopicPartitions response v0", buf, pos)
                replica_nodes_2 = read_i32s(buf, pos, n)
                pos += n * 4
                n = buf[pos]
                pos += 1
                if not 0 < n < 128:
                    n, pos = read_length(buf, pos - 1, "DescribeTopicPartitions response v0", "IsrNodes")
                n -= 1
                if n * 4 > len(buf) - pos:
                    raise overrun("DescribeTopicPartitions response v0", buf, pos)
                isr_nodes_2 = read_i32s(buf, pos, n)
                pos += n * 4
                n = buf[pos]
                pos += 1
                if n > 127:
                    n, pos = read_uvarint(buf, pos - 1)
                eligible_leader_replicas_2: Sequence[int] | None = None
                if n > 0:
                    n -= 1
                    if n * 4 > len(buf) - pos:
                        raise overrun("DescribeTopicPartitions response v0", buf, pos)
                    eligible_leader_replicas_2 = read_i32s(buf, pos, n)
                    pos += n * 4
                n = buf[pos]
                pos += 1
                if n > 127:
                    n, pos = read_uvarint(buf, pos - 1)
                last_known_elr_2: Sequence[int] | None = None
                if n > 0:
                    n -= 1
                    if n * 4 > len(buf) - pos:
                        raise overrun("DescribeTopicPartitions response v0", buf, pos)
                    last_known_elr_2 = read_i32s(buf, pos, n)
                    pos += n * 4
                n = buf[pos]
                pos += 1
                if not 0 < n < 128:
                    n, pos = read_length(buf, pos - 1, "DescribeTopicPartitions response v0", "OfflineReplicas")
                n -= 1
                if n * 4 > len(buf) - pos:
                    raise overrun("DescribeTopicPartitions response v0", buf, pos)
                offline_replicas_2 = read_i32s(buf, pos, n)
                pos += n * 4
                tags = buf[pos]
                pos += 1
                if tags:
                    pos = skip_tagged(buf, pos - 1)
                made_2 = new(DescribeTopicPartitionsResponsePartition)
                made_2.error_code = error_code_2
                made_2.partition_index = partition_index_2
                made_2.leader_id = leader_id_2
                made_2.leader_epoch = leader_epoch_2
                made_2.replica_nodes = replica_nodes_2
                made_2.isr_nodes = isr_nodes_2
                made_2.eligible_leader_replicas = eligible_leader_replicas_2
                made_2.last_known_elr = last_known_elr_2
                made_2.offline_replicas = offline_replicas_2
                partitions_1_items.append(made_2)
            partitions_1 = partitions_1_items
            topic_authorized_operations_1, tags = unpack_iB(buf, pos)
            pos += 5
            if tags:
                pos = skip_tagged(buf, pos - 1)
            made_1 = new(DescribeTopicPartitionsResponseTopic)
            made_1.error_code = error_code_1
            made_1.name = name_1
            made_1.topic_id = topic_id_1
            made_1.is_internal = is_internal_1
            made_1.partitions = partitions_1
            made_1.topic_authorized_operations = topic_authorized_operations_1
            topics_0_items.append(made_1)
        topics_0 = topics_0_items
        (present,) = unpack_b(buf, pos)
        pos += 1
        next_cursor_0: DescribeTopicPartitionsResponseCursor | None = None
        if present >= 0:
            n = buf[pos]
            pos += 1
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "DescribeTopicPartitions response v0", "TopicName")
            end = pos + n - 1
            topic_name_3 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            partition_index_3, tags = unpack_iB(buf, pos)
            pos += 5
            if tags:
                pos = skip_tagged(buf, pos - 1)
            made_3 = new(DescribeTopicPartitionsResponseCursor)
            made_3.topic_name = topic_name_3
            made_3.partition_index = partition_index_3
            next_cursor_0 = made_3
        tags = buf[pos]
        pos += 1
        if tags:
            pos = skip_tagged(buf, pos - 1)
        made_0 = new(DescribeTopicPartitionsResponse)
        made_0.throttle_time_ms = throttle_time_ms_0
        made_0.topics = topics_0
        made_0.next_cursor = next_cursor_0
    except (IndexError, StructError) as error:
        raise overrun("DescribeTopicPartitions response v0", buf, pos) from error
    if pos > len(buf):
        raise overrun("DescribeTopicPartitions response v0", buf, pos)
    return made_0


def encode_response_v0(message: DescribeTopicPartitionsResponse) -> bytes:
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
            value_2 = item_1.name
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
            items_3 = item_1.partitions
            n = len(items_3) + 1
            if n < 128:
                out += pack_utB(item_1.topic_id, item_1.is_internal, n)
            else:
                out += pack_ut(item_1.topic_id, item_1.is_internal)
                out += uvarint(n)
            for item_3 in items_3:
                items_4 = item_3.replica_nodes
                n = len(items_4) + 1
                if n < 128:
                    out += pack_hiiiB(item_3.error_code, item_3.partition_index, item_3.leader_id, item_3.leader_epoch, n)
                else:
                    out += pack_hiii(item_3.error_code, item_3.partition_index, item_3.leader_id, item_3.leader_epoch)
                    out += uvarint(n)
                out += i32s(items_4)
                items_5 = item_3.isr_nodes
                n = len(items_5) + 1
                if n < 128:
                    out.append(n)
                else:
                    out += uvarint(n)
                out += i32s(items_5)
                value_6 = item_3.eligible_leader_replicas
                if value_6 is None:
                    out += b"\0"
                else:
                    items_7 = value_6
                    n = len(items_7) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        out += uvarint(n)
                    out += i32s(items_7)
                value_8 = item_3.last_known_elr
                if value_8 is None:
                    out += b"\0"
                else:
                    items_9 = value_8
                    n = len(items_9) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        out += uvarint(n)
                    out += i32s(items_9)
                items_10 = item_3.offline_replicas
                n = len(items_10) + 1
                if n < 128:
                    out.append(n)
                else:
                    out += uvarint(n)
                out += i32s(items_10)
                out += b"\0"
            out += pack_ix(item_1.topic_authorized_operations)
        value_11 = message.next_cursor
        if value_11 is None:
            out += pack_b(-1)
        else:
            raw = value_11.topic_name.encode()
            n = len(raw) + 1
            if n < 128:
                out += pack_bB(1, n)
            else:
                out += pack_b(1)
                out += uvarint(n)
            out += raw
            out += pack_ix(value_11.partition_index)
        out += b"\0"
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("DescribeTopicPartitions response v0", message, error) from error


REQUEST_DECODERS = {
    0: decode_request_v0,
}
REQUEST_ENCODERS = {
    0: encode_request_v0,
}
RESPONSE_DECODERS = {
    0: decode_response_v0,
}
RESPONSE_ENCODERS = {
    0: encode_response_v0,
}
