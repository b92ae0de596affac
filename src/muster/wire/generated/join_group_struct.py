"""Generated from tools/codecs/schemas/join_group.api by `make generate`; changes belong there."""

from __future__ import annotations

from muster.wire.generated.join_group import (
    JoinGroupRequest,
    JoinGroupRequestProtocol,
    JoinGroupResponse,
    JoinGroupResponseMember,
)
from struct import Struct, error as StructError

from muster.wire.message import Message, encode_failure
from muster.wire.primitives import null_field, overrun, read_length, skip_tagged, too_many
from muster.wire.varint import read_uvarint, uvarint

pack_t = Struct(">?").pack
pack_tB = Struct(">?B").pack
pack_h = Struct(">h").pack
pack_hih = Struct(">hih").pack
pack_i = Struct(">i").pack
pack_ih = Struct(">ih").pack
pack_ihi = Struct(">ihi").pack
pack_ihiB = Struct(">ihiB").pack
pack_ihih = Struct(">ihih").pack
pack_ihix = Struct(">ihix").pack
pack_ii = Struct(">ii").pack
pack_iiB = Struct(">iiB").pack
pack_iih = Struct(">iih").pack
unpack_tB = Struct(">?B").unpack_from
unpack_h = Struct(">h").unpack_from
unpack_hih = Struct(">hih").unpack_from
unpack_i = Struct(">i").unpack_from
unpack_ih = Struct(">ih").unpack_from
unpack_ihiB = Struct(">ihiB").unpack_from
unpack_ihih = Struct(">ihih").unpack_from
unpack_iiB = Struct(">iiB").unpack_from
unpack_iih = Struct(">iih").unpack_from


def decode_request_v0(buf: bytes, pos: int) -> JoinGroupRequest:
    try:
        (n,) = unpack_h(buf, pos)
        pos += 2
        if n < 0:
            raise null_field("JoinGroup request v0", "GroupId")
        end = pos + n
        group_id_0 = buf[pos:end].decode("utf-8", "replace")
        pos = end
        session_timeout_ms_0, n = unpack_ih(buf, pos)
        pos += 6
        if n < 0:
            raise null_field("JoinGroup request v0", "MemberId")
        end = pos + n
        member_id_0 = buf[pos:end].decode("utf-8", "replace")
        pos = end
        (n,) = unpack_h(buf, pos)
        pos += 2
        if n < 0:
            raise null_field("JoinGroup request v0", "ProtocolType")
        end = pos + n
        protocol_type_0 = buf[pos:end].decode("utf-8", "replace")
        pos = end
        (n,) = unpack_i(buf, pos)
        pos += 4
        if n < 0:
            raise null_field("JoinGroup request v0", "Protocols")
        if n * 6 > len(buf) - pos:
            raise overrun("JoinGroup request v0", buf, pos)
        if n > 50000:
            raise too_many("JoinGroup request v0", n)
        protocols_0_items: list[JoinGroupRequestProtocol] = []
        for _ in range(n):
            (n,) = unpack_h(buf, pos)
            pos += 2
            if n < 0:
                raise null_field("JoinGroup request v0", "Name")
            end = pos + n
            name_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            (n,) = unpack_i(buf, pos)
            pos += 4
            if n < 0:
                raise null_field("JoinGroup request v0", "Metadata")
            end = pos + n
            metadata_1 = buf[pos:end]
            pos = end
            made_1 = JoinGroupRequestProtocol(name_1, metadata_1)
            protocols_0_items.append(made_1)
        protocols_0 = protocols_0_items
        made_0 = JoinGroupRequest(group_id_0, session_timeout_ms_0, -1, member_id_0, None, protocol_type_0, protocols_0, None)
    except (IndexError, StructError) as error:
        raise overrun("JoinGroup request v0", buf, pos) from error
    if pos > len(buf):
        raise overrun("JoinGroup request v0", buf, pos)
    return made_0


