"""Generated from tools/codecs/schemas/init_producer_id.api by `make generate`; changes belong there."""

from __future__ import annotations

from struct import Struct, error as StructError

from muster.wire.message import Message, encode_failure
from muster.wire.primitives import overrun, skip_tagged
from muster.wire.varint import read_uvarint, uvarint

new = Message.__new__
pack_h = Struct(">h").pack
pack_i = Struct(">i").pack
pack_ihqh = Struct(">ihqh").pack
pack_ihqhx = Struct(">ihqhx").pack
pack_iqhx = Struct(">iqhx").pack
pack_ix = Struct(">ix").pack
unpack_h = Struct(">h").unpack_from
unpack_i = Struct(">i").unpack_from
unpack_iB = Struct(">iB").unpack_from
unpack_ihqh = Struct(">ihqh").unpack_from
unpack_ihqhB = Struct(">ihqhB").unpack_from
unpack_iqhB = Struct(">iqhB").unpack_from


class InitProducerIdRequest(Message):
    __match_args__ = ("transactional_id", "transaction_timeout_ms", "producer_id", "producer_epoch")
    __slots__ = __match_args__

    def __init__(
        self,
        transactional_id: str | None = "",
        transaction_timeout_ms: int = 0,
        producer_id: int = -1,
        producer_epoch: int = -1,
    ) -> None:
        self.transactional_id = transactional_id
        self.transaction_timeout_ms = transaction_timeout_ms
        self.producer_id = producer_id
        self.producer_epoch = producer_epoch


