"""Generated from tools/codecs/schemas/delete_acls.api by `make generate`; changes belong there."""

from __future__ import annotations

from collections.abc import Sequence

from struct import Struct, error as StructError

from muster.wire.message import Message, encode_failure
from muster.wire.primitives import null_field, overrun, read_length, skip_tagged, too_many
from muster.wire.varint import read_uvarint, uvarint

new = Message.__new__
pack_b = Struct(">b").pack
pack_bB = Struct(">bB").pack
pack_bb = Struct(">bb").pack
pack_bbx = Struct(">bbx").pack
pack_bh = Struct(">bh").pack
pack_bx = Struct(">bx").pack
pack_h = Struct(">h").pack
pack_hB = Struct(">hB").pack
pack_hh = Struct(">hh").pack
pack_hx = Struct(">hx").pack
pack_i = Struct(">i").pack
pack_iB = Struct(">iB").pack
pack_ii = Struct(">ii").pack
unpack_bB = Struct(">bB").unpack_from
unpack_bb = Struct(">bb").unpack_from
unpack_bbB = Struct(">bbB").unpack_from
unpack_bh = Struct(">bh").unpack_from
unpack_h = Struct(">h").unpack_from
unpack_hB = Struct(">hB").unpack_from
unpack_hh = Struct(">hh").unpack_from
unpack_i = Struct(">i").unpack_from
unpack_iB = Struct(">iB").unpack_from
unpack_ii = Struct(">ii").unpack_from


class DeleteAclsRequestFilter(Message):
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


class DeleteAclsRequest(Message):
    __match_args__ = ("filters",)
    __slots__ = __match_args__

    def __init__(
        self,
        filters: Sequence[DeleteAclsRequestFilter] = (),
    ) -> None:
        self.filters = filters


class DeleteAclsResponseMatchingAcl(Message):
    __match_args__ = ("error_code", "error_message", "resource_type", "resource_name", "pattern_type", "principal", "host", "operation", "permission_type")
    __slots__ = __match_args__

    def __init__(
        self,
        error_code: int = 0,
        error_message: str | None = "",
        resource_type: int = 0,
        resource_name: str = "",
        pattern_type: int = 3,
        principal: str = "",
        host: str = "",
        operation: int = 0,
        permission_type: int = 0,
    ) -> None:
        self.error_code = error_code
        self.error_message = error_message
        self.resource_type = resource_type
        self.resource_name = resource_name
        self.pattern_type = pattern_type
        self.principal = principal
        self.host = host
        self.operation = operation
        self.permission_type = permission_type


class DeleteAclsResponseFilterResult(Message):
    __match_args__ = ("error_code", "error_message", "matching_acls")
    __slots__ = __match_args__

    def __init__(
        self,
        error_code: int = 0,
        error_message: str | None = "",
        matching_acls: Sequence[DeleteAclsResponseMatchingAcl] = (),
    ) -> None:
        self.error_code = error_code
        self.error_message = error_message
        self.matching_acls = matching_acls