# versions 1-4
def decode_request_v1(buf: bytes, pos: int) -> JoinGroupRequest:
    try:
        (n,) = unpack_h(buf, pos)
        pos += 2
        if n < 0:
            raise null_field("JoinGroup request v1-4", "GroupId")
        end = pos + n
        group_id_0 = buf[pos:end].decode("utf-8", "replace")
        pos = end
        session_timeout_ms_0, rebalance_timeout_ms_0, n = unpack_iih(buf, pos)
        pos += 10
        if n < 0:
            raise null_field("JoinGroup request v1-4", "MemberId")
        end = pos + n
        member_id_0 = buf[pos:end].decode("utf-8", "replace")
        pos = end
        (n,) = unpack_h(buf, pos)
        pos += 2
        if n < 0:
            raise null_field("JoinGroup request v1-4", "ProtocolType")
        end = pos + n
        protocol_type_0 = buf[pos:end].decode("utf-8", "replace")
        pos = end
        (n,) = unpack_i(buf, pos)
        pos += 4
        if n < 0:
            raise null_field("JoinGroup request v1-4", "Protocols")
        if n * 6 > len(buf) - pos:
            raise overrun("JoinGroup request v1-4", buf, pos)
        if n > 50000:
            raise too_many("JoinGroup request v1-4", n)
        protocols_0_items: list[JoinGroupRequestProtocol] = []
        for _ in range(n):
            (n,) = unpack_h(buf, pos)
            pos += 2
            if n < 0:
                raise null_field("JoinGroup request v1-4", "Name")
            end = pos + n
            name_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            (n,) = unpack_i(buf, pos)
            pos += 4
            if n < 0:
                raise null_field("JoinGroup request v1-4", "Metadata")
            end = pos + n
            metadata_1 = buf[pos:end]
            pos = end
            made_1 = JoinGroupRequestProtocol(name_1, metadata_1)
            protocols_0_items.append(made_1)
        protocols_0 = protocols_0_items
        made_0 = JoinGroupRequest(group_id_0, session_timeout_ms_0, rebalance_timeout_ms_0, member_id_0, None, protocol_type_0, protocols_0, None)
    except (IndexError, StructError) as error:
        raise overrun("JoinGroup request v1-4", buf, pos) from error
    if pos > len(buf):
        raise overrun("JoinGroup request v1-4", buf, pos)
    return made_0


def decode_request_v5(buf: bytes, pos: int) -> JoinGroupRequest:
    try:
        (n,) = unpack_h(buf, pos)
        pos += 2
        if n < 0:
            raise null_field("JoinGroup request v5", "GroupId")
        end = pos + n
        group_id_0 = buf[pos:end].decode("utf-8", "replace")
        pos = end
        session_timeout_ms_0, rebalance_timeout_ms_0, n = unpack_iih(buf, pos)
        pos += 10
        if n < 0:
            raise null_field("JoinGroup request v5", "MemberId")
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
        (n,) = unpack_h(buf, pos)
        pos += 2
        if n < 0:
            raise null_field("JoinGroup request v5", "ProtocolType")
        end = pos + n
        protocol_type_0 = buf[pos:end].decode("utf-8", "replace")
        pos = end
        (n,) = unpack_i(buf, pos)
        pos += 4
        if n < 0:
            raise null_field("JoinGroup request v5", "Protocols")
        if n * 6 > len(buf) - pos:
            raise overrun("JoinGroup request v5", buf, pos)
        if n > 50000:
            raise too_many("JoinGroup request v5", n)
        protocols_0_items: list[JoinGroupRequestProtocol] = []
        for _ in range(n):
            (n,) = unpack_h(buf, pos)
            pos += 2
            if n < 0:
                raise null_field("JoinGroup request v5", "Name")
            end = pos + n
            name_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            (n,) = unpack_i(buf, pos)
            pos += 4
            if n < 0:
                raise null_field("JoinGroup request v5", "Metadata")
            end = pos + n
            metadata_1 = buf[pos:end]
            pos = end
            made_1 = JoinGroupRequestProtocol(name_1, metadata_1)
            protocols_0_items.append(made_1)
        protocols_0 = protocols_0_items
        made_0 = JoinGroupRequest(group_id_0, session_timeout_ms_0, rebalance_timeout_ms_0, member_id_0, group_instance_id_0, protocol_type_0, protocols_0, None)
    except (IndexError, StructError) as error:
        raise overrun("JoinGroup request v5", buf, pos) from error
    if pos > len(buf):
        raise overrun("JoinGroup request v5", buf, pos)
    return made_0


