"""Generated from tools/codecs/schemas/list_config_resources.api by `make generate`; changes belong there."""

from __future__ import annotations

from collections.abc import Sequence

from struct import Struct, error as StructError

from muster.wire.message import Message, encode_failure
from muster.wire.primitives import numbers, overrun, read_length, read_numbers, skip_tagged
from muster.wire.varint import uvarint

new = Message.__new__
pack_bx = Struct(">bx").pack
pack_ih = Struct(">ih").pack
pack_ihB = Struct(">ihB").pack
unpack_bB = Struct(">bB").unpack_from
unpack_ihB = Struct(">ihB").unpack_from


class ListConfigResourcesRequest(Message):
    __match_args__ = ("resource_types",)
    __slots__ = __match_args__

    def __init__(
        self,
        resource_types: Sequence[int] = (),
    ) -> None:
        self.resource_types = resource_types


class ListConfigResourcesResponseResource(Message):
    __match_args__ = ("resource_name", "resource_type")
    __slots__ = __match_args__

    def __init__(
        self,
        resource_name: str = "",
        resource_type: int = 16,
    ) -> None:
        self.resource_name = resource_name
        self.resource_type = resource_type


class ListConfigResourcesResponse(Message):
    __match_args__ = ("throttle_time_ms", "error_code", "config_resources")
    __slots__ = __match_args__

    def __init__(
        self,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        config_resources: Sequence[ListConfigResourcesResponseResource] = (),
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.config_resources = config_resources


def decode_request_v0(buf: bytes, pos: int) -> ListConfigResourcesRequest:
    try:
        tags = buf[pos]
        pos += 1
        if tags:
            pos = skip_tagged(buf, pos - 1)
        made_0 = new(ListConfigResourcesRequest)
        made_0.resource_types = ()
    except (IndexError, StructError) as error:
        raise overrun("ListConfigResources request v0", buf, pos) from error
    if pos > len(buf):
        raise overrun("ListConfigResources request v0", buf, pos)
    return made_0


def decode_request_v1(buf: bytes, pos: int) -> ListConfigResourcesRequest:
    try:
        n = buf[pos]
        pos += 1
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "ListConfigResources request v1", "ResourceTypes")
        n -= 1
        if n > len(buf) - pos:
            raise overrun("ListConfigResources request v1", buf, pos)
        resource_types_0 = read_numbers("b", 1, buf, pos, n)
        pos += n
        tags = buf[pos]
        pos += 1
        if tags:
            pos = skip_tagged(buf, pos - 1)
        made_0 = new(ListConfigResourcesRequest)
        made_0.resource_types = resource_types_0
    except (IndexError, StructError) as error:
        raise overrun("ListConfigResources request v1", buf, pos) from error
    if pos > len(buf):
        raise overrun("ListConfigResources request v1", buf, pos)
    return made_0


def encode_request_v0(message: ListConfigResourcesRequest) -> bytes:
    try:
        return b"\0"
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("ListConfigResources request v0", message, error) from error


def encode_request_v1(message: ListConfigResourcesRequest) -> bytes:
    try:
        out = bytearray()
        items_1 = message.resource_types
        n = len(items_1) + 1
        if n < 128:
            out.append(n)
        else:
            out += uvarint(n)
        out += numbers("b", items_1)
        out += b"\0"
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("ListConfigResources request v1", message, error) from error


