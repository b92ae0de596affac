"""Generated from tools/codecs/schemas/api_versions.api by `make generate`; changes belong there."""

from __future__ import annotations

from collections.abc import Sequence

from struct import Struct, error as StructError

from muster.wire.message import Message, encode_failure
from muster.wire.primitives import misfit, null_field, overrun, read_length, read_tag, skip_tagged
from muster.wire.varint import read_uvarint, uvarint

new = Message.__new__
pack_t = Struct(">?").pack
pack_h = Struct(">h").pack
pack_hB = Struct(">hB").pack
pack_hhh = Struct(">hhh").pack
pack_hhhx = Struct(">hhhx").pack
pack_hhx = Struct(">hhx").pack
pack_hi = Struct(">hi").pack
pack_i = Struct(">i").pack
pack_ix = Struct(">ix").pack
pack_q = Struct(">q").pack
unpack_hB = Struct(">hB").unpack_from
unpack_hhB = Struct(">hhB").unpack_from
unpack_hhh = Struct(">hhh").unpack_from
unpack_hhhB = Struct(">hhhB").unpack_from
unpack_hi = Struct(">hi").unpack_from
unpack_i = Struct(">i").unpack_from
unpack_iB = Struct(">iB").unpack_from
unpack_q = Struct(">q").unpack_from


class ApiVersionsRequest(Message):
    __match_args__ = ("client_software_name", "client_software_version")
    __slots__ = __match_args__

    def __init__(
        self,
        client_software_name: str = "",
        client_software_version: str = "",
    ) -> None:
        self.client_software_name = client_software_name
        self.client_software_version = client_software_version


class ApiVersionsResponseApiKey(Message):
    __match_args__ = ("api_key", "min_version", "max_version")
    __slots__ = __match_args__

    def __init__(
        self,
        api_key: int = 0,
        min_version: int = 0,
        max_version: int = 0,
    ) -> None:
        self.api_key = api_key
        self.min_version = min_version
        self.max_version = max_version


class ApiVersionsResponseSupportedFeature(Message):
    __match_args__ = ("name", "min_version", "max_version")
    __slots__ = __match_args__

    def __init__(
        self,
        name: str = "",
        min_version: int = 0,
        max_version: int = 0,
    ) -> None:
        self.name = name
        self.min_version = min_version
        self.max_version = max_version


class ApiVersionsResponseFinalizedFeature(Message):
    __match_args__ = ("name", "max_version_level", "min_version_level")
    __slots__ = __match_args__

    def __init__(
        self,
        name: str = "",
        max_version_level: int = 0,
        min_version_level: int = 0,
    ) -> None:
        self.name = name
        self.max_version_level = max_version_level
        self.min_version_level = min_version_level


class ApiVersionsResponse(Message):
    __match_args__ = ("error_code", "api_keys", "throttle_time_ms", "supported_features", "finalized_features_epoch", "finalized_features", "zk_migration_ready")
    __slots__ = __match_args__

    def __init__(
        self,
        error_code: int = 0,
        api_keys: Sequence[ApiVersionsResponseApiKey] = (),
        throttle_time_ms: int = 0,
        supported_features: Sequence[ApiVersionsResponseSupportedFeature] = (),
        finalized_features_epoch: int = -1,
        finalized_features: Sequence[ApiVersionsResponseFinalizedFeature] = (),
        zk_migration_ready: bool = False,
    ) -> None:
        self.error_code = error_code
        self.api_keys = api_keys
        self.throttle_time_ms = throttle_time_ms
        self.supported_features = supported_features
        self.finalized_features_epoch = finalized_features_epoch
        self.finalized_features = finalized_features
        self.zk_migration_ready = zk_migration_ready


# versions 0-2
def decode_request_v0(buf: bytes, pos: int) -> ApiVersionsRequest:
    try:
        made_0 = new(ApiVersionsRequest)
        made_0.client_software_name = ""
        made_0.client_software_version = ""
    except (IndexError, StructError) as error:
        raise overrun("ApiVersions request v0-2", buf, pos) from error
    if pos > len(buf):
        raise overrun("ApiVersions request v0-2", buf, pos)
    return made_0


