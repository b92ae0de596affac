"""Generated from tools/codecs/schemas/offset_fetch.api by `make generate`; changes belong there."""

from __future__ import annotations

from typing import Final

from muster.wire.generated.offset_fetch import (
    OffsetFetchRequest,
    OffsetFetchRequestGroup,
    OffsetFetchRequestGroupTopic,
    OffsetFetchRequestTopic,
    OffsetFetchResponse,
)
from librt.strings import BytesWriter, read_i32_be, write_i16_be, write_i32_be, write_i64_be
from librt.vecs import vec
from mypy_extensions import i16, i32, i64

from muster.wire.message import Message, encode_failure, wrote_itself
from muster.wire.native import as_list, begun, finished, read_compact_count, read_compact_str, read_count, read_i32s, read_nullable_compact_count, read_nullable_compact_str, read_nullable_count, read_str, read_uuid, skip_tags, write_compact_str, write_nullable_compact_str, write_nullable_str, write_str, write_uuid, write_uvarint
from muster.wire.primitives import overrun, too_many

NO_UUID: Final = bytes(16)


def write_response_partition_v1(out: BytesWriter, partition_index: i32, committed_offset: i64, metadata: str | None, error_code: i16) -> None:
    write_i32_be(out, partition_index)
    write_i64_be(out, committed_offset)
    write_nullable_str(out, metadata)
    write_i16_be(out, error_code)


def write_response_partition_v5(out: BytesWriter, partition_index: i32, committed_offset: i64, committed_leader_epoch: i32, metadata: str | None, error_code: i16) -> None:
    write_i32_be(out, partition_index)
    write_i64_be(out, committed_offset)
    write_i32_be(out, committed_leader_epoch)
    write_nullable_str(out, metadata)
    write_i16_be(out, error_code)


def write_response_partition_v6(out: BytesWriter, partition_index: i32, committed_offset: i64, committed_leader_epoch: i32, metadata: str | None, error_code: i16) -> None:
    write_i32_be(out, partition_index)
    write_i64_be(out, committed_offset)
    write_i32_be(out, committed_leader_epoch)
    write_nullable_compact_str(out, metadata)
    write_i16_be(out, error_code)
    out.append(0)


def write_response_partition(out: BytesWriter, version: i64, partition_index: i32, committed_offset: i64, committed_leader_epoch: i32, metadata: str | None, error_code: i16) -> None:
    """One item as this version has it; for `LaidOut`."""
    if version >= 6:
        write_response_partition_v6(out, partition_index, committed_offset, committed_leader_epoch, metadata, error_code)
        return
    if version >= 5:
        write_response_partition_v5(out, partition_index, committed_offset, committed_leader_epoch, metadata, error_code)
        return
    write_response_partition_v1(out, partition_index, committed_offset, metadata, error_code)


def write_response_group_partition_v8(out: BytesWriter, partition_index: i32, committed_offset: i64, committed_leader_epoch: i32, metadata: str | None, error_code: i16) -> None:
    write_i32_be(out, partition_index)
    write_i64_be(out, committed_offset)
    write_i32_be(out, committed_leader_epoch)
    write_nullable_compact_str(out, metadata)
    write_i16_be(out, error_code)
    out.append(0)


def write_response_group_partition(out: BytesWriter, version: i64, partition_index: i32, committed_offset: i64, committed_leader_epoch: i32, metadata: str | None, error_code: i16) -> None:
    """One item as this version has it; for `LaidOut`."""
    write_response_group_partition_v8(out, partition_index, committed_offset, committed_leader_epoch, metadata, error_code)


def write_response_partitions_v1(out: BytesWriter, partition_index: vec[i32], committed_offset: vec[i64], error_code: i16) -> None:
    end = i32((i64(error_code) & 65535))
    for row in range(len(partition_index)):
        write_i32_be(out, partition_index[row])
        write_i64_be(out, committed_offset[row])
        write_i32_be(out, end)