class DeleteAclsResponse(Message):
    __match_args__ = ("throttle_time_ms", "filter_results")
    __slots__ = __match_args__

    def __init__(
        self,
        throttle_time_ms: int = 0,
        filter_results: Sequence[DeleteAclsResponseFilterResult] = (),
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.filter_results = filter_results


def decode_request_v1(buf: bytes, pos: int) -> DeleteAclsRequest:
    try:
        (n,) = unpack_i(buf, pos)
        pos += 4
        if n < 0:
            raise null_field("DeleteAcls request v1", "Filters")
        if n * 10 > len(buf) - pos:
            raise overrun("DeleteAcls request v1", buf, pos)
        if n > 50000:
            raise too_many("DeleteAcls request v1", n)
        filters_0_items: list[DeleteAclsRequestFilter] = []
        for _ in range(n):
            resource_type_filter_1, n = unpack_bh(buf, pos)
            pos += 3
            resource_name_filter_1: str | None = None
            if n >= 0:
                end = pos + n
                resource_name_filter_1 = buf[pos:end].decode("utf-8", "replace")
                pos = end
            pattern_type_filter_1, n = unpack_bh(buf, pos)
            pos += 3
            principal_filter_1: str | None = None
            if n >= 0:
                end = pos + n
                principal_filter_1 = buf[pos:end].decode("utf-8", "replace")
                pos = end
            (n,) = unpack_h(buf, pos)
            pos += 2
            host_filter_1: str | None = None
            if n >= 0:
                end = pos + n
                host_filter_1 = buf[pos:end].decode("utf-8", "replace")
                pos = end
            operation_1, permission_type_1 = unpack_bb(buf, pos)
            pos += 2
            made_1 = new(DeleteAclsRequestFilter)
            made_1.resource_type_filter = resource_type_filter_1
            made_1.resource_name_filter = resource_name_filter_1
            made_1.pattern_type_filter = pattern_type_filter_1
            made_1.principal_filter = principal_filter_1
            made_1.host_filter = host_filter_1
            made_1.operation = operation_1
            made_1.permission_type = permission_type_1
            filters_0_items.append(made_1)
        filters_0 = filters_0_items
        made_0 = new(DeleteAclsRequest)
        made_0.filters = filters_0
    except (IndexError, StructError) as error:
        raise overrun("DeleteAcls request v1", buf, pos) from error
    if pos > len(buf):
        raise overrun("DeleteAcls request v1", buf, pos)
    return made_0


# versions 2-3
def decode_request_v2(buf: bytes, pos: int) -> DeleteAclsRequest:
    try:
        n = buf[pos]
        pos += 1
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "DeleteAcls request v2-3", "Filters")
        n -= 1
        if n * 8 > len(buf) - pos:
            raise overrun("DeleteAcls request v2-3", buf, pos)
        if n > 50000:
            raise too_many("DeleteAcls request v2-3", n)
        filters_0_items: list[DeleteAclsRequestFilter] = []
        for _ in range(n):
            resource_type_filter_1, n = unpack_bB(buf, pos)
            pos += 2
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            resource_name_filter_1: str | None = None
            if n > 0:
                end = pos + n - 1
                resource_name_filter_1 = buf[pos:end].decode("utf-8", "replace")
                pos = end
            pattern_type_filter_1, n = unpack_bB(buf, pos)
            pos += 2
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            principal_filter_1: str | None = None
            if n > 0:
                end = pos + n - 1
                principal_filter_1 = buf[pos:end].decode("utf-8", "replace")
                pos = end
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            host_filter_1: str | None = None
            if n > 0:
                end = pos + n - 1
                host_filter_1 = buf[pos:end].decode("utf-8", "replace")
                pos = end
            operation_1, permission_type_1, tags = unpack_bbB(buf, pos)
            pos += 3
            if tags:
                pos = skip_tagged(buf, pos - 1)
            made_1 = new(DeleteAclsRequestFilter)
            made_1.resource_type_filter = resource_type_filter_1
            made_1.resource_name_filter = resource_name_filter_1
            made_1.pattern_type_filter = pattern_type_filter_1
            made_1.principal_filter = principal_filter_1
            made_1.host_filter = host_filter_1
            made_1.operation = operation_1
            made_1.permission_type = permission_type_1
            filters_0_items.append(made_1)
        filters_0 = filters_0_items
        tags = buf[pos]
        pos += 1
        if tags:
            pos = skip_tagged(buf, pos - 1)
        made_0 = new(DeleteAclsRequest)
        made_0.filters = filters_0
    except (IndexError, StructError) as error:
        raise overrun("DeleteAcls request v2-3", buf, pos) from error
    if pos > len(buf):
        raise overrun("DeleteAcls request v2-3", buf, pos)
    return made_0


