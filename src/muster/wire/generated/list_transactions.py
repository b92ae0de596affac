"""Generated from tools/codecs/schemas/list_transactions.api by `make generate`; changes belong there."""

from __future__ import annotations

from collections.abc import Sequence

from struct import Struct, error as StructError

from muster.wire.message import Message, encode_failure
from muster.wire.primitives import numbers, overrun, read_length, read_numbers, skip_tagged, too_many
from muster.wire.varint import read_uvarint, uvarint

new = Message.__new__
pack_ih = Struct(">ih").pack
pack_ihB = Struct(">ihB").pack
pack_q = Struct(">q").pack
pack_qB = Struct(">qB").pack
pack_qx = Struct(">qx").pack
unpack_ihB = Struct(">ihB").unpack_from
unpack_qB = Struct(">qB").unpack_from


class ListTransactionsRequest(Message):
    __match_args__ = ("state_filters", "producer_id_filters", "duration_filter", "transactional_id_pattern")
    __slots__ = __match_args__

    def __init__(
        self,
        state_filters: Sequence[str] = (),
        producer_id_filters: Sequence[int] = (),
        duration_filter: int = -1,
        transactional_id_pattern: str | None = None,
    ) -> None:
        self.state_filters = state_filters
        self.producer_id_filters = producer_id_filters
        self.duration_filter = duration_filter
        self.transactional_id_pattern = transactional_id_pattern


class ListTransactionsResponseTransaction(Message):
    __match_args__ = ("transactional_id", "producer_id", "transaction_state")
    __slots__ = __match_args__

    def __init__(
        self,
        transactional_id: str = "",
        producer_id: int = 0,
        transaction_state: str = "",
    ) -> None:
        self.transactional_id = transactional_id
        self.producer_id = producer_id
        self.transaction_state = transaction_state


class ListTransactionsResponse(Message):
    __match_args__ = ("throttle_time_ms", "error_code", "unknown_state_filters", "transaction_states")
    __slots__ = __match_args__

    def __init__(
        self,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        unknown_state_filters: Sequence[str] = (),
        transaction_states: Sequence[ListTransactionsResponseTransaction] = (),
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.unknown_state_filters = unknown_state_filters
        self.transaction_states = transaction_states


def decode_request_v0(buf: bytes, pos: int) -> ListTransactionsRequest:
    try:
        n = buf[pos]
        pos += 1
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "ListTransactions request v0", "StateFilters")
        n -= 1
        if n > len(buf) - pos:
            raise overrun("ListTransactions request v0", buf, pos)
        if n > 50000:
            raise too_many("ListTransactions request v0", n)
        state_filters_0_items: list[str] = []
        for _ in range(n):
            n = buf[pos]
            pos += 1
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "ListTransactions request v0", "StateFilters")
            end = pos + n - 1
            state_filters_0_item = buf[pos:end].decode("utf-8", "replace")
            pos = end
            state_filters_0_items.append(state_filters_0_item)
        state_filters_0 = state_filters_0_items
        n = buf[pos]
        pos += 1
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "ListTransactions request v0", "ProducerIdFilters")
        n -= 1
        if n * 8 > len(buf) - pos:
            raise overrun("ListTransactions request v0", buf, pos)
        producer_id_filters_0 = read_numbers("q", 8, buf, pos, n)
        pos += n * 8
        tags = buf[pos]
        pos += 1
        if tags:
            pos = skip_tagged(buf, pos - 1)
        made_0 = new(ListTransactionsRequest)
        made_0.state_filters = state_filters_0
        made_0.producer_id_filters = producer_id_filters_0
        made_0.duration_filter = -1
        made_0.transactional_id_pattern = None
    except (IndexError, StructError) as error:
        raise overrun("ListTransactions request v0", buf, pos) from error
    if pos > len(buf):
        raise overrun("ListTransactions request v0", buf, pos)
    return made_0


def decode_request_v1(buf: bytes, pos: int) -> ListTransactionsRequest:
    try:
        n = buf[pos]
        pos += 1
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "ListTransactions request v1", "StateFilters")
        n -= 1
        if n > len(buf) - pos:
            raise overrun("ListTransactions request v1", buf, pos)
        if n > 50000:
            raise too_many("ListTransactions request v1", n)
        state_filters_0_items: list[str] = []
        for _ in range(n):
            n = buf[pos]
            pos += 1
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "ListTransactions request v1", "StateFilters")
            end = pos + n - 1
            state_filters_0_item = buf[pos:end].decode("utf-8", "replace")
            pos = end
            state_filters_0_items.append(state_filters_0_item)
        state_filters_0 = state_filters_0_items
        n = buf[pos]
        pos += 1
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "ListTransactions request v1", "ProducerIdFilters")
        n -= 1
        if n * 8 > len(buf) - pos:
            raise overrun("ListTransactions request v1", buf, pos)
        producer_id_filters_0 = read_numbers("q", 8, buf, pos, n)
        pos += n * 8
        duration_filter_0, tags = unpack_qB(buf, pos)
        pos += 9
        if tags:
            pos = skip_tagged(buf, pos - 1)
        made_0 = new(ListTransactionsRequest)
        made_0.state_filters = state_filters_0
        made_0.producer_id_filters = producer_id_filters_0
        made_0.duration_filter = duration_filter_0
        made_0.transactional_id_pattern = None
    except (IndexError, StructError) as error:
        raise overrun("ListTransactions request v1", buf, pos) from error
    if pos > len(buf):
        raise overrun("ListTransactions request v1", buf, pos)
    return made_0