def write_response_partitions_v5(out: BytesWriter, partition_index: vec[i32], committed_offset: vec[i64], committed_leader_epoch: vec[i32], error_code: i16) -> None:
    end = i32((i64(error_code) & 65535))
    for row in range(len(partition_index)):
        write_i32_be(out, partition_index[row])
        write_i64_be(out, committed_offset[row])
        write_i32_be(out, committed_leader_epoch[row])
        write_i32_be(out, end)


def write_response_partitions_v6(out: BytesWriter, partition_index: vec[i32], committed_offset: vec[i64], committed_leader_epoch: vec[i32], error_code: i16) -> None:
    end = i32(1 << 24 | (i64(error_code) & 65535) << 8)
    for row in range(len(partition_index)):
        write_i32_be(out, partition_index[row])
        write_i64_be(out, committed_offset[row])
        write_i32_be(out, committed_leader_epoch[row])
        write_i32_be(out, end)


def write_response_partitions(out: BytesWriter, version: i64, partition_index: vec[i32], committed_offset: vec[i64], committed_leader_epoch: vec[i32], error_code: i16) -> None:
    """An item for each row of the columns as this version has it, all texts empty; for `LaidOut`."""
    if version >= 6:
        write_response_partitions_v6(out, partition_index, committed_offset, committed_leader_epoch, error_code)
        return
    if version >= 5:
        write_response_partitions_v5(out, partition_index, committed_offset, committed_leader_epoch, error_code)
        return
    write_response_partitions_v1(out, partition_index, committed_offset, error_code)


def write_response_group_partitions_v8(out: BytesWriter, partition_index: vec[i32], committed_offset: vec[i64], committed_leader_epoch: vec[i32], error_code: i16) -> None:
    end = i32(1 << 24 | (i64(error_code) & 65535) << 8)
    for row in range(len(partition_index)):
        write_i32_be(out, partition_index[row])
        write_i64_be(out, committed_offset[row])
        write_i32_be(out, committed_leader_epoch[row])
        write_i32_be(out, end)


def write_response_group_partitions(out: BytesWriter, version: i64, partition_index: vec[i32], committed_offset: vec[i64], committed_leader_epoch: vec[i32], error_code: i16) -> None:
    """An item for each row of the columns as this version has it, all texts empty; for `LaidOut`."""
    write_response_group_partitions_v8(out, partition_index, committed_offset, committed_leader_epoch, error_code)


def decode_request_v1(buf: bytes, pos: int) -> OffsetFetchRequest:
    at: i64 = pos
    try:
        group_id_0, at = read_str(buf, at, "OffsetFetch request v1", "GroupId")
        topics_0_count, at = read_count(buf, at, 6, "OffsetFetch request v1", "Topics")
        if topics_0_count > 50000:
            raise too_many("OffsetFetch request v1", topics_0_count)
        topics_0: list[OffsetFetchRequestTopic] = []
        for _ in range(topics_0_count):
            name_1, at = read_str(buf, at, "OffsetFetch request v1", "Name")
            partition_indexes_1_count, at = read_count(buf, at, 4, "OffsetFetch request v1", "PartitionIndexes")
            partition_indexes_1 = read_i32s(buf, at, partition_indexes_1_count)
            at += partition_indexes_1_count * 4
            topics_0.append(OffsetFetchRequestTopic(name_1, partition_indexes_1))
        return OffsetFetchRequest(group_id_0, topics_0, (), False)
    except IndexError as error:
        raise overrun("OffsetFetch request v1", buf, at) from error


# versions 2-5
def decode_request_v2(buf: bytes, pos: int) -> OffsetFetchRequest:
    at: i64 = pos
    try:
        group_id_0, at = read_str(buf, at, "OffsetFetch request v2-5", "GroupId")
        topics_0_count, at = read_nullable_count(buf, at, 1)
        topics_0: list[OffsetFetchRequestTopic] | None = None
        if topics_0_count >= 0:
            if topics_0_count > 50000:
                raise too_many("OffsetFetch request v2-5", topics_0_count)
            topics_0_items: list[OffsetFetchRequestTopic] = []
            for _ in range(topics_0_count):
                name_1, at = read_str(buf, at, "OffsetFetch request v2-5", "Name")
                partition_indexes_1_count, at = read_count(buf, at, 4, "OffsetFetch request v2-5", "PartitionIndexes")
                partition_indexes_1 = read_i32s(buf, at, partition_indexes_1_count)
                at += partition_indexes_1_count * 4
                topics_0_items.append(OffsetFetchRequestTopic(name_1, partition_indexes_1))
            topics_0 = topics_0_items
        return OffsetFetchRequest(group_id_0, topics_0, (), False)
    except IndexError as error:
        raise overrun("OffsetFetch request v2-5", buf, at) from error