# versions 6-7
def decode_request_v6(buf: bytes, pos: int) -> JoinGroupRequest:
    try:
        n = buf[pos]
        pos += 1
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "JoinGroup request v6-7", "GroupId")
        end = pos + n - 1
        group_id_0 = buf[pos:end].decode("utf-8", "replace")
        pos = end
        session_timeout_ms_0, rebalance_timeout_ms_0, n = unpack_iiB(buf, pos)
        pos += 9
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "JoinGroup request v6-7", "MemberId")
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
            n, pos = read_length(buf, pos - 1, "JoinGroup request v6-7", "ProtocolType")
        end = pos + n - 1
        protocol_type_0 = buf[pos:end].decode("utf-8", "replace")
        pos = end
        n = buf[pos]
        pos += 1
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "JoinGroup request v6-7", "Protocols")
        n -= 1
        if n * 3 > len(buf) - pos:
            raise overrun("JoinGroup request v6-7", buf, pos)
        if n > 50000:
            raise too_many("JoinGroup request v6-7", n)
        protocols_0_items: list[JoinGroupRequestProtocol] = []
        for _ in range(n):
            n = buf[pos]
            pos += 1
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "JoinGroup request v6-7", "Name")
            end = pos + n - 1
            name_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            n = buf[pos]
            pos += 1
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "JoinGroup request v6-7", "Metadata")
            end = pos + n - 1
            metadata_1 = buf[pos:end]
            pos = end
            tags = buf[pos]
            pos += 1
            if tags:
                pos = skip_tagged(buf, pos - 1)
            made_1 = JoinGroupRequestProtocol(name_1, metadata_1)
            protocols_0_items.append(made_1)
        protocols_0 = protocols_0_items
        tags = buf[pos]
        pos += 1
        if tags:
            pos = skip_tagged(buf, pos - 1)
        made_0 = JoinGroupRequest(group_id_0, session_timeout_ms_0, rebalance_timeout_ms_0, member_id_0, group_instance_id_0, protocol_type_0, protocols_0, None)
    except (IndexError, StructError) as error:
        raise overrun("JoinGroup request v6-7", buf, pos) from error
    if pos > len(buf):
        raise overrun("JoinGroup request v6-7", buf, pos)
    return made_0


# versions 8-9
def decode_request_v8(buf: bytes, pos: int) -> JoinGroupRequest:
    try:
        n = buf[pos]
        pos += 1
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "JoinGroup request v8-9", "GroupId")
        end = pos + n - 1
        group_id_0 = buf[pos:end].decode("utf-8", "replace")
        pos = end
        session_timeout_ms_0, rebalance_timeout_ms_0, n = unpack_iiB(buf, pos)
        pos += 9
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "JoinGroup request v8-9", "MemberId")
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
            n, pos = read_length(buf, pos - 1, "JoinGroup request v8-9", "ProtocolType")
        end = pos + n - 1
        protocol_type_0 = buf[pos:end].decode("utf-8", "replace")
        pos = end
        n = buf[pos]
        pos += 1
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "JoinGroup request v8-9", "Protocols")
        n -= 1
        if n * 3 > len(buf) - pos:
            raise overrun("JoinGroup request v8-9", buf, pos)
        if n > 50000:
            raise too_many("JoinGroup request v8-9", n)
        protocols_0_items: list[JoinGroupRequestProtocol] = []
        for _ in range(n):
            n = buf[pos]
            pos += 1
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "JoinGroup request v8-9", "Name")
            end = pos + n - 1
            name_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            n = buf[pos]
            pos += 1
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "JoinGroup request v8-9", "Metadata")
            end = pos + n - 1
            metadata_1 = buf[pos:end]
            pos = end
            tags = buf[pos]
            pos += 1
            if tags:
                pos = skip_tagged(buf, pos - 1)
            made_1 = JoinGroupRequestProtocol(name_1, metadata_1)
            protocols_0_items.append(made_1)
        protocols_0 = protocols_0_items
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        reason_0: str | None = None
        if n > 0:
            end = pos + n - 1
            reason_0 = buf[pos:end].decode("utf-8", "replace")
            pos = end
        tags = buf[pos]
        pos += 1
        if tags:
            pos = skip_tagged(buf, pos - 1)
        made_0 = JoinGroupRequest(group_id_0, session_timeout_ms_0, rebalance_timeout_ms_0, member_id_0, group_instance_id_0, protocol_type_0, protocols_0, reason_0)
    except (IndexError, StructError) as error:
        raise overrun("JoinGroup request v8-9", buf, pos) from error
    if pos > len(buf):
        raise overrun("JoinGroup request v8-9", buf, pos)
    return made_0


def encode_request_v0(message: JoinGroupRequest) -> bytes:
    try:
        out = bytearray()
        raw = message.group_id.encode()
        out += pack_h(len(raw))
        out += raw
        raw = message.member_id.encode()
        out += pack_ih(message.session_timeout_ms, len(raw))
        out += raw
        raw = message.protocol_type.encode()
        out += pack_h(len(raw))
        out += raw
        items_1 = message.protocols
        out += pack_i(len(items_1))
        for item_1 in items_1:
            raw = item_1.name.encode()
            out += pack_h(len(raw))
            out += raw
            raw = item_1.metadata
            out += pack_i(len(raw))
            out += raw
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("JoinGroup request v0", message, error) from error


