"""Generated from tools/codecs/schemas/offset_for_leader_epoch.api by `make generate`; changes belong there."""

from __future__ import annotations

from collections.abc import Sequence

from struct import Struct, error as StructError

from muster.wire.message import Message, encode_failure
from muster.wire.primitives import null_field, overrun, read_length, skip_tagged, too_many
from muster.wire.varint import uvarint

new = Message.__new__
pack_h = Struct(">h").pack
pack_hiiq = Struct(">hiiq").pack
pack_hiiqx = Struct(">hiiqx").pack
pack_i = Struct(">i").pack
pack_iB = Struct(">iB").pack
pack_ii = Struct(">ii").pack
pack_iii = Struct(">iii").pack
pack_iiix = Struct(">iiix").pack
unpack_h = Struct(">h").unpack_from
unpack_hiiq = Struct(">hiiq").unpack_from
unpack_hiiqB = Struct(">hiiqB").unpack_from
unpack_i = Struct(">i").unpack_from
unpack_iB = Struct(">iB").unpack_from
unpack_ii = Struct(">ii").unpack_from
unpack_iii = Struct(">iii").unpack_from
unpack_iiiB = Struct(">iiiB").unpack_from


class OffsetForLeaderEpochRequestPartition(Message):
    __match_args__ = ("partition", "current_leader_epoch", "leader_epoch")
    __slots__ = __match_args__

    def __init__(
        self,
        partition: int = 0,
        current_leader_epoch: int = -1,
        leader_epoch: int = 0,
    ) -> None:
        self.partition = partition
        self.current_leader_epoch = current_leader_epoch
        self.leader_epoch = leader_epoch


class OffsetForLeaderEpochRequestTopic(Message):
    __match_args__ = ("topic", "partitions")
    __slots__ = __match_args__

    def __init__(
        self,
        topic: str = "",
        partitions: Sequence[OffsetForLeaderEpochRequestPartition] = (),
    ) -> None:
        self.topic = topic
        self.partitions = partitions


class OffsetForLeaderEpochRequest(Message):
    __match_args__ = ("replica_id", "topics")
    __slots__ = __match_args__

    def __init__(
        self,
        replica_id: int = -2,
        topics: Sequence[OffsetForLeaderEpochRequestTopic] = (),
    ) -> None:
        self.replica_id = replica_id
        self.topics = topics


class OffsetForLeaderEpochResponsePartition(Message):
    __match_args__ = ("error_code", "partition", "leader_epoch", "end_offset")
    __slots__ = __match_args__

    def __init__(
        self,
        error_code: int = 0,
        partition: int = 0,
        leader_epoch: int = -1,
        end_offset: int = -1,
    ) -> None:
        self.error_code = error_code
        self.partition = partition
        self.leader_epoch = leader_epoch
        self.end_offset = end_offset


class OffsetForLeaderEpochResponseTopic(Message):
    __match_args__ = ("topic", "partitions")
    __slots__ = __match_args__

    def __init__(
        self,
        topic: str = "",
        partitions: Sequence[OffsetForLeaderEpochResponsePartition] = (),
    ) -> None:
        self.topic = topic
        self.partitions = partitions


