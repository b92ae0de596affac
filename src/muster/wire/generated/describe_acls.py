"""Generated from tools/codecs/schemas/describe_acls.api by `make generate`; changes belong there."""

from __future__ import annotations

from collections.abc import Sequence

from struct import Struct, error as StructError

from muster.wire.message import Message, encode_failure
from muster.wire.primitives import null_field, overrun, read_length, skip_tagged
from muster.wire.varint import read_uvarint, uvarint

new = Message.__new__
pack_b = Struct(">b").pack
pack_bB = Struct(">bB").pack
pack_bb = Struct(">bb").pack
pack_bbx = Struct(">bbx").pack
pack_bh = Struct(">bh").pack
pack_bi = Struct(">bi").pack
pack_bx = Struct(">bx").pack
pack_h = Struct(">h").pack
pack_i = Struct(">i").pack
pack_ih = Struct(">ih").pack
pack_ihB = Struct(">ihB").pack
pack_ihh = Struct(">ihh").pack
pack_ihx = Struct(">ihx").pack
unpack_bB = Struct(">bB").unpack_from
unpack_bb = Struct(">bb").unpack_from
unpack_bbB = Struct(">bbB").unpack_from
unpack_bh = Struct(">bh").unpack_from
unpack_bi = Struct(">bi").unpack_from
unpack_h = Struct(">h").unpack_from
unpack_i = Struct(">i").unpack_from
unpack_ihB = Struct(">ihB").unpack_from
unpack_ihh = Struct(">ihh").unpack_from


class DescribeAclsRequest(Message):
    __match_args__ = ("resource_type_filter", "resource_name_filter", "pattern_type_filter", "principal_filter", "host_filter", "operation", "permission_type")
    __slots__ = __match_args__

    def __init__(
        self,
        resource_type_filter: int = 0,
        resource_name_filter: str | None = "",
        pattern_type_filter: int = 3,
        principal_filter: str | None = "",
        host_filter: str | None = "",
        operation: int = 0,
        permission_type: int = 0,
    ) -> None:
        self.resource_type_filter = resource_type_filter
        self.resource_name_filter = resource_name_filter
        self.pattern_type_filter = pattern_type_filter
        self.principal_filter = principal_filter
        self.host_filter = host_filter
        self.operation = operation
        self.permission_type = permission_type


class DescribeAclsResponseAcl(Message):
    __match_args__ = ("principal", "host", "operation", "permission_type")
    __slots__ = __match_args__

    def __init__(
        self,
        principal: str = "",
        host: str = "",
        operation: int = 0,
        permission_type: int = 0,
    ) -> None:
        self.principal = principal
        self.host = host
        self.operation = operation
        self.permission_type = permission_type


class DescribeAclsResponseResource(Message):
    __match_args__ = ("resource_type", "resource_name", "pattern_type", "acls")
    __slots__ = __match_args__

    def __init__(
        self,
        resource_type: int = 0,
        resource_name: str = "",
        pattern_type: int = 3,
        acls: Sequence[DescribeAclsResponseAcl] = (),
    ) -> None:
        self.resource_type = resource_type
        self.resource_name = resource_name
        self.pattern_type = pattern_type
        self.acls = acls