# versions 1-4
def encode_request_v1(message: JoinGroupRequest) -> bytes:
    try:
        out = bytearray()
        raw = message.group_id.encode()
        out += pack_h(len(raw))
        out += raw
        raw = message.member_id.encode()
        out += pack_iih(message.session_timeout_ms, message.rebalance_timeout_ms, len(raw))
        out += raw
        raw = message.protocol_type.encode()
        out += pack_h(len(raw))
        out += raw
        items_1 = message.protocols
        out += pack_i(len(items_1))
        for item_1 in items_1:
            raw = item_1.name.encode()
            out += pack_h(len(raw))
            out += raw
            raw = item_1.metadata
            out += pack_i(len(raw))
            out += raw
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("JoinGroup request v1-4", message, error) from error


def encode_request_v5(message: JoinGroupRequest) -> bytes:
    try:
        out = bytearray()
        raw = message.group_id.encode()
        out += pack_h(len(raw))
        out += raw
        raw = message.member_id.encode()
        out += pack_iih(message.session_timeout_ms, message.rebalance_timeout_ms, len(raw))
        out += raw
        value_1 = message.group_instance_id
        if value_1 is None:
            out += pack_h(-1)
        else:
            raw = value_1.encode()
            out += pack_h(len(raw))
            out += raw
        raw = message.protocol_type.encode()
        out += pack_h(len(raw))
        out += raw
        items_2 = message.protocols
        out += pack_i(len(items_2))
        for item_2 in items_2:
            raw = item_2.name.encode()
            out += pack_h(len(raw))
            out += raw
            raw = item_2.metadata
            out += pack_i(len(raw))
            out += raw
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("JoinGroup request v5", message, error) from error


# versions 6-7
def encode_request_v6(message: JoinGroupRequest) -> bytes:
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
            out += pack_iiB(message.session_timeout_ms, message.rebalance_timeout_ms, n)
        else:
            out += pack_ii(message.session_timeout_ms, message.rebalance_timeout_ms)
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
        raw = message.protocol_type.encode()
        n = len(raw) + 1
        if n < 128:
            out.append(n)
        else:
            out += uvarint(n)
        out += raw
        items_2 = message.protocols
        n = len(items_2) + 1
        if n < 128:
            out.append(n)
        else:
            out += uvarint(n)
        for item_2 in items_2:
            raw = item_2.name.encode()
            n = len(raw) + 1
            if n < 128:
                out.append(n)
            else:
                out += uvarint(n)
            out += raw
            raw = item_2.metadata
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
        raise encode_failure("JoinGroup request v6-7", message, error) from error


# versions 8-9
def encode_request_v8(message: JoinGroupRequest) -> bytes:
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
            out += pack_iiB(message.session_timeout_ms, message.rebalance_timeout_ms, n)
        else:
            out += pack_ii(message.session_timeout_ms, message.rebalance_timeout_ms)
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
        raw = message.protocol_type.encode()
        n = len(raw) + 1
        if n < 128:
            out.append(n)
        else:
            out += uvarint(n)
        out += raw
        items_2 = message.protocols
        n = len(items_2) + 1
        if n < 128:
            out.append(n)
        else:
            out += uvarint(n)
        for item_2 in items_2:
            raw = item_2.name.encode()
            n = len(raw) + 1
            if n < 128:
                out.append(n)
            else:
                out += uvarint(n)
            out += raw
            raw = item_2.metadata
            n = len(raw) + 1
            if n < 128:
                out.append(n)
            else:
                out += uvarint(n)
            out += raw
            out += b"\0"
        value_3 = message.reason
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
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("JoinGroup request v8-9", message, error) from error


# versions 0-1
def decode_response_v0(buf: bytes, pos: int) -> JoinGroupResponse:
    try:
        error_code_0, generation_id_0, n = unpack_hih(buf, pos)
        pos += 8
        if n < 0:
            raise null_field("JoinGroup response v0-1", "ProtocolName")
        end = pos + n
        protocol_name_0 = buf[pos:end].decode("utf-8", "replace")
        pos = end
        (n,) = unpack_h(buf, pos)
        pos += 2
        if n < 0:
            raise null_field("JoinGroup response v0-1", "Leader")
        end = pos + n
        leader_0 = buf[pos:end].decode("utf-8", "replace")
        pos = end
        (n,) = unpack_h(buf, pos)
        pos += 2
        if n < 0:
            raise null_field("JoinGroup response v0-1", "MemberId")
        end = pos + n
        member_id_0 = buf[pos:end].decode("utf-8", "replace")
        pos = end
        (n,) = unpack_i(buf, pos)
        pos += 4
        if n < 0:
            raise null_field("JoinGroup response v0-1", "Members")
        if n * 6 > len(buf) - pos:
            raise overrun("JoinGroup response v0-1", buf, pos)
        members_0_items: list[JoinGroupResponseMember] = []
        for _ in range(n):
            (n,) = unpack_h(buf, pos)
            pos += 2
            if n < 0:
                raise null_field("JoinGroup response v0-1", "MemberId")
            end = pos + n
            member_id_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            (n,) = unpack_i(buf, pos)
            pos += 4
            if n < 0:
                raise null_field("JoinGroup response v0-1", "Metadata")
            end = pos + n
            metadata_1 = buf[pos:end]
            pos = end
            made_1 = JoinGroupResponseMember(member_id_1, None, metadata_1)
            members_0_items.append(made_1)
        members_0 = members_0_items
        made_0 = JoinGroupResponse(0, error_code_0, generation_id_0, None, protocol_name_0, leader_0, False, member_id_0, members_0)
    except (IndexError, StructError) as error:
        raise overrun("JoinGroup response v0-1", buf, pos) from error
    if pos > len(buf):
        raise overrun("JoinGroup response v0-1", buf, pos)
    return made_0


