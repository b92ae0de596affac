"""Generated from tools/codecs/schemas/leave_group.api by `make generate`; changes belong there."""

from __future__ import annotations

from muster.wire.generated.leave_group import (
    LeaveGroupRequest,
    LeaveGroupRequestMember,
    LeaveGroupResponse,
    LeaveGroupResponseMember,
)
from struct import Struct, error as StructError

from muster.wire.message import Message, encode_failure
from muster.wire.primitives import null_field, overrun, read_length, skip_tagged, too_many
from muster.wire.varint import read_uvarint, uvarint

pack_h = Struct(">h").pack
pack_hx = Struct(">hx").pack
pack_i = Struct(">i").pack
pack_ih = Struct(">ih").pack
pack_ihB = Struct(">ihB").pack
pack_ihi = Struct(">ihi").pack
unpack_h = Struct(">h").unpack_from
unpack_hB = Struct(">hB").unpack_from
unpack_i = Struct(">i").unpack_from
unpack_ih = Struct(">ih").unpack_from
unpack_ihB = Struct(">ihB").unpack_from
unpack_ihi = Struct(">ihi").unpack_from


# versions 0-2
def decode_request_v0(buf: bytes, pos: int) -> LeaveGroupRequest:
    try:
        (n,) = unpack_h(buf, pos)
        pos += 2
        if n < 0:
            raise null_field("LeaveGroup request v0-2", "GroupId")
        end = pos + n
        group_id_0 = buf[pos:end].decode("utf-8", "replace")
        pos = end
        (n,) = unpack_h(buf, pos)
        pos += 2
        if n < 0:
            raise null_field("LeaveGroup request v0-2", "MemberId")
        end = pos + n
        member_id_0 = buf[pos:end].decode("utf-8", "replace")
        pos = end
        made_0 = LeaveGroupRequest(group_id_0, member_id_0, ())
    except (IndexError, StructError) as error:
        raise overrun("LeaveGroup request v0-2", buf, pos) from error
    if pos > len(buf):
        raise overrun("LeaveGroup request v0-2", buf, pos)
    return made_0


def decode_request_v3(buf: bytes, pos: int) -> LeaveGroupRequest:
    try:
        (n,) = unpack_h(buf, pos)
        pos += 2
        if n < 0:
            raise null_field("LeaveGroup request v3", "GroupId")
        end = pos + n
        group_id_0 = buf[pos:end].decode("utf-8", "replace")
        pos = end
        (n,) = unpack_i(buf, pos)
        pos += 4
        if n < 0:
            raise null_field("LeaveGroup request v3", "Members")
        if n * 4 > len(buf) - pos:
            raise overrun("LeaveGroup request v3", buf, pos)
        if n > 50000:
            raise too_many("LeaveGroup request v3", n)
        members_0_items: list[LeaveGroupRequestMember] = []
        for _ in range(n):
            (n,) = unpack_h(buf, pos)
            pos += 2
            if n < 0:
                raise null_field("LeaveGroup request v3", "MemberId")
            end = pos + n
            member_id_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            (n,) = unpack_h(buf, pos)
            pos += 2
            group_instance_id_1: str | None = None
            if n >= 0:
                end = pos + n
                group_instance_id_1 = buf[pos:end].decode("utf-8", "replace")
                pos = end
            made_1 = LeaveGroupRequestMember(member_id_1, group_instance_id_1, None)
            members_0_items.append(made_1)
        members_0 = members_0_items
        made_0 = LeaveGroupRequest(group_id_0, "", members_0)
    except (IndexError, StructError) as error:
        raise overrun("LeaveGroup request v3", buf, pos) from error
    if pos > len(buf):
        raise overrun("LeaveGroup request v3", buf, pos)
    return made_0