class DescribeAclsResponse(Message):
    __match_args__ = ("throttle_time_ms", "error_code", "error_message", "resources")
    __slots__ = __match_args__

    def __init__(
        self,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        error_message: str | None = "",
        resources: Sequence[DescribeAclsResponseResource] = (),
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.error_message = error_message
        self.resources = resources


def decode_request_v1(buf: bytes, pos: int) -> DescribeAclsRequest:
    try:
        resource_type_filter_0, n = unpack_bh(buf, pos)
        pos += 3
        resource_name_filter_0: str | None = None
        if n >= 0:
            end = pos + n
            resource_name_filter_0 = buf[pos:end].decode("utf-8", "replace")
            pos = end
        pattern_type_filter_0, n = unpack_bh(buf, pos)
        pos += 3
        principal_filter_0: str | None = None
        if n >= 0:
            end = pos + n
            principal_filter_0 = buf[pos:end].decode("utf-8", "replace")
            pos = end
        (n,) = unpack_h(buf, pos)
        pos += 2
        host_filter_0: str | None = None
        if n >= 0:
            end = pos + n
            host_filter_0 = buf[pos:end].decode("utf-8", "replace")
            pos = end
        operation_0, permission_type_0 = unpack_bb(buf, pos)
        pos += 2
        made_0 = new(DescribeAclsRequest)
        made_0.resource_type_filter = resource_type_filter_0
        made_0.resource_name_filter = resource_name_filter_0
        made_0.pattern_type_filter = pattern_type_filter_0
        made_0.principal_filter = principal_filter_0
        made_0.host_filter = host_filter_0
        made_0.operation = operation_0
        made_0.permission_type = permission_type_0
    except (IndexError, StructError) as error:
        raise overrun("DescribeAcls request v1", buf, pos) from error
    if pos > len(buf):
        raise overrun("DescribeAcls request v1", buf, pos)
    return made_0


# versions 2-3
def decode_request_v2(buf: bytes, pos: int) -> DescribeAclsRequest:
    try:
        resource_type_filter_0, n = unpack_bB(buf, pos)
        pos += 2
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        resource_name_filter_0: str | None = None
        if n > 0:
            end = pos + n - 1
            resource_name_filter_0 = buf[pos:end].decode("utf-8", "replace")
            pos = end
        pattern_type_filter_0, n = unpack_bB(buf, pos)
        pos += 2
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        principal_filter_0: str | None = None
        if n > 0:
            end = pos + n - 1
            principal_filter_0 = buf[pos:end].decode("utf-8", "replace")
            pos = end
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        host_filter_0: str | None = None
        if n > 0:
            end = pos + n - 1
            host_filter_0 = buf[pos:end].decode("utf-8", "replace")
            pos = end
        operation_0, permission_type_0, tags = unpack_bbB(buf, pos)
        pos += 3
        if tags:
            pos = skip_tagged(buf, pos - 1)
        made_0 = new(DescribeAclsRequest)
        made_0.resource_type_filter = resource_type_filter_0
        made_0.resource_name_filter = resource_name_filter_0
        made_0.pattern_type_filter = pattern_type_filter_0
        made_0.principal_filter = principal_filter_0
        made_0.host_filter = host_filter_0
        made_0.operation = operation_0
        made_0.permission_type = permission_type_0
    except (IndexError, StructError) as error:
        raise overrun("DescribeAcls request v2-3", buf, pos) from error
    if pos > len(buf):
        raise overrun("DescribeAcls request v2-3", buf, pos)
    return made_0


def encode_request_v1(message: DescribeAclsRequest) -> bytes:
    try:
        out = bytearray()
        value_1 = message.resource_name_filter
        if value_1 is None:
            out += pack_bh(message.resource_type_filter, -1)
        else:
            raw = value_1.encode()
            out += pack_bh(message.resource_type_filter, len(raw))
            out += raw
        value_2 = message.principal_filter
        if value_2 is None:
            out += pack_bh(message.pattern_type_filter, -1)
        else:
            raw = value_2.encode()
            out += pack_bh(message.pattern_type_filter, len(raw))
            out += raw
        value_3 = message.host_filter
        if value_3 is None:
            out += pack_h(-1)
        else:
            raw = value_3.encode()
            out += pack_h(len(raw))
            out += raw
        out += pack_bb(message.operation, message.permission_type)
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("DescribeAcls request v1", message, error) from error


# versions 2-3
def encode_request_v2(message: DescribeAclsRequest) -> bytes:
    try:
        out = bytearray()
        value_1 = message.resource_name_filter
        if value_1 is None:
            out += pack_bx(message.resource_type_filter)
        else:
            raw = value_1.encode()
            n = len(raw) + 1
            if n < 128:
                out += pack_bB(message.resource_type_filter, n)
            else:
                out += pack_b(message.resource_type_filter)
                out += uvarint(n)
            out += raw
        value_2 = message.principal_filter
        if value_2 is None:
            out += pack_bx(message.pattern_type_filter)
        else:
            raw = value_2.encode()
            n = len(raw) + 1
            if n < 128:
                out += pack_bB(message.pattern_type_filter, n)
            else:
                out += pack_b(message.pattern_type_filter)
                out += uvarint(n)
            out += raw
        value_3 = message.host_filter
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
        out += pack_bbx(message.operation, message.permission_type)
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("DescribeAcls request v2-3", message, error) from error


def decode_response_v1(buf: bytes, pos: int) -> DescribeAclsResponse:
    try:
        throttle_time_ms_0, error_code_0, n = unpack_ihh(buf, pos)
        pos += 8
        error_message_0: str | None = None
        if n >= 0:
            end = pos + n
            error_message_0 = buf[pos:end].decode("utf-8", "replace")
            pos = end
        (n,) = unpack_i(buf, pos)
        pos += 4
        if n < 0:
            raise null_field("DescribeAcls response v1", "Resources")
        if n * 8 > len(buf) - pos:
            raise overrun("DescribeAcls response v1", buf, pos)
        resources_0_items: list[DescribeAclsResponseResource] = []
        for _ in range(n):
            resource_type_1, n = unpack_bh(buf, pos)
            pos += 3
            if n < 0:
                raise null_field("DescribeAcls response v1", "ResourceName")
            end = pos + n
            resource_name_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            pattern_type_1, n = unpack_bi(buf, pos)
            pos += 5
            if n < 0:
                raise null_field("DescribeAcls response v1", "Acls")
            if n * 6 > len(buf) - pos:
                raise overrun("DescribeAcls response v1", buf, pos)
            acls_1_items: list[DescribeAclsResponseAcl] = []
            for _ in range(n):
                (n,) = unpack_h(buf, pos)
                pos += 2
                if n < 0:
                    raise null_field("DescribeAcls response v1", "Principal")
                end = pos + n
                principal_2 = buf[pos:end].decode("utf-8", "replace")
                pos = end
                (n,) = unpack_h(buf, pos)
                pos += 2
                if n < 0:
                    raise null_field("DescribeAcls response v1", "Host")
                end = pos + n
                host_2 = buf[pos:end].decode("utf-8", "replace")
                pos = end
                operation_2, permission_type_2 = unpack_bb(buf, pos)
                pos += 2
                made_2 = new(DescribeAclsResponseAcl)
                made_2.principal = principal_2
                made_2.host = host_2
                made_2.operation = operation_2
                made_2.permission_type = permission_type_2
                acls_1_items.append(made_2)
            acls_1 = acls_1_items
            made_1 = new(DescribeAclsResponseResource)
            made_1.resource_type = resource_type_1
            made_1.resource_name = resource_name_1
            made_1.pattern_type = pattern_type_1
            made_1.acls = acls_1
            resources_0_items.append(made_1)
        resources_0 = resources_0_items
        made_0 = new(DescribeAclsResponse)
        made_0.throttle_time_ms = throttle_time_ms_0
        made_0.error_code = error_code_0
        made_0.error_message = error_message_0
        made_0.resources = resources_0
    except (IndexError, StructError) as error:
        raise overrun("DescribeAcls response v1", buf, pos) from error
    if pos > len(buf):
        raise overrun("DescribeAcls response v1", buf, pos)
    return made_0


# versions 2-3
def decode_response_v2(buf: bytes, pos: int) -> DescribeAclsResponse:
    try:
        throttle_time_ms_0, error_code_0, n = unpack_ihB(buf, pos)
        pos += 7
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        error_message_0: str | None = None
        if n > 0:
            end = pos + n - 1
            error_message_0 = buf[pos:end].decode("utf-8", "replace")
            pos = end
        n = buf[pos]
        pos += 1
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "DescribeAcls response v2-3", "Resources")
        n -= 1
        if n * 5 > len(buf) - pos:
            raise overrun("DescribeAcls response v2-3", buf, pos)
        resources_0_items: list[DescribeAclsResponseResource] = []
        for _ in range(n):
            resource_type_1, n = unpack_bB(buf, pos)
            pos += 2
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "DescribeAcls response v2-3", "ResourceName")
            end = pos + n - 1
            resource_name_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            pattern_type_1, n = unpack_bB(buf, pos)
            pos += 2
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "DescribeAcls response v2-3", "Acls")
            n -= 1
            if n * 5 > len(buf) - pos:
                raise overrun("DescribeAcls response v2-3", buf, pos)
            acls_1_items: list[DescribeAclsResponseAcl] = []
            for _ in range(n):
                n = buf[pos]
                pos += 1
                if not 0 < n < 128:
                    n, pos = read_length(buf, pos - 1, "DescribeAcls response v2-3", "Principal")
                end = pos + n - 1
                principal_2 = buf[pos:end].decode("utf-8", "replace")
                pos = end
                n = buf[pos]
                pos += 1
                if not 0 < n < 128:
                    n, pos = read_length(buf, pos - 1, "DescribeAcls response v2-3", "Host")
                end = pos + n - 1
                host_2 = buf[pos:end].decode("utf-8", "replace")
                pos = end
                operation_2, permission_type_2, tags = unpack_bbB(buf, pos)
                pos += 3
                if tags:
                    pos = skip_tagged(buf, pos - 1)
                made_2 = new(DescribeAclsResponseAcl)
                made_2.principal = principal_2
                made_2.host = host_2
                made_2.operation = operation_2
                made_2.permission_type = permission_type_2
                acls_1_items.append(made_2)
            acls_1 = acls_1_items
            tags = buf[pos]
            pos += 1
            if tags:
                pos = skip_tagged(buf, pos - 1)
            made_1 = new(DescribeAclsResponseResource)
            made_1.resource_type = resource_type_1
            made_1.resource_name = resource_name_1
            made_1.pattern_type = pattern_type_1
            made_1.acls = acls_1
            resources_0_items.append(made_1)
        resources_0 = resources_0_items
        tags = buf[pos]
        pos += 1
        if tags:
            pos = skip_tagged(buf, pos - 1)
        made_0 = new(DescribeAclsResponse)
        made_0.throttle_time_ms = throttle_time_ms_0
        made_0.error_code = error_code_0
        made_0.error_message = error_message_0
        made_0.resources = resources_0
    except (IndexError, StructError) as error:
        raise overrun("DescribeAcls response v2-3", buf, pos) from error
    if pos > len(buf):
        raise overrun("DescribeAcls response v2-3", buf, pos)
    return made_0