# versions 2-4
def decode_response_v2(buf: bytes, pos: int) -> JoinGroupResponse:
    try:
        throttle_time_ms_0, error_code_0, generation_id_0, n = unpack_ihih(buf, pos)
        pos += 12
        if n < 0:
            raise null_field("JoinGroup response v2-4", "ProtocolName")
        end = pos + n
        protocol_name_0 = buf[pos:end].decode("utf-8", "replace")
        pos = end
        (n,) = unpack_h(buf, pos)
        pos += 2
        if n < 0:
            raise null_field("JoinGroup response v2-4", "Leader")
        end = pos + n
        leader_0 = buf[pos:end].decode("utf-8", "replace")
        pos = end
        (n,) = unpack_h(buf, pos)
        pos += 2
        if n < 0:
            raise null_field("JoinGroup response v2-4", "MemberId")
        end = pos + n
        member_id_0 = buf[pos:end].decode("utf-8", "replace")
        pos = end
        (n,) = unpack_i(buf, pos)
        pos += 4
        if n < 0:
            raise null_field("JoinGroup response v2-4", "Members")
        if n * 6 > len(buf) - pos:
            raise overrun("JoinGroup response v2-4", buf, pos)
        members_0_items: list[JoinGroupResponseMember] = []
        for _ in range(n):
            (n,) = unpack_h(buf, pos)
            pos += 2
            if n < 0:
                raise null_field("JoinGroup response v2-4", "MemberId")
            end = pos + n
            member_id_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            (n,) = unpack_i(buf, pos)
            pos += 4
            if n < 0:
                raise null_field("JoinGroup response v2-4", "Metadata")
            end = pos + n
            metadata_1 = buf[pos:end]
            pos = end
            made_1 = JoinGroupResponseMember(member_id_1, None, metadata_1)
            members_0_items.append(made_1)
        members_0 = members_0_items
        made_0 = JoinGroupResponse(throttle_time_ms_0, error_code_0, generation_id_0, None, protocol_name_0, leader_0, False, member_id_0, members_0)
    except (IndexError, StructError) as error:
        raise overrun("JoinGroup response v2-4", buf, pos) from error
    if pos > len(buf):
        raise overrun("JoinGroup response v2-4", buf, pos)
    return made_0


def decode_response_v5(buf: bytes, pos: int) -> JoinGroupResponse:
    try:
        throttle_time_ms_0, error_code_0, generation_id_0, n = unpack_ihih(buf, pos)
        pos += 12
        if n < 0:
            raise null_field("JoinGroup response v5", "ProtocolName")
        end = pos + n
        protocol_name_0 = buf[pos:end].decode("utf-8", "replace")
        pos = end
        (n,) = unpack_h(buf, pos)
        pos += 2
        if n < 0:
            raise null_field("JoinGroup response v5", "Leader")
        end = pos + n
        leader_0 = buf[pos:end].decode("utf-8", "replace")
        pos = end
        (n,) = unpack_h(buf, pos)
        pos += 2
        if n < 0:
            raise null_field("JoinGroup response v5", "MemberId")
        end = pos + n
        member_id_0 = buf[pos:end].decode("utf-8", "replace")
        pos = end
        (n,) = unpack_i(buf, pos)
        pos += 4
        if n < 0:
            raise null_field("JoinGroup response v5", "Members")
        if n * 8 > len(buf) - pos:
            raise overrun("JoinGroup response v5", buf, pos)
        members_0_items: list[JoinGroupResponseMember] = []
        for _ in range(n):
            (n,) = unpack_h(buf, pos)
            pos += 2
            if n < 0:
                raise null_field("JoinGroup response v5", "MemberId")
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
            (n,) = unpack_i(buf, pos)
            pos += 4
            if n < 0:
                raise null_field("JoinGroup response v5", "Metadata")
            end = pos + n
            metadata_1 = buf[pos:end]
            pos = end
            made_1 = JoinGroupResponseMember(member_id_1, group_instance_id_1, metadata_1)
            members_0_items.append(made_1)
        members_0 = members_0_items
        made_0 = JoinGroupResponse(throttle_time_ms_0, error_code_0, generation_id_0, None, protocol_name_0, leader_0, False, member_id_0, members_0)
    except (IndexError, StructError) as error:
        raise overrun("JoinGroup response v5", buf, pos) from error
    if pos > len(buf):
        raise overrun("JoinGroup response v5", buf, pos)
    return made_0