def encode_request_v1(message: DeleteAclsRequest) -> bytes:
    try:
        out = bytearray()
        items_1 = message.filters
        out += pack_i(len(items_1))
        for item_1 in items_1:
            value_2 = item_1.resource_name_filter
            if value_2 is None:
                out += pack_bh(item_1.resource_type_filter, -1)
            else:
                raw = value_2.encode()
                out += pack_bh(item_1.resource_type_filter, len(raw))
                out += raw
            value_3 = item_1.principal_filter
            if value_3 is None:
                out += pack_bh(item_1.pattern_type_filter, -1)
            else:
                raw = value_3.encode()
                out += pack_bh(item_1.pattern_type_filter, len(raw))
                out += raw
            value_4 = item_1.host_filter
            if value_4 is None:
                out += pack_h(-1)
            else:
                raw = value_4.encode()
                out += pack_h(len(raw))
                out += raw
            out += pack_bb(item_1.operation, item_1.permission_type)
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("DeleteAcls request v1", message, error) from error


# versions 2-3
def encode_request_v2(message: DeleteAclsRequest) -> bytes:
    try:
        out = bytearray()
        items_1 = message.filters
        n = len(items_1) + 1
        if n < 128:
            out.append(n)
        else:
            out += uvarint(n)
        for item_1 in items_1:
            value_2 = item_1.resource_name_filter
            if value_2 is None:
                out += pack_bx(item_1.resource_type_filter)
            else:
                raw = value_2.encode()
                n = len(raw) + 1
                if n < 128:
                    out += pack_bB(item_1.resource_type_filter, n)
                else:
                    out += pack_b(item_1.resource_type_filter)
                    out += uvarint(n)
                out += raw
            value_3 = item_1.principal_filter
            if value_3 is None:
                out += pack_bx(item_1.pattern_type_filter)
            else:
                raw = value_3.encode()
                n = len(raw) + 1
                if n < 128:
                    out += pack_bB(item_1.pattern_type_filter, n)
                else:
                    out += pack_b(item_1.pattern_type_filter)
                    out += uvarint(n)
                out += raw
            value_4 = item_1.host_filter
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
            out += pack_bbx(item_1.operation, item_1.permission_type)
        out += b"\0"
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("DeleteAcls request v2-3", message, error) from error


def decode_response_v1(buf: bytes, pos: int) -> DeleteAclsResponse:
    try:
        throttle_time_ms_0, n = unpack_ii(buf, pos)
        pos += 8
        if n < 0:
            raise null_field("DeleteAcls response v1", "FilterResults")
        if n * 8 > len(buf) - pos:
            raise overrun("DeleteAcls response v1", buf, pos)
        filter_results_0_items: list[DeleteAclsResponseFilterResult] = []
        for _ in range(n):
            error_code_1, n = unpack_hh(buf, pos)
            pos += 4
            error_message_1: str | None = None
            if n >= 0:
                end = pos + n
                error_message_1 = buf[pos:end].decode("utf-8", "replace")
                pos = end
            (n,) = unpack_i(buf, pos)
            pos += 4
            if n < 0:
                raise null_field("DeleteAcls response v1", "MatchingAcls")
            if n * 14 > len(buf) - pos:
                raise overrun("DeleteAcls response v1", buf, pos)
            matching_acls_1_items: list[DeleteAclsResponseMatchingAcl] = []
            for _ in range(n):
                error_code_2, n = unpack_hh(buf, pos)
                pos += 4
                error_message_2: str | None = None
                if n >= 0:
                    end = pos + n
                    error_message_2 = buf[pos:end].decode("utf-8", "replace")
                    pos = end
                resource_type_2, n = unpack_bh(buf, pos)
                pos += 3
                if n < 0:
                    raise null_field("DeleteAcls response v1", "ResourceName")
                end = pos + n
                resource_name_2 = buf[pos:end].decode("utf-8", "replace")
                pos = end
                pattern_type_2, n = unpack_bh(buf, pos)
                pos += 3
                if n < 0:
                    raise null_field("DeleteAcls response v1", "Principal")
                end = pos + n
                principal_2 = buf[pos:end].decode("utf-8", "replace")
                pos = end
                (n,) = unpack_h(buf, pos)
                pos += 2
                if n < 0:
                    raise null_field("DeleteAcls response v1", "Host")
                end = pos + n
                host_2 = buf[pos:end].decode("utf-8", "replace")
                pos = end
                operation_2, permission_type_2 = unpack_bb(buf, pos)
                pos += 2
                made_2 = new(DeleteAclsResponseMatchingAcl)
                made_2.error_code = error_code_2
                made_2.error_message = error_message_2
                made_2.resource_type = resource_type_2
                made_2.resource_name = resource_name_2
                made_2.pattern_type = pattern_type_2
                made_2.principal = principal_2
                made_2.host = host_2
                made_2.operation = operation_2
                made_2.permission_type = permission_type_2
                matching_acls_1_items.append(made_2)
            matching_acls_1 = matching_acls_1_items
            made_1 = new(DeleteAclsResponseFilterResult)
            made_1.error_code = error_code_1
            made_1.error_message = error_message_1
            made_1.matching_acls = matching_acls_1
            filter_results_0_items.append(made_1)
        filter_results_0 = filter_results_0_items
        made_0 = new(DeleteAclsResponse)
        made_0.throttle_time_ms = throttle_time_ms_0
        made_0.filter_results = filter_results_0
    except (IndexError, StructError) as error:
        raise overrun("DeleteAcls response v1", buf, pos) from error
    if pos > len(buf):
        raise overrun("DeleteAcls response v1", buf, pos)
    return made_0


