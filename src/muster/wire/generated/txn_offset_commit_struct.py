"""Generated from tools/codecs/schemas/txn_offset_commit.api by `make generate`; changes belong there."""

from __future__ import annotations

from muster.wire.generated.txn_offset_commit import (
    TxnOffsetCommitRequest,
    TxnOffsetCommitRequestPartition,
    TxnOffsetCommitRequestTopic,
    TxnOffsetCommitResponse,
    TxnOffsetCommitResponsePartition,
    TxnOffsetCommitResponseTopic,
)
from struct import Struct, error as StructError

from muster.wire.message import Message, encode_failure
from muster.wire.primitives import null_field, overrun, read_length, skip_tagged, too_many
from muster.wire.varint import read_uvarint, uvarint

pack_h = Struct(">h").pack
pack_i = Struct(">i").pack
pack_iB = Struct(">iB").pack
pack_ih = Struct(">ih").pack
pack_ihx = Struct(">ihx").pack
pack_ii = Struct(">ii").pack
pack_iqh = Struct(">iqh").pack
pack_iqi = Struct(">iqi").pack
pack_iqiB = Struct(">iqiB").pack
pack_iqih = Struct(">iqih").pack
pack_iqix = Struct(">iqix").pack
pack_qhi = Struct(">qhi").pack
pack_qhiB = Struct(">qhiB").pack
unpack_h = Struct(">h").unpack_from
unpack_i = Struct(">i").unpack_from
unpack_iB = Struct(">iB").unpack_from
unpack_ih = Struct(">ih").unpack_from
unpack_ihB = Struct(">ihB").unpack_from
unpack_ii = Struct(">ii").unpack_from
unpack_iqh = Struct(">iqh").unpack_from
unpack_iqiB = Struct(">iqiB").unpack_from
unpack_iqih = Struct(">iqih").unpack_from
unpack_qhi = Struct(">qhi").unpack_from
unpack_qhiB = Struct(">qhiB").unpack_from


# versions 0-1
def decode_request_v0(buf: bytes, pos: int) -> TxnOffsetCommitRequest:
    try:
        (n,) = unpack_h(buf, pos)
        pos += 2
        if n < 0:
            raise null_field("TxnOffsetCommit request v0-1", "TransactionalId")
        end = pos + n
        transactional_id_0 = buf[pos:end].decode("utf-8", "replace")
        pos = end
        (n,) = unpack_h(buf, pos)
        pos += 2
        if n < 0:
            raise null_field("TxnOffsetCommit request v0-1", "GroupId")
        end = pos + n
        group_id_0 = buf[pos:end].decode("utf-8", "replace")
        pos = end
        producer_id_0, producer_epoch_0, n = unpack_qhi(buf, pos)
        pos += 14
        if n < 0:
            raise null_field("TxnOffsetCommit request v0-1", "Topics")
        if n * 6 > len(buf) - pos:
            raise overrun("TxnOffsetCommit request v0-1", buf, pos)
        if n > 50000:
            raise too_many("TxnOffsetCommit request v0-1", n)
        topics_0_items: list[TxnOffsetCommitRequestTopic] = []
        for _ in range(n):
            (n,) = unpack_h(buf, pos)
            pos += 2
            if n < 0:
                raise null_field("TxnOffsetCommit request v0-1", "Name")
            end = pos + n
            name_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            (n,) = unpack_i(buf, pos)
            pos += 4
            if n < 0:
                raise null_field("TxnOffsetCommit request v0-1", "Partitions")
            if n * 14 > len(buf) - pos:
                raise overrun("TxnOffsetCommit request v0-1", buf, pos)
            if n > 50000:
                raise too_many("TxnOffsetCommit request v0-1", n)
            partitions_1_items: list[TxnOffsetCommitRequestPartition] = []
            for _ in range(n):
                partition_index_2, committed_offset_2, n = unpack_iqh(buf, pos)
                pos += 14
                committed_metadata_2: str | None = None
                if n >= 0:
                    end = pos + n
                    committed_metadata_2 = buf[pos:end].decode("utf-8", "replace")
                    pos = end
                made_2 = TxnOffsetCommitRequestPartition(partition_index_2, committed_offset_2, -1, committed_metadata_2)
                partitions_1_items.append(made_2)
            partitions_1 = partitions_1_items
            made_1 = TxnOffsetCommitRequestTopic(name_1, partitions_1)
            topics_0_items.append(made_1)
        topics_0 = topics_0_items
        made_0 = TxnOffsetCommitRequest(transactional_id_0, group_id_0, producer_id_0, producer_epoch_0, -1, "", None, topics_0)
    except (IndexError, StructError) as error:
        raise overrun("TxnOffsetCommit request v0-1", buf, pos) from error
    if pos > len(buf):
        raise overrun("TxnOffsetCommit request v0-1", buf, pos)
    return made_0


