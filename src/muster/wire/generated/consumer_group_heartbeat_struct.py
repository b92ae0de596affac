"""Generated from tools/codecs/schemas/consumer_group_heartbeat.api by `make generate`; changes belong there."""

from __future__ import annotations

from collections.abc import Sequence

from muster.wire.generated.consumer_group_heartbeat import (
    ConsumerGroupHeartbeatRequest,
    ConsumerGroupHeartbeatRequestTopicPartition,
    ConsumerGroupHeartbeatResponse,
    ConsumerGroupHeartbeatResponseAssignment,
    ConsumerGroupHeartbeatResponseTopicPartition,
)
from struct import Struct, error as StructError

from muster.wire.message import Message, encode_failure
from muster.wire.primitives import i32s, overrun, read_i32s, read_length, skip_tagged, too_many
from muster.wire.varint import read_uvarint, uvarint

pack_u = Struct(">16s").pack
pack_uB = Struct(">16sB").pack
pack_i = Struct(">i").pack
pack_iB = Struct(">iB").pack
pack_ih = Struct(">ih").pack
pack_ihB = Struct(">ihB").pack
pack_ihx = Struct(">ihx").pack
pack_iib = Struct(">iib").pack
pack_iibB = Struct(">iibB").pack
pack_ix = Struct(">ix").pack
unpack_uB = Struct(">16sB").unpack_from
unpack_iB = Struct(">iB").unpack_from
unpack_ihB = Struct(">ihB").unpack_from
unpack_iib = Struct(">iib").unpack_from


def decode_request_v0(buf: bytes, pos: int) -> ConsumerGroupHeartbeatRequest:
    try:
        n = buf[pos]
        pos += 1
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "ConsumerGroupHeartbeat request v0", "GroupId")
        end = pos + n - 1
        group_id_0 = buf[pos:end].decode("utf-8", "replace")
        pos = end
        n = buf[pos]
        pos += 1
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "ConsumerGroupHeartbeat request v0", "MemberId")
        end = pos + n - 1
        member_id_0 = buf[pos:end].decode("utf-8", "replace")
        pos = end
        member_epoch_0, n = unpack_iB(buf, pos)
        pos += 5
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        instance_id_0: str | None = None
        if n > 0:
            end = pos + n - 1
            instance_id_0 = buf[pos:end].decode("utf-8", "replace")
            pos = end
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        rack_id_0: str | None = None
        if n > 0:
            end = pos + n - 1
            rack_id_0 = buf[pos:end].decode("utf-8", "replace")
            pos = end
        rebalance_timeout_ms_0, n = unpack_iB(buf, pos)
        pos += 5
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        subscribed_topic_names_0: Sequence[str] | None = None
        if n > 0:
            n -= 1
            if n > len(buf) - pos:
                raise overrun("ConsumerGroupHeartbeat request v0", buf, pos)
            if n > 50000:
                raise too_many("ConsumerGroupHeartbeat request v0", n)
            subscribed_topic_names_0_items: list[str] = []
            for _ in range(n):
                n = buf[pos]
                pos += 1
                if not 0 < n < 128:
                    n, pos = read_length(buf, pos - 1, "ConsumerGroupHeartbeat request v0", "SubscribedTopicNames")
                end = pos + n - 1
                subscribed_topic_names_0_item = buf[pos:end].decode("utf-8", "replace")
                pos = end
                subscribed_topic_names_0_items.append(subscribed_topic_names_0_item)
            subscribed_topic_names_0 = subscribed_topic_names_0_items
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        server_assignor_0: str | None = None
        if n > 0:
            end = pos + n - 1
            server_assignor_0 = buf[pos:end].decode("utf-8", "replace")
            pos = end
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        topic_partitions_0: Sequence[ConsumerGroupHeartbeatRequestTopicPartition] | None = None
        if n > 0:
            n -= 1
            if n > len(buf) - pos:
                raise overrun("ConsumerGroupHeartbeat request v0", buf, pos)
            if n > 50000:
                raise too_many("ConsumerGroupHeartbeat request v0", n)
            topic_partitions_0_items: list[ConsumerGroupHeartbeatRequestTopicPartition] = []
            for _ in range(n):
                topic_id_1, n = unpack_uB(buf, pos)
                pos += 17
                if not 0 < n < 128:
                    n, pos = read_length(buf, pos - 1, "ConsumerGroupHeartbeat request v0", "Partitions")
                n -= 1
                if n * 4 > len(buf) - pos:
                    raise overrun("ConsumerGroupHeartbeat request v0", buf, pos)
                partitions_1 = read_i32s(buf, pos, n)
                pos += n * 4
                tags = buf[pos]
                pos += 1
                if tags:
                    pos = skip_tagged(buf, pos - 1)
                made_1 = ConsumerGroupHeartbeatRequestTopicPartition(topic_id_1, partitions_1)
                topic_partitions_0_items.append(made_1)
            topic_partitions_0 = topic_partitions_0_items
        tags = buf[pos]
        pos += 1
        if tags:
            pos = skip_tagged(buf, pos - 1)
        made_0 = ConsumerGroupHeartbeatRequest(group_id_0, member_id_0, member_epoch_0, instance_id_0, rack_id_0, rebalance_timeout_ms_0, subscribed_topic_names_0, None, server_assignor_0, topic_partitions_0)
    except (IndexError, StructError) as error:
        raise overrun("ConsumerGroupHeartbeat request v0", buf, pos) from error
    if pos > len(buf):
        raise overrun("ConsumerGroupHeartbeat request v0", buf, pos)
    return made_0


