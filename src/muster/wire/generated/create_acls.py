"""Generated from tools/codecs/schemas/create_acls.api by `make generate`; changes belong there."""

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


class CreateAclsRequestCreation(Message):
    __match_args__ = ("resource_type", "resource_name", "resource_pattern_type", "principal", "host", "operation", "permission_type")
    __slots__ = __match_args__

    def __init__(
        self,
        resource_type: int = 0,
        resource_name: str = "",
        resource_pattern_type: int = 3,
        principal: str = "",
        host: str = "",
        operation: int = 0,
        permission_type: int = 0,
    ) -> None:
        self.resource_type = resource_type
        self.resource_name = resource_name
        self.resource_pattern_type = resource_pattern_type
        self.principal = principal
        self.host = host
        self.operation = operation
        self.permission_type = permission_type


class CreateAclsRequest(Message):
    __match_args__ = ("creations",)
    __slots__ = __match_args__

    def __init__(
        self,
        creations: Sequence[CreateAclsRequestCreation] = (),
    ) -> None:
        self.creations = creations


class CreateAclsResponseResult(Message):
    __match_args__ = ("error_code", "error_message")
    __slots__ = __match_args__

    def __init__(
        self,
        error_code: int = 0,
        error_message: str | None = "",
    ) -> None:
        self.error_code = error_code
        self.error_message = error_message


class CreateAclsResponse(Message):
    __match_args__ = ("throttle_time_ms", "results")
    __slots__ = __match_args__

    def __init__(
        self,
        throttle_time_ms: int = 0,
        results: Sequence[CreateAclsResponseResult] = (),
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.results = results


def decode_request_v1(buf: bytes, pos: int) -> CreateAclsRequest:
    try:
        (n,) = unpack_i(buf, pos)
        pos += 4
        if n < 0:
            raise null_field("CreateAcls request v1", "Creations")
        if n * 10 > len(buf) - pos:
            raise overrun("CreateAcls request v1", buf, pos)
        if n > 50000:
            raise too_many("CreateAcls request v1", n)
        creations_0_items: list[CreateAclsRequestCreation] = []
        for _ in range(n):
            resource_type_1, n = unpack_bh(buf, pos)
            pos += 3
            if n < 0:
                raise null_field("CreateAcls request v1", "ResourceName")
            end = pos + n
            resource_name_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            resource_pattern_type_1, n = unpack_bh(buf, pos)
            pos += 3
            if n < 0:
                raise null_field("CreateAcls request v1", "Principal")
            end = pos + n
            principal_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            (n,) = unpack_h(buf, pos)
            pos += 2
            if n < 0:
                raise null_field("CreateAcls request v1", "Host")
            end = pos + n
            host_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            operation_1, permission_type_1 = unpack_bb(buf, pos)
            pos += 2
            made_1 = new(CreateAclsRequestCreation)
            made_1.resource_type = resource_type_1
            made_1.resource_name = resource_name_1
            made_1.resource_pattern_type = resource_pattern_type_1
            made_1.principal = principal_1
            made_1.host = host_1
            made_1.operation = operation_1
            made_1.permission_type = permission_type_1
            creations_0_items.append(made_1)
        creations_0 = creations_0_items
        made_0 = new(CreateAclsRequest)
        made_0.creations = creations_0
    except (IndexError, StructError) as error:
        raise overrun("CreateAcls request v1", buf, pos) from error
    if pos > len(buf):
        raise overrun("CreateAcls request v1", buf, pos)
    return made_0


# versions 2-3
def decode_request_v2(buf: bytes, pos: int) -> CreateAclsRequest:
    try:
        n = buf[pos]
        pos += 1
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "CreateAcls request v2-3", "Creations")
        n -= 1
        if n * 8 > len(buf) - pos:
            raise overrun("CreateAcls request v2-3", buf, pos)
        if n > 50000:
            raise too_many("CreateAcls request v2-3", n)
        creations_0_items: list[CreateAclsRequestCreation] = []
        for _ in range(n):
            resource_type_1, n = unpack_bB(buf, pos)
            pos += 2
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "CreateAcls request v2-3", "ResourceName")
            end = pos + n - 1
            resource_name_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            resource_pattern_type_1, n = unpack_bB(buf, pos)
            pos += 2
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "CreateAcls request v2-3", "Principal")
            end = pos + n - 1
            principal_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            n = buf[pos]
            pos += 1
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "CreateAcls request v2-3", "Host")
            end = pos + n - 1
            host_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            operation_1, permission_type_1, tags = unpack_bbB(buf, pos)
            pos += 3
            if tags:
                pos = skip_tagged(buf, pos - 1)
            made_1 = new(CreateAclsRequestCreation)
            made_1.resource_type = resource_type_1
            made_1.resource_name = resource_name_1
            made_1.resource_pattern_type = resource_pattern_type_1
            made_1.principal = principal_1
            made_1.host = host_1
            made_1.operation = operation_1
            made_1.permission_type = permission_type_1
            creations_0_items.append(made_1)
        creations_0 = creations_0_items
        tags = buf[pos]
        pos += 1
        if tags:
            pos = skip_tagged(buf, pos - 1)
        made_0 = new(CreateAclsRequest)
        made_0.creations = creations_0
    except (IndexError, StructError) as error:
        raise overrun("CreateAcls request v2-3", buf, pos) from error
    if pos > len(buf):
        raise overrun("CreateAcls request v2-3", buf, pos)
    return made_0