def decode_request_v2(buf: bytes, pos: int) -> ListTransactionsRequest:
    try:
        n = buf[pos]
        pos += 1
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "ListTransactions request v2", "StateFilters")
        n -= 1
        if n > len(buf) - pos:
            raise overrun("ListTransactions request v2", buf, pos)
        if n > 50000:
            raise too_many("ListTransactions request v2", n)
        state_filters_0_items: list[str] = []
        for _ in range(n):
            n = buf[pos]
            pos += 1
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "ListTransactions request v2", "StateFilters")
            end = pos + n - 1
            state_filters_0_item = buf[pos:end].decode("utf-8", "replace")
            pos = end
            state_filters_0_items.append(state_filters_0_item)
        state_filters_0 = state_filters_0_items
        n = buf[pos]
        pos += 1
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "ListTransactions request v2", "ProducerIdFilters")
        n -= 1
        if n * 8 > len(buf) - pos:
            raise overrun("ListTransactions request v2", buf, pos)
        producer_id_filters_0 = read_numbers("q", 8, buf, pos, n)
        pos += n * 8
        duration_filter_0, n = unpack_qB(buf, pos)
        pos += 9
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        transactional_id_pattern_0: str | None = None
        if n > 0:
            end = pos + n - 1
            transactional_id_pattern_0 = buf[pos:end].decode("utf-8", "replace")
            pos = end
        tags = buf[pos]
        pos += 1
        if tags:
            pos = skip_tagged(buf, pos - 1)
        made_0 = new(ListTransactionsRequest)
        made_0.state_filters = state_filters_0
        made_0.producer_id_filters = producer_id_filters_0
        made_0.duration_filter = duration_filter_0
        made_0.transactional_id_pattern = transactional_id_pattern_0
    except (IndexError, StructError) as error:
        raise overrun("ListTransactions request v2", buf, pos) from error
    if pos > len(buf):
        raise overrun("ListTransactions request v2", buf, pos)
    return made_0


def encode_request_v0(message: ListTransactionsRequest) -> bytes:
    try:
        out = bytearray()
        items_1 = message.state_filters
        n = len(items_1) + 1
        if n < 128:
            out.append(n)
        else:
            out += uvarint(n)
        for item_1 in items_1:
            raw = item_1.encode()
            n = len(raw) + 1
            if n < 128:
                out.append(n)
            else:
                out += uvarint(n)
            out += raw
        items_2 = message.producer_id_filters
        n = len(items_2) + 1
        if n < 128:
            out.append(n)
        else:
            out += uvarint(n)
        out += numbers("q", items_2)
        out += b"\0"
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("ListTransactions request v0", message, error) from error


def encode_request_v1(message: ListTransactionsRequest) -> bytes:
    try:
        out = bytearray()
        items_1 = message.state_filters
        n = len(items_1) + 1
        if n < 128:
            out.append(n)
        else:
            out += uvarint(n)
        for item_1 in items_1:
            raw = item_1.encode()
            n = len(raw) + 1
            if n < 128:
                out.append(n)
            else:
                out += uvarint(n)
            out += raw
        items_2 = message.producer_id_filters
        n = len(items_2) + 1
        if n < 128:
            out.append(n)
        else:
            out += uvarint(n)
        out += numbers("q", items_2)
        out += pack_qx(message.duration_filter)
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("ListTransactions request v1", message, error) from error


def encode_request_v2(message: ListTransactionsRequest) -> bytes:
    try:
        out = bytearray()
        items_1 = message.state_filters
        n = len(items_1) + 1
        if n < 128:
            out.append(n)
        else:
            out += uvarint(n)
        for item_1 in items_1:
            raw = item_1.encode()
            n = len(raw) + 1
            if n < 128:
                out.append(n)
            else:
                out += uvarint(n)
            out += raw
        items_2 = message.producer_id_filters
        n = len(items_2) + 1
        if n < 128:
            out.append(n)
        else:
            out += uvarint(n)
        out += numbers("q", items_2)
        value_3 = message.transactional_id_pattern
        if value_3 is None:
            out += pack_qx(message.duration_filter)
        else:
            raw = value_3.encode()
            n = len(raw) + 1
            if n < 128:
                out += pack_qB(message.duration_filter, n)
            else:
                out += pack_q(message.duration_filter)
                out += uvarint(n)
            out += raw
        out += b"\0"
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("ListTransactions request v2", message, error) from error


