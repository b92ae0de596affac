"""Generated from tools/codecs/schemas/find_coordinator.api by `make generate`; changes belong there."""

from __future__ import annotations

from collections.abc import Sequence

from struct import Struct, error as StructError

from muster.wire.message import Message, encode_failure
from muster.wire.primitives import null_field, overrun, read_length, skip_tagged, too_many
from muster.wire.varint import read_uvarint, uvarint

new = Message.__new__
pack_b = Struct(">b").pack
pack_bB = Struct(">bB").pack
pack_bx = Struct(">bx").pack
pack_h = Struct(">h").pack
pack_hih = Struct(">hih").pack
pack_i = Struct(">i").pack
pack_iB = Struct(">iB").pack
pack_ih = Struct(">ih").pack
pack_ihB = Struct(">ihB").pack
pack_ihh = Struct(">ihh").pack
pack_ihx = Struct(">ihx").pack
pack_ix = Struct(">ix").pack
unpack_b = Struct(">b").unpack_from
unpack_bB = Struct(">bB").unpack_from
unpack_h = Struct(">h").unpack_from
unpack_hih = Struct(">hih").unpack_from
unpack_i = Struct(">i").unpack_from
unpack_iB = Struct(">iB").unpack_from
unpack_ih = Struct(">ih").unpack_from
unpack_ihB = Struct(">ihB").unpack_from
unpack_ihh = Struct(">ihh").unpack_from


class FindCoordinatorRequest(Message):
    __match_args__ = ("key", "key_type", "coordinator_keys")
    __slots__ = __match_args__

    def __init__(
        self,
        key: str = "",
        key_type: int = 0,
        coordinator_keys: Sequence[str] = (),
    ) -> None:
        self.key = key
        self.key_type = key_type
        self.coordinator_keys = coordinator_keys


class FindCoordinatorResponseCoordinator(Message):
    __match_args__ = ("key", "node_id", "host", "port", "error_code", "error_message")
    __slots__ = __match_args__

    def __init__(
        self,
        key: str = "",
        node_id: int = 0,
        host: str = "",
        port: int = 0,
        error_code: int = 0,
        error_message: str | None = "",
    ) -> None:
        self.key = key
        self.node_id = node_id
        self.host = host
        self.port = port
        self.error_code = error_code
        self.error_message = error_message


class FindCoordinatorResponse(Message):
    __match_args__ = ("throttle_time_ms", "error_code", "error_message", "node_id", "host", "port", "coordinators")
    __slots__ = __match_args__

    def __init__(
        self,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        error_message: str | None = "",
        node_id: int = 0,
        host: str = "",
        port: int = 0,
        coordinators: Sequence[FindCoordinatorResponseCoordinator] = (),
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.error_message = error_message
        self.node_id = node_id
        self.host = host
        self.port = port
        self.coordinators = coordinators


def decode_request_v0(buf: bytes, pos: int) -> FindCoordinatorRequest:
    try:
        (n,) = unpack_h(buf, pos)
        pos += 2
        if n < 0:
            raise null_field("FindCoordinator request v0", "Key")
        end = pos + n
        key_0 = buf[pos:end].decode("utf-8", "replace")
        pos = end
        made_0 = new(FindCoordinatorRequest)
        made_0.key = key_0
        made_0.key_type = 0
        made_0.coordinator_keys = ()
    except (IndexError, StructError) as error:
        raise overrun("FindCoordinator request v0", buf, pos) from error
    if pos > len(buf):
        raise overrun("FindCoordinator request v0", buf, pos)
    return made_0


# versions 1-2
def decode_request_v1(buf: bytes, pos: int) -> FindCoordinatorRequest:
    try:
        (n,) = unpack_h(buf, pos)
        pos += 2
        if n < 0:
            raise null_field("FindCoordinator request v1-2", "Key")
        end = pos + n
        key_0 = buf[pos:end].decode("utf-8", "replace")
        pos = end
        (key_type_0,) = unpack_b(buf, pos)
        pos += 1
        made_0 = new(FindCoordinatorRequest)
        made_0.key = key_0
        made_0.key_type = key_type_0
        made_0.coordinator_keys = ()
    except (IndexError, StructError) as error:
        raise overrun("FindCoordinator request v1-2", buf, pos) from error
    if pos > len(buf):
        raise overrun("FindCoordinator request v1-2", buf, pos)
    return made_0


def decode_request_v3(buf: bytes, pos: int) -> FindCoordinatorRequest:
    try:
        n = buf[pos]
        pos += 1
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "FindCoordinator request v3", "Key")
        end = pos + n - 1
        key_0 = buf[pos:end].decode("utf-8", "replace")
        pos = end
        key_type_0, tags = unpack_bB(buf, pos)
        pos += 2
        if tags:
            pos = skip_tagged(buf, pos - 1)
        made_0 = new(FindCoordinatorRequest)
        made_0.key = key_0
        made_0.key_type = key_type_0
        made_0.coordinator_keys = ()
    except (IndexError, StructError) as error:
        raise overrun("FindCoordinator request v3", buf, pos) from error
    if pos > len(buf):
        raise overrun("FindCoordinator request v3", buf, pos)
    return made_0


