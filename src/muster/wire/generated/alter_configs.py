"""Generated from tools/codecs/schemas/alter_configs.api by `make generate`; changes belong there."""

from __future__ import annotations

from collections.abc import Sequence

from struct import Struct, error as StructError

from muster.wire.message import Message, encode_failure
from muster.wire.primitives import null_field, overrun, read_length, skip_tagged, too_many
from muster.wire.varint import read_uvarint, uvarint

new = Message.__new__
pack_t = Struct(">?").pack
pack_tx = Struct(">?x").pack
pack_b = Struct(">b").pack
pack_bB = Struct(">bB").pack
pack_bh = Struct(">bh").pack
pack_h = Struct(">h").pack
pack_hB = Struct(">hB").pack
pack_hh = Struct(">hh").pack
pack_hx = Struct(">hx").pack
pack_i = Struct(">i").pack
pack_iB = Struct(">iB").pack
pack_ii = Struct(">ii").pack
unpack_tB = Struct(">?B").unpack_from
unpack_bB = Struct(">bB").unpack_from
unpack_bh = Struct(">bh").unpack_from
unpack_h = Struct(">h").unpack_from
unpack_hB = Struct(">hB").unpack_from
unpack_hh = Struct(">hh").unpack_from
unpack_i = Struct(">i").unpack_from
unpack_iB = Struct(">iB").unpack_from
unpack_ii = Struct(">ii").unpack_from


class AlterConfigsRequestConfig(Message):
    __match_args__ = ("name", "value")
    __slots__ = __match_args__

    def __init__(
        self,
        name: str = "",
        value: str | None = "",
    ) -> None:
        self.name = name
        self.value = value


class AlterConfigsRequestResource(Message):
    __match_args__ = ("resource_type", "resource_name", "configs")
    __slots__ = __match_args__

    def __init__(
        self,
        resource_type: int = 0,
        resource_name: str = "",
        configs: Sequence[AlterConfigsRequestConfig] = (),
    ) -> None:
        self.resource_type = resource_type
        self.resource_name = resource_name
        self.configs = configs


class AlterConfigsRequest(Message):
    __match_args__ = ("resources", "validate_only")
    __slots__ = __match_args__

    def __init__(
        self,
        resources: Sequence[AlterConfigsRequestResource] = (),
        validate_only: bool = False,
    ) -> None:
        self.resources = resources
        self.validate_only = validate_only


class AlterConfigsResponseResource(Message):
    __match_args__ = ("error_code", "error_message", "resource_type", "resource_name")
    __slots__ = __match_args__

    def __init__(
        self,
        error_code: int = 0,
        error_message: str | None = "",
        resource_type: int = 0,
        resource_name: str = "",
    ) -> None:
        self.error_code = error_code
        self.error_message = error_message
        self.resource_type = resource_type
        self.resource_name = resource_name


