"""Generated from tools/codecs/schemas/sync_group.api by `make generate`; changes belong there."""

from __future__ import annotations

from muster.wire.generated.sync_group import (
    SyncGroupRequest,
    SyncGroupRequestAssignment,
    SyncGroupResponse,
)
from struct import Struct, error as StructError

from muster.wire.message import Message, encode_failure
from muster.wire.primitives import null_field, overrun, read_length, skip_tagged, too_many
from muster.wire.varint import read_uvarint, uvarint

pack_h = Struct(">h").pack
pack_hi = Struct(">hi").pack
pack_i = Struct(">i").pack
pack_iB = Struct(">iB").pack
pack_ih = Struct(">ih").pack
pack_ihB = Struct(">ihB").pack
pack_ihi = Struct(">ihi").pack
pack_ihx = Struct(">ihx").pack
unpack_h = Struct(">h").unpack_from
unpack_hi = Struct(">hi").unpack_from
unpack_i = Struct(">i").unpack_from
unpack_iB = Struct(">iB").unpack_from
unpack_ih = Struct(">ih").unpack_from
unpack_ihB = Struct(">ihB").unpack_from
unpack_ihi = Struct(">ihi").unpack_from


# versions 0-2
def decode_request_v0(buf: bytes, pos: int) -> SyncGroupRequest:
    try:
        (n,) = unpack_h(buf, pos)
        pos += 2
        if n < 0:
            raise null_field("SyncGroup request v0-2", "GroupId")
        end = pos + n
        group_id_0 = buf[pos:end].decode("utf-8", "replace")
        pos = end
        generation_id_0, n = unpack_ih(buf, pos)
        pos += 6
        if n < 0:
            raise null_field("SyncGroup request v0-2", "MemberId")
        end = pos + n
        member_id_0 = buf[pos:end].decode("utf-8", "replace")
        pos = end
        (n,) = unpack_i(buf, pos)
        pos += 4
        if n < 0:
            raise null_field("SyncGroup request v0-2", "Assignments")
        if n * 6 > len(buf) - pos:
            raise overrun("SyncGroup request v0-2", buf, pos)
        if n > 50000:
            raise too_many("SyncGroup request v0-2", n)
        assignments_0_items: list[SyncGroupRequestAssignment] = []
        for _ in range(n):
            (n,) = unpack_h(buf, pos)
            pos += 2
            if n < 0:
                raise null_field("SyncGroup request v0-2", "MemberId")
            end = pos + n
            member_id_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            (n,) = unpack_i(buf, pos)
            pos += 4
            if n < 0:
                raise null_field("SyncGroup request v0-2", "Assignment")
            end = pos + n
            assignment_1 = buf[pos:end]
            pos = end
            made_1 = SyncGroupRequestAssignment(member_id_1, assignment_1)
            assignments_0_items.append(made_1)
        assignments_0 = assignments_0_items
        made_0 = SyncGroupRequest(group_id_0, generation_id_0, member_id_0, None, None, None, assignments_0)
    except (IndexError, StructError) as error:
        raise overrun("SyncGroup request v0-2", buf, pos) from error
    if pos > len(buf):
        raise overrun("SyncGroup request v0-2", buf, pos)
    return made_0


def decode_request_v3(buf: bytes, pos: int) -> SyncGroupRequest:
    try:
        (n,) = unpack_h(buf, pos)
        pos += 2
        if n < 0:
            raise null_field("SyncGroup request v3", "GroupId")
        end = pos + n
        group_id_0 = buf[pos:end].decode("utf-8", "replace")
        pos = end
        generation_id_0, n = unpack_ih(buf, pos)
        pos += 6
        if n < 0:
            raise null_field("SyncGroup request v3", "MemberId")
        end = pos + n
        member_id_0 = buf[pos:end].decode("utf-8", "replace")
        pos = end
        (n,) = unpack_h(buf, pos)
        pos += 2
        group_instance_id_0: str | None = None
        if n >= 0:
            end = pos + n
            group_instance_id_0 = buf[pos:end].decode("utf-8", "replace")
            pos = end
        (n,) = unpack_i(buf, pos)
        pos += 4
        if n < 0:
            raise null_field("SyncGroup request v3", "Assignments")
        if n * 6 > len(buf) - pos:
            raise overrun("SyncGroup request v3", buf, pos)
        if n > 50000:
            raise too_many("SyncGroup request v3", n)
        assignments_0_items: list[SyncGroupRequestAssignment] = []
        for _ in range(n):
            (n,) = unpack_h(buf, pos)
            pos += 2
            if n < 0:
                raise null_field("SyncGroup request v3", "MemberId")
            end = pos + n
            member_id_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            (n,) = unpack_i(buf, pos)
            pos += 4
            if n < 0:
                raise null_field("SyncGroup request v3", "Assignment")
            end = pos + n
            assignment_1 = buf[pos:end]
            pos = end
            made_1 = SyncGroupRequestAssignment(member_id_1, assignment_1)
            assignments_0_items.append(made_1)
        assignments_0 = assignments_0_items
        made_0 = SyncGroupRequest(group_id_0, generation_id_0, member_id_0, group_instance_id_0, None, None, assignments_0)
    except (IndexError, StructError) as error:
        raise overrun("SyncGroup request v3", buf, pos) from error
    if pos > len(buf):
        raise overrun("SyncGroup request v3", buf, pos)
    return made_0