# versions 2-3
def decode_response_v2(buf: bytes, pos: int) -> DeleteAclsResponse:
    try:
        throttle_time_ms_0, n = unpack_iB(buf, pos)
        pos += 5
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "DeleteAcls response v2-3", "FilterResults")
        n -= 1
        if n * 5 > len(buf) - pos:
            raise overrun("DeleteAcls response v2-3", buf, pos)
        filter_results_0_items: list[DeleteAclsResponseFilterResult] = []
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
                n, pos = read_length(buf, pos - 1, "DeleteAcls response v2-3", "MatchingAcls")
            n -= 1
            if n * 11 > len(buf) - pos:
                raise overrun("DeleteAcls response v2-3", buf, pos)
            matching_acls_1_items: list[DeleteAclsResponseMatchingAcl] = []
            for _ in range(n):
                error_code_2, n = unpack_hB(buf, pos)
                pos += 3
                if n > 127:
                    n, pos = read_uvarint(buf, pos - 1)
                error_message_2: str | None = None
                if n > 0:
                    end = pos + n - 1
                    error_message_2 = buf[pos:end].decode("utf-8", "replace")
                    pos = end
                resource_type_2, n = unpack_bB(buf, pos)
                pos += 2
                if not 0 < n < 128:
                    n, pos = read_length(buf, pos - 1, "DeleteAcls response v2-3", "ResourceName")
                end = pos + n - 1
                resource_name_2 = buf[pos:end].decode("utf-8", "replace")
                pos = end
                pattern_type_2, n = unpack_bB(buf, pos)
                pos += 2
                if not 0 < n < 128:
                    n, pos = read_length(buf, pos - 1, "DeleteAcls response v2-3", "Principal")
                end = pos + n - 1
                principal_2 = buf[pos:end].decode("utf-8", "replace")
                pos = end
                n = buf[pos]
                pos += 1
                if not 0 < n < 128:
                    n, pos = read_length(buf, pos - 1, "DeleteAcls response v2-3", "Host")
                end = pos + n - 1
                host_2 = buf[pos:end].decode("utf-8", "replace")
                pos = end
                operation_2, permission_type_2, tags = unpack_bbB(buf, pos)
                pos += 3
                if tags:
                    pos = skip_tagged(buf, pos - 1)
                made_2 = new(DeleteAclsResponseMatchingAcl)
                made_2.error_code = error_code_2
                made_2.error_message = error_message_2
                made_2.resource_type = resource_type_2
                made_2.resource_name = resource_name_2
                made_2.pattern_type = pattern_type_2
                made_2.principal = principal_2
                made_2.host = host_2
                made_2.operation = operation_2
                made_2.permission_type = permission_type_2
                matching_acls_1_items.append(made_2)
            matching_acls_1 = matching_acls_1_items
            tags = buf[pos]
            pos += 1
            if tags:
                pos = skip_tagged(buf, pos - 1)
            made_1 = new(DeleteAclsResponseFilterResult)
            made_1.error_code = error_code_1
            made_1.error_message = error_message_1
            made_1.matching_acls = matching_acls_1
            filter_results_0_items.append(made_1)
        filter_results_0 = filter_results_0_items
        tags = buf[pos]
        pos += 1
        if tags:
            pos = skip_tagged(buf, pos - 1)
        made_0 = new(DeleteAclsResponse)
        made_0.throttle_time_ms = throttle_time_ms_0
        made_0.filter_results = filter_results_0
    except (IndexError, StructError) as error:
        raise overrun("DeleteAcls response v2-3", buf, pos) from error
    if pos > len(buf):
        raise overrun("DeleteAcls response v2-3", buf, pos)
    return made_0