# versions 3-4
def decode_request_v3(buf: bytes, pos: int) -> ApiVersionsRequest:
    try:
        n = buf[pos]
        pos += 1
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "ApiVersions request v3-4", "ClientSoftwareName")
        end = pos + n - 1
        client_software_name_0 = buf[pos:end].decode("utf-8", "replace")
        pos = end
        n = buf[pos]
        pos += 1
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "ApiVersions request v3-4", "ClientSoftwareVersion")
        end = pos + n - 1
        client_software_version_0 = buf[pos:end].decode("utf-8", "replace")
        pos = end
        tags = buf[pos]
        pos += 1
        if tags:
            pos = skip_tagged(buf, pos - 1)
        made_0 = new(ApiVersionsRequest)
        made_0.client_software_name = client_software_name_0
        made_0.client_software_version = client_software_version_0
    except (IndexError, StructError) as error:
        raise overrun("ApiVersions request v3-4", buf, pos) from error
    if pos > len(buf):
        raise overrun("ApiVersions request v3-4", buf, pos)
    return made_0


# versions 0-2
def encode_request_v0(message: ApiVersionsRequest) -> bytes:
    try:
        return b""
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("ApiVersions request v0-2", message, error) from error


# versions 3-4
def encode_request_v3(message: ApiVersionsRequest) -> bytes:
    try:
        out = bytearray()
        raw = message.client_software_name.encode()
        n = len(raw) + 1
        if n < 128:
            out.append(n)
        else:
            out += uvarint(n)
        out += raw
        raw = message.client_software_version.encode()
        n = len(raw) + 1
        if n < 128:
            out.append(n)
        else:
            out += uvarint(n)
        out += raw
        out += b"\0"
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("ApiVersions request v3-4", message, error) from error


def decode_response_v0(buf: bytes, pos: int) -> ApiVersionsResponse:
    try:
        error_code_0, n = unpack_hi(buf, pos)
        pos += 6
        if n < 0:
            raise null_field("ApiVersions response v0", "ApiKeys")
        if n * 6 > len(buf) - pos:
            raise overrun("ApiVersions response v0", buf, pos)
        api_keys_0_items: list[ApiVersionsResponseApiKey] = []
        for _ in range(n):
            api_key_1, min_version_1, max_version_1 = unpack_hhh(buf, pos)
            pos += 6
            made_1 = new(ApiVersionsResponseApiKey)
            made_1.api_key = api_key_1
            made_1.min_version = min_version_1
            made_1.max_version = max_version_1
            api_keys_0_items.append(made_1)
        api_keys_0 = api_keys_0_items
        made_0 = new(ApiVersionsResponse)
        made_0.error_code = error_code_0
        made_0.api_keys = api_keys_0
        made_0.throttle_time_ms = 0
        made_0.supported_features = ()
        made_0.finalized_features_epoch = -1
        made_0.finalized_features = ()
        made_0.zk_migration_ready = False
    except (IndexError, StructError) as error:
        raise overrun("ApiVersions response v0", buf, pos) from error
    if pos > len(buf):
        raise overrun("ApiVersions response v0", buf, pos)
    return made_0


# versions 1-2
def decode_response_v1(buf: bytes, pos: int) -> ApiVersionsResponse:
    try:
        error_code_0, n = unpack_hi(buf, pos)
        pos += 6
        if n < 0:
            raise null_field("ApiVersions response v1-2", "ApiKeys")
        if n * 6 > len(buf) - pos:
            raise overrun("ApiVersions response v1-2", buf, pos)
        api_keys_0_items: list[ApiVersionsResponseApiKey] = []
        for _ in range(n):
            api_key_1, min_version_1, max_version_1 = unpack_hhh(buf, pos)
            pos += 6
            made_1 = new(ApiVersionsResponseApiKey)
            made_1.api_key = api_key_1
            made_1.min_version = min_version_1
            made_1.max_version = max_version_1
            api_keys_0_items.append(made_1)
        api_keys_0 = api_keys_0_items
        (throttle_time_ms_0,) = unpack_i(buf, pos)
        pos += 4
        made_0 = new(ApiVersionsResponse)
        made_0.error_code = error_code_0
        made_0.api_keys = api_keys_0
        made_0.throttle_time_ms = throttle_time_ms_0
        made_0.supported_features = ()
        made_0.finalized_features_epoch = -1
        made_0.finalized_features = ()
        made_0.zk_migration_ready = False
    except (IndexError, StructError) as error:
        raise overrun("ApiVersions response v1-2", buf, pos) from error
    if pos > len(buf):
        raise overrun("ApiVersions response v1-2", buf, pos)
    return made_0