def decode_request_v6(buf: bytes, pos: int) -> OffsetFetchRequest:
    at: i64 = pos
    try:
        group_id_0, at = read_compact_str(buf, at, "OffsetFetch request v6", "GroupId")
        topics_0_count, at = read_nullable_compact_count(buf, at, 1)
        topics_0: list[OffsetFetchRequestTopic] | None = None
        if topics_0_count >= 0:
            if topics_0_count > 50000:
                raise too_many("OffsetFetch request v6", topics_0_count)
            topics_0_items: list[OffsetFetchRequestTopic] = []
            for _ in range(topics_0_count):
                name_1, at = read_compact_str(buf, at, "OffsetFetch request v6", "Name")
                partition_indexes_1_count, at = read_compact_count(buf, at, 4, "OffsetFetch request v6", "PartitionIndexes")
                partition_indexes_1 = read_i32s(buf, at, partition_indexes_1_count)
                at += partition_indexes_1_count * 4
                if buf[at] == 0:
                    at += 1
                else:
                    at = skip_tags(buf, at)
                topics_0_items.append(OffsetFetchRequestTopic(name_1, partition_indexes_1))
            topics_0 = topics_0_items
        if buf[at] == 0:
            at += 1
        else:
            at = skip_tags(buf, at)
        return OffsetFetchRequest(group_id_0, topics_0, (), False)
    except IndexError as error:
        raise overrun("OffsetFetch request v6", buf, at) from error


def decode_request_v7(buf: bytes, pos: int) -> OffsetFetchRequest:
    at: i64 = pos
    try:
        group_id_0, at = read_compact_str(buf, at, "OffsetFetch request v7", "GroupId")
        topics_0_count, at = read_nullable_compact_count(buf, at, 1)
        topics_0: list[OffsetFetchRequestTopic] | None = None
        if topics_0_count >= 0:
            if topics_0_count > 50000:
                raise too_many("OffsetFetch request v7", topics_0_count)
            topics_0_items: list[OffsetFetchRequestTopic] = []
            for _ in range(topics_0_count):
                name_1, at = read_compact_str(buf, at, "OffsetFetch request v7", "Name")
                partition_indexes_1_count, at = read_compact_count(buf, at, 4, "OffsetFetch request v7", "PartitionIndexes")
                partition_indexes_1 = read_i32s(buf, at, partition_indexes_1_count)
                at += partition_indexes_1_count * 4
                if buf[at] == 0:
                    at += 1
                else:
                    at = skip_tags(buf, at)
                topics_0_items.append(OffsetFetchRequestTopic(name_1, partition_indexes_1))
            topics_0 = topics_0_items
        require_stable_0 = buf[at] != 0
        at += 1
        if buf[at] == 0:
            at += 1
        else:
            at = skip_tags(buf, at)
        return OffsetFetchRequest(group_id_0, topics_0, (), require_stable_0)
    except IndexError as error:
        raise overrun("OffsetFetch request v7", buf, at) from error


