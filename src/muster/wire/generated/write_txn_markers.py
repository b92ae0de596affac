"""Generated from tools/codecs/schemas/write_txn_markers.api by `make generate`; changes belong there."""

from __future__ import annotations

from collections.abc import Sequence

from struct import Struct, error as StructError

from muster.wire.message import Message, encode_failure
from muster.wire.primitives import i32s, overrun, read_i32s, read_length, skip_tagged, too_many
from muster.wire.varint import uvarint

new = Message.__new__
pack_ibx = Struct(">ibx").pack
pack_ihx = Struct(">ihx").pack
pack_ix = Struct(">ix").pack
pack_q = Struct(">q").pack
pack_qB = Struct(">qB").pack
pack_qht = Struct(">qh?").pack
pack_qhtB = Struct(">qh?B").pack
unpack_iB = Struct(">iB").unpack_from
unpack_ibB = Struct(">ibB").unpack_from
unpack_ihB = Struct(">ihB").unpack_from
unpack_qB = Struct(">qB").unpack_from
unpack_qhtB = Struct(">qh?B").unpack_from


class WriteTxnMarkersRequestTopic(Message):
    __match_args__ = ("name", "partition_indexes")
    __slots__ = __match_args__

    def __init__(
        self,
        name: str = "",
        partition_indexes: Sequence[int] = (),
    ) -> None:
        self.name = name
        self.partition_indexes = partition_indexes


class WriteTxnMarkersRequestMarker(Message):
    __match_args__ = ("producer_id", "producer_epoch", "transaction_result", "topics", "coordinator_epoch", "transaction_version")
    __slots__ = __match_args__

    def __init__(
        self,
        producer_id: int = 0,
        producer_epoch: int = 0,
        transaction_result: bool = False,
        topics: Sequence[WriteTxnMarkersRequestTopic] = (),
        coordinator_epoch: int = 0,
        transaction_version: int = 0,
    ) -> None:
        self.producer_id = producer_id
        self.producer_epoch = producer_epoch
        self.transaction_result = transaction_result
        self.topics = topics
        self.coordinator_epoch = coordinator_epoch
        self.transaction_version = transaction_version


class WriteTxnMarkersRequest(Message):
    __match_args__ = ("markers",)
    __slots__ = __match_args__

    def __init__(
        self,
        markers: Sequence[WriteTxnMarkersRequestMarker] = (),
    ) -> None:
        self.markers = markers


class WriteTxnMarkersResponsePartition(Message):
    __match_args__ = ("partition_index", "error_code")
    __slots__ = __match_args__

    def __init__(
        self,
        partition_index: int = 0,
        error_code: int = 0,
    ) -> None:
        self.partition_index = partition_index
        self.error_code = error_code


class WriteTxnMarkersResponseTopic(Message):
    __match_args__ = ("name", "partitions")
    __slots__ = __match_args__

    def __init__(
        self,
        name: str = "",
        partitions: Sequence[WriteTxnMarkersResponsePartition] = (),
    ) -> None:
        self.name = name
        self.partitions = partitions


class WriteTxnMarkersResponseMarker(Message):
    __match_args__ = ("producer_id", "topics")
    __slots__ = __match_args__

    def __init__(
        self,
        producer_id: int = 0,
        topics: Sequence[WriteTxnMarkersResponseTopic] = (),
    ) -> None:
        self.producer_id = producer_id
        self.topics = topics


class WriteTxnMarkersResponse(Message):
    __match_args__ = ("markers",)
    __slots__ = __match_args__

    def __init__(
        self,
        markers: Sequence[WriteTxnMarkersResponseMarker] = (),
    ) -> None:
        self.markers = markers


