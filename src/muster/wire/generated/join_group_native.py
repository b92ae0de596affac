"""Generated from tools/codecs/schemas/join_group.api by `make generate`; changes belong there."""

from __future__ import annotations

from muster.wire.generated.join_group import (
    JoinGroupRequest,
    JoinGroupRequestProtocol,
    JoinGroupResponse,
)
from librt.strings import BytesWriter, read_i32_be, write_i16_be, write_i32_be
from mypy_extensions import i64

from muster.wire.message import Message, encode_failure
from muster.wire.native import as_list, begun, finished, read_bytes, read_compact_bytes, read_compact_count, read_compact_str, read_count, read_nullable_compact_str, read_nullable_str, read_str, skip_tags, write_bytes, write_compact_bytes, write_compact_str, write_nullable_compact_str, write_nullable_str, write_str, write_uvarint
from muster.wire.primitives import overrun, too_many


def decode_request_v0(buf: bytes, pos: int) -> JoinGroupRequest:
    at: i64 = pos
    try:
        group_id_0, at = read_str(buf, at, "JoinGroup request v0", "GroupId")
        session_timeout_ms_0 = read_i32_be(buf, at)
        at += 4
        member_id_0, at = read_str(buf, at, "JoinGroup request v0", "MemberId")
        protocol_type_0, at = read_str(buf, at, "JoinGroup request v0", "ProtocolType")
        protocols_0_count, at = read_count(buf, at, 6, "JoinGroup request v0", "Protocols")
        if protocols_0_count > 50000:
            raise too_many("JoinGroup request v0", protocols_0_count)
        protocols_0: list[JoinGroupRequestProtocol] = []
        for _ in range(protocols_0_count):
            name_1, at = read_str(buf, at, "JoinGroup request v0", "Name")
            metadata_1, at = read_bytes(buf, at, "JoinGroup request v0", "Metadata")
            protocols_0.append(JoinGroupRequestProtocol(name_1, metadata_1))
        return JoinGroupRequest(group_id_0, session_timeout_ms_0, -1, member_id_0, None, protocol_type_0, protocols_0, None)
    except IndexError as error:
        raise overrun("JoinGroup request v0", buf, at) from error


# versions 1-4
def decode_request_v1(buf: bytes, pos: int) -> JoinGroupRequest:
    at: i64 = pos
    try:
        group_id_0, at = read_str(buf, at, "JoinGroup request v1-4", "GroupId")
        session_timeout_ms_0 = read_i32_be(buf, at)
        at += 4
        rebalance_timeout_ms_0 = read_i32_be(buf, at)
        at += 4
        member_id_0, at = read_str(buf, at, "JoinGroup request v1-4", "MemberId")
        protocol_type_0, at = read_str(buf, at, "JoinGroup request v1-4", "ProtocolType")
        protocols_0_count, at = read_count(buf, at, 6, "JoinGroup request v1-4", "Protocols")
        if protocols_0_count > 50000:
            raise too_many("JoinGroup request v1-4", protocols_0_count)
        protocols_0: list[JoinGroupRequestProtocol] = []
        for _ in range(protocols_0_count):
            name_1, at = read_str(buf, at, "JoinGroup request v1-4", "Name")
            metadata_1, at = read_bytes(buf, at, "JoinGroup request v1-4", "Metadata")
            protocols_0.append(JoinGroupRequestProtocol(name_1, metadata_1))
        return JoinGroupRequest(group_id_0, session_timeout_ms_0, rebalance_timeout_ms_0, member_id_0, None, protocol_type_0, protocols_0, None)
    except IndexError as error:
        raise overrun("JoinGroup request v1-4", buf, at) from error


def decode_request_v5(buf: bytes, pos: int) -> JoinGroupRequest:
    at: i64 = pos
    try:
        group_id_0, at = read_str(buf, at, "JoinGroup request v5", "GroupId")
        session_timeout_ms_0 = read_i32_be(buf, at)
        at += 4
        rebalance_timeout_ms_0 = read_i32_be(buf, at)
        at += 4
        member_id_0, at = read_str(buf, at, "JoinGroup request v5", "MemberId")
        group_instance_id_0, at = read_nullable_str(buf, at)
        protocol_type_0, at = read_str(buf, at, "JoinGroup request v5", "ProtocolType")
        protocols_0_count, at = read_count(buf, at, 6, "JoinGroup request v5", "Protocols")
        if protocols_0_count > 50000:
            raise too_many("JoinGroup request v5", protocols_0_count)
        protocols_0: list[JoinGroupRequestProtocol] = []
        for _ in range(protocols_0_count):
            name_1, at = read_str(buf, at, "JoinGroup request v5", "Name")
            metadata_1, at = read_bytes(buf, at, "JoinGroup request v5", "Metadata")
            protocols_0.append(JoinGroupRequestProtocol(name_1, metadata_1))
        return JoinGroupRequest(group_id_0, session_timeout_ms_0, rebalance_timeout_ms_0, member_id_0, group_instance_id_0, protocol_type_0, protocols_0, None)
    except IndexError as error:
        raise overrun("JoinGroup request v5", buf, at) from error


