"""Generated from tools/codecs/schemas/offset_commit.api by `make generate`; changes belong there."""

from __future__ import annotations

from typing import Final

from muster.wire.generated.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
    OffsetCommitResponse,
    OffsetCommitResponsePartition,
    OffsetCommitResponseTopic,
)
from struct import Struct, error as StructError

from muster.wire.message import Message, encode_failure, octets_of
from muster.wire.primitives import null_field, overrun, read_length, skip_tagged, too_many
from muster.wire.varint import read_uvarint, uvarint

pack_u = Struct(">16s").pack
pack_uB = Struct(">16sB").pack
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
pack_qi = Struct(">qi").pack
unpack_uB = Struct(">16sB").unpack_from
unpack_h = Struct(">h").unpack_from
unpack_i = Struct(">i").unpack_from
unpack_iB = Struct(">iB").unpack_from
unpack_ih = Struct(">ih").unpack_from
unpack_ihB = Struct(">ihB").unpack_from
unpack_ii = Struct(">ii").unpack_from
unpack_iqh = Struct(">iqh").unpack_from
unpack_iqiB = Struct(">iqiB").unpack_from
unpack_iqih = Struct(">iqih").unpack_from
unpack_qi = Struct(">qi").unpack_from
NO_UUID: Final = bytes(16)


# versions 2-4
def decode_request_v2(buf: bytes, pos: int) -> OffsetCommitRequest:
    try:
        (n,) = unpack_h(buf, pos)
        pos += 2
        if n < 0:
            raise null_field("OffsetCommit request v2-4", "GroupId")
        end = pos + n
        group_id_0 = buf[pos:end].decode("utf-8", "replace")
        pos = end
        generation_id_or_member_epoch_0, n = unpack_ih(buf, pos)
        pos += 6
        if n < 0:
            raise null_field("OffsetCommit request v2-4", "MemberId")
        end = pos + n
        member_id_0 = buf[pos:end].decode("utf-8", "replace")
        pos = end
        retention_time_ms_0, n = unpack_qi(buf, pos)
        pos += 12
        if n < 0:
            raise null_field("OffsetCommit request v2-4", "Topics")
        if n * 6 > len(buf) - pos:
            raise overrun("OffsetCommit request v2-4", buf, pos)
        if n > 50000:
            raise too_many("OffsetCommit request v2-4", n)
        topics_0_items: list[OffsetCommitRequestTopic] = []
        for _ in range(n):
            (n,) = unpack_h(buf, pos)
            pos += 2
            if n < 0:
                raise null_field("OffsetCommit request v2-4", "Name")
            end = pos + n
            name_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            (n,) = unpack_i(buf, pos)
            pos += 4
            if n < 0:
                raise null_field("OffsetCommit request v2-4", "Partitions")
            if n * 14 > len(buf) - pos:
                raise overrun("OffsetCommit request v2-4", buf, pos)
            if n > 50000:
                raise too_many("OffsetCommit request v2-4", n)
            partitions_1_items: list[OffsetCommitRequestPartition] = []
            for _ in range(n):
                partition_index_2, committed_offset_2, n = unpack_iqh(buf, pos)
                pos += 14
                committed_metadata_2: str | None = None
                if n >= 0:
                    end = pos + n
                    committed_metadata_2 = buf[pos:end].decode("utf-8", "replace")
                    pos = end
                made_2 = OffsetCommitRequestPartition(partition_index_2, committed_offset_2, -1, committed_metadata_2)
                partitions_1_items.append(made_2)
            partitions_1 = partitions_1_items
            made_1 = OffsetCommitRequestTopic(name_1, NO_UUID, partitions_1)
            topics_0_items.append(made_1)
        topics_0 = topics_0_items
        made_0 = OffsetCommitRequest(group_id_0, generation_id_or_member_epoch_0, member_id_0, None, retention_time_ms_0, topics_0)
    except (IndexError, StructError) as error:
        raise overrun("OffsetCommit request v2-4", buf, pos) from error
    if pos > len(buf):
        raise overrun("OffsetCommit request v2-4", buf, pos)
    return made_0