def decode_request_v4(buf: bytes, pos: int) -> LeaveGroupRequest:
    try:
        n = buf[pos]
        pos += 1
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "LeaveGroup request v4", "GroupId")
        end = pos + n - 1
        group_id_0 = buf[pos:end].decode("utf-8", "replace")
        pos = end
        n = buf[pos]
        pos += 1
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "LeaveGroup request v4", "Members")
        n -= 1
        if n * 3 > len(buf) - pos:
            raise overrun("LeaveGroup request v4", buf, pos)
        if n > 50000:
            raise too_many("LeaveGroup request v4", n)
        members_0_items: list[LeaveGroupRequestMember] = []
        for _ in range(n):
            n = buf[pos]
            pos += 1
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "LeaveGroup request v4", "MemberId")
            end = pos + n - 1
            member_id_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            group_instance_id_1: str | None = None
            if n > 0:
                end = pos + n - 1
                group_instance_id_1 = buf[pos:end].decode("utf-8", "replace")
                pos = end
            tags = buf[pos]
            pos += 1
            if tags:
                pos = skip_tagged(buf, pos - 1)
            made_1 = LeaveGroupRequestMember(member_id_1, group_instance_id_1, None)
            members_0_items.append(made_1)
        members_0 = members_0_items
        tags = buf[pos]
        pos += 1
        if tags:
            pos = skip_tagged(buf, pos - 1)
        made_0 = LeaveGroupRequest(group_id_0, "", members_0)
    except (IndexError, StructError) as error:
        raise overrun("LeaveGroup request v4", buf, pos) from error
    if pos > len(buf):
        raise overrun("LeaveGroup request v4", buf, pos)
    return made_0


def decode_request_v5(buf: bytes, pos: int) -> LeaveGroupRequest:
    try:
        n = buf[pos]
        pos += 1
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "LeaveGroup request v5", "GroupId")
        end = pos + n - 1
        group_id_0 = buf[pos:end].decode("utf-8", "replace")
        pos = end
        n = buf[pos]
        pos += 1
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "LeaveGroup request v5", "Members")
        n -= 1
        if n * 4 > len(buf) - pos:
            raise overrun("LeaveGroup request v5", buf, pos)
        if n > 50000:
            raise too_many("LeaveGroup request v5", n)
        members_0_items: list[LeaveGroupRequestMember] = []
        for _ in range(n):
            n = buf[pos]
            pos += 1
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "LeaveGroup request v5", "MemberId")
            end = pos + n - 1
            member_id_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            group_instance_id_1: str | None = None
            if n > 0:
                end = pos + n - 1
                group_instance_id_1 = buf[pos:end].decode("utf-8", "replace")
                pos = end
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            reason_1: str | None = None
            if n > 0:
                end = pos + n - 1
                reason_1 = buf[pos:end].decode("utf-8", "replace")
                pos = end
            tags = buf[pos]
            pos += 1
            if tags:
                pos = skip_tagged(buf, pos - 1)
            made_1 = LeaveGroupRequestMember(member_id_1, group_instance_id_1, reason_1)
            members_0_items.append(made_1)
        members_0 = members_0_items
        tags = buf[pos]
        pos += 1
        if tags:
            pos = skip_tagged(buf, pos - 1)
        made_0 = LeaveGroupRequest(group_id_0, "", members_0)
    except (IndexError, StructError) as error:
        raise overrun("LeaveGroup request v5", buf, pos) from error
    if pos > len(buf):
        raise overrun("LeaveGroup request v5", buf, pos)
    return made_0


# versions 0-2
def encode_request_v0(message: LeaveGroupRequest) -> bytes:
    try:
        out = bytearray()
        raw = message.group_id.encode()
        out += pack_h(len(raw))
        out += raw
        raw = message.member_id.encode()
        out += pack_h(len(raw))
        out += raw
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("LeaveGroup request v0-2", message, error) from error


def encode_request_v3(message: LeaveGroupRequest) -> bytes:
    try:
        out = bytearray()
        raw = message.group_id.encode()
        out += pack_h(len(raw))
        out += raw
        items_1 = message.members
        out += pack_i(len(items_1))
        for item_1 in items_1:
            raw = item_1.member_id.encode()
            out += pack_h(len(raw))
            out += raw
            value_2 = item_1.group_instance_id
            if value_2 is None:
                out += pack_h(-1)
            else:
                raw = value_2.encode()
                out += pack_h(len(raw))
                out += raw
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("LeaveGroup request v3", message, error) from error