class AlterConfigsResponse(Message):
    __match_args__ = ("throttle_time_ms", "responses")
    __slots__ = __match_args__

    def __init__(
        self,
        throttle_time_ms: int = 0,
        responses: Sequence[AlterConfigsResponseResource] = (),
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.responses = responses


# versions 0-1
def decode_request_v0(buf: bytes, pos: int) -> AlterConfigsRequest:
    try:
        (n,) = unpack_i(buf, pos)
        pos += 4
        if n < 0:
            raise null_field("AlterConfigs request v0-1", "Resources")
        if n * 7 > len(buf) - pos:
            raise overrun("AlterConfigs request v0-1", buf, pos)
        if n > 50000:
            raise too_many("AlterConfigs request v0-1", n)
        resources_0_items: list[AlterConfigsRequestResource] = []
        for _ in range(n):
            resource_type_1, n = unpack_bh(buf, pos)
            pos += 3
            if n < 0:
                raise null_field("AlterConfigs request v0-1", "ResourceName")
            end = pos + n
            resource_name_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            (n,) = unpack_i(buf, pos)
            pos += 4
            if n < 0:
                raise null_field("AlterConfigs request v0-1", "Configs")
            if n * 4 > len(buf) - pos:
                raise overrun("AlterConfigs request v0-1", buf, pos)
            if n > 50000:
                raise too_many("AlterConfigs request v0-1", n)
            configs_1_items: list[AlterConfigsRequestConfig] = []
            for _ in range(n):
                (n,) = unpack_h(buf, pos)
                pos += 2
                if n < 0:
                    raise null_field("AlterConfigs request v0-1", "Name")
                end = pos + n
                name_2 = buf[pos:end].decode("utf-8", "replace")
                pos = end
                (n,) = unpack_h(buf, pos)
                pos += 2
                value_2: str | None = None
                if n >= 0:
                    end = pos + n
                    value_2 = buf[pos:end].decode("utf-8", "replace")
                    pos = end
                made_2 = new(AlterConfigsRequestConfig)
                made_2.name = name_2
                made_2.value = value_2
                configs_1_items.append(made_2)
            configs_1 = configs_1_items
            made_1 = new(AlterConfigsRequestResource)
            made_1.resource_type = resource_type_1
            made_1.resource_name = resource_name_1
            made_1.configs = configs_1
            resources_0_items.append(made_1)
        resources_0 = resources_0_items
        validate_only_0 = buf[pos] != 0
        pos += 1
        made_0 = new(AlterConfigsRequest)
        made_0.resources = resources_0
        made_0.validate_only = validate_only_0
    except (IndexError, StructError) as error:
        raise overrun("AlterConfigs request v0-1", buf, pos) from error
    if pos > len(buf):
        raise overrun("AlterConfigs request v0-1", buf, pos)
    return made_0


def decode_request_v2(buf: bytes, pos: int) -> AlterConfigsRequest:
    try:
        n = buf[pos]
        pos += 1
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "AlterConfigs request v2", "Resources")
        n -= 1
        if n * 4 > len(buf) - pos:
            raise overrun("AlterConfigs request v2", buf, pos)
        if n > 50000:
            raise too_many("AlterConfigs request v2", n)
        resources_0_items: list[AlterConfigsRequestResource] = []
        for _ in range(n):
            resource_type_1, n = unpack_bB(buf, pos)
            pos += 2
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "AlterConfigs request v2", "ResourceName")
            end = pos + n - 1
            resource_name_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            n = buf[pos]
            pos += 1
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "AlterConfigs request v2", "Configs")
            n -= 1
            if n * 3 > len(buf) - pos:
                raise overrun("AlterConfigs request v2", buf, pos)
            if n > 50000:
                raise too_many("AlterConfigs request v2", n)
            configs_1_items: list[AlterConfigsRequestConfig] = []
            for _ in range(n):
                n = buf[pos]
                pos += 1
                if not 0 < n < 128:
                    n, pos = read_length(buf, pos - 1, "AlterConfigs request v2", "Name")
                end = pos + n - 1
                name_2 = buf[pos:end].decode("utf-8", "replace")
                pos = end
                n = buf[pos]
                pos += 1
                if n > 127:
                    n, pos = read_uvarint(buf, pos - 1)
                value_2: str | None = None
                if n > 0:
                    end = pos + n - 1
                    value_2 = buf[pos:end].decode("utf-8", "replace")
                    pos = end
                tags = buf[pos]
                pos += 1
                if tags:
                    pos = skip_tagged(buf, pos - 1)
                made_2 = new(AlterConfigsRequestConfig)
                made_2.name = name_2
                made_2.value = value_2
                configs_1_items.append(made_2)
            configs_1 = configs_1_items
            tags = buf[pos]
            pos += 1
            if tags:
                pos = skip_tagged(buf, pos - 1)
            made_1 = new(AlterConfigsRequestResource)
            made_1.resource_type = resource_type_1
            made_1.resource_name = resource_name_1
            made_1.configs = configs_1
            resources_0_items.append(made_1)
        resources_0 = resources_0_items
        validate_only_0, tags = unpack_tB(buf, pos)
        pos += 2
        if tags:
            pos = skip_tagged(buf, pos - 1)
        made_0 = new(AlterConfigsRequest)
        made_0.resources = resources_0
        made_0.validate_only = validate_only_0
    except (IndexError, StructError) as error:
        raise overrun("AlterConfigs request v2", buf, pos) from error
    if pos > len(buf):
        raise overrun("AlterConfigs request v2", buf, pos)
    return made_0


# versions 0-1
def encode_request_v0(message: AlterConfigsRequest) -> bytes:
    try:
        out = bytearray()
        items_1 = message.resources
        out += pack_i(len(items_1))
        for item_1 in items_1:
            raw = item_1.resource_name.encode()
            out += pack_bh(item_1.resource_type, len(raw))
            out += raw
            items_2 = item_1.configs
            out += pack_i(len(items_2))
            for item_2 in items_2:
                raw = item_2.name.encode()
                out += pack_h(len(raw))
                out += raw
                value_3 = item_2.value
                if value_3 is None:
                    out += pack_h(-1)
                else:
                    raw = value_3.encode()
                    out += pack_h(len(raw))
                    out += raw
        out += pack_t(message.validate_only)
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("AlterConfigs request v0-1", message, error) from error


def encode_request_v2(message: AlterConfigsRequest) -> bytes:
    try:
        out = bytearray()
        items_1 = message.resources
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
            items_2 = item_1.configs
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
                value_3 = item_2.value
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
            out += b"\0"
        out += pack_tx(message.validate_only)
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("AlterConfigs request v2", message, error) from error