def decode_request_v1(buf: bytes, pos: int) -> WriteTxnMarkersRequest:
    try:
        n = buf[pos]
        pos += 1
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "WriteTxnMarkers request v1", "Markers")
        n -= 1
        if n * 17 > len(buf) - pos:
            raise overrun("WriteTxnMarkers request v1", buf, pos)
        if n > 50000:
            raise too_many("WriteTxnMarkers request v1", n)
        markers_0_items: list[WriteTxnMarkersRequestMarker] = []
        for _ in range(n):
            producer_id_1, producer_epoch_1, transaction_result_1, n = unpack_qhtB(buf, pos)
            pos += 12
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "WriteTxnMarkers request v1", "Topics")
            n -= 1
            if n * 3 > len(buf) - pos:
                raise overrun("WriteTxnMarkers request v1", buf, pos)
            if n > 50000:
                raise too_many("WriteTxnMarkers request v1", n)
            topics_1_items: list[WriteTxnMarkersRequestTopic] = []
            for _ in range(n):
                n = buf[pos]
                pos += 1
                if not 0 < n < 128:
                    n, pos = read_length(buf, pos - 1, "WriteTxnMarkers request v1", "Name")
                end = pos + n - 1
                name_2 = buf[pos:end].decode("utf-8", "replace")
                pos = end
                n = buf[pos]
                pos += 1
                if not 0 < n < 128:
                    n, pos = read_length(buf, pos - 1, "WriteTxnMarkers request v1", "PartitionIndexes")
                n -= 1
                if n * 4 > len(buf) - pos:
                    raise overrun("WriteTxnMarkers request v1", buf, pos)
                partition_indexes_2 = read_i32s(buf, pos, n)
                pos += n * 4
                tags = buf[pos]
                pos += 1
                if tags:
                    pos = skip_tagged(buf, pos - 1)
                made_2 = new(WriteTxnMarkersRequestTopic)
                made_2.name = name_2
                made_2.partition_indexes = partition_indexes_2
                topics_1_items.append(made_2)
            topics_1 = topics_1_items
            coordinator_epoch_1, tags = unpack_iB(buf, pos)
            pos += 5
            if tags:
                pos = skip_tagged(buf, pos - 1)
            made_1 = new(WriteTxnMarkersRequestMarker)
            made_1.producer_id = producer_id_1
            made_1.producer_epoch = producer_epoch_1
            made_1.transaction_result = transaction_result_1
            made_1.topics = topics_1
            made_1.coordinator_epoch = coordinator_epoch_1
            made_1.transaction_version = 0
            markers_0_items.append(made_1)
        markers_0 = markers_0_items
        tags = buf[pos]
        pos += 1
        if tags:
            pos = skip_tagged(buf, pos - 1)
        made_0 = new(WriteTxnMarkersRequest)
        made_0.markers = markers_0
    except (IndexError, StructError) as error:
        raise overrun("WriteTxnMarkers request v1", buf, pos) from error
    if pos > len(buf):
        raise overrun("WriteTxnMarkers request v1", buf, pos)
    return made_0


def decode_request_v2(buf: bytes, pos: int) -> WriteTxnMarkersRequest:
    try:
        n = buf[pos]
        pos += 1
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "WriteTxnMarkers request v2", "Markers")
        n -= 1
        if n * 18 > len(buf) - pos:
            raise overrun("WriteTxnMarkers request v2", buf, pos)
        if n > 50000:
            raise too_many("WriteTxnMarkers request v2", n)
        markers_0_items: list[WriteTxnMarkersRequestMarker] = []
        for _ in range(n):
            producer_id_1, producer_epoch_1, transaction_result_1, n = unpack_qhtB(buf, pos)
            pos += 12
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "WriteTxnMarkers request v2", "Topics")
            n -= 1
            if n * 3 > len(buf) - pos:
                raise overrun("WriteTxnMarkers request v2", buf, pos)
            if n > 50000:
                raise too_many("WriteTxnMarkers request v2", n)
            topics_1_items: list[WriteTxnMarkersRequestTopic] = []
            for _ in range(n):
                n = buf[pos]
                pos += 1
                if not 0 < n < 128:
                    n, pos = read_length(buf, pos - 1, "WriteTxnMarkers request v2", "Name")
                end = pos + n - 1
                name_2 = buf[pos:end].decode("utf-8", "replace")
                pos = end
                n = buf[pos]
                pos += 1
                if not 0 < n < 128:
                    n, pos = read_length(buf, pos - 1, "WriteTxnMarkers request v2", "PartitionIndexes")
                n -= 1
                if n * 4 > len(buf) - pos:
                    raise overrun("WriteTxnMarkers request v2", buf, pos)
                partition_indexes_2 = read_i32s(buf, pos, n)
                pos += n * 4
                tags = buf[pos]
                pos += 1
                if tags:
                    pos = skip_tagged(buf, pos - 1)
                made_2 = new(WriteTxnMarkersRequestTopic)
                made_2.name = name_2
                made_2.partition_indexes = partition_indexes_2
                topics_1_items.append(made_2)
            topics_1 = topics_1_items
            coordinator_epoch_1, transaction_version_1, tags = unpack_ibB(buf, pos)
            pos += 6
            if tags:
                pos = skip_tagged(buf, pos - 1)
            made_1 = new(WriteTxnMarkersRequestMarker)
            made_1.producer_id = producer_id_1
            made_1.producer_epoch = producer_epoch_1
            made_1.transaction_result = transaction_result_1
            made_1.topics = topics_1
            made_1.coordinator_epoch = coordinator_epoch_1
            made_1.transaction_version = transaction_version_1
            markers_0_items.append(made_1)
        markers_0 = markers_0_items
        tags = buf[pos]
        pos += 1
        if tags:
            pos = skip_tagged(buf, pos - 1)
        made_0 = new(WriteTxnMarkersRequest)
        made_0.markers = markers_0
    except (IndexError, StructError) as error:
        raise overrun("WriteTxnMarkers request v2", buf, pos) from error
    if pos > len(buf):
        raise overrun("WriteTxnMarkers request v2", buf, pos)
    return made_0


