"""Generated from tools/codecs/schemas/delete_records.api by `make generate`; changes belong there."""

from __future__ import annotations

from collections.abc import Sequence

from struct import Struct, error as StructError

from muster.wire.message import Message, encode_failure
from muster.wire.primitives import null_field, overrun, read_length, skip_tagged, too_many
from muster.wire.varint import uvarint

new = Message.__new__
pack_h = Struct(">h").pack
pack_i = Struct(">i").pack
pack_iB = Struct(">iB").pack
pack_ii = Struct(">ii").pack
pack_iq = Struct(">iq").pack
pack_iqh = Struct(">iqh").pack
pack_iqhx = Struct(">iqhx").pack
pack_iqx = Struct(">iqx").pack
pack_ix = Struct(">ix").pack
unpack_h = Struct(">h").unpack_from
unpack_i = Struct(">i").unpack_from
unpack_iB = Struct(">iB").unpack_from
unpack_ii = Struct(">ii").unpack_from
unpack_iq = Struct(">iq").unpack_from
unpack_iqB = Struct(">iqB").unpack_from
unpack_iqh = Struct(">iqh").unpack_from
unpack_iqhB = Struct(">iqhB").unpack_from


class DeleteRecordsRequestPartition(Message):
    __match_args__ = ("partition_index", "offset")
    __slots__ = __match_args__

    def __init__(
        self,
        partition_index: int = 0,
        offset: int = 0,
    ) -> None:
        self.partition_index = partition_index
        self.offset = offset


class DeleteRecordsRequestTopic(Message):
    __match_args__ = ("name", "partitions")
    __slots__ = __match_args__

    def __init__(
        self,
        name: str = "",
        partitions: Sequence[DeleteRecordsRequestPartition] = (),
    ) -> None:
        self.name = name
        self.partitions = partitions


class DeleteRecordsRequest(Message):
    __match_args__ = ("topics", "timeout_ms")
    __slots__ = __match_args__

    def __init__(
        self,
        topics: Sequence[DeleteRecordsRequestTopic] = (),
        timeout_ms: int = 0,
    ) -> None:
        self.topics = topics
        self.timeout_ms = timeout_ms


class DeleteRecordsResponsePartition(Message):
    __match_args__ = ("partition_index", "low_watermark", "error_code")
    __slots__ = __match_args__

    def __init__(
        self,
        partition_index: int = 0,
        low_watermark: int = 0,
        error_code: int = 0,
    ) -> None:
        self.partition_index = partition_index
        self.low_watermark = low_watermark
        self.error_code = error_code


class DeleteRecordsResponseTopic(Message):
    __match_args__ = ("name", "partitions")
    __slots__ = __match_args__

    def __init__(
        self,
        name: str = "",
        partitions: Sequence[DeleteRecordsResponsePartition] = (),
    ) -> None:
        self.name = name
        self.partitions = partitions