def decode_request_v5(buf: bytes, pos: int) -> OffsetCommitRequest:
    try:
        (n,) = unpack_h(buf, pos)
        pos += 2
        if n < 0:
            raise null_field("OffsetCommit request v5", "GroupId")
        end = pos + n
        group_id_0 = buf[pos:end].decode("utf-8", "replace")
        pos = end
        generation_id_or_member_epoch_0, n = unpack_ih(buf, pos)
        pos += 6
        if n < 0:
            raise null_field("OffsetCommit request v5", "MemberId")
        end = pos + n
        member_id_0 = buf[pos:end].decode("utf-8", "replace")
        pos = end
        (n,) = unpack_i(buf, pos)
        pos += 4
        if n < 0:
            raise null_field("OffsetCommit request v5", "Topics")
        if n * 6 > len(buf) - pos:
            raise overrun("OffsetCommit request v5", buf, pos)
        if n > 50000:
            raise too_many("OffsetCommit request v5", n)
        topics_0_items: list[OffsetCommitRequestTopic] = []
        for _ in range(n):
            (n,) = unpack_h(buf, pos)
            pos += 2
            if n < 0:
                raise null_field("OffsetCommit request v5", "Name")
            end = pos + n
            name_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            (n,) = unpack_i(buf, pos)
            pos += 4
            if n < 0:
                raise null_field("OffsetCommit request v5", "Partitions")
            if n * 14 > len(buf) - pos:
                raise overrun("OffsetCommit request v5", buf, pos)
            if n > 50000:
                raise too_many("OffsetCommit request v5", n)
            partitions_1_items: list[OffsetCommitRequestPartition] = []
            for _ in range(n):
                partition_index_2, committed_offset_2, n = unpack_iqh(buf, pos)
                pos += 14
                committed_metadata_2: str | None = None
                if n >= 0:
                    end = pos + n
                    committed_metadata_2 = buf[pos:end].decode("utf-8", "replace")
                    pos = end
                made_2 = OffsetCommitRequestPartition(partition_index_2, committed_offset_2, -1, committed_metadata_2)
                partitions_1_items.append(made_2)
            partitions_1 = partitions_1_items
            made_1 = OffsetCommitRequestTopic(name_1, NO_UUID, partitions_1)
            topics_0_items.append(made_1)
        topics_0 = topics_0_items
        made_0 = OffsetCommitRequest(group_id_0, generation_id_or_member_epoch_0, member_id_0, None, -1, topics_0)
    except (IndexError, StructError) as error:
        raise overrun("OffsetCommit request v5", buf, pos) from error
    if pos > len(buf):
        raise overrun("OffsetCommit request v5", buf, pos)
    return made_0


def decode_request_v6(buf: bytes, pos: int) -> OffsetCommitRequest:
    try:
        (n,) = unpack_h(buf, pos)
        pos += 2
        if n < 0:
            raise null_field("OffsetCommit request v6", "GroupId")
        end = pos + n
        group_id_0 = buf[pos:end].decode("utf-8", "replace")
        pos = end
        generation_id_or_member_epoch_0, n = unpack_ih(buf, pos)
        pos += 6
        if n < 0:
            raise null_field("OffsetCommit request v6", "MemberId")
        end = pos + n
        member_id_0 = buf[pos:end].decode("utf-8", "replace")
        pos = end
        (n,) = unpack_i(buf, pos)
        pos += 4
        if n < 0:
            raise null_field("OffsetCommit request v6", "Topics")
        if n * 6 > len(buf) - pos:
            raise overrun("OffsetCommit request v6", buf, pos)
        if n > 50000:
            raise too_many("OffsetCommit request v6", n)
        topics_0_items: list[OffsetCommitRequestTopic] = []
        for _ in range(n):
            (n,) = unpack_h(buf, pos)
            pos += 2
            if n < 0:
                raise null_field("OffsetCommit request v6", "Name")
            end = pos + n
            name_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            (n,) = unpack_i(buf, pos)
            pos += 4
            if n < 0:
                raise null_field("OffsetCommit request v6", "Partitions")
            if n * 18 > len(buf) - pos:
                raise overrun("OffsetCommit request v6", buf, pos)
            if n > 50000:
                raise too_many("OffsetCommit request v6", n)
            partitions_1_items: list[OffsetCommitRequestPartition] = []
            for _ in range(n):
                partition_index_2, committed_offset_2, committed_leader_epoch_2, n = unpack_iqih(buf, pos)
                pos += 18
                committed_metadata_2: str | None = None
                if n >= 0:
                    end = pos + n
                    committed_metadata_2 = buf[pos:end].decode("utf-8", "replace")
                    pos = end
                made_2 = OffsetCommitRequestPartition(partition_index_2, committed_offset_2, committed_leader_epoch_2, committed_metadata_2)
                partitions_1_items.append(made_2)
            partitions_1 = partitions_1_items
            made_1 = OffsetCommitRequestTopic(name_1, NO_UUID, partitions_1)
            topics_0_items.append(made_1)
        topics_0 = topics_0_items
        made_0 = OffsetCommitRequest(group_id_0, generation_id_or_member_epoch_0, member_id_0, None, -1, topics_0)
    except (IndexError, StructError) as error:
        raise overrun("OffsetCommit request v6", buf, pos) from error
    if pos > len(buf):
        raise overrun("OffsetCommit request v6", buf, pos)
    return made_0


