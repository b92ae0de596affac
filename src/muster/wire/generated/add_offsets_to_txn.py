"""Generated from tools/codecs/schemas/add_offsets_to_txn.api by `make generate`; changes belong there."""

from __future__ import annotations

from struct import Struct, error as StructError

from muster.wire.message import Message, encode_failure
from muster.wire.primitives import null_field, overrun, read_length, skip_tagged
from muster.wire.varint import uvarint

new = Message.__new__
pack_h = Struct(">h").pack
pack_ih = Struct(">ih").pack
pack_ihx = Struct(">ihx").pack
pack_qh = Struct(">qh").pack
pack_qhB = Struct(">qhB").pack
pack_qhh = Struct(">qhh").pack
unpack_h = Struct(">h").unpack_from
unpack_ih = Struct(">ih").unpack_from
unpack_ihB = Struct(">ihB").unpack_from
unpack_qhB = Struct(">qhB").unpack_from
unpack_qhh = Struct(">qhh").unpack_from


class AddOffsetsToTxnRequest(Message):
    __match_args__ = ("transactional_id", "producer_id", "producer_epoch", "group_id")
    __slots__ = __match_args__

    def __init__(
        self,
        transactional_id: str = "",
        producer_id: int = 0,
        producer_epoch: int = 0,
        group_id: str = "",
    ) -> None:
        self.transactional_id = transactional_id
        self.producer_id = producer_id
        self.producer_epoch = producer_epoch
        self.group_id = group_id


class AddOffsetsToTxnResponse(Message):
    __match_args__ = ("throttle_time_ms", "error_code")
    __slots__ = __match_args__

    def __init__(
        self,
        throttle_time_ms: int = 0,
        error_code: int = 0,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code


# versions 0-2
def decode_request_v0(buf: bytes, pos: int) -> AddOffsetsToTxnRequest:
    try:
        (n,) = unpack_h(buf, pos)
        pos += 2
        if n < 0:
            raise null_field("AddOffsetsToTxn request v0-2", "TransactionalId")
        end = pos + n
        transactional_id_0 = buf[pos:end].decode("utf-8", "replace")
        pos = end
        producer_id_0, producer_epoch_0, n = unpack_qhh(buf, pos)
        pos += 12
        if n < 0:
            raise null_field("AddOffsetsToTxn request v0-2", "GroupId")
        end = pos + n
        group_id_0 = buf[pos:end].decode("utf-8", "replace")
        pos = end
        made_0 = new(AddOffsetsToTxnRequest)
        made_0.transactional_id = transactional_id_0
        made_0.producer_id = producer_id_0
        made_0.producer_epoch = producer_epoch_0
        made_0.group_id = group_id_0
    except (IndexError, StructError) as error:
        raise overrun("AddOffsetsToTxn request v0-2", buf, pos) from error
    if pos > len(buf):
        raise overrun("AddOffsetsToTxn request v0-2", buf, pos)
    return made_0


# versions 3-4
def decode_request_v3(buf: bytes, pos: int) -> AddOffsetsToTxnRequest:
    try:
        n = buf[pos]
        pos += 1
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "AddOffsetsToTxn request v3-4", "TransactionalId")
        end = pos + n - 1
        transactional_id_0 = buf[pos:end].decode("utf-8", "replace")
        pos = end
        producer_id_0, producer_epoch_0, n = unpack_qhB(buf, pos)
        pos += 11
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "AddOffsetsToTxn request v3-4", "GroupId")
        end = pos + n - 1
        group_id_0 = buf[pos:end].decode("utf-8", "replace")
        pos = end
        tags = buf[pos]
        pos += 1
        if tags:
            pos = skip_tagged(buf, pos - 1)
        made_0 = new(AddOffsetsToTxnRequest)
        made_0.transactional_id = transactional_id_0
        made_0.producer_id = producer_id_0
        made_0.producer_epoch = producer_epoch_0
        made_0.group_id = group_id_0
    except (IndexError, StructError) as error:
        raise overrun("AddOffsetsToTxn request v3-4", buf, pos) from error
    if pos > len(buf):
        raise overrun("AddOffsetsToTxn request v3-4", buf, pos)
    return made_0


# versions 0-2
def encode_request_v0(message: AddOffsetsToTxnRequest) -> bytes:
    try:
        out = bytearray()
        raw = message.transactional_id.encode()
        out += pack_h(len(raw))
        out += raw
        raw = message.group_id.encode()
        out += pack_qhh(message.producer_id, message.producer_epoch, len(raw))
        out += raw
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("AddOffsetsToTxn request v0-2", message, error) from error


# versions 3-4
def encode_request_v3(message: AddOffsetsToTxnRequest) -> bytes:
    try:
        out = bytearray()
        raw = message.transactional_id.encode()
        n = len(raw) + 1
        if n < 128:
            out.append(n)
        else:
            out += uvarint(n)
        out += raw
        raw = message.group_id.encode()
        n = len(raw) + 1
        if n < 128:
            out += pack_qhB(message.producer_id, message.producer_epoch, n)
        else:
            out += pack_qh(message.producer_id, message.producer_epoch)
            out += uvarint(n)
        out += raw
        out += b"\0"
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("AddOffsetsToTxn request v3-4", message, error) from error


# versions 0-2
def decode_response_v0(buf: bytes, pos: int) -> AddOffsetsToTxnResponse:
    try:
        throttle_time_ms_0, error_code_0 = unpack_ih(buf, pos)
        pos += 6
        made_0 = new(AddOffsetsToTxnResponse)
        made_0.throttle_time_ms = throttle_time_ms_0
        made_0.error_code = error_code_0
    except (IndexError, StructError) as error:
        raise overrun("AddOffsetsToTxn response v0-2", buf, pos) from error
    if pos > len(buf):
        raise overrun("AddOffsetsToTxn response v0-2", buf, pos)
    return made_0


# versions 3-4
def decode_response_v3(buf: bytes, pos: int) -> AddOffsetsToTxnResponse:
    try:
        throttle_time_ms_0, error_code_0, tags = unpack_ihB(buf, pos)
        pos += 7
        if tags:
            pos = skip_tagged(buf, pos - 1)
        made_0 = new(AddOffsetsToTxnResponse)
        made_0.throttle_time_ms = throttle_time_ms_0
        made_0.error_code = error_code_0
    except (IndexError, StructError) as error:
        raise overrun("AddOffsetsToTxn response v3-4", buf, pos) from error
    if pos > len(buf):
        raise overrun("AddOffsetsToTxn response v3-4", buf, pos)
    return made_0


# versions 0-2
def encode_response_v0(message: AddOffsetsToTxnResponse) -> bytes:
    try:
        return pack_ih(message.throttle_time_ms, message.error_code)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("AddOffsetsToTxn response v0-2", message, error) from error


# versions 3-4
def encode_response_v3(message: AddOffsetsToTxnResponse) -> bytes:
    try:
        return pack_ihx(message.throttle_time_ms, message.error_code)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("AddOffsetsToTxn response v3-4", message, error) from error


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
    1: decode_response_v0,
    2: decode_response_v0,
    3: decode_response_v3,
    4: decode_response_v3,
}
RESPONSE_ENCODERS = {
    0: encode_response_v0,
    1: encode_response_v0,
    2: encode_response_v0,
    3: encode_response_v3,
    4: encode_response_v3,
}
