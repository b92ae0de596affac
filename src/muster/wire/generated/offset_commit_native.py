"""Generated from tools/codecs/schemas/offset_commit.api by `make generate`; changes belong there."""

from __future__ import annotations

from typing import Final

from muster.wire.generated.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
    OffsetCommitResponse,
)
from librt.strings import BytesWriter, read_i32_be, read_i64_be, write_i16_be, write_i32_be
from mypy_extensions import i16, i32, i64

from muster.wire.message import Message, encode_failure, wrote_itself
from muster.wire.native import as_list, begun, finished, read_compact_count, read_compact_str, read_count, read_nullable_compact_str, read_nullable_str, read_str, read_uuid, skip_tags, write_compact_str, write_str, write_uuid, write_uvarint
from muster.wire.primitives import overrun, too_many

NO_UUID: Final = bytes(16)


def write_response_partition_v2(out: BytesWriter, partition_index: i32, error_code: i16) -> None:
    write_i32_be(out, partition_index)
    write_i16_be(out, error_code)


def write_response_partition_v8(out: BytesWriter, partition_index: i32, error_code: i16) -> None:
    write_i32_be(out, partition_index)
    write_i16_be(out, error_code)
    out.append(0)


def write_response_partition(out: BytesWriter, version: i64, partition_index: i32, error_code: i16) -> None:
    """One item as this version has it; for `LaidOut`."""
    if version >= 8:
        write_response_partition_v8(out, partition_index, error_code)
        return
    write_response_partition_v2(out, partition_index, error_code)


# versions 2-4
def decode_request_v2(buf: bytes, pos: int) -> OffsetCommitRequest:
    at: i64 = pos
    try:
        group_id_0, at = read_str(buf, at, "OffsetCommit request v2-4", "GroupId")
        generation_id_or_member_epoch_0 = read_i32_be(buf, at)
        at += 4
        member_id_0, at = read_str(buf, at, "OffsetCommit request v2-4", "MemberId")
        retention_time_ms_0 = read_i64_be(buf, at)
        at += 8
        topics_0_count, at = read_count(buf, at, 6, "OffsetCommit request v2-4", "Topics")
        if topics_0_count > 50000:
            raise too_many("OffsetCommit request v2-4", topics_0_count)
        topics_0: list[OffsetCommitRequestTopic] = []
        for _ in range(topics_0_count):
            name_1, at = read_str(buf, at, "OffsetCommit request v2-4", "Name")
            partitions_1_count, at = read_count(buf, at, 14, "OffsetCommit request v2-4", "Partitions")
            if partitions_1_count > 50000:
                raise too_many("OffsetCommit request v2-4", partitions_1_count)
            partitions_1: list[OffsetCommitRequestPartition] = []
            for _ in range(partitions_1_count):
                partition_index_2 = read_i32_be(buf, at)
                at += 4
                committed_offset_2 = read_i64_be(buf, at)
                at += 8
                committed_metadata_2, at = read_nullable_str(buf, at)
                partitions_1.append(OffsetCommitRequestPartition(partition_index_2, committed_offset_2, -1, committed_metadata_2))
            topics_0.append(OffsetCommitRequestTopic(name_1, NO_UUID, partitions_1))
        return OffsetCommitRequest(group_id_0, generation_id_or_member_epoch_0, member_id_0, None, retention_time_ms_0, topics_0)
    except IndexError as error:
        raise overrun("OffsetCommit request v2-4", buf, at) from error


def decode_request_v5(buf: bytes, pos: int) -> OffsetCommitRequest:
    at: i64 = pos
    try:
        group_id_0, at = read_str(buf, at, "OffsetCommit request v5", "GroupId")
        generation_id_or_member_epoch_0 = read_i32_be(buf, at)
        at += 4
        member_id_0, at = read_str(buf, at, "OffsetCommit request v5", "MemberId")
        topics_0_count, at = read_count(buf, at, 6, "OffsetCommit request v5", "Topics")
        if topics_0_count > 50000:
            raise too_many("OffsetCommit request v5", topics_0_count)
        topics_0: list[OffsetCommitRequestTopic] = []
        for _ in range(topics_0_count):
            name_1, at = read_str(buf, at, "OffsetCommit request v5", "Name")
            partitions_1_count, at = read_count(buf, at, 14, "OffsetCommit request v5", "Partitions")
            if partitions_1_count > 50000:
                raise too_many("OffsetCommit request v5", partitions_1_count)
            partitions_1: list[OffsetCommitRequestPartition] = []
            for _ in range(partitions_1_count):
                partition_index_2 = read_i32_be(buf, at)
                at += 4
                committed_offset_2 = read_i64_be(buf, at)
                at += 8
                committed_metadata_2, at = read_nullable_str(buf, at)
                partitions_1.append(OffsetCommitRequestPartition(partition_index_2, committed_offset_2, -1, committed_metadata_2))
            topics_0.append(OffsetCommitRequestTopic(name_1, NO_UUID, partitions_1))
        return OffsetCommitRequest(group_id_0, generation_id_or_member_epoch_0, member_id_0, None, -1, topics_0)
    except IndexError as error:
        raise overrun("OffsetCommit request v5", buf, at) from error


