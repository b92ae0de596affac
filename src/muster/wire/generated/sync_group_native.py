"""Generated from tools/codecs/schemas/sync_group.api by `make generate`; changes belong there."""

from __future__ import annotations

from muster.wire.generated.sync_group import (
    SyncGroupRequest,
    SyncGroupRequestAssignment,
    SyncGroupResponse,
)
from librt.strings import BytesWriter, read_i32_be, write_i16_be, write_i32_be
from mypy_extensions import i64

from muster.wire.message import Message, encode_failure
from muster.wire.native import begun, finished, read_bytes, read_compact_bytes, read_compact_count, read_compact_str, read_count, read_nullable_compact_str, read_nullable_str, read_str, skip_tags, write_bytes, write_compact_bytes, write_nullable_compact_str
from muster.wire.primitives import overrun, too_many


# versions 0-2
def decode_request_v0(buf: bytes, pos: int) -> SyncGroupRequest:
    at: i64 = pos
    try:
        group_id_0, at = read_str(buf, at, "SyncGroup request v0-2", "GroupId")
        generation_id_0 = read_i32_be(buf, at)
        at += 4
        member_id_0, at = read_str(buf, at, "SyncGroup request v0-2", "MemberId")
        assignments_0_count, at = read_count(buf, at, 6, "SyncGroup request v0-2", "Assignments")
        if assignments_0_count > 50000:
            raise too_many("SyncGroup request v0-2", assignments_0_count)
        assignments_0: list[SyncGroupRequestAssignment] = []
        for _ in range(assignments_0_count):
            member_id_1, at = read_str(buf, at, "SyncGroup request v0-2", "MemberId")
            assignment_1, at = read_bytes(buf, at, "SyncGroup request v0-2", "Assignment")
            assignments_0.append(SyncGroupRequestAssignment(member_id_1, assignment_1))
        return SyncGroupRequest(group_id_0, generation_id_0, member_id_0, None, None, None, assignments_0)
    except IndexError as error:
        raise overrun("SyncGroup request v0-2", buf, at) from error


def decode_request_v3(buf: bytes, pos: int) -> SyncGroupRequest:
    at: i64 = pos
    try:
        group_id_0, at = read_str(buf, at, "SyncGroup request v3", "GroupId")
        generation_id_0 = read_i32_be(buf, at)
        at += 4
        member_id_0, at = read_str(buf, at, "SyncGroup request v3", "MemberId")
        group_instance_id_0, at = read_nullable_str(buf, at)
        assignments_0_count, at = read_count(buf, at, 6, "SyncGroup request v3", "Assignments")
        if assignments_0_count > 50000:
            raise too_many("SyncGroup request v3", assignments_0_count)
        assignments_0: list[SyncGroupRequestAssignment] = []
        for _ in range(assignments_0_count):
            member_id_1, at = read_str(buf, at, "SyncGroup request v3", "MemberId")
            assignment_1, at = read_bytes(buf, at, "SyncGroup request v3", "Assignment")
            assignments_0.append(SyncGroupRequestAssignment(member_id_1, assignment_1))
        return SyncGroupRequest(group_id_0, generation_id_0, member_id_0, group_instance_id_0, None, None, assignments_0)
    except IndexError as error:
        raise overrun("SyncGroup request v3", buf, at) from error


def decode_request_v4(buf: bytes, pos: int) -> SyncGroupRequest:
    at: i64 = pos
    try:
        group_id_0, at = read_compact_str(buf, at, "SyncGroup request v4", "GroupId")
        generation_id_0 = read_i32_be(buf, at)
        at += 4
        member_id_0, at = read_compact_str(buf, at, "SyncGroup request v4", "MemberId")
        group_instance_id_0, at = read_nullable_compact_str(buf, at)
        assignments_0_count, at = read_compact_count(buf, at, 3, "SyncGroup request v4", "Assignments")
        if assignments_0_count > 50000:
            raise too_many("SyncGroup request v4", assignments_0_count)
        assignments_0: list[SyncGroupRequestAssignment] = []
        for _ in range(assignments_0_count):
            member_id_1, at = read_compact_str(buf, at, "SyncGroup request v4", "MemberId")
            assignment_1, at = read_compact_bytes(buf, at, "SyncGroup request v4", "Assignment")
            if buf[at] == 0:
                at += 1
            else:
                at = skip_tags(buf, at)
            assignments_0.append(SyncGroupRequestAssignment(member_id_1, assignment_1))
        if buf[at] == 0:
            at += 1
        else:
            at = skip_tags(buf, at)
        return SyncGroupRequest(group_id_0, generation_id_0, member_id_0, group_instance_id_0, None, None, assignments_0)
    except IndexError as error:
        raise overrun("SyncGroup request v4", buf, at) from error