def decode_request_v1(buf: bytes, pos: int) -> ConsumerGroupHeartbeatRequest:
    try:
        n = buf[pos]
        pos += 1
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "ConsumerGroupHeartbeat request v1", "GroupId")
        end = pos + n - 1
        group_id_0 = buf[pos:end].decode("utf-8", "replace")
        pos = end
        n = buf[pos]
        pos += 1
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "ConsumerGroupHeartbeat request v1", "MemberId")
        end = pos + n - 1
        member_id_0 = buf[pos:end].decode("utf-8", "replace")
        pos = end
        member_epoch_0, n = unpack_iB(buf, pos)
        pos += 5
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        instance_id_0: str | None = None
        if n > 0:
            end = pos + n - 1
            instance_id_0 = buf[pos:end].decode("utf-8", "replace")
            pos = end
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        rack_id_0: str | None = None
        if n > 0:
            end = pos + n - 1
            rack_id_0 = buf[pos:end].decode("utf-8", "replace")
            pos = end
        rebalance_timeout_ms_0, n = unpack_iB(buf, pos)
        pos += 5
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        subscribed_topic_names_0: Sequence[str] | None = None
        if n > 0:
            n -= 1
            if n > len(buf) - pos:
                raise overrun("ConsumerGroupHeartbeat request v1", buf, pos)
            if n > 50000:
                raise too_many("ConsumerGroupHeartbeat request v1", n)
            subscribed_topic_names_0_items: list[str] = []
            for _ in range(n):
                n = buf[pos]
                pos += 1
                if not 0 < n < 128:
                    n, pos = read_length(buf, pos - 1, "ConsumerGroupHeartbeat request v1", "SubscribedTopicNames")
                end = pos + n - 1
                subscribed_topic_names_0_item = buf[pos:end].decode("utf-8", "replace")
                pos = end
                subscribed_topic_names_0_items.append(subscribed_topic_names_0_item)
            subscribed_topic_names_0 = subscribed_topic_names_0_items
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        subscribed_topic_regex_0: str | None = None
        if n > 0:
            end = pos + n - 1
            subscribed_topic_regex_0 = buf[pos:end].decode("utf-8", "replace")
            pos = end
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        server_assignor_0: str | None = None
        if n > 0:
            end = pos + n - 1
            server_assignor_0 = buf[pos:end].decode("utf-8", "replace")
            pos = end
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        topic_partitions_0: Sequence[ConsumerGroupHeartbeatRequestTopicPartition] | None = None
        if n > 0:
            n -= 1
            if n > len(buf) - pos:
                raise overrun("ConsumerGroupHeartbeat request v1", buf, pos)
            if n > 50000:
                raise too_many("ConsumerGroupHeartbeat request v1", n)
            topic_partitions_0_items: list[ConsumerGroupHeartbeatRequestTopicPartition] = []
            for _ in range(n):
                topic_id_1, n = unpack_uB(buf, pos)
                pos += 17
                if not 0 < n < 128:
                    n, pos = read_length(buf, pos - 1, "ConsumerGroupHeartbeat request v1", "Partitions")
                n -= 1
                if n * 4 > len(buf) - pos:
                    raise overrun("ConsumerGroupHeartbeat request v1", buf, pos)
                partitions_1 = read_i32s(buf, pos, n)
                pos += n * 4
                tags = buf[pos]
                pos += 1
                if tags:
                    pos = skip_tagged(buf, pos - 1)
                made_1 = ConsumerGroupHeartbeatRequestTopicPartition(topic_id_1, partitions_1)
                topic_partitions_0_items.append(made_1)
            topic_partitions_0 = topic_partitions_0_items
        tags = buf[pos]
        pos += 1
        if tags:
            pos = skip_tagged(buf, pos - 1)
        made_0 = ConsumerGroupHeartbeatRequest(group_id_0, member_id_0, member_epoch_0, instance_id_0, rack_id_0, rebalance_timeout_ms_0, subscribed_topic_names_0, subscribed_topic_regex_0, server_assignor_0, topic_partitions_0)
    except (IndexError, StructError) as error:
        raise overrun("ConsumerGroupHeartbeat request v1", buf, pos) from error
    if pos > len(buf):
        raise overrun("ConsumerGroupHeartbeat request v1", buf, pos)
    return made_0