def decode_request_v6(buf: bytes, pos: int) -> OffsetCommitRequest:
    at: i64 = pos
    try:
        group_id_0, at = read_str(buf, at, "OffsetCommit request v6", "GroupId")
        generation_id_or_member_epoch_0 = read_i32_be(buf, at)
        at += 4
        member_id_0, at = read_str(buf, at, "OffsetCommit request v6", "MemberId")
        topics_0_count, at = read_count(buf, at, 6, "OffsetCommit request v6", "Topics")
        if topics_0_count > 50000:
            raise too_many("OffsetCommit request v6", topics_0_count)
        topics_0: list[OffsetCommitRequestTopic] = []
        for _ in range(topics_0_count):
            name_1, at = read_str(buf, at, "OffsetCommit request v6", "Name")
            partitions_1_count, at = read_count(buf, at, 18, "OffsetCommit request v6", "Partitions")
            if partitions_1_count > 50000:
                raise too_many("OffsetCommit request v6", partitions_1_count)
            partitions_1: list[OffsetCommitRequestPartition] = []
            for _ in range(partitions_1_count):
                partition_index_2 = read_i32_be(buf, at)
                at += 4
                committed_offset_2 = read_i64_be(buf, at)
                at += 8
                committed_leader_epoch_2 = read_i32_be(buf, at)
                at += 4
                committed_metadata_2, at = read_nullable_str(buf, at)
                partitions_1.append(OffsetCommitRequestPartition(partition_index_2, committed_offset_2, committed_leader_epoch_2, committed_metadata_2))
            topics_0.append(OffsetCommitRequestTopic(name_1, NO_UUID, partitions_1))
        return OffsetCommitRequest(group_id_0, generation_id_or_member_epoch_0, member_id_0, None, -1, topics_0)
    except IndexError as error:
        raise overrun("OffsetCommit request v6", buf, at) from error


def decode_request_v7(buf: bytes, pos: int) -> OffsetCommitRequest:
    at: i64 = pos
    try:
        group_id_0, at = read_str(buf, at, "OffsetCommit request v7", "GroupId")
        generation_id_or_member_epoch_0 = read_i32_be(buf, at)
        at += 4
        member_id_0, at = read_str(buf, at, "OffsetCommit request v7", "MemberId")
        group_instance_id_0, at = read_nullable_str(buf, at)
        topics_0_count, at = read_count(buf, at, 6, "OffsetCommit request v7", "Topics")
        if topics_0_count > 50000:
            raise too_many("OffsetCommit request v7", topics_0_count)
        topics_0: list[OffsetCommitRequestTopic] = []
        for _ in range(topics_0_count):
            name_1, at = read_str(buf, at, "OffsetCommit request v7", "Name")
            partitions_1_count, at = read_count(buf, at, 18, "OffsetCommit request v7", "Partitions")
            if partitions_1_count > 50000:
                raise too_many("OffsetCommit request v7", partitions_1_count)
            partitions_1: list[OffsetCommitRequestPartition] = []
            for _ in range(partitions_1_count):
                partition_index_2 = read_i32_be(buf, at)
                at += 4
                committed_offset_2 = read_i64_be(buf, at)
                at += 8
                committed_leader_epoch_2 = read_i32_be(buf, at)
                at += 4
                committed_metadata_2, at = read_nullable_str(buf, at)
                partitions_1.append(OffsetCommitRequestPartition(partition_index_2, committed_offset_2, committed_leader_epoch_2, committed_metadata_2))
            topics_0.append(OffsetCommitRequestTopic(name_1, NO_UUID, partitions_1))
        return OffsetCommitRequest(group_id_0, generation_id_or_member_epoch_0, member_id_0, group_instance_id_0, -1, topics_0)
    except IndexError as error:
        raise overrun("OffsetCommit request v7", buf, at) from error


# versions 8-9
def decode_request_v8(buf: bytes, pos: int) -> OffsetCommitRequest:
    at: i64 = pos
    try:
        group_id_0, at = read_compact_str(buf, at, "OffsetCommit request v8-9", "GroupId")
        generation_id_or_member_epoch_0 = read_i32_be(buf, at)
        at += 4
        member_id_0, at = read_compact_str(buf, at, "OffsetCommit request v8-9", "MemberId")
        group_instance_id_0, at = read_nullable_compact_str(buf, at)
        topics_0_count, at = read_compact_count(buf, at, 3, "OffsetCommit request v8-9", "Topics")
        if topics_0_count > 50000:
            raise too_many("OffsetCommit request v8-9", topics_0_count)
        topics_0: list[OffsetCommitRequestTopic] = []
        for _ in range(topics_0_count):
            name_1, at = read_compact_str(buf, at, "OffsetCommit request v8-9", "Name")
            partitions_1_count, at = read_compact_count(buf, at, 18, "OffsetCommit request v8-9", "Partitions")
            if partitions_1_count > 50000:
                raise too_many("OffsetCommit request v8-9", partitions_1_count)
            partitions_1: list[OffsetCommitRequestPartition] = []
            for _ in range(partitions_1_count):
                partition_index_2 = read_i32_be(buf, at)
                at += 4
                committed_offset_2 = read_i64_be(buf, at)
                at += 8
                committed_leader_epoch_2 = read_i32_be(buf, at)
                at += 4
                committed_metadata_2, at = read_nullable_compact_str(buf, at)
                if buf[at] == 0:
                    at += 1
                else:
                    at = skip_tags(buf, at)
                partitions_1.append(OffsetCommitRequestPartition(partition_index_2, committed_offset_2, committed_leader_epoch_2, committed_metadata_2))
            if buf[at] == 0:
                at += 1
            else:
                at = skip_tags(buf, at)
            topics_0.append(OffsetCommitRequestTopic(name_1, NO_UUID, partitions_1))
        if buf[at] == 0:
            at += 1
        else:
            at = skip_tags(buf, at)
        return OffsetCommitRequest(group_id_0, generation_id_or_member_epoch_0, member_id_0, group_instance_id_0, -1, topics_0)
    except IndexError as error:
        raise overrun("OffsetCommit request v8-9", buf, at) from error