def decode_request_v8(buf: bytes, pos: int) -> OffsetFetchRequest:
    at: i64 = pos
    try:
        groups_0_count, at = read_compact_count(buf, at, 3, "OffsetFetch request v8", "Groups")
        if groups_0_count > 50000:
            raise too_many("OffsetFetch request v8", groups_0_count)
        groups_0: list[OffsetFetchRequestGroup] = []
        for _ in range(groups_0_count):
            group_id_1, at = read_compact_str(buf, at, "OffsetFetch request v8", "GroupId")
            topics_1_count, at = read_nullable_compact_count(buf, at, 1)
            topics_1: list[OffsetFetchRequestGroupTopic] | None = None
            if topics_1_count >= 0:
                if topics_1_count > 50000:
                    raise too_many("OffsetFetch request v8", topics_1_count)
                topics_1_items: list[OffsetFetchRequestGroupTopic] = []
                for _ in range(topics_1_count):
                    name_2, at = read_compact_str(buf, at, "OffsetFetch request v8", "Name")
                    partition_indexes_2_count, at = read_compact_count(buf, at, 4, "OffsetFetch request v8", "PartitionIndexes")
                    partition_indexes_2 = read_i32s(buf, at, partition_indexes_2_count)
                    at += partition_indexes_2_count * 4
                    if buf[at] == 0:
                        at += 1
                    else:
                        at = skip_tags(buf, at)
                    topics_1_items.append(OffsetFetchRequestGroupTopic(name_2, NO_UUID, partition_indexes_2))
                topics_1 = topics_1_items
            if buf[at] == 0:
                at += 1
            else:
                at = skip_tags(buf, at)
            groups_0.append(OffsetFetchRequestGroup(group_id_1, None, -1, topics_1))
        require_stable_0 = buf[at] != 0
        at += 1
        if buf[at] == 0:
            at += 1
        else:
            at = skip_tags(buf, at)
        return OffsetFetchRequest("", (), groups_0, require_stable_0)
    except IndexError as error:
        raise overrun("OffsetFetch request v8", buf, at) from error


def decode_request_v9(buf: bytes, pos: int) -> OffsetFetchRequest:
    at: i64 = pos
    try:
        groups_0_count, at = read_compact_count(buf, at, 8, "OffsetFetch request v9", "Groups")
        if groups_0_count > 50000:
            raise too_many("OffsetFetch request v9", groups_0_count)
        groups_0: list[OffsetFetchRequestGroup] = []
        for _ in range(groups_0_count):
            group_id_1, at = read_compact_str(buf, at, "OffsetFetch request v9", "GroupId")
            member_id_1, at = read_nullable_compact_str(buf, at)
            member_epoch_1 = read_i32_be(buf, at)
            at += 4
            topics_1_count, at = read_nullable_compact_count(buf, at, 1)
            topics_1: list[OffsetFetchRequestGroupTopic] | None = None
            if topics_1_count >= 0:
                if topics_1_count > 50000:
                    raise too_many("OffsetFetch request v9", topics_1_count)
                topics_1_items: list[OffsetFetchRequestGroupTopic] = []
                for _ in range(topics_1_count):
                    name_2, at = read_compact_str(buf, at, "OffsetFetch request v9", "Name")
                    partition_indexes_2_count, at = read_compact_count(buf, at, 4, "OffsetFetch request v9", "PartitionIndexes")
                    partition_indexes_2 = read_i32s(buf, at, partition_indexes_2_count)
                    at += partition_indexes_2_count * 4
                    if buf[at] == 0:
                        at += 1
                    else:
                        at = skip_tags(buf, at)
                    topics_1_items.append(OffsetFetchRequestGroupTopic(name_2, NO_UUID, partition_indexes_2))
                topics_1 = topics_1_items
            if buf[at] == 0:
                at += 1
            else:
                at = skip_tags(buf, at)
            groups_0.append(OffsetFetchRequestGroup(group_id_1, member_id_1, member_epoch_1, topics_1))
        require_stable_0 = buf[at] != 0
        at += 1
        if buf[at] == 0:
            at += 1
        else:
            at = skip_tags(buf, at)
        return OffsetFetchRequest("", (), groups_0, require_stable_0)
    except IndexError as error:
        raise overrun("OffsetFetch request v9", buf, at) from error


