"""Generated from tools/codecs/schemas/describe_groups.api by `make generate`; changes belong there."""

from __future__ import annotations

from muster.wire.generated.describe_groups import (
    DescribeGroupsRequest,
    DescribeGroupsResponse,
    DescribeGroupsResponseGroup,
    DescribeGroupsResponseMember,
)
from struct import Struct, error as StructError

from muster.wire.message import Message, encode_failure, octets_of
from muster.wire.primitives import null_field, overrun, read_length, skip_tagged, too_many
from muster.wire.varint import read_uvarint, uvarint

pack_t = Struct(">?").pack
pack_tx = Struct(">?x").pack
pack_h = Struct(">h").pack
pack_hB = Struct(">hB").pack
pack_hh = Struct(">hh").pack
pack_hx = Struct(">hx").pack
pack_i = Struct(">i").pack
pack_iB = Struct(">iB").pack
pack_ii = Struct(">ii").pack
pack_ix = Struct(">ix").pack
unpack_tB = Struct(">?B").unpack_from
unpack_h = Struct(">h").unpack_from
unpack_hB = Struct(">hB").unpack_from
unpack_hh = Struct(">hh").unpack_from
unpack_i = Struct(">i").unpack_from
unpack_iB = Struct(">iB").unpack_from
unpack_ii = Struct(">ii").unpack_from


# versions 0-2
def decode_request_v0(buf: bytes, pos: int) -> DescribeGroupsRequest:
    try:
        (n,) = unpack_i(buf, pos)
        pos += 4
        if n < 0:
            raise null_field("DescribeGroups request v0-2", "Groups")
        if n * 2 > len(buf) - pos:
            raise overrun("DescribeGroups request v0-2", buf, pos)
        if n > 50000:
            raise too_many("DescribeGroups request v0-2", n)
        groups_0_items: list[str] = []
        for _ in range(n):
            (n,) = unpack_h(buf, pos)
            pos += 2
            if n < 0:
                raise null_field("DescribeGroups request v0-2", "Groups")
            end = pos + n
            groups_0_item = buf[pos:end].decode("utf-8", "replace")
            pos = end
            groups_0_items.append(groups_0_item)
        groups_0 = groups_0_items
        made_0 = DescribeGroupsRequest(groups_0, False)
    except (IndexError, StructError) as error:
        raise overrun("DescribeGroups request v0-2", buf, pos) from error
    if pos > len(buf):
        raise overrun("DescribeGroups request v0-2", buf, pos)
    return made_0


# versions 3-4
def decode_request_v3(buf: bytes, pos: int) -> DescribeGroupsRequest:
    try:
        (n,) = unpack_i(buf, pos)
        pos += 4
        if n < 0:
            raise null_field("DescribeGroups request v3-4", "Groups")
        if n * 2 > len(buf) - pos:
            raise overrun("DescribeGroups request v3-4", buf, pos)
        if n > 50000:
            raise too_many("DescribeGroups request v3-4", n)
        groups_0_items: list[str] = []
        for _ in range(n):
            (n,) = unpack_h(buf, pos)
            pos += 2
            if n < 0:
                raise null_field("DescribeGroups request v3-4", "Groups")
            end = pos + n
            groups_0_item = buf[pos:end].decode("utf-8", "replace")
            pos = end
            groups_0_items.append(groups_0_item)
        groups_0 = groups_0_items
        include_authorized_operations_0 = buf[pos] != 0
        pos += 1
        made_0 = DescribeGroupsRequest(groups_0, include_authorized_operations_0)
    except (IndexError, StructError) as error:
        raise overrun("DescribeGroups request v3-4", buf, pos) from error
    if pos > len(buf):
        raise overrun("DescribeGroups request v3-4", buf, pos)
    return made_0


# versions 5-6
def decode_request_v5(buf: bytes, pos: int) -> DescribeGroupsRequest:
    try:
        n = buf[pos]
        pos += 1
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "DescribeGroups request v5-6", "Groups")
        n -= 1
        if n > len(buf) - pos:
            raise overrun("DescribeGroups request v5-6", buf, pos)
        if n > 50000:
            raise too_many("DescribeGroups request v5-6", n)
        groups_0_items: list[str] = []
        for _ in range(n):
            n = buf[pos]
            pos += 1
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "DescribeGroups request v5-6", "Groups")
            end = pos + n - 1
            groups_0_item = buf[pos:end].decode("utf-8", "replace")
            pos = end
            groups_0_items.append(groups_0_item)
        groups_0 = groups_0_items
        include_authorized_operations_0, tags = unpack_tB(buf, pos)
        pos += 2
        if tags:
            pos = skip_tagged(buf, pos - 1)
        made_0 = DescribeGroupsRequest(groups_0, include_authorized_operations_0)
    except (IndexError, StructError) as error:
        raise overrun("DescribeGroups request v5-6", buf, pos) from error
    if pos > len(buf):
        raise overrun("DescribeGroups request v5-6", buf, pos)
    return made_0


