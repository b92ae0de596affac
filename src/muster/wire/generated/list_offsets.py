"""Generated from tools/codecs/schemas/list_offsets.api by `make generate`; changes belong there."""

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
pack_ib = Struct(">ib").pack
pack_ibB = Struct(">ibB").pack
pack_ibi = Struct(">ibi").pack
pack_ihqq = Struct(">ihqq").pack
pack_ihqqi = Struct(">ihqqi").pack
pack_ihqqix = Struct(">ihqqix").pack
pack_ii = Struct(">ii").pack
pack_iiq = Struct(">iiq").pack
pack_iiqx = Struct(">iiqx").pack
pack_iq = Struct(">iq").pack
pack_ix = Struct(">ix").pack
unpack_h = Struct(">h").unpack_from
unpack_i = Struct(">i").unpack_from
unpack_iB = Struct(">iB").unpack_from
unpack_ibB = Struct(">ibB").unpack_from
unpack_ibi = Struct(">ibi").unpack_from
unpack_ihqq = Struct(">ihqq").unpack_from
unpack_ihqqi = Struct(">ihqqi").unpack_from
unpack_ihqqiB = Struct(">ihqqiB").unpack_from
unpack_ii = Struct(">ii").unpack_from
unpack_iiq = Struct(">iiq").unpack_from
unpack_iiqB = Struct(">iiqB").unpack_from
unpack_iq = Struct(">iq").unpack_from


class ListOffsetsRequestPartition(Message):
    __match_args__ = ("partition_index", "current_leader_epoch", "timestamp")
    __slots__ = __match_args__

    def __init__(
        self,
        partition_index: int = 0,
        current_leader_epoch: int = -1,
        timestamp: int = 0,
    ) -> None:
        self.partition_index = partition_index
        self.current_leader_epoch = current_leader_epoch
        self.timestamp = timestamp


class ListOffsetsRequestTopic(Message):
    __match_args__ = ("name", "partitions")
    __slots__ = __match_args__

    def __init__(
        self,
        name: str = "",
        partitions: Sequence[ListOffsetsRequestPartition] = (),
    ) -> None:
        self.name = name
        self.partitions = partitions


class ListOffsetsRequest(Message):
    __match_args__ = ("replica_id", "isolation_level", "topics", "timeout_ms")
    __slots__ = __match_args__

    def __init__(
        self,
        replica_id: int = 0,
        isolation_level: int = 0,
        topics: Sequence[ListOffsetsRequestTopic] = (),
        timeout_ms: int = 0,
    ) -> None:
        self.replica_id = replica_id
        self.isolation_level = isolation_level
        self.topics = topics
        self.timeout_ms = timeout_ms


class ListOffsetsResponsePartition(Message):
    __match_args__ = ("partition_index", "error_code", "timestamp", "offset", "leader_epoch")
    __slots__ = __match_args__

    def __init__(
        self,
        partition_index: int = 0,
        error_code: int = 0,
        timestamp: int = -1,
        offset: int = -1,
        leader_epoch: int = -1,
    ) -> None:
        self.partition_index = partition_index
        self.error_code = error_code
        self.timestamp = timestamp
        self.offset = offset
        self.leader_epoch = leader_epoch


class ListOffsetsResponseTopic(Message):
    __match_args__ = ("name", "partitions")
    __slots__ = __match_args__

    def __init__(
        self,
        name: str = "",
        partitions: Sequence[ListOffsetsResponsePartition] = (),
    ) -> None:
        self.name = name
        self.partitions = partitions


