"""Generated from tools/codecs/schemas/describe_configs.api by `make generate`; changes belong there."""

from __future__ import annotations

from collections.abc import Sequence

from struct import Struct, error as StructError

from muster.wire.message import Message, encode_failure
from muster.wire.primitives import null_field, overrun, read_length, skip_tagged, too_many
from muster.wire.varint import read_uvarint, uvarint

new = Message.__new__
pack_t = Struct(">?").pack
pack_tt = Struct(">??").pack
pack_ttx = Struct(">??x").pack
pack_tbt = Struct(">?b?").pack
pack_tbtB = Struct(">?b?B").pack
pack_tbti = Struct(">?b?i").pack
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
unpack_tt = Struct(">??").unpack_from
unpack_ttB = Struct(">??B").unpack_from
unpack_tbtB = Struct(">?b?B").unpack_from
unpack_tbti = Struct(">?b?i").unpack_from
unpack_b = Struct(">b").unpack_from
unpack_bB = Struct(">bB").unpack_from
unpack_bh = Struct(">bh").unpack_from
unpack_h = Struct(">h").unpack_from
unpack_hB = Struct(">hB").unpack_from
unpack_hh = Struct(">hh").unpack_from
unpack_i = Struct(">i").unpack_from
unpack_iB = Struct(">iB").unpack_from
unpack_ii = Struct(">ii").unpack_from


class DescribeConfigsRequestResource(Message):
    __match_args__ = ("resource_type", "resource_name", "configuration_keys")
    __slots__ = __match_args__

    def __init__(
        self,
        resource_type: int = 0,
        resource_name: str = "",
        configuration_keys: Sequence[str] | None = (),
    ) -> None:
        self.resource_type = resource_type
        self.resource_name = resource_name
        self.configuration_keys = configuration_keys


class DescribeConfigsRequest(Message):
    __match_args__ = ("resources", "include_synonyms", "include_documentation")
    __slots__ = __match_args__

    def __init__(
        self,
        resources: Sequence[DescribeConfigsRequestResource] = (),
        include_synonyms: bool = False,
        include_documentation: bool = False,
    ) -> None:
        self.resources = resources
        self.include_synonyms = include_synonyms
        self.include_documentation = include_documentation


class DescribeConfigsResponseSynonym(Message):
    __match_args__ = ("name", "value", "source")
    __slots__ = __match_args__

    def __init__(
        self,
        name: str = "",
        value: str | None = "",
        source: int = 0,
    ) -> None:
        self.name = name
        self.value = value
        self.source = source


class DescribeConfigsResponseConfig(Message):
    __match_args__ = ("name", "value", "read_only", "config_source", "is_sensitive", "synonyms", "config_type", "documentation")
    __slots__ = __match_args__

    def __init__(
        self,
        name: str = "",
        value: str | None = "",
        read_only: bool = False,
        config_source: int = -1,
        is_sensitive: bool = False,
        synonyms: Sequence[DescribeConfigsResponseSynonym] = (),
        config_type: int = 0,
        documentation: str | None = "",
    ) -> None:
        self.name = name
        self.value = value
        self.read_only = read_only
        self.config_source = config_source
        self.is_sensitive = is_sensitive
        self.synonyms = synonyms
        self.config_type = config_type
        self.documentation = documentation


class DescribeConfigsResponseResult(Message):
    __match_args__ = ("error_code", "error_message", "resource_type", "resource_name", "configs")
    __slots__ = __match_args__

    def __init__(
        self,
        error_code: int = 0,
        error_message: str | None = "",
        resource_type: int = 0,
        resource_name: str = "",
        configs: Sequence[DescribeConfigsResponseConfig] = (),
    ) -> None:
        self.error_code = error_code
        self.error_message = error_message
        self.resource_type = resource_type
        self.resource_name = resource_name
        self.configs = configs