# versions 4-6
def decode_request_v4(buf: bytes, pos: int) -> FindCoordinatorRequest:
    try:
        key_type_0, n = unpack_bB(buf, pos)
        pos += 2
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "FindCoordinator request v4-6", "CoordinatorKeys")
        n -= 1
        if n > len(buf) - pos:
            raise overrun("FindCoordinator request v4-6", buf, pos)
        if n > 50000:
            raise too_many("FindCoordinator request v4-6", n)
        coordinator_keys_0_items: list[str] = []
        for _ in range(n):
            n = buf[pos]
            pos += 1
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "FindCoordinator request v4-6", "CoordinatorKeys")
            end = pos + n - 1
            coordinator_keys_0_item = buf[pos:end].decode("utf-8", "replace")
            pos = end
            coordinator_keys_0_items.append(coordinator_keys_0_item)
        coordinator_keys_0 = coordinator_keys_0_items
        tags = buf[pos]
        pos += 1
        if tags:
            pos = skip_tagged(buf, pos - 1)
        made_0 = new(FindCoordinatorRequest)
        made_0.key = ""
        made_0.key_type = key_type_0
        made_0.coordinator_keys = coordinator_keys_0
    except (IndexError, StructError) as error:
        raise overrun("FindCoordinator request v4-6", buf, pos) from error
    if pos > len(buf):
        raise overrun("FindCoordinator request v4-6", buf, pos)
    return made_0


def encode_request_v0(message: FindCoordinatorRequest) -> bytes:
    try:
        out = bytearray()
        raw = message.key.encode()
        out += pack_h(len(raw))
        out += raw
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("FindCoordinator request v0", message, error) from error


# versions 1-2
def encode_request_v1(message: FindCoordinatorRequest) -> bytes:
    try:
        out = bytearray()
        raw = message.key.encode()
        out += pack_h(len(raw))
        out += raw
        out += pack_b(message.key_type)
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("FindCoordinator request v1-2", message, error) from error


def encode_request_v3(message: FindCoordinatorRequest) -> bytes:
    try:
        out = bytearray()
        raw = message.key.encode()
        n = len(raw) + 1
        if n < 128:
            out.append(n)
        else:
            out += uvarint(n)
        out += raw
        out += pack_bx(message.key_type)
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("FindCoordinator request v3", message, error) from error


# versions 4-6
def encode_request_v4(message: FindCoordinatorRequest) -> bytes:
    try:
        out = bytearray()
        items_1 = message.coordinator_keys
        n = len(items_1) + 1
        if n < 128:
            out += pack_bB(message.key_type, n)
        else:
            out += pack_b(message.key_type)
            out += uvarint(n)
        for item_1 in items_1:
            raw = item_1.encode()
            n = len(raw) + 1
            if n < 128:
                out.append(n)
            else:
                out += uvarint(n)
            out += raw
        out += b"\0"
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("FindCoordinator request v4-6", message, error) from error


