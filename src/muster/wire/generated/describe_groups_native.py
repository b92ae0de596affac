"""Generated from tools/codecs/schemas/describe_groups.api by `make generate`; changes belong there."""

from __future__ import annotations

from muster.wire.generated.describe_groups import (
    DescribeGroupsRequest,
    DescribeGroupsResponse,
)
from librt.strings import BytesWriter, write_i16_be, write_i32_be
from mypy_extensions import i16, i32, i64

from muster.wire.message import Message, encode_failure, wrote_itself
from muster.wire.native import as_list, begun, finished, read_compact_count, read_compact_str, read_count, read_str, skip_tags, write_bytes, write_compact_bytes, write_compact_str, write_nullable_compact_str, write_nullable_str, write_str, write_uvarint
from muster.wire.primitives import overrun, too_many


def write_response_member_v0(out: BytesWriter, member_id: str, client_id: str, client_host: str, member_metadata: bytes, member_assignment: bytes) -> None:
    write_str(out, member_id)
    write_str(out, client_id)
    write_str(out, client_host)
    write_bytes(out, member_metadata)
    write_bytes(out, member_assignment)


def write_response_member_v4(out: BytesWriter, member_id: str, group_instance_id: str | None, client_id: str, client_host: str, member_metadata: bytes, member_assignment: bytes) -> None:
    write_str(out, member_id)
    write_nullable_str(out, group_instance_id)
    write_str(out, client_id)
    write_str(out, client_host)
    write_bytes(out, member_metadata)
    write_bytes(out, member_assignment)


def write_response_member_v5(out: BytesWriter, member_id: str, group_instance_id: str | None, client_id: str, client_host: str, member_metadata: bytes, member_assignment: bytes) -> None:
    write_compact_str(out, member_id)
    write_nullable_compact_str(out, group_instance_id)
    write_compact_str(out, client_id)
    write_compact_str(out, client_host)
    write_compact_bytes(out, member_metadata)
    write_compact_bytes(out, member_assignment)
    out.append(0)


def write_response_member(out: BytesWriter, version: i64, member_id: str, group_instance_id: str | None, client_id: str, client_host: str, member_metadata: bytes, member_assignment: bytes) -> None:
    """One item as this version has it; for `LaidOut`."""
    if version >= 5:
        write_response_member_v5(out, member_id, group_instance_id, client_id, client_host, member_metadata, member_assignment)
        return
    if version >= 4:
        write_response_member_v4(out, member_id, group_instance_id, client_id, client_host, member_metadata, member_assignment)
        return
    write_response_member_v0(out, member_id, client_id, client_host, member_metadata, member_assignment)


# versions 0-2
def decode_request_v0(buf: bytes, pos: int) -> DescribeGroupsRequest:
    at: i64 = pos
    try:
        groups_0_count, at = read_count(buf, at, 2, "DescribeGroups request v0-2", "Groups")
        if groups_0_count > 50000:
            raise too_many("DescribeGroups request v0-2", groups_0_count)
        groups_0: list[str] = []
        for _ in range(groups_0_count):
            groups_0_item, at = read_str(buf, at, "DescribeGroups request v0-2", "Groups")
            groups_0.append(groups_0_item)
        return DescribeGroupsRequest(groups_0, False)
    except IndexError as error:
        raise overrun("DescribeGroups request v0-2", buf, at) from error


# versions 3-4
def decode_request_v3(buf: bytes, pos: int) -> DescribeGroupsRequest:
    at: i64 = pos
    try:
        groups_0_count, at = read_count(buf, at, 2, "DescribeGroups request v3-4", "Groups")
        if groups_0_count > 50000:
            raise too_many("DescribeGroups request v3-4", groups_0_count)
        groups_0: list[str] = []
        for _ in range(groups_0_count):
            groups_0_item, at = read_str(buf, at, "DescribeGroups request v3-4", "Groups")
            groups_0.append(groups_0_item)
        include_authorized_operations_0 = buf[at] != 0
        at += 1
        return DescribeGroupsRequest(groups_0, include_authorized_operations_0)
    except IndexError as error:
        raise overrun("DescribeGroups request v3-4", buf, at) from error


