"""Generated from tools/codecs/schemas/produce.api by `make generate`; changes belong there."""

from __future__ import annotations

from typing import Final

from muster.wire.generated.produce import (
    ProduceRequest,
    ProduceRequestPartition,
    ProduceRequestTopic,
    ProduceResponse,
)
from librt.strings import BytesWriter, read_i16_be, read_i32_be, write_i16_be, write_i32_be, write_i64_be
from mypy_extensions import i64

from muster.wire.message import Message, encode_failure
from muster.wire.native import as_list, begun, finished, read_compact_count, read_compact_str, read_count, read_nullable_bytes, read_nullable_compact_bytes, read_nullable_compact_str, read_nullable_str, read_str, read_uuid, skip_tags, write_compact_str, write_nullable_compact_str, write_nullable_str, write_str, write_tag, write_uuid, write_uvarint
from muster.wire.primitives import overrun, too_many

NO_UUID: Final = bytes(16)


# versions 3-8
def decode_request_v3(buf: bytes, pos: int) -> ProduceRequest:
    at: i64 = pos
    try:
        transactional_id_0, at = read_nullable_str(buf, at)
        acks_0 = read_i16_be(buf, at)
        at += 2
        timeout_ms_0 = read_i32_be(buf, at)
        at += 4
        topic_data_0_count, at = read_count(buf, at, 6, "Produce request v3-8", "TopicData")
        if topic_data_0_count > 50000:
            raise too_many("Produce request v3-8", topic_data_0_count)
        topic_data_0: list[ProduceRequestTopic] = []
        for _ in range(topic_data_0_count):
            name_1, at = read_str(buf, at, "Produce request v3-8", "Name")
            partition_data_1_count, at = read_count(buf, at, 8, "Produce request v3-8", "PartitionData")
            if partition_data_1_count > 50000:
                raise too_many("Produce request v3-8", partition_data_1_count)
            partition_data_1: list[ProduceRequestPartition] = []
            for _ in range(partition_data_1_count):
                index_2 = read_i32_be(buf, at)
                at += 4
                records_2, at = read_nullable_bytes(buf, at)
                partition_data_1.append(ProduceRequestPartition(index_2, records_2))
            topic_data_0.append(ProduceRequestTopic(name_1, NO_UUID, partition_data_1))
        return ProduceRequest(transactional_id_0, acks_0, timeout_ms_0, topic_data_0)
    except IndexError as error:
        raise overrun("Produce request v3-8", buf, at) from error


# versions 9-12
def decode_request_v9(buf: bytes, pos: int) -> ProduceRequest:
    at: i64 = pos
    try:
        transactional_id_0, at = read_nullable_compact_str(buf, at)
        acks_0 = read_i16_be(buf, at)
        at += 2
        timeout_ms_0 = read_i32_be(buf, at)
        at += 4
        topic_data_0_count, at = read_compact_count(buf, at, 3, "Produce request v9-12", "TopicData")
        if topic_data_0_count > 50000:
            raise too_many("Produce request v9-12", topic_data_0_count)
        topic_data_0: list[ProduceRequestTopic] = []
        for _ in range(topic_data_0_count):
            name_1, at = read_compact_str(buf, at, "Produce request v9-12", "Name")
            partition_data_1_count, at = read_compact_count(buf, at, 6, "Produce request v9-12", "PartitionData")
            if partition_data_1_count > 50000:
                raise too_many("Produce request v9-12", partition_data_1_count)
            partition_data_1: list[ProduceRequestPartition] = []
            for _ in range(partition_data_1_count):
                index_2 = read_i32_be(buf, at)
                at += 4
                records_2, at = read_nullable_compact_bytes(buf, at)
                if buf[at] == 0:
                    at += 1
                else:
                    at = skip_tags(buf, at)
                partition_data_1.append(ProduceRequestPartition(index_2, records_2))
            if buf[at] == 0:
                at += 1
            else:
                at = skip_tags(buf, at)
            topic_data_0.append(ProduceRequestTopic(name_1, NO_UUID, partition_data_1))
        if buf[at] == 0:
            at += 1
        else:
            at = skip_tags(buf, at)
        return ProduceRequest(transactional_id_0, acks_0, timeout_ms_0, topic_data_0)
    except IndexError as error:
        raise overrun("Produce request v9-12", buf, at) from error