def encode_request_v4(message: LeaveGroupRequest) -> bytes:
    try:
        out = bytearray()
        raw = message.group_id.encode()
        n = len(raw) + 1
        if n < 128:
            out.append(n)
        else:
            out += uvarint(n)
        out += raw
        items_1 = message.members
        n = len(items_1) + 1
        if n < 128:
            out.append(n)
        else:
            out += uvarint(n)
        for item_1 in items_1:
            raw = item_1.member_id.encode()
            n = len(raw) + 1
            if n < 128:
                out.append(n)
            else:
                out += uvarint(n)
            out += raw
            value_2 = item_1.group_instance_id
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
            out += b"\0"
        out += b"\0"
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("LeaveGroup request v4", message, error) from error


def encode_request_v5(message: LeaveGroupRequest) -> bytes:
    try:
        out = bytearray()
        raw = message.group_id.encode()
        n = len(raw) + 1
        if n < 128:
            out.append(n)
        else:
            out += uvarint(n)
        out += raw
        items_1 = message.members
        n = len(items_1) + 1
        if n < 128:
            out.append(n)
        else:
            out += uvarint(n)
        for item_1 in items_1:
            raw = item_1.member_id.encode()
            n = len(raw) + 1
            if n < 128:
                out.append(n)
            else:
                out += uvarint(n)
            out += raw
            value_2 = item_1.group_instance_id
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
            value_3 = item_1.reason
            if value_3 is None:
                out += b"\0"
            else:
                raw = value_3.encode()
                n = len(raw) + 1
                if n < 128:
                    out.append(n)
                else:
                    out += uvarint(n)
                out += raw
            out += b"\0"
        out += b"\0"
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("LeaveGroup request v5", message, error) from error


def decode_response_v0(buf: bytes, pos: int) -> LeaveGroupResponse:
    try:
        (error_code_0,) = unpack_h(buf, pos)
        pos += 2
        made_0 = LeaveGroupResponse(0, error_code_0, ())
    except (IndexError, StructError) as error:
        raise overrun("LeaveGroup response v0", buf, pos) from error
    if pos > len(buf):
        raise overrun("LeaveGroup response v0", buf, pos)
    return made_0


# versions 1-2
def decode_response_v1(buf: bytes, pos: int) -> LeaveGroupResponse:
    try:
        throttle_time_ms_0, error_code_0 = unpack_ih(buf, pos)
        pos += 6
        made_0 = LeaveGroupResponse(throttle_time_ms_0, error_code_0, ())
    except (IndexError, StructError) as error:
        raise overrun("LeaveGroup response v1-2", buf, pos) from error
    if pos > len(buf):
        raise overrun("LeaveGroup response v1-2", buf, pos)
    return made_0


def decode_response_v3(buf: bytes, pos: int) -> LeaveGroupResponse:
    try:
        throttle_time_ms_0, error_code_0, n = unpack_ihi(buf, pos)
        pos += 10
        if n < 0:
            raise null_field("LeaveGroup response v3", "Members")
        if n * 6 > len(buf) - pos:
            raise overrun("LeaveGroup response v3", buf, pos)
        members_0_items: list[LeaveGroupResponseMember] = []
        for _ in range(n):
            (n,) = unpack_h(buf, pos)
            pos += 2
            if n < 0:
                raise null_field("LeaveGroup response v3", "MemberId")
            end = pos + n
            member_id_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            (n,) = unpack_h(buf, pos)
            pos += 2
            group_instance_id_1: str | None = None
            if n >= 0:
                end = pos + n
                group_instance_id_1 = buf[pos:end].decode("utf-8", "replace")
                pos = end
            (error_code_1,) = unpack_h(buf, pos)
            pos += 2
            made_1 = LeaveGroupResponseMember(member_id_1, group_instance_id_1, error_code_1)
            members_0_items.append(made_1)
        members_0 = members_0_items
        made_0 = LeaveGroupResponse(throttle_time_ms_0, error_code_0, members_0)
    except (IndexError, StructError) as error:
        raise overrun("LeaveGroup response v3", buf, pos) from error
    if pos > len(buf):
        raise overrun("LeaveGroup response v3", buf, pos)
    return made_0


