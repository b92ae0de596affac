"""Generated from tools/codecs/schemas/heartbeat.api by `make generate`; changes belong there."""

from __future__ import annotations

from muster.wire.generated.heartbeat import (
    HeartbeatRequest,
    HeartbeatResponse,
)
from librt.strings import BytesWriter, read_i32_be, write_i16_be, write_i32_be
from mypy_extensions import i64

from muster.wire.message import Message, encode_failure
from muster.wire.native import begun, finished, read_compact_str, read_nullable_compact_str, read_nullable_str, read_str, skip_tags
from muster.wire.primitives import overrun


# versions 0-2
def decode_request_v0(buf: bytes, pos: int) -> HeartbeatRequest:
    at: i64 = pos
    try:
        group_id_0, at = read_str(buf, at, "Heartbeat request v0-2", "GroupId")
        generation_id_0 = read_i32_be(buf, at)
        at += 4
        member_id_0, at = read_str(buf, at, "Heartbeat request v0-2", "MemberId")
        return HeartbeatRequest(group_id_0, generation_id_0, member_id_0, None)
    except IndexError as error:
        raise overrun("Heartbeat request v0-2", buf, at) from error


def decode_request_v3(buf: bytes, pos: int) -> HeartbeatRequest:
    at: i64 = pos
    try:
        group_id_0, at = read_str(buf, at, "Heartbeat request v3", "GroupId")
        generation_id_0 = read_i32_be(buf, at)
        at += 4
        member_id_0, at = read_str(buf, at, "Heartbeat request v3", "MemberId")
        group_instance_id_0, at = read_nullable_str(buf, at)
        return HeartbeatRequest(group_id_0, generation_id_0, member_id_0, group_instance_id_0)
    except IndexError as error:
        raise overrun("Heartbeat request v3", buf, at) from error


def decode_request_v4(buf: bytes, pos: int) -> HeartbeatRequest:
    at: i64 = pos
    try:
        group_id_0, at = read_compact_str(buf, at, "Heartbeat request v4", "GroupId")
        generation_id_0 = read_i32_be(buf, at)
        at += 4
        member_id_0, at = read_compact_str(buf, at, "Heartbeat request v4", "MemberId")
        group_instance_id_0, at = read_nullable_compact_str(buf, at)
        if buf[at] == 0:
            at += 1
        else:
            at = skip_tags(buf, at)
        return HeartbeatRequest(group_id_0, generation_id_0, member_id_0, group_instance_id_0)
    except IndexError as error:
        raise overrun("Heartbeat request v4", buf, at) from error


def encode_response_v0(message: HeartbeatResponse) -> bytes:
    try:
        out = begun()
        write_i16_be(out, message.error_code)
        return finished(out)
    except (AttributeError, TypeError, ValueError, OverflowError) as error:
        raise encode_failure("Heartbeat response v0", message, error) from error


# versions 1-3
def encode_response_v1(message: HeartbeatResponse) -> bytes:
    try:
        out = begun()
        write_i32_be(out, message.throttle_time_ms)
        write_i16_be(out, message.error_code)
        return finished(out)
    except (AttributeError, TypeError, ValueError, OverflowError) as error:
        raise encode_failure("Heartbeat response v1-3", message, error) from error


def encode_response_v4(message: HeartbeatResponse) -> bytes:
    try:
        out = begun()
        write_i32_be(out, message.throttle_time_ms)
        write_i16_be(out, message.error_code)
        out.append(0)
        return finished(out)
    except (AttributeError, TypeError, ValueError, OverflowError) as error:
        raise encode_failure("Heartbeat response v4", message, error) from error


REQUEST_DECODERS = {
    0: decode_request_v0,
    1: decode_request_v0,
    2: decode_request_v0,
    3: decode_request_v3,
    4: decode_request_v4,
}
RESPONSE_ENCODERS = {
    0: encode_response_v0,
    1: encode_response_v1,
    2: encode_response_v1,
    3: encode_response_v1,
    4: encode_response_v4,
}