# versions 0-2
def encode_request_v0(message: DescribeGroupsRequest) -> bytes:
    try:
        out = bytearray()
        items_1 = message.groups
        out += pack_i(len(items_1))
        for item_1 in items_1:
            raw = item_1.encode()
            out += pack_h(len(raw))
            out += raw
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("DescribeGroups request v0-2", message, error) from error


# versions 3-4
def encode_request_v3(message: DescribeGroupsRequest) -> bytes:
    try:
        out = bytearray()
        items_1 = message.groups
        out += pack_i(len(items_1))
        for item_1 in items_1:
            raw = item_1.encode()
            out += pack_h(len(raw))
            out += raw
        out += pack_t(message.include_authorized_operations)
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("DescribeGroups request v3-4", message, error) from error


# versions 5-6
def encode_request_v5(message: DescribeGroupsRequest) -> bytes:
    try:
        out = bytearray()
        items_1 = message.groups
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
        out += pack_tx(message.include_authorized_operations)
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("DescribeGroups request v5-6", message, error) from error


def decode_response_v0(buf: bytes, pos: int) -> DescribeGroupsResponse:
    try:
        (n,) = unpack_i(buf, pos)
        pos += 4
        if n < 0:
            raise null_field("DescribeGroups response v0", "Groups")
        if n * 14 > len(buf) - pos:
            raise overrun("DescribeGroups response v0", buf, pos)
        groups_0_items: list[DescribeGroupsResponseGroup] = []
        for _ in range(n):
            error_code_1, n = unpack_hh(buf, pos)
            pos += 4
            if n < 0:
                raise null_field("DescribeGroups response v0", "GroupId")
            end = pos + n
            group_id_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            (n,) = unpack_h(buf, pos)
            pos += 2
            if n < 0:
                raise null_field("DescribeGroups response v0", "GroupState")
            end = pos + n
            group_state_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            (n,) = unpack_h(buf, pos)
            pos += 2
            if n < 0:
                raise null_field("DescribeGroups response v0", "ProtocolType")
            end = pos + n
            protocol_type_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            (n,) = unpack_h(buf, pos)
            pos += 2
            if n < 0:
                raise null_field("DescribeGroups response v0", "ProtocolData")
            end = pos + n
            protocol_data_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            (n,) = unpack_i(buf, pos)
            pos += 4
            if n < 0:
                raise null_field("DescribeGroups response v0", "Members")
            if n * 14 > len(buf) - pos:
                raise overrun("DescribeGroups response v0", buf, pos)
            members_1_items: list[DescribeGroupsResponseMember] = []
            for _ in range(n):
                (n,) = unpack_h(buf, pos)
                pos += 2
                if n < 0:
                    raise null_field("DescribeGroups response v0", "MemberId")
                end = pos + n
                member_id_2 = buf[pos:end].decode("utf-8", "replace")
                pos = end
                (n,) = unpack_h(buf, pos)
                pos += 2
                if n < 0:
                    raise null_field("DescribeGroups response v0", "ClientId")
                end = pos + n
                client_id_2 = buf[pos:end].decode("utf-8", "replace")
                pos = end
                (n,) = unpack_h(buf, pos)
                pos += 2
                if n < 0:
                    raise null_field("DescribeGroups response v0", "ClientHost")
                end = pos + n
                client_host_2 = buf[pos:end].decode("utf-8", "replace")
                pos = end
                (n,) = unpack_i(buf, pos)
                pos += 4
                if n < 0:
                    raise null_field("DescribeGroups response v0", "MemberMetadata")
                end = pos + n
                member_metadata_2 = buf[pos:end]
                pos = end
                (n,) = unpack_i(buf, pos)
                pos += 4
                if n < 0:
                    raise null_field("DescribeGroups response v0", "MemberAssignment")
                end = pos + n
                member_assignment_2 = buf[pos:end]
                pos = end
                made_2 = DescribeGroupsResponseMember(member_id_2, None, client_id_2, client_host_2, member_metadata_2, member_assignment_2)
                members_1_items.append(made_2)
            members_1 = members_1_items
            made_1 = DescribeGroupsResponseGroup(error_code_1, None, group_id_1, group_state_1, protocol_type_1, protocol_data_1, members_1, -2147483648)
            groups_0_items.append(made_1)
        groups_0 = groups_0_items
        made_0 = DescribeGroupsResponse(0, groups_0)
    except (IndexError, StructError) as error:
        raise overrun("DescribeGroups response v0", buf, pos) from error
    if pos > len(buf):
        raise overrun("DescribeGroups response v0", buf, pos)
    return made_0