class DeleteRecordsResponse(Message):
    __match_args__ = ("throttle_time_ms", "topics")
    __slots__ = __match_args__

    def __init__(
        self,
        throttle_time_ms: int = 0,
        topics: Sequence[DeleteRecordsResponseTopic] = (),
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.topics = topics


# versions 0-1
def decode_request_v0(buf: bytes, pos: int) -> DeleteRecordsRequest:
    try:
        (n,) = unpack_i(buf, pos)
        pos += 4
        if n < 0:
            raise null_field("DeleteRecords request v0-1", "Topics")
        if n * 6 > len(buf) - pos:
            raise overrun("DeleteRecords request v0-1", buf, pos)
        if n > 50000:
            raise too_many("DeleteRecords request v0-1", n)
        topics_0_items: list[DeleteRecordsRequestTopic] = []
        for _ in range(n):
            (n,) = unpack_h(buf, pos)
            pos += 2
            if n < 0:
                raise null_field("DeleteRecords request v0-1", "Name")
            end = pos + n
            name_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            (n,) = unpack_i(buf, pos)
            pos += 4
            if n < 0:
                raise null_field("DeleteRecords request v0-1", "Partitions")
            if n * 12 > len(buf) - pos:
                raise overrun("DeleteRecords request v0-1", buf, pos)
            if n > 50000:
                raise too_many("DeleteRecords request v0-1", n)
            partitions_1_items: list[DeleteRecordsRequestPartition] = []
            for _ in range(n):
                partition_index_2, offset_2 = unpack_iq(buf, pos)
                pos += 12
                made_2 = new(DeleteRecordsRequestPartition)
                made_2.partition_index = partition_index_2
                made_2.offset = offset_2
                partitions_1_items.append(made_2)
            partitions_1 = partitions_1_items
            made_1 = new(DeleteRecordsRequestTopic)
            made_1.name = name_1
            made_1.partitions = partitions_1
            topics_0_items.append(made_1)
        topics_0 = topics_0_items
        (timeout_ms_0,) = unpack_i(buf, pos)
        pos += 4
        made_0 = new(DeleteRecordsRequest)
        made_0.topics = topics_0
        made_0.timeout_ms = timeout_ms_0
    except (IndexError, StructError) as error:
        raise overrun("DeleteRecords request v0-1", buf, pos) from error
    if pos > len(buf):
        raise overrun("DeleteRecords request v0-1", buf, pos)
    return made_0


def decode_request_v2(buf: bytes, pos: int) -> DeleteRecordsRequest:
    try:
        n = buf[pos]
        pos += 1
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "DeleteRecords request v2", "Topics")
        n -= 1
        if n * 3 > len(buf) - pos:
            raise overrun("DeleteRecords request v2", buf, pos)
        if n > 50000:
            raise too_many("DeleteRecords request v2", n)
        topics_0_items: list[DeleteRecordsRequestTopic] = []
        for _ in range(n):
            n = buf[pos]
            pos += 1
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "DeleteRecords request v2", "Name")
            end = pos + n - 1
            name_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            n = buf[pos]
            pos += 1
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "DeleteRecords request v2", "Partitions")
            n -= 1
            if n * 13 > len(buf) - pos:
                raise overrun("DeleteRecords request v2", buf, pos)
            if n > 50000:
                raise too_many("DeleteRecords request v2", n)
            partitions_1_items: list[DeleteRecordsRequestPartition] = []
            for _ in range(n):
                partition_index_2, offset_2, tags = unpack_iqB(buf, pos)
                pos += 13
                if tags:
                    pos = skip_tagged(buf, pos - 1)
                made_2 = new(DeleteRecordsRequestPartition)
                made_2.partition_index = partition_index_2
                made_2.offset = offset_2
                partitions_1_items.append(made_2)
            partitions_1 = partitions_1_items
            tags = buf[pos]
            pos += 1
            if tags:
                pos = skip_tagged(buf, pos - 1)
            made_1 = new(DeleteRecordsRequestTopic)
            made_1.name = name_1
            made_1.partitions = partitions_1
            topics_0_items.append(made_1)
        topics_0 = topics_0_items
        timeout_ms_0, tags = unpack_iB(buf, pos)
        pos += 5
        if tags:
            pos = skip_tagged(buf, pos - 1)
        made_0 = new(DeleteRecordsRequest)
        made_0.topics = topics_0
        made_0.timeout_ms = timeout_ms_0
    except (IndexError, StructError) as error:
        raise overrun("DeleteRecords request v2", buf, pos) from error
    if pos > len(buf):
        raise overrun("DeleteRecords request v2", buf, pos)
    return made_0


# versions 0-1
def encode_request_v0(message: DeleteRecordsRequest) -> bytes:
    try:
        out = bytearray()
        items_1 = message.topics
        out += pack_i(len(items_1))
        for item_1 in items_1:
            raw = item_1.name.encode()
            out += pack_h(len(raw))
            out += raw
            items_2 = item_1.partitions
            out += pack_i(len(items_2))
            out += b"".join([pack_iq(item_2.partition_index, item_2.offset) for item_2 in items_2])
        out += pack_i(message.timeout_ms)
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("DeleteRecords request v0-1", message, error) from error


def encode_request_v2(message: DeleteRecordsRequest) -> bytes:
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
            items_2 = item_1.partitions
            n = len(items_2) + 1
            if n < 128:
                out.append(n)
            else:
                out += uvarint(n)
            out += b"".join([pack_iqx(item_2.partition_index, item_2.offset) for item_2 in items_2])
            out += b"\0"
        out += pack_ix(message.timeout_ms)
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("DeleteRecords request v2", message, error) from error