def decode_request_v2(buf: bytes, pos: int) -> TxnOffsetCommitRequest:
    try:
        (n,) = unpack_h(buf, pos)
        pos += 2
        if n < 0:
            raise null_field("TxnOffsetCommit request v2", "TransactionalId")
        end = pos + n
        transactional_id_0 = buf[pos:end].decode("utf-8", "replace")
        pos = end
        (n,) = unpack_h(buf, pos)
        pos += 2
        if n < 0:
            raise null_field("TxnOffsetCommit request v2", "GroupId")
        end = pos + n
        group_id_0 = buf[pos:end].decode("utf-8", "replace")
        pos = end
        producer_id_0, producer_epoch_0, n = unpack_qhi(buf, pos)
        pos += 14
        if n < 0:
            raise null_field("TxnOffsetCommit request v2", "Topics")
        if n * 6 > len(buf) - pos:
            raise overrun("TxnOffsetCommit request v2", buf, pos)
        if n > 50000:
            raise too_many("TxnOffsetCommit request v2", n)
        topics_0_items: list[TxnOffsetCommitRequestTopic] = []
        for _ in range(n):
            (n,) = unpack_h(buf, pos)
            pos += 2
            if n < 0:
                raise null_field("TxnOffsetCommit request v2", "Name")
            end = pos + n
            name_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            (n,) = unpack_i(buf, pos)
            pos += 4
            if n < 0:
                raise null_field("TxnOffsetCommit request v2", "Partitions")
            if n * 18 > len(buf) - pos:
                raise overrun("TxnOffsetCommit request v2", buf, pos)
            if n > 50000:
                raise too_many("TxnOffsetCommit request v2", n)
            partitions_1_items: list[TxnOffsetCommitRequestPartition] = []
            for _ in range(n):
                partition_index_2, committed_offset_2, committed_leader_epoch_2, n = unpack_iqih(buf, pos)
                pos += 18
                committed_metadata_2: str | None = None
                if n >= 0:
                    end = pos + n
                    committed_metadata_2 = buf[pos:end].decode("utf-8", "replace")
                    pos = end
                made_2 = TxnOffsetCommitRequestPartition(partition_index_2, committed_offset_2, committed_leader_epoch_2, committed_metadata_2)
                partitions_1_items.append(made_2)
            partitions_1 = partitions_1_items
            made_1 = TxnOffsetCommitRequestTopic(name_1, partitions_1)
            topics_0_items.append(made_1)
        topics_0 = topics_0_items
        made_0 = TxnOffsetCommitRequest(transactional_id_0, group_id_0, producer_id_0, producer_epoch_0, -1, "", None, topics_0)
    except (IndexError, StructError) as error:
        raise overrun("TxnOffsetCommit request v2", buf, pos) from error
    if pos > len(buf):
        raise overrun("TxnOffsetCommit request v2", buf, pos)
    return made_0