def decode_request_v7(buf: bytes, pos: int) -> OffsetCommitRequest:
    try:
        (n,) = unpack_h(buf, pos)
        pos += 2
        if n < 0:
            raise null_field("OffsetCommit request v7", "GroupId")
        end = pos + n
        group_id_0 = buf[pos:end].decode("utf-8", "replace")
        pos = end
        generation_id_or_member_epoch_0, n = unpack_ih(buf, pos)
        pos += 6
        if n < 0:
            raise null_field("OffsetCommit request v7", "MemberId")
        end = pos + n
        member_id_0 = buf[pos:end].decode("utf-8", "replace")
        pos = end
        (n,) = unpack_h(buf, pos)
        pos += 2
        group_instance_id_0: str | None = None
        if n >= 0:
            end = pos + n
            group_instance_id_0 = buf[pos:end].decode("utf-8", "replace")
            pos = end
        (n,) = unpack_i(buf, pos)
        pos += 4
        if n < 0:
            raise null_field("OffsetCommit request v7", "Topics")
        if n * 6 > len(buf) - pos:
            raise overrun("OffsetCommit request v7", buf, pos)
        if n > 50000:
            raise too_many("OffsetCommit request v7", n)
        topics_0_items: list[OffsetCommitRequestTopic] = []
        for _ in range(n):
            (n,) = unpack_h(buf, pos)
            pos += 2
            if n < 0:
                raise null_field("OffsetCommit request v7", "Name")
            end = pos + n
            name_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            (n,) = unpack_i(buf, pos)
            pos += 4
            if n < 0:
                raise null_field("OffsetCommit request v7", "Partitions")
            if n * 18 > len(buf) - pos:
                raise overrun("OffsetCommit request v7", buf, pos)
            if n > 50000:
                raise too_many("OffsetCommit request v7", n)
            partitions_1_items: list[OffsetCommitRequestPartition] = []
            for _ in range(n):
                partition_index_2, committed_offset_2, committed_leader_epoch_2, n = unpack_iqih(buf, pos)
                pos += 18
                committed_metadata_2: str | None = None
                if n >= 0:
                    end = pos + n
                    committed_metadata_2 = buf[pos:end].decode("utf-8", "replace")
                    pos = end
                made_2 = OffsetCommitRequestPartition(partition_index_2, committed_offset_2, committed_leader_epoch_2, committed_metadata_2)
                partitions_1_items.append(made_2)
            partitions_1 = partitions_1_items
            made_1 = OffsetCommitRequestTopic(name_1, NO_UUID, partitions_1)
            topics_0_items.append(made_1)
        topics_0 = topics_0_items
        made_0 = OffsetCommitRequest(group_id_0, generation_id_or_member_epoch_0, member_id_0, group_instance_id_0, -1, topics_0)
    except (IndexError, StructError) as error:
        raise overrun("OffsetCommit request v7", buf, pos) from error
    if pos > len(buf):
        raise overrun("OffsetCommit request v7", buf, pos)
    return made_0