class ListOffsetsResponse(Message):
    __match_args__ = ("throttle_time_ms", "topics")
    __slots__ = __match_args__

    def __init__(
        self,
        throttle_time_ms: int = 0,
        topics: Sequence[ListOffsetsResponseTopic] = (),
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.topics = topics


def decode_request_v1(buf: bytes, pos: int) -> ListOffsetsRequest:
    try:
        replica_id_0, n = unpack_ii(buf, pos)
        pos += 8
        if n < 0:
            raise null_field("ListOffsets request v1", "Topics")
        if n * 6 > len(buf) - pos:
            raise overrun("ListOffsets request v1", buf, pos)
        if n > 50000:
            raise too_many("ListOffsets request v1", n)
        topics_0_items: list[ListOffsetsRequestTopic] = []
        for _ in range(n):
            (n,) = unpack_h(buf, pos)
            pos += 2
            if n < 0:
                raise null_field("ListOffsets request v1", "Name")
            end = pos + n
            name_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            (n,) = unpack_i(buf, pos)
            pos += 4
            if n < 0:
                raise null_field("ListOffsets request v1", "Partitions")
            if n * 12 > len(buf) - pos:
                raise overrun("ListOffsets request v1", buf, pos)
            if n > 50000:
                raise too_many("ListOffsets request v1", n)
            partitions_1_items: list[ListOffsetsRequestPartition] = []
            for _ in range(n):
                partition_index_2, timestamp_2 = unpack_iq(buf, pos)
                pos += 12
                made_2 = new(ListOffsetsRequestPartition)
                made_2.partition_index = partition_index_2
                made_2.current_leader_epoch = -1
                made_2.timestamp = timestamp_2
                partitions_1_items.append(made_2)
            partitions_1 = partitions_1_items
            made_1 = new(ListOffsetsRequestTopic)
            made_1.name = name_1
            made_1.partitions = partitions_1
            topics_0_items.append(made_1)
        topics_0 = topics_0_items
        made_0 = new(ListOffsetsRequest)
        made_0.replica_id = replica_id_0
        made_0.isolation_level = 0
        made_0.topics = topics_0
        made_0.timeout_ms = 0
    except (IndexError, StructError) as error:
        raise overrun("ListOffsets request v1", buf, pos) from error
    if pos > len(buf):
        raise overrun("ListOffsets request v1", buf, pos)
    return made_0


# versions 2-3
def decode_request_v2(buf: bytes, pos: int) -> ListOffsetsRequest:
    try:
        replica_id_0, isolation_level_0, n = unpack_ibi(buf, pos)
        pos += 9
        if n < 0:
            raise null_field("ListOffsets request v2-3", "Topics")
        if n * 6 > len(buf) - pos:
            raise overrun("ListOffsets request v2-3", buf, pos)
        if n > 50000:
            raise too_many("ListOffsets request v2-3", n)
        topics_0_items: list[ListOffsetsRequestTopic] = []
        for _ in range(n):
            (n,) = unpack_h(buf, pos)
            pos += 2
            if n < 0:
                raise null_field("ListOffsets request v2-3", "Name")
            end = pos + n
            name_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            (n,) = unpack_i(buf, pos)
            pos += 4
            if n < 0:
                raise null_field("ListOffsets request v2-3", "Partitions")
            if n * 12 > len(buf) - pos:
                raise overrun("ListOffsets request v2-3", buf, pos)
            if n > 50000:
                raise too_many("ListOffsets request v2-3", n)
            partitions_1_items: list[ListOffsetsRequestPartition] = []
            for _ in range(n):
                partition_index_2, timestamp_2 = unpack_iq(buf, pos)
                pos += 12
                made_2 = new(ListOffsetsRequestPartition)
                made_2.partition_index = partition_index_2
                made_2.current_leader_epoch = -1
                made_2.timestamp = timestamp_2
                partitions_1_items.append(made_2)
            partitions_1 = partitions_1_items
            made_1 = new(ListOffsetsRequestTopic)
            made_1.name = name_1
            made_1.partitions = partitions_1
            topics_0_items.append(made_1)
        topics_0 = topics_0_items
        made_0 = new(ListOffsetsRequest)
        made_0.replica_id = replica_id_0
        made_0.isolation_level = isolation_level_0
        made_0.topics = topics_0
        made_0.timeout_ms = 0
    except (IndexError, StructError) as error:
        raise overrun("ListOffsets request v2-3", buf, pos) from error
    if pos > len(buf):
        raise overrun("ListOffsets request v2-3", buf, pos)
    return made_0


# versions 4-5
def decode_request_v4(buf: bytes, pos: int) -> ListOffsetsRequest:
    try:
        replica_id_0, isolation_level_0, n = unpack_ibi(buf, pos)
        pos += 9
        if n < 0:
            raise null_field("ListOffsets request v4-5", "Topics")
        if n * 6 > len(buf) - pos:
            raise overrun("ListOffsets request v4-5", buf, pos)
        if n > 50000:
            raise too_many("ListOffsets request v4-5", n)
        topics_0_items: list[ListOffsetsRequestTopic] = []
        for _ in range(n):
            (n,) = unpack_h(buf, pos)
            pos += 2
            if n < 0:
                raise null_field("ListOffsets request v4-5", "Name")
            end = pos + n
            name_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            (n,) = unpack_i(buf, pos)
            pos += 4
            if n < 0:
                raise null_field("ListOffsets request v4-5", "Partitions")
            if n * 16 > len(buf) - pos:
                raise overrun("ListOffsets request v4-5", buf, pos)
            if n > 50000:
                raise too_many("ListOffsets request v4-5", n)
            partitions_1_items: list[ListOffsetsRequestPartition] = []
            for _ in range(n):
                partition_index_2, current_leader_epoch_2, timestamp_2 = unpack_iiq(buf, pos)
                pos += 16
                made_2 = new(ListOffsetsRequestPartition)
                made_2.partition_index = partition_index_2
                made_2.current_leader_epoch = current_leader_epoch_2
                made_2.timestamp = timestamp_2
                partitions_1_items.append(made_2)
            partitions_1 = partitions_1_items
            made_1 = new(ListOffsetsRequestTopic)
            made_1.name = name_1
            made_1.partitions = partitions_1
            topics_0_items.append(made_1)
        topics_0 = topics_0_items
        made_0 = new(ListOffsetsRequest)
        made_0.replica_id = replica_id_0
        made_0.isolation_level = isolation_level_0
        made_0.topics = topics_0
        made_0.timeout_ms = 0
    except (IndexError, StructError) as error:
        raise overrun("ListOffsets request v4-5", buf, pos) from error
    if pos > len(buf):
        raise overrun("ListOffsets request v4-5", buf, pos)
    return made_0


# versions 6-9
def decode_request_v6(buf: bytes, pos: int) -> ListOffsetsRequest:
    try:
        replica_id_0, isolation_level_0, n = unpack_ibB(buf, pos)
        pos += 6
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "ListOffsets request v6-9", "Topics")
        n -= 1
        if n * 3 > len(buf) - pos:
            raise overrun("ListOffsets request v6-9", buf, pos)
        if n > 50000:
            raise too_many("ListOffsets request v6-9", n)
        topics_0_items: list[ListOffsetsRequestTopic] = []
        for _ in range(n):
            n = buf[pos]
            pos += 1
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "ListOffsets request v6-9", "Name")
            end = pos + n - 1
            name_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            n = buf[pos]
            pos += 1
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "ListOffsets request v6-9", "Partitions")
            n -= 1
            if n * 17 > len(buf) - pos:
                raise overrun("ListOffsets request v6-9", buf, pos)
            if n > 50000:
                raise too_many("ListOffsets request v6-9", n)
            partitions_1_items: list[ListOffsetsRequestPartition] = []
            for _ in range(n):
                partition_index_2, current_leader_epoch_2, timestamp_2, tags = unpack_iiqB(buf, pos)
                pos += 17
                if tags:
                    pos = skip_tagged(buf, pos - 1)
                made_2 = new(ListOffsetsRequestPartition)
                made_2.partition_index = partition_index_2
                made_2.current_leader_epoch = current_leader_epoch_2
                made_2.timestamp = timestamp_2
                partitions_1_items.append(made_2)
            partitions_1 = partitions_1_items
            tags = buf[pos]
            pos += 1
            if tags:
                pos = skip_tagged(buf, pos - 1)
            made_1 = new(ListOffsetsRequestTopic)
            made_1.name = name_1
            made_1.partitions = partitions_1
            topics_0_items.append(made_1)
        topics_0 = topics_0_items
        tags = buf[pos]
        pos += 1
        if tags:
            pos = skip_tagged(buf, pos - 1)
        made_0 = new(ListOffsetsRequest)
        made_0.replica_id = replica_id_0
        made_0.isolation_level = isolation_level_0
        made_0.topics = topics_0
        made_0.timeout_ms = 0
    except (IndexError, StructError) as error:
        raise overrun("ListOffsets request v6-9", buf, pos) from error
    if pos > len(buf):
        raise overrun("ListOffsets request v6-9", buf, pos)
    return made_0