# versions 3-4
def decode_response_v3(buf: bytes, pos: int) -> ApiVersionsResponse:
    try:
        error_code_0, n = unpack_hB(buf, pos)
        pos += 3
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "ApiVersions response v3-4", "ApiKeys")
        n -= 1
        if n * 7 > len(buf) - pos:
            raise overrun("ApiVersions response v3-4", buf, pos)
        api_keys_0_items: list[ApiVersionsResponseApiKey] = []
        for _ in range(n):
            api_key_1, min_version_1, max_version_1, tags = unpack_hhhB(buf, pos)
            pos += 7
            if tags:
                pos = skip_tagged(buf, pos - 1)
            made_1 = new(ApiVersionsResponseApiKey)
            made_1.api_key = api_key_1
            made_1.min_version = min_version_1
            made_1.max_version = max_version_1
            api_keys_0_items.append(made_1)
        api_keys_0 = api_keys_0_items
        throttle_time_ms_0, tags = unpack_iB(buf, pos)
        pos += 5
        supported_features_0: Sequence[ApiVersionsResponseSupportedFeature] = ()
        finalized_features_epoch_0: int = -1
        finalized_features_0: Sequence[ApiVersionsResponseFinalizedFeature] = ()
        zk_migration_ready_0: bool = False
        if tags:
            tags, pos = read_uvarint(buf, pos - 1)
            for _ in range(tags):
                tag, pos, end_2 = read_tag(buf, pos)
                if tag == 0:
                    n = buf[pos]
                    pos += 1
                    if not 0 < n < 128:
                        n, pos = read_length(buf, pos - 1, "ApiVersions response v3-4", "SupportedFeatures")
                    n -= 1
                    if n * 6 > len(buf) - pos:
                        raise overrun("ApiVersions response v3-4", buf, pos)
                    supported_features_0_items: list[ApiVersionsResponseSupportedFeature] = []
                    for _ in range(n):
                        n = buf[pos]
                        pos += 1
                        if not 0 < n < 128:
                            n, pos = read_length(buf, pos - 1, "ApiVersions response v3-4", "Name")
                        end = pos + n - 1
                        name_2 = buf[pos:end].decode("utf-8", "replace")
                        pos = end
                        min_version_2, max_version_2, tags = unpack_hhB(buf, pos)
                        pos += 5
                        if tags:
                            pos = skip_tagged(buf, pos - 1)
                        made_2 = new(ApiVersionsResponseSupportedFeature)
                        made_2.name = name_2
                        made_2.min_version = min_version_2
                        made_2.max_version = max_version_2
                        supported_features_0_items.append(made_2)
                    supported_features_0 = supported_features_0_items
                    if pos != end_2:
                        raise misfit("ApiVersions response v3-4", "SupportedFeatures", pos)
                elif tag == 1:
                    (finalized_features_epoch_0,) = unpack_q(buf, pos)
                    pos += 8
                    if pos != end_2:
                        raise misfit("ApiVersions response v3-4", "FinalizedFeaturesEpoch", pos)
                elif tag == 2:
                    n = buf[pos]
                    pos += 1
                    if not 0 < n < 128:
                        n, pos = read_length(buf, pos - 1, "ApiVersions response v3-4", "FinalizedFeatures")
                    n -= 1
                    if n * 6 > len(buf) - pos:
                        raise overrun("ApiVersions response v3-4", buf, pos)
                    finalized_features_0_items: list[ApiVersionsResponseFinalizedFeature] = []
                    for _ in range(n):
                        n = buf[pos]
                        pos += 1
                        if not 0 < n < 128:
                            n, pos = read_length(buf, pos - 1, "ApiVersions response v3-4", "Name")
                        end = pos + n - 1
                        name_3 = buf[pos:end].decode("utf-8", "replace")
                        pos = end
                        max_version_level_3, min_version_level_3, tags = unpack_hhB(buf, pos)
                        pos += 5
                        if tags:
                            pos = skip_tagged(buf, pos - 1)
                        made_3 = new(ApiVersionsResponseFinalizedFeature)
                        made_3.name = name_3
                        made_3.max_version_level = max_version_level_3
                        made_3.min_version_level = min_version_level_3
                        finalized_features_0_items.append(made_3)
                    finalized_features_0 = finalized_features_0_items
                    if pos != end_2:
                        raise misfit("ApiVersions response v3-4", "FinalizedFeatures", pos)
                elif tag == 3:
                    zk_migration_ready_0 = buf[pos] != 0
                    pos += 1
                    if pos != end_2:
                        raise misfit("ApiVersions response v3-4", "ZkMigrationReady", pos)
                else:
                    pos = end_2
        made_0 = new(ApiVersionsResponse)
        made_0.error_code = error_code_0
        made_0.api_keys = api_keys_0
        made_0.throttle_time_ms = throttle_time_ms_0
        made_0.supported_features = supported_features_0
        made_0.finalized_features_epoch = finalized_features_epoch_0
        made_0.finalized_features = finalized_features_0
        made_0.zk_migration_ready = zk_migration_ready_0
    except (IndexError, StructError) as error:
        raise overrun("ApiVersions response v3-4", buf, pos) from error
    if pos > len(buf):
        raise overrun("ApiVersions response v3-4", buf, pos)
    return made_0


