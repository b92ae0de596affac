"""Generated from tools/codecs/schemas/end_txn.api by `make generate`; changes belong there."""

from __future__ import annotations

from muster.wire.generated.end_txn import (
    EndTxnRequest,
    EndTxnResponse,
)
from struct import Struct, error as StructError

from muster.wire.message import Message, encode_failure
from muster.wire.primitives import null_field, overrun, read_length, skip_tagged
from muster.wire.varint import uvarint

pack_h = Struct(">h").pack
pack_ih = Struct(">ih").pack
pack_ihqhx = Struct(">ihqhx").pack
pack_ihx = Struct(">ihx").pack
pack_qht = Struct(">qh?").pack
pack_qhtx = Struct(">qh?x").pack
unpack_h = Struct(">h").unpack_from
unpack_ih = Struct(">ih").unpack_from
unpack_ihB = Struct(">ihB").unpack_from
unpack_ihqhB = Struct(">ihqhB").unpack_from
unpack_qht = Struct(">qh?").unpack_from
unpack_qhtB = Struct(">qh?B").unpack_from


# versions 0-2
def decode_request_v0(buf: bytes, pos: int) -> EndTxnRequest:
    try:
        (n,) = unpack_h(buf, pos)
        pos += 2
        if n < 0:
            raise null_field("EndTxn request v0-2", "TransactionalId")
        end = pos + n
        transactional_id_0 = buf[pos:end].decode("utf-8", "replace")
        pos = end
        producer_id_0, producer_epoch_0, committed_0 = unpack_qht(buf, pos)
        pos += 11
        made_0 = EndTxnRequest(transactional_id_0, producer_id_0, producer_epoch_0, committed_0)
    except (IndexError, StructError) as error:
        raise overrun("EndTxn request v0-2", buf, pos) from error
    if pos > len(buf):
        raise overrun("EndTxn request v0-2", buf, pos)
    return made_0


# versions 3-5
def decode_request_v3(buf: bytes, pos: int) -> EndTxnRequest:
    try:
        n = buf[pos]
        pos += 1
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "EndTxn request v3-5", "TransactionalId")
        end = pos + n - 1
        transactional_id_0 = buf[pos:end].decode("utf-8", "replace")
        pos = end
        producer_id_0, producer_epoch_0, committed_0, tags = unpack_qhtB(buf, pos)
        pos += 12
        if tags:
            pos = skip_tagged(buf, pos - 1)
        made_0 = EndTxnRequest(transactional_id_0, producer_id_0, producer_epoch_0, committed_0)
    except (IndexError, StructError) as error:
        raise overrun("EndTxn request v3-5", buf, pos) from error
    if pos > len(buf):
        raise overrun("EndTxn request v3-5", buf, pos)
    return made_0


# versions 0-2
def encode_request_v0(message: EndTxnRequest) -> bytes:
    try:
        out = bytearray()
        raw = message.transactional_id.encode()
        out += pack_h(len(raw))
        out += raw
        out += pack_qht(message.producer_id, message.producer_epoch, message.committed)
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("EndTxn request v0-2", message, error) from error


# versions 3-5
def encode_request_v3(message: EndTxnRequest) -> bytes:
    try:
        out = bytearray()
        raw = message.transactional_id.encode()
        n = len(raw) + 1
        if n < 128:
            out.append(n)
        else:
            out += uvarint(n)
        out += raw
        out += pack_qhtx(message.producer_id, message.producer_epoch, message.committed)
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("EndTxn request v3-5", message, error) from error


# versions 0-2
def decode_response_v0(buf: bytes, pos: int) -> EndTxnResponse:
    try:
        throttle_time_ms_0, error_code_0 = unpack_ih(buf, pos)
        pos += 6
        made_0 = EndTxnResponse(throttle_time_ms_0, error_code_0, -1, -1)
    except (IndexError, StructError) as error:
        raise overrun("EndTxn response v0-2", buf, pos) from error
    if pos > len(buf):
        raise overrun("EndTxn response v0-2", buf, pos)
    return made_0


# versions 3-4
def decode_response_v3(buf: bytes, pos: int) -> EndTxnResponse:
    try:
        throttle_time_ms_0, error_code_0, tags = unpack_ihB(buf, pos)
        pos += 7
        if tags:
            pos = skip_tagged(buf, pos - 1)
        made_0 = EndTxnResponse(throttle_time_ms_0, error_code_0, -1, -1)
    except (IndexError, StructError) as error:
        raise overrun("EndTxn response v3-4", buf, pos) from error
    if pos > len(buf):
        raise overrun("EndTxn response v3-4", buf, pos)
    return made_0


def decode_response_v5(buf: bytes, pos: int) -> EndTxnResponse:
    try:
        throttle_time_ms_0, error_code_0, producer_id_0, producer_epoch_0, tags = unpack_ihqhB(buf, pos)
        pos += 17
        if tags:
            pos = skip_tagged(buf, pos - 1)
        made_0 = EndTxnResponse(throttle_time_ms_0, error_code_0, producer_id_0, producer_epoch_0)
    except (IndexError, StructError) as error:
        raise overrun("EndTxn response v5", buf, pos) from error
    if pos > len(buf):
        raise overrun("EndTxn response v5", buf, pos)
    return made_0


# versions 0-2
def encode_response_v0(message: EndTxnResponse) -> bytes:
    try:
        return pack_ih(message.throttle_time_ms, message.error_code)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("EndTxn response v0-2", message, error) from error


# versions 3-4
def encode_response_v3(message: EndTxnResponse) -> bytes:
    try:
        return pack_ihx(message.throttle_time_ms, message.error_code)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("EndTxn response v3-4", message, error) from error


def encode_response_v5(message: EndTxnResponse) -> bytes:
    try:
        return pack_ihqhx(message.throttle_time_ms, message.error_code, message.producer_id, message.producer_epoch)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("EndTxn response v5", message, error) from error


REQUEST_DECODERS = {
    0: decode_request_v0,
    1: decode_request_v0,
    2: decode_request_v0,
    3: decode_request_v3,
    4: decode_request_v3,
    5: decode_request_v3,
}
REQUEST_ENCODERS = {
    0: encode_request_v0,
    1: encode_request_v0,
    2: encode_request_v0,
    3: encode_request_v3,
    4: encode_request_v3,
    5: encode_request_v3,
}
RESPONSE_DECODERS = {
    0: decode_response_v0,
    1: decode_response_v0,
    2: decode_response_v0,
    3: decode_response_v3,
    4: decode_response_v3,
    5: decode_response_v5,
}
RESPONSE_ENCODERS = {
    0: encode_response_v0,
    1: encode_response_v0,
    2: encode_response_v0,
    3: encode_response_v3,
    4: encode_response_v3,
    5: encode_response_v5,
}
