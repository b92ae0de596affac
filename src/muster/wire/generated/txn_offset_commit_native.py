"""Generated from tools/codecs/schemas/txn_offset_commit.api by `make generate`; changes belong there."""

from __future__ import annotations

from muster.wire.generated.txn_offset_commit import (
    TxnOffsetCommitRequest,
    TxnOffsetCommitRequestPartition,
    TxnOffsetCommitRequestTopic,
    TxnOffsetCommitResponse,
)
from librt.strings import BytesWriter, read_i16_be, read_i32_be, read_i64_be, write_i16_be, write_i32_be
from mypy_extensions import i64

from muster.wire.message import Message, encode_failure
from muster.wire.native import as_list, begun, finished, read_compact_count, read_compact_str, read_count, read_nullable_compact_str, read_nullable_str, read_str, skip_tags, write_compact_str, write_str, write_uvarint
from muster.wire.primitives import overrun, too_many


# versions 0-1
def decode_request_v0(buf: bytes, pos: int) -> TxnOffsetCommitRequest:
    at: i64 = pos
    try:
        transactional_id_0, at = read_str(buf, at, "TxnOffsetCommit request v0-1", "TransactionalId")
        group_id_0, at = read_str(buf, at, "TxnOffsetCommit request v0-1", "GroupId")
        producer_id_0 = read_i64_be(buf, at)
        at += 8
        producer_epoch_0 = read_i16_be(buf, at)
        at += 2
        topics_0_count, at = read_count(buf, at, 6, "TxnOffsetCommit request v0-1", "Topics")
        if topics_0_count > 50000:
            raise too_many("TxnOffsetCommit request v0-1", topics_0_count)
        topics_0: list[TxnOffsetCommitRequestTopic] = []
        for _ in range(topics_0_count):
            name_1, at = read_str(buf, at, "TxnOffsetCommit request v0-1", "Name")
            partitions_1_count, at = read_count(buf, at, 14, "TxnOffsetCommit request v0-1", "Partitions")
            if partitions_1_count > 50000:
                raise too_many("TxnOffsetCommit request v0-1", partitions_1_count)
            partitions_1: list[TxnOffsetCommitRequestPartition] = []
            for _ in range(partitions_1_count):
                partition_index_2 = read_i32_be(buf, at)
                at += 4
                committed_offset_2 = read_i64_be(buf, at)
                at += 8
                committed_metadata_2, at = read_nullable_str(buf, at)
                partitions_1.append(TxnOffsetCommitRequestPartition(partition_index_2, committed_offset_2, -1, committed_metadata_2))
            topics_0.append(TxnOffsetCommitRequestTopic(name_1, partitions_1))
        return TxnOffsetCommitRequest(transactional_id_0, group_id_0, producer_id_0, producer_epoch_0, -1, "", None, topics_0)
    except IndexError as error:
        raise overrun("TxnOffsetCommit request v0-1", buf, at) from error


def decode_request_v2(buf: bytes, pos: int) -> TxnOffsetCommitRequest:
    at: i64 = pos
    try:
        transactional_id_0, at = read_str(buf, at, "TxnOffsetCommit request v2", "TransactionalId")
        group_id_0, at = read_str(buf, at, "TxnOffsetCommit request v2", "GroupId")
        producer_id_0 = read_i64_be(buf, at)
        at += 8
        producer_epoch_0 = read_i16_be(buf, at)
        at += 2
        topics_0_count, at = read_count(buf, at, 6, "TxnOffsetCommit request v2", "Topics")
        if topics_0_count > 50000:
            raise too_many("TxnOffsetCommit request v2", topics_0_count)
        topics_0: list[TxnOffsetCommitRequestTopic] = []
        for _ in range(topics_0_count):
            name_1, at = read_str(buf, at, "TxnOffsetCommit request v2", "Name")
            partitions_1_count, at = read_count(buf, at, 18, "TxnOffsetCommit request v2", "Partitions")
            if partitions_1_count > 50000:
                raise too_many("TxnOffsetCommit request v2", partitions_1_count)
            partitions_1: list[TxnOffsetCommitRequestPartition] = []
            for _ in range(partitions_1_count):
                partition_index_2 = read_i32_be(buf, at)
                at += 4
                committed_offset_2 = read_i64_be(buf, at)
                at += 8
                committed_leader_epoch_2 = read_i32_be(buf, at)
                at += 4
                committed_metadata_2, at = read_nullable_str(buf, at)
                partitions_1.append(TxnOffsetCommitRequestPartition(partition_index_2, committed_offset_2, committed_leader_epoch_2, committed_metadata_2))
            topics_0.append(TxnOffsetCommitRequestTopic(name_1, partitions_1))
        return TxnOffsetCommitRequest(transactional_id_0, group_id_0, producer_id_0, producer_epoch_0, -1, "", None, topics_0)
    except IndexError as error:
        raise overrun("TxnOffsetCommit request v2", buf, at) from error


