"""Generated from tools/codecs/schemas/list_groups.api by `make generate`; changes belong there."""

from __future__ import annotations

from muster.wire.generated.list_groups import (
    ListGroupsRequest,
    ListGroupsResponse,
    ListGroupsResponseGroup,
)
from struct import Struct, error as StructError

from muster.wire.message import Message, encode_failure, octets_of
from muster.wire.primitives import null_field, overrun, read_length, skip_tagged, too_many
from muster.wire.varint import uvarint

pack_h = Struct(">h").pack
pack_hi = Struct(">hi").pack
pack_ih = Struct(">ih").pack
pack_ihB = Struct(">ihB").pack
pack_ihi = Struct(">ihi").pack
unpack_h = Struct(">h").unpack_from
unpack_hi = Struct(">hi").unpack_from
unpack_ihB = Struct(">ihB").unpack_from
unpack_ihi = Struct(">ihi").unpack_from


# versions 0-2
def decode_request_v0(buf: bytes, pos: int) -> ListGroupsRequest:
    try:
        made_0 = ListGroupsRequest((), ())
    except (IndexError, StructError) as error:
        raise overrun("ListGroups request v0-2", buf, pos) from error
    if pos > len(buf):
        raise overrun("ListGroups request v0-2", buf, pos)
    return made_0


def decode_request_v3(buf: bytes, pos: int) -> ListGroupsRequest:
    try:
        tags = buf[pos]
        pos += 1
        if tags:
            pos = skip_tagged(buf, pos - 1)
        made_0 = ListGroupsRequest((), ())
    except (IndexError, StructError) as error:
        raise overrun("ListGroups request v3", buf, pos) from error
    if pos > len(buf):
        raise overrun("ListGroups request v3", buf, pos)
    return made_0


def decode_request_v4(buf: bytes, pos: int) -> ListGroupsRequest:
    try:
        n = buf[pos]
        pos += 1
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "ListGroups request v4", "StatesFilter")
        n -= 1
        if n > len(buf) - pos:
            raise overrun("ListGroups request v4", buf, pos)
        if n > 50000:
            raise too_many("ListGroups request v4", n)
        states_filter_0_items: list[str] = []
        for _ in range(n):
            n = buf[pos]
            pos += 1
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "ListGroups request v4", "StatesFilter")
            end = pos + n - 1
            states_filter_0_item = buf[pos:end].decode("utf-8", "replace")
            pos = end
            states_filter_0_items.append(states_filter_0_item)
        states_filter_0 = states_filter_0_items
        tags = buf[pos]
        pos += 1
        if tags:
            pos = skip_tagged(buf, pos - 1)
        made_0 = ListGroupsRequest(states_filter_0, ())
    except (IndexError, StructError) as error:
        raise overrun("ListGroups request v4", buf, pos) from error
    if pos > len(buf):
        raise overrun("ListGroups request v4", buf, pos)
    return made_0


def decode_request_v5(buf: bytes, pos: int) -> ListGroupsRequest:
    try:
        n = buf[pos]
        pos += 1
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "ListGroups request v5", "StatesFilter")
        n -= 1
        if n > len(buf) - pos:
            raise overrun("ListGroups request v5", buf, pos)
        if n > 50000:
            raise too_many("ListGroups request v5", n)
        states_filter_0_items: list[str] = []
        for _ in range(n):
            n = buf[pos]
            pos += 1
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "ListGroups request v5", "StatesFilter")
            end = pos + n - 1
            states_filter_0_item = buf[pos:end].decode("utf-8", "replace")
            pos = end
            states_filter_0_items.append(states_filter_0_item)
        states_filter_0 = states_filter_0_items
        n = buf[pos]
        pos += 1
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "ListGroups request v5", "TypesFilter")
        n -= 1
        if n > len(buf) - pos:
            raise overrun("ListGroups request v5", buf, pos)
        if n > 50000:
            raise too_many("ListGroups request v5", n)
        types_filter_0_items: list[str] = []
        for _ in range(n):
            n = buf[pos]
            pos += 1
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "ListGroups request v5", "TypesFilter")
            end = pos + n - 1
            types_filter_0_item = buf[pos:end].decode("utf-8", "replace")
            pos = end
            types_filter_0_items.append(types_filter_0_item)
        types_filter_0 = types_filter_0_items
        tags = buf[pos]
        pos += 1
        if tags:
            pos = skip_tagged(buf, pos - 1)
        made_0 = ListGroupsRequest(states_filter_0, types_filter_0)
    except (IndexError, StructError) as error:
        raise overrun("ListGroups request v5", buf, pos) from error
    if pos > len(buf):
        raise overrun("ListGroups request v5", buf, pos)
    return made_0