def decode_response_v0(buf: bytes, pos: int) -> FindCoordinatorResponse:
    try:
        error_code_0, node_id_0, n = unpack_hih(buf, pos)
        pos += 8
        if n < 0:
            raise null_field("FindCoordinator response v0", "Host")
        end = pos + n
        host_0 = buf[pos:end].decode("utf-8", "replace")
        pos = end
        (port_0,) = unpack_i(buf, pos)
        pos += 4
        made_0 = new(FindCoordinatorResponse)
        made_0.throttle_time_ms = 0
        made_0.error_code = error_code_0
        made_0.error_message = ""
        made_0.node_id = node_id_0
        made_0.host = host_0
        made_0.port = port_0
        made_0.coordinators = ()
    except (IndexError, StructError) as error:
        raise overrun("FindCoordinator response v0", buf, pos) from error
    if pos > len(buf):
        raise overrun("FindCoordinator response v0", buf, pos)
    return made_0


# versions 1-2
def decode_response_v1(buf: bytes, pos: int) -> FindCoordinatorResponse:
    try:
        throttle_time_ms_0, error_code_0, n = unpack_ihh(buf, pos)
        pos += 8
        error_message_0: str | None = None
        if n >= 0:
            end = pos + n
            error_message_0 = buf[pos:end].decode("utf-8", "replace")
            pos = end
        node_id_0, n = unpack_ih(buf, pos)
        pos += 6
        if n < 0:
            raise null_field("FindCoordinator response v1-2", "Host")
        end = pos + n
        host_0 = buf[pos:end].decode("utf-8", "replace")
        pos = end
        (port_0,) = unpack_i(buf, pos)
        pos += 4
        made_0 = new(FindCoordinatorResponse)
        made_0.throttle_time_ms = throttle_time_ms_0
        made_0.error_code = error_code_0
        made_0.error_message = error_message_0
        made_0.node_id = node_id_0
        made_0.host = host_0
        made_0.port = port_0
        made_0.coordinators = ()
    except (IndexError, StructError) as error:
        raise overrun("FindCoordinator response v1-2", buf, pos) from error
    if pos > len(buf):
        raise overrun("FindCoordinator response v1-2", buf, pos)
    return made_0


def decode_response_v3(buf: bytes, pos: int) -> FindCoordinatorResponse:
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
        node_id_0, n = unpack_iB(buf, pos)
        pos += 5
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "FindCoordinator response v3", "Host")
        end = pos + n - 1
        host_0 = buf[pos:end].decode("utf-8", "replace")
        pos = end
        port_0, tags = unpack_iB(buf, pos)
        pos += 5
        if tags:
            pos = skip_tagged(buf, pos - 1)
        made_0 = new(FindCoordinatorResponse)
        made_0.throttle_time_ms = throttle_time_ms_0
        made_0.error_code = error_code_0
        made_0.error_message = error_message_0
        made_0.node_id = node_id_0
        made_0.host = host_0
        made_0.port = port_0
        made_0.coordinators = ()
    except (IndexError, StructError) as error:
        raise overrun("FindCoordinator response v3", buf, pos) from error
    if pos > len(buf):
        raise overrun("FindCoordinator response v3", buf, pos)
    return made_0


# versions 4-6
def decode_response_v4(buf: bytes, pos: int) -> FindCoordinatorResponse:
    try:
        throttle_time_ms_0, n = unpack_iB(buf, pos)
        pos += 5
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "FindCoordinator response v4-6", "Coordinators")
        n -= 1
        if n * 14 > len(buf) - pos:
            raise overrun("FindCoordinator response v4-6", buf, pos)
        coordinators_0_items: list[FindCoordinatorResponseCoordinator] = []
        for _ in range(n):
            n = buf[pos]
            pos += 1
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "FindCoordinator response v4-6", "Key")
            end = pos + n - 1
            key_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            node_id_1, n = unpack_iB(buf, pos)
            pos += 5
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "FindCoordinator response v4-6", "Host")
            end = pos + n - 1
            host_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            port_1, error_code_1, n = unpack_ihB(buf, pos)
            pos += 7
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
            made_1 = new(FindCoordinatorResponseCoordinator)
            made_1.key = key_1
            made_1.node_id = node_id_1
            made_1.host = host_1
            made_1.port = port_1
            made_1.error_code = error_code_1
            made_1.error_message = error_message_1
            coordinators_0_items.append(made_1)
        coordinators_0 = coordinators_0_items
        tags = buf[pos]
        pos += 1
        if tags:
            pos = skip_tagged(buf, pos - 1)
        made_0 = new(FindCoordinatorResponse)
        made_0.throttle_time_ms = throttle_time_ms_0
        made_0.error_code = 0
        made_0.error_message = ""
        made_0.node_id = 0
        made_0.host = ""
        made_0.port = 0
        made_0.coordinators = coordinators_0
    except (IndexError, StructError) as error:
        raise overrun("FindCoordinator response v4-6", buf, pos) from error
    if pos > len(buf):
        raise overrun("FindCoordinator response v4-6", buf, pos)
    return made_0