def decode_request_v4(buf: bytes, pos: int) -> SyncGroupRequest:
    try:
        n = buf[pos]
        pos += 1
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "SyncGroup request v4", "GroupId")
        end = pos + n - 1
        group_id_0 = buf[pos:end].decode("utf-8", "replace")
        pos = end
        generation_id_0, n = unpack_iB(buf, pos)
        pos += 5
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "SyncGroup request v4", "MemberId")
        end = pos + n - 1
        member_id_0 = buf[pos:end].decode("utf-8", "replace")
        pos = end
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        group_instance_id_0: str | None = None
        if n > 0:
            end = pos + n - 1
            group_instance_id_0 = buf[pos:end].decode("utf-8", "replace")
            pos = end
        n = buf[pos]
        pos += 1
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "SyncGroup request v4", "Assignments")
        n -= 1
        if n * 3 > len(buf) - pos:
            raise overrun("SyncGroup request v4", buf, pos)
        if n > 50000:
            raise too_many("SyncGroup request v4", n)
        assignments_0_items: list[SyncGroupRequestAssignment] = []
        for _ in range(n):
            n = buf[pos]
            pos += 1
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "SyncGroup request v4", "MemberId")
            end = pos + n - 1
            member_id_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            n = buf[pos]
            pos += 1
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "SyncGroup request v4", "Assignment")
            end = pos + n - 1
            assignment_1 = buf[pos:end]
            pos = end
            tags = buf[pos]
            pos += 1
            if tags:
                pos = skip_tagged(buf, pos - 1)
            made_1 = SyncGroupRequestAssignment(member_id_1, assignment_1)
            assignments_0_items.append(made_1)
        assignments_0 = assignments_0_items
        tags = buf[pos]
        pos += 1
        if tags:
            pos = skip_tagged(buf, pos - 1)
        made_0 = SyncGroupRequest(group_id_0, generation_id_0, member_id_0, group_instance_id_0, None, None, assignments_0)
    except (IndexError, StructError) as error:
        raise overrun("SyncGroup request v4", buf, pos) from error
    if pos > len(buf):
        raise overrun("SyncGroup request v4", buf, pos)
    return made_0


def decode_request_v5(buf: bytes, pos: int) -> SyncGroupRequest:
    try:
        n = buf[pos]
        pos += 1
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "SyncGroup request v5", "GroupId")
        end = pos + n - 1
        group_id_0 = buf[pos:end].decode("utf-8", "replace")
        pos = end
        generation_id_0, n = unpack_iB(buf, pos)
        pos += 5
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "SyncGroup request v5", "MemberId")
        end = pos + n - 1
        member_id_0 = buf[pos:end].decode("utf-8", "replace")
        pos = end
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        group_instance_id_0: str | None = None
        if n > 0:
            end = pos + n - 1
            group_instance_id_0 = buf[pos:end].decode("utf-8", "replace")
            pos = end
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        protocol_type_0: str | None = None
        if n > 0:
            end = pos + n - 1
            protocol_type_0 = buf[pos:end].decode("utf-8", "replace")
            pos = end
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        protocol_name_0: str | None = None
        if n > 0:
            end = pos + n - 1
            protocol_name_0 = buf[pos:end].decode("utf-8", "replace")
            pos = end
        n = buf[pos]
        pos += 1
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "SyncGroup request v5", "Assignments")
        n -= 1
        if n * 3 > len(buf) - pos:
            raise overrun("SyncGroup request v5", buf, pos)
        if n > 50000:
            raise too_many("SyncGroup request v5", n)
        assignments_0_items: list[SyncGroupRequestAssignment] = []
        for _ in range(n):
            n = buf[pos]
            pos += 1
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "SyncGroup request v5", "MemberId")
            end = pos + n - 1
            member_id_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            n = buf[pos]
            pos += 1
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "SyncGroup request v5", "Assignment")
            end = pos + n - 1
            assignment_1 = buf[pos:end]
            pos = end
            tags = buf[pos]
            pos += 1
            if tags:
                pos = skip_tagged(buf, pos - 1)
            made_1 = SyncGroupRequestAssignment(member_id_1, assignment_1)
            assignments_0_items.append(made_1)
        assignments_0 = assignments_0_items
        tags = buf[pos]
        pos += 1
        if tags:
            pos = skip_tagged(buf, pos - 1)
        made_0 = SyncGroupRequest(group_id_0, generation_id_0, member_id_0, group_instance_id_0, protocol_type_0, protocol_name_0, assignments_0)
    except (IndexError, StructError) as error:
        raise overrun("SyncGroup request v5", buf, pos) from error
    if pos > len(buf):
        raise overrun("SyncGroup request v5", buf, pos)
    return made_0