def decode_request_v10(buf: bytes, pos: int) -> OffsetFetchRequest:
    at: i64 = pos
    try:
        groups_0_count, at = read_compact_count(buf, at, 8, "OffsetFetch request v10", "Groups")
        if groups_0_count > 50000:
            raise too_many("OffsetFetch request v10", groups_0_count)
        groups_0: list[OffsetFetchRequestGroup] = []
        for _ in range(groups_0_count):
            group_id_1, at = read_compact_str(buf, at, "OffsetFetch request v10", "GroupId")
            member_id_1, at = read_nullable_compact_str(buf, at)
            member_epoch_1 = read_i32_be(buf, at)
            at += 4
            topics_1_count, at = read_nullable_compact_count(buf, at, 1)
            topics_1: list[OffsetFetchRequestGroupTopic] | None = None
            if topics_1_count >= 0:
                if topics_1_count > 50000:
                    raise too_many("OffsetFetch request v10", topics_1_count)
                topics_1_items: list[OffsetFetchRequestGroupTopic] = []
                for _ in range(topics_1_count):
                    topic_id_2 = read_uuid(buf, at)
                    at += 16
                    partition_indexes_2_count, at = read_compact_count(buf, at, 4, "OffsetFetch request v10", "PartitionIndexes")
                    partition_indexes_2 = read_i32s(buf, at, partition_indexes_2_count)
                    at += partition_indexes_2_count * 4
                    if buf[at] == 0:
                        at += 1
                    else:
                        at = skip_tags(buf, at)
                    topics_1_items.append(OffsetFetchRequestGroupTopic("", topic_id_2, partition_indexes_2))
                topics_1 = topics_1_items
            if buf[at] == 0:
                at += 1
            else:
                at = skip_tags(buf, at)
            groups_0.append(OffsetFetchRequestGroup(group_id_1, member_id_1, member_epoch_1, topics_1))
        require_stable_0 = buf[at] != 0
        at += 1
        if buf[at] == 0:
            at += 1
        else:
            at = skip_tags(buf, at)
        return OffsetFetchRequest("", (), groups_0, require_stable_0)
    except IndexError as error:
        raise overrun("OffsetFetch request v10", buf, at) from error


def encode_response_v1(message: OffsetFetchResponse) -> bytes:
    try:
        out = begun()
        items_1 = as_list(message.topics)
        write_i32_be(out, len(items_1))
        for item_1 in items_1:
            write_str(out, item_1.name)
            items_2 = item_1.partitions
            write_i32_be(out, len(items_2))
            if not wrote_itself(items_2, out):
                for item_2 in items_2:
                    write_response_partition_v1(out, item_2.partition_index, item_2.committed_offset, item_2.metadata, item_2.error_code)
        return finished(out)
    except (AttributeError, TypeError, ValueError, OverflowError) as error:
        raise encode_failure("OffsetFetch response v1", message, error) from error


def encode_response_v2(message: OffsetFetchResponse) -> bytes:
    try:
        out = begun()
        items_1 = as_list(message.topics)
        write_i32_be(out, len(items_1))
        for item_1 in items_1:
            write_str(out, item_1.name)
            items_2 = item_1.partitions
            write_i32_be(out, len(items_2))
            if not wrote_itself(items_2, out):
                for item_2 in items_2:
                    write_response_partition_v1(out, item_2.partition_index, item_2.committed_offset, item_2.metadata, item_2.error_code)
        write_i16_be(out, message.error_code)
        return finished(out)
    except (AttributeError, TypeError, ValueError, OverflowError) as error:
        raise encode_failure("OffsetFetch response v2", message, error) from error


# versions 3-4
def encode_response_v3(message: OffsetFetchResponse) -> bytes:
    try:
        out = begun()
        write_i32_be(out, message.throttle_time_ms)
        items_1 = as_list(message.topics)
        write_i32_be(out, len(items_1))
        for item_1 in items_1:
            write_str(out, item_1.name)
            items_2 = item_1.partitions
            write_i32_be(out, len(items_2))
            if not wrote_itself(items_2, out):
                for item_2 in items_2:
                    write_response_partition_v1(out, item_2.partition_index, item_2.committed_offset, item_2.metadata, item_2.error_code)
        write_i16_be(out, message.error_code)
        return finished(out)
    except (AttributeError, TypeError, ValueError, OverflowError) as error:
        raise encode_failure("OffsetFetch response v3-4", message, error) from error