# versions 0-2
def encode_request_v0(message: ListGroupsRequest) -> bytes:
    try:
        return b""
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("ListGroups request v0-2", message, error) from error


def encode_request_v3(message: ListGroupsRequest) -> bytes:
    try:
        return b"\0"
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("ListGroups request v3", message, error) from error


def encode_request_v4(message: ListGroupsRequest) -> bytes:
    try:
        out = bytearray()
        items_1 = message.states_filter
        n = len(items_1) + 1
        if n < 128:
            out.append(n)
        else:
            out += uvarint(n)
        for item_1 in items_1:
            raw = item_1.encode()
            n = len(raw) + 1
            if n < 128:
                out.append(n)
            else:
                out += uvarint(n)
            out += raw
        out += b"\0"
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("ListGroups request v4", message, error) from error


def encode_request_v5(message: ListGroupsRequest) -> bytes:
    try:
        out = bytearray()
        items_1 = message.states_filter
        n = len(items_1) + 1
        if n < 128:
            out.append(n)
        else:
            out += uvarint(n)
        for item_1 in items_1:
            raw = item_1.encode()
            n = len(raw) + 1
            if n < 128:
                out.append(n)
            else:
                out += uvarint(n)
            out += raw
        items_2 = message.types_filter
        n = len(items_2) + 1
        if n < 128:
            out.append(n)
        else:
            out += uvarint(n)
        for item_2 in items_2:
            raw = item_2.encode()
            n = len(raw) + 1
            if n < 128:
                out.append(n)
            else:
                out += uvarint(n)
            out += raw
        out += b"\0"
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("ListGroups request v5", message, error) from error


def decode_response_v0(buf: bytes, pos: int) -> ListGroupsResponse:
    try:
        error_code_0, n = unpack_hi(buf, pos)
        pos += 6
        if n < 0:
            raise null_field("ListGroups response v0", "Groups")
        if n * 4 > len(buf) - pos:
            raise overrun("ListGroups response v0", buf, pos)
        groups_0_items: list[ListGroupsResponseGroup] = []
        for _ in range(n):
            (n,) = unpack_h(buf, pos)
            pos += 2
            if n < 0:
                raise null_field("ListGroups response v0", "GroupId")
            end = pos + n
            group_id_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            (n,) = unpack_h(buf, pos)
            pos += 2
            if n < 0:
                raise null_field("ListGroups response v0", "ProtocolType")
            end = pos + n
            protocol_type_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            made_1 = ListGroupsResponseGroup(group_id_1, protocol_type_1, "", "")
            groups_0_items.append(made_1)
        groups_0 = groups_0_items
        made_0 = ListGroupsResponse(0, error_code_0, groups_0)
    except (IndexError, StructError) as error:
        raise overrun("ListGroups response v0", buf, pos) from error
    if pos > len(buf):
        raise overrun("ListGroups response v0", buf, pos)
    return made_0


# versions 1-2
def decode_response_v1(buf: bytes, pos: int) -> ListGroupsResponse:
    try:
        throttle_time_ms_0, error_code_0, n = unpack_ihi(buf, pos)
        pos += 10
        if n < 0:
            raise null_field("ListGroups response v1-2", "Groups")
        if n * 4 > len(buf) - pos:
            raise overrun("ListGroups response v1-2", buf, pos)
        groups_0_items: list[ListGroupsResponseGroup] = []
        for _ in range(n):
            (n,) = unpack_h(buf, pos)
            pos += 2
            if n < 0:
                raise null_field("ListGroups response v1-2", "GroupId")
            end = pos + n
            group_id_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            (n,) = unpack_h(buf, pos)
            pos += 2
            if n < 0:
                raise null_field("ListGroups response v1-2", "ProtocolType")
            end = pos + n
            protocol_type_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            made_1 = ListGroupsResponseGroup(group_id_1, protocol_type_1, "", "")
            groups_0_items.append(made_1)
        groups_0 = groups_0_items
        made_0 = ListGroupsResponse(throttle_time_ms_0, error_code_0, groups_0)
    except (IndexError, StructError) as error:
        raise overrun("ListGroups response v1-2", buf, pos) from error
    if pos > len(buf):
        raise overrun("ListGroups response v1-2", buf, pos)
    return made_0