def decode_response_v6(buf: bytes, pos: int) -> JoinGroupResponse:
    try:
        throttle_time_ms_0, error_code_0, generation_id_0, n = unpack_ihiB(buf, pos)
        pos += 11
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "JoinGroup response v6", "ProtocolName")
        end = pos + n - 1
        protocol_name_0 = buf[pos:end].decode("utf-8", "replace")
        pos = end
        n = buf[pos]
        pos += 1
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "JoinGroup response v6", "Leader")
        end = pos + n - 1
        leader_0 = buf[pos:end].decode("utf-8", "replace")
        pos = end
        n = buf[pos]
        pos += 1
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "JoinGroup response v6", "MemberId")
        end = pos + n - 1
        member_id_0 = buf[pos:end].decode("utf-8", "replace")
        pos = end
        n = buf[pos]
        pos += 1
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "JoinGroup response v6", "Members")
        n -= 1
        if n * 4 > len(buf) - pos:
            raise overrun("JoinGroup response v6", buf, pos)
        members_0_items: list[JoinGroupResponseMember] = []
        for _ in range(n):
            n = buf[pos]
            pos += 1
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "JoinGroup response v6", "MemberId")
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
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "JoinGroup response v6", "Metadata")
            end = pos + n - 1
            metadata_1 = buf[pos:end]
            pos = end
            tags = buf[pos]
            pos += 1
            if tags:
                pos = skip_tagged(buf, pos - 1)
            made_1 = JoinGroupResponseMember(member_id_1, group_instance_id_1, metadata_1)
            members_0_items.append(made_1)
        members_0 = members_0_items
        tags = buf[pos]
        pos += 1
        if tags:
            pos = skip_tagged(buf, pos - 1)
        made_0 = JoinGroupResponse(throttle_time_ms_0, error_code_0, generation_id_0, None, protocol_name_0, leader_0, False, member_id_0, members_0)
    except (IndexError, StructError) as error:
        raise overrun("JoinGroup response v6", buf, pos) from error
    if pos > len(buf):
        raise overrun("JoinGroup response v6", buf, pos)
    return made_0


# versions 7-8
def decode_response_v7(buf: bytes, pos: int) -> JoinGroupResponse:
    try:
        throttle_time_ms_0, error_code_0, generation_id_0, n = unpack_ihiB(buf, pos)
        pos += 11
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
            n, pos = read_length(buf, pos - 1, "JoinGroup response v7-8", "Leader")
        end = pos + n - 1
        leader_0 = buf[pos:end].decode("utf-8", "replace")
        pos = end
        n = buf[pos]
        pos += 1
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "JoinGroup response v7-8", "MemberId")
        end = pos + n - 1
        member_id_0 = buf[pos:end].decode("utf-8", "replace")
        pos = end
        n = buf[pos]
        pos += 1
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "JoinGroup response v7-8", "Members")
        n -= 1
        if n * 4 > len(buf) - pos:
            raise overrun("JoinGroup response v7-8", buf, pos)
        members_0_items: list[JoinGroupResponseMember] = []
        for _ in range(n):
            n = buf[pos]
            pos += 1
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "JoinGroup response v7-8", "MemberId")
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
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "JoinGroup response v7-8", "Metadata")
            end = pos + n - 1
            metadata_1 = buf[pos:end]
            pos = end
            tags = buf[pos]
            pos += 1
            if tags:
                pos = skip_tagged(buf, pos - 1)
            made_1 = JoinGroupResponseMember(member_id_1, group_instance_id_1, metadata_1)
            members_0_items.append(made_1)
        members_0 = members_0_items
        tags = buf[pos]
        pos += 1
        if tags:
            pos = skip_tagged(buf, pos - 1)
        made_0 = JoinGroupResponse(throttle_time_ms_0, error_code_0, generation_id_0, protocol_type_0, protocol_name_0, leader_0, False, member_id_0, members_0)
    except (IndexError, StructError) as error:
        raise overrun("JoinGroup response v7-8", buf, pos) from error
    if pos > len(buf):
        raise overrun("JoinGroup response v7-8", buf, pos)
    return made_0