# versions 1-2
def decode_response_v1(buf: bytes, pos: int) -> DescribeGroupsResponse:
    try:
        throttle_time_ms_0, n = unpack_ii(buf, pos)
        pos += 8
        if n < 0:
            raise null_field("DescribeGroups response v1-2", "Groups")
        if n * 14 > len(buf) - pos:
            raise overrun("DescribeGroups response v1-2", buf, pos)
        groups_0_items: list[DescribeGroupsResponseGroup] = []
        for _ in range(n):
            error_code_1, n = unpack_hh(buf, pos)
            pos += 4
            if n < 0:
                raise null_field("DescribeGroups response v1-2", "GroupId")
            end = pos + n
            group_id_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            (n,) = unpack_h(buf, pos)
            pos += 2
            if n < 0:
                raise null_field("DescribeGroups response v1-2", "GroupState")
            end = pos + n
            group_state_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            (n,) = unpack_h(buf, pos)
            pos += 2
            if n < 0:
                raise null_field("DescribeGroups response v1-2", "ProtocolType")
            end = pos + n
            protocol_type_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            (n,) = unpack_h(buf, pos)
            pos += 2
            if n < 0:
                raise null_field("DescribeGroups response v1-2", "ProtocolData")
            end = pos + n
            protocol_data_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            (n,) = unpack_i(buf, pos)
            pos += 4
            if n < 0:
                raise null_field("DescribeGroups response v1-2", "Members")
            if n * 14 > len(buf) - pos:
                raise overrun("DescribeGroups response v1-2", buf, pos)
            members_1_items: list[DescribeGroupsResponseMember] = []
            for _ in range(n):
                (n,) = unpack_h(buf, pos)
                pos += 2
                if n < 0:
                    raise null_field("DescribeGroups response v1-2", "MemberId")
                end = pos + n
                member_id_2 = buf[pos:end].decode("utf-8", "replace")
                pos = end
                (n,) = unpack_h(buf, pos)
                pos += 2
                if n < 0:
                    raise null_field("DescribeGroups response v1-2", "ClientId")
                end = pos + n
                client_id_2 = buf[pos:end].decode("utf-8", "replace")
                pos = end
                (n,) = unpack_h(buf, pos)
                pos += 2
                if n < 0:
                    raise null_field("DescribeGroups response v1-2", "ClientHost")
                end = pos + n
                client_host_2 = buf[pos:end].decode("utf-8", "replace")
                pos = end
                (n,) = unpack_i(buf, pos)
                pos += 4
                if n < 0:
                    raise null_field("DescribeGroups response v1-2", "MemberMetadata")
                end = pos + n
                member_metadata_2 = buf[pos:end]
                pos = end
                (n,) = unpack_i(buf, pos)
                pos += 4
                if n < 0:
                    raise null_field("DescribeGroups response v1-2", "MemberAssignment")
                end = pos + n
                member_assignment_2 = buf[pos:end]
                pos = end
                made_2 = DescribeGroupsResponseMember(member_id_2, None, client_id_2, client_host_2, member_metadata_2, member_assignment_2)
                members_1_items.append(made_2)
            members_1 = members_1_items
            made_1 = DescribeGroupsResponseGroup(error_code_1, None, group_id_1, group_state_1, protocol_type_1, protocol_data_1, members_1, -2147483648)
            groups_0_items.append(made_1)
        groups_0 = groups_0_items
        made_0 = DescribeGroupsResponse(throttle_time_ms_0, groups_0)
    except (IndexError, StructError) as error:
        raise overrun("DescribeGroups response v1-2", buf, pos) from error
    if pos > len(buf):
        raise overrun("DescribeGroups response v1-2", buf, pos)
    return made_0