# versions 3-5
def decode_request_v3(buf: bytes, pos: int) -> TxnOffsetCommitRequest:
    try:
        n = buf[pos]
        pos += 1
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "TxnOffsetCommit request v3-5", "TransactionalId")
        end = pos + n - 1
        transactional_id_0 = buf[pos:end].decode("utf-8", "replace")
        pos = end
        n = buf[pos]
        pos += 1
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "TxnOffsetCommit request v3-5", "GroupId")
        end = pos + n - 1
        group_id_0 = buf[pos:end].decode("utf-8", "replace")
        pos = end
        producer_id_0, producer_epoch_0, generation_id_0, n = unpack_qhiB(buf, pos)
        pos += 15
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "TxnOffsetCommit request v3-5", "MemberId")
        end = pos + n - 1
        member_id_0 = buf[pos:end].decode("utf-8", "replace")
        pos = end
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        group_instance_id_0: str | None = None
        if n > 0:
            end = pos + n - 1
            group_instance_id_0 = buf[pos:end].decode("utf-8", "replace")
            pos = end
        n = buf[pos]
        pos += 1
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "TxnOffsetCommit request v3-5", "Topics")
        n -= 1
        if n * 3 > len(buf) - pos:
            raise overrun("TxnOffsetCommit request v3-5", buf, pos)
        if n > 50000:
            raise too_many("TxnOffsetCommit request v3-5", n)
        topics_0_items: list[TxnOffsetCommitRequestTopic] = []
        for _ in range(n):
            n = buf[pos]
            pos += 1
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "TxnOffsetCommit request v3-5", "Name")
            end = pos + n - 1
            name_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            n = buf[pos]
            pos += 1
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "TxnOffsetCommit request v3-5", "Partitions")
            n -= 1
            if n * 18 > len(buf) - pos:
                raise overrun("TxnOffsetCommit request v3-5", buf, pos)
            if n > 50000:
                raise too_many("TxnOffsetCommit request v3-5", n)
            partitions_1_items: list[TxnOffsetCommitRequestPartition] = []
            for _ in range(n):
                partition_index_2, committed_offset_2, committed_leader_epoch_2, n = unpack_iqiB(buf, pos)
                pos += 17
                if n > 127:
                    n, pos = read_uvarint(buf, pos - 1)
                committed_metadata_2: str | None = None
                if n > 0:
                    end = pos + n - 1
                    committed_metadata_2 = buf[pos:end].decode("utf-8", "replace")
                    pos = end
                tags = buf[pos]
                pos += 1
                if tags:
                    pos = skip_tagged(buf, pos - 1)
                made_2 = TxnOffsetCommitRequestPartition(partition_index_2, committed_offset_2, committed_leader_epoch_2, committed_metadata_2)
                partitions_1_items.append(made_2)
            partitions_1 = partitions_1_items
            tags = buf[pos]
            pos += 1
            if tags:
                pos = skip_tagged(buf, pos - 1)
            made_1 = TxnOffsetCommitRequestTopic(name_1, partitions_1)
            topics_0_items.append(made_1)
        topics_0 = topics_0_items
        tags = buf[pos]
        pos += 1
        if tags:
            pos = skip_tagged(buf, pos - 1)
        made_0 = TxnOffsetCommitRequest(transactional_id_0, group_id_0, producer_id_0, producer_epoch_0, generation_id_0, member_id_0, group_instance_id_0, topics_0)
    except (IndexError, StructError) as error:
        raise overrun("TxnOffsetCommit request v3-5", buf, pos) from error
    if pos > len(buf):
        raise overrun("TxnOffsetCommit request v3-5", buf, pos)
    return made_0


# versions 0-1
def encode_request_v0(message: TxnOffsetCommitRequest) -> bytes:
    try:
        out = bytearray()
        raw = message.transactional_id.encode()
        out += pack_h(len(raw))
        out += raw
        raw = message.group_id.encode()
        out += pack_h(len(raw))
        out += raw
        items_1 = message.topics
        out += pack_qhi(message.producer_id, message.producer_epoch, len(items_1))
        for item_1 in items_1:
            raw = item_1.name.encode()
            out += pack_h(len(raw))
            out += raw
            items_2 = item_1.partitions
            out += pack_i(len(items_2))
            for item_2 in items_2:
                value_3 = item_2.committed_metadata
                if value_3 is None:
                    out += pack_iqh(item_2.partition_index, item_2.committed_offset, -1)
                else:
                    raw = value_3.encode()
                    out += pack_iqh(item_2.partition_index, item_2.committed_offset, len(raw))
                    out += raw
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("TxnOffsetCommit request v0-1", message, error) from error