def encode_request_v0(message: ConsumerGroupHeartbeatRequest) -> bytes:
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
            out.append(n)
        else:
            out += uvarint(n)
        out += raw
        value_1 = message.instance_id
        if value_1 is None:
            out += pack_ix(message.member_epoch)
        else:
            raw = value_1.encode()
            n = len(raw) + 1
            if n < 128:
                out += pack_iB(message.member_epoch, n)
            else:
                out += pack_i(message.member_epoch)
                out += uvarint(n)
            out += raw
        value_2 = message.rack_id
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
        value_3 = message.subscribed_topic_names
        if value_3 is None:
            out += pack_ix(message.rebalance_timeout_ms)
        else:
            items_4 = value_3
            n = len(items_4) + 1
            if n < 128:
                out += pack_iB(message.rebalance_timeout_ms, n)
            else:
                out += pack_i(message.rebalance_timeout_ms)
                out += uvarint(n)
            for item_4 in items_4:
                raw = item_4.encode()
                n = len(raw) + 1
                if n < 128:
                    out.append(n)
                else:
                    out += uvarint(n)
                out += raw
        value_5 = message.server_assignor
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
        value_6 = message.topic_partitions
        if value_6 is None:
            out += b"\0"
        else:
            items_7 = value_6
            n = len(items_7) + 1
            if n < 128:
                out.append(n)
            else:
                out += uvarint(n)
            for item_7 in items_7:
                items_8 = item_7.partitions
                n = len(items_8) + 1
                if n < 128:
                    out += pack_uB(item_7.topic_id, n)
                else:
                    out += pack_u(item_7.topic_id)
                    out += uvarint(n)
                out += i32s(items_8)
                out += b"\0"
        out += b"\0"
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("ConsumerGroupHeartbeat request v0", message, error) from error


def encode_request_v1(message: ConsumerGroupHeartbeatRequest) -> bytes:
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
            out.append(n)
        else:
            out += uvarint(n)
        out += raw
        value_1 = message.instance_id
        if value_1 is None:
            out += pack_ix(message.member_epoch)
        else:
            raw = value_1.encode()
            n = len(raw) + 1
            if n < 128:
                out += pack_iB(message.member_epoch, n)
            else:
                out += pack_i(message.member_epoch)
                out += uvarint(n)
            out += raw
        value_2 = message.rack_id
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
        value_3 = message.subscribed_topic_names
        if value_3 is None:
            out += pack_ix(message.rebalance_timeout_ms)
        else:
            items_4 = value_3
            n = len(items_4) + 1
            if n < 128:
                out += pack_iB(message.rebalance_timeout_ms, n)
            else:
                out += pack_i(message.rebalance_timeout_ms)
                out += uvarint(n)
            for item_4 in items_4:
                raw = item_4.encode()
                n = len(raw) + 1
                if n < 128:
                    out.append(n)
                else:
                    out += uvarint(n)
                out += raw
        value_5 = message.subscribed_topic_regex
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
        value_6 = message.server_assignor
        if value_6 is None:
            out += b"\0"
        else:
            raw = value_6.encode()
            n = len(raw) + 1
            if n < 128:
                out.append(n)
            else:
                out += uvarint(n)
            out += raw
        value_7 = message.topic_partitions
        if value_7 is None:
            out += b"\0"
        else:
            items_8 = value_7
            n = len(items_8) + 1
            if n < 128:
                out.append(n)
            else:
                out += uvarint(n)
            for item_8 in items_8:
                items_9 = item_8.partitions
                n = len(items_9) + 1
                if n < 128:
                    out += pack_uB(item_8.topic_id, n)
                else:
                    out += pack_u(item_8.topic_id)
                    out += uvarint(n)
                out += i32s(items_9)
                out += b"\0"
        out += b"\0"
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("ConsumerGroupHeartbeat request v1", message, error) from error


