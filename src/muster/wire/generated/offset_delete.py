"""Generated from tools/codecs/schemas/offset_delete.api by `make generate`; changes belong there."""

from __future__ import annotations

from collections.abc import Sequence

from struct import Struct, error as StructError

from muster.wire.message import Message, encode_failure
from muster.wire.primitives import null_field, overrun, too_many

new = Message.__new__
pack_h = Struct(">h").pack
pack_hii = Struct(">hii").pack
pack_i = Struct(">i").pack
pack_ih = Struct(">ih").pack
unpack_h = Struct(">h").unpack_from
unpack_hii = Struct(">hii").unpack_from
unpack_i = Struct(">i").unpack_from
unpack_ih = Struct(">ih").unpack_from


class OffsetDeleteRequestPartition(Message):
    __match_args__ = ("partition_index",)
    __slots__ = __match_args__

    def __init__(
        self,
        partition_index: int = 0,
    ) -> None:
        self.partition_index = partition_index


class OffsetDeleteRequestTopic(Message):
    __match_args__ = ("name", "partitions")
    __slots__ = __match_args__

    def __init__(
        self,
        name: str = "",
        partitions: Sequence[OffsetDeleteRequestPartition] = (),
    ) -> None:
        self.name = name
        self.partitions = partitions


class OffsetDeleteRequest(Message):
    __match_args__ = ("group_id", "topics")
    __slots__ = __match_args__

    def __init__(
        self,
        group_id: str = "",
        topics: Sequence[OffsetDeleteRequestTopic] = (),
    ) -> None:
        self.group_id = group_id
        self.topics = topics


class OffsetDeleteResponsePartition(Message):
    __match_args__ = ("partition_index", "error_code")
    __slots__ = __match_args__

    def __init__(
        self,
        partition_index: int = 0,
        error_code: int = 0,
    ) -> None:
        self.partition_index = partition_index
        self.error_code = error_code


class OffsetDeleteResponseTopic(Message):
    __match_args__ = ("name", "partitions")
    __slots__ = __match_args__

    def __init__(
        self,
        name: str = "",
        partitions: Sequence[OffsetDeleteResponsePartition] = (),
    ) -> None:
        self.name = name
        self.partitions = partitions


class OffsetDeleteResponse(Message):
    __match_args__ = ("error_code", "throttle_time_ms", "topics")
    __slots__ = __match_args__

    def __init__(
        self,
        error_code: int = 0,
        throttle_time_ms: int = 0,
        topics: Sequence[OffsetDeleteResponseTopic] = (),
    ) -> None:
        self.error_code = error_code
        self.throttle_time_ms = throttle_time_ms
        self.topics = topics


def decode_request_v0(buf: bytes, pos: int) -> OffsetDeleteRequest:
    try:
        (n,) = unpack_h(buf, pos)
        pos += 2
        if n < 0:
            raise null_field("OffsetDelete request v0", "GroupId")
        end = pos + n
        group_id_0 = buf[pos:end].decode("utf-8", "replace")
        pos = end
        (n,) = unpack_i(buf, pos)
        pos += 4
        if n < 0:
            raise null_field("OffsetDelete request v0", "Topics")
        if n * 6 > len(buf) - pos:
            raise overrun("OffsetDelete request v0", buf, pos)
        if n > 50000:
            raise too_many("OffsetDelete request v0", n)
        topics_0_items: list[OffsetDeleteRequestTopic] = []
        for _ in range(n):
            (n,) = unpack_h(buf, pos)
            pos += 2
            if n < 0:
                raise null_field("OffsetDelete request v0", "Name")
            end = pos + n
            name_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            (n,) = unpack_i(buf, pos)
            pos += 4
            if n < 0:
                raise null_field("OffsetDelete request v0", "Partitions")
            if n * 4 > len(buf) - pos:
                raise overrun("OffsetDelete request v0", buf, pos)
            if n > 50000:
                raise too_many("OffsetDelete request v0", n)
            partitions_1_items: list[OffsetDeleteRequestPartition] = []
            for _ in range(n):
                (partition_index_2,) = unpack_i(buf, pos)
                pos += 4
                made_2 = new(OffsetDeleteRequestPartition)
                made_2.partition_index = partition_index_2
                partitions_1_items.append(made_2)
            partitions_1 = partitions_1_items
            made_1 = new(OffsetDeleteRequestTopic)
            made_1.name = name_1
            made_1.partitions = partitions_1
            topics_0_items.append(made_1)
        topics_0 = topics_0_items
        made_0 = new(OffsetDeleteRequest)
        made_0.group_id = group_id_0
        made_0.topics = topics_0
    except (IndexError, StructError) as error:
        raise overrun("OffsetDelete request v0", buf, pos) from error
    if pos > len(buf):
        raise overrun("OffsetDelete request v0", buf, pos)
    return made_0