def decode_request_v10(buf: bytes, pos: int) -> ListOffsetsRequest:
    try:
        replica_id_0, isolation_level_0, n = unpack_ibB(buf, pos)
        pos += 6
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "ListOffsets request v10", "Topics")
        n -= 1
        if n * 3 > len(buf) - pos:
            raise overrun("ListOffsets request v10", buf, pos)
        if n > 50000:
            raise too_many("ListOffsets request v10", n)
        topics_0_items: list[ListOffsetsRequestTopic] = []
        for _ in range(n):
            n = buf[pos]
            pos += 1
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "ListOffsets request v10", "Name")
            end = pos + n - 1
            name_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            n = buf[pos]
            pos += 1
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "ListOffsets request v10", "Partitions")
            n -= 1
            if n * 17 > len(buf) - pos:
                raise overrun("ListOffsets request v10", buf, pos)
            if n > 50000:
                raise too_many("ListOffsets request v10", n)
            partitions_1_items: list[ListOffsetsRequestPartition] = []
            for _ in range(n):
                partition_index_2, current_leader_epoch_2, timestamp_2, tags = unpack_iiqB(buf, pos)
                pos += 17
                if tags:
                    pos = skip_tagged(buf, pos - 1)
                made_2 = new(ListOffsetsRequestPartition)
                made_2.partition_index = partition_index_2
                made_2.current_leader_epoch = current_leader_epoch_2
                made_2.timestamp = timestamp_2
                partitions_1_items.append(made_2)
            partitions_1 = partitions_1_items
            tags = buf[pos]
            pos += 1
            if tags:
                pos = skip_tagged(buf, pos - 1)
            made_1 = new(ListOffsetsRequestTopic)
            made_1.name = name_1
            made_1.partitions = partitions_1
            topics_0_items.append(made_1)
        topics_0 = topics_0_items
        timeout_ms_0, tags = unpack_iB(buf, pos)
        pos += 5
        if tags:
            pos = skip_tagged(buf, pos - 1)
        made_0 = new(ListOffsetsRequest)
        made_0.replica_id = replica_id_0
        made_0.isolation_level = isolation_level_0
        made_0.topics = topics_0
        made_0.timeout_ms = timeout_ms_0
    except (IndexError, StructError) as error:
        raise overrun("ListOffsets request v10", buf, pos) from error
    if pos > len(buf):
        raise overrun("ListOffsets request v10", buf, pos)
    return made_0