class OffsetForLeaderEpochResponse(Message):
    __match_args__ = ("throttle_time_ms", "topics")
    __slots__ = __match_args__

    def __init__(
        self,
        throttle_time_ms: int = 0,
        topics: Sequence[OffsetForLeaderEpochResponseTopic] = (),
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.topics = topics


def decode_request_v2(buf: bytes, pos: int) -> OffsetForLeaderEpochRequest:
    try:
        (n,) = unpack_i(buf, pos)
        pos += 4
        if n < 0:
            raise null_field("OffsetForLeaderEpoch request v2", "Topics")
        if n * 6 > len(buf) - pos:
            raise overrun("OffsetForLeaderEpoch request v2", buf, pos)
        if n > 50000:
            raise too_many("OffsetForLeaderEpoch request v2", n)
        topics_0_items: list[OffsetForLeaderEpochRequestTopic] = []
        for _ in range(n):
            (n,) = unpack_h(buf, pos)
            pos += 2
            if n < 0:
                raise null_field("OffsetForLeaderEpoch request v2", "Topic")
            end = pos + n
            topic_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            (n,) = unpack_i(buf, pos)
            pos += 4
            if n < 0:
                raise null_field("OffsetForLeaderEpoch request v2", "Partitions")
            if n * 12 > len(buf) - pos:
                raise overrun("OffsetForLeaderEpoch request v2", buf, pos)
            if n > 50000:
                raise too_many("OffsetForLeaderEpoch request v2", n)
            partitions_1_items: list[OffsetForLeaderEpochRequestPartition] = []
            for _ in range(n):
                partition_2, current_leader_epoch_2, leader_epoch_2 = unpack_iii(buf, pos)
                pos += 12
                made_2 = new(OffsetForLeaderEpochRequestPartition)
                made_2.partition = partition_2
                made_2.current_leader_epoch = current_leader_epoch_2
                made_2.leader_epoch = leader_epoch_2
                partitions_1_items.append(made_2)
            partitions_1 = partitions_1_items
            made_1 = new(OffsetForLeaderEpochRequestTopic)
            made_1.topic = topic_1
            made_1.partitions = partitions_1
            topics_0_items.append(made_1)
        topics_0 = topics_0_items
        made_0 = new(OffsetForLeaderEpochRequest)
        made_0.replica_id = -2
        made_0.topics = topics_0
    except (IndexError, StructError) as error:
        raise overrun("OffsetForLeaderEpoch request v2", buf, pos) from error
    if pos > len(buf):
        raise overrun("OffsetForLeaderEpoch request v2", buf, pos)
    return made_0


def decode_request_v3(buf: bytes, pos: int) -> OffsetForLeaderEpochRequest:
    try:
        replica_id_0, n = unpack_ii(buf, pos)
        pos += 8
        if n < 0:
            raise null_field("OffsetForLeaderEpoch request v3", "Topics")
        if n * 6 > len(buf) - pos:
            raise overrun("OffsetForLeaderEpoch request v3", buf, pos)
        if n > 50000:
            raise too_many("OffsetForLeaderEpoch request v3", n)
        topics_0_items: list[OffsetForLeaderEpochRequestTopic] = []
        for _ in range(n):
            (n,) = unpack_h(buf, pos)
            pos += 2
            if n < 0:
                raise null_field("OffsetForLeaderEpoch request v3", "Topic")
            end = pos + n
            topic_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            (n,) = unpack_i(buf, pos)
            pos += 4
            if n < 0:
                raise null_field("OffsetForLeaderEpoch request v3", "Partitions")
            if n * 12 > len(buf) - pos:
                raise overrun("OffsetForLeaderEpoch request v3", buf, pos)
            if n > 50000:
                raise too_many("OffsetForLeaderEpoch request v3", n)
            partitions_1_items: list[OffsetForLeaderEpochRequestPartition] = []
            for _ in range(n):
                partition_2, current_leader_epoch_2, leader_epoch_2 = unpack_iii(buf, pos)
                pos += 12
                made_2 = new(OffsetForLeaderEpochRequestPartition)
                made_2.partition = partition_2
                made_2.current_leader_epoch = current_leader_epoch_2
                made_2.leader_epoch = leader_epoch_2
                partitions_1_items.append(made_2)
            partitions_1 = partitions_1_items
            made_1 = new(OffsetForLeaderEpochRequestTopic)
            made_1.topic = topic_1
            made_1.partitions = partitions_1
            topics_0_items.append(made_1)
        topics_0 = topics_0_items
        made_0 = new(OffsetForLeaderEpochRequest)
        made_0.replica_id = replica_id_0
        made_0.topics = topics_0
    except (IndexError, StructError) as error:
        raise overrun("OffsetForLeaderEpoch request v3", buf, pos) from error
    if pos > len(buf):
        raise overrun("OffsetForLeaderEpoch request v3", buf, pos)
    return made_0


def decode_request_v4(buf: bytes, pos: int) -> OffsetForLeaderEpochRequest:
    try:
        replica_id_0, n = unpack_iB(buf, pos)
        pos += 5
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "OffsetForLeaderEpoch request v4", "Topics")
        n -= 1
        if n * 3 > len(buf) - pos:
            raise overrun("OffsetForLeaderEpoch request v4", buf, pos)
        if n > 50000:
            raise too_many("OffsetForLeaderEpoch request v4", n)
        topics_0_items: list[OffsetForLeaderEpochRequestTopic] = []
        for _ in range(n):
            n = buf[pos]
            pos += 1
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "OffsetForLeaderEpoch request v4", "Topic")
            end = pos + n - 1
            topic_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            n = buf[pos]
            pos += 1
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "OffsetForLeaderEpoch request v4", "Partitions")
            n -= 1
            if n * 13 > len(buf) - pos:
                raise overrun("OffsetForLeaderEpoch request v4", buf, pos)
            if n > 50000:
                raise too_many("OffsetForLeaderEpoch request v4", n)
            partitions_1_items: list[OffsetForLeaderEpochRequestPartition] = []
            for _ in range(n):
                partition_2, current_leader_epoch_2, leader_epoch_2, tags = unpack_iiiB(buf, pos)
                pos += 13
                if tags:
                    pos = skip_tagged(buf, pos - 1)
                made_2 = new(OffsetForLeaderEpochRequestPartition)
                made_2.partition = partition_2
                made_2.current_leader_epoch = current_leader_epoch_2
                made_2.leader_epoch = leader_epoch_2
                partitions_1_items.append(made_2)
            partitions_1 = partitions_1_items
            tags = buf[pos]
            pos += 1
            if tags:
                pos = skip_tagged(buf, pos - 1)
            made_1 = new(OffsetForLeaderEpochRequestTopic)
            made_1.topic = topic_1
            made_1.partitions = partitions_1
            topics_0_items.append(made_1)
        topics_0 = topics_0_items
        tags = buf[pos]
        pos += 1
        if tags:
            pos = skip_tagged(buf, pos - 1)
        made_0 = new(OffsetForLeaderEpochRequest)
        made_0.replica_id = replica_id_0
        made_0.topics = topics_0
    except (IndexError, StructError) as error:
        raise overrun("OffsetForLeaderEpoch request v4", buf, pos) from error
    if pos > len(buf):
        raise overrun("OffsetForLeaderEpoch request v4", buf, pos)
    return made_0