# versions 3-5
def decode_request_v3(buf: bytes, pos: int) -> TxnOffsetCommitRequest:
    at: i64 = pos
    try:
        transactional_id_0, at = read_compact_str(buf, at, "TxnOffsetCommit request v3-5", "TransactionalId")
        group_id_0, at = read_compact_str(buf, at, "TxnOffsetCommit request v3-5", "GroupId")
        producer_id_0 = read_i64_be(buf, at)
        at += 8
        producer_epoch_0 = read_i16_be(buf, at)
        at += 2
        generation_id_0 = read_i32_be(buf, at)
        at += 4
        member_id_0, at = read_compact_str(buf, at, "TxnOffsetCommit request v3-5", "MemberId")
        group_instance_id_0, at = read_nullable_compact_str(buf, at)
        topics_0_count, at = read_compact_count(buf, at, 3, "TxnOffsetCommit request v3-5", "Topics")
        if topics_0_count > 50000:
            raise too_many("TxnOffsetCommit request v3-5", topics_0_count)
        topics_0: list[TxnOffsetCommitRequestTopic] = []
        for _ in range(topics_0_count):
            name_1, at = read_compact_str(buf, at, "TxnOffsetCommit request v3-5", "Name")
            partitions_1_count, at = read_compact_count(buf, at, 18, "TxnOffsetCommit request v3-5", "Partitions")
            if partitions_1_count > 50000:
                raise too_many("TxnOffsetCommit request v3-5", partitions_1_count)
            partitions_1: list[TxnOffsetCommitRequestPartition] = []
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
                partitions_1.append(TxnOffsetCommitRequestPartition(partition_index_2, committed_offset_2, committed_leader_epoch_2, committed_metadata_2))
            if buf[at] == 0:
                at += 1
            else:
                at = skip_tags(buf, at)
            topics_0.append(TxnOffsetCommitRequestTopic(name_1, partitions_1))
        if buf[at] == 0:
            at += 1
        else:
            at = skip_tags(buf, at)
        return TxnOffsetCommitRequest(transactional_id_0, group_id_0, producer_id_0, producer_epoch_0, generation_id_0, member_id_0, group_instance_id_0, topics_0)
    except IndexError as error:
        raise overrun("TxnOffsetCommit request v3-5", buf, at) from error


# versions 0-2
def encode_response_v0(message: TxnOffsetCommitResponse) -> bytes:
    try:
        out = begun()
        write_i32_be(out, message.throttle_time_ms)
        items_1 = as_list(message.topics)
        write_i32_be(out, len(items_1))
        for item_1 in items_1:
            write_str(out, item_1.name)
            items_2 = as_list(item_1.partitions)
            write_i32_be(out, len(items_2))
            for item_2 in items_2:
                write_i32_be(out, item_2.partition_index)
                write_i16_be(out, item_2.error_code)
        return finished(out)
    except (AttributeError, TypeError, ValueError, OverflowError) as error:
        raise encode_failure("TxnOffsetCommit response v0-2", message, error) from error


# versions 3-5
def encode_response_v3(message: TxnOffsetCommitResponse) -> bytes:
    try:
        out = begun()
        write_i32_be(out, message.throttle_time_ms)
        items_1 = as_list(message.topics)
        write_uvarint(out, len(items_1) + 1)
        for item_1 in items_1:
            write_compact_str(out, item_1.name)
            items_2 = as_list(item_1.partitions)
            write_uvarint(out, len(items_2) + 1)
            for item_2 in items_2:
                write_i32_be(out, item_2.partition_index)
                write_i16_be(out, item_2.error_code)
                out.append(0)
            out.append(0)
        out.append(0)
        return finished(out)
    except (AttributeError, TypeError, ValueError, OverflowError) as error:
        raise encode_failure("TxnOffsetCommit response v3-5", message, error) from error


REQUEST_DECODERS = {
    0: decode_request_v0,
    1: decode_request_v0,
    2: decode_request_v2,
    3: decode_request_v3,
    4: decode_request_v3,
    5: decode_request_v3,
}
RESPONSE_ENCODERS = {
    0: encode_response_v0,
    1: encode_response_v0,
    2: encode_response_v0,
    3: encode_response_v3,
    4: encode_response_v3,
    5: encode_response_v3,
}