def encode_request_v1(message: ListOffsetsRequest) -> bytes:
    try:
        out = bytearray()
        items_1 = message.topics
        out += pack_ii(message.replica_id, len(items_1))
        for item_1 in items_1:
            raw = item_1.name.encode()
            out += pack_h(len(raw))
            out += raw
            items_2 = item_1.partitions
            out += pack_i(len(items_2))
            out += b"".join([pack_iq(item_2.partition_index, item_2.timestamp) for item_2 in items_2])
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("ListOffsets request v1", message, error) from error


# versions 2-3
def encode_request_v2(message: ListOffsetsRequest) -> bytes:
    try:
        out = bytearray()
        items_1 = message.topics
        out += pack_ibi(message.replica_id, message.isolation_level, len(items_1))
        for item_1 in items_1:
            raw = item_1.name.encode()
            out += pack_h(len(raw))
            out += raw
            items_2 = item_1.partitions
            out += pack_i(len(items_2))
            out += b"".join([pack_iq(item_2.partition_index, item_2.timestamp) for item_2 in items_2])
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("ListOffsets request v2-3", message, error) from error


# versions 4-5
def encode_request_v4(message: ListOffsetsRequest) -> bytes:
    try:
        out = bytearray()
        items_1 = message.topics
        out += pack_ibi(message.replica_id, message.isolation_level, len(items_1))
        for item_1 in items_1:
            raw = item_1.name.encode()
            out += pack_h(len(raw))
            out += raw
            items_2 = item_1.partitions
            out += pack_i(len(items_2))
            out += b"".join([pack_iiq(item_2.partition_index, item_2.current_leader_epoch, item_2.timestamp) for item_2 in items_2])
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("ListOffsets request v4-5", message, error) from error