class DescribeConfigsResponse(Message):
    __match_args__ = ("throttle_time_ms", "results")
    __slots__ = __match_args__

    def __init__(
        self,
        throttle_time_ms: int = 0,
        results: Sequence[DescribeConfigsResponseResult] = (),
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.results = results


# versions 1-2
def decode_request_v1(buf: bytes, pos: int) -> DescribeConfigsRequest:
    try:
        (n,) = unpack_i(buf, pos)
        pos += 4
        if n < 0:
            raise null_field("DescribeConfigs request v1-2", "Resources")
        if n * 7 > len(buf) - pos:
            raise overrun("DescribeConfigs request v1-2", buf, pos)
        if n > 50000:
            raise too_many("DescribeConfigs request v1-2", n)
        resources_0_items: list[DescribeConfigsRequestResource] = []
        for _ in range(n):
            resource_type_1, n = unpack_bh(buf, pos)
            pos += 3
            if n < 0:
                raise null_field("DescribeConfigs request v1-2", "ResourceName")
            end = pos + n
            resource_name_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            (n,) = unpack_i(buf, pos)
            pos += 4
            configuration_keys_1: Sequence[str] | None = None
            if n >= 0:
                if n * 2 > len(buf) - pos:
                    raise overrun("DescribeConfigs request v1-2", buf, pos)
                if n > 50000:
                    raise too_many("DescribeConfigs request v1-2", n)
                configuration_keys_1_items: list[str] = []
                for _ in range(n):
                    (n,) = unpack_h(buf, pos)
                    pos += 2
                    if n < 0:
                        raise null_field("DescribeConfigs request v1-2", "ConfigurationKeys")
                    end = pos + n
                    configuration_keys_1_item = buf[pos:end].decode("utf-8", "replace")
                    pos = end
                    configuration_keys_1_items.append(configuration_keys_1_item)
                configuration_keys_1 = configuration_keys_1_items
            made_1 = new(DescribeConfigsRequestResource)
            made_1.resource_type = resource_type_1
            made_1.resource_name = resource_name_1
            made_1.configuration_keys = configuration_keys_1
            resources_0_items.append(made_1)
        resources_0 = resources_0_items
        include_synonyms_0 = buf[pos] != 0
        pos += 1
        made_0 = new(DescribeConfigsRequest)
        made_0.resources = resources_0
        made_0.include_synonyms = include_synonyms_0
        made_0.include_documentation = False
    except (IndexError, StructError) as error:
        raise overrun("DescribeConfigs request v1-2", buf, pos) from error
    if pos > len(buf):
        raise overrun("DescribeConfigs request v1-2", buf, pos)
    return made_0


def decode_request_v3(buf: bytes, pos: int) -> DescribeConfigsRequest:
    try:
        (n,) = unpack_i(buf, pos)
        pos += 4
        if n < 0:
            raise null_field("DescribeConfigs request v3", "Resources")
        if n * 7 > len(buf) - pos:
            raise overrun("DescribeConfigs request v3", buf, pos)
        if n > 50000:
            raise too_many("DescribeConfigs request v3", n)
        resources_0_items: list[DescribeConfigsRequestResource] = []
        for _ in range(n):
            resource_type_1, n = unpack_bh(buf, pos)
            pos += 3
            if n < 0:
                raise null_field("DescribeConfigs request v3", "ResourceName")
            end = pos + n
            resource_name_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            (n,) = unpack_i(buf, pos)
            pos += 4
            configuration_keys_1: Sequence[str] | None = None
            if n >= 0:
                if n * 2 > len(buf) - pos:
                    raise overrun("DescribeConfigs request v3", buf, pos)
                if n > 50000:
                    raise too_many("DescribeConfigs request v3", n)
                configuration_keys_1_items: list[str] = []
                for _ in range(n):
                    (n,) = unpack_h(buf, pos)
                    pos += 2
                    if n < 0:
                        raise null_field("DescribeConfigs request v3", "ConfigurationKeys")
                    end = pos + n
                    configuration_keys_1_item = buf[pos:end].decode("utf-8", "replace")
                    pos = end
                    configuration_keys_1_items.append(configuration_keys_1_item)
                configuration_keys_1 = configuration_keys_1_items
            made_1 = new(DescribeConfigsRequestResource)
            made_1.resource_type = resource_type_1
            made_1.resource_name = resource_name_1
            made_1.configuration_keys = configuration_keys_1
            resources_0_items.append(made_1)
        resources_0 = resources_0_items
        include_synonyms_0, include_documentation_0 = unpack_tt(buf, pos)
        pos += 2
        made_0 = new(DescribeConfigsRequest)
        made_0.resources = resources_0
        made_0.include_synonyms = include_synonyms_0
        made_0.include_documentation = include_documentation_0
    except (IndexError, StructError) as error:
        raise overrun("DescribeConfigs request v3", buf, pos) from error
    if pos > len(buf):
        raise overrun("DescribeConfigs request v3", buf, pos)
    return made_0


def decode_request_v4(buf: bytes, pos: int) -> DescribeConfigsRequest:
    try:
        n = buf[pos]
        pos += 1
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "DescribeConfigs request v4", "Resources")
        n -= 1
        if n * 4 > len(buf) - pos:
            raise overrun("DescribeConfigs request v4", buf, pos)
        if n > 50000:
            raise too_many("DescribeConfigs request v4", n)
        resources_0_items: list[DescribeConfigsRequestResource] = []
        for _ in range(n):
            resource_type_1, n = unpack_bB(buf, pos)
            pos += 2
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "DescribeConfigs request v4", "ResourceName")
            end = pos + n - 1
            resource_name_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            configuration_keys_1: Sequence[str] | None = None
            if n > 0:
                n -= 1
                if n > len(buf) - pos:
                    raise overrun("DescribeConfigs request v4", buf, pos)
                if n > 50000:
                    raise too_many("DescribeConfigs request v4", n)
                configuration_keys_1_items: list[str] = []
                for _ in range(n):
                    n = buf[pos]
                    pos += 1
                    if not 0 < n < 128:
                        n, pos = read_length(buf, pos - 1, "DescribeConfigs request v4", "ConfigurationKeys")
                    end = pos + n - 1
                    configuration_keys_1_item = buf[pos:end].decode("utf-8", "replace")
                    pos = end
                    configuration_keys_1_items.append(configuration_keys_1_item)
                configuration_keys_1 = configuration_keys_1_items
            tags = buf[pos]
            pos += 1
            if tags:
                pos = skip_tagged(buf, pos - 1)
            made_1 = new(DescribeConfigsRequestResource)
            made_1.resource_type = resource_type_1
            made_1.resource_name = resource_name_1
            made_1.configuration_keys = configuration_keys_1
            resources_0_items.append(made_1)
        resources_0 = resources_0_items
        include_synonyms_0, include_documentation_0, tags = unpack_ttB(buf, pos)
        pos += 3
        if tags:
            pos = skip_tagged(buf, pos - 1)
        made_0 = new(DescribeConfigsRequest)
        made_0.resources = resources_0
        made_0.include_synonyms = include_synonyms_0
        made_0.include_documentation = include_documentation_0
    except (IndexError, StructError) as error:
        raise overrun("DescribeConfigs request v4", buf, pos) from error
    if pos > len(buf):
        raise overrun("DescribeConfigs request v4", buf, pos)
    return made_0