# versions 0-2
def encode_request_v0(message: SyncGroupRequest) -> bytes:
    try:
        out = bytearray()
        raw = message.group_id.encode()
        out += pack_h(len(raw))
        out += raw
        raw = message.member_id.encode()
        out += pack_ih(message.generation_id, len(raw))
        out += raw
        items_1 = message.assignments
        out += pack_i(len(items_1))
        for item_1 in items_1:
            raw = item_1.member_id.encode()
            out += pack_h(len(raw))
            out += raw
            raw = item_1.assignment
            out += pack_i(len(raw))
            out += raw
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("SyncGroup request v0-2", message, error) from error


def encode_request_v3(message: SyncGroupRequest) -> bytes:
    try:
        out = bytearray()
        raw = message.group_id.encode()
        out += pack_h(len(raw))
        out += raw
        raw = message.member_id.encode()
        out += pack_ih(message.generation_id, len(raw))
        out += raw
        value_1 = message.group_instance_id
        if value_1 is None:
            out += pack_h(-1)
        else:
            raw = value_1.encode()
            out += pack_h(len(raw))
            out += raw
        items_2 = message.assignments
        out += pack_i(len(items_2))
        for item_2 in items_2:
            raw = item_2.member_id.encode()
            out += pack_h(len(raw))
            out += raw
            raw = item_2.assignment
            out += pack_i(len(raw))
            out += raw
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("SyncGroup request v3", message, error) from error


def encode_request_v4(message: SyncGroupRequest) -> bytes:
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
            out += pack_iB(message.generation_id, n)
        else:
            out += pack_i(message.generation_id)
            out += uvarint(n)
        out += raw
        value_1 = message.group_instance_id
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
        items_2 = message.assignments
        n = len(items_2) + 1
        if n < 128:
            out.append(n)
        else:
            out += uvarint(n)
        for item_2 in items_2:
            raw = item_2.member_id.encode()
            n = len(raw) + 1
            if n < 128:
                out.append(n)
            else:
                out += uvarint(n)
            out += raw
            raw = item_2.assignment
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
        raise encode_failure("SyncGroup request v4", message, error) from error


def encode_request_v5(message: SyncGroupRequest) -> bytes:
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
            out += pack_iB(message.generation_id, n)
        else:
            out += pack_i(message.generation_id)
            out += uvarint(n)
        out += raw
        value_1 = message.group_instance_id
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
        value_2 = message.protocol_type
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
        value_3 = message.protocol_name
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
        items_4 = message.assignments
        n = len(items_4) + 1
        if n < 128:
            out.append(n)
        else:
            out += uvarint(n)
        for item_4 in items_4:
            raw = item_4.member_id.encode()
            n = len(raw) + 1
            if n < 128:
                out.append(n)
            else:
                out += uvarint(n)
            out += raw
            raw = item_4.assignment
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
        raise encode_failure("SyncGroup request v5", message, error) from error


def decode_response_v0(buf: bytes, pos: int) -> SyncGroupResponse:
    try:
        error_code_0, n = unpack_hi(buf, pos)
        pos += 6
        if n < 0:
            raise null_field("SyncGroup response v0", "Assignment")
        end = pos + n
        assignment_0 = buf[pos:end]
        pos = end
        made_0 = SyncGroupResponse(0, error_code_0, None, None, assignment_0)
    except (IndexError, StructError) as error:
        raise overrun("SyncGroup response v0", buf, pos) from error
    if pos > len(buf):
        raise overrun("SyncGroup response v0", buf, pos)
    return made_0