# versions 6-7
def decode_request_v6(buf: bytes, pos: int) -> JoinGroupRequest:
    at: i64 = pos
    try:
        group_id_0, at = read_compact_str(buf, at, "JoinGroup request v6-7", "GroupId")
        session_timeout_ms_0 = read_i32_be(buf, at)
        at += 4
        rebalance_timeout_ms_0 = read_i32_be(buf, at)
        at += 4
        member_id_0, at = read_compact_str(buf, at, "JoinGroup request v6-7", "MemberId")
        group_instance_id_0, at = read_nullable_compact_str(buf, at)
        protocol_type_0, at = read_compact_str(buf, at, "JoinGroup request v6-7", "ProtocolType")
        protocols_0_count, at = read_compact_count(buf, at, 3, "JoinGroup request v6-7", "Protocols")
        if protocols_0_count > 50000:
            raise too_many("JoinGroup request v6-7", protocols_0_count)
        protocols_0: list[JoinGroupRequestProtocol] = []
        for _ in range(protocols_0_count):
            name_1, at = read_compact_str(buf, at, "JoinGroup request v6-7", "Name")
            metadata_1, at = read_compact_bytes(buf, at, "JoinGroup request v6-7", "Metadata")
            if buf[at] == 0:
                at += 1
            else:
                at = skip_tags(buf, at)
            protocols_0.append(JoinGroupRequestProtocol(name_1, metadata_1))
        if buf[at] == 0:
            at += 1
        else:
            at = skip_tags(buf, at)
        return JoinGroupRequest(group_id_0, session_timeout_ms_0, rebalance_timeout_ms_0, member_id_0, group_instance_id_0, protocol_type_0, protocols_0, None)
    except IndexError as error:
        raise overrun("JoinGroup request v6-7", buf, at) from error


# versions 8-9
def decode_request_v8(buf: bytes, pos: int) -> JoinGroupRequest:
    at: i64 = pos
    try:
        group_id_0, at = read_compact_str(buf, at, "JoinGroup request v8-9", "GroupId")
        session_timeout_ms_0 = read_i32_be(buf, at)
        at += 4
        rebalance_timeout_ms_0 = read_i32_be(buf, at)
        at += 4
        member_id_0, at = read_compact_str(buf, at, "JoinGroup request v8-9", "MemberId")
        group_instance_id_0, at = read_nullable_compact_str(buf, at)
        protocol_type_0, at = read_compact_str(buf, at, "JoinGroup request v8-9", "ProtocolType")
        protocols_0_count, at = read_compact_count(buf, at, 3, "JoinGroup request v8-9", "Protocols")
        if protocols_0_count > 50000:
            raise too_many("JoinGroup request v8-9", protocols_0_count)
        protocols_0: list[JoinGroupRequestProtocol] = []
        for _ in range(protocols_0_count):
            name_1, at = read_compact_str(buf, at, "JoinGroup request v8-9", "Name")
            metadata_1, at = read_compact_bytes(buf, at, "JoinGroup request v8-9", "Metadata")
            if buf[at] == 0:
                at += 1
            else:
                at = skip_tags(buf, at)
            protocols_0.append(JoinGroupRequestProtocol(name_1, metadata_1))
        reason_0, at = read_nullable_compact_str(buf, at)
        if buf[at] == 0:
            at += 1
        else:
            at = skip_tags(buf, at)
        return JoinGroupRequest(group_id_0, session_timeout_ms_0, rebalance_timeout_ms_0, member_id_0, group_instance_id_0, protocol_type_0, protocols_0, reason_0)
    except IndexError as error:
        raise overrun("JoinGroup request v8-9", buf, at) from error


# versions 0-1
def encode_response_v0(message: JoinGroupResponse) -> bytes:
    try:
        out = begun()
        write_i16_be(out, message.error_code)
        write_i32_be(out, message.generation_id)
        value_1 = message.protocol_name
        if value_1 is None:
            raise TypeError("ProtocolName may not be null")
        write_str(out, value_1)
        write_str(out, message.leader)
        write_str(out, message.member_id)
        items_2 = as_list(message.members)
        write_i32_be(out, len(items_2))
        for item_2 in items_2:
            write_str(out, item_2.member_id)
            write_bytes(out, item_2.metadata)
        return finished(out)
    except (AttributeError, TypeError, ValueError, OverflowError) as error:
        raise encode_failure("JoinGroup response v0-1", message, error) from error