def decode_request_v13(buf: bytes, pos: int) -> ProduceRequest:
    at: i64 = pos
    try:
        transactional_id_0, at = read_nullable_compact_str(buf, at)
        acks_0 = read_i16_be(buf, at)
        at += 2
        timeout_ms_0 = read_i32_be(buf, at)
        at += 4
        topic_data_0_count, at = read_compact_count(buf, at, 18, "Produce request v13", "TopicData")
        if topic_data_0_count > 50000:
            raise too_many("Produce request v13", topic_data_0_count)
        topic_data_0: list[ProduceRequestTopic] = []
        for _ in range(topic_data_0_count):
            topic_id_1 = read_uuid(buf, at)
            at += 16
            partition_data_1_count, at = read_compact_count(buf, at, 6, "Produce request v13", "PartitionData")
            if partition_data_1_count > 50000:
                raise too_many("Produce request v13", partition_data_1_count)
            partition_data_1: list[ProduceRequestPartition] = []
            for _ in range(partition_data_1_count):
                index_2 = read_i32_be(buf, at)
                at += 4
                records_2, at = read_nullable_compact_bytes(buf, at)
                if buf[at] == 0:
                    at += 1
                else:
                    at = skip_tags(buf, at)
                partition_data_1.append(ProduceRequestPartition(index_2, records_2))
            if buf[at] == 0:
                at += 1
            else:
                at = skip_tags(buf, at)
            topic_data_0.append(ProduceRequestTopic("", topic_id_1, partition_data_1))
        if buf[at] == 0:
            at += 1
        else:
            at = skip_tags(buf, at)
        return ProduceRequest(transactional_id_0, acks_0, timeout_ms_0, topic_data_0)
    except IndexError as error:
        raise overrun("Produce request v13", buf, at) from error


# versions 3-4
def encode_response_v3(message: ProduceResponse) -> bytes:
    try:
        out = begun()
        items_1 = as_list(message.responses)
        write_i32_be(out, len(items_1))
        for item_1 in items_1:
            write_str(out, item_1.name)
            items_2 = as_list(item_1.partition_responses)
            write_i32_be(out, len(items_2))
            for item_2 in items_2:
                write_i32_be(out, item_2.index)
                write_i16_be(out, item_2.error_code)
                write_i64_be(out, item_2.base_offset)
                write_i64_be(out, item_2.log_append_time_ms)
        write_i32_be(out, message.throttle_time_ms)
        return finished(out)
    except (AttributeError, TypeError, ValueError, OverflowError) as error:
        raise encode_failure("Produce response v3-4", message, error) from error


# versions 5-7
def encode_response_v5(message: ProduceResponse) -> bytes:
    try:
        out = begun()
        items_1 = as_list(message.responses)
        write_i32_be(out, len(items_1))
        for item_1 in items_1:
            write_str(out, item_1.name)
            items_2 = as_list(item_1.partition_responses)
            write_i32_be(out, len(items_2))
            for item_2 in items_2:
                write_i32_be(out, item_2.index)
                write_i16_be(out, item_2.error_code)
                write_i64_be(out, item_2.base_offset)
                write_i64_be(out, item_2.log_append_time_ms)
                write_i64_be(out, item_2.log_start_offset)
        write_i32_be(out, message.throttle_time_ms)
        return finished(out)
    except (AttributeError, TypeError, ValueError, OverflowError) as error:
        raise encode_failure("Produce response v5-7", message, error) from error