# versions 5-6
def decode_request_v5(buf: bytes, pos: int) -> DescribeGroupsRequest:
    at: i64 = pos
    try:
        groups_0_count, at = read_compact_count(buf, at, 1, "DescribeGroups request v5-6", "Groups")
        if groups_0_count > 50000:
            raise too_many("DescribeGroups request v5-6", groups_0_count)
        groups_0: list[str] = []
        for _ in range(groups_0_count):
            groups_0_item, at = read_compact_str(buf, at, "DescribeGroups request v5-6", "Groups")
            groups_0.append(groups_0_item)
        include_authorized_operations_0 = buf[at] != 0
        at += 1
        if buf[at] == 0:
            at += 1
        else:
            at = skip_tags(buf, at)
        return DescribeGroupsRequest(groups_0, include_authorized_operations_0)
    except IndexError as error:
        raise overrun("DescribeGroups request v5-6", buf, at) from error


def encode_response_v0(message: DescribeGroupsResponse) -> bytes:
    try:
        out = begun()
        items_1 = as_list(message.groups)
        write_i32_be(out, len(items_1))
        for item_1 in items_1:
            write_i16_be(out, item_1.error_code)
            write_str(out, item_1.group_id)
            write_str(out, item_1.group_state)
            write_str(out, item_1.protocol_type)
            write_str(out, item_1.protocol_data)
            items_2 = item_1.members
            write_i32_be(out, len(items_2))
            if not wrote_itself(items_2, out):
                for item_2 in items_2:
                    write_response_member_v0(out, item_2.member_id, item_2.client_id, item_2.client_host, item_2.member_metadata, item_2.member_assignment)
        return finished(out)
    except (AttributeError, TypeError, ValueError, OverflowError) as error:
        raise encode_failure("DescribeGroups response v0", message, error) from error


# versions 1-2
def encode_response_v1(message: DescribeGroupsResponse) -> bytes:
    try:
        out = begun()
        write_i32_be(out, message.throttle_time_ms)
        items_1 = as_list(message.groups)
        write_i32_be(out, len(items_1))
        for item_1 in items_1:
            write_i16_be(out, item_1.error_code)
            write_str(out, item_1.group_id)
            write_str(out, item_1.group_state)
            write_str(out, item_1.protocol_type)
            write_str(out, item_1.protocol_data)
            items_2 = item_1.members
            write_i32_be(out, len(items_2))
            if not wrote_itself(items_2, out):
                for item_2 in items_2:
                    write_response_member_v0(out, item_2.member_id, item_2.client_id, item_2.client_host, item_2.member_metadata, item_2.member_assignment)
        return finished(out)
    except (AttributeError, TypeError, ValueError, OverflowError) as error:
        raise encode_failure("DescribeGroups response v1-2", message, error) from error


def encode_response_v3(message: DescribeGroupsResponse) -> bytes:
    try:
        out = begun()
        write_i32_be(out, message.throttle_time_ms)
        items_1 = as_list(message.groups)
        write_i32_be(out, len(items_1))
        for item_1 in items_1:
            write_i16_be(out, item_1.error_code)
            write_str(out, item_1.group_id)
            write_str(out, item_1.group_state)
            write_str(out, item_1.protocol_type)
            write_str(out, item_1.protocol_data)
            items_2 = item_1.members
            write_i32_be(out, len(items_2))
            if not wrote_itself(items_2, out):
                for item_2 in items_2:
                    write_response_member_v0(out, item_2.member_id, item_2.client_id, item_2.client_host, item_2.member_metadata, item_2.member_assignment)
            write_i32_be(out, item_1.authorized_operations)
        return finished(out)
    except (AttributeError, TypeError, ValueError, OverflowError) as error:
        raise encode_failure("DescribeGroups response v3", message, error) from error