# versions 2-4
def encode_response_v2(message: JoinGroupResponse) -> bytes:
    try:
        out = begun()
        write_i32_be(out, message.throttle_time_ms)
        write_i16_be(out, message.error_code)
        write_i32_be(out, message.generation_id)
        value_1 = message.protocol_name
        if value_1 is None:
            raise TypeError("ProtocolName may not be null")
        write_str(out, value_1)
        write_str(out, message.leader)
        write_str(out, message.member_id)
        items_2 = as_list(message.members)
        write_i32_be(out, len(items_2))
        for item_2 in items_2:
            write_str(out, item_2.member_id)
            write_bytes(out, item_2.metadata)
        return finished(out)
    except (AttributeError, TypeError, ValueError, OverflowError) as error:
        raise encode_failure("JoinGroup response v2-4", message, error) from error


def encode_response_v5(message: JoinGroupResponse) -> bytes:
    try:
        out = begun()
        write_i32_be(out, message.throttle_time_ms)
        write_i16_be(out, message.error_code)
        write_i32_be(out, message.generation_id)
        value_1 = message.protocol_name
        if value_1 is None:
            raise TypeError("ProtocolName may not be null")
        write_str(out, value_1)
        write_str(out, message.leader)
        write_str(out, message.member_id)
        items_2 = as_list(message.members)
        write_i32_be(out, len(items_2))
        for item_2 in items_2:
            write_str(out, item_2.member_id)
            write_nullable_str(out, item_2.group_instance_id)
            write_bytes(out, item_2.metadata)
        return finished(out)
    except (AttributeError, TypeError, ValueError, OverflowError) as error:
        raise encode_failure("JoinGroup response v5", message, error) from error


def encode_response_v6(message: JoinGroupResponse) -> bytes:
    try:
        out = begun()
        write_i32_be(out, message.throttle_time_ms)
        write_i16_be(out, message.error_code)
        write_i32_be(out, message.generation_id)
        value_1 = message.protocol_name
        if value_1 is None:
            raise TypeError("ProtocolName may not be null")
        write_compact_str(out, value_1)
        write_compact_str(out, message.leader)
        write_compact_str(out, message.member_id)
        items_2 = as_list(message.members)
        write_uvarint(out, len(items_2) + 1)
        for item_2 in items_2:
            write_compact_str(out, item_2.member_id)
            write_nullable_compact_str(out, item_2.group_instance_id)
            write_compact_bytes(out, item_2.metadata)
            out.append(0)
        out.append(0)
        return finished(out)
    except (AttributeError, TypeError, ValueError, OverflowError) as error:
        raise encode_failure("JoinGroup response v6", message, error) from error


# versions 7-8
def encode_response_v7(message: JoinGroupResponse) -> bytes:
    try:
        out = begun()
        write_i32_be(out, message.throttle_time_ms)
        write_i16_be(out, message.error_code)
        write_i32_be(out, message.generation_id)
        write_nullable_compact_str(out, message.protocol_type)
        write_nullable_compact_str(out, message.protocol_name)
        write_compact_str(out, message.leader)
        write_compact_str(out, message.member_id)
        items_1 = as_list(message.members)
        write_uvarint(out, len(items_1) + 1)
        for item_1 in items_1:
            write_compact_str(out, item_1.member_id)
            write_nullable_compact_str(out, item_1.group_instance_id)
            write_compact_bytes(out, item_1.metadata)
            out.append(0)
        out.append(0)
        return finished(out)
    except (AttributeError, TypeError, ValueError, OverflowError) as error:
        raise encode_failure("JoinGroup response v7-8", message, error) from error


def encode_response_v9(message: JoinGroupResponse) -> bytes:
    try:
        out = begun()
        write_i32_be(out, message.throttle_time_ms)
        write_i16_be(out, message.error_code)
        write_i32_be(out, message.generation_id)
        write_nullable_compact_str(out, message.protocol_type)
        write_nullable_compact_str(out, message.protocol_name)
        write_compact_str(out, message.leader)
        out.append(1 if message.skip_assignment else 0)
        write_compact_str(out, message.member_id)
        items_1 = as_list(message.members)
        write_uvarint(out, len(items_1) + 1)
        for item_1 in items_1:
            write_compact_str(out, item_1.member_id)
            write_nullable_compact_str(out, item_1.group_instance_id)
            write_compact_bytes(out, item_1.metadata)
            out.append(0)
        out.append(0)
        return finished(out)
    except (AttributeError, TypeError, ValueError, OverflowError) as error:
        raise encode_failure("JoinGroup response v9", message, error) from error


REQUEST_DECODERS = {
    0: decode_request_v0,
    1: decode_request_v1,
    2: decode_request_v1,
    3: decode_request_v1,
    4: decode_request_v1,
    5: decode_request_v5,
    6: decode_request_v6,
    7: decode_request_v6,
    8: decode_request_v8,
    9: decode_request_v8,
}
RESPONSE_ENCODERS = {
    0: encode_response_v0,
    1: encode_response_v0,
    2: encode_response_v2,
    3: encode_response_v2,
    4: encode_response_v2,
    5: encode_response_v5,
    6: encode_response_v6,
    7: encode_response_v7,
    8: encode_response_v7,
    9: encode_response_v9,
}