# versions 8-9
def decode_request_v8(buf: bytes, pos: int) -> OffsetCommitRequest:
    try:
        n = buf[pos]
        pos += 1
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "OffsetCommit request v8-9", "GroupId")
        end = pos + n - 1
        group_id_0 = buf[pos:end].decode("utf-8", "replace")
        pos = end
        generation_id_or_member_epoch_0, n = unpack_iB(buf, pos)
        pos += 5
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "OffsetCommit request v8-9", "MemberId")
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
            n, pos = read_length(buf, pos - 1, "OffsetCommit request v8-9", "Topics")
        n -= 1
        if n * 3 > len(buf) - pos:
            raise overrun("OffsetCommit request v8-9", buf, pos)
        if n > 50000:
            raise too_many("OffsetCommit request v8-9", n)
        topics_0_items: list[OffsetCommitRequestTopic] = []
        for _ in range(n):
            n = buf[pos]
            pos += 1
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "OffsetCommit request v8-9", "Name")
            end = pos + n - 1
            name_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            n = buf[pos]
            pos += 1
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "OffsetCommit request v8-9", "Partitions")
            n -= 1
            if n * 18 > len(buf) - pos:
                raise overrun("OffsetCommit request v8-9", buf, pos)
            if n > 50000:
                raise too_many("OffsetCommit request v8-9", n)
            partitions_1_items: list[OffsetCommitRequestPartition] = []
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
                made_2 = OffsetCommitRequestPartition(partition_index_2, committed_offset_2, committed_leader_epoch_2, committed_metadata_2)
                partitions_1_items.append(made_2)
            partitions_1 = partitions_1_items
            tags = buf[pos]
            pos += 1
            if tags:
                pos = skip_tagged(buf, pos - 1)
            made_1 = OffsetCommitRequestTopic(name_1, NO_UUID, partitions_1)
            topics_0_items.append(made_1)
        topics_0 = topics_0_items
        tags = buf[pos]
        pos += 1
        if tags:
            pos = skip_tagged(buf, pos - 1)
        made_0 = OffsetCommitRequest(group_id_0, generation_id_or_member_epoch_0, member_id_0, group_instance_id_0, -1, topics_0)
    except (IndexError, StructError) as error:
        raise overrun("OffsetCommit request v8-9", buf, pos) from error
    if pos > len(buf):
        raise overrun("OffsetCommit request v8-9", buf, pos)
    return made_0


def decode_request_v10(buf: bytes, pos: int) -> OffsetCommitRequest:
    try:
        n = buf[pos]
        pos += 1
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "OffsetCommit request v10", "GroupId")
        end = pos + n - 1
        group_id_0 = buf[pos:end].decode("utf-8", "replace")
        pos = end
        generation_id_or_member_epoch_0, n = unpack_iB(buf, pos)
        pos += 5
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "OffsetCommit request v10", "MemberId")
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
            n, pos = read_length(buf, pos - 1, "OffsetCommit request v10", "Topics")
        n -= 1
        if n * 18 > len(buf) - pos:
            raise overrun("OffsetCommit request v10", buf, pos)
        if n > 50000:
            raise too_many("OffsetCommit request v10", n)
        topics_0_items: list[OffsetCommitRequestTopic] = []
        for _ in range(n):
            topic_id_1, n = unpack_uB(buf, pos)
            pos += 17
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "OffsetCommit request v10", "Partitions")
            n -= 1
            if n * 18 > len(buf) - pos:
                raise overrun("OffsetCommit request v10", buf, pos)
            if n > 50000:
                raise too_many("OffsetCommit request v10", n)
            partitions_1_items: list[OffsetCommitRequestPartition] = []
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
                made_2 = OffsetCommitRequestPartition(partition_index_2, committed_offset_2, committed_leader_epoch_2, committed_metadata_2)
                partitions_1_items.append(made_2)
            partitions_1 = partitions_1_items
            tags = buf[pos]
            pos += 1
            if tags:
                pos = skip_tagged(buf, pos - 1)
            made_1 = OffsetCommitRequestTopic("", topic_id_1, partitions_1)
            topics_0_items.append(made_1)
        topics_0 = topics_0_items
        tags = buf[pos]
        pos += 1
        if tags:
            pos = skip_tagged(buf, pos - 1)
        made_0 = OffsetCommitRequest(group_id_0, generation_id_or_member_epoch_0, member_id_0, group_instance_id_0, -1, topics_0)
    except (IndexError, StructError) as error:
        raise overrun("OffsetCommit request v10", buf, pos) from error
    if pos > len(buf):
        raise overrun("OffsetCommit request v10", buf, pos)
    return made_0


# versions 2-4
def encode_request_v2(message: OffsetCommitRequest) -> bytes:
    try:
        out = bytearray()
        raw = message.group_id.encode()
        out += pack_h(len(raw))
        out += raw
        raw = message.member_id.encode()
        out += pack_ih(message.generation_id_or_member_epoch, len(raw))
        out += raw
        items_1 = message.topics
        out += pack_qi(message.retention_time_ms, len(items_1))
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
        raise encode_failure("OffsetCommit request v2-4", message, error) from error