def encode_request_v1(message: WriteTxnMarkersRequest) -> bytes:
    try:
        out = bytearray()
        items_1 = message.markers
        n = len(items_1) + 1
        if n < 128:
            out.append(n)
        else:
            out += uvarint(n)
        for item_1 in items_1:
            items_2 = item_1.topics
            n = len(items_2) + 1
            if n < 128:
                out += pack_qhtB(item_1.producer_id, item_1.producer_epoch, item_1.transaction_result, n)
            else:
                out += pack_qht(item_1.producer_id, item_1.producer_epoch, item_1.transaction_result)
                out += uvarint(n)
            for item_2 in items_2:
                raw = item_2.name.encode()
                n = len(raw) + 1
                if n < 128:
                    out.append(n)
                else:
                    out += uvarint(n)
                out += raw
                items_3 = item_2.partition_indexes
                n = len(items_3) + 1
                if n < 128:
                    out.append(n)
                else:
                    out += uvarint(n)
                out += i32s(items_3)
                out += b"\0"
            out += pack_ix(item_1.coordinator_epoch)
        out += b"\0"
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("WriteTxnMarkers request v1", message, error) from error


def encode_request_v2(message: WriteTxnMarkersRequest) -> bytes:
    try:
        out = bytearray()
        items_1 = message.markers
        n = len(items_1) + 1
        if n < 128:
            out.append(n)
        else:
            out += uvarint(n)
        for item_1 in items_1:
            items_2 = item_1.topics
            n = len(items_2) + 1
            if n < 128:
                out += pack_qhtB(item_1.producer_id, item_1.producer_epoch, item_1.transaction_result, n)
            else:
                out += pack_qht(item_1.producer_id, item_1.producer_epoch, item_1.transaction_result)
                out += uvarint(n)
            for item_2 in items_2:
                raw = item_2.name.encode()
                n = len(raw) + 1
                if n < 128:
                    out.append(n)
                else:
                    out += uvarint(n)
                out += raw
                items_3 = item_2.partition_indexes
                n = len(items_3) + 1
                if n < 128:
                    out.append(n)
                else:
                    out += uvarint(n)
                out += i32s(items_3)
                out += b"\0"
            out += pack_ibx(item_1.coordinator_epoch, item_1.transaction_version)
        out += b"\0"
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("WriteTxnMarkers request v2", message, error) from error


