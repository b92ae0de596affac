"""Generated from tools/codecs/schemas/incremental_alter_configs.api by `make generate`; changes belong there."""

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
pack_bx = Struct(">bx").pack
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


class IncrementalAlterConfigsRequestConfig(Message):
    __match_args__ = ("name", "config_operation", "value")
    __slots__ = __match_args__

    def __init__(
        self,
        name: str = "",
        config_operation: int = 0,
        value: str | None = "",
    ) -> None:
        self.name = name
        self.config_operation = config_operation
        self.value = value


class IncrementalAlterConfigsRequestResource(Message):
    __match_args__ = ("resource_type", "resource_name", "configs")
    __slots__ = __match_args__

    def __init__(
        self,
        resource_type: int = 0,
        resource_name: str = "",
        configs: Sequence[IncrementalAlterConfigsRequestConfig] = (),
    ) -> None:
        self.resource_type = resource_type
        self.resource_name = resource_name
        self.configs = configs


class IncrementalAlterConfigsRequest(Message):
    __match_args__ = ("resources", "validate_only")
    __slots__ = __match_args__

    def __init__(
        self,
        resources: Sequence[IncrementalAlterConfigsRequestResource] = (),
        validate_only: bool = False,
    ) -> None:
        self.resources = resources
        self.validate_only = validate_only


class IncrementalAlterConfigsResponseResource(Message):
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


class IncrementalAlterConfigsResponse(Message):
    __match_args__ = ("throttle_time_ms", "responses")
    __slots__ = __match_args__

    def __init__(
        self,
        throttle_time_ms: int = 0,
        responses: Sequence[IncrementalAlterConfigsResponseResource] = (),
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.responses = responses


def decode_request_v0(buf: bytes, pos: int) -> IncrementalAlterConfigsRequest:
    try:
        (n,) = unpack_i(buf, pos)
        pos += 4
        if n < 0:
            raise null_field("IncrementalAlterConfigs request v0", "Resources")
        if n * 7 > len(buf) - pos:
            raise overrun("IncrementalAlterConfigs request v0", buf, pos)
        if n > 50000:
            raise too_many("IncrementalAlterConfigs request v0", n)
        resources_0_items: list[IncrementalAlterConfigsRequestResource] = []
        for _ in range(n):
            resource_type_1, n = unpack_bh(buf, pos)
            pos += 3
            if n < 0:
                raise null_field("IncrementalAlterConfigs request v0", "ResourceName")
            end = pos + n
            resource_name_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            (n,) = unpack_i(buf, pos)
            pos += 4
            if n < 0:
                raise null_field("IncrementalAlterConfigs request v0", "Configs")
            if n * 5 > len(buf) - pos:
                raise overrun("IncrementalAlterConfigs request v0", buf, pos)
            if n > 50000:
                raise too_many("IncrementalAlterConfigs request v0", n)
            configs_1_items: list[IncrementalAlterConfigsRequestConfig] = []
            for _ in range(n):
                (n,) = unpack_h(buf, pos)
                pos += 2
                if n < 0:
                    raise null_field("IncrementalAlterConfigs request v0", "Name")
                end = pos + n
                name_2 = buf[pos:end].decode("utf-8", "replace")
                pos = end
                config_operation_2, n = unpack_bh(buf, pos)
                pos += 3
                value_2: str | None = None
                if n >= 0:
                    end = pos + n
                    value_2 = buf[pos:end].decode("utf-8", "replace")
                    pos = end
                made_2 = new(IncrementalAlterConfigsRequestConfig)
                made_2.name = name_2
                made_2.config_operation = config_operation_2
                made_2.value = value_2
                configs_1_items.append(made_2)
            configs_1 = configs_1_items
            made_1 = new(IncrementalAlterConfigsRequestResource)
            made_1.resource_type = resource_type_1
            made_1.resource_name = resource_name_1
            made_1.configs = configs_1
            resources_0_items.append(made_1)
        resources_0 = resources_0_items
        validate_only_0 = buf[pos] != 0
        pos += 1
        made_0 = new(IncrementalAlterConfigsRequest)
        made_0.resources = resources_0
        made_0.validate_only = validate_only_0
    except (IndexError, StructError) as error:
        raise overrun("IncrementalAlterConfigs request v0", buf, pos) from error
    if pos > len(buf):
        raise overrun("IncrementalAlterConfigs request v0", buf, pos)
    return made_0


def decode_request_v1(buf: bytes, pos: int) -> IncrementalAlterConfigsRequest:
    try:
        n = buf[pos]
        pos += 1
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "IncrementalAlterConfigs request v1", "Resources")
        n -= 1
        if n * 4 > len(buf) - pos:
            raise overrun("IncrementalAlterConfigs request v1", buf, pos)
        if n > 50000:
            raise too_many("IncrementalAlterConfigs request v1", n)
        resources_0_items: list[IncrementalAlterConfigsRequestResource] = []
        for _ in range(n):
            resource_type_1, n = unpack_bB(buf, pos)
            pos += 2
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "IncrementalAlterConfigs request v1", "ResourceName")
            end = pos + n - 1
            resource_name_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            n = buf[pos]
            pos += 1
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "IncrementalAlterConfigs request v1", "Configs")
            n -= 1
            if n * 4 > len(buf) - pos:
                raise overrun("IncrementalAlterConfigs request v1", buf, pos)
            if n > 50000:
                raise too_many("IncrementalAlterConfigs request v1", n)
            configs_1_items: list[IncrementalAlterConfigsRequestConfig] = []
            for _ in range(n):
                n = buf[pos]
                pos += 1
                if not 0 < n < 128:
                    n, pos = read_length(buf, pos - 1, "IncrementalAlterConfigs request v1", "Name")
                end = pos + n - 1
                name_2 = buf[pos:end].decode("utf-8", "replace")
                pos = end
                config_operation_2, n = unpack_bB(buf, pos)
                pos += 2
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
                made_2 = new(IncrementalAlterConfigsRequestConfig)
                made_2.name = name_2
                made_2.config_operation = config_operation_2
                made_2.value = value_2
                configs_1_items.append(made_2)
            configs_1 = configs_1_items
            tags = buf[pos]
            pos += 1
            if tags:
                pos = skip_tagged(buf, pos - 1)
            made_1 = new(IncrementalAlterConfigsRequestResource)
            made_1.resource_type = resource_type_1
            made_1.resource_name = resource_name_1
            made_1.configs = configs_1
            resources_0_items.append(made_1)
        resources_0 = resources_0_items
        validate_only_0, tags = unpack_tB(buf, pos)
        pos += 2
        if tags:
            pos = skip_tagged(buf, pos - 1)
        made_0 = new(IncrementalAlterConfigsRequest)
        made_0.resources = resources_0
        made_0.validate_only = validate_only_0
    except (IndexError, StructError) as error:
        raise overrun("IncrementalAlterConfigs request v1", buf, pos) from error
    if pos > len(buf):
        raise overrun("IncrementalAlterConfigs request v1", buf, pos)
    return made_0


