"""Generated from tools/codecs/schemas/leave_group.api by `make generate`; changes belong there."""

from __future__ import annotations

from muster.wire.generated.leave_group import (
    LeaveGroupRequest,
    LeaveGroupRequestMember,
    LeaveGroupResponse,
)
from librt.strings import BytesWriter, write_i16_be, write_i32_be
from mypy_extensions import i64

from muster.wire.message import Message, encode_failure
from muster.wire.native import as_list, begun, finished, read_compact_count, read_compact_str, read_count, read_nullable_compact_str, read_nullable_str, read_str, skip_tags, write_compact_str, write_nullable_compact_str, write_nullable_str, write_str, write_uvarint
from muster.wire.primitives import overrun, too_many


# versions 0-2
def decode_request_v0(buf: bytes, pos: int) -> LeaveGroupRequest:
    at: i64 = pos
    try:
        group_id_0, at = read_str(buf, at, "LeaveGroup request v0-2", "GroupId")
        member_id_0, at = read_str(buf, at, "LeaveGroup request v0-2", "MemberId")
        return LeaveGroupRequest(group_id_0, member_id_0, ())
    except IndexError as error:
        raise overrun("LeaveGroup request v0-2", buf, at) from error


def decode_request_v3(buf: bytes, pos: int) -> LeaveGroupRequest:
    at: i64 = pos
    try:
        group_id_0, at = read_str(buf, at, "LeaveGroup request v3", "GroupId")
        members_0_count, at = read_count(buf, at, 4, "LeaveGroup request v3", "Members")
        if members_0_count > 50000:
            raise too_many("LeaveGroup request v3", members_0_count)
        members_0: list[LeaveGroupRequestMember] = []
        for _ in range(members_0_count):
            member_id_1, at = read_str(buf, at, "LeaveGroup request v3", "MemberId")
            group_instance_id_1, at = read_nullable_str(buf, at)
            members_0.append(LeaveGroupRequestMember(member_id_1, group_instance_id_1, None))
        return LeaveGroupRequest(group_id_0, "", members_0)
    except IndexError as error:
        raise overrun("LeaveGroup request v3", buf, at) from error


def decode_request_v4(buf: bytes, pos: int) -> LeaveGroupRequest:
    at: i64 = pos
    try:
        group_id_0, at = read_compact_str(buf, at, "LeaveGroup request v4", "GroupId")
        members_0_count, at = read_compact_count(buf, at, 3, "LeaveGroup request v4", "Members")
        if members_0_count > 50000:
            raise too_many("LeaveGroup request v4", members_0_count)
        members_0: list[LeaveGroupRequestMember] = []
        for _ in range(members_0_count):
            member_id_1, at = read_compact_str(buf, at, "LeaveGroup request v4", "MemberId")
            group_instance_id_1, at = read_nullable_compact_str(buf, at)
            if buf[at] == 0:
                at += 1
            else:
                at = skip_tags(buf, at)
            members_0.append(LeaveGroupRequestMember(member_id_1, group_instance_id_1, None))
        if buf[at] == 0:
            at += 1
        else:
            at = skip_tags(buf, at)
        return LeaveGroupRequest(group_id_0, "", members_0)
    except IndexError as error:
        raise overrun("LeaveGroup request v4", buf, at) from error


def decode_request_v5(buf: bytes, pos: int) -> LeaveGroupRequest:
    at: i64 = pos
    try:
        group_id_0, at = read_compact_str(buf, at, "LeaveGroup request v5", "GroupId")
        members_0_count, at = read_compact_count(buf, at, 4, "LeaveGroup request v5", "Members")
        if members_0_count > 50000:
            raise too_many("LeaveGroup request v5", members_0_count)
        members_0: list[LeaveGroupRequestMember] = []
        for _ in range(members_0_count):
            member_id_1, at = read_compact_str(buf, at, "LeaveGroup request v5", "MemberId")
            group_instance_id_1, at = read_nullable_compact_str(buf, at)
            reason_1, at = read_nullable_compact_str(buf, at)
            if buf[at] == 0:
                at += 1
            else:
                at = skip_tags(buf, at)
            members_0.append(LeaveGroupRequestMember(member_id_1, group_instance_id_1, reason_1))
        if buf[at] == 0:
            at += 1
        else:
            at = skip_tags(buf, at)
        return LeaveGroupRequest(group_id_0, "", members_0)
    except IndexError as error:
        raise overrun("LeaveGroup request v5", buf, at) from error


def encode_response_v0(message: LeaveGroupResponse) -> bytes:
    try:
        out = begun()
        write_i16_be(out, message.error_code)
        return finished(out)
    except (AttributeError, TypeError, ValueError, OverflowError) as error:
        raise encode_failure("LeaveGroup response v0", message, error) from error


# versions 1-2
def encode_response_v1(message: LeaveGroupResponse) -> bytes:
    try:
        out = begun()
        write_i32_be(out, message.throttle_time_ms)
        write_i16_be(out, message.error_code)
        return finished(out)
    except (AttributeError, TypeError, ValueError, OverflowError) as error:
        raise encode_failure("LeaveGroup response v1-2", message, error) from error


def encode_response_v3(message: LeaveGroupResponse) -> bytes:
    try:
        out = begun()
        write_i32_be(out, message.throttle_time_ms)
        write_i16_be(out, message.error_code)
        items_1 = as_list(message.members)
        write_i32_be(out, len(items_1))
        for item_1 in items_1:
            write_str(out, item_1.member_id)
            write_nullable_str(out, item_1.group_instance_id)
            write_i16_be(out, item_1.error_code)
        return finished(out)
    except (AttributeError, TypeError, ValueError, OverflowError) as error:
        raise encode_failure("LeaveGroup response v3", message, error) from error


# versions 4-5
def encode_response_v4(message: LeaveGroupResponse) -> bytes:
    try:
        out = begun()
        write_i32_be(out, message.throttle_time_ms)
        write_i16_be(out, message.error_code)
        items_1 = as_list(message.members)
        write_uvarint(out, len(items_1) + 1)
        for item_1 in items_1:
            write_compact_str(out, item_1.member_id)
            write_nullable_compact_str(out, item_1.group_instance_id)
            write_i16_be(out, item_1.error_code)
            out.append(0)
        out.append(0)
        return finished(out)
    except (AttributeError, TypeError, ValueError, OverflowError) as error:
        raise encode_failure("LeaveGroup response v4-5", message, error) from error


REQUEST_DECODERS = {
    0: decode_request_v0,
    1: decode_request_v0,
    2: decode_request_v0,
    3: decode_request_v3,
    4: decode_request_v4,
    5: decode_request_v5,
}
RESPONSE_ENCODERS = {
    0: encode_response_v0,
    1: encode_response_v1,
    2: encode_response_v1,
    3: encode_response_v3,
    4: encode_response_v4,
    5: encode_response_v4,
}