# versions 1-2
def encode_request_v1(message: DescribeConfigsRequest) -> bytes:
    try:
        out = bytearray()
        items_1 = message.resources
        out += pack_i(len(items_1))
        for item_1 in items_1:
            raw = item_1.resource_name.encode()
            out += pack_bh(item_1.resource_type, len(raw))
            out += raw
            value_2 = item_1.configuration_keys
            if value_2 is None:
                out += pack_i(-1)
            else:
                items_3 = value_2
                out += pack_i(len(items_3))
                for item_3 in items_3:
                    raw = item_3.encode()
                    out += pack_h(len(raw))
                    out += raw
        out += pack_t(message.include_synonyms)
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("DescribeConfigs request v1-2", message, error) from error


def encode_request_v3(message: DescribeConfigsRequest) -> bytes:
    try:
        out = bytearray()
        items_1 = message.resources
        out += pack_i(len(items_1))
        for item_1 in items_1:
            raw = item_1.resource_name.encode()
            out += pack_bh(item_1.resource_type, len(raw))
            out += raw
            value_2 = item_1.configuration_keys
            if value_2 is None:
                out += pack_i(-1)
            else:
                items_3 = value_2
                out += pack_i(len(items_3))
                for item_3 in items_3:
                    raw = item_3.encode()
                    out += pack_h(len(raw))
                    out += raw
        out += pack_tt(message.include_synonyms, message.include_documentation)
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("DescribeConfigs request v3", message, error) from error


