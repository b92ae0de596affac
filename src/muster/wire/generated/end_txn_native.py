"""Generated from tools/codecs/schemas/end_txn.api by `make generate`; changes belong there."""

from __future__ import annotations

from muster.wire.generated.end_txn import (
    EndTxnRequest,
    EndTxnResponse,
)
from librt.strings import BytesWriter, read_i16_be, read_i64_be, write_i16_be, write_i32_be, write_i64_be
from mypy_extensions import i64

from muster.wire.message import Message, encode_failure
from muster.wire.native import begun, finished, read_compact_str, read_str, skip_tags
from muster.wire.primitives import overrun


# versions 0-2
def decode_request_v0(buf: bytes, pos: int) -> EndTxnRequest:
    at: i64 = pos
    try:
        transactional_id_0, at = read_str(buf, at, "EndTxn request v0-2", "TransactionalId")
        producer_id_0 = read_i64_be(buf, at)
        at += 8
        producer_epoch_0 = read_i16_be(buf, at)
        at += 2
        committed_0 = buf[at] != 0
        at += 1
        return EndTxnRequest(transactional_id_0, producer_id_0, producer_epoch_0, committed_0)
    except IndexError as error:
        raise overrun("EndTxn request v0-2", buf, at) from error


# versions 3-5
def decode_request_v3(buf: bytes, pos: int) -> EndTxnRequest:
    at: i64 = pos
    try:
        transactional_id_0, at = read_compact_str(buf, at, "EndTxn request v3-5", "TransactionalId")
        producer_id_0 = read_i64_be(buf, at)
        at += 8
        producer_epoch_0 = read_i16_be(buf, at)
        at += 2
        committed_0 = buf[at] != 0
        at += 1
        if buf[at] == 0:
            at += 1
        else:
            at = skip_tags(buf, at)
        return EndTxnRequest(transactional_id_0, producer_id_0, producer_epoch_0, committed_0)
    except IndexError as error:
        raise overrun("EndTxn request v3-5", buf, at) from error


# versions 0-2
def encode_response_v0(message: EndTxnResponse) -> bytes:
    try:
        out = begun()
        write_i32_be(out, message.throttle_time_ms)
        write_i16_be(out, message.error_code)
        return finished(out)
    except (AttributeError, TypeError, ValueError, OverflowError) as error:
        raise encode_failure("EndTxn response v0-2", message, error) from error


# versions 3-4
def encode_response_v3(message: EndTxnResponse) -> bytes:
    try:
        out = begun()
        write_i32_be(out, message.throttle_time_ms)
        write_i16_be(out, message.error_code)
        out.append(0)
        return finished(out)
    except (AttributeError, TypeError, ValueError, OverflowError) as error:
        raise encode_failure("EndTxn response v3-4", message, error) from error


def encode_response_v5(message: EndTxnResponse) -> bytes:
    try:
        out = begun()
        write_i32_be(out, message.throttle_time_ms)
        write_i16_be(out, message.error_code)
        write_i64_be(out, message.producer_id)
        write_i16_be(out, message.producer_epoch)
        out.append(0)
        return finished(out)
    except (AttributeError, TypeError, ValueError, OverflowError) as error:
        raise encode_failure("EndTxn response v5", message, error) from error


REQUEST_DECODERS = {
    0: decode_request_v0,
    1: decode_request_v0,
    2: decode_request_v0,
    3: decode_request_v3,
    4: decode_request_v3,
    5: decode_request_v3,
}
RESPONSE_ENCODERS = {
    0: encode_response_v0,
    1: encode_response_v0,
    2: encode_response_v0,
    3: encode_response_v3,
    4: encode_response_v3,
    5: encode_response_v5,
}