def encode_request_v5(message: OffsetCommitRequest) -> bytes:
    try:
        out = bytearray()
        raw = message.group_id.encode()
        out += pack_h(len(raw))
        out += raw
        raw = message.member_id.encode()
        out += pack_ih(message.generation_id_or_member_epoch, len(raw))
        out += raw
        items_1 = message.topics
        out += pack_i(len(items_1))
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
        raise encode_failure("OffsetCommit request v5", message, error) from error


def encode_request_v6(message: OffsetCommitRequest) -> bytes:
    try:
        out = bytearray()
        raw = message.group_id.encode()
        out += pack_h(len(raw))
        out += raw
        raw = message.member_id.encode()
        out += pack_ih(message.generation_id_or_member_epoch, len(raw))
        out += raw
        items_1 = message.topics
        out += pack_i(len(items_1))
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
        raise encode_failure("OffsetCommit request v6", message, error) from error


def encode_request_v7(message: OffsetCommitRequest) -> bytes:
    try:
        out = bytearray()
        raw = message.group_id.encode()
        out += pack_h(len(raw))
        out += raw
        raw = message.member_id.encode()
        out += pack_ih(message.generation_id_or_member_epoch, len(raw))
        out += raw
        value_1 = message.group_instance_id
        if value_1 is None:
            out += pack_h(-1)
        else:
            raw = value_1.encode()
            out += pack_h(len(raw))
            out += raw
        items_2 = message.topics
        out += pack_i(len(items_2))
        for item_2 in items_2:
            raw = item_2.name.encode()
            out += pack_h(len(raw))
            out += raw
            items_3 = item_2.partitions
            out += pack_i(len(items_3))
            for item_3 in items_3:
                value_4 = item_3.committed_metadata
                if value_4 is None:
                    out += pack_iqih(item_3.partition_index, item_3.committed_offset, item_3.committed_leader_epoch, -1)
                else:
                    raw = value_4.encode()
                    out += pack_iqih(item_3.partition_index, item_3.committed_offset, item_3.committed_leader_epoch, len(raw))
                    out += raw
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("OffsetCommit request v7", message, error) from error


# versions 8-9
def encode_request_v8(message: OffsetCommitRequest) -> bytes:
    try:
        out = bytearray()
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
            out += pack_iB(message.generation_id_or_member_epoch, n)
        else:
            out += pack_i(message.generation_id_or_member_epoch)
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
        raise encode_failure("OffsetCommit request v8-9", message, error) from error


def encode_request_v10(message: OffsetCommitRequest) -> bytes:
    try:
        out = bytearray()
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
            out += pack_iB(message.generation_id_or_member_epoch, n)
        else:
            out += pack_i(message.generation_id_or_member_epoch)
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
            items_3 = item_2.partitions
            n = len(items_3) + 1
            if n < 128:
                out += pack_uB(item_2.topic_id, n)
            else:
                out += pack_u(item_2.topic_id)
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
        raise encode_failure("OffsetCommit request v10", message, error) from error


def decode_response_v2(buf: bytes, pos: int) -> OffsetCommitResponse:
    try:
        (n,) = unpack_i(buf, pos)
        pos += 4
        if n < 0:
            raise null_field("OffsetCommit response v2", "Topics")
        if n * 6 > len(buf) - pos:
            raise overrun("OffsetCommit response v2", buf, pos)
        topics_0_items: list[OffsetCommitResponseTopic] = []
        for _ in range(n):
            (n,) = unpack_h(buf, pos)
            pos += 2
            if n < 0:
                raise null_field("OffsetCommit response v2", "Name")
            end = pos + n
            name_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            (n,) = unpack_i(buf, pos)
            pos += 4
            if n < 0:
                raise null_field("OffsetCommit response v2", "Partitions")
            if n * 6 > len(buf) - pos:
                raise overrun("OffsetCommit response v2", buf, pos)
            partitions_1_items: list[OffsetCommitResponsePartition] = []
            for _ in range(n):
                partition_index_2, error_code_2 = unpack_ih(buf, pos)
                pos += 6
                made_2 = OffsetCommitResponsePartition(partition_index_2, error_code_2)
                partitions_1_items.append(made_2)
            partitions_1 = partitions_1_items
            made_1 = OffsetCommitResponseTopic(name_1, NO_UUID, partitions_1)
            topics_0_items.append(made_1)
        topics_0 = topics_0_items
        made_0 = OffsetCommitResponse(0, topics_0)
    except (IndexError, StructError) as error:
        raise overrun("OffsetCommit response v2", buf, pos) from error
    if pos > len(buf):
        raise overrun("OffsetCommit response v2", buf, pos)
    return made_0