# versions 0-1
def decode_response_v0(buf: bytes, pos: int) -> DeleteRecordsResponse:
    try:
        throttle_time_ms_0, n = unpack_ii(buf, pos)
        pos += 8
        if n < 0:
            raise null_field("DeleteRecords response v0-1", "Topics")
        if n * 6 > len(buf) - pos:
            raise overrun("DeleteRecords response v0-1", buf, pos)
        topics_0_items: list[DeleteRecordsResponseTopic] = []
        for _ in range(n):
            (n,) = unpack_h(buf, pos)
            pos += 2
            if n < 0:
                raise null_field("DeleteRecords response v0-1", "Name")
            end = pos + n
            name_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            (n,) = unpack_i(buf, pos)
            pos += 4
            if n < 0:
                raise null_field("DeleteRecords response v0-1", "Partitions")
            if n * 14 > len(buf) - pos:
                raise overrun("DeleteRecords response v0-1", buf, pos)
            partitions_1_items: list[DeleteRecordsResponsePartition] = []
            for _ in range(n):
                partition_index_2, low_watermark_2, error_code_2 = unpack_iqh(buf, pos)
                pos += 14
                made_2 = new(DeleteRecordsResponsePartition)
                made_2.partition_index = partition_index_2
                made_2.low_watermark = low_watermark_2
                made_2.error_code = error_code_2
                partitions_1_items.append(made_2)
            partitions_1 = partitions_1_items
            made_1 = new(DeleteRecordsResponseTopic)
            made_1.name = name_1
            made_1.partitions = partitions_1
            topics_0_items.append(made_1)
        topics_0 = topics_0_items
        made_0 = new(DeleteRecordsResponse)
        made_0.throttle_time_ms = throttle_time_ms_0
        made_0.topics = topics_0
    except (IndexError, StructError) as error:
        raise overrun("DeleteRecords response v0-1", buf, pos) from error
    if pos > len(buf):
        raise overrun("DeleteRecords response v0-1", buf, pos)
    return made_0


def decode_response_v2(buf: bytes, pos: int) -> DeleteRecordsResponse:
    try:
        throttle_time_ms_0, n = unpack_iB(buf, pos)
        pos += 5
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "DeleteRecords response v2", "Topics")
        n -= 1
        if n * 3 > len(buf) - pos:
            raise overrun("DeleteRecords response v2", buf, pos)
        topics_0_items: list[DeleteRecordsResponseTopic] = []
        for _ in range(n):
            n = buf[pos]
            pos += 1
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "DeleteRecords response v2", "Name")
            end = pos + n - 1
            name_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            n = buf[pos]
            pos += 1
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "DeleteRecords response v2", "Partitions")
            n -= 1
            if n * 15 > len(buf) - pos:
                raise overrun("DeleteRecords response v2", buf, pos)
            partitions_1_items: list[DeleteRecordsResponsePartition] = []
            for _ in range(n):
                partition_index_2, low_watermark_2, error_code_2, tags = unpack_iqhB(buf, pos)
                pos += 15
                if tags:
                    pos = skip_tagged(buf, pos - 1)
                made_2 = new(DeleteRecordsResponsePartition)
                made_2.partition_index = partition_index_2
                made_2.low_watermark = low_watermark_2
                made_2.error_code = error_code_2
                partitions_1_items.append(made_2)
            partitions_1 = partitions_1_items
            tags = buf[pos]
            pos += 1
            if tags:
                pos = skip_tagged(buf, pos - 1)
            made_1 = new(DeleteRecordsResponseTopic)
            made_1.name = name_1
            made_1.partitions = partitions_1
            topics_0_items.append(made_1)
        topics_0 = topics_0_items
        tags = buf[pos]
        pos += 1
        if tags:
            pos = skip_tagged(buf, pos - 1)
        made_0 = new(DeleteRecordsResponse)
        made_0.throttle_time_ms = throttle_time_ms_0
        made_0.topics = topics_0
    except (IndexError, StructError) as error:
        raise overrun("DeleteRecords response v2", buf, pos) from error
    if pos > len(buf):
        raise overrun("DeleteRecords response v2", buf, pos)
    return made_0


# versions 0-1
def encode_response_v0(message: DeleteRecordsResponse) -> bytes:
    try:
        out = bytearray()
        items_1 = message.topics
        out += pack_ii(message.throttle_time_ms, len(items_1))
        for item_1 in items_1:
            raw = item_1.name.encode()
            out += pack_h(len(raw))
            out += raw
            items_2 = item_1.partitions
            out += pack_i(len(items_2))
            out += b"".join([pack_iqh(item_2.partition_index, item_2.low_watermark, item_2.error_code) for item_2 in items_2])
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("DeleteRecords response v0-1", message, error) from error


def encode_response_v2(message: DeleteRecordsResponse) -> bytes:
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
            items_2 = item_1.partitions
            n = len(items_2) + 1
            if n < 128:
                out.append(n)
            else:
                out += uvarint(n)
            out += b"".join([pack_iqhx(item_2.partition_index, item_2.low_watermark, item_2.error_code) for item_2 in items_2])
            out += b"\0"
        out += b"\0"
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("DeleteRecords response v2", message, error) from error


REQUEST_DECODERS = {
    0: decode_request_v0,
    1: decode_request_v0,
    2: decode_request_v2,
}
REQUEST_ENCODERS = {
    0: encode_request_v0,
    1: encode_request_v0,
    2: encode_request_v2,
}
RESPONSE_DECODERS = {
    0: decode_response_v0,
    1: decode_response_v0,
    2: decode_response_v2,
}
RESPONSE_ENCODERS = {
    0: encode_response_v0,
    1: encode_response_v0,
    2: encode_response_v2,
}