# versions 6-9
def encode_request_v6(message: ListOffsetsRequest) -> bytes:
    try:
        out = bytearray()
        items_1 = message.topics
        n = len(items_1) + 1
        if n < 128:
            out += pack_ibB(message.replica_id, message.isolation_level, n)
        else:
            out += pack_ib(message.replica_id, message.isolation_level)
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
            out += b"".join([pack_iiqx(item_2.partition_index, item_2.current_leader_epoch, item_2.timestamp) for item_2 in items_2])
            out += b"\0"
        out += b"\0"
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("ListOffsets request v6-9", message, error) from error


def encode_request_v10(message: ListOffsetsRequest) -> bytes:
    try:
        out = bytearray()
        items_1 = message.topics
        n = len(items_1) + 1
        if n < 128:
            out += pack_ibB(message.replica_id, message.isolation_level, n)
        else:
            out += pack_ib(message.replica_id, message.isolation_level)
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
            out += b"".join([pack_iiqx(item_2.partition_index, item_2.current_leader_epoch, item_2.timestamp) for item_2 in items_2])
            out += b"\0"
        out += pack_ix(message.timeout_ms)
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("ListOffsets request v10", message, error) from error


def decode_response_v1(buf: bytes, pos: int) -> ListOffsetsResponse:
    try:
        (n,) = unpack_i(buf, pos)
        pos += 4
        if n < 0:
            raise null_field("ListOffsets response v1", "Topics")
        if n * 6 > len(buf) - pos:
            raise overrun("ListOffsets response v1", buf, pos)
        topics_0_items: list[ListOffsetsResponseTopic] = []
        for _ in range(n):
            (n,) = unpack_h(buf, pos)
            pos += 2
            if n < 0:
                raise null_field("ListOffsets response v1", "Name")
            end = pos + n
            name_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            (n,) = unpack_i(buf, pos)
            pos += 4
            if n < 0:
                raise null_field("ListOffsets response v1", "Partitions")
            if n * 22 > len(buf) - pos:
                raise overrun("ListOffsets response v1", buf, pos)
            partitions_1_items: list[ListOffsetsResponsePartition] = []
            for _ in range(n):
                partition_index_2, error_code_2, timestamp_2, offset_2 = unpack_ihqq(buf, pos)
                pos += 22
                made_2 = new(ListOffsetsResponsePartition)
                made_2.partition_index = partition_index_2
                made_2.error_code = error_code_2
                made_2.timestamp = timestamp_2
                made_2.offset = offset_2
                made_2.leader_epoch = -1
                partitions_1_items.append(made_2)
            partitions_1 = partitions_1_items
            made_1 = new(ListOffsetsResponseTopic)
            made_1.name = name_1
            made_1.partitions = partitions_1
            topics_0_items.append(made_1)
        topics_0 = topics_0_items
        made_0 = new(ListOffsetsResponse)
        made_0.throttle_time_ms = 0
        made_0.topics = topics_0
    except (IndexError, StructError) as error:
        raise overrun("ListOffsets response v1", buf, pos) from error
    if pos > len(buf):
        raise overrun("ListOffsets response v1", buf, pos)
    return made_0