def decode_response_v3(buf: bytes, pos: int) -> ListGroupsResponse:
    try:
        throttle_time_ms_0, error_code_0, n = unpack_ihB(buf, pos)
        pos += 7
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "ListGroups response v3", "Groups")
        n -= 1
        if n * 3 > len(buf) - pos:
            raise overrun("ListGroups response v3", buf, pos)
        groups_0_items: list[ListGroupsResponseGroup] = []
        for _ in range(n):
            n = buf[pos]
            pos += 1
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "ListGroups response v3", "GroupId")
            end = pos + n - 1
            group_id_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            n = buf[pos]
            pos += 1
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "ListGroups response v3", "ProtocolType")
            end = pos + n - 1
            protocol_type_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            tags = buf[pos]
            pos += 1
            if tags:
                pos = skip_tagged(buf, pos - 1)
            made_1 = ListGroupsResponseGroup(group_id_1, protocol_type_1, "", "")
            groups_0_items.append(made_1)
        groups_0 = groups_0_items
        tags = buf[pos]
        pos += 1
        if tags:
            pos = skip_tagged(buf, pos - 1)
        made_0 = ListGroupsResponse(throttle_time_ms_0, error_code_0, groups_0)
    except (IndexError, StructError) as error:
        raise overrun("ListGroups response v3", buf, pos) from error
    if pos > len(buf):
        raise overrun("ListGroups response v3", buf, pos)
    return made_0


def decode_response_v4(buf: bytes, pos: int) -> ListGroupsResponse:
    try:
        throttle_time_ms_0, error_code_0, n = unpack_ihB(buf, pos)
        pos += 7
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "ListGroups response v4", "Groups")
        n -= 1
        if n * 4 > len(buf) - pos:
            raise overrun("ListGroups response v4", buf, pos)
        groups_0_items: list[ListGroupsResponseGroup] = []
        for _ in range(n):
            n = buf[pos]
            pos += 1
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "ListGroups response v4", "GroupId")
            end = pos + n - 1
            group_id_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            n = buf[pos]
            pos += 1
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "ListGroups response v4", "ProtocolType")
            end = pos + n - 1
            protocol_type_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            n = buf[pos]
            pos += 1
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "ListGroups response v4", "GroupState")
            end = pos + n - 1
            group_state_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            tags = buf[pos]
            pos += 1
            if tags:
                pos = skip_tagged(buf, pos - 1)
            made_1 = ListGroupsResponseGroup(group_id_1, protocol_type_1, group_state_1, "")
            groups_0_items.append(made_1)
        groups_0 = groups_0_items
        tags = buf[pos]
        pos += 1
        if tags:
            pos = skip_tagged(buf, pos - 1)
        made_0 = ListGroupsResponse(throttle_time_ms_0, error_code_0, groups_0)
    except (IndexError, StructError) as error:
        raise overrun("ListGroups response v4", buf, pos) from error
    if pos > len(buf):
        raise overrun("ListGroups response v4", buf, pos)
    return made_0


def decode_response_v5(buf: bytes, pos: int) -> ListGroupsResponse:
    try:
        throttle_time_ms_0, error_code_0, n = unpack_ihB(buf, pos)
        pos += 7
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "ListGroups response v5", "Groups")
        n -= 1
        if n * 5 > len(buf) - pos:
            raise overrun("ListGroups response v5", buf, pos)
        groups_0_items: list[ListGroupsResponseGroup] = []
        for _ in range(n):
            n = buf[pos]
            pos += 1
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "ListGroups response v5", "GroupId")
            end = pos + n - 1
            group_id_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            n = buf[pos]
            pos += 1
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "ListGroups response v5", "ProtocolType")
            end = pos + n - 1
            protocol_type_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            n = buf[pos]
            pos += 1
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "ListGroups response v5", "GroupState")
            end = pos + n - 1
            group_state_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            n = buf[pos]
            pos += 1
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "ListGroups response v5", "GroupType")
            end = pos + n - 1
            group_type_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            tags = buf[pos]
            pos += 1
            if tags:
                pos = skip_tagged(buf, pos - 1)
            made_1 = ListGroupsResponseGroup(group_id_1, protocol_type_1, group_state_1, group_type_1)
            groups_0_items.append(made_1)
        groups_0 = groups_0_items
        tags = buf[pos]
        pos += 1
        if tags:
            pos = skip_tagged(buf, pos - 1)
        made_0 = ListGroupsResponse(throttle_time_ms_0, error_code_0, groups_0)
    except (IndexError, StructError) as error:
        raise overrun("ListGroups response v5", buf, pos) from error
    if pos > len(buf):
        raise overrun("ListGroups response v5", buf, pos)
    return made_0