def encode_response_v0(message: ApiVersionsResponse) -> bytes:
    try:
        out = bytearray()
        items_1 = message.api_keys
        out += pack_hi(message.error_code, len(items_1))
        out += b"".join([pack_hhh(item_1.api_key, item_1.min_version, item_1.max_version) for item_1 in items_1])
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("ApiVersions response v0", message, error) from error


# versions 1-2
def encode_response_v1(message: ApiVersionsResponse) -> bytes:
    try:
        out = bytearray()
        items_1 = message.api_keys
        out += pack_hi(message.error_code, len(items_1))
        out += b"".join([pack_hhh(item_1.api_key, item_1.min_version, item_1.max_version) for item_1 in items_1])
        out += pack_i(message.throttle_time_ms)
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("ApiVersions response v1-2", message, error) from error


# versions 3-4
def encode_response_v3(message: ApiVersionsResponse) -> bytes:
    try:
        out = bytearray()
        items_1 = message.api_keys
        n = len(items_1) + 1
        if n < 128:
            out += pack_hB(message.error_code, n)
        else:
            out += pack_h(message.error_code)
            out += uvarint(n)
        out += b"".join([pack_hhhx(item_1.api_key, item_1.min_version, item_1.max_version) for item_1 in items_1])
        if (message.supported_features) or (message.finalized_features_epoch != -1) or (message.finalized_features) or (message.zk_migration_ready):
            out += pack_i(message.throttle_time_ms)
            count_2 = 0
            section_2 = bytearray()
            if message.supported_features:
                payload_2 = bytearray()
                items_3 = message.supported_features
                n = len(items_3) + 1
                if n < 128:
                    payload_2.append(n)
                else:
                    payload_2 += uvarint(n)
                for item_3 in items_3:
                    raw = item_3.name.encode()
                    n = len(raw) + 1
                    if n < 128:
                        payload_2.append(n)
                    else:
                        payload_2 += uvarint(n)
                    payload_2 += raw
                    payload_2 += pack_hhx(item_3.min_version, item_3.max_version)
                count_2 += 1
                section_2 += uvarint(0) + uvarint(len(payload_2)) + payload_2
            if message.finalized_features_epoch != -1:
                payload_2 = bytearray()
                payload_2 += pack_q(message.finalized_features_epoch)
                count_2 += 1
                section_2 += uvarint(1) + uvarint(len(payload_2)) + payload_2
            if message.finalized_features:
                payload_2 = bytearray()
                items_4 = message.finalized_features
                n = len(items_4) + 1
                if n < 128:
                    payload_2.append(n)
                else:
                    payload_2 += uvarint(n)
                for item_4 in items_4:
                    raw = item_4.name.encode()
                    n = len(raw) + 1
                    if n < 128:
                        payload_2.append(n)
                    else:
                        payload_2 += uvarint(n)
                    payload_2 += raw
                    payload_2 += pack_hhx(item_4.max_version_level, item_4.min_version_level)
                count_2 += 1
                section_2 += uvarint(2) + uvarint(len(payload_2)) + payload_2
            if message.zk_migration_ready:
                payload_2 = bytearray()
                payload_2 += pack_t(message.zk_migration_ready)
                count_2 += 1
                section_2 += uvarint(3) + uvarint(len(payload_2)) + payload_2
            out += uvarint(count_2) + section_2
        else:
            out += pack_ix(message.throttle_time_ms)
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("ApiVersions response v3-4", message, error) from error


REQUEST_DECODERS = {
    0: decode_request_v0,
    1: decode_request_v0,
    2: decode_request_v0,
    3: decode_request_v3,
    4: decode_request_v3,
}
REQUEST_ENCODERS = {
    0: encode_request_v0,
    1: encode_request_v0,
    2: encode_request_v0,
    3: encode_request_v3,
    4: encode_request_v3,
}
RESPONSE_DECODERS = {
    0: decode_response_v0,
    1: decode_response_v1,
    2: decode_response_v1,
    3: decode_response_v3,
    4: decode_response_v3,
}
RESPONSE_ENCODERS = {
    0: encode_response_v0,
    1: encode_response_v1,
    2: encode_response_v1,
    3: encode_response_v3,
    4: encode_response_v3,
}