def encode_request_v2(message: TxnOffsetCommitRequest) -> bytes:
    try:
        out = bytearray()
        raw = message.transactional_id.encode()
        out += pack_h(len(raw))
        out += raw
        raw = message.group_id.encode()
        out += pack_h(len(raw))
        out += raw
        items_1 = message.topics
        out += pack_qhi(message.producer_id, message.producer_epoch, len(items_1))
        for item_1 in items_1:
            raw = item_1.name.encode()
            out += pack_h(len(raw))
            out += raw
            items_2 = item_1.partitions
            out += pack_i(len(items_2))
            for item_2 in items_2:
                value_3 = item_2.committed_metadata
                if value_3 is None:
                    out += pack_iqih(item_2.partition_index, item_2.committed_offset, item_2.committed_leader_epoch, -1)
                else:
                    raw = value_3.encode()
                    out += pack_iqih(item_2.partition_index, item_2.committed_offset, item_2.committed_leader_epoch, len(raw))
                    out += raw
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("TxnOffsetCommit request v2", message, error) from error


# versions 3-5
def encode_request_v3(message: TxnOffsetCommitRequest) -> bytes:
    try:
        out = bytearray()
        raw = message.transactional_id.encode()
        n = len(raw) + 1
        if n < 128:
            out.append(n)
        else:
            out += uvarint(n)
        out += raw
        raw = message.group_id.encode()
        n = len(raw) + 1
        if n < 128:
            out.append(n)
        else:
            out += uvarint(n)
        out += raw
        raw = message.member_id.encode()
        n = len(raw) + 1
        if n < 128:
            out += pack_qhiB(message.producer_id, message.producer_epoch, message.generation_id, n)
        else:
            out += pack_qhi(message.producer_id, message.producer_epoch, message.generation_id)
            out += uvarint(n)
        out += raw
        value_1 = message.group_instance_id
        if value_1 is None:
            out += b"\0"
        else:
            raw = value_1.encode()
            n = len(raw) + 1
            if n < 128:
                out.append(n)
            else:
                out += uvarint(n)
            out += raw
        items_2 = message.topics
        n = len(items_2) + 1
        if n < 128:
            out.append(n)
        else:
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
            for item_3 in items_3:
                value_4 = item_3.committed_metadata
                if value_4 is None:
                    out += pack_iqix(item_3.partition_index, item_3.committed_offset, item_3.committed_leader_epoch)
                else:
                    raw = value_4.encode()
                    n = len(raw) + 1
                    if n < 128:
                        out += pack_iqiB(item_3.partition_index, item_3.committed_offset, item_3.committed_leader_epoch, n)
                    else:
                        out += pack_iqi(item_3.partition_index, item_3.committed_offset, item_3.committed_leader_epoch)
                        out += uvarint(n)
                    out += raw
                out += b"\0"
            out += b"\0"
        out += b"\0"
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("TxnOffsetCommit request v3-5", message, error) from error


# versions 0-2
def decode_response_v0(buf: bytes, pos: int) -> TxnOffsetCommitResponse:
    try:
        throttle_time_ms_0, n = unpack_ii(buf, pos)
        pos += 8
        if n < 0:
            raise null_field("TxnOffsetCommit response v0-2", "Topics")
        if n * 6 > len(buf) - pos:
            raise overrun("TxnOffsetCommit response v0-2", buf, pos)
        topics_0_items: list[TxnOffsetCommitResponseTopic] = []
        for _ in range(n):
            (n,) = unpack_h(buf, pos)
            pos += 2
            if n < 0:
                raise null_field("TxnOffsetCommit response v0-2", "Name")
            end = pos + n
            name_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            (n,) = unpack_i(buf, pos)
            pos += 4
            if n < 0:
                raise null_field("TxnOffsetCommit response v0-2", "Partitions")
            if n * 6 > len(buf) - pos:
                raise overrun("TxnOffsetCommit response v0-2", buf, pos)
            partitions_1_items: list[TxnOffsetCommitResponsePartition] = []
            for _ in range(n):
                partition_index_2, error_code_2 = unpack_ih(buf, pos)
                pos += 6
                made_2 = TxnOffsetCommitResponsePartition(partition_index_2, error_code_2)
                partitions_1_items.append(made_2)
            partitions_1 = partitions_1_items
            made_1 = TxnOffsetCommitResponseTopic(name_1, partitions_1)
            topics_0_items.append(made_1)
        topics_0 = topics_0_items
        made_0 = TxnOffsetCommitResponse(throttle_time_ms_0, topics_0)
    except (IndexError, StructError) as error:
        raise overrun("TxnOffsetCommit response v0-2", buf, pos) from error
    if pos > len(buf):
        raise overrun("TxnOffsetCommit response v0-2", buf, pos)
    return made_0