# versions 0-2
def decode_response_v0(buf: bytes, pos: int) -> ListTransactionsResponse:
    try:
        throttle_time_ms_0, error_code_0, n = unpack_ihB(buf, pos)
        pos += 7
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "ListTransactions response v0-2", "UnknownStateFilters")
        n -= 1
        if n > len(buf) - pos:
            raise overrun("ListTransactions response v0-2", buf, pos)
        unknown_state_filters_0_items: list[str] = []
        for _ in range(n):
            n = buf[pos]
            pos += 1
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "ListTransactions response v0-2", "UnknownStateFilters")
            end = pos + n - 1
            unknown_state_filters_0_item = buf[pos:end].decode("utf-8", "replace")
            pos = end
            unknown_state_filters_0_items.append(unknown_state_filters_0_item)
        unknown_state_filters_0 = unknown_state_filters_0_items
        n = buf[pos]
        pos += 1
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "ListTransactions response v0-2", "TransactionStates")
        n -= 1
        if n * 11 > len(buf) - pos:
            raise overrun("ListTransactions response v0-2", buf, pos)
        transaction_states_0_items: list[ListTransactionsResponseTransaction] = []
        for _ in range(n):
            n = buf[pos]
            pos += 1
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "ListTransactions response v0-2", "TransactionalId")
            end = pos + n - 1
            transactional_id_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            producer_id_1, n = unpack_qB(buf, pos)
            pos += 9
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "ListTransactions response v0-2", "TransactionState")
            end = pos + n - 1
            transaction_state_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            tags = buf[pos]
            pos += 1
            if tags:
                pos = skip_tagged(buf, pos - 1)
            made_1 = new(ListTransactionsResponseTransaction)
            made_1.transactional_id = transactional_id_1
            made_1.producer_id = producer_id_1
            made_1.transaction_state = transaction_state_1
            transaction_states_0_items.append(made_1)
        transaction_states_0 = transaction_states_0_items
        tags = buf[pos]
        pos += 1
        if tags:
            pos = skip_tagged(buf, pos - 1)
        made_0 = new(ListTransactionsResponse)
        made_0.throttle_time_ms = throttle_time_ms_0
        made_0.error_code = error_code_0
        made_0.unknown_state_filters = unknown_state_filters_0
        made_0.transaction_states = transaction_states_0
    except (IndexError, StructError) as error:
        raise overrun("ListTransactions response v0-2", buf, pos) from error
    if pos > len(buf):
        raise overrun("ListTransactions response v0-2", buf, pos)
    return made_0


# versions 0-2
def encode_response_v0(message: ListTransactionsResponse) -> bytes:
    try:
        out = bytearray()
        items_1 = message.unknown_state_filters
        n = len(items_1) + 1
        if n < 128:
            out += pack_ihB(message.throttle_time_ms, message.error_code, n)
        else:
            out += pack_ih(message.throttle_time_ms, message.error_code)
            out += uvarint(n)
        for item_1 in items_1:
            raw = item_1.encode()
            n = len(raw) + 1
            if n < 128:
                out.append(n)
            else:
                out += uvarint(n)
            out += raw
        items_2 = message.transaction_states
        n = len(items_2) + 1
        if n < 128:
            out.append(n)
        else:
            out += uvarint(n)
        for item_2 in items_2:
            raw = item_2.transactional_id.encode()
            n = len(raw) + 1
            if n < 128:
                out.append(n)
            else:
                out += uvarint(n)
            out += raw
            raw = item_2.transaction_state.encode()
            n = len(raw) + 1
            if n < 128:
                out += pack_qB(item_2.producer_id, n)
            else:
                out += pack_q(item_2.producer_id)
                out += uvarint(n)
            out += raw
            out += b"\0"
        out += b"\0"
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("ListTransactions response v0-2", message, error) from error


REQUEST_DECODERS = {
    0: decode_request_v0,
    1: decode_request_v1,
    2: decode_request_v2,
}
REQUEST_ENCODERS = {
    0: encode_request_v0,
    1: encode_request_v1,
    2: encode_request_v2,
}
RESPONSE_DECODERS = {
    0: decode_response_v0,
    1: decode_response_v0,
    2: decode_response_v0,
}
RESPONSE_ENCODERS = {
    0: encode_response_v0,
    1: encode_response_v0,
    2: encode_response_v0,
}
