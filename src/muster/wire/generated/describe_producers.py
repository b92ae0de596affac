"""Generated from tools/codecs/schemas/describe_producers.api by `make generate`; changes belong there."""

from __future__ import annotations

from collections.abc import Sequence

from struct import Struct, error as StructError

from muster.wire.message import Message, encode_failure
from muster.wire.primitives import i32s, overrun, read_i32s, read_length, skip_tagged, too_many
from muster.wire.varint import read_uvarint, uvarint

new = Message.__new__
pack_i = Struct(">i").pack
pack_iB = Struct(">iB").pack
pack_ih = Struct(">ih").pack
pack_ihB = Struct(">ihB").pack
pack_ihx = Struct(">ihx").pack
pack_qiiqiqx = Struct(">qiiqiqx").pack
unpack_iB = Struct(">iB").unpack_from
unpack_ihB = Struct(">ihB").unpack_from
unpack_qiiqiqB = Struct(">qiiqiqB").unpack_from


class DescribeProducersRequestTopic(Message):
    __match_args__ = ("name", "partition_indexes")
    __slots__ = __match_args__

    def __init__(
        self,
        name: str = "",
        partition_indexes: Sequence[int] = (),
    ) -> None:
        self.name = name
        self.partition_indexes = partition_indexes


class DescribeProducersRequest(Message):
    __match_args__ = ("topics",)
    __slots__ = __match_args__

    def __init__(
        self,
        topics: Sequence[DescribeProducersRequestTopic] = (),
    ) -> None:
        self.topics = topics


class DescribeProducersResponseProducer(Message):
    __match_args__ = ("producer_id", "producer_epoch", "last_sequence", "last_timestamp", "coordinator_epoch", "current_txn_start_offset")
    __slots__ = __match_args__

    def __init__(
        self,
        producer_id: int = 0,
        producer_epoch: int = 0,
        last_sequence: int = -1,
        last_timestamp: int = -1,
        coordinator_epoch: int = 0,
        current_txn_start_offset: int = -1,
    ) -> None:
        self.producer_id = producer_id
        self.producer_epoch = producer_epoch
        self.last_sequence = last_sequence
        self.last_timestamp = last_timestamp
        self.coordinator_epoch = coordinator_epoch
        self.current_txn_start_offset = current_txn_start_offset


class DescribeProducersResponsePartition(Message):
    __match_args__ = ("partition_index", "error_code", "error_message", "active_producers")
    __slots__ = __match_args__

    def __init__(
        self,
        partition_index: int = 0,
        error_code: int = 0,
        error_message: str | None = None,
        active_producers: Sequence[DescribeProducersResponseProducer] = (),
    ) -> None:
        self.partition_index = partition_index
        self.error_code = error_code
        self.error_message = error_message
        self.active_producers = active_producers


class DescribeProducersResponseTopic(Message):
    __match_args__ = ("name", "partitions")
    __slots__ = __match_args__

    def __init__(
        self,
        name: str = "",
        partitions: Sequence[DescribeProducersResponsePartition] = (),
    ) -> None:
        self.name = name
        self.partitions = partitions


class DescribeProducersResponse(Message):
    __match_args__ = ("throttle_time_ms", "topics")
    __slots__ = __match_args__

    def __init__(
        self,
        throttle_time_ms: int = 0,
        topics: Sequence[DescribeProducersResponseTopic] = (),
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.topics = topics


def decode_request_v0(buf: bytes, pos: int) -> DescribeProducersRequest:
    try:
        n = buf[pos]
        pos += 1
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "DescribeProducers request v0", "Topics")
        n -= 1
        if n * 3 > len(buf) - pos:
            raise overrun("DescribeProducers request v0", buf, pos)
        if n > 50000:
            raise too_many("DescribeProducers request v0", n)
        topics_0_items: list[DescribeProducersRequestTopic] = []
        for _ in range(n):
            n = buf[pos]
            pos += 1
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "DescribeProducers request v0", "Name")
            end = pos + n - 1
            name_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            n = buf[pos]
            pos += 1
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "DescribeProducers request v0", "PartitionIndexes")
            n -= 1
            if n * 4 > len(buf) - pos:
                raise overrun("DescribeProducers request v0", buf, pos)
            partition_indexes_1 = read_i32s(buf, pos, n)
            pos += n * 4
            tags = buf[pos]
            pos += 1
            if tags:
                pos = skip_tagged(buf, pos - 1)
            made_1 = new(DescribeProducersRequestTopic)
            made_1.name = name_1
            made_1.partition_indexes = partition_indexes_1
            topics_0_items.append(made_1)
        topics_0 = topics_0_items
        tags = buf[pos]
        pos += 1
        if tags:
            pos = skip_tagged(buf, pos - 1)
        made_0 = new(DescribeProducersRequest)
        made_0.topics = topics_0
    except (IndexError, StructError) as error:
        raise overrun("DescribeProducers request v0", buf, pos) from error
    if pos > len(buf):
        raise overrun("DescribeProducers request v0", buf, pos)
    return made_0


