"""Generated from tools/codecs/schemas/list_groups.api by `make generate`; changes belong there."""

from __future__ import annotations

from muster.wire.generated.list_groups import (
    ListGroupsRequest,
    ListGroupsResponse,
)
from librt.strings import BytesWriter, write_i16_be, write_i32_be
from mypy_extensions import i16, i32, i64

from muster.wire.message import Message, encode_failure, wrote_itself
from muster.wire.native import begun, finished, read_compact_count, read_compact_str, skip_tags, write_compact_str, write_str, write_uvarint
from muster.wire.primitives import overrun, too_many


def write_response_group_v0(out: BytesWriter, group_id: str, protocol_type: str) -> None:
    write_str(out, group_id)
    write_str(out, protocol_type)


def write_response_group_v3(out: BytesWriter, group_id: str, protocol_type: str) -> None:
    write_compact_str(out, group_id)
    write_compact_str(out, protocol_type)
    out.append(0)


def write_response_group_v4(out: BytesWriter, group_id: str, protocol_type: str, group_state: str) -> None:
    write_compact_str(out, group_id)
    write_compact_str(out, protocol_type)
    write_compact_str(out, group_state)
    out.append(0)


def write_response_group_v5(out: BytesWriter, group_id: str, protocol_type: str, group_state: str, group_type: str) -> None:
    write_compact_str(out, group_id)
    write_compact_str(out, protocol_type)
    write_compact_str(out, group_state)
    write_compact_str(out, group_type)
    out.append(0)


def write_response_group(out: BytesWriter, version: i64, group_id: str, protocol_type: str, group_state: str, group_type: str) -> None:
    """One item as this version has it; for `LaidOut`."""
    if version >= 5:
        write_response_group_v5(out, group_id, protocol_type, group_state, group_type)
        return
    if version >= 4:
        write_response_group_v4(out, group_id, protocol_type, group_state)
        return
    if version >= 3:
        write_response_group_v3(out, group_id, protocol_type)
        return
    write_response_group_v0(out, group_id, protocol_type)


# versions 0-2
def decode_request_v0(buf: bytes, pos: int) -> ListGroupsRequest:
    at: i64 = pos
    try:
        return ListGroupsRequest((), ())
    except IndexError as error:
        raise overrun("ListGroups request v0-2", buf, at) from error


def decode_request_v3(buf: bytes, pos: int) -> ListGroupsRequest:
    at: i64 = pos
    try:
        if buf[at] == 0:
            at += 1
        else:
            at = skip_tags(buf, at)
        return ListGroupsRequest((), ())
    except IndexError as error:
        raise overrun("ListGroups request v3", buf, at) from error


def decode_request_v4(buf: bytes, pos: int) -> ListGroupsRequest:
    at: i64 = pos
    try:
        states_filter_0_count, at = read_compact_count(buf, at, 1, "ListGroups request v4", "StatesFilter")
        if states_filter_0_count > 50000:
            raise too_many("ListGroups request v4", states_filter_0_count)
        states_filter_0: list[str] = []
        for _ in range(states_filter_0_count):
            states_filter_0_item, at = read_compact_str(buf, at, "ListGroups request v4", "StatesFilter")
            states_filter_0.append(states_filter_0_item)
        if buf[at] == 0:
            at += 1
        else:
            at = skip_tags(buf, at)
        return ListGroupsRequest(states_filter_0, ())
    except IndexError as error:
        raise overrun("ListGroups request v4", buf, at) from error