def decode_response_v3(buf: bytes, pos: int) -> DescribeGroupsResponse:
    try:
        throttle_time_ms_0, n = unpack_ii(buf, pos)
        pos += 8
        if n < 0:
            raise null_field("DescribeGroups response v3", "Groups")
        if n * 18 > len(buf) - pos:
            raise overrun("DescribeGroups response v3", buf, pos)
        groups_0_items: list[DescribeGroupsResponseGroup] = []
        for _ in range(n):
            error_code_1, n = unpack_hh(buf, pos)
            pos += 4
            if n < 0:
                raise null_field("DescribeGroups response v3", "GroupId")
            end = pos + n
            group_id_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            (n,) = unpack_h(buf, pos)
            pos += 2
            if n < 0:
                raise null_field("DescribeGroups response v3", "GroupState")
            end = pos + n
            group_state_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            (n,) = unpack_h(buf, pos)
            pos += 2
            if n < 0:
                raise null_field("DescribeGroups response v3", "ProtocolType")
            end = pos + n
            protocol_type_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            (n,) = unpack_h(buf, pos)
            pos += 2
            if n < 0:
                raise null_field("DescribeGroups response v3", "ProtocolData")
            end = pos + n
            protocol_data_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            (n,) = unpack_i(buf, pos)
            pos += 4
            if n < 0:
                raise null_field("DescribeGroups response v3", "Members")
            if n * 14 > len(buf) - pos:
                raise overrun("DescribeGroups response v3", buf, pos)
            members_1_items: list[DescribeGroupsResponseMember] = []
            for _ in range(n):
                (n,) = unpack_h(buf, pos)
                pos += 2
                if n < 0:
                    raise null_field("DescribeGroups response v3", "MemberId")
                end = pos + n
                member_id_2 = buf[pos:end].decode("utf-8", "replace")
                pos = end
                (n,) = unpack_h(buf, pos)
                pos += 2
                if n < 0:
                    raise null_field("DescribeGroups response v3", "ClientId")
                end = pos + n
                client_id_2 = buf[pos:end].decode("utf-8", "replace")
                pos = end
                (n,) = unpack_h(buf, pos)
                pos += 2
                if n < 0:
                    raise null_field("DescribeGroups response v3", "ClientHost")
                end = pos + n
                client_host_2 = buf[pos:end].decode("utf-8", "replace")
                pos = end
                (n,) = unpack_i(buf, pos)
                pos += 4
                if n < 0:
                    raise null_field("DescribeGroups response v3", "MemberMetadata")
                end = pos + n
                member_metadata_2 = buf[pos:end]
                pos = end
                (n,) = unpack_i(buf, pos)
                pos += 4
                if n < 0:
                    raise null_field("DescribeGroups response v3", "MemberAssignment")
                end = pos + n
                member_assignment_2 = buf[pos:end]
                pos = end
                made_2 = DescribeGroupsResponseMember(member_id_2, None, client_id_2, client_host_2, member_metadata_2, member_assignment_2)
                members_1_items.append(made_2)
            members_1 = members_1_items
            (authorized_operations_1,) = unpack_i(buf, pos)
            pos += 4
            made_1 = DescribeGroupsResponseGroup(error_code_1, None, group_id_1, group_state_1, protocol_type_1, protocol_data_1, members_1, authorized_operations_1)
            groups_0_items.append(made_1)
        groups_0 = groups_0_items
        made_0 = DescribeGroupsResponse(throttle_time_ms_0, groups_0)
    except (IndexError, StructError) as error:
        raise overrun("DescribeGroups response v3", buf, pos) from error
    if pos > len(buf):
        raise overrun("DescribeGroups response v3", buf, pos)
    return made_0


def decode_response_v4(buf: bytes, pos: int) -> DescribeGroupsResponse:
    try:
        throttle_time_ms_0, n = unpack_ii(buf, pos)
        pos += 8
        if n < 0:
            raise null_field("DescribeGroups response v4", "Groups")
        if n * 18 > len(buf) - pos:
            raise overrun("DescribeGroups response v4", buf, pos)
        groups_0_items: list[DescribeGroupsResponseGroup] = []
        for _ in range(n):
            error_code_1, n = unpack_hh(buf, pos)
            pos += 4
            if n < 0:
                raise null_field("DescribeGroups response v4", "GroupId")
            end = pos + n
            group_id_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            (n,) = unpack_h(buf, pos)
            pos += 2
            if n < 0:
                raise null_field("DescribeGroups response v4", "GroupState")
            end = pos + n
            group_state_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            (n,) = unpack_h(buf, pos)
            pos += 2
            if n < 0:
                raise null_field("DescribeGroups response v4", "ProtocolType")
            end = pos + n
            protocol_type_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            (n,) = unpack_h(buf, pos)
            pos += 2
            if n < 0:
                raise null_field("DescribeGroups response v4", "ProtocolData")
            end = pos + n
            protocol_data_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            (n,) = unpack_i(buf, pos)
            pos += 4
            if n < 0:
                raise null_field("DescribeGroups response v4", "Members")
            if n * 16 > len(buf) - pos:
                raise overrun("DescribeGroups response v4", buf, pos)
            members_1_items: list[DescribeGroupsResponseMember] = []
            for _ in range(n):
                (n,) = unpack_h(buf, pos)
                pos += 2
                if n < 0:
                    raise null_field("DescribeGroups response v4", "MemberId")
                end = pos + n
                member_id_2 = buf[pos:end].decode("utf-8", "replace")
                pos = end
                (n,) = unpack_h(buf, pos)
                pos += 2
                group_instance_id_2: str | None = None
                if n >= 0:
                    end = pos + n
                    group_instance_id_2 = buf[pos:end].decode("utf-8", "replace")
                    pos = end
                (n,) = unpack_h(buf, pos)
                pos += 2
                if n < 0:
                    raise null_field("DescribeGroups response v4", "ClientId")
                end = pos + n
                client_id_2 = buf[pos:end].decode("utf-8", "replace")
                pos = end
                (n,) = unpack_h(buf, pos)
                pos += 2
                if n < 0:
                    raise null_field("DescribeGroups response v4", "ClientHost")
                end = pos + n
                client_host_2 = buf[pos:end].decode("utf-8", "replace")
                pos = end
                (n,) = unpack_i(buf, pos)
                pos += 4
                if n < 0:
                    raise null_field("DescribeGroups response v4", "MemberMetadata")
                end = pos + n
                member_metadata_2 = buf[pos:end]
                pos = end
                (n,) = unpack_i(buf, pos)
                pos += 4
                if n < 0:
                    raise null_field("DescribeGroups response v4", "MemberAssignment")
                end = pos + n
                member_assignment_2 = buf[pos:end]
                pos = end
                made_2 = DescribeGroupsResponseMember(member_id_2, group_instance_id_2, client_id_2, client_host_2, member_metadata_2, member_assignment_2)
                members_1_items.append(made_2)
            members_1 = members_1_items
            (authorized_operations_1,) = unpack_i(buf, pos)
            pos += 4
            made_1 = DescribeGroupsResponseGroup(error_code_1, None, group_id_1, group_state_1, protocol_type_1, protocol_data_1, members_1, authorized_operations_1)
            groups_0_items.append(made_1)
        groups_0 = groups_0_items
        made_0 = DescribeGroupsResponse(throttle_time_ms_0, groups_0)
    except (IndexError, StructError) as error:
        raise overrun("DescribeGroups response v4", buf, pos) from error
    if pos > len(buf):
        raise overrun("DescribeGroups response v4", buf, pos)
    return made_0


