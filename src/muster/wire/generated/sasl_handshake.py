"""Generated from tools/codecs/schemas/sasl_handshake.api by `make generate`; changes belong there."""

from __future__ import annotations

from collections.abc import Sequence

from struct import Struct, error as StructError

from muster.wire.message import Message, encode_failure
from muster.wire.primitives import null_field, overrun

new = Message.__new__
pack_h = Struct(">h").pack
pack_hi = Struct(">hi").pack
unpack_h = Struct(">h").unpack_from
unpack_hi = Struct(">hi").unpack_from


class SaslHandshakeRequest(Message):
    __match_args__ = ("mechanism",)
    __slots__ = __match_args__

    def __init__(
        self,
        mechanism: str = "",
    ) -> None:
        self.mechanism = mechanism


class SaslHandshakeResponse(Message):
    __match_args__ = ("error_code", "mechanisms")
    __slots__ = __match_args__

    def __init__(
        self,
        error_code: int = 0,
        mechanisms: Sequence[str] = (),
    ) -> None:
        self.error_code = error_code
        self.mechanisms = mechanisms


# versions 0-1
def decode_request_v0(buf: bytes, pos: int) -> SaslHandshakeRequest:
    try:
        (n,) = unpack_h(buf, pos)
        pos += 2
        if n < 0:
            raise null_field("SaslHandshake request v0-1", "Mechanism")
        end = pos + n
        mechanism_0 = buf[pos:end].decode("utf-8", "replace")
        pos = end
        made_0 = new(SaslHandshakeRequest)
        made_0.mechanism = mechanism_0
    except (IndexError, StructError) as error:
        raise overrun("SaslHandshake request v0-1", buf, pos) from error
    if pos > len(buf):
        raise overrun("SaslHandshake request v0-1", buf, pos)
    return made_0


# versions 0-1
def encode_request_v0(message: SaslHandshakeRequest) -> bytes:
    try:
        out = bytearray()
        raw = message.mechanism.encode()
        out += pack_h(len(raw))
        out += raw
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("SaslHandshake request v0-1", message, error) from error


# versions 0-1
def decode_response_v0(buf: bytes, pos: int) -> SaslHandshakeResponse:
    try:
        error_code_0, n = unpack_hi(buf, pos)
        pos += 6
        if n < 0:
            raise null_field("SaslHandshake response v0-1", "Mechanisms")
        if n * 2 > len(buf) - pos:
            raise overrun("SaslHandshake response v0-1", buf, pos)
        mechanisms_0_items: list[str] = []
        for _ in range(n):
            (n,) = unpack_h(buf, pos)
            pos += 2
            if n < 0:
                raise null_field("SaslHandshake response v0-1", "Mechanisms")
            end = pos + n
            mechanisms_0_item = buf[pos:end].decode("utf-8", "replace")
            pos = end
            mechanisms_0_items.append(mechanisms_0_item)
        mechanisms_0 = mechanisms_0_items
        made_0 = new(SaslHandshakeResponse)
        made_0.error_code = error_code_0
        made_0.mechanisms = mechanisms_0
    except (IndexError, StructError) as error:
        raise overrun("SaslHandshake response v0-1", buf, pos) from error
    if pos > len(buf):
        raise overrun("SaslHandshake response v0-1", buf, pos)
    return made_0


# versions 0-1
def encode_response_v0(message: SaslHandshakeResponse) -> bytes:
    try:
        out = bytearray()
        items_1 = message.mechanisms
        out += pack_hi(message.error_code, len(items_1))
        for item_1 in items_1:
            raw = item_1.encode()
            out += pack_h(len(raw))
            out += raw
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("SaslHandshake response v0-1", message, error) from error


REQUEST_DECODERS = {
    0: decode_request_v0,
    1: decode_request_v0,
}
REQUEST_ENCODERS = {
    0: encode_request_v0,
    1: encode_request_v0,
}
RESPONSE_DECODERS = {
    0: decode_response_v0,
    1: decode_response_v0,
}
RESPONSE_ENCODERS = {
    0: encode_response_v0,
    1: encode_response_v0,
}
