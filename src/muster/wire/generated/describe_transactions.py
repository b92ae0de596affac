"""Generated from tools/codecs/schemas/describe_transactions.api by `make generate`; changes belong there."""

from __future__ import annotations

from collections.abc import Sequence

from struct import Struct, error as StructError

from muster.wire.message import Message, encode_failure
from muster.wire.primitives import i32s, overrun, read_i32s, read_length, skip_tagged, too_many
from muster.wire.varint import uvarint

new = Message.__new__
pack_h = Struct(">h").pack
pack_hB = Struct(">hB").pack
pack_i = Struct(">i").pack
pack_iB = Struct(">iB").pack
pack_iqqh = Struct(">iqqh").pack
pack_iqqhB = Struct(">iqqhB").pack
unpack_hB = Struct(">hB").unpack_from
unpack_iB = Struct(">iB").unpack_from
unpack_iqqhB = Struct(">iqqhB").unpack_from


class DescribeTransactionsRequest(Message):
    __match_args__ = ("transactional_ids",)
    __slots__ = __match_args__

    def __init__(
        self,
        transactional_ids: Sequence[str] = (),
    ) -> None:
        self.transactional_ids = transactional_ids


class DescribeTransactionsResponseTopic(Message):
    __match_args__ = ("topic", "partitions")
    __slots__ = __match_args__

    def __init__(
        self,
        topic: str = "",
        partitions: Sequence[int] = (),
    ) -> None:
        self.topic = topic
        self.partitions = partitions


class DescribeTransactionsResponseTransaction(Message):
    __match_args__ = ("error_code", "transactional_id", "transaction_state", "transaction_timeout_ms", "transaction_start_time_ms", "producer_id", "producer_epoch", "topics")
    __slots__ = __match_args__

    def __init__(
        self,
        error_code: int = 0,
        transactional_id: str = "",
        transaction_state: str = "",
        transaction_timeout_ms: int = 0,
        transaction_start_time_ms: int = 0,
        producer_id: int = 0,
        producer_epoch: int = 0,
        topics: Sequence[DescribeTransactionsResponseTopic] = (),
    ) -> None:
        self.error_code = error_code
        self.transactional_id = transactional_id
        self.transaction_state = transaction_state
        self.transaction_timeout_ms = transaction_timeout_ms
        self.transaction_start_time_ms = transaction_start_time_ms
        self.producer_id = producer_id
        self.producer_epoch = producer_epoch
        self.topics = topics


class DescribeTransactionsResponse(Message):
    __match_args__ = ("throttle_time_ms", "transaction_states")
    __slots__ = __match_args__

    def __init__(
        self,
        throttle_time_ms: int = 0,
        transaction_states: Sequence[DescribeTransactionsResponseTransaction] = (),
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.transaction_states = transaction_states


def decode_request_v0(buf: bytes, pos: int) -> DescribeTransactionsRequest:
    try:
        n = buf[pos]
        pos += 1
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "DescribeTransactions request v0", "TransactionalIds")
        n -= 1
        if n > len(buf) - pos:
            raise overrun("DescribeTransactions request v0", buf, pos)
        if n > 50000:
            raise too_many("DescribeTransactions request v0", n)
        transactional_ids_0_items: list[str] = []
        for _ in range(n):
            n = buf[pos]
            pos += 1
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "DescribeTransactions request v0", "TransactionalIds")
            end = pos + n - 1
            transactional_ids_0_item = buf[pos:end].decode("utf-8", "replace")
            pos = end
            transactional_ids_0_items.append(transactional_ids_0_item)
        transactional_ids_0 = transactional_ids_0_items
        tags = buf[pos]
        pos += 1
        if tags:
            pos = skip_tagged(buf, pos - 1)
        made_0 = new(DescribeTransactionsRequest)
        made_0.transactional_ids = transactional_ids_0
    except (IndexError, StructError) as error:
        raise overrun("DescribeTransactions request v0", buf, pos) from error
    if pos > len(buf):
        raise overrun("DescribeTransactions request v0", buf, pos)
    return made_0


def encode_request_v0(message: DescribeTransactionsRequest) -> bytes:
    try:
        out = bytearray()
        items_1 = message.transactional_ids
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
        out += b"\0"
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("DescribeTransactions request v0", message, error) from error