def decode_response_v5(buf: bytes, pos: int) -> DescribeGroupsResponse:
    try:
        throttle_time_ms_0, n = unpack_iB(buf, pos)
        pos += 5
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "DescribeGroups response v5", "Groups")
        n -= 1
        if n * 12 > len(buf) - pos:
            raise overrun("DescribeGroups response v5", buf, pos)
        groups_0_items: list[DescribeGroupsResponseGroup] = []
        for _ in range(n):
            error_code_1, n = unpack_hB(buf, pos)
            pos += 3
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "DescribeGroups response v5", "GroupId")
            end = pos + n - 1
            group_id_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            n = buf[pos]
            pos += 1
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "DescribeGroups response v5", "GroupState")
            end = pos + n - 1
            group_state_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            n = buf[pos]
            pos += 1
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "DescribeGroups response v5", "ProtocolType")
            end = pos + n - 1
            protocol_type_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            n = buf[pos]
            pos += 1
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "DescribeGroups response v5", "ProtocolData")
            end = pos + n - 1
            protocol_data_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            n = buf[pos]
            pos += 1
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "DescribeGroups response v5", "Members")
            n -= 1
            if n * 7 > len(buf) - pos:
                raise overrun("DescribeGroups response v5", buf, pos)
            members_1_items: list[DescribeGroupsResponseMember] = []
            for _ in range(n):
                n = buf[pos]
                pos += 1
                if not 0 < n < 128:
                    n, pos = read_length(buf, pos - 1, "DescribeGroups response v5", "MemberId")
                end = pos + n - 1
                member_id_2 = buf[pos:end].decode("utf-8", "replace")
                pos = end
                n = buf[pos]
                pos += 1
                if n > 127:
                    n, pos = read_uvarint(buf, pos - 1)
                group_instance_id_2: str | None = None
                if n > 0:
                    end = pos + n - 1
                    group_instance_id_2 = buf[pos:end].decode("utf-8", "replace")
                    pos = end
                n = buf[pos]
                pos += 1
                if not 0 < n < 128:
                    n, pos = read_length(buf, pos - 1, "DescribeGroups response v5", "ClientId")
                end = pos + n - 1
                client_id_2 = buf[pos:end].decode("utf-8", "replace")
                pos = end
                n = buf[pos]
                pos += 1
                if not 0 < n < 128:
                    n, pos = read_length(buf, pos - 1, "DescribeGroups response v5", "ClientHost")
                end = pos + n - 1
                client_host_2 = buf[pos:end].decode("utf-8", "replace")
                pos = end
                n = buf[pos]
                pos += 1
                if not 0 < n < 128:
                    n, pos = read_length(buf, pos - 1, "DescribeGroups response v5", "MemberMetadata")
                end = pos + n - 1
                member_metadata_2 = buf[pos:end]
                pos = end
                n = buf[pos]
                pos += 1
                if not 0 < n < 128:
                    n, pos = read_length(buf, pos - 1, "DescribeGroups response v5", "MemberAssignment")
                end = pos + n - 1
                member_assignment_2 = buf[pos:end]
                pos = end
                tags = buf[pos]
                pos += 1
                if tags:
                    pos = skip_tagged(buf, pos - 1)
                made_2 = DescribeGroupsResponseMember(member_id_2, group_instance_id_2, client_id_2, client_host_2, member_metadata_2, member_assignment_2)
                members_1_items.append(made_2)
            members_1 = members_1_items
            authorized_operations_1, tags = unpack_iB(buf, pos)
            pos += 5
            if tags:
                pos = skip_tagged(buf, pos - 1)
            made_1 = DescribeGroupsResponseGroup(error_code_1, None, group_id_1, group_state_1, protocol_type_1, protocol_data_1, members_1, authorized_operations_1)
            groups_0_items.append(made_1)
        groups_0 = groups_0_items
        tags = buf[pos]
        pos += 1
        if tags:
            pos = skip_tagged(buf, pos - 1)
        made_0 = DescribeGroupsResponse(throttle_time_ms_0, groups_0)
    except (IndexError, StructError) as error:
        raise overrun("DescribeGroups response v5", buf, pos) from error
    if pos > len(buf):
        raise overrun("DescribeGroups response v5", buf, pos)
    return made_0