def encode_request_v2(message: OffsetForLeaderEpochRequest) -> bytes:
    try:
        out = bytearray()
        items_1 = message.topics
        out += pack_i(len(items_1))
        for item_1 in items_1:
            raw = item_1.topic.encode()
            out += pack_h(len(raw))
            out += raw
            items_2 = item_1.partitions
            out += pack_i(len(items_2))
            out += b"".join([pack_iii(item_2.partition, item_2.current_leader_epoch, item_2.leader_epoch) for item_2 in items_2])
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("OffsetForLeaderEpoch request v2", message, error) from error


def encode_request_v3(message: OffsetForLeaderEpochRequest) -> bytes:
    try:
        out = bytearray()
        items_1 = message.topics
        out += pack_ii(message.replica_id, len(items_1))
        for item_1 in items_1:
            raw = item_1.topic.encode()
            out += pack_h(len(raw))
            out += raw
            items_2 = item_1.partitions
            out += pack_i(len(items_2))
            out += b"".join([pack_iii(item_2.partition, item_2.current_leader_epoch, item_2.leader_epoch) for item_2 in items_2])
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("OffsetForLeaderEpoch request v3", message, error) from error


def encode_request_v4(message: OffsetForLeaderEpochRequest) -> bytes:
    try:
        out = bytearray()
        items_1 = message.topics
        n = len(items_1) + 1
        if n < 128:
            out += pack_iB(message.replica_id, n)
        else:
            out += pack_i(message.replica_id)
            out += uvarint(n)
        for item_1 in items_1:
            raw = item_1.topic.encode()
            n = len(raw) + 1
            if n < 128:
                out.append(n)
            else:
                out += uvarint(n)
            out += raw
            items_2 = item_1.partitions
            n = len(items_2) + 1
            if n < 128:
                out.append(n)
            else:
                out += uvarint(n)
            out += b"".join([pack_iiix(item_2.partition, item_2.current_leader_epoch, item_2.leader_epoch) for item_2 in items_2])
            out += b"\0"
        out += b"\0"
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("OffsetForLeaderEpoch request v4", message, error) from error


# versions 2-3
def decode_response_v2(buf: bytes, pos: int) -> OffsetForLeaderEpochResponse:
    try:
        throttle_time_ms_0, n = unpack_ii(buf, pos)
        pos += 8
        if n < 0:
            raise null_field("OffsetForLeaderEpoch response v2-3", "Topics")
        if n * 6 > len(buf) - pos:
            raise overrun("OffsetForLeaderEpoch response v2-3", buf, pos)
        topics_0_items: list[OffsetForLeaderEpochResponseTopic] = []
        for _ in range(n):
            (n,) = unpack_h(buf, pos)
            pos += 2
            if n < 0:
                raise null_field("OffsetForLeaderEpoch response v2-3", "Topic")
            end = pos + n
            topic_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            (n,) = unpack_i(buf, pos)
            pos += 4
            if n < 0:
                raise null_field("OffsetForLeaderEpoch response v2-3", "Partitions")
            if n * 18 > len(buf) - pos:
                raise overrun("OffsetForLeaderEpoch response v2-3", buf, pos)
            partitions_1_items: list[OffsetForLeaderEpochResponsePartition] = []
            for _ in range(n):
                error_code_2, partition_2, leader_epoch_2, end_offset_2 = unpack_hiiq(buf, pos)
                pos += 18
                made_2 = new(OffsetForLeaderEpochResponsePartition)
                made_2.error_code = error_code_2
                made_2.partition = partition_2
                made_2.leader_epoch = leader_epoch_2
                made_2.end_offset = end_offset_2
                partitions_1_items.append(made_2)
            partitions_1 = partitions_1_items
            made_1 = new(OffsetForLeaderEpochResponseTopic)
            made_1.topic = topic_1
            made_1.partitions = partitions_1
            topics_0_items.append(made_1)
        topics_0 = topics_0_items
        made_0 = new(OffsetForLeaderEpochResponse)
        made_0.throttle_time_ms = throttle_time_ms_0
        made_0.topics = topics_0
    except (IndexError, StructError) as error:
        raise overrun("OffsetForLeaderEpoch response v2-3", buf, pos) from error
    if pos > len(buf):
        raise overrun("OffsetForLeaderEpoch response v2-3", buf, pos)
    return made_0