def decode_request_v5(buf: bytes, pos: int) -> ListGroupsRequest:
    at: i64 = pos
    try:
        states_filter_0_count, at = read_compact_count(buf, at, 1, "ListGroups request v5", "StatesFilter")
        if states_filter_0_count > 50000:
            raise too_many("ListGroups request v5", states_filter_0_count)
        states_filter_0: list[str] = []
        for _ in range(states_filter_0_count):
            states_filter_0_item, at = read_compact_str(buf, at, "ListGroups request v5", "StatesFilter")
            states_filter_0.append(states_filter_0_item)
        types_filter_0_count, at = read_compact_count(buf, at, 1, "ListGroups request v5", "TypesFilter")
        if types_filter_0_count > 50000:
            raise too_many("ListGroups request v5", types_filter_0_count)
        types_filter_0: list[str] = []
        for _ in range(types_filter_0_count):
            types_filter_0_item, at = read_compact_str(buf, at, "ListGroups request v5", "TypesFilter")
            types_filter_0.append(types_filter_0_item)
        if buf[at] == 0:
            at += 1
        else:
            at = skip_tags(buf, at)
        return ListGroupsRequest(states_filter_0, types_filter_0)
    except IndexError as error:
        raise overrun("ListGroups request v5", buf, at) from error


def encode_response_v0(message: ListGroupsResponse) -> bytes:
    try:
        out = begun()
        write_i16_be(out, message.error_code)
        items_1 = message.groups
        write_i32_be(out, len(items_1))
        if not wrote_itself(items_1, out):
            for item_1 in items_1:
                write_response_group_v0(out, item_1.group_id, item_1.protocol_type)
        return finished(out)
    except (AttributeError, TypeError, ValueError, OverflowError) as error:
        raise encode_failure("ListGroups response v0", message, error) from error


# versions 1-2
def encode_response_v1(message: ListGroupsResponse) -> bytes:
    try:
        out = begun()
        write_i32_be(out, message.throttle_time_ms)
        write_i16_be(out, message.error_code)
        items_1 = message.groups
        write_i32_be(out, len(items_1))
        if not wrote_itself(items_1, out):
            for item_1 in items_1:
                write_response_group_v0(out, item_1.group_id, item_1.protocol_type)
        return finished(out)
    except (AttributeError, TypeError, ValueError, OverflowError) as error:
        raise encode_failure("ListGroups response v1-2", message, error) from error


def encode_response_v3(message: ListGroupsResponse) -> bytes:
    try:
        out = begun()
        write_i32_be(out, message.throttle_time_ms)
        write_i16_be(out, message.error_code)
        items_1 = message.groups
        write_uvarint(out, len(items_1) + 1)
        if not wrote_itself(items_1, out):
            for item_1 in items_1:
                write_response_group_v3(out, item_1.group_id, item_1.protocol_type)
        out.append(0)
        return finished(out)
    except (AttributeError, TypeError, ValueError, OverflowError) as error:
        raise encode_failure("ListGroups response v3", message, error) from error


def encode_response_v4(message: ListGroupsResponse) -> bytes:
    try:
        out = begun()
        write_i32_be(out, message.throttle_time_ms)
        write_i16_be(out, message.error_code)
        items_1 = message.groups
        write_uvarint(out, len(items_1) + 1)
        if not wrote_itself(items_1, out):
            for item_1 in items_1:
                write_response_group_v4(out, item_1.group_id, item_1.protocol_type, item_1.group_state)
        out.append(0)
        return finished(out)
    except (AttributeError, TypeError, ValueError, OverflowError) as error:
        raise encode_failure("ListGroups response v4", message, error) from error


def encode_response_v5(message: ListGroupsResponse) -> bytes:
    try:
        out = begun()
        write_i32_be(out, message.throttle_time_ms)
        write_i16_be(out, message.error_code)
        items_1 = message.groups
        write_uvarint(out, len(items_1) + 1)
        if not wrote_itself(items_1, out):
            for item_1 in items_1:
                write_response_group_v5(out, item_1.group_id, item_1.protocol_type, item_1.group_state, item_1.group_type)
        out.append(0)
        return finished(out)
    except (AttributeError, TypeError, ValueError, OverflowError) as error:
        raise encode_failure("ListGroups response v5", message, error) from error


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
    5: encode_response_v5,
}