# versions 4-5
def decode_response_v4(buf: bytes, pos: int) -> LeaveGroupResponse:
    try:
        throttle_time_ms_0, error_code_0, n = unpack_ihB(buf, pos)
        pos += 7
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "LeaveGroup response v4-5", "Members")
        n -= 1
        if n * 5 > len(buf) - pos:
            raise overrun("LeaveGroup response v4-5", buf, pos)
        members_0_items: list[LeaveGroupResponseMember] = []
        for _ in range(n):
            n = buf[pos]
            pos += 1
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "LeaveGroup response v4-5", "MemberId")
            end = pos + n - 1
            member_id_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            group_instance_id_1: str | None = None
            if n > 0:
                end = pos + n - 1
                group_instance_id_1 = buf[pos:end].decode("utf-8", "replace")
                pos = end
            error_code_1, tags = unpack_hB(buf, pos)
            pos += 3
            if tags:
                pos = skip_tagged(buf, pos - 1)
            made_1 = LeaveGroupResponseMember(member_id_1, group_instance_id_1, error_code_1)
            members_0_items.append(made_1)
        members_0 = members_0_items
        tags = buf[pos]
        pos += 1
        if tags:
            pos = skip_tagged(buf, pos - 1)
        made_0 = LeaveGroupResponse(throttle_time_ms_0, error_code_0, members_0)
    except (IndexError, StructError) as error:
        raise overrun("LeaveGroup response v4-5", buf, pos) from error
    if pos > len(buf):
        raise overrun("LeaveGroup response v4-5", buf, pos)
    return made_0


def encode_response_v0(message: LeaveGroupResponse) -> bytes:
    try:
        return pack_h(message.error_code)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("LeaveGroup response v0", message, error) from error


# versions 1-2
def encode_response_v1(message: LeaveGroupResponse) -> bytes:
    try:
        return pack_ih(message.throttle_time_ms, message.error_code)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("LeaveGroup response v1-2", message, error) from error


def encode_response_v3(message: LeaveGroupResponse) -> bytes:
    try:
        out = bytearray()
        items_1 = message.members
        out += pack_ihi(message.throttle_time_ms, message.error_code, len(items_1))
        for item_1 in items_1:
            raw = item_1.member_id.encode()
            out += pack_h(len(raw))
            out += raw
            value_2 = item_1.group_instance_id
            if value_2 is None:
                out += pack_h(-1)
            else:
                raw = value_2.encode()
                out += pack_h(len(raw))
                out += raw
            out += pack_h(item_1.error_code)
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("LeaveGroup response v3", message, error) from error


# versions 4-5
def encode_response_v4(message: LeaveGroupResponse) -> bytes:
    try:
        out = bytearray()
        items_1 = message.members
        n = len(items_1) + 1
        if n < 128:
            out += pack_ihB(message.throttle_time_ms, message.error_code, n)
        else:
            out += pack_ih(message.throttle_time_ms, message.error_code)
            out += uvarint(n)
        for item_1 in items_1:
            raw = item_1.member_id.encode()
            n = len(raw) + 1
            if n < 128:
                out.append(n)
            else:
                out += uvarint(n)
            out += raw
            value_2 = item_1.group_instance_id
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
            out += pack_hx(item_1.error_code)
        out += b"\0"
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("LeaveGroup response v4-5", message, error) from error


REQUEST_DECODERS = {
    0: decode_request_v0,
    1: decode_request_v0,
    2: decode_request_v0,
    3: decode_request_v3,
    4: decode_request_v4,
    5: decode_request_v5,
}
REQUEST_ENCODERS = {
    0: encode_request_v0,
    1: encode_request_v0,
    2: encode_request_v0,
    3: encode_request_v3,
    4: encode_request_v4,
    5: encode_request_v5,
}
RESPONSE_DECODERS = {
    0: decode_response_v0,
    1: decode_response_v1,
    2: decode_response_v1,
    3: decode_response_v3,
    4: decode_response_v4,
    5: decode_response_v4,
}
RESPONSE_ENCODERS = {
    0: encode_response_v0,
    1: encode_response_v1,
    2: encode_response_v1,
    3: encode_response_v3,
    4: encode_response_v4,
    5: encode_response_v4,
}