def encode_response_v4(message: DescribeGroupsResponse) -> bytes:
    try:
        out = begun()
        write_i32_be(out, message.throttle_time_ms)
        items_1 = as_list(message.groups)
        write_i32_be(out, len(items_1))
        for item_1 in items_1:
            write_i16_be(out, item_1.error_code)
            write_str(out, item_1.group_id)
            write_str(out, item_1.group_state)
            write_str(out, item_1.protocol_type)
            write_str(out, item_1.protocol_data)
            items_2 = item_1.members
            write_i32_be(out, len(items_2))
            if not wrote_itself(items_2, out):
                for item_2 in items_2:
                    write_response_member_v4(out, item_2.member_id, item_2.group_instance_id, item_2.client_id, item_2.client_host, item_2.member_metadata, item_2.member_assignment)
            write_i32_be(out, item_1.authorized_operations)
        return finished(out)
    except (AttributeError, TypeError, ValueError, OverflowError) as error:
        raise encode_failure("DescribeGroups response v4", message, error) from error


def encode_response_v5(message: DescribeGroupsResponse) -> bytes:
    try:
        out = begun()
        write_i32_be(out, message.throttle_time_ms)
        items_1 = as_list(message.groups)
        write_uvarint(out, len(items_1) + 1)
        for item_1 in items_1:
            write_i16_be(out, item_1.error_code)
            write_compact_str(out, item_1.group_id)
            write_compact_str(out, item_1.group_state)
            write_compact_str(out, item_1.protocol_type)
            write_compact_str(out, item_1.protocol_data)
            items_2 = item_1.members
            write_uvarint(out, len(items_2) + 1)
            if not wrote_itself(items_2, out):
                for item_2 in items_2:
                    write_response_member_v5(out, item_2.member_id, item_2.group_instance_id, item_2.client_id, item_2.client_host, item_2.member_metadata, item_2.member_assignment)
            write_i32_be(out, item_1.authorized_operations)
            out.append(0)
        out.append(0)
        return finished(out)
    except (AttributeError, TypeError, ValueError, OverflowError) as error:
        raise encode_failure("DescribeGroups response v5", message, error) from error


def encode_response_v6(message: DescribeGroupsResponse) -> bytes:
    try:
        out = begun()
        write_i32_be(out, message.throttle_time_ms)
        items_1 = as_list(message.groups)
        write_uvarint(out, len(items_1) + 1)
        for item_1 in items_1:
            write_i16_be(out, item_1.error_code)
            write_nullable_compact_str(out, item_1.error_message)
            write_compact_str(out, item_1.group_id)
            write_compact_str(out, item_1.group_state)
            write_compact_str(out, item_1.protocol_type)
            write_compact_str(out, item_1.protocol_data)
            items_2 = item_1.members
            write_uvarint(out, len(items_2) + 1)
            if not wrote_itself(items_2, out):
                for item_2 in items_2:
                    write_response_member_v5(out, item_2.member_id, item_2.group_instance_id, item_2.client_id, item_2.client_host, item_2.member_metadata, item_2.member_assignment)
            write_i32_be(out, item_1.authorized_operations)
            out.append(0)
        out.append(0)
        return finished(out)
    except (AttributeError, TypeError, ValueError, OverflowError) as error:
        raise encode_failure("DescribeGroups response v6", message, error) from error


REQUEST_DECODERS = {
    0: decode_request_v0,
    1: decode_request_v0,
    2: decode_request_v0,
    3: decode_request_v3,
    4: decode_request_v3,
    5: decode_request_v5,
    6: decode_request_v5,
}
RESPONSE_ENCODERS = {
    0: encode_response_v0,
    1: encode_response_v1,
    2: encode_response_v1,
    3: encode_response_v3,
    4: encode_response_v4,
    5: encode_response_v5,
    6: encode_response_v6,
}