def encode_request_v4(message: DescribeConfigsRequest) -> bytes:
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
            value_2 = item_1.configuration_keys
            if value_2 is None:
                out += b"\0"
            else:
                items_3 = value_2
                n = len(items_3) + 1
                if n < 128:
                    out.append(n)
                else:
                    out += uvarint(n)
                for item_3 in items_3:
                    raw = item_3.encode()
                    n = len(raw) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        out += uvarint(n)
                    out += raw
            out += b"\0"
        out += pack_ttx(message.include_synonyms, message.include_documentation)
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("DescribeConfigs request v4", message, error) from error


# versions 1-2
def decode_response_v1(buf: bytes, pos: int) -> DescribeConfigsResponse:
    try:
        throttle_time_ms_0, n = unpack_ii(buf, pos)
        pos += 8
        if n < 0:
            raise null_field("DescribeConfigs response v1-2", "Results")
        if n * 11 > len(buf) - pos:
            raise overrun("DescribeConfigs response v1-2", buf, pos)
        results_0_items: list[DescribeConfigsResponseResult] = []
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
                raise null_field("DescribeConfigs response v1-2", "ResourceName")
            end = pos + n
            resource_name_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            (n,) = unpack_i(buf, pos)
            pos += 4
            if n < 0:
                raise null_field("DescribeConfigs response v1-2", "Configs")
            if n * 11 > len(buf) - pos:
                raise overrun("DescribeConfigs response v1-2", buf, pos)
            configs_1_items: list[DescribeConfigsResponseConfig] = []
            for _ in range(n):
                (n,) = unpack_h(buf, pos)
                pos += 2
                if n < 0:
                    raise null_field("DescribeConfigs response v1-2", "Name")
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
                read_only_2, config_source_2, is_sensitive_2, n = unpack_tbti(buf, pos)
                pos += 7
                if n < 0:
                    raise null_field("DescribeConfigs response v1-2", "Synonyms")
                if n * 5 > len(buf) - pos:
                    raise overrun("DescribeConfigs response v1-2", buf, pos)
                synonyms_2_items: list[DescribeConfigsResponseSynonym] = []
                for _ in range(n):
                    (n,) = unpack_h(buf, pos)
                    pos += 2
                    if n < 0:
                        raise null_field("DescribeConfigs response v1-2", "Name")
                    end = pos + n
                    name_3 = buf[pos:end].decode("utf-8", "replace")
                    pos = end
                    (n,) = unpack_h(buf, pos)
                    pos += 2
                    value_3: str | None = None
                    if n >= 0:
                        end = pos + n
                        value_3 = buf[pos:end].decode("utf-8", "replace")
                        pos = end
                    (source_3,) = unpack_b(buf, pos)
                    pos += 1
                    made_3 = new(DescribeConfigsResponseSynonym)
                    made_3.name = name_3
                    made_3.value = value_3
                    made_3.source = source_3
                    synonyms_2_items.append(made_3)
                synonyms_2 = synonyms_2_items
                made_2 = new(DescribeConfigsResponseConfig)
                made_2.name = name_2
                made_2.value = value_2
                made_2.read_only = read_only_2
                made_2.config_source = config_source_2
                made_2.is_sensitive = is_sensitive_2
                made_2.synonyms = synonyms_2
                made_2.config_type = 0
                made_2.documentation = ""
                configs_1_items.append(made_2)
            configs_1 = configs_1_items
            made_1 = new(DescribeConfigsResponseResult)
            made_1.error_code = error_code_1
            made_1.error_message = error_message_1
            made_1.resource_type = resource_type_1
            made_1.resource_name = resource_name_1
            made_1.configs = configs_1
            results_0_items.append(made_1)
        results_0 = results_0_items
        made_0 = new(DescribeConfigsResponse)
        made_0.throttle_time_ms = throttle_time_ms_0
        made_0.results = results_0
    except (IndexError, StructError) as error:
        raise overrun("DescribeConfigs response v1-2", buf, pos) from error
    if pos > len(buf):
        raise overrun("DescribeConfigs response v1-2", buf, pos)
    return made_0