# versions 0-1
def decode_response_v0(buf: bytes, pos: int) -> ConsumerGroupHeartbeatResponse:
    try:
        throttle_time_ms_0, error_code_0, n = unpack_ihB(buf, pos)
        pos += 7
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        error_message_0: str | None = None
        if n > 0:
            end = pos + n - 1
            error_message_0 = buf[pos:end].decode("utf-8", "replace")
            pos = end
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        member_id_0: str | None = None
        if n > 0:
            end = pos + n - 1
            member_id_0 = buf[pos:end].decode("utf-8", "replace")
            pos = end
        member_epoch_0, heartbeat_interval_ms_0, present = unpack_iib(buf, pos)
        pos += 9
        assignment_0: ConsumerGroupHeartbeatResponseAssignment | None = None
        if present >= 0:
            n = buf[pos]
            pos += 1
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "ConsumerGroupHeartbeat response v0-1", "TopicPartitions")
            n -= 1
            if n * 18 > len(buf) - pos:
                raise overrun("ConsumerGroupHeartbeat response v0-1", buf, pos)
            topic_partitions_1_items: list[ConsumerGroupHeartbeatResponseTopicPartition] = []
            for _ in range(n):
                topic_id_2, n = unpack_uB(buf, pos)
                pos += 17
                if not 0 < n < 128:
                    n, pos = read_length(buf, pos - 1, "ConsumerGroupHeartbeat response v0-1", "Partitions")
                n -= 1
                if n * 4 > len(buf) - pos:
                    raise overrun("ConsumerGroupHeartbeat response v0-1", buf, pos)
                partitions_2 = read_i32s(buf, pos, n)
                pos += n * 4
                tags = buf[pos]
                pos += 1
                if tags:
                    pos = skip_tagged(buf, pos - 1)
                made_2 = ConsumerGroupHeartbeatResponseTopicPartition(topic_id_2, partitions_2)
                topic_partitions_1_items.append(made_2)
            topic_partitions_1 = topic_partitions_1_items
            tags = buf[pos]
            pos += 1
            if tags:
                pos = skip_tagged(buf, pos - 1)
            made_1 = ConsumerGroupHeartbeatResponseAssignment(topic_partitions_1)
            assignment_0 = made_1
        tags = buf[pos]
        pos += 1
        if tags:
            pos = skip_tagged(buf, pos - 1)
        made_0 = ConsumerGroupHeartbeatResponse(throttle_time_ms_0, error_code_0, error_message_0, member_id_0, member_epoch_0, heartbeat_interval_ms_0, assignment_0)
    except (IndexError, StructError) as error:
        raise overrun("ConsumerGroupHeartbeat response v0-1", buf, pos) from error
    if pos > len(buf):
        raise overrun("ConsumerGroupHeartbeat response v0-1", buf, pos)
    return made_0


# versions 0-1
def encode_response_v0(message: ConsumerGroupHeartbeatResponse) -> bytes:
    try:
        out = bytearray()
        value_1 = message.error_message
        if value_1 is None:
            out += pack_ihx(message.throttle_time_ms, message.error_code)
        else:
            raw = value_1.encode()
            n = len(raw) + 1
            if n < 128:
                out += pack_ihB(message.throttle_time_ms, message.error_code, n)
            else:
                out += pack_ih(message.throttle_time_ms, message.error_code)
                out += uvarint(n)
            out += raw
        value_2 = message.member_id
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
        value_3 = message.assignment
        if value_3 is None:
            out += pack_iib(message.member_epoch, message.heartbeat_interval_ms, -1)
        else:
            items_4 = value_3.topic_partitions
            n = len(items_4) + 1
            if n < 128:
                out += pack_iibB(message.member_epoch, message.heartbeat_interval_ms, 1, n)
            else:
                out += pack_iib(message.member_epoch, message.heartbeat_interval_ms, 1)
                out += uvarint(n)
            for item_4 in items_4:
                items_5 = item_4.partitions
                n = len(items_5) + 1
                if n < 128:
                    out += pack_uB(item_4.topic_id, n)
                else:
                    out += pack_u(item_4.topic_id)
                    out += uvarint(n)
                out += i32s(items_5)
                out += b"\0"
            out += b"\0"
        out += b"\0"
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("ConsumerGroupHeartbeat response v0-1", message, error) from error


REQUEST_DECODERS = {
    0: decode_request_v0,
    1: decode_request_v1,
}
REQUEST_ENCODERS = {
    0: encode_request_v0,
    1: encode_request_v1,
}
RESPONSE_DECODERS = {
    0: decode_response_v0,
    1: decode_response_v0,
}
RESPONSE_ENCODERS = {
    0: encode_response_v0,
    1: encode_response_v0,
}