# versions 2-3
def decode_response_v2(buf: bytes, pos: int) -> ListOffsetsResponse:
    try:
        throttle_time_ms_0, n = unpack_ii(buf, pos)
        pos += 8
        if n < 0:
            raise null_field("ListOffsets response v2-3", "Topics")
        if n * 6 > len(buf) - pos:
            raise overrun("ListOffsets response v2-3", buf, pos)
        topics_0_items: list[ListOffsetsResponseTopic] = []
        for _ in range(n):
            (n,) = unpack_h(buf, pos)
            pos += 2
            if n < 0:
                raise null_field("ListOffsets response v2-3", "Name")
            end = pos + n
            name_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            (n,) = unpack_i(buf, pos)
            pos += 4
            if n < 0:
                raise null_field("ListOffsets response v2-3", "Partitions")
            if n * 22 > len(buf) - pos:
                raise overrun("ListOffsets response v2-3", buf, pos)
            partitions_1_items: list[ListOffsetsResponsePartition] = []
            for _ in range(n):
                partition_index_2, error_code_2, timestamp_2, offset_2 = unpack_ihqq(buf, pos)
                pos += 22
                made_2 = new(ListOffsetsResponsePartition)
                made_2.partition_index = partition_index_2
                made_2.error_code = error_code_2
                made_2.timestamp = timestamp_2
                made_2.offset = offset_2
                made_2.leader_epoch = -1
                partitions_1_items.append(made_2)
            partitions_1 = partitions_1_items
            made_1 = new(ListOffsetsResponseTopic)
            made_1.name = name_1
            made_1.partitions = partitions_1
            topics_0_items.append(made_1)
        topics_0 = topics_0_items
        made_0 = new(ListOffsetsResponse)
        made_0.throttle_time_ms = throttle_time_ms_0
        made_0.topics = topics_0
    except (IndexError, StructError) as error:
        raise overrun("ListOffsets response v2-3", buf, pos) from error
    if pos > len(buf):
        raise overrun("ListOffsets response v2-3", buf, pos)
    return made_0


# versions 4-5
def decode_response_v4(buf: bytes, pos: int) -> ListOffsetsResponse:
    try:
        throttle_time_ms_0, n = unpack_ii(buf, pos)
        pos += 8
        if n < 0:
            raise null_field("ListOffsets response v4-5", "Topics")
        if n * 6 > len(buf) - pos:
            raise overrun("ListOffsets response v4-5", buf, pos)
        topics_0_items: list[ListOffsetsResponseTopic] = []
        for _ in range(n):
            (n,) = unpack_h(buf, pos)
            pos += 2
            if n < 0:
                raise null_field("ListOffsets response v4-5", "Name")
            end = pos + n
            name_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            (n,) = unpack_i(buf, pos)
            pos += 4
            if n < 0:
                raise null_field("ListOffsets response v4-5", "Partitions")
            if n * 26 > len(buf) - pos:
                raise overrun("ListOffsets response v4-5", buf, pos)
            partitions_1_items: list[ListOffsetsResponsePartition] = []
            for _ in range(n):
                partition_index_2, error_code_2, timestamp_2, offset_2, leader_epoch_2 = unpack_ihqqi(buf, pos)
                pos += 26
                made_2 = new(ListOffsetsResponsePartition)
                made_2.partition_index = partition_index_2
                made_2.error_code = error_code_2
                made_2.timestamp = timestamp_2
                made_2.offset = offset_2
                made_2.leader_epoch = leader_epoch_2
                partitions_1_items.append(made_2)
            partitions_1 = partitions_1_items
            made_1 = new(ListOffsetsResponseTopic)
            made_1.name = name_1
            made_1.partitions = partitions_1
            topics_0_items.append(made_1)
        topics_0 = topics_0_items
        made_0 = new(ListOffsetsResponse)
        made_0.throttle_time_ms = throttle_time_ms_0
        made_0.topics = topics_0
    except (IndexError, StructError) as error:
        raise overrun("ListOffsets response v4-5", buf, pos) from error
    if pos > len(buf):
        raise overrun("ListOffsets response v4-5", buf, pos)
    return made_0