def decode_response_v0(buf: bytes, pos: int) -> ListConfigResourcesResponse:
    try:
        throttle_time_ms_0, error_code_0, n = unpack_ihB(buf, pos)
        pos += 7
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "ListConfigResources response v0", "ConfigResources")
        n -= 1
        if n * 2 > len(buf) - pos:
            raise overrun("ListConfigResources response v0", buf, pos)
        config_resources_0_items: list[ListConfigResourcesResponseResource] = []
        for _ in range(n):
            n = buf[pos]
            pos += 1
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "ListConfigResources response v0", "ResourceName")
            end = pos + n - 1
            resource_name_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            tags = buf[pos]
            pos += 1
            if tags:
                pos = skip_tagged(buf, pos - 1)
            made_1 = new(ListConfigResourcesResponseResource)
            made_1.resource_name = resource_name_1
            made_1.resource_type = 16
            config_resources_0_items.append(made_1)
        config_resources_0 = config_resources_0_items
        tags = buf[pos]
        pos += 1
        if tags:
            pos = skip_tagged(buf, pos - 1)
        made_0 = new(ListConfigResourcesResponse)
        made_0.throttle_time_ms = throttle_time_ms_0
        made_0.error_code = error_code_0
        made_0.config_resources = config_resources_0
    except (IndexError, StructError) as error:
        raise overrun("ListConfigResources response v0", buf, pos) from error
    if pos > len(buf):
        raise overrun("ListConfigResources response v0", buf, pos)
    return made_0


def decode_response_v1(buf: bytes, pos: int) -> ListConfigResourcesResponse:
    try:
        throttle_time_ms_0, error_code_0, n = unpack_ihB(buf, pos)
        pos += 7
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "ListConfigResources response v1", "ConfigResources")
        n -= 1
        if n * 3 > len(buf) - pos:
            raise overrun("ListConfigResources response v1", buf, pos)
        config_resources_0_items: list[ListConfigResourcesResponseResource] = []
        for _ in range(n):
            n = buf[pos]
            pos += 1
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "ListConfigResources response v1", "ResourceName")
            end = pos + n - 1
            resource_name_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            resource_type_1, tags = unpack_bB(buf, pos)
            pos += 2
            if tags:
                pos = skip_tagged(buf, pos - 1)
            made_1 = new(ListConfigResourcesResponseResource)
            made_1.resource_name = resource_name_1
            made_1.resource_type = resource_type_1
            config_resources_0_items.append(made_1)
        config_resources_0 = config_resources_0_items
        tags = buf[pos]
        pos += 1
        if tags:
            pos = skip_tagged(buf, pos - 1)
        made_0 = new(ListConfigResourcesResponse)
        made_0.throttle_time_ms = throttle_time_ms_0
        made_0.error_code = error_code_0
        made_0.config_resources = config_resources_0
    except (IndexError, StructError) as error:
        raise overrun("ListConfigResources response v1", buf, pos) from error
    if pos > len(buf):
        raise overrun("ListConfigResources response v1", buf, pos)
    return made_0


def encode_response_v0(message: ListConfigResourcesResponse) -> bytes:
    try:
        out = bytearray()
        items_1 = message.config_resources
        n = len(items_1) + 1
        if n < 128:
            out += pack_ihB(message.throttle_time_ms, message.error_code, n)
        else:
            out += pack_ih(message.throttle_time_ms, message.error_code)
            out += uvarint(n)
        for item_1 in items_1:
            raw = item_1.resource_name.encode()
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
        raise encode_failure("ListConfigResources response v0", message, error) from error


def encode_response_v1(message: ListConfigResourcesResponse) -> bytes:
    try:
        out = bytearray()
        items_1 = message.config_resources
        n = len(items_1) + 1
        if n < 128:
            out += pack_ihB(message.throttle_time_ms, message.error_code, n)
        else:
            out += pack_ih(message.throttle_time_ms, message.error_code)
            out += uvarint(n)
        for item_1 in items_1:
            raw = item_1.resource_name.encode()
            n = len(raw) + 1
            if n < 128:
                out.append(n)
            else:
                out += uvarint(n)
            out += raw
            out += pack_bx(item_1.resource_type)
        out += b"\0"
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("ListConfigResources response v1", message, error) from error


REQUEST_DECODERS = {
    0: decode_request_v0,
    1: decode_request_v1,
}
REQUEST_ENCODERS = {
    0: encode_request_v0,
    1: encode_request_v1,
}
RESPONSE_DECODERS = {
    0: decode_response_v0,
    1: decode_response_v1,
}
RESPONSE_ENCODERS = {
    0: encode_response_v0,
    1: encode_response_v1,
}