def decode_response_v9(buf: bytes, pos: int) -> JoinGroupResponse:
    try:
        throttle_time_ms_0, error_code_0, generation_id_0, n = unpack_ihiB(buf, pos)
        pos += 11
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
            n, pos = read_length(buf, pos - 1, "JoinGroup response v9", "Leader")
        end = pos + n - 1
        leader_0 = buf[pos:end].decode("utf-8", "replace")
        pos = end
        skip_assignment_0, n = unpack_tB(buf, pos)
        pos += 2
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "JoinGroup response v9", "MemberId")
        end = pos + n - 1
        member_id_0 = buf[pos:end].decode("utf-8", "replace")
        pos = end
        n = buf[pos]
        pos += 1
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "JoinGroup response v9", "Members")
        n -= 1
        if n * 4 > len(buf) - pos:
            raise overrun("JoinGroup response v9", buf, pos)
        members_0_items: list[JoinGroupResponseMember] = []
        for _ in range(n):
            n = buf[pos]
            pos += 1
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "JoinGroup response v9", "MemberId")
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
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "JoinGroup response v9", "Metadata")
            end = pos + n - 1
            metadata_1 = buf[pos:end]
            pos = end
            tags = buf[pos]
            pos += 1
            if tags:
                pos = skip_tagged(buf, pos - 1)
            made_1 = JoinGroupResponseMember(member_id_1, group_instance_id_1, metadata_1)
            members_0_items.append(made_1)
        members_0 = members_0_items
        tags = buf[pos]
        pos += 1
        if tags:
            pos = skip_tagged(buf, pos - 1)
        made_0 = JoinGroupResponse(throttle_time_ms_0, error_code_0, generation_id_0, protocol_type_0, protocol_name_0, leader_0, skip_assignment_0, member_id_0, members_0)
    except (IndexError, StructError) as error:
        raise overrun("JoinGroup response v9", buf, pos) from error
    if pos > len(buf):
        raise overrun("JoinGroup response v9", buf, pos)
    return made_0


# versions 0-1
def encode_response_v0(message: JoinGroupResponse) -> bytes:
    try:
        out = bytearray()
        value_1 = message.protocol_name
        if value_1 is None:
            raise TypeError("ProtocolName may not be null")
        raw = value_1.encode()
        out += pack_hih(message.error_code, message.generation_id, len(raw))
        out += raw
        raw = message.leader.encode()
        out += pack_h(len(raw))
        out += raw
        raw = message.member_id.encode()
        out += pack_h(len(raw))
        out += raw
        items_2 = message.members
        out += pack_i(len(items_2))
        for item_2 in items_2:
            raw = item_2.member_id.encode()
            out += pack_h(len(raw))
            out += raw
            raw = item_2.metadata
            out += pack_i(len(raw))
            out += raw
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("JoinGroup response v0-1", message, error) from error


# versions 2-4
def encode_response_v2(message: JoinGroupResponse) -> bytes:
    try:
        out = bytearray()
        value_1 = message.protocol_name
        if value_1 is None:
            raise TypeError("ProtocolName may not be null")
        raw = value_1.encode()
        out += pack_ihih(message.throttle_time_ms, message.error_code, message.generation_id, len(raw))
        out += raw
        raw = message.leader.encode()
        out += pack_h(len(raw))
        out += raw
        raw = message.member_id.encode()
        out += pack_h(len(raw))
        out += raw
        items_2 = message.members
        out += pack_i(len(items_2))
        for item_2 in items_2:
            raw = item_2.member_id.encode()
            out += pack_h(len(raw))
            out += raw
            raw = item_2.metadata
            out += pack_i(len(raw))
            out += raw
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("JoinGroup response v2-4", message, error) from error


def encode_response_v5(message: JoinGroupResponse) -> bytes:
    try:
        out = bytearray()
        value_1 = message.protocol_name
        if value_1 is None:
            raise TypeError("ProtocolName may not be null")
        raw = value_1.encode()
        out += pack_ihih(message.throttle_time_ms, message.error_code, message.generation_id, len(raw))
        out += raw
        raw = message.leader.encode()
        out += pack_h(len(raw))
        out += raw
        raw = message.member_id.encode()
        out += pack_h(len(raw))
        out += raw
        items_2 = message.members
        out += pack_i(len(items_2))
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
            raw = item_2.metadata
            out += pack_i(len(raw))
            out += raw
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("JoinGroup response v5", message, error) from error