def decode_response_v6(buf: bytes, pos: int) -> DescribeGroupsResponse:
    try:
        throttle_time_ms_0, n = unpack_iB(buf, pos)
        pos += 5
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "DescribeGroups response v6", "Groups")
        n -= 1
        if n * 13 > len(buf) - pos:
            raise overrun("DescribeGroups response v6", buf, pos)
        groups_0_items: list[DescribeGroupsResponseGroup] = []
        for _ in range(n):
            error_code_1, n = unpack_hB(buf, pos)
            pos += 3
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            error_message_1: str | None = None
            if n > 0:
                end = pos + n - 1
                error_message_1 = buf[pos:end].decode("utf-8", "replace")
                pos = end
            n = buf[pos]
            pos += 1
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "DescribeGroups response v6", "GroupId")
            end = pos + n - 1
            group_id_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            n = buf[pos]
            pos += 1
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "DescribeGroups response v6", "GroupState")
            end = pos + n - 1
            group_state_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            n = buf[pos]
            pos += 1
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "DescribeGroups response v6", "ProtocolType")
            end = pos + n - 1
            protocol_type_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            n = buf[pos]
            pos += 1
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "DescribeGroups response v6", "ProtocolData")
            end = pos + n - 1
            protocol_data_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            n = buf[pos]
            pos += 1
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "DescribeGroups response v6", "Members")
            n -= 1
            if n * 7 > len(buf) - pos:
                raise overrun("DescribeGroups response v6", buf, pos)
            members_1_items: list[DescribeGroupsResponseMember] = []
            for _ in range(n):
                n = buf[pos]
                pos += 1
                if not 0 < n < 128:
                    n, pos = read_length(buf, pos - 1, "DescribeGroups response v6", "MemberId")
                end = pos + n - 1
                member_id_2 = buf[pos:end].decode("utf-8", "replace")
                pos = end
                n = buf[pos]
                pos += 1
                if n > 127:
                    n, pos = read_uvarint(buf, pos - 1)
                group_instance_id_2: str | None = None
                if n > 0:
                    end = pos + n - 1
                    group_instance_id_2 = buf[pos:end].decode("utf-8", "replace")
                    pos = end
                n = buf[pos]
                pos += 1
                if not 0 < n < 128:
                    n, pos = read_length(buf, pos - 1, "DescribeGroups response v6", "ClientId")
                end = pos + n - 1
                client_id_2 = buf[pos:end].decode("utf-8", "replace")
                pos = end
                n = buf[pos]
                pos += 1
                if not 0 < n < 128:
                    n, pos = read_length(buf, pos - 1, "DescribeGroups response v6", "ClientHost")
                end = pos + n - 1
                client_host_2 = buf[pos:end].decode("utf-8", "replace")
                pos = end
                n = buf[pos]
                pos += 1
                if not 0 < n < 128:
                    n, pos = read_length(buf, pos - 1, "DescribeGroups response v6", "MemberMetadata")
                end = pos + n - 1
                member_metadata_2 = buf[pos:end]
                pos = end
                n = buf[pos]
                pos += 1
                if not 0 < n < 128:
                    n, pos = read_length(buf, pos - 1, "DescribeGroups response v6", "MemberAssignment")
                end = pos + n - 1
                member_assignment_2 = buf[pos:end]
                pos = end
                tags = buf[pos]
                pos += 1
                if tags:
                    pos = skip_tagged(buf, pos - 1)
                made_2 = DescribeGroupsResponseMember(member_id_2, group_instance_id_2, client_id_2, client_host_2, member_metadata_2, member_assignment_2)
                members_1_items.append(made_2)
            members_1 = members_1_items
            authorized_operations_1, tags = unpack_iB(buf, pos)
            pos += 5
            if tags:
                pos = skip_tagged(buf, pos - 1)
            made_1 = DescribeGroupsResponseGroup(error_code_1, error_message_1, group_id_1, group_state_1, protocol_type_1, protocol_data_1, members_1, authorized_operations_1)
            groups_0_items.append(made_1)
        groups_0 = groups_0_items
        tags = buf[pos]
        pos += 1
        if tags:
            pos = skip_tagged(buf, pos - 1)
        made_0 = DescribeGroupsResponse(throttle_time_ms_0, groups_0)
    except (IndexError, StructError) as error:
        raise overrun("DescribeGroups response v6", buf, pos) from error
    if pos > len(buf):
        raise overrun("DescribeGroups response v6", buf, pos)
    return made_0