# versions 3-5
def decode_response_v3(buf: bytes, pos: int) -> TxnOffsetCommitResponse:
    try:
        throttle_time_ms_0, n = unpack_iB(buf, pos)
        pos += 5
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "TxnOffsetCommit response v3-5", "Topics")
        n -= 1
        if n * 3 > len(buf) - pos:
            raise overrun("TxnOffsetCommit response v3-5", buf, pos)
        topics_0_items: list[TxnOffsetCommitResponseTopic] = []
        for _ in range(n):
            n = buf[pos]
            pos += 1
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "TxnOffsetCommit response v3-5", "Name")
            end = pos + n - 1
            name_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            n = buf[pos]
            pos += 1
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "TxnOffsetCommit response v3-5", "Partitions")
            n -= 1
            if n * 7 > len(buf) - pos:
                raise overrun("TxnOffsetCommit response v3-5", buf, pos)
            partitions_1_items: list[TxnOffsetCommitResponsePartition] = []
            for _ in range(n):
                partition_index_2, error_code_2, tags = unpack_ihB(buf, pos)
                pos += 7
                if tags:
                    pos = skip_tagged(buf, pos - 1)
                made_2 = TxnOffsetCommitResponsePartition(partition_index_2, error_code_2)
                partitions_1_items.append(made_2)
            partitions_1 = partitions_1_items
            tags = buf[pos]
            pos += 1
            if tags:
                pos = skip_tagged(buf, pos - 1)
            made_1 = TxnOffsetCommitResponseTopic(name_1, partitions_1)
            topics_0_items.append(made_1)
        topics_0 = topics_0_items
        tags = buf[pos]
        pos += 1
        if tags:
            pos = skip_tagged(buf, pos - 1)
        made_0 = TxnOffsetCommitResponse(throttle_time_ms_0, topics_0)
    except (IndexError, StructError) as error:
        raise overrun("TxnOffsetCommit response v3-5", buf, pos) from error
    if pos > len(buf):
        raise overrun("TxnOffsetCommit response v3-5", buf, pos)
    return made_0


# versions 0-2
def encode_response_v0(message: TxnOffsetCommitResponse) -> bytes:
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
            out += b"".join([pack_ih(item_2.partition_index, item_2.error_code) for item_2 in items_2])
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("TxnOffsetCommit response v0-2", message, error) from error


# versions 3-5
def encode_response_v3(message: TxnOffsetCommitResponse) -> bytes:
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
            out += b"".join([pack_ihx(item_2.partition_index, item_2.error_code) for item_2 in items_2])
            out += b"\0"
        out += b"\0"
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("TxnOffsetCommit response v3-5", message, error) from error


REQUEST_DECODERS = {
    0: decode_request_v0,
    1: decode_request_v0,
    2: decode_request_v2,
    3: decode_request_v3,
    4: decode_request_v3,
    5: decode_request_v3,
}
REQUEST_ENCODERS = {
    0: encode_request_v0,
    1: encode_request_v0,
    2: encode_request_v2,
    3: encode_request_v3,
    4: encode_request_v3,
    5: encode_request_v3,
}
RESPONSE_DECODERS = {
    0: decode_response_v0,
    1: decode_response_v0,
    2: decode_response_v0,
    3: decode_response_v3,
    4: decode_response_v3,
    5: decode_response_v3,
}
RESPONSE_ENCODERS = {
    0: encode_response_v0,
    1: encode_response_v0,
    2: encode_response_v0,
    3: encode_response_v3,
    4: encode_response_v3,
    5: encode_response_v3,
}