def encode_request_v1(message: CreateAclsRequest) -> bytes:
    try:
        out = bytearray()
        items_1 = message.creations
        out += pack_i(len(items_1))
        for item_1 in items_1:
            raw = item_1.resource_name.encode()
            out += pack_bh(item_1.resource_type, len(raw))
            out += raw
            raw = item_1.principal.encode()
            out += pack_bh(item_1.resource_pattern_type, len(raw))
            out += raw
            raw = item_1.host.encode()
            out += pack_h(len(raw))
            out += raw
            out += pack_bb(item_1.operation, item_1.permission_type)
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("CreateAcls request v1", message, error) from error


# versions 2-3
def encode_request_v2(message: CreateAclsRequest) -> bytes:
    try:
        out = bytearray()
        items_1 = message.creations
        n = len(items_1) + 1
        if n < 128:
            out.append(n)
        else:
            out += uvarint(n)
        for item_1 in items_1:
            raw = item_1.resource_name.encode()
            n = len(raw) + 1
            if n < 128:
                out += pack_bB(item_1.resource_type, n)
            else:
                out += pack_b(item_1.resource_type)
                out += uvarint(n)
            out += raw
            raw = item_1.principal.encode()
            n = len(raw) + 1
            if n < 128:
                out += pack_bB(item_1.resource_pattern_type, n)
            else:
                out += pack_b(item_1.resource_pattern_type)
                out += uvarint(n)
            out += raw
            raw = item_1.host.encode()
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
        raise encode_failure("CreateAcls request v2-3", message, error) from error


def decode_response_v1(buf: bytes, pos: int) -> CreateAclsResponse:
    try:
        throttle_time_ms_0, n = unpack_ii(buf, pos)
        pos += 8
        if n < 0:
            raise null_field("CreateAcls response v1", "Results")
        if n * 4 > len(buf) - pos:
            raise overrun("CreateAcls response v1", buf, pos)
        results_0_items: list[CreateAclsResponseResult] = []
        for _ in range(n):
            error_code_1, n = unpack_hh(buf, pos)
            pos += 4
            error_message_1: str | None = None
            if n >= 0:
                end = pos + n
                error_message_1 = buf[pos:end].decode("utf-8", "replace")
                pos = end
            made_1 = new(CreateAclsResponseResult)
            made_1.error_code = error_code_1
            made_1.error_message = error_message_1
            results_0_items.append(made_1)
        results_0 = results_0_items
        made_0 = new(CreateAclsResponse)
        made_0.throttle_time_ms = throttle_time_ms_0
        made_0.results = results_0
    except (IndexError, StructError) as error:
        raise overrun("CreateAcls response v1", buf, pos) from error
    if pos > len(buf):
        raise overrun("CreateAcls response v1", buf, pos)
    return made_0


# versions 2-3
def decode_response_v2(buf: bytes, pos: int) -> CreateAclsResponse:
    try:
        throttle_time_ms_0, n = unpack_iB(buf, pos)
        pos += 5
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "CreateAcls response v2-3", "Results")
        n -= 1
        if n * 4 > len(buf) - pos:
            raise overrun("CreateAcls response v2-3", buf, pos)
        results_0_items: list[CreateAclsResponseResult] = []
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
            tags = buf[pos]
            pos += 1
            if tags:
                pos = skip_tagged(buf, pos - 1)
            made_1 = new(CreateAclsResponseResult)
            made_1.error_code = error_code_1
            made_1.error_message = error_message_1
            results_0_items.append(made_1)
        results_0 = results_0_items
        tags = buf[pos]
        pos += 1
        if tags:
            pos = skip_tagged(buf, pos - 1)
        made_0 = new(CreateAclsResponse)
        made_0.throttle_time_ms = throttle_time_ms_0
        made_0.results = results_0
    except (IndexError, StructError) as error:
        raise overrun("CreateAcls response v2-3", buf, pos) from error
    if pos > len(buf):
        raise overrun("CreateAcls response v2-3", buf, pos)
    return made_0


def encode_response_v1(message: CreateAclsResponse) -> bytes:
    try:
        out = bytearray()
        items_1 = message.results
        out += pack_ii(message.throttle_time_ms, len(items_1))
        for item_1 in items_1:
            value_2 = item_1.error_message
            if value_2 is None:
                out += pack_hh(item_1.error_code, -1)
            else:
                raw = value_2.encode()
                out += pack_hh(item_1.error_code, len(raw))
                out += raw
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("CreateAcls response v1", message, error) from error


# versions 2-3
def encode_response_v2(message: CreateAclsResponse) -> bytes:
    try:
        out = bytearray()
        items_1 = message.results
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
            out += b"\0"
        out += b"\0"
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("CreateAcls response v2-3", message, error) from error


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