def decode_response_v3(buf: bytes, pos: int) -> DescribeConfigsResponse:
    try:
        throttle_time_ms_0, n = unpack_ii(buf, pos)
        pos += 8
        if n < 0:
            raise null_field("DescribeConfigs response v3", "Results")
        if n * 11 > len(buf) - pos:
            raise overrun("DescribeConfigs response v3", buf, pos)
        results_0_items: list[DescribeConfigsResponseResult] = []
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
                raise null_field("DescribeConfigs response v3", "ResourceName")
            end = pos + n
            resource_name_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            (n,) = unpack_i(buf, pos)
            pos += 4
            if n < 0:
                raise null_field("DescribeConfigs response v3", "Configs")
            if n * 14 > len(buf) - pos:
                raise overrun("DescribeConfigs response v3", buf, pos)
            configs_1_items: list[DescribeConfigsResponseConfig] = []
            for _ in range(n):
                (n,) = unpack_h(buf, pos)
                pos += 2
                if n < 0:
                    raise null_field("DescribeConfigs response v3", "Name")
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
                read_only_2, config_source_2, is_sensitive_2, n = unpack_tbti(buf, pos)
                pos += 7
                if n < 0:
                    raise null_field("DescribeConfigs response v3", "Synonyms")
                if n * 5 > len(buf) - pos:
                    raise overrun("DescribeConfigs response v3", buf, pos)
                synonyms_2_items: list[DescribeConfigsResponseSynonym] = []
                for _ in range(n):
                    (n,) = unpack_h(buf, pos)
                    pos += 2
                    if n < 0:
                        raise null_field("DescribeConfigs response v3", "Name")
                    end = pos + n
                    name_3 = buf[pos:end].decode("utf-8", "replace")
                    pos = end
                    (n,) = unpack_h(buf, pos)
                    pos += 2
                    value_3: str | None = None
                    if n >= 0:
                        end = pos + n
                        value_3 = buf[pos:end].decode("utf-8", "replace")
                        pos = end
                    (source_3,) = unpack_b(buf, pos)
                    pos += 1
                    made_3 = new(DescribeConfigsResponseSynonym)
                    made_3.name = name_3
                    made_3.value = value_3
                    made_3.source = source_3
                    synonyms_2_items.append(made_3)
                synonyms_2 = synonyms_2_items
                config_type_2, n = unpack_bh(buf, pos)
                pos += 3
                documentation_2: str | None = None
                if n >= 0:
                    end = pos + n
                    documentation_2 = buf[pos:end].decode("utf-8", "replace")
                    pos = end
                made_2 = new(DescribeConfigsResponseConfig)
                made_2.name = name_2
                made_2.value = value_2
                made_2.read_only = read_only_2
                made_2.config_source = config_source_2
                made_2.is_sensitive = is_sensitive_2
                made_2.synonyms = synonyms_2
                made_2.config_type = config_type_2
                made_2.documentation = documentation_2
                configs_1_items.append(made_2)
            configs_1 = configs_1_items
            made_1 = new(DescribeConfigsResponseResult)
            made_1.error_code = error_code_1
            made_1.error_message = error_message_1
            made_1.resource_type = resource_type_1
            made_1.resource_name = resource_name_1
            made_1.configs = configs_1
            results_0_items.append(made_1)
        results_0 = results_0_items
        made_0 = new(DescribeConfigsResponse)
        made_0.throttle_time_ms = throttle_time_ms_0
        made_0.results = results_0
    except (IndexError, StructError) as error:
        raise overrun("DescribeConfigs response v3", buf, pos) from error
    if pos > len(buf):
        raise overrun("DescribeConfigs response v3", buf, pos)
    return made_0