# versions 0-1
def decode_response_v0(buf: bytes, pos: int) -> AlterConfigsResponse:
    try:
        throttle_time_ms_0, n = unpack_ii(buf, pos)
        pos += 8
        if n < 0:
            raise null_field("AlterConfigs response v0-1", "Responses")
        if n * 7 > len(buf) - pos:
            raise overrun("AlterConfigs response v0-1", buf, pos)
        responses_0_items: list[AlterConfigsResponseResource] = []
        for _ in range(n):
            error_code_1, n = unpack_hh(buf, pos)
            pos += 4
            error_message_1: str | None = None
            if n >= 0:
                end = pos + n
                error_message_1 = buf[pos:end].decode("utf-8", "replace")
                pos = end
            resource_type_1, n = unpack_bh(buf, pos)
            pos += 3
            if n < 0:
                raise null_field("AlterConfigs response v0-1", "ResourceName")
            end = pos + n
            resource_name_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            made_1 = new(AlterConfigsResponseResource)
            made_1.error_code = error_code_1
            made_1.error_message = error_message_1
            made_1.resource_type = resource_type_1
            made_1.resource_name = resource_name_1
            responses_0_items.append(made_1)
        responses_0 = responses_0_items
        made_0 = new(AlterConfigsResponse)
        made_0.throttle_time_ms = throttle_time_ms_0
        made_0.responses = responses_0
    except (IndexError, StructError) as error:
        raise overrun("AlterConfigs response v0-1", buf, pos) from error
    if pos > len(buf):
        raise overrun("AlterConfigs response v0-1", buf, pos)
    return made_0


def decode_response_v2(buf: bytes, pos: int) -> AlterConfigsResponse:
    try:
        throttle_time_ms_0, n = unpack_iB(buf, pos)
        pos += 5
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "AlterConfigs response v2", "Responses")
        n -= 1
        if n * 6 > len(buf) - pos:
            raise overrun("AlterConfigs response v2", buf, pos)
        responses_0_items: list[AlterConfigsResponseResource] = []
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
            resource_type_1, n = unpack_bB(buf, pos)
            pos += 2
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "AlterConfigs response v2", "ResourceName")
            end = pos + n - 1
            resource_name_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            tags = buf[pos]
            pos += 1
            if tags:
                pos = skip_tagged(buf, pos - 1)
            made_1 = new(AlterConfigsResponseResource)
            made_1.error_code = error_code_1
            made_1.error_message = error_message_1
            made_1.resource_type = resource_type_1
            made_1.resource_name = resource_name_1
            responses_0_items.append(made_1)
        responses_0 = responses_0_items
        tags = buf[pos]
        pos += 1
        if tags:
            pos = skip_tagged(buf, pos - 1)
        made_0 = new(AlterConfigsResponse)
        made_0.throttle_time_ms = throttle_time_ms_0
        made_0.responses = responses_0
    except (IndexError, StructError) as error:
        raise overrun("AlterConfigs response v2", buf, pos) from error
    if pos > len(buf):
        raise overrun("AlterConfigs response v2", buf, pos)
    return made_0


# versions 0-1
def encode_response_v0(message: AlterConfigsResponse) -> bytes:
    try:
        out = bytearray()
        items_1 = message.responses
        out += pack_ii(message.throttle_time_ms, len(items_1))
        for item_1 in items_1:
            value_2 = item_1.error_message
            if value_2 is None:
                out += pack_hh(item_1.error_code, -1)
            else:
                raw = value_2.encode()
                out += pack_hh(item_1.error_code, len(raw))
                out += raw
            raw = item_1.resource_name.encode()
            out += pack_bh(item_1.resource_type, len(raw))
            out += raw
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("AlterConfigs response v0-1", message, error) from error


def encode_response_v2(message: AlterConfigsResponse) -> bytes:
    try:
        out = bytearray()
        items_1 = message.responses
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
            raw = item_1.resource_name.encode()
            n = len(raw) + 1
            if n < 128:
                out += pack_bB(item_1.resource_type, n)
            else:
                out += pack_b(item_1.resource_type)
                out += uvarint(n)
            out += raw
            out += b"\0"
        out += b"\0"
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("AlterConfigs response v2", message, error) from error


REQUEST_DECODERS = {
    0: decode_request_v0,
    1: decode_request_v0,
    2: decode_request_v2,
}
REQUEST_ENCODERS = {
    0: encode_request_v0,
    1: encode_request_v0,
    2: encode_request_v2,
}
RESPONSE_DECODERS = {
    0: decode_response_v0,
    1: decode_response_v0,
    2: decode_response_v2,
}
RESPONSE_ENCODERS = {
    0: encode_response_v0,
    1: encode_response_v0,
    2: encode_response_v2,
}