def encode_response_v0(message: ListGroupsResponse) -> bytes:
    try:
        out = bytearray()
        items_1 = message.groups
        out += pack_hi(message.error_code, len(items_1))
        octets_1 = octets_of(items_1)
        if octets_1 is not None:
            out += octets_1
        else:
            for item_1 in items_1:
                raw = item_1.group_id.encode()
                out += pack_h(len(raw))
                out += raw
                raw = item_1.protocol_type.encode()
                out += pack_h(len(raw))
                out += raw
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("ListGroups response v0", message, error) from error


# versions 1-2
def encode_response_v1(message: ListGroupsResponse) -> bytes:
    try:
        out = bytearray()
        items_1 = message.groups
        out += pack_ihi(message.throttle_time_ms, message.error_code, len(items_1))
        octets_1 = octets_of(items_1)
        if octets_1 is not None:
            out += octets_1
        else:
            for item_1 in items_1:
                raw = item_1.group_id.encode()
                out += pack_h(len(raw))
                out += raw
                raw = item_1.protocol_type.encode()
                out += pack_h(len(raw))
                out += raw
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("ListGroups response v1-2", message, error) from error


def encode_response_v3(message: ListGroupsResponse) -> bytes:
    try:
        out = bytearray()
        items_1 = message.groups
        n = len(items_1) + 1
        if n < 128:
            out += pack_ihB(message.throttle_time_ms, message.error_code, n)
        else:
            out += pack_ih(message.throttle_time_ms, message.error_code)
            out += uvarint(n)
        octets_1 = octets_of(items_1)
        if octets_1 is not None:
            out += octets_1
        else:
            for item_1 in items_1:
                raw = item_1.group_id.encode()
                n = len(raw) + 1
                if n < 128:
                    out.append(n)
                else:
                    out += uvarint(n)
                out += raw
                raw = item_1.protocol_type.encode()
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
        raise encode_failure("ListGroups response v3", message, error) from error


def encode_response_v4(message: ListGroupsResponse) -> bytes:
    try:
        out = bytearray()
        items_1 = message.groups
        n = len(items_1) + 1
        if n < 128:
            out += pack_ihB(message.throttle_time_ms, message.error_code, n)
        else:
            out += pack_ih(message.throttle_time_ms, message.error_code)
            out += uvarint(n)
        octets_1 = octets_of(items_1)
        if octets_1 is not None:
            out += octets_1
        else:
            for item_1 in items_1:
                raw = item_1.group_id.encode()
                n = len(raw) + 1
                if n < 128:
                    out.append(n)
                else:
                    out += uvarint(n)
                out += raw
                raw = item_1.protocol_type.encode()
                n = len(raw) + 1
                if n < 128:
                    out.append(n)
                else:
                    out += uvarint(n)
                out += raw
                raw = item_1.group_state.encode()
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
        raise encode_failure("ListGroups response v4", message, error) from error


def encode_response_v5(message: ListGroupsResponse) -> bytes:
    try:
        out = bytearray()
        items_1 = message.groups
        n = len(items_1) + 1
        if n < 128:
            out += pack_ihB(message.throttle_time_ms, message.error_code, n)
        else:
            out += pack_ih(message.throttle_time_ms, message.error_code)
            out += uvarint(n)
        octets_1 = octets_of(items_1)
        if octets_1 is not None:
            out += octets_1
        else:
            for item_1 in items_1:
                raw = item_1.group_id.encode()
                n = len(raw) + 1
                if n < 128:
                    out.append(n)
                else:
                    out += uvarint(n)
                out += raw
                raw = item_1.protocol_type.encode()
                n = len(raw) + 1
                if n < 128:
                    out.append(n)
                else:
                    out += uvarint(n)
                out += raw
                raw = item_1.group_state.encode()
                n = len(raw) + 1
                if n < 128:
                    out.append(n)
                else:
                    out += uvarint(n)
                out += raw
                raw = item_1.group_type.encode()
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
        raise encode_failure("ListGroups response v5", message, error) from error


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
    5: decode_response_v5,
}
RESPONSE_ENCODERS = {
    0: encode_response_v0,
    1: encode_response_v1,
    2: encode_response_v1,
    3: encode_response_v3,
    4: encode_response_v4,
    5: encode_response_v5,
}