def decode_request_v10(buf: bytes, pos: int) -> OffsetCommitRequest:
    at: i64 = pos
    try:
        group_id_0, at = read_compact_str(buf, at, "OffsetCommit request v10", "GroupId")
        generation_id_or_member_epoch_0 = read_i32_be(buf, at)
        at += 4
        member_id_0, at = read_compact_str(buf, at, "OffsetCommit request v10", "MemberId")
        group_instance_id_0, at = read_nullable_compact_str(buf, at)
        topics_0_count, at = read_compact_count(buf, at, 18, "OffsetCommit request v10", "Topics")
        if topics_0_count > 50000:
            raise too_many("OffsetCommit request v10", topics_0_count)
        topics_0: list[OffsetCommitRequestTopic] = []
        for _ in range(topics_0_count):
            topic_id_1 = read_uuid(buf, at)
            at += 16
            partitions_1_count, at = read_compact_count(buf, at, 18, "OffsetCommit request v10", "Partitions")
            if partitions_1_count > 50000:
                raise too_many("OffsetCommit request v10", partitions_1_count)
            partitions_1: list[OffsetCommitRequestPartition] = []
            for _ in range(partitions_1_count):
                partition_index_2 = read_i32_be(buf, at)
                at += 4
                committed_offset_2 = read_i64_be(buf, at)
                at += 8
                committed_leader_epoch_2 = read_i32_be(buf, at)
                at += 4
                committed_metadata_2, at = read_nullable_compact_str(buf, at)
                if buf[at] == 0:
                    at += 1
                else:
                    at = skip_tags(buf, at)
                partitions_1.append(OffsetCommitRequestPartition(partition_index_2, committed_offset_2, committed_leader_epoch_2, committed_metadata_2))
            if buf[at] == 0:
                at += 1
            else:
                at = skip_tags(buf, at)
            topics_0.append(OffsetCommitRequestTopic("", topic_id_1, partitions_1))
        if buf[at] == 0:
            at += 1
        else:
            at = skip_tags(buf, at)
        return OffsetCommitRequest(group_id_0, generation_id_or_member_epoch_0, member_id_0, group_instance_id_0, -1, topics_0)
    except IndexError as error:
        raise overrun("OffsetCommit request v10", buf, at) from error


def encode_response_v2(message: OffsetCommitResponse) -> bytes:
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
                    write_response_partition_v2(out, item_2.partition_index, item_2.error_code)
        return finished(out)
    except (AttributeError, TypeError, ValueError, OverflowError) as error:
        raise encode_failure("OffsetCommit response v2", message, error) from error


# versions 3-7
def encode_response_v3(message: OffsetCommitResponse) -> bytes:
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
                    write_response_partition_v2(out, item_2.partition_index, item_2.error_code)
        return finished(out)
    except (AttributeError, TypeError, ValueError, OverflowError) as error:
        raise encode_failure("OffsetCommit response v3-7", message, error) from error


# versions 8-9
def encode_response_v8(message: OffsetCommitResponse) -> bytes:
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
                    write_response_partition_v8(out, item_2.partition_index, item_2.error_code)
            out.append(0)
        out.append(0)
        return finished(out)
    except (AttributeError, TypeError, ValueError, OverflowError) as error:
        raise encode_failure("OffsetCommit response v8-9", message, error) from error


def encode_response_v10(message: OffsetCommitResponse) -> bytes:
    try:
        out = begun()
        write_i32_be(out, message.throttle_time_ms)
        items_1 = as_list(message.topics)
        write_uvarint(out, len(items_1) + 1)
        for item_1 in items_1:
            write_uuid(out, item_1.topic_id)
            items_2 = item_1.partitions
            write_uvarint(out, len(items_2) + 1)
            if not wrote_itself(items_2, out):
                for item_2 in items_2:
                    write_response_partition_v8(out, item_2.partition_index, item_2.error_code)
            out.append(0)
        out.append(0)
        return finished(out)
    except (AttributeError, TypeError, ValueError, OverflowError) as error:
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