# versions 1-3
def decode_response_v1(buf: bytes, pos: int) -> SyncGroupResponse:
    try:
        throttle_time_ms_0, error_code_0, n = unpack_ihi(buf, pos)
        pos += 10
        if n < 0:
            raise null_field("SyncGroup response v1-3", "Assignment")
        end = pos + n
        assignment_0 = buf[pos:end]
        pos = end
        made_0 = SyncGroupResponse(throttle_time_ms_0, error_code_0, None, None, assignment_0)
    except (IndexError, StructError) as error:
        raise overrun("SyncGroup response v1-3", buf, pos) from error
    if pos > len(buf):
        raise overrun("SyncGroup response v1-3", buf, pos)
    return made_0


def decode_response_v4(buf: bytes, pos: int) -> SyncGroupResponse:
    try:
        throttle_time_ms_0, error_code_0, n = unpack_ihB(buf, pos)
        pos += 7
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "SyncGroup response v4", "Assignment")
        end = pos + n - 1
        assignment_0 = buf[pos:end]
        pos = end
        tags = buf[pos]
        pos += 1
        if tags:
            pos = skip_tagged(buf, pos - 1)
        made_0 = SyncGroupResponse(throttle_time_ms_0, error_code_0, None, None, assignment_0)
    except (IndexError, StructError) as error:
        raise overrun("SyncGroup response v4", buf, pos) from error
    if pos > len(buf):
        raise overrun("SyncGroup response v4", buf, pos)
    return made_0


def decode_response_v5(buf: bytes, pos: int) -> SyncGroupResponse:
    try:
        throttle_time_ms_0, error_code_0, n = unpack_ihB(buf, pos)
        pos += 7
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        protocol_type_0: str | None = None
        if n > 0:
            end = pos + n - 1
            protocol_type_0 = buf[pos:end].decode("utf-8", "replace")
            pos = end
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        protocol_name_0: str | None = None
        if n > 0:
            end = pos + n - 1
            protocol_name_0 = buf[pos:end].decode("utf-8", "replace")
            pos = end
        n = buf[pos]
        pos += 1
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "SyncGroup response v5", "Assignment")
        end = pos + n - 1
        assignment_0 = buf[pos:end]
        pos = end
        tags = buf[pos]
        pos += 1
        if tags:
            pos = skip_tagged(buf, pos - 1)
        made_0 = SyncGroupResponse(throttle_time_ms_0, error_code_0, protocol_type_0, protocol_name_0, assignment_0)
    except (IndexError, StructError) as error:
        raise overrun("SyncGroup response v5", buf, pos) from error
    if pos > len(buf):
        raise overrun("SyncGroup response v5", buf, pos)
    return made_0


def encode_response_v0(message: SyncGroupResponse) -> bytes:
    try:
        out = bytearray()
        raw = message.assignment
        out += pack_hi(message.error_code, len(raw))
        out += raw
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("SyncGroup response v0", message, error) from error


# versions 1-3
def encode_response_v1(message: SyncGroupResponse) -> bytes:
    try:
        out = bytearray()
        raw = message.assignment
        out += pack_ihi(message.throttle_time_ms, message.error_code, len(raw))
        out += raw
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("SyncGroup response v1-3", message, error) from error


def encode_response_v4(message: SyncGroupResponse) -> bytes:
    try:
        out = bytearray()
        raw = message.assignment
        n = len(raw) + 1
        if n < 128:
            out += pack_ihB(message.throttle_time_ms, message.error_code, n)
        else:
            out += pack_ih(message.throttle_time_ms, message.error_code)
            out += uvarint(n)
        out += raw
        out += b"\0"
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("SyncGroup response v4", message, error) from error


def encode_response_v5(message: SyncGroupResponse) -> bytes:
    try:
        out = bytearray()
        value_1 = message.protocol_type
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
        value_2 = message.protocol_name
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
        raw = message.assignment
        n = len(raw) + 1
        if n < 128:
            out.append(n)
        else:
            out += uvarint(n)
        out += raw
        out += b"\0"
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("SyncGroup response v5", message, error) from error


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
    3: decode_response_v1,
    4: decode_response_v4,
    5: decode_response_v5,
}
RESPONSE_ENCODERS = {
    0: encode_response_v0,
    1: encode_response_v1,
    2: encode_response_v1,
    3: encode_response_v1,
    4: encode_response_v4,
    5: encode_response_v5,
}
