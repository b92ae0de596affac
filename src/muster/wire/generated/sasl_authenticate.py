"""Generated from tools/codecs/schemas/sasl_authenticate.api by `make generate`; changes belong there."""

from __future__ import annotations

from struct import Struct, error as StructError

from muster.wire.message import Message, encode_failure
from muster.wire.primitives import null_field, overrun, read_length, skip_tagged
from muster.wire.varint import read_uvarint, uvarint

new = Message.__new__
pack_h = Struct(">h").pack
pack_hB = Struct(">hB").pack
pack_hh = Struct(">hh").pack
pack_hx = Struct(">hx").pack
pack_i = Struct(">i").pack
pack_q = Struct(">q").pack
pack_qx = Struct(">qx").pack
unpack_hB = Struct(">hB").unpack_from
unpack_hh = Struct(">hh").unpack_from
unpack_i = Struct(">i").unpack_from
unpack_q = Struct(">q").unpack_from
unpack_qB = Struct(">qB").unpack_from


class SaslAuthenticateRequest(Message):
    __match_args__ = ("auth_bytes",)
    __slots__ = __match_args__

    def __init__(
        self,
        auth_bytes: bytes = b"",
    ) -> None:
        self.auth_bytes = auth_bytes


class SaslAuthenticateResponse(Message):
    __match_args__ = ("error_code", "error_message", "auth_bytes", "session_lifetime_ms")
    __slots__ = __match_args__

    def __init__(
        self,
        error_code: int = 0,
        error_message: str | None = "",
        auth_bytes: bytes = b"",
        session_lifetime_ms: int = 0,
    ) -> None:
        self.error_code = error_code
        self.error_message = error_message
        self.auth_bytes = auth_bytes
        self.session_lifetime_ms = session_lifetime_ms


# versions 0-1
def decode_request_v0(buf: bytes, pos: int) -> SaslAuthenticateRequest:
    try:
        (n,) = unpack_i(buf, pos)
        pos += 4
        if n < 0:
            raise null_field("SaslAuthenticate request v0-1", "AuthBytes")
        end = pos + n
        auth_bytes_0 = buf[pos:end]
        pos = end
        made_0 = new(SaslAuthenticateRequest)
        made_0.auth_bytes = auth_bytes_0
    except (IndexError, StructError) as error:
        raise overrun("SaslAuthenticate request v0-1", buf, pos) from error
    if pos > len(buf):
        raise overrun("SaslAuthenticate request v0-1", buf, pos)
    return made_0


def decode_request_v2(buf: bytes, pos: int) -> SaslAuthenticateRequest:
    try:
        n = buf[pos]
        pos += 1
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "SaslAuthenticate request v2", "AuthBytes")
        end = pos + n - 1
        auth_bytes_0 = buf[pos:end]
        pos = end
        tags = buf[pos]
        pos += 1
        if tags:
            pos = skip_tagged(buf, pos - 1)
        made_0 = new(SaslAuthenticateRequest)
        made_0.auth_bytes = auth_bytes_0
    except (IndexError, StructError) as error:
        raise overrun("SaslAuthenticate request v2", buf, pos) from error
    if pos > len(buf):
        raise overrun("SaslAuthenticate request v2", buf, pos)
    return made_0


# versions 0-1
def encode_request_v0(message: SaslAuthenticateRequest) -> bytes:
    try:
        out = bytearray()
        raw = message.auth_bytes
        out += pack_i(len(raw))
        out += raw
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("SaslAuthenticate request v0-1", message, error) from error


def encode_request_v2(message: SaslAuthenticateRequest) -> bytes:
    try:
        out = bytearray()
        raw = message.auth_bytes
        n = len(raw) + 1
        if n < 128:
            out.append(n)
        else:
            out += uvarint(n)
        out += raw
        out += b"\0"
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("SaslAuthenticate request v2", message, error) from error


def decode_response_v0(buf: bytes, pos: int) -> SaslAuthenticateResponse:
    try:
        error_code_0, n = unpack_hh(buf, pos)
        pos += 4
        error_message_0: str | None = None
        if n >= 0:
            end = pos + n
            error_message_0 = buf[pos:end].decode("utf-8", "replace")
            pos = end
        (n,) = unpack_i(buf, pos)
        pos += 4
        if n < 0:
            raise null_field("SaslAuthenticate response v0", "AuthBytes")
        end = pos + n
        auth_bytes_0 = buf[pos:end]
        pos = end
        made_0 = new(SaslAuthenticateResponse)
        made_0.error_code = error_code_0
        made_0.error_message = error_message_0
        made_0.auth_bytes = auth_bytes_0
        made_0.session_lifetime_ms = 0
    except (IndexError, StructError) as error:
        raise overrun("SaslAuthenticate response v0", buf, pos) from error
    if pos > len(buf):
        raise overrun("SaslAuthenticate response v0", buf, pos)
    return made_0