def encode_request_v0(message: IncrementalAlterConfigsRequest) -> bytes:
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
                    out += pack_bh(item_2.config_operation, -1)
                else:
                    raw = value_3.encode()
                    out += pack_bh(item_2.config_operation, len(raw))
                    out += raw
        out += pack_t(message.validate_only)
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("IncrementalAlterConfigs request v0", message, error) from error


def encode_request_v1(message: IncrementalAlterConfigsRequest) -> bytes:
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
                    out += pack_bx(item_2.config_operation)
                else:
                    raw = value_3.encode()
                    n = len(raw) + 1
                    if n < 128:
                        out += pack_bB(item_2.config_operation, n)
                    else:
                        out += pack_b(item_2.config_operation)
                        out += uvarint(n)
                    out += raw
                out += b"\0"
            out += b"\0"
        out += pack_tx(message.validate_only)
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("IncrementalAlterConfigs request v1", message, error) from error


def decode_response_v0(buf: bytes, pos: int) -> IncrementalAlterConfigsResponse:
    try:
        throttle_time_ms_0, n = unpack_ii(buf, pos)
        pos += 8
        if n < 0:
            raise null_field("IncrementalAlterConfigs response v0", "Responses")
        if n * 7 > len(buf) - pos:
            raise overrun("IncrementalAlterConfigs response v0", buf, pos)
        responses_0_items: list[IncrementalAlterConfigsResponseResource] = []
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
                raise null_field("IncrementalAlterConfigs response v0", "ResourceName")
            end = pos + n
            resource_name_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            made_1 = new(IncrementalAlterConfigsResponseResource)
            made_1.error_code = error_code_1
            made_1.error_message = error_message_1
            made_1.resource_type = resource_type_1
            made_1.resource_name = resource_name_1
            responses_0_items.append(made_1)
        responses_0 = responses_0_items
        made_0 = new(IncrementalAlterConfigsResponse)
        made_0.throttle_time_ms = throttle_time_ms_0
        made_0.responses = responses_0
    except (IndexError, StructError) as error:
        raise overrun("IncrementalAlterConfigs response v0", buf, pos) from error
    if pos > len(buf):
        raise overrun("IncrementalAlterConfigs response v0", buf, pos)
    return made_0


def decode_response_v1(buf: bytes, pos: int) -> IncrementalAlterConfigsResponse:
    try:
        throttle_time_ms_0, n = unpack_iB(buf, pos)
        pos += 5
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "IncrementalAlterConfigs response v1", "Responses")
        n -= 1
        if n * 6 > len(buf) - pos:
            raise overrun("IncrementalAlterConfigs response v1", buf, pos)
        responses_0_items: list[IncrementalAlterConfigsResponseResource] = []
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
                n, pos = read_length(buf, pos - 1, "IncrementalAlterConfigs response v1", "ResourceName")
            end = pos + n - 1
            resource_name_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            tags = buf[pos]
            pos += 1
            if tags:
                pos = skip_tagged(buf, pos - 1)
            made_1 = new(IncrementalAlterConfigsResponseResource)
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
        made_0 = new(IncrementalAlterConfigsResponse)
        made_0.throttle_time_ms = throttle_time_ms_0
        made_0.responses = responses_0
    except (IndexError, StructError) as error:
        raise overrun("IncrementalAlterConfigs response v1", buf, pos) from error
    if pos > len(buf):
        raise overrun("IncrementalAlterConfigs response v1", buf, pos)
    return made_0


def encode_response_v0(message: IncrementalAlterConfigsResponse) -> bytes:
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
        raise encode_failure("IncrementalAlterConfigs response v0", message, error) from error


def encode_response_v1(message: IncrementalAlterConfigsResponse) -> bytes:
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
        raise encode_failure("IncrementalAlterConfigs response v1", message, error) from error


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