def decode_response_v4(buf: bytes, pos: int) -> OffsetForLeaderEpochResponse:
    try:
        throttle_time_ms_0, n = unpack_iB(buf, pos)
        pos += 5
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "OffsetForLeaderEpoch response v4", "Topics")
        n -= 1
        if n * 3 > len(buf) - pos:
            raise overrun("OffsetForLeaderEpoch response v4", buf, pos)
        topics_0_items: list[OffsetForLeaderEpochResponseTopic] = []
        for _ in range(n):
            n = buf[pos]
            pos += 1
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "OffsetForLeaderEpoch response v4", "Topic")
            end = pos + n - 1
            topic_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            n = buf[pos]
            pos += 1
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "OffsetForLeaderEpoch response v4", "Partitions")
            n -= 1
            if n * 19 > len(buf) - pos:
                raise overrun("OffsetForLeaderEpoch response v4", buf, pos)
            partitions_1_items: list[OffsetForLeaderEpochResponsePartition] = []
            for _ in range(n):
                error_code_2, partition_2, leader_epoch_2, end_offset_2, tags = unpack_hiiqB(buf, pos)
                pos += 19
                if tags:
                    pos = skip_tagged(buf, pos - 1)
                made_2 = new(OffsetForLeaderEpochResponsePartition)
                made_2.error_code = error_code_2
                made_2.partition = partition_2
                made_2.leader_epoch = leader_epoch_2
                made_2.end_offset = end_offset_2
                partitions_1_items.append(made_2)
            partitions_1 = partitions_1_items
            tags = buf[pos]
            pos += 1
            if tags:
                pos = skip_tagged(buf, pos - 1)
            made_1 = new(OffsetForLeaderEpochResponseTopic)
            made_1.topic = topic_1
            made_1.partitions = partitions_1
            topics_0_items.append(made_1)
        topics_0 = topics_0_items
        tags = buf[pos]
        pos += 1
        if tags:
            pos = skip_tagged(buf, pos - 1)
        made_0 = new(OffsetForLeaderEpochResponse)
        made_0.throttle_time_ms = throttle_time_ms_0
        made_0.topics = topics_0
    except (IndexError, StructError) as error:
        raise overrun("OffsetForLeaderEpoch response v4", buf, pos) from error
    if pos > len(buf):
        raise overrun("OffsetForLeaderEpoch response v4", buf, pos)
    return made_0


# versions 2-3
def encode_response_v2(message: OffsetForLeaderEpochResponse) -> bytes:
    try:
        out = bytearray()
        items_1 = message.topics
        out += pack_ii(message.throttle_time_ms, len(items_1))
        for item_1 in items_1:
            raw = item_1.topic.encode()
            out += pack_h(len(raw))
            out += raw
            items_2 = item_1.partitions
            out += pack_i(len(items_2))
            out += b"".join([pack_hiiq(item_2.error_code, item_2.partition, item_2.leader_epoch, item_2.end_offset) for item_2 in items_2])
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("OffsetForLeaderEpoch response v2-3", message, error) from error


def encode_response_v4(message: OffsetForLeaderEpochResponse) -> bytes:
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
            raw = item_1.topic.encode()
            n = len(raw) + 1
            if n < 128:
                out.append(n)
            else:
                out += uvarint(n)
            out += raw
            items_2 = item_1.partitions
            n = len(items_2) + 1
            if n < 128:
                out.append(n)
            else:
                out += uvarint(n)
            out += b"".join([pack_hiiqx(item_2.error_code, item_2.partition, item_2.leader_epoch, item_2.end_offset) for item_2 in items_2])
            out += b"\0"
        out += b"\0"
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("OffsetForLeaderEpoch response v4", message, error) from error


REQUEST_DECODERS = {
    2: decode_request_v2,
    3: decode_request_v3,
    4: decode_request_v4,
}
REQUEST_ENCODERS = {
    2: encode_request_v2,
    3: encode_request_v3,
    4: encode_request_v4,
}
RESPONSE_DECODERS = {
    2: decode_response_v2,
    3: decode_response_v2,
    4: decode_response_v4,
}
RESPONSE_ENCODERS = {
    2: encode_response_v2,
    3: encode_response_v2,
    4: encode_response_v4,
}