def encode_request_v0(message: OffsetDeleteRequest) -> bytes:
    try:
        out = bytearray()
        raw = message.group_id.encode()
        out += pack_h(len(raw))
        out += raw
        items_1 = message.topics
        out += pack_i(len(items_1))
        for item_1 in items_1:
            raw = item_1.name.encode()
            out += pack_h(len(raw))
            out += raw
            items_2 = item_1.partitions
            out += pack_i(len(items_2))
            out += b"".join([pack_i(item_2.partition_index) for item_2 in items_2])
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("OffsetDelete request v0", message, error) from error


def decode_response_v0(buf: bytes, pos: int) -> OffsetDeleteResponse:
    try:
        error_code_0, throttle_time_ms_0, n = unpack_hii(buf, pos)
        pos += 10
        if n < 0:
            raise null_field("OffsetDelete response v0", "Topics")
        if n * 6 > len(buf) - pos:
            raise overrun("OffsetDelete response v0", buf, pos)
        topics_0_items: list[OffsetDeleteResponseTopic] = []
        for _ in range(n):
            (n,) = unpack_h(buf, pos)
            pos += 2
            if n < 0:
                raise null_field("OffsetDelete response v0", "Name")
            end = pos + n
            name_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            (n,) = unpack_i(buf, pos)
            pos += 4
            if n < 0:
                raise null_field("OffsetDelete response v0", "Partitions")
            if n * 6 > len(buf) - pos:
                raise overrun("OffsetDelete response v0", buf, pos)
            partitions_1_items: list[OffsetDeleteResponsePartition] = []
            for _ in range(n):
                partition_index_2, error_code_2 = unpack_ih(buf, pos)
                pos += 6
                made_2 = new(OffsetDeleteResponsePartition)
                made_2.partition_index = partition_index_2
                made_2.error_code = error_code_2
                partitions_1_items.append(made_2)
            partitions_1 = partitions_1_items
            made_1 = new(OffsetDeleteResponseTopic)
            made_1.name = name_1
            made_1.partitions = partitions_1
            topics_0_items.append(made_1)
        topics_0 = topics_0_items
        made_0 = new(OffsetDeleteResponse)
        made_0.error_code = error_code_0
        made_0.throttle_time_ms = throttle_time_ms_0
        made_0.topics = topics_0
    except (IndexError, StructError) as error:
        raise overrun("OffsetDelete response v0", buf, pos) from error
    if pos > len(buf):
        raise overrun("OffsetDelete response v0", buf, pos)
    return made_0


def encode_response_v0(message: OffsetDeleteResponse) -> bytes:
    try:
        out = bytearray()
        items_1 = message.topics
        out += pack_hii(message.error_code, message.throttle_time_ms, len(items_1))
        for item_1 in items_1:
            raw = item_1.name.encode()
            out += pack_h(len(raw))
            out += raw
            items_2 = item_1.partitions
            out += pack_i(len(items_2))
            out += b"".join([pack_ih(item_2.partition_index, item_2.error_code) for item_2 in items_2])
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("OffsetDelete response v0", message, error) from error


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