# versions 3-7
def decode_response_v3(buf: bytes, pos: int) -> OffsetCommitResponse:
    try:
        throttle_time_ms_0, n = unpack_ii(buf, pos)
        pos += 8
        if n < 0:
            raise null_field("OffsetCommit response v3-7", "Topics")
        if n * 6 > len(buf) - pos:
            raise overrun("OffsetCommit response v3-7", buf, pos)
        topics_0_items: list[OffsetCommitResponseTopic] = []
        for _ in range(n):
            (n,) = unpack_h(buf, pos)
            pos += 2
            if n < 0:
                raise null_field("OffsetCommit response v3-7", "Name")
            end = pos + n
            name_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            (n,) = unpack_i(buf, pos)
            pos += 4
            if n < 0:
                raise null_field("OffsetCommit response v3-7", "Partitions")
            if n * 6 > len(buf) - pos:
                raise overrun("OffsetCommit response v3-7", buf, pos)
            partitions_1_items: list[OffsetCommitResponsePartition] = []
            for _ in range(n):
                partition_index_2, error_code_2 = unpack_ih(buf, pos)
                pos += 6
                made_2 = OffsetCommitResponsePartition(partition_index_2, error_code_2)
                partitions_1_items.append(made_2)
            partitions_1 = partitions_1_items
            made_1 = OffsetCommitResponseTopic(name_1, NO_UUID, partitions_1)
            topics_0_items.append(made_1)
        topics_0 = topics_0_items
        made_0 = OffsetCommitResponse(throttle_time_ms_0, topics_0)
    except (IndexError, StructError) as error:
        raise overrun("OffsetCommit response v3-7", buf, pos) from error
    if pos > len(buf):
        raise overrun("OffsetCommit response v3-7", buf, pos)
    return made_0


# versions 8-9
def decode_response_v8(buf: bytes, pos: int) -> OffsetCommitResponse:
    try:
        throttle_time_ms_0, n = unpack_iB(buf, pos)
        pos += 5
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "OffsetCommit response v8-9", "Topics")
        n -= 1
        if n * 3 > len(buf) - pos:
            raise overrun("OffsetCommit response v8-9", buf, pos)
        topics_0_items: list[OffsetCommitResponseTopic] = []
        for _ in range(n):
            n = buf[pos]
            pos += 1
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "OffsetCommit response v8-9", "Name")
            end = pos + n - 1
            name_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            n = buf[pos]
            pos += 1
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "OffsetCommit response v8-9", "Partitions")
            n -= 1
            if n * 7 > len(buf) - pos:
                raise overrun("OffsetCommit response v8-9", buf, pos)
            partitions_1_items: list[OffsetCommitResponsePartition] = []
            for _ in range(n):
                partition_index_2, error_code_2, tags = unpack_ihB(buf, pos)
                pos += 7
                if tags:
                    pos = skip_tagged(buf, pos - 1)
                made_2 = OffsetCommitResponsePartition(partition_index_2, error_code_2)
                partitions_1_items.append(made_2)
            partitions_1 = partitions_1_items
            tags = buf[pos]
            pos += 1
            if tags:
                pos = skip_tagged(buf, pos - 1)
            made_1 = OffsetCommitResponseTopic(name_1, NO_UUID, partitions_1)
            topics_0_items.append(made_1)
        topics_0 = topics_0_items
        tags = buf[pos]
        pos += 1
        if tags:
            pos = skip_tagged(buf, pos - 1)
        made_0 = OffsetCommitResponse(throttle_time_ms_0, topics_0)
    except (IndexError, StructError) as error:
        raise overrun("OffsetCommit response v8-9", buf, pos) from error
    if pos > len(buf):
        raise overrun("OffsetCommit response v8-9", buf, pos)
    return made_0