def decode_response_v0(buf: bytes, pos: int) -> DescribeTransactionsResponse:
    try:
        throttle_time_ms_0, n = unpack_iB(buf, pos)
        pos += 5
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "DescribeTransactions response v0", "TransactionStates")
        n -= 1
        if n * 28 > len(buf) - pos:
            raise overrun("DescribeTransactions response v0", buf, pos)
        transaction_states_0_items: list[DescribeTransactionsResponseTransaction] = []
        for _ in range(n):
            error_code_1, n = unpack_hB(buf, pos)
            pos += 3
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "DescribeTransactions response v0", "TransactionalId")
            end = pos + n - 1
            transactional_id_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            n = buf[pos]
            pos += 1
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "DescribeTransactions response v0", "TransactionState")
            end = pos + n - 1
            transaction_state_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            transaction_timeout_ms_1, transaction_start_time_ms_1, producer_id_1, producer_epoch_1, n = unpack_iqqhB(buf, pos)
            pos += 23
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "DescribeTransactions response v0", "Topics")
            n -= 1
            if n * 3 > len(buf) - pos:
                raise overrun("DescribeTransactions response v0", buf, pos)
            topics_1_items: list[DescribeTransactionsResponseTopic] = []
            for _ in range(n):
                n = buf[pos]
                pos += 1
                if not 0 < n < 128:
                    n, pos = read_length(buf, pos - 1, "DescribeTransactions response v0", "Topic")
                end = pos + n - 1
                topic_2 = buf[pos:end].decode("utf-8", "replace")
                pos = end
                n = buf[pos]
                pos += 1
                if not 0 < n < 128:
                    n, pos = read_length(buf, pos - 1, "DescribeTransactions response v0", "Partitions")
                n -= 1
                if n * 4 > len(buf) - pos:
                    raise overrun("DescribeTransactions response v0", buf, pos)
                partitions_2 = read_i32s(buf, pos, n)
                pos += n * 4
                tags = buf[pos]
                pos += 1
                if tags:
                    pos = skip_tagged(buf, pos - 1)
                made_2 = new(DescribeTransactionsResponseTopic)
                made_2.topic = topic_2
                made_2.partitions = partitions_2
                topics_1_items.append(made_2)
            topics_1 = topics_1_items
            tags = buf[pos]
            pos += 1
            if tags:
                pos = skip_tagged(buf, pos - 1)
            made_1 = new(DescribeTransactionsResponseTransaction)
            made_1.error_code = error_code_1
            made_1.transactional_id = transactional_id_1
            made_1.transaction_state = transaction_state_1
            made_1.transaction_timeout_ms = transaction_timeout_ms_1
            made_1.transaction_start_time_ms = transaction_start_time_ms_1
            made_1.producer_id = producer_id_1
            made_1.producer_epoch = producer_epoch_1
            made_1.topics = topics_1
            transaction_states_0_items.append(made_1)
        transaction_states_0 = transaction_states_0_items
        tags = buf[pos]
        pos += 1
        if tags:
            pos = skip_tagged(buf, pos - 1)
        made_0 = new(DescribeTransactionsResponse)
        made_0.throttle_time_ms = throttle_time_ms_0
        made_0.transaction_states = transaction_states_0
    except (IndexError, StructError) as error:
        raise overrun("DescribeTransactions response v0", buf, pos) from error
    if pos > len(buf):
        raise overrun("DescribeTransactions response v0", buf, pos)
    return made_0


def encode_response_v0(message: DescribeTransactionsResponse) -> bytes:
    try:
        out = bytearray()
        items_1 = message.transaction_states
        n = len(items_1) + 1
        if n < 128:
            out += pack_iB(message.throttle_time_ms, n)
        else:
            out += pack_i(message.throttle_time_ms)
            out += uvarint(n)
        for item_1 in items_1:
            raw = item_1.transactional_id.encode()
            n = len(raw) + 1
            if n < 128:
                out += pack_hB(item_1.error_code, n)
            else:
                out += pack_h(item_1.error_code)
                out += uvarint(n)
            out += raw
            raw = item_1.transaction_state.encode()
            n = len(raw) + 1
            if n < 128:
                out.append(n)
            else:
                out += uvarint(n)
            out += raw
            items_2 = item_1.topics
            n = len(items_2) + 1
            if n < 128:
                out += pack_iqqhB(item_1.transaction_timeout_ms, item_1.transaction_start_time_ms, item_1.producer_id, item_1.producer_epoch, n)
            else:
                out += pack_iqqh(item_1.transaction_timeout_ms, item_1.transaction_start_time_ms, item_1.producer_id, item_1.producer_epoch)
                out += uvarint(n)
            for item_2 in items_2:
                raw = item_2.topic.encode()
                n = len(raw) + 1
                if n < 128:
                    out.append(n)
                else:
                    out += uvarint(n)
                out += raw
                items_3 = item_2.partitions
                n = len(items_3) + 1
                if n < 128:
                    out.append(n)
                else:
                    out += uvarint(n)
                out += i32s(items_3)
                out += b"\0"
            out += b"\0"
        out += b"\0"
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("DescribeTransactions response v0", message, error) from error


REQUEST_DECODERS = {
    0: decode_request_v0,
}
REQUEST_ENCODERS = {
    0: encode_request_v0,
}
RESPONSE_DECODERS = {
    0: decode_response_v0,
}
RESPONSE_ENCODERS = {
    0: encode_response_v0,
}