def encode_response_v1(message: DeleteAclsResponse) -> bytes:
    try:
        out = bytearray()
        items_1 = message.filter_results
        out += pack_ii(message.throttle_time_ms, len(items_1))
        for item_1 in items_1:
            value_2 = item_1.error_message
            if value_2 is None:
                out += pack_hh(item_1.error_code, -1)
            else:
                raw = value_2.encode()
                out += pack_hh(item_1.error_code, len(raw))
                out += raw
            items_3 = item_1.matching_acls
            out += pack_i(len(items_3))
            for item_3 in items_3:
                value_4 = item_3.error_message
                if value_4 is None:
                    out += pack_hh(item_3.error_code, -1)
                else:
                    raw = value_4.encode()
                    out += pack_hh(item_3.error_code, len(raw))
                    out += raw
                raw = item_3.resource_name.encode()
                out += pack_bh(item_3.resource_type, len(raw))
                out += raw
                raw = item_3.principal.encode()
                out += pack_bh(item_3.pattern_type, len(raw))
                out += raw
                raw = item_3.host.encode()
                out += pack_h(len(raw))
                out += raw
                out += pack_bb(item_3.operation, item_3.permission_type)
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("DeleteAcls response v1", message, error) from error


# versions 2-3
def encode_response_v2(message: DeleteAclsResponse) -> bytes:
    try:
        out = bytearray()
        items_1 = message.filter_results
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
            items_3 = item_1.matching_acls
            n = len(items_3) + 1
            if n < 128:
                out.append(n)
            else:
                out += uvarint(n)
            for item_3 in items_3:
                value_4 = item_3.error_message
                if value_4 is None:
                    out += pack_hx(item_3.error_code)
                else:
                    raw = value_4.encode()
                    n = len(raw) + 1
                    if n < 128:
                        out += pack_hB(item_3.error_code, n)
                    else:
                        out += pack_h(item_3.error_code)
                        out += uvarint(n)
                    out += raw
                raw = item_3.resource_name.encode()
                n = len(raw) + 1
                if n < 128:
                    out += pack_bB(item_3.resource_type, n)
                else:
                    out += pack_b(item_3.resource_type)
                    out += uvarint(n)
                out += raw
                raw = item_3.principal.encode()
                n = len(raw) + 1
                if n < 128:
                    out += pack_bB(item_3.pattern_type, n)
                else:
                    out += pack_b(item_3.pattern_type)
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
        raise encode_failure("DeleteAcls response v2-3", message, error) from error


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