# versions 1-2
def decode_response_v1(buf: bytes, pos: int) -> WriteTxnMarkersResponse:
    try:
        n = buf[pos]
        pos += 1
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "WriteTxnMarkers response v1-2", "Markers")
        n -= 1
        if n * 10 > len(buf) - pos:
            raise overrun("WriteTxnMarkers response v1-2", buf, pos)
        markers_0_items: list[WriteTxnMarkersResponseMarker] = []
        for _ in range(n):
            producer_id_1, n = unpack_qB(buf, pos)
            pos += 9
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "WriteTxnMarkers response v1-2", "Topics")
            n -= 1
            if n * 3 > len(buf) - pos:
                raise overrun("WriteTxnMarkers response v1-2", buf, pos)
            topics_1_items: list[WriteTxnMarkersResponseTopic] = []
            for _ in range(n):
                n = buf[pos]
                pos += 1
                if not 0 < n < 128:
                    n, pos = read_length(buf, pos - 1, "WriteTxnMarkers response v1-2", "Name")
                end = pos + n - 1
                name_2 = buf[pos:end].decode("utf-8", "replace")
                pos = end
                n = buf[pos]
                pos += 1
                if not 0 < n < 128:
                    n, pos = read_length(buf, pos - 1, "WriteTxnMarkers response v1-2", "Partitions")
                n -= 1
                if n * 7 > len(buf) - pos:
                    raise overrun("WriteTxnMarkers response v1-2", buf, pos)
                partitions_2_items: list[WriteTxnMarkersResponsePartition] = []
                for _ in range(n):
                    partition_index_3, error_code_3, tags = unpack_ihB(buf, pos)
                    pos += 7
                    if tags:
                        pos = skip_tagged(buf, pos - 1)
                    made_3 = new(WriteTxnMarkersResponsePartition)
                    made_3.partition_index = partition_index_3
                    made_3.error_code = error_code_3
                    partitions_2_items.append(made_3)
                partitions_2 = partitions_2_items
                tags = buf[pos]
                pos += 1
                if tags:
                    pos = skip_tagged(buf, pos - 1)
                made_2 = new(WriteTxnMarkersResponseTopic)
                made_2.name = name_2
                made_2.partitions = partitions_2
                topics_1_items.append(made_2)
            topics_1 = topics_1_items
            tags = buf[pos]
            pos += 1
            if tags:
                pos = skip_tagged(buf, pos - 1)
            made_1 = new(WriteTxnMarkersResponseMarker)
            made_1.producer_id = producer_id_1
            made_1.topics = topics_1
            markers_0_items.append(made_1)
        markers_0 = markers_0_items
        tags = buf[pos]
        pos += 1
        if tags:
            pos = skip_tagged(buf, pos - 1)
        made_0 = new(WriteTxnMarkersResponse)
        made_0.markers = markers_0
    except (IndexError, StructError) as error:
        raise overrun("WriteTxnMarkers response v1-2", buf, pos) from error
    if pos > len(buf):
        raise overrun("WriteTxnMarkers response v1-2", buf, pos)
    return made_0


# versions 1-2
def encode_response_v1(message: WriteTxnMarkersResponse) -> bytes:
    try:
        out = bytearray()
        items_1 = message.markers
        n = len(items_1) + 1
        if n < 128:
            out.append(n)
        else:
            out += uvarint(n)
        for item_1 in items_1:
            items_2 = item_1.topics
            n = len(items_2) + 1
            if n < 128:
                out += pack_qB(item_1.producer_id, n)
            else:
                out += pack_q(item_1.producer_id)
                out += uvarint(n)
            for item_2 in items_2:
                raw = item_2.name.encode()
                n = len(raw) + 1
                if n < 128:
                    out.append(n)
                else:
                    out += uvarint(n)
                out += raw
                items_3 = item_2.partitions
                n = len(items_3) + 1
                if n < 128:
                    out.append(n)
                else:
                    out += uvarint(n)
                out += b"".join([pack_ihx(item_3.partition_index, item_3.error_code) for item_3 in items_3])
                out += b"\0"
            out += b"\0"
        out += b"\0"
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("WriteTxnMarkers response v1-2", message, error) from error


REQUEST_DECODERS = {
    1: decode_request_v1,
    2: decode_request_v2,
}
REQUEST_ENCODERS = {
    1: encode_request_v1,
    2: encode_request_v2,
}
RESPONSE_DECODERS = {
    1: decode_response_v1,
    2: decode_response_v1,
}
RESPONSE_ENCODERS = {
    1: encode_response_v1,
    2: encode_response_v1,
}