def encode_response_v0(message: FindCoordinatorResponse) -> bytes:
    try:
        out = bytearray()
        raw = message.host.encode()
        out += pack_hih(message.error_code, message.node_id, len(raw))
        out += raw
        out += pack_i(message.port)
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("FindCoordinator response v0", message, error) from error


# versions 1-2
def encode_response_v1(message: FindCoordinatorResponse) -> bytes:
    try:
        out = bytearray()
        value_1 = message.error_message
        if value_1 is None:
            out += pack_ihh(message.throttle_time_ms, message.error_code, -1)
        else:
            raw = value_1.encode()
            out += pack_ihh(message.throttle_time_ms, message.error_code, len(raw))
            out += raw
        raw = message.host.encode()
        out += pack_ih(message.node_id, len(raw))
        out += raw
        out += pack_i(message.port)
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("FindCoordinator response v1-2", message, error) from error


def encode_response_v3(message: FindCoordinatorResponse) -> bytes:
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
        raw = message.host.encode()
        n = len(raw) + 1
        if n < 128:
            out += pack_iB(message.node_id, n)
        else:
            out += pack_i(message.node_id)
            out += uvarint(n)
        out += raw
        out += pack_ix(message.port)
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("FindCoordinator response v3", message, error) from error


# versions 4-6
def encode_response_v4(message: FindCoordinatorResponse) -> bytes:
    try:
        out = bytearray()
        items_1 = message.coordinators
        n = len(items_1) + 1
        if n < 128:
            out += pack_iB(message.throttle_time_ms, n)
        else:
            out += pack_i(message.throttle_time_ms)
            out += uvarint(n)
        for item_1 in items_1:
            raw = item_1.key.encode()
            n = len(raw) + 1
            if n < 128:
                out.append(n)
            else:
                out += uvarint(n)
            out += raw
            raw = item_1.host.encode()
            n = len(raw) + 1
            if n < 128:
                out += pack_iB(item_1.node_id, n)
            else:
                out += pack_i(item_1.node_id)
                out += uvarint(n)
            out += raw
            value_2 = item_1.error_message
            if value_2 is None:
                out += pack_ihx(item_1.port, item_1.error_code)
            else:
                raw = value_2.encode()
                n = len(raw) + 1
                if n < 128:
                    out += pack_ihB(item_1.port, item_1.error_code, n)
                else:
                    out += pack_ih(item_1.port, item_1.error_code)
                    out += uvarint(n)
                out += raw
            out += b"\0"
        out += b"\0"
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("FindCoordinator response v4-6", message, error) from error


REQUEST_DECODERS = {
    0: decode_request_v0,
    1: decode_request_v1,
    2: decode_request_v1,
    3: decode_request_v3,
    4: decode_request_v4,
    5: decode_request_v4,
    6: decode_request_v4,
}
REQUEST_ENCODERS = {
    0: encode_request_v0,
    1: encode_request_v1,
    2: encode_request_v1,
    3: encode_request_v3,
    4: encode_request_v4,
    5: encode_request_v4,
    6: encode_request_v4,
}
RESPONSE_DECODERS = {
    0: decode_response_v0,
    1: decode_response_v1,
    2: decode_response_v1,
    3: decode_response_v3,
    4: decode_response_v4,
    5: decode_response_v4,
    6: decode_response_v4,
}
RESPONSE_ENCODERS = {
    0: encode_response_v0,
    1: encode_response_v1,
    2: encode_response_v1,
    3: encode_response_v3,
    4: encode_response_v4,
    5: encode_response_v4,
    6: encode_response_v4,
}