class InitProducerIdResponse(Message):
    __match_args__ = ("throttle_time_ms", "error_code", "producer_id", "producer_epoch")
    __slots__ = __match_args__

    def __init__(
        self,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        producer_id: int = -1,
        producer_epoch: int = 0,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.producer_id = producer_id
        self.producer_epoch = producer_epoch


# versions 0-1
def decode_request_v0(buf: bytes, pos: int) -> InitProducerIdRequest:
    try:
        (n,) = unpack_h(buf, pos)
        pos += 2
        transactional_id_0: str | None = None
        if n >= 0:
            end = pos + n
            transactional_id_0 = buf[pos:end].decode("utf-8", "replace")
            pos = end
        (transaction_timeout_ms_0,) = unpack_i(buf, pos)
        pos += 4
        made_0 = new(InitProducerIdRequest)
        made_0.transactional_id = transactional_id_0
        made_0.transaction_timeout_ms = transaction_timeout_ms_0
        made_0.producer_id = -1
        made_0.producer_epoch = -1
    except (IndexError, StructError) as error:
        raise overrun("InitProducerId request v0-1", buf, pos) from error
    if pos > len(buf):
        raise overrun("InitProducerId request v0-1", buf, pos)
    return made_0


def decode_request_v2(buf: bytes, pos: int) -> InitProducerIdRequest:
    try:
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        transactional_id_0: str | None = None
        if n > 0:
            end = pos + n - 1
            transactional_id_0 = buf[pos:end].decode("utf-8", "replace")
            pos = end
        transaction_timeout_ms_0, tags = unpack_iB(buf, pos)
        pos += 5
        if tags:
            pos = skip_tagged(buf, pos - 1)
        made_0 = new(InitProducerIdRequest)
        made_0.transactional_id = transactional_id_0
        made_0.transaction_timeout_ms = transaction_timeout_ms_0
        made_0.producer_id = -1
        made_0.producer_epoch = -1
    except (IndexError, StructError) as error:
        raise overrun("InitProducerId request v2", buf, pos) from error
    if pos > len(buf):
        raise overrun("InitProducerId request v2", buf, pos)
    return made_0


# versions 3-5
def decode_request_v3(buf: bytes, pos: int) -> InitProducerIdRequest:
    try:
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        transactional_id_0: str | None = None
        if n > 0:
            end = pos + n - 1
            transactional_id_0 = buf[pos:end].decode("utf-8", "replace")
            pos = end
        transaction_timeout_ms_0, producer_id_0, producer_epoch_0, tags = unpack_iqhB(buf, pos)
        pos += 15
        if tags:
            pos = skip_tagged(buf, pos - 1)
        made_0 = new(InitProducerIdRequest)
        made_0.transactional_id = transactional_id_0
        made_0.transaction_timeout_ms = transaction_timeout_ms_0
        made_0.producer_id = producer_id_0
        made_0.producer_epoch = producer_epoch_0
    except (IndexError, StructError) as error:
        raise overrun("InitProducerId request v3-5", buf, pos) from error
    if pos > len(buf):
        raise overrun("InitProducerId request v3-5", buf, pos)
    return made_0


# versions 0-1
def encode_request_v0(message: InitProducerIdRequest) -> bytes:
    try:
        out = bytearray()
        value_1 = message.transactional_id
        if value_1 is None:
            out += pack_h(-1)
        else:
            raw = value_1.encode()
            out += pack_h(len(raw))
            out += raw
        out += pack_i(message.transaction_timeout_ms)
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("InitProducerId request v0-1", message, error) from error


def encode_request_v2(message: InitProducerIdRequest) -> bytes:
    try:
        out = bytearray()
        value_1 = message.transactional_id
        if value_1 is None:
            out += b"\0"
        else:
            raw = value_1.encode()
            n = len(raw) + 1
            if n < 128:
                out.append(n)
            else:
                out += uvarint(n)
            out += raw
        out += pack_ix(message.transaction_timeout_ms)
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("InitProducerId request v2", message, error) from error


# versions 3-5
def encode_request_v3(message: InitProducerIdRequest) -> bytes:
    try:
        out = bytearray()
        value_1 = message.transactional_id
        if value_1 is None:
            out += b"\0"
        else:
            raw = value_1.encode()
            n = len(raw) + 1
            if n < 128:
                out.append(n)
            else:
                out += uvarint(n)
            out += raw
        out += pack_iqhx(message.transaction_timeout_ms, message.producer_id, message.producer_epoch)
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("InitProducerId request v3-5", message, error) from error


# versions 0-1
def decode_response_v0(buf: bytes, pos: int) -> InitProducerIdResponse:
    try:
        throttle_time_ms_0, error_code_0, producer_id_0, producer_epoch_0 = unpack_ihqh(buf, pos)
        pos += 16
        made_0 = new(InitProducerIdResponse)
        made_0.throttle_time_ms = throttle_time_ms_0
        made_0.error_code = error_code_0
        made_0.producer_id = producer_id_0
        made_0.producer_epoch = producer_epoch_0
    except (IndexError, StructError) as error:
        raise overrun("InitProducerId response v0-1", buf, pos) from error
    if pos > len(buf):
        raise overrun("InitProducerId response v0-1", buf, pos)
    return made_0


# versions 2-5
def decode_response_v2(buf: bytes, pos: int) -> InitProducerIdResponse:
    try:
        throttle_time_ms_0, error_code_0, producer_id_0, producer_epoch_0, tags = unpack_ihqhB(buf, pos)
        pos += 17
        if tags:
            pos = skip_tagged(buf, pos - 1)
        made_0 = new(InitProducerIdResponse)
        made_0.throttle_time_ms = throttle_time_ms_0
        made_0.error_code = error_code_0
        made_0.producer_id = producer_id_0
        made_0.producer_epoch = producer_epoch_0
    except (IndexError, StructError) as error:
        raise overrun("InitProducerId response v2-5", buf, pos) from error
    if pos > len(buf):
        raise overrun("InitProducerId response v2-5", buf, pos)
    return made_0


# versions 0-1
def encode_response_v0(message: InitProducerIdResponse) -> bytes:
    try:
        return pack_ihqh(message.throttle_time_ms, message.error_code, message.producer_id, message.producer_epoch)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("InitProducerId response v0-1", message, error) from error


# versions 2-5
def encode_response_v2(message: InitProducerIdResponse) -> bytes:
    try:
        return pack_ihqhx(message.throttle_time_ms, message.error_code, message.producer_id, message.producer_epoch)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("InitProducerId response v2-5", message, error) from error


REQUEST_DECODERS = {
    0: decode_request_v0,
    1: decode_request_v0,
    2: decode_request_v2,
    3: decode_request_v3,
    4: decode_request_v3,
    5: decode_request_v3,
}
REQUEST_ENCODERS = {
    0: encode_request_v0,
    1: encode_request_v0,
    2: encode_request_v2,
    3: encode_request_v3,
    4: encode_request_v3,
    5: encode_request_v3,
}
RESPONSE_DECODERS = {
    0: decode_response_v0,
    1: decode_response_v0,
    2: decode_response_v2,
    3: decode_response_v2,
    4: decode_response_v2,
    5: decode_response_v2,
}
RESPONSE_ENCODERS = {
    0: encode_response_v0,
    1: encode_response_v0,
    2: encode_response_v2,
    3: encode_response_v2,
    4: encode_response_v2,
    5: encode_response_v2,
}