def encode_response_v1(message: DescribeAclsResponse) -> bytes:
    try:
        out = bytearray()
        value_1 = message.error_message
        if value_1 is None:
            out += pack_ihh(message.throttle_time_ms, message.error_code, -1)
        else:
            raw = value_1.encode()
            out += pack_ihh(message.throttle_time_ms, message.error_code, len(raw))
            out += raw
        items_2 = message.resources
        out += pack_i(len(items_2))
        for item_2 in items_2:
            raw = item_2.resource_name.encode()
            out += pack_bh(item_2.resource_type, len(raw))
            out += raw
            items_3 = item_2.acls
            out += pack_bi(item_2.pattern_type, len(items_3))
            for item_3 in items_3:
                raw = item_3.principal.encode()
                out += pack_h(len(raw))
                out += raw
                raw = item_3.host.encode()
                out += pack_h(len(raw))
                out += raw
                out += pack_bb(item_3.operation, item_3.permission_type)
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("DescribeAcls response v1", message, error) from error


# versions 2-3
def encode_response_v2(message: DescribeAclsResponse) -> bytes:
    try:
        out = bytearray()
        value_1 = message.error_message
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
        items_2 = message.resources
        n = len(items_2) + 1
        if n < 128:
            out.append(n)
        else:
            out += uvarint(n)
        for item_2 in items_2:
            raw = item_2.resource_name.encode()
            n = len(raw) + 1
            if n < 128:
                out += pack_bB(item_2.resource_type, n)
            else:
                out += pack_b(item_2.resource_type)
                out += uvarint(n)
            out += raw
            items_3 = item_2.acls
            n = len(items_3) + 1
            if n < 128:
                out += pack_bB(item_2.pattern_type, n)
            else:
                out += pack_b(item_2.pattern_type)
                out += uvarint(n)
            for item_3 in items_3:
                raw = item_3.principal.encode()
                n = len(raw) + 1
                if n < 128:
                    out.append(n)
                else:
                    out += uvarint(n)
                out += raw
                raw = item_3.host.encode()
                n = len(raw) + 1
                if n < 128:
                    out.append(n)
                else:
                    out += uvarint(n)
                out += raw
                out += pack_bbx(item_3.operation, item_3.permission_type)
            out += b"\0"
        out += b"\0"
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("DescribeAcls response v2-3", message, error) from error


REQUEST_DECODERS = {
    1: decode_request_v1,
    2: decode_request_v2,
    3: decode_request_v2,
}
REQUEST_ENCODERS = {
    1: encode_request_v1,
    2: encode_request_v2,
    3: encode_request_v2,
}
RESPONSE_DECODERS = {
    1: decode_response_v1,
    2: decode_response_v2,
    3: decode_response_v2,
}
RESPONSE_ENCODERS = {
    1: encode_response_v1,
    2: encode_response_v2,
    3: encode_response_v2,
}