def encode_response_v6(message: JoinGroupResponse) -> bytes:
    try:
        out = bytearray()
        value_1 = message.protocol_name
        if value_1 is None:
            raise TypeError("ProtocolName may not be null")
        raw = value_1.encode()
        n = len(raw) + 1
        if n < 128:
            out += pack_ihiB(message.throttle_time_ms, message.error_code, message.generation_id, n)
        else:
            out += pack_ihi(message.throttle_time_ms, message.error_code, message.generation_id)
            out += uvarint(n)
        out += raw
        raw = message.leader.encode()
        n = len(raw) + 1
        if n < 128:
            out.append(n)
        else:
            out += uvarint(n)
        out += raw
        raw = message.member_id.encode()
        n = len(raw) + 1
        if n < 128:
            out.append(n)
        else:
            out += uvarint(n)
        out += raw
        items_2 = message.members
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
            raw = item_2.metadata
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
        raise encode_failure("JoinGroup response v6", message, error) from error


# versions 7-8
def encode_response_v7(message: JoinGroupResponse) -> bytes:
    try:
        out = bytearray()
        value_1 = message.protocol_type
        if value_1 is None:
            out += pack_ihix(message.throttle_time_ms, message.error_code, message.generation_id)
        else:
            raw = value_1.encode()
            n = len(raw) + 1
            if n < 128:
                out += pack_ihiB(message.throttle_time_ms, message.error_code, message.generation_id, n)
            else:
                out += pack_ihi(message.throttle_time_ms, message.error_code, message.generation_id)
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
        raw = message.leader.encode()
        n = len(raw) + 1
        if n < 128:
            out.append(n)
        else:
            out += uvarint(n)
        out += raw
        raw = message.member_id.encode()
        n = len(raw) + 1
        if n < 128:
            out.append(n)
        else:
            out += uvarint(n)
        out += raw
        items_3 = message.members
        n = len(items_3) + 1
        if n < 128:
            out.append(n)
        else:
            out += uvarint(n)
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
            raw = item_3.metadata
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
        raise encode_failure("JoinGroup response v7-8", message, error) from error


def encode_response_v9(message: JoinGroupResponse) -> bytes:
    try:
        out = bytearray()
        value_1 = message.protocol_type
        if value_1 is None:
            out += pack_ihix(message.throttle_time_ms, message.error_code, message.generation_id)
        else:
            raw = value_1.encode()
            n = len(raw) + 1
            if n < 128:
                out += pack_ihiB(message.throttle_time_ms, message.error_code, message.generation_id, n)
            else:
                out += pack_ihi(message.throttle_time_ms, message.error_code, message.generation_id)
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
        raw = message.leader.encode()
        n = len(raw) + 1
        if n < 128:
            out.append(n)
        else:
            out += uvarint(n)
        out += raw
        raw = message.member_id.encode()
        n = len(raw) + 1
        if n < 128:
            out += pack_tB(message.skip_assignment, n)
        else:
            out += pack_t(message.skip_assignment)
            out += uvarint(n)
        out += raw
        items_3 = message.members
        n = len(items_3) + 1
        if n < 128:
            out.append(n)
        else:
            out += uvarint(n)
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
            raw = item_3.metadata
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
        raise encode_failure("JoinGroup response v9", message, error) from error


REQUEST_DECODERS = {
    0: decode_request_v0,
    1: decode_request_v1,
    2: decode_request_v1,
    3: decode_request_v1,
    4: decode_request_v1,
    5: decode_request_v5,
    6: decode_request_v6,
    7: decode_request_v6,
    8: decode_request_v8,
    9: decode_request_v8,
}
REQUEST_ENCODERS = {
    0: encode_request_v0,
    1: encode_request_v1,
    2: encode_request_v1,
    3: encode_request_v1,
    4: encode_request_v1,
    5: encode_request_v5,
    6: encode_request_v6,
    7: encode_request_v6,
    8: encode_request_v8,
    9: encode_request_v8,
}
RESPONSE_DECODERS = {
    0: decode_response_v0,
    1: decode_response_v0,
    2: decode_response_v2,
    3: decode_response_v2,
    4: decode_response_v2,
    5: decode_response_v5,
    6: decode_response_v6,
    7: decode_response_v7,
    8: decode_response_v7,
    9: decode_response_v9,
}
RESPONSE_ENCODERS = {
    0: encode_response_v0,
    1: encode_response_v0,
    2: encode_response_v2,
    3: encode_response_v2,
    4: encode_response_v2,
    5: encode_response_v5,
    6: encode_response_v6,
    7: encode_response_v7,
    8: encode_response_v7,
    9: encode_response_v9,
}