def encode_response_v5(message: OffsetFetchResponse) -> bytes:
    try:
        out = begun()
        write_i32_be(out, message.throttle_time_ms)
        items_1 = as_list(message.topics)
        write_i32_be(out, len(items_1))
        for item_1 in items_1:
            write_str(out, item_1.name)
            items_2 = item_1.partitions
            write_i32_be(out, len(items_2))
            if not wrote_itself(items_2, out):
                for item_2 in items_2:
                    write_response_partition_v5(out, item_2.partition_index, item_2.committed_offset, item_2.committed_leader_epoch, item_2.metadata, item_2.error_code)
        write_i16_be(out, message.error_code)
        return finished(out)
    except (AttributeError, TypeError, ValueError, OverflowError) as error:
        raise encode_failure("OffsetFetch response v5", message, error) from error


# versions 6-7
def encode_response_v6(message: OffsetFetchResponse) -> bytes:
    try:
        out = begun()
        write_i32_be(out, message.throttle_time_ms)
        items_1 = as_list(message.topics)
        write_uvarint(out, len(items_1) + 1)
        for item_1 in items_1:
            write_compact_str(out, item_1.name)
            items_2 = item_1.partitions
            write_uvarint(out, len(items_2) + 1)
            if not wrote_itself(items_2, out):
                for item_2 in items_2:
                    write_response_partition_v6(out, item_2.partition_index, item_2.committed_offset, item_2.committed_leader_epoch, item_2.metadata, item_2.error_code)
            out.append(0)
        write_i16_be(out, message.error_code)
        out.append(0)
        return finished(out)
    except (AttributeError, TypeError, ValueError, OverflowError) as error:
        raise encode_failure("OffsetFetch response v6-7", message, error) from error


# versions 8-9
def encode_response_v8(message: OffsetFetchResponse) -> bytes:
    try:
        out = begun()
        write_i32_be(out, message.throttle_time_ms)
        items_1 = as_list(message.groups)
        write_uvarint(out, len(items_1) + 1)
        for item_1 in items_1:
            write_compact_str(out, item_1.group_id)
            items_2 = as_list(item_1.topics)
            write_uvarint(out, len(items_2) + 1)
            for item_2 in items_2:
                write_compact_str(out, item_2.name)
                items_3 = item_2.partitions
                write_uvarint(out, len(items_3) + 1)
                if not wrote_itself(items_3, out):
                    for item_3 in items_3:
                        write_response_group_partition_v8(out, item_3.partition_index, item_3.committed_offset, item_3.committed_leader_epoch, item_3.metadata, item_3.error_code)
                out.append(0)
            write_i16_be(out, item_1.error_code)
            out.append(0)
        out.append(0)
        return finished(out)
    except (AttributeError, TypeError, ValueError, OverflowError) as error:
        raise encode_failure("OffsetFetch response v8-9", message, error) from error


def encode_response_v10(message: OffsetFetchResponse) -> bytes:
    try:
        out = begun()
        write_i32_be(out, message.throttle_time_ms)
        items_1 = as_list(message.groups)
        write_uvarint(out, len(items_1) + 1)
        for item_1 in items_1:
            write_compact_str(out, item_1.group_id)
            items_2 = as_list(item_1.topics)
            write_uvarint(out, len(items_2) + 1)
            for item_2 in items_2:
                write_uuid(out, item_2.topic_id)
                items_3 = item_2.partitions
                write_uvarint(out, len(items_3) + 1)
                if not wrote_itself(items_3, out):
                    for item_3 in items_3:
                        write_response_group_partition_v8(out, item_3.partition_index, item_3.committed_offset, item_3.committed_leader_epoch, item_3.metadata, item_3.error_code)
                out.append(0)
            write_i16_be(out, item_1.error_code)
            out.append(0)
        out.append(0)
        return finished(out)
    except (AttributeError, TypeError, ValueError, OverflowError) as error:
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