def encode_request_v0(message: DescribeProducersRequest) -> bytes:
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
            items_2 = item_1.partition_indexes
            n = len(items_2) + 1
            if n < 128:
                out.append(n)
            else:
                out += uvarint(n)
            out += i32s(items_2)
            out += b"\0"
        out += b"\0"
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("DescribeProducers request v0", message, error) from error


def decode_response_v0(buf: bytes, pos: int) -> DescribeProducersResponse:
    try:
        throttle_time_ms_0, n = unpack_iB(buf, pos)
        pos += 5
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "DescribeProducers response v0", "Topics")
        n -= 1
        if n * 3 > len(buf) - pos:
            raise overrun("DescribeProducers response v0", buf, pos)
        topics_0_items: list[DescribeProducersResponseTopic] = []
        for _ in range(n):
            n = buf[pos]
            pos += 1
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "DescribeProducers response v0", "Name")
            end = pos + n - 1
            name_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            n = buf[pos]
            pos += 1
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "DescribeProducers response v0", "Partitions")
            n -= 1
            if n * 9 > len(buf) - pos:
                raise overrun("DescribeProducers response v0", buf, pos)
            partitions_1_items: list[DescribeProducersResponsePartition] = []
            for _ in range(n):
                partition_index_2, error_code_2, n = unpack_ihB(buf, pos)
                pos += 7
                if n > 127:
                    n, pos = read_uvarint(buf, pos - 1)
                error_message_2: str | None = None
                if n > 0:
                    end = pos + n - 1
                    error_message_2 = buf[pos:end].decode("utf-8", "replace")
                    pos = end
                n = buf[pos]
                pos += 1
                if not 0 < n < 128:
                    n, pos = read_length(buf, pos - 1, "DescribeProducers response v0", "ActiveProducers")
                n -= 1
                if n * 37 > len(buf) - pos:
                    raise overrun("DescribeProducers response v0", buf, pos)
                active_producers_2_items: list[DescribeProducersResponseProducer] = []
                for _ in range(n):
                    producer_id_3, producer_epoch_3, last_sequence_3, last_timestamp_3, coordinator_epoch_3, current_txn_start_offset_3, tags = unpack_qiiqiqB(buf, pos)
                    pos += 37
                    if tags:
                        pos = skip_tagged(buf, pos - 1)
                    made_3 = new(DescribeProducersResponseProducer)
                    made_3.producer_id = producer_id_3
                    made_3.producer_epoch = producer_epoch_3
                    made_3.last_sequence = last_sequence_3
                    made_3.last_timestamp = last_timestamp_3
                    made_3.coordinator_epoch = coordinator_epoch_3
                    made_3.current_txn_start_offset = current_txn_start_offset_3
                    active_producers_2_items.append(made_3)
                active_producers_2 = active_producers_2_items
                tags = buf[pos]
                pos += 1
                if tags:
                    pos = skip_tagged(buf, pos - 1)
                made_2 = new(DescribeProducersResponsePartition)
                made_2.partition_index = partition_index_2
                made_2.error_code = error_code_2
                made_2.error_message = error_message_2
                made_2.active_producers = active_producers_2
                partitions_1_items.append(made_2)
            partitions_1 = partitions_1_items
            tags = buf[pos]
            pos += 1
            if tags:
                pos = skip_tagged(buf, pos - 1)
            made_1 = new(DescribeProducersResponseTopic)
            made_1.name = name_1
            made_1.partitions = partitions_1
            topics_0_items.append(made_1)
        topics_0 = topics_0_items
        tags = buf[pos]
        pos += 1
        if tags:
            pos = skip_tagged(buf, pos - 1)
        made_0 = new(DescribeProducersResponse)
        made_0.throttle_time_ms = throttle_time_ms_0
        made_0.topics = topics_0
    except (IndexError, StructError) as error:
        raise overrun("DescribeProducers response v0", buf, pos) from error
    if pos > len(buf):
        raise overrun("DescribeProducers response v0", buf, pos)
    return made_0


def encode_response_v0(message: DescribeProducersResponse) -> bytes:
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
            for item_2 in items_2:
                value_3 = item_2.error_message
                if value_3 is None:
                    out += pack_ihx(item_2.partition_index, item_2.error_code)
                else:
                    raw = value_3.encode()
                    n = len(raw) + 1
                    if n < 128:
                        out += pack_ihB(item_2.partition_index, item_2.error_code, n)
                    else:
                        out += pack_ih(item_2.partition_index, item_2.error_code)
                        out += uvarint(n)
                    out += raw
                items_4 = item_2.active_producers
                n = len(items_4) + 1
                if n < 128:
                    out.append(n)
                else:
                    out += uvarint(n)
                out += b"".join([pack_qiiqiqx(item_4.producer_id, item_4.producer_epoch, item_4.last_sequence, item_4.last_timestamp, item_4.coordinator_epoch, item_4.current_txn_start_offset) for item_4 in items_4])
                out += b"\0"
            out += b"\0"
        out += b"\0"
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("DescribeProducers response v0", message, error) from error


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