def encode_response_v8(message: ProduceResponse) -> bytes:
    try:
        out = begun()
        items_1 = as_list(message.responses)
        write_i32_be(out, len(items_1))
        for item_1 in items_1:
            write_str(out, item_1.name)
            items_2 = as_list(item_1.partition_responses)
            write_i32_be(out, len(items_2))
            for item_2 in items_2:
                write_i32_be(out, item_2.index)
                write_i16_be(out, item_2.error_code)
                write_i64_be(out, item_2.base_offset)
                write_i64_be(out, item_2.log_append_time_ms)
                write_i64_be(out, item_2.log_start_offset)
                items_3 = as_list(item_2.record_errors)
                write_i32_be(out, len(items_3))
                for item_3 in items_3:
                    write_i32_be(out, item_3.batch_index)
                    write_nullable_str(out, item_3.batch_index_error_message)
                write_nullable_str(out, item_2.error_message)
        write_i32_be(out, message.throttle_time_ms)
        return finished(out)
    except (AttributeError, TypeError, ValueError, OverflowError) as error:
        raise encode_failure("Produce response v8", message, error) from error


def encode_response_v9(message: ProduceResponse) -> bytes:
    try:
        out = begun()
        items_1 = as_list(message.responses)
        write_uvarint(out, len(items_1) + 1)
        for item_1 in items_1:
            write_compact_str(out, item_1.name)
            items_2 = as_list(item_1.partition_responses)
            write_uvarint(out, len(items_2) + 1)
            for item_2 in items_2:
                write_i32_be(out, item_2.index)
                write_i16_be(out, item_2.error_code)
                write_i64_be(out, item_2.base_offset)
                write_i64_be(out, item_2.log_append_time_ms)
                write_i64_be(out, item_2.log_start_offset)
                items_3 = as_list(item_2.record_errors)
                write_uvarint(out, len(items_3) + 1)
                for item_3 in items_3:
                    write_i32_be(out, item_3.batch_index)
                    write_nullable_compact_str(out, item_3.batch_index_error_message)
                    out.append(0)
                write_nullable_compact_str(out, item_2.error_message)
                out.append(0)
            out.append(0)
        write_i32_be(out, message.throttle_time_ms)
        out.append(0)
        return finished(out)
    except (AttributeError, TypeError, ValueError, OverflowError) as error:
        raise encode_failure("Produce response v9", message, error) from error


# versions 10-12
def encode_response_v10(message: ProduceResponse) -> bytes:
    try:
        out = begun()
        items_1 = as_list(message.responses)
        write_uvarint(out, len(items_1) + 1)
        for item_1 in items_1:
            write_compact_str(out, item_1.name)
            items_2 = as_list(item_1.partition_responses)
            write_uvarint(out, len(items_2) + 1)
            for item_2 in items_2:
                write_i32_be(out, item_2.index)
                write_i16_be(out, item_2.error_code)
                write_i64_be(out, item_2.base_offset)
                write_i64_be(out, item_2.log_append_time_ms)
                write_i64_be(out, item_2.log_start_offset)
                items_3 = as_list(item_2.record_errors)
                write_uvarint(out, len(items_3) + 1)
                for item_3 in items_3:
                    write_i32_be(out, item_3.batch_index)
                    write_nullable_compact_str(out, item_3.batch_index_error_message)
                    out.append(0)
                write_nullable_compact_str(out, item_2.error_message)
                count_4 = 0
                section_4 = BytesWriter()
                if item_2.current_leader is not None and (item_2.current_leader.leader_id != -1 or item_2.current_leader.leader_epoch != -1):
                    payload_4 = BytesWriter()
                    value_5 = item_2.current_leader
                    if value_5 is None:
                        raise TypeError("CurrentLeader may not be null")
                    inner_6 = value_5
                    write_i32_be(payload_4, inner_6.leader_id)
                    write_i32_be(payload_4, inner_6.leader_epoch)
                    payload_4.append(0)
                    count_4 += 1
                    write_tag(section_4, 0, payload_4)
                write_uvarint(out, count_4)
                out.write(section_4.getvalue())
            out.append(0)
        write_i32_be(out, message.throttle_time_ms)
        count_7 = 0
        section_7 = BytesWriter()
        if message.node_endpoints:
            payload_7 = BytesWriter()
            items_8 = as_list(message.node_endpoints)
            write_uvarint(payload_7, len(items_8) + 1)
            for item_8 in items_8:
                write_i32_be(payload_7, item_8.node_id)
                write_compact_str(payload_7, item_8.host)
                write_i32_be(payload_7, item_8.port)
                write_nullable_compact_str(payload_7, item_8.rack)
                payload_7.append(0)
            count_7 += 1
            write_tag(section_7, 0, payload_7)
        write_uvarint(out, count_7)
        out.write(section_7.getvalue())
        return finished(out)
    except (AttributeError, TypeError, ValueError, OverflowError) as error:
        raise encode_failure("Produce response v10-12", message, error) from error


