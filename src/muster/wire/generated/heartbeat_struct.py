"""Generated from tools/codecs/schemas/heartbeat.api by `make generate`; changes belong there."""

from __future__ import annotations

from muster.wire.generated.heartbeat import (
    HeartbeatRequest,
    HeartbeatResponse,
)
from struct import Struct, error as StructError

from muster.wire.message import Message, encode_failure
from muster.wire.primitives import null_field, overrun, read_length, skip_tagged
from muster.wire.varint import read_uvarint, uvarint

pack_h = Struct(">h").pack
pack_i = Struct(">i").pack
pack_iB = Struct(">iB").pack
pack_ih = Struct(">ih").pack
pack_ihx = Struct(">ihx").pack
unpack_h = Struct(">h").unpack_from
unpack_iB = Struct(">iB").unpack_from
unpack_ih = Struct(">ih").unpack_from
unpack_ihB = Struct(">ihB").unpack_from


# versions 0-2
def decode_request_v0(buf: bytes, pos: int) -> HeartbeatRequest:
    try:
        (n,) = unpack_h(buf, pos)
        pos += 2
        if n < 0:
            raise null_field("Heartbeat request v0-2", "GroupId")
        end = pos + n
        group_id_0 = buf[pos:end].decode("utf-8", "replace")
        pos = end
        generation_id_0, n = unpack_ih(buf, pos)
        pos += 6
        if n < 0:
            raise null_field("Heartbeat request v0-2", "MemberId")
        end = pos + n
        member_id_0 = buf[pos:end].decode("utf-8", "replace")
        pos = end
        made_0 = HeartbeatRequest(group_id_0, generation_id_0, member_id_0, None)
    except (IndexError, StructError) as error:
        raise overrun("Heartbeat request v0-2", buf, pos) from error
    if pos > len(buf):
        raise overrun("Heartbeat request v0-2", buf, pos)
    return made_0


def decode_request_v3(buf: bytes, pos: int) -> HeartbeatRequest:
    try:
        (n,) = unpack_h(buf, pos)
        pos += 2
        if n < 0:
            raise null_field("Heartbeat request v3", "GroupId")
        end = pos + n
        group_id_0 = buf[pos:end].decode("utf-8", "replace")
        pos = end
        generation_id_0, n = unpack_ih(buf, pos)
        pos += 6
        if n < 0:
            raise null_field("Heartbeat request v3", "MemberId")
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
        made_0 = HeartbeatRequest(group_id_0, generation_id_0, member_id_0, group_instance_id_0)
    except (IndexError, StructError) as error:
        raise overrun("Heartbeat request v3", buf, pos) from error
    if pos > len(buf):
        raise overrun("Heartbeat request v3", buf, pos)
    return made_0


def decode_request_v4(buf: bytes, pos: int) -> HeartbeatRequest:
    try:
        n = buf[pos]
        pos += 1
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "Heartbeat request v4", "GroupId")
        end = pos + n - 1
        group_id_0 = buf[pos:end].decode("utf-8", "replace")
        pos = end
        generation_id_0, n = unpack_iB(buf, pos)
        pos += 5
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "Heartbeat request v4", "MemberId")
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
        tags = buf[pos]
        pos += 1
        if tags:
            pos = skip_tagged(buf, pos - 1)
        made_0 = HeartbeatRequest(group_id_0, generation_id_0, member_id_0, group_instance_id_0)
    except (IndexError, StructError) as error:
        raise overrun("Heartbeat request v4", buf, pos) from error
    if pos > len(buf):
        raise overrun("Heartbeat request v4", buf, pos)
    return made_0


# versions 0-2
def encode_request_v0(message: HeartbeatRequest) -> bytes:
    try:
        out = bytearray()
        raw = message.group_id.encode()
        out += pack_h(len(raw))
        out += raw
        raw = message.member_id.encode()
        out += pack_ih(message.generation_id, len(raw))
        out += raw
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("Heartbeat request v0-2", message, error) from error


def encode_request_v3(message: HeartbeatRequest) -> bytes:
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
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("Heartbeat request v3", message, error) from error


def encode_request_v4(message: HeartbeatRequest) -> bytes:
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
        out += b"\0"
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("Heartbeat request v4", message, error) from error


def decode_response_v0(buf: bytes, pos: int) -> HeartbeatResponse:
    try:
        (error_code_0,) = unpack_h(buf, pos)
        pos += 2
        made_0 = HeartbeatResponse(0, error_code_0)
    except (IndexError, StructError) as error:
        raise overrun("Heartbeat response v0", buf, pos) from error
    if pos > len(buf):
        raise overrun("Heartbeat response v0", buf, pos)
    return made_0


# versions 1-3
def decode_response_v1(buf: bytes, pos: int) -> HeartbeatResponse:
    try:
        throttle_time_ms_0, error_code_0 = unpack_ih(buf, pos)
        pos += 6
        made_0 = HeartbeatResponse(throttle_time_ms_0, error_code_0)
    except (IndexError, StructError) as error:
        raise overrun("Heartbeat response v1-3", buf, pos) from error
    if pos > len(buf):
        raise overrun("Heartbeat response v1-3", buf, pos)
    return made_0


def decode_response_v4(buf: bytes, pos: int) -> HeartbeatResponse:
    try:
        throttle_time_ms_0, error_code_0, tags = unpack_ihB(buf, pos)
        pos += 7
        if tags:
            pos = skip_tagged(buf, pos - 1)
        made_0 = HeartbeatResponse(throttle_time_ms_0, error_code_0)
    except (IndexError, StructError) as error:
        raise overrun("Heartbeat response v4", buf, pos) from error
    if pos > len(buf):
        raise overrun("Heartbeat response v4", buf, pos)
    return made_0


def encode_response_v0(message: HeartbeatResponse) -> bytes:
    try:
        return pack_h(message.error_code)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("Heartbeat response v0", message, error) from error


# versions 1-3
def encode_response_v1(message: HeartbeatResponse) -> bytes:
    try:
        return pack_ih(message.throttle_time_ms, message.error_code)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("Heartbeat response v1-3", message, error) from error


def encode_response_v4(message: HeartbeatResponse) -> bytes:
    try:
        return pack_ihx(message.throttle_time_ms, message.error_code)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("Heartbeat response v4", message, error) from error


REQUEST_DECODERS = {
    0: decode_request_v0,
    1: decode_request_v0,
    2: decode_request_v0,
    3: decode_request_v3,
    4: decode_request_v4,
}
REQUEST_ENCODERS = {
    0: encode_request_v0,
    1: encode_request_v0,
    2: encode_request_v0,
    3: encode_request_v3,
    4: encode_request_v4,
}
RESPONSE_DECODERS = {
    0: decode_response_v0,
    1: decode_response_v1,
    2: decode_response_v1,
    3: decode_response_v1,
    4: decode_response_v4,
}
RESPONSE_ENCODERS = {
    0: encode_response_v0,
    1: encode_response_v1,
    2: encode_response_v1,
    3: encode_response_v1,
    4: encode_response_v4,
}