def encode_response_v0(message: DescribeGroupsResponse) -> bytes:
    try:
        out = bytearray()
        items_1 = message.groups
        out += pack_i(len(items_1))
        for item_1 in items_1:
            raw = item_1.group_id.encode()
            out += pack_hh(item_1.error_code, len(raw))
            out += raw
            raw = item_1.group_state.encode()
            out += pack_h(len(raw))
            out += raw
            raw = item_1.protocol_type.encode()
            out += pack_h(len(raw))
            out += raw
            raw = item_1.protocol_data.encode()
            out += pack_h(len(raw))
            out += raw
            items_2 = item_1.members
            out += pack_i(len(items_2))
            octets_2 = octets_of(items_2)
            if octets_2 is not None:
                out += octets_2
            else:
                for item_2 in items_2:
                    raw = item_2.member_id.encode()
                    out += pack_h(len(raw))
                    out += raw
                    raw = item_2.client_id.encode()
                    out += pack_h(len(raw))
                    out += raw
                    raw = item_2.client_host.encode()
                    out += pack_h(len(raw))
                    out += raw
                    raw = item_2.member_metadata
                    out += pack_i(len(raw))
                    out += raw
                    raw = item_2.member_assignment
                    out += pack_i(len(raw))
                    out += raw
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("DescribeGroups response v0", message, error) from error


# versions 1-2
def encode_response_v1(message: DescribeGroupsResponse) -> bytes:
    try:
        out = bytearray()
        items_1 = message.groups
        out += pack_ii(message.throttle_time_ms, len(items_1))
        for item_1 in items_1:
            raw = item_1.group_id.encode()
            out += pack_hh(item_1.error_code, len(raw))
            out += raw
            raw = item_1.group_state.encode()
            out += pack_h(len(raw))
            out += raw
            raw = item_1.protocol_type.encode()
            out += pack_h(len(raw))
            out += raw
            raw = item_1.protocol_data.encode()
            out += pack_h(len(raw))
            out += raw
            items_2 = item_1.members
            out += pack_i(len(items_2))
            octets_2 = octets_of(items_2)
            if octets_2 is not None:
                out += octets_2
            else:
                for item_2 in items_2:
                    raw = item_2.member_id.encode()
                    out += pack_h(len(raw))
                    out += raw
                    raw = item_2.client_id.encode()
                    out += pack_h(len(raw))
                    out += raw
                    raw = item_2.client_host.encode()
                    out += pack_h(len(raw))
                    out += raw
                    raw = item_2.member_metadata
                    out += pack_i(len(raw))
                    out += raw
                    raw = item_2.member_assignment
                    out += pack_i(len(raw))
                    out += raw
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("DescribeGroups response v1-2", message, error) from error


def encode_response_v3(message: DescribeGroupsResponse) -> bytes:
    try:
        out = bytearray()
        items_1 = message.groups
        out += pack_ii(message.throttle_time_ms, len(items_1))
        for item_1 in items_1:
            raw = item_1.group_id.encode()
            out += pack_hh(item_1.error_code, len(raw))
            out += raw
            raw = item_1.group_state.encode()
            out += pack_h(len(raw))
            out += raw
            raw = item_1.protocol_type.encode()
            out += pack_h(len(raw))
            out += raw
            raw = item_1.protocol_data.encode()
            out += pack_h(len(raw))
            out += raw
            items_2 = item_1.members
            out += pack_i(len(items_2))
            octets_2 = octets_of(items_2)
            if octets_2 is not None:
                out += octets_2
            else:
                for item_2 in items_2:
                    raw = item_2.member_id.encode()
                    out += pack_h(len(raw))
                    out += raw
                    raw = item_2.client_id.encode()
                    out += pack_h(len(raw))
                    out += raw
                    raw = item_2.client_host.encode()
                    out += pack_h(len(raw))
                    out += raw
                    raw = item_2.member_metadata
                    out += pack_i(len(raw))
                    out += raw
                    raw = item_2.member_assignment
                    out += pack_i(len(raw))
                    out += raw
            out += pack_i(item_1.authorized_operations)
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("DescribeGroups response v3", message, error) from error


def encode_response_v4(message: DescribeGroupsResponse) -> bytes:
    try:
        out = bytearray()
        items_1 = message.groups
        out += pack_ii(message.throttle_time_ms, len(items_1))
        for item_1 in items_1:
            raw = item_1.group_id.encode()
            out += pack_hh(item_1.error_code, len(raw))
            out += raw
            raw = item_1.group_state.encode()
            out += pack_h(len(raw))
            out += raw
            raw = item_1.protocol_type.encode()
            out += pack_h(len(raw))
            out += raw
            raw = item_1.protocol_data.encode()
            out += pack_h(len(raw))
            out += raw
            items_2 = item_1.members
            out += pack_i(len(items_2))
            octets_2 = octets_of(items_2)
            if octets_2 is not None:
                out += octets_2
            else:
                for item_2 in items_2:
                    raw = item_2.member_id.encode()
                    out += pack_h(len(raw))
                    out += raw
                    value_3 = item_2.group_instance_id
                    if value_3 is None:
                        out += pack_h(-1)
                    else:
                        raw = value_3.encode()
                        out += pack_h(len(raw))
                        out += raw
                    raw = item_2.client_id.encode()
                    out += pack_h(len(raw))
                    out += raw
                    raw = item_2.client_host.encode()
                    out += pack_h(len(raw))
                    out += raw
                    raw = item_2.member_metadata
                    out += pack_i(len(raw))
                    out += raw
                    raw = item_2.member_assignment
                    out += pack_i(len(raw))
                    out += raw
            out += pack_i(item_1.authorized_operations)
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("DescribeGroups response v4", message, error) from error