def encode_response_v13(message: ProduceResponse) -> bytes:
    try:
        out = begun()
        items_1 = as_list(message.responses)
        write_uvarint(out, len(items_1) + 1)
        for item_1 in items_1:
            write_uuid(out, item_1.topic_id)
            items_2 = as_list(item_1.partition_responses)
            write_uvarint(out, len(items_2) + 1)
            for item_2 in items_2:
                write_i32_be(out, item_2.index)
                write_i16_be(out, item_2.error_code)
                write_i64_be(out, item_2.base_offset)
                write_i64_be(out, item_2.log_append_time_ms)
                write_i64_be(out, item_2.log_start_offset)
                items_3 = as_list(item_2.record_errors)
                write_uvarint(out, len(items_3) + 1)
                for item_3 in items_3:
                    write_i32_be(out, item_3.batch_index)
                    write_nullable_compact_str(out, item_3.batch_index_error_message)
                    out.append(0)
                write_nullable_compact_str(out, item_2.error_message)
                count_4 = 0
                section_4 = BytesWriter()
                if item_2.current_leader is not None and (item_2.current_leader.leader_id != -1 or item_2.current_leader.leader_epoch != -1):
                    payload_4 = BytesWriter()
                    value_5 = item_2.current_leader
                    if value_5 is None:
                        raise TypeError("CurrentLeader may not be null")
                    inner_6 = value_5
                    write_i32_be(payload_4, inner_6.leader_id)
                    write_i32_be(payload_4, inner_6.leader_epoch)
                    payload_4.append(0)
                    count_4 += 1
                    write_tag(section_4, 0, payload_4)
                write_uvarint(out, count_4)
                out.write(section_4.getvalue())
            out.append(0)
        write_i32_be(out, message.throttle_time_ms)
        count_7 = 0
        section_7 = BytesWriter()
        if message.node_endpoints:
            payload_7 = BytesWriter()
            items_8 = as_list(message.node_endpoints)
            write_uvarint(payload_7, len(items_8) + 1)
            for item_8 in items_8:
                write_i32_be(payload_7, item_8.node_id)
                write_compact_str(payload_7, item_8.host)
                write_i32_be(payload_7, item_8.port)
                write_nullable_compact_str(payload_7, item_8.rack)
                payload_7.append(0)
            count_7 += 1
            write_tag(section_7, 0, payload_7)
        write_uvarint(out, count_7)
        out.write(section_7.getvalue())
        return finished(out)
    except (AttributeError, TypeError, ValueError, OverflowError) as error:
        raise encode_failure("Produce response v13", message, error) from error


REQUEST_DECODERS = {
    3: decode_request_v3,
    4: decode_request_v3,
    5: decode_request_v3,
    6: decode_request_v3,
    7: decode_request_v3,
    8: decode_request_v3,
    9: decode_request_v9,
    10: decode_request_v9,
    11: decode_request_v9,
    12: decode_request_v9,
    13: decode_request_v13,
}
RESPONSE_ENCODERS = {
    3: encode_response_v3,
    4: encode_response_v3,
    5: encode_response_v5,
    6: encode_response_v5,
    7: encode_response_v5,
    8: encode_response_v8,
    9: encode_response_v9,
    10: encode_response_v10,
    11: encode_response_v10,
    12: encode_response_v10,
    13: encode_response_v13,
}