def decode_response_v10(buf: bytes, pos: int) -> OffsetCommitResponse:
    try:
        throttle_time_ms_0, n = unpack_iB(buf, pos)
        pos += 5
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "OffsetCommit response v10", "Topics")
        n -= 1
        if n * 18 > len(buf) - pos:
            raise overrun("OffsetCommit response v10", buf, pos)
        topics_0_items: list[OffsetCommitResponseTopic] = []
        for _ in range(n):
            topic_id_1, n = unpack_uB(buf, pos)
            pos += 17
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "OffsetCommit response v10", "Partitions")
            n -= 1
            if n * 7 > len(buf) - pos:
                raise overrun("OffsetCommit response v10", buf, pos)
            partitions_1_items: list[OffsetCommitResponsePartition] = []
            for _ in range(n):
                partition_index_2, error_code_2, tags = unpack_ihB(buf, pos)
                pos += 7
                if tags:
                    pos = skip_tagged(buf, pos - 1)
                made_2 = OffsetCommitResponsePartition(partition_index_2, error_code_2)
                partitions_1_items.append(made_2)
            partitions_1 = partitions_1_items
            tags = buf[pos]
            pos += 1
            if tags:
                pos = skip_tagged(buf, pos - 1)
            made_1 = OffsetCommitResponseTopic("", topic_id_1, partitions_1)
            topics_0_items.append(made_1)
        topics_0 = topics_0_items
        tags = buf[pos]
        pos += 1
        if tags:
            pos = skip_tagged(buf, pos - 1)
        made_0 = OffsetCommitResponse(throttle_time_ms_0, topics_0)
    except (IndexError, StructError) as error:
        raise overrun("OffsetCommit response v10", buf, pos) from error
    if pos > len(buf):
        raise overrun("OffsetCommit response v10", buf, pos)
    return made_0


def encode_response_v2(message: OffsetCommitResponse) -> bytes:
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
            octets_2 = octets_of(items_2)
            if octets_2 is not None:
                out += octets_2
            else:
                out += b"".join([pack_ih(item_2.partition_index, item_2.error_code) for item_2 in items_2])
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("OffsetCommit response v2", message, error) from error


# versions 3-7
def encode_response_v3(message: OffsetCommitResponse) -> bytes:
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
            octets_2 = octets_of(items_2)
            if octets_2 is not None:
                out += octets_2
            else:
                out += b"".join([pack_ih(item_2.partition_index, item_2.error_code) for item_2 in items_2])
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("OffsetCommit response v3-7", message, error) from error


# versions 8-9
def encode_response_v8(message: OffsetCommitResponse) -> bytes:
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
            octets_2 = octets_of(items_2)
            if octets_2 is not None:
                out += octets_2
            else:
                out += b"".join([pack_ihx(item_2.partition_index, item_2.error_code) for item_2 in items_2])
            out += b"\0"
        out += b"\0"
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("OffsetCommit response v8-9", message, error) from error


def encode_response_v10(message: OffsetCommitResponse) -> bytes:
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
            items_2 = item_1.partitions
            n = len(items_2) + 1
            if n < 128:
                out += pack_uB(item_1.topic_id, n)
            else:
                out += pack_u(item_1.topic_id)
                out += uvarint(n)
            octets_2 = octets_of(items_2)
            if octets_2 is not None:
                out += octets_2
            else:
                out += b"".join([pack_ihx(item_2.partition_index, item_2.error_code) for item_2 in items_2])
            out += b"\0"
        out += b"\0"
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("OffsetCommit response v10", message, error) from error


REQUEST_DECODERS = {
    2: decode_request_v2,
    3: decode_request_v2,
    4: decode_request_v2,
    5: decode_request_v5,
    6: decode_request_v6,
    7: decode_request_v7,
    8: decode_request_v8,
    9: decode_request_v8,
    10: decode_request_v10,
}
REQUEST_ENCODERS = {
    2: encode_request_v2,
    3: encode_request_v2,
    4: encode_request_v2,
    5: encode_request_v5,
    6: encode_request_v6,
    7: encode_request_v7,
    8: encode_request_v8,
    9: encode_request_v8,
    10: encode_request_v10,
}
RESPONSE_DECODERS = {
    2: decode_response_v2,
    3: decode_response_v3,
    4: decode_response_v3,
    5: decode_response_v3,
    6: decode_response_v3,
    7: decode_response_v3,
    8: decode_response_v8,
    9: decode_response_v8,
    10: decode_response_v10,
}
RESPONSE_ENCODERS = {
    2: encode_response_v2,
    3: encode_response_v3,
    4: encode_response_v3,
    5: encode_response_v3,
    6: encode_response_v3,
    7: encode_response_v3,
    8: encode_response_v8,
    9: encode_response_v8,
    10: encode_response_v10,
}