def decode_request_v5(buf: bytes, pos: int) -> SyncGroupRequest:
    at: i64 = pos
    try:
        group_id_0, at = read_compact_str(buf, at, "SyncGroup request v5", "GroupId")
        generation_id_0 = read_i32_be(buf, at)
        at += 4
        member_id_0, at = read_compact_str(buf, at, "SyncGroup request v5", "MemberId")
        group_instance_id_0, at = read_nullable_compact_str(buf, at)
        protocol_type_0, at = read_nullable_compact_str(buf, at)
        protocol_name_0, at = read_nullable_compact_str(buf, at)
        assignments_0_count, at = read_compact_count(buf, at, 3, "SyncGroup request v5", "Assignments")
        if assignments_0_count > 50000:
            raise too_many("SyncGroup request v5", assignments_0_count)
        assignments_0: list[SyncGroupRequestAssignment] = []
        for _ in range(assignments_0_count):
            member_id_1, at = read_compact_str(buf, at, "SyncGroup request v5", "MemberId")
            assignment_1, at = read_compact_bytes(buf, at, "SyncGroup request v5", "Assignment")
            if buf[at] == 0:
                at += 1
            else:
                at = skip_tags(buf, at)
            assignments_0.append(SyncGroupRequestAssignment(member_id_1, assignment_1))
        if buf[at] == 0:
            at += 1
        else:
            at = skip_tags(buf, at)
        return SyncGroupRequest(group_id_0, generation_id_0, member_id_0, group_instance_id_0, protocol_type_0, protocol_name_0, assignments_0)
    except IndexError as error:
        raise overrun("SyncGroup request v5", buf, at) from error


def encode_response_v0(message: SyncGroupResponse) -> bytes:
    try:
        out = begun()
        write_i16_be(out, message.error_code)
        write_bytes(out, message.assignment)
        return finished(out)
    except (AttributeError, TypeError, ValueError, OverflowError) as error:
        raise encode_failure("SyncGroup response v0", message, error) from error


# versions 1-3
def encode_response_v1(message: SyncGroupResponse) -> bytes:
    try:
        out = begun()
        write_i32_be(out, message.throttle_time_ms)
        write_i16_be(out, message.error_code)
        write_bytes(out, message.assignment)
        return finished(out)
    except (AttributeError, TypeError, ValueError, OverflowError) as error:
        raise encode_failure("SyncGroup response v1-3", message, error) from error


def encode_response_v4(message: SyncGroupResponse) -> bytes:
    try:
        out = begun()
        write_i32_be(out, message.throttle_time_ms)
        write_i16_be(out, message.error_code)
        write_compact_bytes(out, message.assignment)
        out.append(0)
        return finished(out)
    except (AttributeError, TypeError, ValueError, OverflowError) as error:
        raise encode_failure("SyncGroup response v4", message, error) from error


def encode_response_v5(message: SyncGroupResponse) -> bytes:
    try:
        out = begun()
        write_i32_be(out, message.throttle_time_ms)
        write_i16_be(out, message.error_code)
        write_nullable_compact_str(out, message.protocol_type)
        write_nullable_compact_str(out, message.protocol_name)
        write_compact_bytes(out, message.assignment)
        out.append(0)
        return finished(out)
    except (AttributeError, TypeError, ValueError, OverflowError) as error:
        raise encode_failure("SyncGroup response v5", message, error) from error


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
    3: encode_response_v1,
    4: encode_response_v4,
    5: encode_response_v5,
}
