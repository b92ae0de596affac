"""Generated from tools/codecs/schemas/offset_fetch.api by `make generate`; changes belong there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from muster.wire.generated.offset_fetch import (
    OffsetFetchRequest,
    OffsetFetchRequestGroup,
    OffsetFetchRequestGroupTopic,
    OffsetFetchRequestTopic,
    OffsetFetchResponse,
    OffsetFetchResponseGroup,
    OffsetFetchResponseGroupPartition,
    OffsetFetchResponseGroupTopic,
    OffsetFetchResponsePartition,
    OffsetFetchResponseTopic,
)
from struct import Struct, error as StructError

from muster.wire.message import Message, encode_failure, octets_of
from muster.wire.primitives import i32s, null_field, overrun, read_i32s, read_length, skip_tagged, too_many
from muster.wire.varint import read_uvarint, uvarint

pack_u = Struct(">16s").pack
pack_uB = Struct(">16sB").pack
pack_tx = Struct(">?x").pack
pack_h = Struct(">h").pack
pack_hx = Struct(">hx").pack
pack_i = Struct(">i").pack
pack_iB = Struct(">iB").pack
pack_ii = Struct(">ii").pack
pack_iqh = Struct(">iqh").pack
pack_iqi = Struct(">iqi").pack
pack_iqiB = Struct(">iqiB").pack
pack_iqih = Struct(">iqih").pack
pack_iqix = Struct(">iqix").pack
pack_ix = Struct(">ix").pack
unpack_uB = Struct(">16sB").unpack_from
unpack_tB = Struct(">?B").unpack_from
unpack_h = Struct(">h").unpack_from
unpack_hB = Struct(">hB").unpack_from
unpack_i = Struct(">i").unpack_from
unpack_iB = Struct(">iB").unpack_from
unpack_ii = Struct(">ii").unpack_from
unpack_iqh = Struct(">iqh").unpack_from
unpack_iqiB = Struct(">iqiB").unpack_from
unpack_iqih = Struct(">iqih").unpack_from
NO_UUID: Final = bytes(16)


def decode_request_v1(buf: bytes, pos: int) -> OffsetFetchRequest:
    try:
        (n,) = unpack_h(buf, pos)
        pos += 2
        if n < 0:
            raise null_field("OffsetFetch request v1", "GroupId")
        end = pos + n
        group_id_0 = buf[pos:end].decode("utf-8", "replace")
        pos = end
        (n,) = unpack_i(buf, pos)
        pos += 4
        if n < 0:
            raise null_field("OffsetFetch request v1", "Topics")
        if n * 6 > len(buf) - pos:
            raise overrun("OffsetFetch request v1", buf, pos)
        if n > 50000:
            raise too_many("OffsetFetch request v1", n)
        topics_0_items: list[OffsetFetchRequestTopic] = []
        for _ in range(n):
            (n,) = unpack_h(buf, pos)
            pos += 2
            if n < 0:
                raise null_field("OffsetFetch request v1", "Name")
            end = pos + n
            name_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            (n,) = unpack_i(buf, pos)
            pos += 4
            if n < 0:
                raise null_field("OffsetFetch request v1", "PartitionIndexes")
            if n * 4 > len(buf) - pos:
                raise overrun("OffsetFetch request v1", buf, pos)
            partition_indexes_1 = read_i32s(buf, pos, n)
            pos += n * 4
            made_1 = OffsetFetchRequestTopic(name_1, partition_indexes_1)
            topics_0_items.append(made_1)
        topics_0 = topics_0_items
        made_0 = OffsetFetchRequest(group_id_0, topics_0, (), False)
    except (IndexError, StructError) as error:
        raise overrun("OffsetFetch request v1", buf, pos) from error
    if pos > len(buf):
        raise overrun("OffsetFetch request v1", buf, pos)
    return made_0


# versions 2-5
def decode_request_v2(buf: bytes, pos: int) -> OffsetFetchRequest:
    try:
        (n,) = unpack_h(buf, pos)
        pos += 2
        if n < 0:
            raise null_field("OffsetFetch request v2-5", "GroupId")
        end = pos + n
        group_id_0 = buf[pos:end].decode("utf-8", "replace")
        pos = end
        (n,) = unpack_i(buf, pos)
        pos += 4
        topics_0: Sequence[OffsetFetchRequestTopic] | None = None
        if n >= 0:
            if n > len(buf) - pos:
                raise overrun("OffsetFetch request v2-5", buf, pos)
            if n > 50000:
                raise too_many("OffsetFetch request v2-5", n)
            topics_0_items: list[OffsetFetchRequestTopic] = []
            for _ in range(n):
                (n,) = unpack_h(buf, pos)
                pos += 2
                if n < 0:
                    raise null_field("OffsetFetch request v2-5", "Name")
                end = pos + n
                name_1 = buf[pos:end].decode("utf-8", "replace")
                pos = end
                (n,) = unpack_i(buf, pos)
                pos += 4
                if n < 0:
                    raise null_field("OffsetFetch request v2-5", "PartitionIndexes")
                if n * 4 > len(buf) - pos:
                    raise overrun("OffsetFetch request v2-5", buf, pos)
                partition_indexes_1 = read_i32s(buf, pos, n)
                pos += n * 4
                made_1 = OffsetFetchRequestTopic(name_1, partition_indexes_1)
                topics_0_items.append(made_1)
            topics_0 = topics_0_items
        made_0 = OffsetFetchRequest(group_id_0, topics_0, (), False)
    except (IndexError, StructError) as error:
        raise overrun("OffsetFetch request v2-5", buf, pos) from error
    if pos > len(buf):
        raise overrun("OffsetFetch request v2-5", buf, pos)
    return made_0


def decode_request_v6(buf: bytes, pos: int) -> OffsetFetchRequest:
    try:
        n = buf[pos]
        pos += 1
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "OffsetFetch request v6", "GroupId")
        end = pos + n - 1
        group_id_0 = buf[pos:end].decode("utf-8", "replace")
        pos = end
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        topics_0: Sequence[OffsetFetchRequestTopic] | None = None
        if n > 0:
            n -= 1
            if n > len(buf) - pos:
                raise overrun("OffsetFetch request v6", buf, pos)
            if n > 50000:
                raise too_many("OffsetFetch request v6", n)
            topics_0_items: list[OffsetFetchRequestTopic] = []
            for _ in range(n):
                n = buf[pos]
                pos += 1
                if not 0 < n < 128:
                    n, pos = read_length(buf, pos - 1, "OffsetFetch request v6", "Name")
                end = pos + n - 1
                name_1 = buf[pos:end].decode("utf-8", "replace")
                pos = end
                n = buf[pos]
                pos += 1
                if not 0 < n < 128:
                    n, pos = read_length(buf, pos - 1, "OffsetFetch request v6", "PartitionIndexes")
                n -= 1
                if n * 4 > len(buf) - pos:
                    raise overrun("OffsetFetch request v6", buf, pos)
                partition_indexes_1 = read_i32s(buf, pos, n)
                pos += n * 4
                tags = buf[pos]
                pos += 1
                if tags:
                    pos = skip_tagged(buf, pos - 1)
                made_1 = OffsetFetchRequestTopic(name_1, partition_indexes_1)
                topics_0_items.append(made_1)
            topics_0 = topics_0_items
        tags = buf[pos]
        pos += 1
        if tags:
            pos = skip_tagged(buf, pos - 1)
        made_0 = OffsetFetchRequest(group_id_0, topics_0, (), False)
    except (IndexError, StructError) as error:
        raise overrun("OffsetFetch request v6", buf, pos) from error
    if pos > len(buf):
        raise overrun("OffsetFetch request v6", buf, pos)
    return made_0


def decode_request_v7(buf: bytes, pos: int) -> OffsetFetchRequest:
    try:
        n = buf[pos]
        pos += 1
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "OffsetFetch request v7", "GroupId")
        end = pos + n - 1
        group_id_0 = buf[pos:end].decode("utf-8", "replace")
        pos = end
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        topics_0: Sequence[OffsetFetchRequestTopic] | None = None
        if n > 0:
            n -= 1
            if n > len(buf) - pos:
                raise overrun("OffsetFetch request v7", buf, pos)
            if n > 50000:
                raise too_many("OffsetFetch request v7", n)
            topics_0_items: list[OffsetFetchRequestTopic] = []
            for _ in range(n):
                n = buf[pos]
                pos += 1
                if not 0 < n < 128:
                    n, pos = read_length(buf, pos - 1, "OffsetFetch request v7", "Name")
                end = pos + n - 1
                name_1 = buf[pos:end].decode("utf-8", "replace")
                pos = end
                n = buf[pos]
                pos += 1
                if not 0 < n < 128:
                    n, pos = read_length(buf, pos - 1, "OffsetFetch request v7", "PartitionIndexes")
                n -= 1
                if n * 4 > len(buf) - pos:
                    raise overrun("OffsetFetch request v7", buf, pos)
                partition_indexes_1 = read_i32s(buf, pos, n)
                pos += n * 4
                tags = buf[pos]
                pos += 1
                if tags:
                    pos = skip_tagged(buf, pos - 1)
                made_1 = OffsetFetchRequestTopic(name_1, partition_indexes_1)
                topics_0_items.append(made_1)
            topics_0 = topics_0_items
        require_stable_0, tags = unpack_tB(buf, pos)
        pos += 2
        if tags:
            pos = skip_tagged(buf, pos - 1)
        made_0 = OffsetFetchRequest(group_id_0, topics_0, (), require_stable_0)
    except (IndexError, StructError) as error:
        raise overrun("OffsetFetch request v7", buf, pos) from error
    if pos > len(buf):
        raise overrun("OffsetFetch request v7", buf, pos)
    return made_0


def decode_request_v8(buf: bytes, pos: int) -> OffsetFetchRequest:
    try:
        n = buf[pos]
        pos += 1
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "OffsetFetch request v8", "Groups")
        n -= 1
        if n * 3 > len(buf) - pos:
            raise overrun("OffsetFetch request v8", buf, pos)
        if n > 50000:
            raise too_many("OffsetFetch request v8", n)
        groups_0_items: list[OffsetFetchRequestGroup] = []
        for _ in range(n):
            n = buf[pos]
            pos += 1
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "OffsetFetch request v8", "GroupId")
            end = pos + n - 1
            group_id_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            topics_1: Sequence[OffsetFetchRequestGroupTopic] | None = None
            if n > 0:
                n -= 1
                if n > len(buf) - pos:
                    raise overrun("OffsetFetch request v8", buf, pos)
                if n > 50000:
                    raise too_many("OffsetFetch request v8", n)
                topics_1_items: list[OffsetFetchRequestGroupTopic] = []
                for _ in range(n):
                    n = buf[pos]
                    pos += 1
                    if not 0 < n < 128:
                        n, pos = read_length(buf, pos - 1, "OffsetFetch request v8", "Name")
                    end = pos + n - 1
                    name_2 = buf[pos:end].decode("utf-8", "replace")
                    pos = end
                    n = buf[pos]
                    pos += 1
                    if not 0 < n < 128:
                        n, pos = read_length(buf, pos - 1, "OffsetFetch request v8", "PartitionIndexes")
                    n -= 1
                    if n * 4 > len(buf) - pos:
                        raise overrun("OffsetFetch request v8", buf, pos)
                    partition_indexes_2 = read_i32s(buf, pos, n)
                    pos += n * 4
                    tags = buf[pos]
                    pos += 1
                    if tags:
                        pos = skip_tagged(buf, pos - 1)
                    made_2 = OffsetFetchRequestGroupTopic(name_2, NO_UUID, partition_indexes_2)
                    topics_1_items.append(made_2)
                topics_1 = topics_1_items
            tags = buf[pos]
            pos += 1
            if tags:
                pos = skip_tagged(buf, pos - 1)
            made_1 = OffsetFetchRequestGroup(group_id_1, None, -1, topics_1)
            groups_0_items.append(made_1)
        groups_0 = groups_0_items
        require_stable_0, tags = unpack_tB(buf, pos)
        pos += 2
        if tags:
            pos = skip_tagged(buf, pos - 1)
        made_0 = OffsetFetchRequest("", (), groups_0, require_stable_0)
    except (IndexError, StructError) as error:
        raise overrun("OffsetFetch request v8", buf, pos) from error
    if pos > len(buf):
        raise overrun("OffsetFetch request v8", buf, pos)
    return made_0


def decode_request_v9(buf: bytes, pos: int) -> OffsetFetchRequest:
    try:
        n = buf[pos]
        pos += 1
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "OffsetFetch request v9", "Groups")
        n -= 1
        if n * 8 > len(buf) - pos:
            raise overrun("OffsetFetch request v9", buf, pos)
        if n > 50000:
            raise too_many("OffsetFetch request v9", n)
        groups_0_items: list[OffsetFetchRequestGroup] = []
        for _ in range(n):
            n = buf[pos]
            pos += 1
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "OffsetFetch request v9", "GroupId")
            end = pos + n - 1
            group_id_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            member_id_1: str | None = None
            if n > 0:
                end = pos + n - 1
                member_id_1 = buf[pos:end].decode("utf-8", "replace")
                pos = end
            member_epoch_1, n = unpack_iB(buf, pos)
            pos += 5
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            topics_1: Sequence[OffsetFetchRequestGroupTopic] | None = None
            if n > 0:
                n -= 1
                if n > len(buf) - pos:
                    raise overrun("OffsetFetch request v9", buf, pos)
                if n > 50000:
                    raise too_many("OffsetFetch request v9", n)
                topics_1_items: list[OffsetFetchRequestGroupTopic] = []
                for _ in range(n):
                    n = buf[pos]
                    pos += 1
                    if not 0 < n < 128:
                        n, pos = read_length(buf, pos - 1, "OffsetFetch request v9", "Name")
                    end = pos + n - 1
                    name_2 = buf[pos:end].decode("utf-8", "replace")
                    pos = end
                    n = buf[pos]
                    pos += 1
                    if not 0 < n < 128:
                        n, pos = read_length(buf, pos - 1, "OffsetFetch request v9", "PartitionIndexes")
                    n -= 1
                    if n * 4 > len(buf) - pos:
                        raise overrun("OffsetFetch request v9", buf, pos)
                    partition_indexes_2 = read_i32s(buf, pos, n)
                    pos += n * 4
                    tags = buf[pos]
                    pos += 1
                    if tags:
                        pos = skip_tagged(buf, pos - 1)
                    made_2 = OffsetFetchRequestGroupTopic(name_2, NO_UUID, partition_indexes_2)
                    topics_1_items.append(made_2)
                topics_1 = topics_1_items
            tags = buf[pos]
            pos += 1
            if tags:
                pos = skip_tagged(buf, pos - 1)
            made_1 = OffsetFetchRequestGroup(group_id_1, member_id_1, member_epoch_1, topics_1)
            groups_0_items.append(made_1)
        groups_0 = groups_0_items
        require_stable_0, tags = unpack_tB(buf, pos)
        pos += 2
        if tags:
            pos = skip_tagged(buf, pos - 1)
        made_0 = OffsetFetchRequest("", (), groups_0, require_stable_0)
    except (IndexError, StructError) as error:
        raise overrun("OffsetFetch request v9", buf, pos) from error
    if pos > len(buf):
        raise overrun("OffsetFetch request v9", buf, pos)
    return made_0


def decode_request_v10(buf: bytes, pos: int) -> OffsetFetchRequest:
    try:
        n = buf[pos]
        pos += 1
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "OffsetFetch request v10", "Groups")
        n -= 1
        if n * 8 > len(buf) - pos:
            raise overrun("OffsetFetch request v10", buf, pos)
        if n > 50000:
            raise too_many("OffsetFetch request v10", n)
        groups_0_items: list[OffsetFetchRequestGroup] = []
        for _ in range(n):
            n = buf[pos]
            pos += 1
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "OffsetFetch request v10", "GroupId")
            end = pos + n - 1
            group_id_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            member_id_1: str | None = None
            if n > 0:
                end = pos + n - 1
                member_id_1 = buf[pos:end].decode("utf-8", "replace")
                pos = end
            member_epoch_1, n = unpack_iB(buf, pos)
            pos += 5
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            topics_1: Sequence[OffsetFetchRequestGroupTopic] | None = None
            if n > 0:
                n -= 1
                if n > len(buf) - pos:
                    raise overrun("OffsetFetch request v10", buf, pos)
                if n > 50000:
                    raise too_many("OffsetFetch request v10", n)
                topics_1_items: list[OffsetFetchRequestGroupTopic] = []
                for _ in range(n):
                    topic_id_2, n = unpack_uB(buf, pos)
                    pos += 17
                    if not 0 < n < 128:
                        n, pos = read_length(buf, pos - 1, "OffsetFetch request v10", "PartitionIndexes")
                    n -= 1
                    if n * 4 > len(buf) - pos:
                        raise overrun("OffsetFetch request v10", buf, pos)
                    partition_indexes_2 = read_i32s(buf, pos, n)
                    pos += n * 4
                    tags = buf[pos]
                    pos += 1
                    if tags:
                        pos = skip_tagged(buf, pos - 1)
                    made_2 = OffsetFetchRequestGroupTopic("", topic_id_2, partition_indexes_2)
                    topics_1_items.append(made_2)
                topics_1 = topics_1_items
            tags = buf[pos]
            pos += 1
            if tags:
                pos = skip_tagged(buf, pos - 1)
            made_1 = OffsetFetchRequestGroup(group_id_1, member_id_1, member_epoch_1, topics_1)
            groups_0_items.append(made_1)
        groups_0 = groups_0_items
        require_stable_0, tags = unpack_tB(buf, pos)
        pos += 2
        if tags:
            pos = skip_tagged(buf, pos - 1)
        made_0 = OffsetFetchRequest("", (), groups_0, require_stable_0)
    except (IndexError, StructError) as error:
        raise overrun("OffsetFetch request v10", buf, pos) from error
    if pos > len(buf):
        raise overrun("OffsetFetch request v10", buf, pos)
    return made_0


def encode_request_v1(message: OffsetFetchRequest) -> bytes:
    try:
        out = bytearray()
        raw = message.group_id.encode()
        out += pack_h(len(raw))
        out += raw
        value_1 = message.topics
        if value_1 is None:
            raise TypeError("Topics may not be null")
        items_2 = value_1
        out += pack_i(len(items_2))
        for item_2 in items_2:
            raw = item_2.name.encode()
            out += pack_h(len(raw))
            out += raw
            items_3 = item_2.partition_indexes
            out += pack_i(len(items_3))
            out += i32s(items_3)
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("OffsetFetch request v1", message, error) from error


# versions 2-5
def encode_request_v2(message: OffsetFetchRequest) -> bytes:
    try:
        out = bytearray()
        raw = message.group_id.encode()
        out += pack_h(len(raw))
        out += raw
        value_1 = message.topics
        if value_1 is None:
            out += pack_i(-1)
        else:
            items_2 = value_1
            out += pack_i(len(items_2))
            for item_2 in items_2:
                raw = item_2.name.encode()
                out += pack_h(len(raw))
                out += raw
                items_3 = item_2.partition_indexes
                out += pack_i(len(items_3))
                out += i32s(items_3)
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("OffsetFetch request v2-5", message, error) from error


def encode_request_v6(message: OffsetFetchRequest) -> bytes:
    try:
        out = bytearray()
        raw = message.group_id.encode()
        n = len(raw) + 1
        if n < 128:
            out.append(n)
        else:
            out += uvarint(n)
        out += raw
        value_1 = message.topics
        if value_1 is None:
            out += b"\0"
        else:
            items_2 = value_1
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
                items_3 = item_2.partition_indexes
                n = len(items_3) + 1
                if n < 128:
                    out.append(n)
                else:
                    out += uvarint(n)
                out += i32s(items_3)
                out += b"\0"
        out += b"\0"
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("OffsetFetch request v6", message, error) from error


def encode_request_v7(message: OffsetFetchRequest) -> bytes:
    try:
        out = bytearray()
        raw = message.group_id.encode()
        n = len(raw) + 1
        if n < 128:
            out.append(n)
        else:
            out += uvarint(n)
        out += raw
        value_1 = message.topics
        if value_1 is None:
            out += b"\0"
        else:
            items_2 = value_1
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
                items_3 = item_2.partition_indexes
                n = len(items_3) + 1
                if n < 128:
                    out.append(n)
                else:
                    out += uvarint(n)
                out += i32s(items_3)
                out += b"\0"
        out += pack_tx(message.require_stable)
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("OffsetFetch request v7", message, error) from error


def encode_request_v8(message: OffsetFetchRequest) -> bytes:
    try:
        out = bytearray()
        items_1 = message.groups
        n = len(items_1) + 1
        if n < 128:
            out.append(n)
        else:
            out += uvarint(n)
        for item_1 in items_1:
            raw = item_1.group_id.encode()
            n = len(raw) + 1
            if n < 128:
                out.append(n)
            else:
                out += uvarint(n)
            out += raw
            value_2 = item_1.topics
            if value_2 is None:
                out += b"\0"
            else:
                items_3 = value_2
                n = len(items_3) + 1
                if n < 128:
                    out.append(n)
                else:
                    out += uvarint(n)
                for item_3 in items_3:
                    raw = item_3.name.encode()
                    n = len(raw) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        out += uvarint(n)
                    out += raw
                    items_4 = item_3.partition_indexes
                    n = len(items_4) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        out += uvarint(n)
                    out += i32s(items_4)
                    out += b"\0"
            out += b"\0"
        out += pack_tx(message.require_stable)
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("OffsetFetch request v8", message, error) from error


def encode_request_v9(message: OffsetFetchRequest) -> bytes:
    try:
        out = bytearray()
        items_1 = message.groups
        n = len(items_1) + 1
        if n < 128:
            out.append(n)
        else:
            out += uvarint(n)
        for item_1 in items_1:
            raw = item_1.group_id.encode()
            n = len(raw) + 1
            if n < 128:
                out.append(n)
            else:
                out += uvarint(n)
            out += raw
            value_2 = item_1.member_id
            if value_2 is None:
                out += b"\0"
            else:
                raw = value_2.encode()
                n = len(raw) + 1
                if n < 128:
                    out.append(n)
                else:
                    out += uvarint(n)
                out += raw
            value_3 = item_1.topics
            if value_3 is None:
                out += pack_ix(item_1.member_epoch)
            else:
                items_4 = value_3
                n = len(items_4) + 1
                if n < 128:
                    out += pack_iB(item_1.member_epoch, n)
                else:
                    out += pack_i(item_1.member_epoch)
                    out += uvarint(n)
                for item_4 in items_4:
                    raw = item_4.name.encode()
                    n = len(raw) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        out += uvarint(n)
                    out += raw
                    items_5 = item_4.partition_indexes
                    n = len(items_5) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        out += uvarint(n)
                    out += i32s(items_5)
                    out += b"\0"
            out += b"\0"
        out += pack_tx(message.require_stable)
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("OffsetFetch request v9", message, error) from error


def encode_request_v10(message: OffsetFetchRequest) -> bytes:
    try:
        out = bytearray()
        items_1 = message.groups
        n = len(items_1) + 1
        if n < 128:
            out.append(n)
        else:
            out += uvarint(n)
        for item_1 in items_1:
            raw = item_1.group_id.encode()
            n = len(raw) + 1
            if n < 128:
                out.append(n)
            else:
                out += uvarint(n)
            out += raw
            value_2 = item_1.member_id
            if value_2 is None:
                out += b"\0"
            else:
                raw = value_2.encode()
                n = len(raw) + 1
                if n < 128:
                    out.append(n)
                else:
                    out += uvarint(n)
                out += raw
            value_3 = item_1.topics
            if value_3 is None:
                out += pack_ix(item_1.member_epoch)
            else:
                items_4 = value_3
                n = len(items_4) + 1
                if n < 128:
                    out += pack_iB(item_1.member_epoch, n)
                else:
                    out += pack_i(item_1.member_epoch)
                    out += uvarint(n)
                for item_4 in items_4:
                    items_5 = item_4.partition_indexes
                    n = len(items_5) + 1
                    if n < 128:
                        out += pack_uB(item_4.topic_id, n)
                    else:
                        out += pack_u(item_4.topic_id)
                        out += uvarint(n)
                    out += i32s(items_5)
                    out += b"\0"
            out += b"\0"
        out += pack_tx(message.require_stable)
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("OffsetFetch request v10", message, error) from error


def decode_response_v1(buf: bytes, pos: int) -> OffsetFetchResponse:
    try:
        (n,) = unpack_i(buf, pos)
        pos += 4
        if n < 0:
            raise null_field("OffsetFetch response v1", "Topics")
        if n * 6 > len(buf) - pos:
            raise overrun("OffsetFetch response v1", buf, pos)
        topics_0_items: list[OffsetFetchResponseTopic] = []
        for _ in range(n):
            (n,) = unpack_h(buf, pos)
            pos += 2
            if n < 0:
                raise null_field("OffsetFetch response v1", "Name")
            end = pos + n
            name_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            (n,) = unpack_i(buf, pos)
            pos += 4
            if n < 0:
                raise null_field("OffsetFetch response v1", "Partitions")
            if n * 16 > len(buf) - pos:
                raise overrun("OffsetFetch response v1", buf, pos)
            partitions_1_items: list[OffsetFetchResponsePartition] = []
            for _ in range(n):
                partition_index_2, committed_offset_2, n = unpack_iqh(buf, pos)
                pos += 14
                metadata_2: str | None = None
                if n >= 0:
                    end = pos + n
                    metadata_2 = buf[pos:end].decode("utf-8", "replace")
                    pos = end
                (error_code_2,) = unpack_h(buf, pos)
                pos += 2
                made_2 = OffsetFetchResponsePartition(partition_index_2, committed_offset_2, -1, metadata_2, error_code_2)
                partitions_1_items.append(made_2)
            partitions_1 = partitions_1_items
            made_1 = OffsetFetchResponseTopic(name_1, partitions_1)
            topics_0_items.append(made_1)
        topics_0 = topics_0_items
        made_0 = OffsetFetchResponse(0, topics_0, 0, ())
    except (IndexError, StructError) as error:
        raise overrun("OffsetFetch response v1", buf, pos) from error
    if pos > len(buf):
        raise overrun("OffsetFetch response v1", buf, pos)
    return made_0


def decode_response_v2(buf: bytes, pos: int) -> OffsetFetchResponse:
    try:
        (n,) = unpack_i(buf, pos)
        pos += 4
        if n < 0:
            raise null_field("OffsetFetch response v2", "Topics")
        if n * 6 > len(buf) - pos:
            raise overrun("OffsetFetch response v2", buf, pos)
        topics_0_items: list[OffsetFetchResponseTopic] = []
        for _ in range(n):
            (n,) = unpack_h(buf, pos)
            pos += 2
            if n < 0:
                raise null_field("OffsetFetch response v2", "Name")
            end = pos + n
            name_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            (n,) = unpack_i(buf, pos)
            pos += 4
            if n < 0:
                raise null_field("OffsetFetch response v2", "Partitions")
            if n * 16 > len(buf) - pos:
                raise overrun("OffsetFetch response v2", buf, pos)
            partitions_1_items: list[OffsetFetchResponsePartition] = []
            for _ in range(n):
                partition_index_2, committed_offset_2, n = unpack_iqh(buf, pos)
                pos += 14
                metadata_2: str | None = None
                if n >= 0:
                    end = pos + n
                    metadata_2 = buf[pos:end].decode("utf-8", "replace")
                    pos = end
                (error_code_2,) = unpack_h(buf, pos)
                pos += 2
                made_2 = OffsetFetchResponsePartition(partition_index_2, committed_offset_2, -1, metadata_2, error_code_2)
                partitions_1_items.append(made_2)
            partitions_1 = partitions_1_items
            made_1 = OffsetFetchResponseTopic(name_1, partitions_1)
            topics_0_items.append(made_1)
        topics_0 = topics_0_items
        (error_code_0,) = unpack_h(buf, pos)
        pos += 2
        made_0 = OffsetFetchResponse(0, topics_0, error_code_0, ())
    except (IndexError, StructError) as error:
        raise overrun("OffsetFetch response v2", buf, pos) from error
    if pos > len(buf):
        raise overrun("OffsetFetch response v2", buf, pos)
    return made_0


# versions 3-4
def decode_response_v3(buf: bytes, pos: int) -> OffsetFetchResponse:
    try:
        throttle_time_ms_0, n = unpack_ii(buf, pos)
        pos += 8
        if n < 0:
            raise null_field("OffsetFetch response v3-4", "Topics")
        if n * 6 > len(buf) - pos:
            raise overrun("OffsetFetch response v3-4", buf, pos)
        topics_0_items: list[OffsetFetchResponseTopic] = []
        for _ in range(n):
            (n,) = unpack_h(buf, pos)
            pos += 2
            if n < 0:
                raise null_field("OffsetFetch response v3-4", "Name")
            end = pos + n
            name_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            (n,) = unpack_i(buf, pos)
            pos += 4
            if n < 0:
                raise null_field("OffsetFetch response v3-4", "Partitions")
            if n * 16 > len(buf) - pos:
                raise overrun("OffsetFetch response v3-4", buf, pos)
            partitions_1_items: list[OffsetFetchResponsePartition] = []
            for _ in range(n):
                partition_index_2, committed_offset_2, n = unpack_iqh(buf, pos)
                pos += 14
                metadata_2: str | None = None
                if n >= 0:
                    end = pos + n
                    metadata_2 = buf[pos:end].decode("utf-8", "replace")
                    pos = end
                (error_code_2,) = unpack_h(buf, pos)
                pos += 2
                made_2 = OffsetFetchResponsePartition(partition_index_2, committed_offset_2, -1, metadata_2, error_code_2)
                partitions_1_items.append(made_2)
            partitions_1 = partitions_1_items
            made_1 = OffsetFetchResponseTopic(name_1, partitions_1)
            topics_0_items.append(made_1)
        topics_0 = topics_0_items
        (error_code_0,) = unpack_h(buf, pos)
        pos += 2
        made_0 = OffsetFetchResponse(throttle_time_ms_0, topics_0, error_code_0, ())
    except (IndexError, StructError) as error:
        raise overrun("OffsetFetch response v3-4", buf, pos) from error
    if pos > len(buf):
        raise overrun("OffsetFetch response v3-4", buf, pos)
    return made_0


def decode_response_v5(buf: bytes, pos: int) -> OffsetFetchResponse:
    try:
        throttle_time_ms_0, n = unpack_ii(buf, pos)
        pos += 8
        if n < 0:
            raise null_field("OffsetFetch response v5", "Topics")
        if n * 6 > len(buf) - pos:
            raise overrun("OffsetFetch response v5", buf, pos)
        topics_0_items: list[OffsetFetchResponseTopic] = []
        for _ in range(n):
            (n,) = unpack_h(buf, pos)
            pos += 2
            if n < 0:
                raise null_field("OffsetFetch response v5", "Name")
            end = pos + n
            name_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            (n,) = unpack_i(buf, pos)
            pos += 4
            if n < 0:
                raise null_field("OffsetFetch response v5", "Partitions")
            if n * 20 > len(buf) - pos:
                raise overrun("OffsetFetch response v5", buf, pos)
            partitions_1_items: list[OffsetFetchResponsePartition] = []
            for _ in range(n):
                partition_index_2, committed_offset_2, committed_leader_epoch_2, n = unpack_iqih(buf, pos)
                pos += 18
                metadata_2: str | None = None
                if n >= 0:
                    end = pos + n
                    metadata_2 = buf[pos:end].decode("utf-8", "replace")
                    pos = end
                (error_code_2,) = unpack_h(buf, pos)
                pos += 2
                made_2 = OffsetFetchResponsePartition(partition_index_2, committed_offset_2, committed_leader_epoch_2, metadata_2, error_code_2)
                partitions_1_items.append(made_2)
            partitions_1 = partitions_1_items
            made_1 = OffsetFetchResponseTopic(name_1, partitions_1)
            topics_0_items.append(made_1)
        topics_0 = topics_0_items
        (error_code_0,) = unpack_h(buf, pos)
        pos += 2
        made_0 = OffsetFetchResponse(throttle_time_ms_0, topics_0, error_code_0, ())
    except (IndexError, StructError) as error:
        raise overrun("OffsetFetch response v5", buf, pos) from error
    if pos > len(buf):
        raise overrun("OffsetFetch response v5", buf, pos)
    return made_0


# versions 6-7
def decode_response_v6(buf: bytes, pos: int) -> OffsetFetchResponse:
    try:
        throttle_time_ms_0, n = unpack_iB(buf, pos)
        pos += 5
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "OffsetFetch response v6-7", "Topics")
        n -= 1
        if n * 3 > len(buf) - pos:
            raise overrun("OffsetFetch response v6-7", buf, pos)
        topics_0_items: list[OffsetFetchResponseTopic] = []
        for _ in range(n):
            n = buf[pos]
            pos += 1
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "OffsetFetch response v6-7", "Name")
            end = pos + n - 1
            name_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            n = buf[pos]
            pos += 1
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "OffsetFetch response v6-7", "Partitions")
            n -= 1
            if n * 20 > len(buf) - pos:
                raise overrun("OffsetFetch response v6-7", buf, pos)
            partitions_1_items: list[OffsetFetchResponsePartition] = []
            for _ in range(n):
                partition_index_2, committed_offset_2, committed_leader_epoch_2, n = unpack_iqiB(buf, pos)
                pos += 17
                if n > 127:
                    n, pos = read_uvarint(buf, pos - 1)
                metadata_2: str | None = None
                if n > 0:
                    end = pos + n - 1
                    metadata_2 = buf[pos:end].decode("utf-8", "replace")
                    pos = end
                error_code_2, tags = unpack_hB(buf, pos)
                pos += 3
                if tags:
                    pos = skip_tagged(buf, pos - 1)
                made_2 = OffsetFetchResponsePartition(partition_index_2, committed_offset_2, committed_leader_epoch_2, metadata_2, error_code_2)
                partitions_1_items.append(made_2)
            partitions_1 = partitions_1_items
            tags = buf[pos]
            pos += 1
            if tags:
                pos = skip_tagged(buf, pos - 1)
            made_1 = OffsetFetchResponseTopic(name_1, partitions_1)
            topics_0_items.append(made_1)
        topics_0 = topics_0_items
        error_code_0, tags = unpack_hB(buf, pos)
        pos += 3
        if tags:
            pos = skip_tagged(buf, pos - 1)
        made_0 = OffsetFetchResponse(throttle_time_ms_0, topics_0, error_code_0, ())
    except (IndexError, StructError) as error:
        raise overrun("OffsetFetch response v6-7", buf, pos) from error
    if pos > len(buf):
        raise overrun("OffsetFetch response v6-7", buf, pos)
    return made_0


# versions 8-9
def decode_response_v8(buf: bytes, pos: int) -> OffsetFetchResponse:
    try:
        throttle_time_ms_0, n = unpack_iB(buf, pos)
        pos += 5
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "OffsetFetch response v8-9", "Groups")
        n -= 1
        if n * 5 > len(buf) - pos:
            raise overrun("OffsetFetch response v8-9", buf, pos)
        groups_0_items: list[OffsetFetchResponseGroup] = []
        for _ in range(n):
            n = buf[pos]
            pos += 1
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "OffsetFetch response v8-9", "GroupId")
            end = pos + n - 1
            group_id_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            n = buf[pos]
            pos += 1
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "OffsetFetch response v8-9", "Topics")
            n -= 1
            if n * 3 > len(buf) - pos:
                raise overrun("OffsetFetch response v8-9", buf, pos)
            topics_1_items: list[OffsetFetchResponseGroupTopic] = []
            for _ in range(n):
                n = buf[pos]
                pos += 1
                if not 0 < n < 128:
                    n, pos = read_length(buf, pos - 1, "OffsetFetch response v8-9", "Name")
                end = pos + n - 1
                name_2 = buf[pos:end].decode("utf-8", "replace")
                pos = end
                n = buf[pos]
                pos += 1
                if not 0 < n < 128:
                    n, pos = read_length(buf, pos - 1, "OffsetFetch response v8-9", "Partitions")
                n -= 1
                if n * 20 > len(buf) - pos:
                    raise overrun("OffsetFetch response v8-9", buf, pos)
                partitions_2_items: list[OffsetFetchResponseGroupPartition] = []
                for _ in range(n):
                    partition_index_3, committed_offset_3, committed_leader_epoch_3, n = unpack_iqiB(buf, pos)
                    pos += 17
                    if n > 127:
                        n, pos = read_uvarint(buf, pos - 1)
                    metadata_3: str | None = None
                    if n > 0:
                        end = pos + n - 1
                        metadata_3 = buf[pos:end].decode("utf-8", "replace")
                        pos = end
                    error_code_3, tags = unpack_hB(buf, pos)
                    pos += 3
                    if tags:
                        pos = skip_tagged(buf, pos - 1)
                    made_3 = OffsetFetchResponseGroupPartition(partition_index_3, committed_offset_3, committed_leader_epoch_3, metadata_3, error_code_3)
                    partitions_2_items.append(made_3)
                partitions_2 = partitions_2_items
                tags = buf[pos]
                pos += 1
                if tags:
                    pos = skip_tagged(buf, pos - 1)
                made_2 = OffsetFetchResponseGroupTopic(name_2, NO_UUID, partitions_2)
                topics_1_items.append(made_2)
            topics_1 = topics_1_items
            error_code_1, tags = unpack_hB(buf, pos)
            pos += 3
            if tags:
                pos = skip_tagged(buf, pos - 1)
            made_1 = OffsetFetchResponseGroup(group_id_1, topics_1, error_code_1)
            groups_0_items.append(made_1)
        groups_0 = groups_0_items
        tags = buf[pos]
        pos += 1
        if tags:
            pos = skip_tagged(buf, pos - 1)
        made_0 = OffsetFetchResponse(throttle_time_ms_0, (), 0, groups_0)
    except (IndexError, StructError) as error:
        raise overrun("OffsetFetch response v8-9", buf, pos) from error
    if pos > len(buf):
        raise overrun("OffsetFetch response v8-9", buf, pos)
    return made_0


def decode_response_v10(buf: bytes, pos: int) -> OffsetFetchResponse:
    try:
        throttle_time_ms_0, n = unpack_iB(buf, pos)
        pos += 5
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "OffsetFetch response v10", "Groups")
        n -= 1
        if n * 5 > len(buf) - pos:
            raise overrun("OffsetFetch response v10", buf, pos)
        groups_0_items: list[OffsetFetchResponseGroup] = []
        for _ in range(n):
            n = buf[pos]
            pos += 1
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "OffsetFetch response v10", "GroupId")
            end = pos + n - 1
            group_id_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            n = buf[pos]
            pos += 1
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "OffsetFetch response v10", "Topics")
            n -= 1
            if n * 18 > len(buf) - pos:
                raise overrun("OffsetFetch response v10", buf, pos)
            topics_1_items: list[OffsetFetchResponseGroupTopic] = []
            for _ in range(n):
                topic_id_2, n = unpack_uB(buf, pos)
                pos += 17
                if not 0 < n < 128:
                    n, pos = read_length(buf, pos - 1, "OffsetFetch response v10", "Partitions")
                n -= 1
                if n * 20 > len(buf) - pos:
                    raise overrun("OffsetFetch response v10", buf, pos)
                partitions_2_items: list[OffsetFetchResponseGroupPartition] = []
                for _ in range(n):
                    partition_index_3, committed_offset_3, committed_leader_epoch_3, n = unpack_iqiB(buf, pos)
                    pos += 17
                    if n > 127:
                        n, pos = read_uvarint(buf, pos - 1)
                    metadata_3: str | None = None
                    if n > 0:
                        end = pos + n - 1
                        metadata_3 = buf[pos:end].decode("utf-8", "replace")
                        pos = end
                    error_code_3, tags = unpack_hB(buf, pos)
                    pos += 3
                    if tags:
                        pos = skip_tagged(buf, pos - 1)
                    made_3 = OffsetFetchResponseGroupPartition(partition_index_3, committed_offset_3, committed_leader_epoch_3, metadata_3, error_code_3)
                    partitions_2_items.append(made_3)
                partitions_2 = partitions_2_items
                tags = buf[pos]
                pos += 1
                if tags:
                    pos = skip_tagged(buf, pos - 1)
                made_2 = OffsetFetchResponseGroupTopic("", topic_id_2, partitions_2)
                topics_1_items.append(made_2)
            topics_1 = topics_1_items
            error_code_1, tags = unpack_hB(buf, pos)
            pos += 3
            if tags:
                pos = skip_tagged(buf, pos - 1)
            made_1 = OffsetFetchResponseGroup(group_id_1, topics_1, error_code_1)
            groups_0_items.append(made_1)
        groups_0 = groups_0_items
        tags = buf[pos]
        pos += 1
        if tags:
            pos = skip_tagged(buf, pos - 1)
        made_0 = OffsetFetchResponse(throttle_time_ms_0, (), 0, groups_0)
    except (IndexError, StructError) as error:
        raise overrun("OffsetFetch response v10", buf, pos) from error
    if pos > len(buf):
        raise overrun("OffsetFetch response v10", buf, pos)
    return made_0


def encode_response_v1(message: OffsetFetchResponse) -> bytes:
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
                for item_2 in items_2:
                    value_3 = item_2.metadata
                    if value_3 is None:
                        out += pack_iqh(item_2.partition_index, item_2.committed_offset, -1)
                    else:
                        raw = value_3.encode()
                        out += pack_iqh(item_2.partition_index, item_2.committed_offset, len(raw))
                        out += raw
                    out += pack_h(item_2.error_code)
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("OffsetFetch response v1", message, error) from error


def encode_response_v2(message: OffsetFetchResponse) -> bytes:
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
                for item_2 in items_2:
                    value_3 = item_2.metadata
                    if value_3 is None:
                        out += pack_iqh(item_2.partition_index, item_2.committed_offset, -1)
                    else:
                        raw = value_3.encode()
                        out += pack_iqh(item_2.partition_index, item_2.committed_offset, len(raw))
                        out += raw
                    out += pack_h(item_2.error_code)
        out += pack_h(message.error_code)
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("OffsetFetch response v2", message, error) from error


# versions 3-4
def encode_response_v3(message: OffsetFetchResponse) -> bytes:
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
                for item_2 in items_2:
                    value_3 = item_2.metadata
                    if value_3 is None:
                        out += pack_iqh(item_2.partition_index, item_2.committed_offset, -1)
                    else:
                        raw = value_3.encode()
                        out += pack_iqh(item_2.partition_index, item_2.committed_offset, len(raw))
                        out += raw
                    out += pack_h(item_2.error_code)
        out += pack_h(message.error_code)
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("OffsetFetch response v3-4", message, error) from error


def encode_response_v5(message: OffsetFetchResponse) -> bytes:
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
                for item_2 in items_2:
                    value_3 = item_2.metadata
                    if value_3 is None:
                        out += pack_iqih(item_2.partition_index, item_2.committed_offset, item_2.committed_leader_epoch, -1)
                    else:
                        raw = value_3.encode()
                        out += pack_iqih(item_2.partition_index, item_2.committed_offset, item_2.committed_leader_epoch, len(raw))
                        out += raw
                    out += pack_h(item_2.error_code)
        out += pack_h(message.error_code)
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("OffsetFetch response v5", message, error) from error


# versions 6-7
def encode_response_v6(message: OffsetFetchResponse) -> bytes:
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
                for item_2 in items_2:
                    value_3 = item_2.metadata
                    if value_3 is None:
                        out += pack_iqix(item_2.partition_index, item_2.committed_offset, item_2.committed_leader_epoch)
                    else:
                        raw = value_3.encode()
                        n = len(raw) + 1
                        if n < 128:
                            out += pack_iqiB(item_2.partition_index, item_2.committed_offset, item_2.committed_leader_epoch, n)
                        else:
                            out += pack_iqi(item_2.partition_index, item_2.committed_offset, item_2.committed_leader_epoch)
                            out += uvarint(n)
                        out += raw
                    out += pack_hx(item_2.error_code)
            out += b"\0"
        out += pack_hx(message.error_code)
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("OffsetFetch response v6-7", message, error) from error


# versions 8-9
def encode_response_v8(message: OffsetFetchResponse) -> bytes:
    try:
        out = bytearray()
        items_1 = message.groups
        n = len(items_1) + 1
        if n < 128:
            out += pack_iB(message.throttle_time_ms, n)
        else:
            out += pack_i(message.throttle_time_ms)
            out += uvarint(n)
        for item_1 in items_1:
            raw = item_1.group_id.encode()
            n = len(raw) + 1
            if n < 128:
                out.append(n)
            else:
                out += uvarint(n)
            out += raw
            items_2 = item_1.topics
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
                octets_3 = octets_of(items_3)
                if octets_3 is not None:
                    out += octets_3
                else:
                    for item_3 in items_3:
                        value_4 = item_3.metadata
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
                        out += pack_hx(item_3.error_code)
                out += b"\0"
            out += pack_hx(item_1.error_code)
        out += b"\0"
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("OffsetFetch response v8-9", message, error) from error


def encode_response_v10(message: OffsetFetchResponse) -> bytes:
    try:
        out = bytearray()
        items_1 = message.groups
        n = len(items_1) + 1
        if n < 128:
            out += pack_iB(message.throttle_time_ms, n)
        else:
            out += pack_i(message.throttle_time_ms)
            out += uvarint(n)
        for item_1 in items_1:
            raw = item_1.group_id.encode()
            n = len(raw) + 1
            if n < 128:
                out.append(n)
            else:
                out += uvarint(n)
            out += raw
            items_2 = item_1.topics
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
                octets_3 = octets_of(items_3)
                if octets_3 is not None:
                    out += octets_3
                else:
                    for item_3 in items_3:
                        value_4 = item_3.metadata
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
                        out += pack_hx(item_3.error_code)
                out += b"\0"
            out += pack_hx(item_1.error_code)
        out += b"\0"
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("OffsetFetch response v10", message, error) from error


REQUEST_DECODERS = {
    1: decode_request_v1,
    2: decode_request_v2,
    3: decode_request_v2,
    4: decode_request_v2,
    5: decode_request_v2,
    6: decode_request_v6,
    7: decode_request_v7,
    8: decode_request_v8,
    9: decode_request_v9,
    10: decode_request_v10,
}
REQUEST_ENCODERS = {
    1: encode_request_v1,
    2: encode_request_v2,
    3: encode_request_v2,
    4: encode_request_v2,
    5: encode_request_v2,
    6: encode_request_v6,
    7: encode_request_v7,
    8: encode_request_v8,
    9: encode_request_v9,
    10: encode_request_v10,
}
RESPONSE_DECODERS = {
    1: decode_response_v1,
    2: decode_response_v2,
    3: decode_response_v3,
    4: decode_response_v3,
    5: decode_response_v5,
    6: decode_response_v6,
    7: decode_response_v6,
    8: decode_response_v8,
    9: decode_response_v8,
    10: decode_response_v10,
}
RESPONSE_ENCODERS = {
    1: encode_response_v1,
    2: encode_response_v2,
    3: encode_response_v3,
    4: encode_response_v3,
    5: encode_response_v5,
    6: encode_response_v6,
    7: encode_response_v6,
    8: encode_response_v8,
    9: encode_response_v8,
    10: encode_response_v10,
}