def decode_response_v1(buf: bytes, pos: int) -> SaslAuthenticateResponse:
    try:
        error_code_0, n = unpack_hh(buf, pos)
        pos += 4
        error_message_0: str | None = None
        if n >= 0:
            end = pos + n
            error_message_0 = buf[pos:end].decode("utf-8", "replace")
            pos = end
        (n,) = unpack_i(buf, pos)
        pos += 4
        if n < 0:
            raise null_field("SaslAuthenticate response v1", "AuthBytes")
        end = pos + n
        auth_bytes_0 = buf[pos:end]
        pos = end
        (session_lifetime_ms_0,) = unpack_q(buf, pos)
        pos += 8
        made_0 = new(SaslAuthenticateResponse)
        made_0.error_code = error_code_0
        made_0.error_message = error_message_0
        made_0.auth_bytes = auth_bytes_0
        made_0.session_lifetime_ms = session_lifetime_ms_0
    except (IndexError, StructError) as error:
        raise overrun("SaslAuthenticate response v1", buf, pos) from error
    if pos > len(buf):
        raise overrun("SaslAuthenticate response v1", buf, pos)
    return made_0


def decode_response_v2(buf: bytes, pos: int) -> SaslAuthenticateResponse:
    try:
        error_code_0, n = unpack_hB(buf, pos)
        pos += 3
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
            n, pos = read_length(buf, pos - 1, "SaslAuthenticate response v2", "AuthBytes")
        end = pos + n - 1
        auth_bytes_0 = buf[pos:end]
        pos = end
        session_lifetime_ms_0, tags = unpack_qB(buf, pos)
        pos += 9
        if tags:
            pos = skip_tagged(buf, pos - 1)
        made_0 = new(SaslAuthenticateResponse)
        made_0.error_code = error_code_0
        made_0.error_message = error_message_0
        made_0.auth_bytes = auth_bytes_0
        made_0.session_lifetime_ms = session_lifetime_ms_0
    except (IndexError, StructError) as error:
        raise overrun("SaslAuthenticate response v2", buf, pos) from error
    if pos > len(buf):
        raise overrun("SaslAuthenticate response v2", buf, pos)
    return made_0


def encode_response_v0(message: SaslAuthenticateResponse) -> bytes:
    try:
        out = bytearray()
        value_1 = message.error_message
        if value_1 is None:
            out += pack_hh(message.error_code, -1)
        else:
            raw = value_1.encode()
            out += pack_hh(message.error_code, len(raw))
            out += raw
        raw = message.auth_bytes
        out += pack_i(len(raw))
        out += raw
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("SaslAuthenticate response v0", message, error) from error


def encode_response_v1(message: SaslAuthenticateResponse) -> bytes:
    try:
        out = bytearray()
        value_1 = message.error_message
        if value_1 is None:
            out += pack_hh(message.error_code, -1)
        else:
            raw = value_1.encode()
            out += pack_hh(message.error_code, len(raw))
            out += raw
        raw = message.auth_bytes
        out += pack_i(len(raw))
        out += raw
        out += pack_q(message.session_lifetime_ms)
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("SaslAuthenticate response v1", message, error) from error


def encode_response_v2(message: SaslAuthenticateResponse) -> bytes:
    try:
        out = bytearray()
        value_1 = message.error_message
        if value_1 is None:
            out += pack_hx(message.error_code)
        else:
            raw = value_1.encode()
            n = len(raw) + 1
            if n < 128:
                out += pack_hB(message.error_code, n)
            else:
                out += pack_h(message.error_code)
                out += uvarint(n)
            out += raw
        raw = message.auth_bytes
        n = len(raw) + 1
        if n < 128:
            out.append(n)
        else:
            out += uvarint(n)
        out += raw
        out += pack_qx(message.session_lifetime_ms)
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("SaslAuthenticate response v2", message, error) from error


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
    1: decode_response_v1,
    2: decode_response_v2,
}
RESPONSE_ENCODERS = {
    0: encode_response_v0,
    1: encode_response_v1,
    2: encode_response_v2,
}