def encode_response_v5(message: DescribeGroupsResponse) -> bytes:
    try:
        out = bytearray()
        items_1 = message.groups
        n = len(items_1) + 1
        if n < 128:
            out += pack_iB(message.throttle_time_ms, n)
        else:
            out += pack_i(message.throttle_time_ms)
            out += uvarint(n)
        for item_1 in items_1:
            raw = item_1.group_id.encode()
            n = len(raw) + 1
            if n < 128:
                out += pack_hB(item_1.error_code, n)
            else:
                out += pack_h(item_1.error_code)
                out += uvarint(n)
            out += raw
            raw = item_1.group_state.encode()
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
            raw = item_1.protocol_data.encode()
            n = len(raw) + 1
            if n < 128:
                out.append(n)
            else:
                out += uvarint(n)
            out += raw
            items_2 = item_1.members
            n = len(items_2) + 1
            if n < 128:
                out.append(n)
            else:
                out += uvarint(n)
            octets_2 = octets_of(items_2)
            if octets_2 is not None:
                out += octets_2
            else:
                for item_2 in items_2:
                    raw = item_2.member_id.encode()
                    n = len(raw) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        out += uvarint(n)
                    out += raw
                    value_3 = item_2.group_instance_id
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
                    raw = item_2.client_id.encode()
                    n = len(raw) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        out += uvarint(n)
                    out += raw
                    raw = item_2.client_host.encode()
                    n = len(raw) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        out += uvarint(n)
                    out += raw
                    raw = item_2.member_metadata
                    n = len(raw) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        out += uvarint(n)
                    out += raw
                    raw = item_2.member_assignment
                    n = len(raw) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        out += uvarint(n)
                    out += raw
                    out += b"\0"
            out += pack_ix(item_1.authorized_operations)
        out += b"\0"
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("DescribeGroups response v5", message, error) from error


def encode_response_v6(message: DescribeGroupsResponse) -> bytes:
    try:
        out = bytearray()
        items_1 = message.groups
        n = len(items_1) + 1
        if n < 128:
            out += pack_iB(message.throttle_time_ms, n)
        else:
            out += pack_i(message.throttle_time_ms)
            out += uvarint(n)
        for item_1 in items_1:
            value_2 = item_1.error_message
            if value_2 is None:
                out += pack_hx(item_1.error_code)
            else:
                raw = value_2.encode()
                n = len(raw) + 1
                if n < 128:
                    out += pack_hB(item_1.error_code, n)
                else:
                    out += pack_h(item_1.error_code)
                    out += uvarint(n)
                out += raw
            raw = item_1.group_id.encode()
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
            raw = item_1.protocol_type.encode()
            n = len(raw) + 1
            if n < 128:
                out.append(n)
            else:
                out += uvarint(n)
            out += raw
            raw = item_1.protocol_data.encode()
            n = len(raw) + 1
            if n < 128:
                out.append(n)
            else:
                out += uvarint(n)
            out += raw
            items_3 = item_1.members
            n = len(items_3) + 1
            if n < 128:
                out.append(n)
            else:
                out += uvarint(n)
            octets_3 = octets_of(items_3)
            if octets_3 is not None:
                out += octets_3
            else:
                for item_3 in items_3:
                    raw = item_3.member_id.encode()
                    n = len(raw) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        out += uvarint(n)
                    out += raw
                    value_4 = item_3.group_instance_id
                    if value_4 is None:
                        out += b"\0"
                    else:
                        raw = value_4.encode()
                        n = len(raw) + 1
                        if n < 128:
                            out.append(n)
                        else:
                            out += uvarint(n)
                        out += raw
                    raw = item_3.client_id.encode()
                    n = len(raw) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        out += uvarint(n)
                    out += raw
                    raw = item_3.client_host.encode()
                    n = len(raw) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        out += uvarint(n)
                    out += raw
                    raw = item_3.member_metadata
                    n = len(raw) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        out += uvarint(n)
                    out += raw
                    raw = item_3.member_assignment
                    n = len(raw) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        out += uvarint(n)
                    out += raw
                    out += b"\0"
            out += pack_ix(item_1.authorized_operations)
        out += b"\0"
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
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
REQUEST_ENCODERS = {
    0: encode_request_v0,
    1: encode_request_v0,
    2: encode_request_v0,
    3: encode_request_v3,
    4: encode_request_v3,
    5: encode_request_v5,
    6: encode_request_v5,
}
RESPONSE_DECODERS = {
    0: decode_response_v0,
    1: decode_response_v1,
    2: decode_response_v1,
    3: decode_response_v3,
    4: decode_response_v4,
    5: decode_response_v5,
    6: decode_response_v6,
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