# versions 6-10
def decode_response_v6(buf: bytes, pos: int) -> ListOffsetsResponse:
    try:
        throttle_time_ms_0, n = unpack_iB(buf, pos)
        pos += 5
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "ListOffsets response v6-10", "Topics")
        n -= 1
        if n * 3 > len(buf) - pos:
            raise overrun("ListOffsets response v6-10", buf, pos)
        topics_0_items: list[ListOffsetsResponseTopic] = []
        for _ in range(n):
            n = buf[pos]
            pos += 1
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "ListOffsets response v6-10", "Name")
            end = pos + n - 1
            name_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            n = buf[pos]
            pos += 1
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "ListOffsets response v6-10", "Partitions")
            n -= 1
            if n * 27 > len(buf) - pos:
                raise overrun("ListOffsets response v6-10", buf, pos)
            partitions_1_items: list[ListOffsetsResponsePartition] = []
            for _ in range(n):
                partition_index_2, error_code_2, timestamp_2, offset_2, leader_epoch_2, tags = unpack_ihqqiB(buf, pos)
                pos += 27
                if tags:
                    pos = skip_tagged(buf, pos - 1)
                made_2 = new(ListOffsetsResponsePartition)
                made_2.partition_index = partition_index_2
                made_2.error_code = error_code_2
                made_2.timestamp = timestamp_2
                made_2.offset = offset_2
                made_2.leader_epoch = leader_epoch_2
                partitions_1_items.append(made_2)
            partitions_1 = partitions_1_items
            tags = buf[pos]
            pos += 1
            if tags:
                pos = skip_tagged(buf, pos - 1)
            made_1 = new(ListOffsetsResponseTopic)
            made_1.name = name_1
            made_1.partitions = partitions_1
            topics_0_items.append(made_1)
        topics_0 = topics_0_items
        tags = buf[pos]
        pos += 1
        if tags:
            pos = skip_tagged(buf, pos - 1)
        made_0 = new(ListOffsetsResponse)
        made_0.throttle_time_ms = throttle_time_ms_0
        made_0.topics = topics_0
    except (IndexError, StructError) as error:
        raise overrun("ListOffsets response v6-10", buf, pos) from error
    if pos > len(buf):
        raise overrun("ListOffsets response v6-10", buf, pos)
    return made_0


def encode_response_v1(message: ListOffsetsResponse) -> bytes:
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
            out += b"".join([pack_ihqq(item_2.partition_index, item_2.error_code, item_2.timestamp, item_2.offset) for item_2 in items_2])
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("ListOffsets response v1", message, error) from error


# versions 2-3
def encode_response_v2(message: ListOffsetsResponse) -> bytes:
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
            out += b"".join([pack_ihqq(item_2.partition_index, item_2.error_code, item_2.timestamp, item_2.offset) for item_2 in items_2])
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("ListOffsets response v2-3", message, error) from error


# versions 4-5
def encode_response_v4(message: ListOffsetsResponse) -> bytes:
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
            out += b"".join([pack_ihqqi(item_2.partition_index, item_2.error_code, item_2.timestamp, item_2.offset, item_2.leader_epoch) for item_2 in items_2])
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("ListOffsets response v4-5", message, error) from error


# versions 6-10
def encode_response_v6(message: ListOffsetsResponse) -> bytes:
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
            out += b"".join([pack_ihqqix(item_2.partition_index, item_2.error_code, item_2.timestamp, item_2.offset, item_2.leader_epoch) for item_2 in items_2])
            out += b"\0"
        out += b"\0"
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("ListOffsets response v6-10", message, error) from error


REQUEST_DECODERS = {
    1: decode_request_v1,
    2: decode_request_v2,
    3: decode_request_v2,
    4: decode_request_v4,
    5: decode_request_v4,
    6: decode_request_v6,
    7: decode_request_v6,
    8: decode_request_v6,
    9: decode_request_v6,
    10: decode_request_v10,
}
REQUEST_ENCODERS = {
    1: encode_request_v1,
    2: encode_request_v2,
    3: encode_request_v2,
    4: encode_request_v4,
    5: encode_request_v4,
    6: encode_request_v6,
    7: encode_request_v6,
    8: encode_request_v6,
    9: encode_request_v6,
    10: encode_request_v10,
}
RESPONSE_DECODERS = {
    1: decode_response_v1,
    2: decode_response_v2,
    3: decode_response_v2,
    4: decode_response_v4,
    5: decode_response_v4,
    6: decode_response_v6,
    7: decode_response_v6,
    8: decode_response_v6,
    9: decode_response_v6,
    10: decode_response_v6,
}
RESPONSE_ENCODERS = {
    1: encode_response_v1,
    2: encode_response_v2,
    3: encode_response_v2,
    4: encode_response_v4,
    5: encode_response_v4,
    6: encode_response_v6,
    7: encode_response_v6,
    8: encode_response_v6,
    9: encode_response_v6,
    10: encode_response_v6,
}
