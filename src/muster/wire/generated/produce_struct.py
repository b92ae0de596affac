"""Generated from tools/codecs/schemas/produce.api by `make generate`; changes belong there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from muster.wire.generated.produce import (
    ProduceRequest,
    ProduceRequestPartition,
    ProduceRequestTopic,
    ProduceResponse,
    ProduceResponseCurrentLeader,
    ProduceResponseNodeEndpoint,
    ProduceResponsePartition,
    ProduceResponseRecordError,
    ProduceResponseTopic,
)
from struct import Struct, error as StructError

from muster.wire.message import Message, encode_failure
from muster.wire.primitives import misfit, null_field, overrun, read_length, read_tag, skip_tagged, too_many
from muster.wire.varint import read_uvarint, uvarint

pack_u = Struct(">16s").pack
pack_uB = Struct(">16sB").pack
pack_h = Struct(">h").pack
pack_hi = Struct(">hi").pack
pack_hiB = Struct(">hiB").pack
pack_hii = Struct(">hii").pack
pack_i = Struct(">i").pack
pack_iB = Struct(">iB").pack
pack_ih = Struct(">ih").pack
pack_ihqq = Struct(">ihqq").pack
pack_ihqqq = Struct(">ihqqq").pack
pack_ihqqqB = Struct(">ihqqqB").pack
pack_ihqqqi = Struct(">ihqqqi").pack
pack_ii = Struct(">ii").pack
pack_iix = Struct(">iix").pack
pack_ix = Struct(">ix").pack
unpack_uB = Struct(">16sB").unpack_from
unpack_h = Struct(">h").unpack_from
unpack_hiB = Struct(">hiB").unpack_from
unpack_hii = Struct(">hii").unpack_from
unpack_i = Struct(">i").unpack_from
unpack_iB = Struct(">iB").unpack_from
unpack_ih = Struct(">ih").unpack_from
unpack_ihqq = Struct(">ihqq").unpack_from
unpack_ihqqq = Struct(">ihqqq").unpack_from
unpack_ihqqqB = Struct(">ihqqqB").unpack_from
unpack_ihqqqi = Struct(">ihqqqi").unpack_from
unpack_ii = Struct(">ii").unpack_from
unpack_iiB = Struct(">iiB").unpack_from
NO_UUID: Final = bytes(16)


# versions 3-8
def decode_request_v3(buf: bytes, pos: int) -> ProduceRequest:
    try:
        (n,) = unpack_h(buf, pos)
        pos += 2
        transactional_id_0: str | None = None
        if n >= 0:
            end = pos + n
            transactional_id_0 = buf[pos:end].decode("utf-8", "replace")
            pos = end
        acks_0, timeout_ms_0, n = unpack_hii(buf, pos)
        pos += 10
        if n < 0:
            raise null_field("Produce request v3-8", "TopicData")
        if n * 6 > len(buf) - pos:
            raise overrun("Produce request v3-8", buf, pos)
        if n > 50000:
            raise too_many("Produce request v3-8", n)
        topic_data_0_items: list[ProduceRequestTopic] = []
        for _ in range(n):
            (n,) = unpack_h(buf, pos)
            pos += 2
            if n < 0:
                raise null_field("Produce request v3-8", "Name")
            end = pos + n
            name_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            (n,) = unpack_i(buf, pos)
            pos += 4
            if n < 0:
                raise null_field("Produce request v3-8", "PartitionData")
            if n * 8 > len(buf) - pos:
                raise overrun("Produce request v3-8", buf, pos)
            if n > 50000:
                raise too_many("Produce request v3-8", n)
            partition_data_1_items: list[ProduceRequestPartition] = []
            for _ in range(n):
                index_2, n = unpack_ii(buf, pos)
                pos += 8
                records_2: bytes | None = None
                if n >= 0:
                    end = pos + n
                    records_2 = buf[pos:end]
                    pos = end
                made_2 = ProduceRequestPartition(index_2, records_2)
                partition_data_1_items.append(made_2)
            partition_data_1 = partition_data_1_items
            made_1 = ProduceRequestTopic(name_1, NO_UUID, partition_data_1)
            topic_data_0_items.append(made_1)
        topic_data_0 = topic_data_0_items
        made_0 = ProduceRequest(transactional_id_0, acks_0, timeout_ms_0, topic_data_0)
    except (IndexError, StructError) as error:
        raise overrun("Produce request v3-8", buf, pos) from error
    if pos > len(buf):
        raise overrun("Produce request v3-8", buf, pos)
    return made_0


# versions 9-12
def decode_request_v9(buf: bytes, pos: int) -> ProduceRequest:
    try:
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        transactional_id_0: str | None = None
        if n > 0:
            end = pos + n - 1
            transactional_id_0 = buf[pos:end].decode("utf-8", "replace")
            pos = end
        acks_0, timeout_ms_0, n = unpack_hiB(buf, pos)
        pos += 7
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "Produce request v9-12", "TopicData")
        n -= 1
        if n * 3 > len(buf) - pos:
            raise overrun("Produce request v9-12", buf, pos)
        if n > 50000:
            raise too_many("Produce request v9-12", n)
        topic_data_0_items: list[ProduceRequestTopic] = []
        for _ in range(n):
            n = buf[pos]
            pos += 1
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "Produce request v9-12", "Name")
            end = pos + n - 1
            name_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            n = buf[pos]
            pos += 1
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "Produce request v9-12", "PartitionData")
            n -= 1
            if n * 6 > len(buf) - pos:
                raise overrun("Produce request v9-12", buf, pos)
            if n > 50000:
                raise too_many("Produce request v9-12", n)
            partition_data_1_items: list[ProduceRequestPartition] = []
            for _ in range(n):
                index_2, n = unpack_iB(buf, pos)
                pos += 5
                if n > 127:
                    n, pos = read_uvarint(buf, pos - 1)
                records_2: bytes | None = None
                if n > 0:
                    end = pos + n - 1
                    records_2 = buf[pos:end]
                    pos = end
                tags = buf[pos]
                pos += 1
                if tags:
                    pos = skip_tagged(buf, pos - 1)
                made_2 = ProduceRequestPartition(index_2, records_2)
                partition_data_1_items.append(made_2)
            partition_data_1 = partition_data_1_items
            tags = buf[pos]
            pos += 1
            if tags:
                pos = skip_tagged(buf, pos - 1)
            made_1 = ProduceRequestTopic(name_1, NO_UUID, partition_data_1)
            topic_data_0_items.append(made_1)
        topic_data_0 = topic_data_0_items
        tags = buf[pos]
        pos += 1
        if tags:
            pos = skip_tagged(buf, pos - 1)
        made_0 = ProduceRequest(transactional_id_0, acks_0, timeout_ms_0, topic_data_0)
    except (IndexError, StructError) as error:
        raise overrun("Produce request v9-12", buf, pos) from error
    if pos > len(buf):
        raise overrun("Produce request v9-12", buf, pos)
    return made_0


def decode_request_v13(buf: bytes, pos: int) -> ProduceRequest:
    try:
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        transactional_id_0: str | None = None
        if n > 0:
            end = pos + n - 1
            transactional_id_0 = buf[pos:end].decode("utf-8", "replace")
            pos = end
        acks_0, timeout_ms_0, n = unpack_hiB(buf, pos)
        pos += 7
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "Produce request v13", "TopicData")
        n -= 1
        if n * 18 > len(buf) - pos:
            raise overrun("Produce request v13", buf, pos)
        if n > 50000:
            raise too_many("Produce request v13", n)
        topic_data_0_items: list[ProduceRequestTopic] = []
        for _ in range(n):
            topic_id_1, n = unpack_uB(buf, pos)
            pos += 17
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "Produce request v13", "PartitionData")
            n -= 1
            if n * 6 > len(buf) - pos:
                raise overrun("Produce request v13", buf, pos)
            if n > 50000:
                raise too_many("Produce request v13", n)
            partition_data_1_items: list[ProduceRequestPartition] = []
            for _ in range(n):
                index_2, n = unpack_iB(buf, pos)
                pos += 5
                if n > 127:
                    n, pos = read_uvarint(buf, pos - 1)
                records_2: bytes | None = None
                if n > 0:
                    end = pos + n - 1
                    records_2 = buf[pos:end]
                    pos = end
                tags = buf[pos]
                pos += 1
                if tags:
                    pos = skip_tagged(buf, pos - 1)
                made_2 = ProduceRequestPartition(index_2, records_2)
                partition_data_1_items.append(made_2)
            partition_data_1 = partition_data_1_items
            tags = buf[pos]
            pos += 1
            if tags:
                pos = skip_tagged(buf, pos - 1)
            made_1 = ProduceRequestTopic("", topic_id_1, partition_data_1)
            topic_data_0_items.append(made_1)
        topic_data_0 = topic_data_0_items
        tags = buf[pos]
        pos += 1
        if tags:
            pos = skip_tagged(buf, pos - 1)
        made_0 = ProduceRequest(transactional_id_0, acks_0, timeout_ms_0, topic_data_0)
    except (IndexError, StructError) as error:
        raise overrun("Produce request v13", buf, pos) from error
    if pos > len(buf):
        raise overrun("Produce request v13", buf, pos)
    return made_0


# versions 3-8
def encode_request_v3(message: ProduceRequest) -> bytes:
    try:
        out = bytearray()
        value_1 = message.transactional_id
        if value_1 is None:
            out += pack_h(-1)
        else:
            raw = value_1.encode()
            out += pack_h(len(raw))
            out += raw
        items_2 = message.topic_data
        out += pack_hii(message.acks, message.timeout_ms, len(items_2))
        for item_2 in items_2:
            raw = item_2.name.encode()
            out += pack_h(len(raw))
            out += raw
            items_3 = item_2.partition_data
            out += pack_i(len(items_3))
            for item_3 in items_3:
                value_4 = item_3.records
                if value_4 is None:
                    out += pack_ii(item_3.index, -1)
                else:
                    raw = value_4
                    out += pack_ii(item_3.index, len(raw))
                    out += raw
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("Produce request v3-8", message, error) from error


# versions 9-12
def encode_request_v9(message: ProduceRequest) -> bytes:
    try:
        out = bytearray()
        value_1 = message.transactional_id
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
        items_2 = message.topic_data
        n = len(items_2) + 1
        if n < 128:
            out += pack_hiB(message.acks, message.timeout_ms, n)
        else:
            out += pack_hi(message.acks, message.timeout_ms)
            out += uvarint(n)
        for item_2 in items_2:
            raw = item_2.name.encode()
            n = len(raw) + 1
            if n < 128:
                out.append(n)
            else:
                out += uvarint(n)
            out += raw
            items_3 = item_2.partition_data
            n = len(items_3) + 1
            if n < 128:
                out.append(n)
            else:
                out += uvarint(n)
            for item_3 in items_3:
                value_4 = item_3.records
                if value_4 is None:
                    out += pack_ix(item_3.index)
                else:
                    raw = value_4
                    n = len(raw) + 1
                    if n < 128:
                        out += pack_iB(item_3.index, n)
                    else:
                        out += pack_i(item_3.index)
                        out += uvarint(n)
                    out += raw
                out += b"\0"
            out += b"\0"
        out += b"\0"
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("Produce request v9-12", message, error) from error


def encode_request_v13(message: ProduceRequest) -> bytes:
    try:
        out = bytearray()
        value_1 = message.transactional_id
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
        items_2 = message.topic_data
        n = len(items_2) + 1
        if n < 128:
            out += pack_hiB(message.acks, message.timeout_ms, n)
        else:
            out += pack_hi(message.acks, message.timeout_ms)
            out += uvarint(n)
        for item_2 in items_2:
            items_3 = item_2.partition_data
            n = len(items_3) + 1
            if n < 128:
                out += pack_uB(item_2.topic_id, n)
            else:
                out += pack_u(item_2.topic_id)
                out += uvarint(n)
            for item_3 in items_3:
                value_4 = item_3.records
                if value_4 is None:
                    out += pack_ix(item_3.index)
                else:
                    raw = value_4
                    n = len(raw) + 1
                    if n < 128:
                        out += pack_iB(item_3.index, n)
                    else:
                        out += pack_i(item_3.index)
                        out += uvarint(n)
                    out += raw
                out += b"\0"
            out += b"\0"
        out += b"\0"
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("Produce request v13", message, error) from error


# versions 3-4
def decode_response_v3(buf: bytes, pos: int) -> ProduceResponse:
    try:
        (n,) = unpack_i(buf, pos)
        pos += 4
        if n < 0:
            raise null_field("Produce response v3-4", "Responses")
        if n * 6 > len(buf) - pos:
            raise overrun("Produce response v3-4", buf, pos)
        responses_0_items: list[ProduceResponseTopic] = []
        for _ in range(n):
            (n,) = unpack_h(buf, pos)
            pos += 2
            if n < 0:
                raise null_field("Produce response v3-4", "Name")
            end = pos + n
            name_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            (n,) = unpack_i(buf, pos)
            pos += 4
            if n < 0:
                raise null_field("Produce response v3-4", "PartitionResponses")
            if n * 22 > len(buf) - pos:
                raise overrun("Produce response v3-4", buf, pos)
            partition_responses_1_items: list[ProduceResponsePartition] = []
            for _ in range(n):
                index_2, error_code_2, base_offset_2, log_append_time_ms_2 = unpack_ihqq(buf, pos)
                pos += 22
                made_2 = ProduceResponsePartition(index_2, error_code_2, base_offset_2, log_append_time_ms_2, -1, (), None, None)
                partition_responses_1_items.append(made_2)
            partition_responses_1 = partition_responses_1_items
            made_1 = ProduceResponseTopic(name_1, NO_UUID, partition_responses_1)
            responses_0_items.append(made_1)
        responses_0 = responses_0_items
        (throttle_time_ms_0,) = unpack_i(buf, pos)
        pos += 4
        made_0 = ProduceResponse(responses_0, throttle_time_ms_0, ())
    except (IndexError, StructError) as error:
        raise overrun("Produce response v3-4", buf, pos) from error
    if pos > len(buf):
        raise overrun("Produce response v3-4", buf, pos)
    return made_0


# versions 5-7
def decode_response_v5(buf: bytes, pos: int) -> ProduceResponse:
    try:
        (n,) = unpack_i(buf, pos)
        pos += 4
        if n < 0:
            raise null_field("Produce response v5-7", "Responses")
        if n * 6 > len(buf) - pos:
            raise overrun("Produce response v5-7", buf, pos)
        responses_0_items: list[ProduceResponseTopic] = []
        for _ in range(n):
            (n,) = unpack_h(buf, pos)
            pos += 2
            if n < 0:
                raise null_field("Produce response v5-7", "Name")
            end = pos + n
            name_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            (n,) = unpack_i(buf, pos)
            pos += 4
            if n < 0:
                raise null_field("Produce response v5-7", "PartitionResponses")
            if n * 30 > len(buf) - pos:
                raise overrun("Produce response v5-7", buf, pos)
            partition_responses_1_items: list[ProduceResponsePartition] = []
            for _ in range(n):
                index_2, error_code_2, base_offset_2, log_append_time_ms_2, log_start_offset_2 = unpack_ihqqq(buf, pos)
                pos += 30
                made_2 = ProduceResponsePartition(index_2, error_code_2, base_offset_2, log_append_time_ms_2, log_start_offset_2, (), None, None)
                partition_responses_1_items.append(made_2)
            partition_responses_1 = partition_responses_1_items
            made_1 = ProduceResponseTopic(name_1, NO_UUID, partition_responses_1)
            responses_0_items.append(made_1)
        responses_0 = responses_0_items
        (throttle_time_ms_0,) = unpack_i(buf, pos)
        pos += 4
        made_0 = ProduceResponse(responses_0, throttle_time_ms_0, ())
    except (IndexError, StructError) as error:
        raise overrun("Produce response v5-7", buf, pos) from error
    if pos > len(buf):
        raise overrun("Produce response v5-7", buf, pos)
    return made_0


def decode_response_v8(buf: bytes, pos: int) -> ProduceResponse:
    try:
        (n,) = unpack_i(buf, pos)
        pos += 4
        if n < 0:
            raise null_field("Produce response v8", "Responses")
        if n * 6 > len(buf) - pos:
            raise overrun("Produce response v8", buf, pos)
        responses_0_items: list[ProduceResponseTopic] = []
        for _ in range(n):
            (n,) = unpack_h(buf, pos)
            pos += 2
            if n < 0:
                raise null_field("Produce response v8", "Name")
            end = pos + n
            name_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            (n,) = unpack_i(buf, pos)
            pos += 4
            if n < 0:
                raise null_field("Produce response v8", "PartitionResponses")
            if n * 36 > len(buf) - pos:
                raise overrun("Produce response v8", buf, pos)
            partition_responses_1_items: list[ProduceResponsePartition] = []
            for _ in range(n):
                index_2, error_code_2, base_offset_2, log_append_time_ms_2, log_start_offset_2, n = unpack_ihqqqi(buf, pos)
                pos += 34
                if n < 0:
                    raise null_field("Produce response v8", "RecordErrors")
                if n * 6 > len(buf) - pos:
                    raise overrun("Produce response v8", buf, pos)
                record_errors_2_items: list[ProduceResponseRecordError] = []
                for _ in range(n):
                    batch_index_3, n = unpack_ih(buf, pos)
                    pos += 6
                    batch_index_error_message_3: str | None = None
                    if n >= 0:
                        end = pos + n
                        batch_index_error_message_3 = buf[pos:end].decode("utf-8", "replace")
                        pos = end
                    made_3 = ProduceResponseRecordError(batch_index_3, batch_index_error_message_3)
                    record_errors_2_items.append(made_3)
                record_errors_2 = record_errors_2_items
                (n,) = unpack_h(buf, pos)
                pos += 2
                error_message_2: str | None = None
                if n >= 0:
                    end = pos + n
                    error_message_2 = buf[pos:end].decode("utf-8", "replace")
                    pos = end
                made_2 = ProduceResponsePartition(index_2, error_code_2, base_offset_2, log_append_time_ms_2, log_start_offset_2, record_errors_2, error_message_2, None)
                partition_responses_1_items.append(made_2)
            partition_responses_1 = partition_responses_1_items
            made_1 = ProduceResponseTopic(name_1, NO_UUID, partition_responses_1)
            responses_0_items.append(made_1)
        responses_0 = responses_0_items
        (throttle_time_ms_0,) = unpack_i(buf, pos)
        pos += 4
        made_0 = ProduceResponse(responses_0, throttle_time_ms_0, ())
    except (IndexError, StructError) as error:
        raise overrun("Produce response v8", buf, pos) from error
    if pos > len(buf):
        raise overrun("Produce response v8", buf, pos)
    return made_0


def decode_response_v9(buf: bytes, pos: int) -> ProduceResponse:
    try:
        n = buf[pos]
        pos += 1
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "Produce response v9", "Responses")
        n -= 1
        if n * 3 > len(buf) - pos:
            raise overrun("Produce response v9", buf, pos)
        responses_0_items: list[ProduceResponseTopic] = []
        for _ in range(n):
            n = buf[pos]
            pos += 1
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "Produce response v9", "Name")
            end = pos + n - 1
            name_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            n = buf[pos]
            pos += 1
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "Produce response v9", "PartitionResponses")
            n -= 1
            if n * 33 > len(buf) - pos:
                raise overrun("Produce response v9", buf, pos)
            partition_responses_1_items: list[ProduceResponsePartition] = []
            for _ in range(n):
                index_2, error_code_2, base_offset_2, log_append_time_ms_2, log_start_offset_2, n = unpack_ihqqqB(buf, pos)
                pos += 31
                if not 0 < n < 128:
                    n, pos = read_length(buf, pos - 1, "Produce response v9", "RecordErrors")
                n -= 1
                if n * 6 > len(buf) - pos:
                    raise overrun("Produce response v9", buf, pos)
                record_errors_2_items: list[ProduceResponseRecordError] = []
                for _ in range(n):
                    batch_index_3, n = unpack_iB(buf, pos)
                    pos += 5
                    if n > 127:
                        n, pos = read_uvarint(buf, pos - 1)
                    batch_index_error_message_3: str | None = None
                    if n > 0:
                        end = pos + n - 1
                        batch_index_error_message_3 = buf[pos:end].decode("utf-8", "replace")
                        pos = end
                    tags = buf[pos]
                    pos += 1
                    if tags:
                        pos = skip_tagged(buf, pos - 1)
                    made_3 = ProduceResponseRecordError(batch_index_3, batch_index_error_message_3)
                    record_errors_2_items.append(made_3)
                record_errors_2 = record_errors_2_items
                n = buf[pos]
                pos += 1
                if n > 127:
                    n, pos = read_uvarint(buf, pos - 1)
                error_message_2: str | None = None
                if n > 0:
                    end = pos + n - 1
                    error_message_2 = buf[pos:end].decode("utf-8", "replace")
                    pos = end
                tags = buf[pos]
                pos += 1
                if tags:
                    pos = skip_tagged(buf, pos - 1)
                made_2 = ProduceResponsePartition(index_2, error_code_2, base_offset_2, log_append_time_ms_2, log_start_offset_2, record_errors_2, error_message_2, None)
                partition_responses_1_items.append(made_2)
            partition_responses_1 = partition_responses_1_items
            tags = buf[pos]
            pos += 1
            if tags:
                pos = skip_tagged(buf, pos - 1)
            made_1 = ProduceResponseTopic(name_1, NO_UUID, partition_responses_1)
            responses_0_items.append(made_1)
        responses_0 = responses_0_items
        throttle_time_ms_0, tags = unpack_iB(buf, pos)
        pos += 5
        if tags:
            pos = skip_tagged(buf, pos - 1)
        made_0 = ProduceResponse(responses_0, throttle_time_ms_0, ())
    except (IndexError, StructError) as error:
        raise overrun("Produce response v9", buf, pos) from error
    if pos > len(buf):
        raise overrun("Produce response v9", buf, pos)
    return made_0


# versions 10-12
def decode_response_v10(buf: bytes, pos: int) -> ProduceResponse:
    try:
        n = buf[pos]
        pos += 1
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "Produce response v10-12", "Responses")
        n -= 1
        if n * 3 > len(buf) - pos:
            raise overrun("Produce response v10-12", buf, pos)
        responses_0_items: list[ProduceResponseTopic] = []
        for _ in range(n):
            n = buf[pos]
            pos += 1
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "Produce response v10-12", "Name")
            end = pos + n - 1
            name_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            n = buf[pos]
            pos += 1
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "Produce response v10-12", "PartitionResponses")
            n -= 1
            if n * 33 > len(buf) - pos:
                raise overrun("Produce response v10-12", buf, pos)
            partition_responses_1_items: list[ProduceResponsePartition] = []
            for _ in range(n):
                index_2, error_code_2, base_offset_2, log_append_time_ms_2, log_start_offset_2, n = unpack_ihqqqB(buf, pos)
                pos += 31
                if not 0 < n < 128:
                    n, pos = read_length(buf, pos - 1, "Produce response v10-12", "RecordErrors")
                n -= 1
                if n * 6 > len(buf) - pos:
                    raise overrun("Produce response v10-12", buf, pos)
                record_errors_2_items: list[ProduceResponseRecordError] = []
                for _ in range(n):
                    batch_index_3, n = unpack_iB(buf, pos)
                    pos += 5
                    if n > 127:
                        n, pos = read_uvarint(buf, pos - 1)
                    batch_index_error_message_3: str | None = None
                    if n > 0:
                        end = pos + n - 1
                        batch_index_error_message_3 = buf[pos:end].decode("utf-8", "replace")
                        pos = end
                    tags = buf[pos]
                    pos += 1
                    if tags:
                        pos = skip_tagged(buf, pos - 1)
                    made_3 = ProduceResponseRecordError(batch_index_3, batch_index_error_message_3)
                    record_errors_2_items.append(made_3)
                record_errors_2 = record_errors_2_items
                n = buf[pos]
                pos += 1
                if n > 127:
                    n, pos = read_uvarint(buf, pos - 1)
                error_message_2: str | None = None
                if n > 0:
                    end = pos + n - 1
                    error_message_2 = buf[pos:end].decode("utf-8", "replace")
                    pos = end
                tags = buf[pos]
                pos += 1
                current_leader_2: ProduceResponseCurrentLeader | None = None
                if tags:
                    tags, pos = read_uvarint(buf, pos - 1)
                    for _ in range(tags):
                        tag, pos, end_4 = read_tag(buf, pos)
                        if tag == 0:
                            leader_id_4, leader_epoch_4, tags = unpack_iiB(buf, pos)
                            pos += 9
                            if tags:
                                pos = skip_tagged(buf, pos - 1)
                            made_4 = ProduceResponseCurrentLeader(leader_id_4, leader_epoch_4)
                            current_leader_2 = made_4
                            if pos != end_4:
                                raise misfit("Produce response v10-12", "CurrentLeader", pos)
                        else:
                            pos = end_4
                made_2 = ProduceResponsePartition(index_2, error_code_2, base_offset_2, log_append_time_ms_2, log_start_offset_2, record_errors_2, error_message_2, current_leader_2)
                partition_responses_1_items.append(made_2)
            partition_responses_1 = partition_responses_1_items
            tags = buf[pos]
            pos += 1
            if tags:
                pos = skip_tagged(buf, pos - 1)
            made_1 = ProduceResponseTopic(name_1, NO_UUID, partition_responses_1)
            responses_0_items.append(made_1)
        responses_0 = responses_0_items
        throttle_time_ms_0, tags = unpack_iB(buf, pos)
        pos += 5
        node_endpoints_0: Sequence[ProduceResponseNodeEndpoint] = ()
        if tags:
            tags, pos = read_uvarint(buf, pos - 1)
            for _ in range(tags):
                tag, pos, end_5 = read_tag(buf, pos)
                if tag == 0:
                    n = buf[pos]
                    pos += 1
                    if not 0 < n < 128:
                        n, pos = read_length(buf, pos - 1, "Produce response v10-12", "NodeEndpoints")
                    n -= 1
                    if n * 11 > len(buf) - pos:
                        raise overrun("Produce response v10-12", buf, pos)
                    node_endpoints_0_items: list[ProduceResponseNodeEndpoint] = []
                    for _ in range(n):
                        node_id_5, n = unpack_iB(buf, pos)
                        pos += 5
                        if not 0 < n < 128:
                            n, pos = read_length(buf, pos - 1, "Produce response v10-12", "Host")
                        end = pos + n - 1
                        host_5 = buf[pos:end].decode("utf-8", "replace")
                        pos = end
                        port_5, n = unpack_iB(buf, pos)
                        pos += 5
                        if n > 127:
                            n, pos = read_uvarint(buf, pos - 1)
                        rack_5: str | None = None
                        if n > 0:
                            end = pos + n - 1
                            rack_5 = buf[pos:end].decode("utf-8", "replace")
                            pos = end
                        tags = buf[pos]
                        pos += 1
                        if tags:
                            pos = skip_tagged(buf, pos - 1)
                        made_5 = ProduceResponseNodeEndpoint(node_id_5, host_5, port_5, rack_5)
                        node_endpoints_0_items.append(made_5)
                    node_endpoints_0 = node_endpoints_0_items
                    if pos != end_5:
                        raise misfit("Produce response v10-12", "NodeEndpoints", pos)
                else:
                    pos = end_5
        made_0 = ProduceResponse(responses_0, throttle_time_ms_0, node_endpoints_0)
    except (IndexError, StructError) as error:
        raise overrun("Produce response v10-12", buf, pos) from error
    if pos > len(buf):
        raise overrun("Produce response v10-12", buf, pos)
    return made_0


def decode_response_v13(buf: bytes, pos: int) -> ProduceResponse:
    try:
        n = buf[pos]
        pos += 1
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "Produce response v13", "Responses")
        n -= 1
        if n * 18 > len(buf) - pos:
            raise overrun("Produce response v13", buf, pos)
        responses_0_items: list[ProduceResponseTopic] = []
        for _ in range(n):
            topic_id_1, n = unpack_uB(buf, pos)
            pos += 17
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "Produce response v13", "PartitionResponses")
            n -= 1
            if n * 33 > len(buf) - pos:
                raise overrun("Produce response v13", buf, pos)
            partition_responses_1_items: list[ProduceResponsePartition] = []
            for _ in range(n):
                index_2, error_code_2, base_offset_2, log_append_time_ms_2, log_start_offset_2, n = unpack_ihqqqB(buf, pos)
                pos += 31
                if not 0 < n < 128:
                    n, pos = read_length(buf, pos - 1, "Produce response v13", "RecordErrors")
                n -= 1
                if n * 6 > len(buf) - pos:
                    raise overrun("Produce response v13", buf, pos)
                record_errors_2_items: list[ProduceResponseRecordError] = []
                for _ in range(n):
                    batch_index_3, n = unpack_iB(buf, pos)
                    pos += 5
                    if n > 127:
                        n, pos = read_uvarint(buf, pos - 1)
                    batch_index_error_message_3: str | None = None
                    if n > 0:
                        end = pos + n - 1
                        batch_index_error_message_3 = buf[pos:end].decode("utf-8", "replace")
                        pos = end
                    tags = buf[pos]
                    pos += 1
                    if tags:
                        pos = skip_tagged(buf, pos - 1)
                    made_3 = ProduceResponseRecordError(batch_index_3, batch_index_error_message_3)
                    record_errors_2_items.append(made_3)
                record_errors_2 = record_errors_2_items
                n = buf[pos]
                pos += 1
                if n > 127:
                    n, pos = read_uvarint(buf, pos - 1)
                error_message_2: str | None = None
                if n > 0:
                    end = pos + n - 1
                    error_message_2 = buf[pos:end].decode("utf-8", "replace")
                    pos = end
                tags = buf[pos]
                pos += 1
                current_leader_2: ProduceResponseCurrentLeader | None = None
                if tags:
                    tags, pos = read_uvarint(buf, pos - 1)
                    for _ in range(tags):
                        tag, pos, end_4 = read_tag(buf, pos)
                        if tag == 0:
                            leader_id_4, leader_epoch_4, tags = unpack_iiB(buf, pos)
                            pos += 9
                            if tags:
                                pos = skip_tagged(buf, pos - 1)
                            made_4 = ProduceResponseCurrentLeader(leader_id_4, leader_epoch_4)
                            current_leader_2 = made_4
                            if pos != end_4:
                                raise misfit("Produce response v13", "CurrentLeader", pos)
                        else:
                            pos = end_4
                made_2 = ProduceResponsePartition(index_2, error_code_2, base_offset_2, log_append_time_ms_2, log_start_offset_2, record_errors_2, error_message_2, current_leader_2)
                partition_responses_1_items.append(made_2)
            partition_responses_1 = partition_responses_1_items
            tags = buf[pos]
            pos += 1
            if tags:
                pos = skip_tagged(buf, pos - 1)
            made_1 = ProduceResponseTopic("", topic_id_1, partition_responses_1)
            responses_0_items.append(made_1)
        responses_0 = responses_0_items
        throttle_time_ms_0, tags = unpack_iB(buf, pos)
        pos += 5
        node_endpoints_0: Sequence[ProduceResponseNodeEndpoint] = ()
        if tags:
            tags, pos = read_uvarint(buf, pos - 1)
            for _ in range(tags):
                tag, pos, end_5 = read_tag(buf, pos)
                if tag == 0:
                    n = buf[pos]
                    pos += 1
                    if not 0 < n < 128:
                        n, pos = read_length(buf, pos - 1, "Produce response v13", "NodeEndpoints")
                    n -= 1
                    if n * 11 > len(buf) - pos:
                        raise overrun("Produce response v13", buf, pos)
                    node_endpoints_0_items: list[ProduceResponseNodeEndpoint] = []
                    for _ in range(n):
                        node_id_5, n = unpack_iB(buf, pos)
                        pos += 5
                        if not 0 < n < 128:
                            n, pos = read_length(buf, pos - 1, "Produce response v13", "Host")
                        end = pos + n - 1
                        host_5 = buf[pos:end].decode("utf-8", "replace")
                        pos = end
                        port_5, n = unpack_iB(buf, pos)
                        pos += 5
                        if n > 127:
                            n, pos = read_uvarint(buf, pos - 1)
                        rack_5: str | None = None
                        if n > 0:
                            end = pos + n - 1
                            rack_5 = buf[pos:end].decode("utf-8", "replace")
                            pos = end
                        tags = buf[pos]
                        pos += 1
                        if tags:
                            pos = skip_tagged(buf, pos - 1)
                        made_5 = ProduceResponseNodeEndpoint(node_id_5, host_5, port_5, rack_5)
                        node_endpoints_0_items.append(made_5)
                    node_endpoints_0 = node_endpoints_0_items
                    if pos != end_5:
                        raise misfit("Produce response v13", "NodeEndpoints", pos)
                else:
                    pos = end_5
        made_0 = ProduceResponse(responses_0, throttle_time_ms_0, node_endpoints_0)
    except (IndexError, StructError) as error:
        raise overrun("Produce response v13", buf, pos) from error
    if pos > len(buf):
        raise overrun("Produce response v13", buf, pos)
    return made_0


# versions 3-4
def encode_response_v3(message: ProduceResponse) -> bytes:
    try:
        out = bytearray()
        items_1 = message.responses
        out += pack_i(len(items_1))
        for item_1 in items_1:
            raw = item_1.name.encode()
            out += pack_h(len(raw))
            out += raw
            items_2 = item_1.partition_responses
            out += pack_i(len(items_2))
            out += b"".join([pack_ihqq(item_2.index, item_2.error_code, item_2.base_offset, item_2.log_append_time_ms) for item_2 in items_2])
        out += pack_i(message.throttle_time_ms)
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("Produce response v3-4", message, error) from error


# versions 5-7
def encode_response_v5(message: ProduceResponse) -> bytes:
    try:
        out = bytearray()
        items_1 = message.responses
        out += pack_i(len(items_1))
        for item_1 in items_1:
            raw = item_1.name.encode()
            out += pack_h(len(raw))
            out += raw
            items_2 = item_1.partition_responses
            out += pack_i(len(items_2))
            out += b"".join([pack_ihqqq(item_2.index, item_2.error_code, item_2.base_offset, item_2.log_append_time_ms, item_2.log_start_offset) for item_2 in items_2])
        out += pack_i(message.throttle_time_ms)
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("Produce response v5-7", message, error) from error


def encode_response_v8(message: ProduceResponse) -> bytes:
    try:
        out = bytearray()
        items_1 = message.responses
        out += pack_i(len(items_1))
        for item_1 in items_1:
            raw = item_1.name.encode()
            out += pack_h(len(raw))
            out += raw
            items_2 = item_1.partition_responses
            out += pack_i(len(items_2))
            for item_2 in items_2:
                items_3 = item_2.record_errors
                out += pack_ihqqqi(item_2.index, item_2.error_code, item_2.base_offset, item_2.log_append_time_ms, item_2.log_start_offset, len(items_3))
                for item_3 in items_3:
                    value_4 = item_3.batch_index_error_message
                    if value_4 is None:
                        out += pack_ih(item_3.batch_index, -1)
                    else:
                        raw = value_4.encode()
                        out += pack_ih(item_3.batch_index, len(raw))
                        out += raw
                value_5 = item_2.error_message
                if value_5 is None:
                    out += pack_h(-1)
                else:
                    raw = value_5.encode()
                    out += pack_h(len(raw))
                    out += raw
        out += pack_i(message.throttle_time_ms)
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("Produce response v8", message, error) from error


def encode_response_v9(message: ProduceResponse) -> bytes:
    try:
        out = bytearray()
        items_1 = message.responses
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
            items_2 = item_1.partition_responses
            n = len(items_2) + 1
            if n < 128:
                out.append(n)
            else:
                out += uvarint(n)
            for item_2 in items_2:
                items_3 = item_2.record_errors
                n = len(items_3) + 1
                if n < 128:
                    out += pack_ihqqqB(item_2.index, item_2.error_code, item_2.base_offset, item_2.log_append_time_ms, item_2.log_start_offset, n)
                else:
                    out += pack_ihqqq(item_2.index, item_2.error_code, item_2.base_offset, item_2.log_append_time_ms, item_2.log_start_offset)
                    out += uvarint(n)
                for item_3 in items_3:
                    value_4 = item_3.batch_index_error_message
                    if value_4 is None:
                        out += pack_ix(item_3.batch_index)
                    else:
                        raw = value_4.encode()
                        n = len(raw) + 1
                        if n < 128:
                            out += pack_iB(item_3.batch_index, n)
                        else:
                            out += pack_i(item_3.batch_index)
                            out += uvarint(n)
                        out += raw
                    out += b"\0"
                value_5 = item_2.error_message
                if value_5 is None:
                    out += b"\0"
                else:
                    raw = value_5.encode()
                    n = len(raw) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        out += uvarint(n)
                    out += raw
                out += b"\0"
            out += b"\0"
        out += pack_ix(message.throttle_time_ms)
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("Produce response v9", message, error) from error


# versions 10-12
def encode_response_v10(message: ProduceResponse) -> bytes:
    try:
        out = bytearray()
        items_1 = message.responses
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
            items_2 = item_1.partition_responses
            n = len(items_2) + 1
            if n < 128:
                out.append(n)
            else:
                out += uvarint(n)
            for item_2 in items_2:
                items_3 = item_2.record_errors
                n = len(items_3) + 1
                if n < 128:
                    out += pack_ihqqqB(item_2.index, item_2.error_code, item_2.base_offset, item_2.log_append_time_ms, item_2.log_start_offset, n)
                else:
                    out += pack_ihqqq(item_2.index, item_2.error_code, item_2.base_offset, item_2.log_append_time_ms, item_2.log_start_offset)
                    out += uvarint(n)
                for item_3 in items_3:
                    value_4 = item_3.batch_index_error_message
                    if value_4 is None:
                        out += pack_ix(item_3.batch_index)
                    else:
                        raw = value_4.encode()
                        n = len(raw) + 1
                        if n < 128:
                            out += pack_iB(item_3.batch_index, n)
                        else:
                            out += pack_i(item_3.batch_index)
                            out += uvarint(n)
                        out += raw
                    out += b"\0"
                value_5 = item_2.error_message
                if value_5 is None:
                    out += b"\0"
                else:
                    raw = value_5.encode()
                    n = len(raw) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        out += uvarint(n)
                    out += raw
                if (item_2.current_leader is not None and (item_2.current_leader.leader_id != -1 or item_2.current_leader.leader_epoch != -1)):
                    count_6 = 0
                    section_6 = bytearray()
                    if item_2.current_leader is not None and (item_2.current_leader.leader_id != -1 or item_2.current_leader.leader_epoch != -1):
                        payload_6 = bytearray()
                        inner_7 = item_2.current_leader
                        payload_6 += pack_iix(inner_7.leader_id, inner_7.leader_epoch)
                        count_6 += 1
                        section_6 += uvarint(0) + uvarint(len(payload_6)) + payload_6
                    out += uvarint(count_6) + section_6
                else:
                    out += b"\0"
            out += b"\0"
        if (message.node_endpoints):
            out += pack_i(message.throttle_time_ms)
            count_8 = 0
            section_8 = bytearray()
            if message.node_endpoints:
                payload_8 = bytearray()
                items_9 = message.node_endpoints
                n = len(items_9) + 1
                if n < 128:
                    payload_8.append(n)
                else:
                    payload_8 += uvarint(n)
                for item_9 in items_9:
                    raw = item_9.host.encode()
                    n = len(raw) + 1
                    if n < 128:
                        payload_8 += pack_iB(item_9.node_id, n)
                    else:
                        payload_8 += pack_i(item_9.node_id)
                        payload_8 += uvarint(n)
                    payload_8 += raw
                    value_10 = item_9.rack
                    if value_10 is None:
                        payload_8 += pack_ix(item_9.port)
                    else:
                        raw = value_10.encode()
                        n = len(raw) + 1
                        if n < 128:
                            payload_8 += pack_iB(item_9.port, n)
                        else:
                            payload_8 += pack_i(item_9.port)
                            payload_8 += uvarint(n)
                        payload_8 += raw
                    payload_8 += b"\0"
                count_8 += 1
                section_8 += uvarint(0) + uvarint(len(payload_8)) + payload_8
            out += uvarint(count_8) + section_8
        else:
            out += pack_ix(message.throttle_time_ms)
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("Produce response v10-12", message, error) from error


def encode_response_v13(message: ProduceResponse) -> bytes:
    try:
        out = bytearray()
        items_1 = message.responses
        n = len(items_1) + 1
        if n < 128:
            out.append(n)
        else:
            out += uvarint(n)
        for item_1 in items_1:
            items_2 = item_1.partition_responses
            n = len(items_2) + 1
            if n < 128:
                out += pack_uB(item_1.topic_id, n)
            else:
                out += pack_u(item_1.topic_id)
                out += uvarint(n)
            for item_2 in items_2:
                items_3 = item_2.record_errors
                n = len(items_3) + 1
                if n < 128:
                    out += pack_ihqqqB(item_2.index, item_2.error_code, item_2.base_offset, item_2.log_append_time_ms, item_2.log_start_offset, n)
                else:
                    out += pack_ihqqq(item_2.index, item_2.error_code, item_2.base_offset, item_2.log_append_time_ms, item_2.log_start_offset)
                    out += uvarint(n)
                for item_3 in items_3:
                    value_4 = item_3.batch_index_error_message
                    if value_4 is None:
                        out += pack_ix(item_3.batch_index)
                    else:
                        raw = value_4.encode()
                        n = len(raw) + 1
                        if n < 128:
                            out += pack_iB(item_3.batch_index, n)
                        else:
                            out += pack_i(item_3.batch_index)
                            out += uvarint(n)
                        out += raw
                    out += b"\0"
                value_5 = item_2.error_message
                if value_5 is None:
                    out += b"\0"
                else:
                    raw = value_5.encode()
                    n = len(raw) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        out += uvarint(n)
                    out += raw
                if (item_2.current_leader is not None and (item_2.current_leader.leader_id != -1 or item_2.current_leader.leader_epoch != -1)):
                    count_6 = 0
                    section_6 = bytearray()
                    if item_2.current_leader is not None and (item_2.current_leader.leader_id != -1 or item_2.current_leader.leader_epoch != -1):
                        payload_6 = bytearray()
                        inner_7 = item_2.current_leader
                        payload_6 += pack_iix(inner_7.leader_id, inner_7.leader_epoch)
                        count_6 += 1
                        section_6 += uvarint(0) + uvarint(len(payload_6)) + payload_6
                    out += uvarint(count_6) + section_6
                else:
                    out += b"\0"
            out += b"\0"
        if (message.node_endpoints):
            out += pack_i(message.throttle_time_ms)
            count_8 = 0
            section_8 = bytearray()
            if message.node_endpoints:
                payload_8 = bytearray()
                items_9 = message.node_endpoints
                n = len(items_9) + 1
                if n < 128:
                    payload_8.append(n)
                else:
                    payload_8 += uvarint(n)
                for item_9 in items_9:
                    raw = item_9.host.encode()
                    n = len(raw) + 1
                    if n < 128:
                        payload_8 += pack_iB(item_9.node_id, n)
                    else:
                        payload_8 += pack_i(item_9.node_id)
                        payload_8 += uvarint(n)
                    payload_8 += raw
                    value_10 = item_9.rack
                    if value_10 is None:
                        payload_8 += pack_ix(item_9.port)
                    else:
                        raw = value_10.encode()
                        n = len(raw) + 1
                        if n < 128:
                            payload_8 += pack_iB(item_9.port, n)
                        else:
                            payload_8 += pack_i(item_9.port)
                            payload_8 += uvarint(n)
                        payload_8 += raw
                    payload_8 += b"\0"
                count_8 += 1
                section_8 += uvarint(0) + uvarint(len(payload_8)) + payload_8
            out += uvarint(count_8) + section_8
        else:
            out += pack_ix(message.throttle_time_ms)
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
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
REQUEST_ENCODERS = {
    3: encode_request_v3,
    4: encode_request_v3,
    5: encode_request_v3,
    6: encode_request_v3,
    7: encode_request_v3,
    8: encode_request_v3,
    9: encode_request_v9,
    10: encode_request_v9,
    11: encode_request_v9,
    12: encode_request_v9,
    13: encode_request_v13,
}
RESPONSE_DECODERS = {
    3: decode_response_v3,
    4: decode_response_v3,
    5: decode_response_v5,
    6: decode_response_v5,
    7: decode_response_v5,
    8: decode_response_v8,
    9: decode_response_v9,
    10: decode_response_v10,
    11: decode_response_v10,
    12: decode_response_v10,
    13: decode_response_v13,
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