def decode_response_v4(buf: bytes, pos: int) -> DescribeConfigsResponse:
    try:
        throttle_time_ms_0, n = unpack_iB(buf, pos)
        pos += 5
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "DescribeConfigs response v4", "Results")
        n -= 1
        if n * 7 > len(buf) - pos:
            raise overrun("DescribeConfigs response v4", buf, pos)
        results_0_items: list[DescribeConfigsResponseResult] = []
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
                n, pos = read_length(buf, pos - 1, "DescribeConfigs response v4", "ResourceName")
            end = pos + n - 1
            resource_name_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            n = buf[pos]
            pos += 1
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "DescribeConfigs response v4", "Configs")
            n -= 1
            if n * 9 > len(buf) - pos:
                raise overrun("DescribeConfigs response v4", buf, pos)
            configs_1_items: list[DescribeConfigsResponseConfig] = []
            for _ in range(n):
                n = buf[pos]
                pos += 1
                if not 0 < n < 128:
                    n, pos = read_length(buf, pos - 1, "DescribeConfigs response v4", "Name")
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
                read_only_2, config_source_2, is_sensitive_2, n = unpack_tbtB(buf, pos)
                pos += 4
                if not 0 < n < 128:
                    n, pos = read_length(buf, pos - 1, "DescribeConfigs response v4", "Synonyms")
                n -= 1
                if n * 4 > len(buf) - pos:
                    raise overrun("DescribeConfigs response v4", buf, pos)
                synonyms_2_items: list[DescribeConfigsResponseSynonym] = []
                for _ in range(n):
                    n = buf[pos]
                    pos += 1
                    if not 0 < n < 128:
                        n, pos = read_length(buf, pos - 1, "DescribeConfigs response v4", "Name")
                    end = pos + n - 1
                    name_3 = buf[pos:end].decode("utf-8", "replace")
                    pos = end
                    n = buf[pos]
                    pos += 1
                    if n > 127:
                        n, pos = read_uvarint(buf, pos - 1)
                    value_3: str | None = None
                    if n > 0:
                        end = pos + n - 1
                        value_3 = buf[pos:end].decode("utf-8", "replace")
                        pos = end
                    source_3, tags = unpack_bB(buf, pos)
                    pos += 2
                    if tags:
                        pos = skip_tagged(buf, pos - 1)
                    made_3 = new(DescribeConfigsResponseSynonym)
                    made_3.name = name_3
                    made_3.value = value_3
                    made_3.source = source_3
                    synonyms_2_items.append(made_3)
                synonyms_2 = synonyms_2_items
                config_type_2, n = unpack_bB(buf, pos)
                pos += 2
                if n > 127:
                    n, pos = read_uvarint(buf, pos - 1)
                documentation_2: str | None = None
                if n > 0:
                    end = pos + n - 1
                    documentation_2 = buf[pos:end].decode("utf-8", "replace")
                    pos = end
                tags = buf[pos]
                pos += 1
                if tags:
                    pos = skip_tagged(buf, pos - 1)
                made_2 = new(DescribeConfigsResponseConfig)
                made_2.name = name_2
                made_2.value = value_2
                made_2.read_only = read_only_2
                made_2.config_source = config_source_2
                made_2.is_sensitive = is_sensitive_2
                made_2.synonyms = synonyms_2
                made_2.config_type = config_type_2
                made_2.documentation = documentation_2
                configs_1_items.append(made_2)
            configs_1 = configs_1_items
            tags = buf[pos]
            pos += 1
            if tags:
                pos = skip_tagged(buf, pos - 1)
            made_1 = new(DescribeConfigsResponseResult)
            made_1.error_code = error_code_1
            made_1.error_message = error_message_1
            made_1.resource_type = resource_type_1
            made_1.resource_name = resource_name_1
            made_1.configs = configs_1
            results_0_items.append(made_1)
        results_0 = results_0_items
        tags = buf[pos]
        pos += 1
        if tags:
            pos = skip_tagged(buf, pos - 1)
        made_0 = new(DescribeConfigsResponse)
        made_0.throttle_time_ms = throttle_time_ms_0
        made_0.results = results_0
    except (IndexError, StructError) as error:
        raise overrun("DescribeConfigs response v4", buf, pos) from error
    if pos > len(buf):
        raise overrun("DescribeConfigs response v4", buf, pos)
    return made_0


# versions 1-2
def encode_response_v1(message: DescribeConfigsResponse) -> bytes:
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
            raw = item_1.resource_name.encode()
            out += pack_bh(item_1.resource_type, len(raw))
            out += raw
            items_3 = item_1.configs
            out += pack_i(len(items_3))
            for item_3 in items_3:
                raw = item_3.name.encode()
                out += pack_h(len(raw))
                out += raw
                value_4 = item_3.value
                if value_4 is None:
                    out += pack_h(-1)
                else:
                    raw = value_4.encode()
                    out += pack_h(len(raw))
                    out += raw
                items_5 = item_3.synonyms
                out += pack_tbti(item_3.read_only, item_3.config_source, item_3.is_sensitive, len(items_5))
                for item_5 in items_5:
                    raw = item_5.name.encode()
                    out += pack_h(len(raw))
                    out += raw
                    value_6 = item_5.value
                    if value_6 is None:
                        out += pack_h(-1)
                    else:
                        raw = value_6.encode()
                        out += pack_h(len(raw))
                        out += raw
                    out += pack_b(item_5.source)
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("DescribeConfigs response v1-2", message, error) from error


def encode_response_v3(message: DescribeConfigsResponse) -> bytes:
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
            raw = item_1.resource_name.encode()
            out += pack_bh(item_1.resource_type, len(raw))
            out += raw
            items_3 = item_1.configs
            out += pack_i(len(items_3))
            for item_3 in items_3:
                raw = item_3.name.encode()
                out += pack_h(len(raw))
                out += raw
                value_4 = item_3.value
                if value_4 is None:
                    out += pack_h(-1)
                else:
                    raw = value_4.encode()
                    out += pack_h(len(raw))
                    out += raw
                items_5 = item_3.synonyms
                out += pack_tbti(item_3.read_only, item_3.config_source, item_3.is_sensitive, len(items_5))
                for item_5 in items_5:
                    raw = item_5.name.encode()
                    out += pack_h(len(raw))
                    out += raw
                    value_6 = item_5.value
                    if value_6 is None:
                        out += pack_h(-1)
                    else:
                        raw = value_6.encode()
                        out += pack_h(len(raw))
                        out += raw
                    out += pack_b(item_5.source)
                value_7 = item_3.documentation
                if value_7 is None:
                    out += pack_bh(item_3.config_type, -1)
                else:
                    raw = value_7.encode()
                    out += pack_bh(item_3.config_type, len(raw))
                    out += raw
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("DescribeConfigs response v3", message, error) from error


def encode_response_v4(message: DescribeConfigsResponse) -> bytes:
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
            raw = item_1.resource_name.encode()
            n = len(raw) + 1
            if n < 128:
                out += pack_bB(item_1.resource_type, n)
            else:
                out += pack_b(item_1.resource_type)
                out += uvarint(n)
            out += raw
            items_3 = item_1.configs
            n = len(items_3) + 1
            if n < 128:
                out.append(n)
            else:
                out += uvarint(n)
            for item_3 in items_3:
                raw = item_3.name.encode()
                n = len(raw) + 1
                if n < 128:
                    out.append(n)
                else:
                    out += uvarint(n)
                out += raw
                value_4 = item_3.value
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
                items_5 = item_3.synonyms
                n = len(items_5) + 1
                if n < 128:
                    out += pack_tbtB(item_3.read_only, item_3.config_source, item_3.is_sensitive, n)
                else:
                    out += pack_tbt(item_3.read_only, item_3.config_source, item_3.is_sensitive)
                    out += uvarint(n)
                for item_5 in items_5:
                    raw = item_5.name.encode()
                    n = len(raw) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        out += uvarint(n)
                    out += raw
                    value_6 = item_5.value
                    if value_6 is None:
                        out += b"\0"
                    else:
                        raw = value_6.encode()
                        n = len(raw) + 1
                        if n < 128:
                            out.append(n)
                        else:
                            out += uvarint(n)
                        out += raw
                    out += pack_bx(item_5.source)
                value_7 = item_3.documentation
                if value_7 is None:
                    out += pack_bx(item_3.config_type)
                else:
                    raw = value_7.encode()
                    n = len(raw) + 1
                    if n < 128:
                        out += pack_bB(item_3.config_type, n)
                    else:
                        out += pack_b(item_3.config_type)
                        out += uvarint(n)
                    out += raw
                out += b"\0"
            out += b"\0"
        out += b"\0"
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("DescribeConfigs response v4", message, error) from error


REQUEST_DECODERS = {
    1: decode_request_v1,
    2: decode_request_v1,
    3: decode_request_v3,
    4: decode_request_v4,
}
REQUEST_ENCODERS = {
    1: encode_request_v1,
    2: encode_request_v1,
    3: encode_request_v3,
    4: encode_request_v4,
}
RESPONSE_DECODERS = {
    1: decode_response_v1,
    2: decode_response_v1,
    3: decode_response_v3,
    4: decode_response_v4,
}
RESPONSE_ENCODERS = {
    1: encode_response_v1,
    2: encode_response_v1,
    3: encode_response_v3,
    4: encode_response_v4,
}
