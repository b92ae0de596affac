"""Generated from tools/codecs/schemas/add_partitions_to_txn.api by `make generate`; changes belong there."""

from __future__ import annotations

from collections.abc import Sequence

from struct import Struct, error as StructError

from muster.wire.message import Message, encode_failure
from muster.wire.primitives import i32s, null_field, overrun, read_i32s, read_length, skip_tagged, too_many
from muster.wire.varint import uvarint

new = Message.__new__
pack_h = Struct(">h").pack
pack_i = Struct(">i").pack
pack_iB = Struct(">iB").pack
pack_ih = Struct(">ih").pack
pack_ihB = Struct(">ihB").pack
pack_ihx = Struct(">ihx").pack
pack_ii = Struct(">ii").pack
pack_qh = Struct(">qh").pack
pack_qht = Struct(">qh?").pack
pack_qhtB = Struct(">qh?B").pack
pack_qhB = Struct(">qhB").pack
pack_qhi = Struct(">qhi").pack
unpack_h = Struct(">h").unpack_from
unpack_i = Struct(">i").unpack_from
unpack_iB = Struct(">iB").unpack_from
unpack_ih = Struct(">ih").unpack_from
unpack_ihB = Struct(">ihB").unpack_from
unpack_ii = Struct(">ii").unpack_from
unpack_qhtB = Struct(">qh?B").unpack_from
unpack_qhB = Struct(">qhB").unpack_from
unpack_qhi = Struct(">qhi").unpack_from


class AddPartitionsToTxnRequestTopic(Message):
    __match_args__ = ("name", "partitions")
    __slots__ = __match_args__

    def __init__(
        self,
        name: str = "",
        partitions: Sequence[int] = (),
    ) -> None:
        self.name = name
        self.partitions = partitions


class AddPartitionsToTxnRequestTransactionTopic(Message):
    __match_args__ = ("name", "partitions")
    __slots__ = __match_args__

    def __init__(
        self,
        name: str = "",
        partitions: Sequence[int] = (),
    ) -> None:
        self.name = name
        self.partitions = partitions


class AddPartitionsToTxnRequestTransaction(Message):
    __match_args__ = ("transactional_id", "producer_id", "producer_epoch", "verify_only", "topics")
    __slots__ = __match_args__

    def __init__(
        self,
        transactional_id: str = "",
        producer_id: int = 0,
        producer_epoch: int = 0,
        verify_only: bool = False,
        topics: Sequence[AddPartitionsToTxnRequestTransactionTopic] = (),
    ) -> None:
        self.transactional_id = transactional_id
        self.producer_id = producer_id
        self.producer_epoch = producer_epoch
        self.verify_only = verify_only
        self.topics = topics


class AddPartitionsToTxnRequest(Message):
    __match_args__ = ("transactional_id", "producer_id", "producer_epoch", "topics", "transactions")
    __slots__ = __match_args__

    def __init__(
        self,
        transactional_id: str = "",
        producer_id: int = 0,
        producer_epoch: int = 0,
        topics: Sequence[AddPartitionsToTxnRequestTopic] = (),
        transactions: Sequence[AddPartitionsToTxnRequestTransaction] = (),
    ) -> None:
        self.transactional_id = transactional_id
        self.producer_id = producer_id
        self.producer_epoch = producer_epoch
        self.topics = topics
        self.transactions = transactions


class AddPartitionsToTxnResponseTransactionPartition(Message):
    __match_args__ = ("partition_index", "partition_error_code")
    __slots__ = __match_args__

    def __init__(
        self,
        partition_index: int = 0,
        partition_error_code: int = 0,
    ) -> None:
        self.partition_index = partition_index
        self.partition_error_code = partition_error_code


class AddPartitionsToTxnResponseTransactionTopic(Message):
    __match_args__ = ("name", "results_by_partition")
    __slots__ = __match_args__

    def __init__(
        self,
        name: str = "",
        results_by_partition: Sequence[AddPartitionsToTxnResponseTransactionPartition] = (),
    ) -> None:
        self.name = name
        self.results_by_partition = results_by_partition


class AddPartitionsToTxnResponseTransaction(Message):
    __match_args__ = ("transactional_id", "topic_results")
    __slots__ = __match_args__

    def __init__(
        self,
        transactional_id: str = "",
        topic_results: Sequence[AddPartitionsToTxnResponseTransactionTopic] = (),
    ) -> None:
        self.transactional_id = transactional_id
        self.topic_results = topic_results


class AddPartitionsToTxnResponsePartition(Message):
    __match_args__ = ("partition_index", "partition_error_code")
    __slots__ = __match_args__

    def __init__(
        self,
        partition_index: int = 0,
        partition_error_code: int = 0,
    ) -> None:
        self.partition_index = partition_index
        self.partition_error_code = partition_error_code


class AddPartitionsToTxnResponseTopic(Message):
    __match_args__ = ("name", "results_by_partition")
    __slots__ = __match_args__

    def __init__(
        self,
        name: str = "",
        results_by_partition: Sequence[AddPartitionsToTxnResponsePartition] = (),
    ) -> None:
        self.name = name
        self.results_by_partition = results_by_partition


class AddPartitionsToTxnResponse(Message):
    __match_args__ = ("throttle_time_ms", "error_code", "results_by_transaction", "results_by_topic")
    __slots__ = __match_args__

    def __init__(
        self,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        results_by_transaction: Sequence[AddPartitionsToTxnResponseTransaction] = (),
        results_by_topic: Sequence[AddPartitionsToTxnResponseTopic] = (),
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.results_by_transaction = results_by_transaction
        self.results_by_topic = results_by_topic


# versions 0-2
def decode_request_v0(buf: bytes, pos: int) -> AddPartitionsToTxnRequest:
    try:
        (n,) = unpack_h(buf, pos)
        pos += 2
        if n < 0:
            raise null_field("AddPartitionsToTxn request v0-2", "TransactionalId")
        end = pos + n
        transactional_id_0 = buf[pos:end].decode("utf-8", "replace")
        pos = end
        producer_id_0, producer_epoch_0, n = unpack_qhi(buf, pos)
        pos += 14
        if n < 0:
            raise null_field("AddPartitionsToTxn request v0-2", "Topics")
        if n * 6 > len(buf) - pos:
            raise overrun("AddPartitionsToTxn request v0-2", buf, pos)
        if n > 50000:
            raise too_many("AddPartitionsToTxn request v0-2", n)
        topics_0_items: list[AddPartitionsToTxnRequestTopic] = []
        for _ in range(n):
            (n,) = unpack_h(buf, pos)
            pos += 2
            if n < 0:
                raise null_field("AddPartitionsToTxn request v0-2", "Name")
            end = pos + n
            name_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            (n,) = unpack_i(buf, pos)
            pos += 4
            if n < 0:
                raise null_field("AddPartitionsToTxn request v0-2", "Partitions")
            if n * 4 > len(buf) - pos:
                raise overrun("AddPartitionsToTxn request v0-2", buf, pos)
            partitions_1 = read_i32s(buf, pos, n)
            pos += n * 4
            made_1 = new(AddPartitionsToTxnRequestTopic)
            made_1.name = name_1
            made_1.partitions = partitions_1
            topics_0_items.append(made_1)
        topics_0 = topics_0_items
        made_0 = new(AddPartitionsToTxnRequest)
        made_0.transactional_id = transactional_id_0
        made_0.producer_id = producer_id_0
        made_0.producer_epoch = producer_epoch_0
        made_0.topics = topics_0
        made_0.transactions = ()
    except (IndexError, StructError) as error:
        raise overrun("AddPartitionsToTxn request v0-2", buf, pos) from error
    if pos > len(buf):
        raise overrun("AddPartitionsToTxn request v0-2", buf, pos)
    return made_0


def decode_request_v3(buf: bytes, pos: int) -> AddPartitionsToTxnRequest:
    try:
        n = buf[pos]
        pos += 1
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "AddPartitionsToTxn request v3", "TransactionalId")
        end = pos + n - 1
        transactional_id_0 = buf[pos:end].decode("utf-8", "replace")
        pos = end
        producer_id_0, producer_epoch_0, n = unpack_qhB(buf, pos)
        pos += 11
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "AddPartitionsToTxn request v3", "Topics")
        n -= 1
        if n * 3 > len(buf) - pos:
            raise overrun("AddPartitionsToTxn request v3", buf, pos)
        if n > 50000:
            raise too_many("AddPartitionsToTxn request v3", n)
        topics_0_items: list[AddPartitionsToTxnRequestTopic] = []
        for _ in range(n):
            n = buf[pos]
            pos += 1
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "AddPartitionsToTxn request v3", "Name")
            end = pos + n - 1
            name_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            n = buf[pos]
            pos += 1
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "AddPartitionsToTxn request v3", "Partitions")
            n -= 1
            if n * 4 > len(buf) - pos:
                raise overrun("AddPartitionsToTxn request v3", buf, pos)
            partitions_1 = read_i32s(buf, pos, n)
            pos += n * 4
            tags = buf[pos]
            pos += 1
            if tags:
                pos = skip_tagged(buf, pos - 1)
            made_1 = new(AddPartitionsToTxnRequestTopic)
            made_1.name = name_1
            made_1.partitions = partitions_1
            topics_0_items.append(made_1)
        topics_0 = topics_0_items
        tags = buf[pos]
        pos += 1
        if tags:
            pos = skip_tagged(buf, pos - 1)
        made_0 = new(AddPartitionsToTxnRequest)
        made_0.transactional_id = transactional_id_0
        made_0.producer_id = producer_id_0
        made_0.producer_epoch = producer_epoch_0
        made_0.topics = topics_0
        made_0.transactions = ()
    except (IndexError, StructError) as error:
        raise overrun("AddPartitionsToTxn request v3", buf, pos) from error
    if pos > len(buf):
        raise overrun("AddPartitionsToTxn request v3", buf, pos)
    return made_0


# versions 4-5
def decode_request_v4(buf: bytes, pos: int) -> AddPartitionsToTxnRequest:
    try:
        n = buf[pos]
        pos += 1
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "AddPartitionsToTxn request v4-5", "Transactions")
        n -= 1
        if n * 14 > len(buf) - pos:
            raise overrun("AddPartitionsToTxn request v4-5", buf, pos)
        if n > 50000:
            raise too_many("AddPartitionsToTxn request v4-5", n)
        transactions_0_items: list[AddPartitionsToTxnRequestTransaction] = []
        for _ in range(n):
            n = buf[pos]
            pos += 1
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "AddPartitionsToTxn request v4-5", "TransactionalId")
            end = pos + n - 1
            transactional_id_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            producer_id_1, producer_epoch_1, verify_only_1, n = unpack_qhtB(buf, pos)
            pos += 12
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "AddPartitionsToTxn request v4-5", "Topics")
            n -= 1
            if n * 3 > len(buf) - pos:
                raise overrun("AddPartitionsToTxn request v4-5", buf, pos)
            if n > 50000:
                raise too_many("AddPartitionsToTxn request v4-5", n)
            topics_1_items: list[AddPartitionsToTxnRequestTransactionTopic] = []
            for _ in range(n):
                n = buf[pos]
                pos += 1
                if not 0 < n < 128:
                    n, pos = read_length(buf, pos - 1, "AddPartitionsToTxn request v4-5", "Name")
                end = pos + n - 1
                name_2 = buf[pos:end].decode("utf-8", "replace")
                pos = end
                n = buf[pos]
                pos += 1
                if not 0 < n < 128:
                    n, pos = read_length(buf, pos - 1, "AddPartitionsToTxn request v4-5", "Partitions")
                n -= 1
                if n * 4 > len(buf) - pos:
                    raise overrun("AddPartitionsToTxn request v4-5", buf, pos)
                partitions_2 = read_i32s(buf, pos, n)
                pos += n * 4
                tags = buf[pos]
                pos += 1
                if tags:
                    pos = skip_tagged(buf, pos - 1)
                made_2 = new(AddPartitionsToTxnRequestTransactionTopic)
                made_2.name = name_2
                made_2.partitions = partitions_2
                topics_1_items.append(made_2)
            topics_1 = topics_1_items
            tags = buf[pos]
            pos += 1
            if tags:
                pos = skip_tagged(buf, pos - 1)
            made_1 = new(AddPartitionsToTxnRequestTransaction)
            made_1.transactional_id = transactional_id_1
            made_1.producer_id = producer_id_1
            made_1.producer_epoch = producer_epoch_1
            made_1.verify_only = verify_only_1
            made_1.topics = topics_1
            transactions_0_items.append(made_1)
        transactions_0 = transactions_0_items
        tags = buf[pos]
        pos += 1
        if tags:
            pos = skip_tagged(buf, pos - 1)
        made_0 = new(AddPartitionsToTxnRequest)
        made_0.transactional_id = ""
        made_0.producer_id = 0
        made_0.producer_epoch = 0
        made_0.topics = ()
        made_0.transactions = transactions_0
    except (IndexError, StructError) as error:
        raise overrun("AddPartitionsToTxn request v4-5", buf, pos) from error
    if pos > len(buf):
        raise overrun("AddPartitionsToTxn request v4-5", buf, pos)
    return made_0


# versions 0-2
def encode_request_v0(message: AddPartitionsToTxnRequest) -> bytes:
    try:
        out = bytearray()
        raw = message.transactional_id.encode()
        out += pack_h(len(raw))
        out += raw
        items_1 = message.topics
        out += pack_qhi(message.producer_id, message.producer_epoch, len(items_1))
        for item_1 in items_1:
            raw = item_1.name.encode()
            out += pack_h(len(raw))
            out += raw
            items_2 = item_1.partitions
            out += pack_i(len(items_2))
            out += i32s(items_2)
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("AddPartitionsToTxn request v0-2", message, error) from error


def encode_request_v3(message: AddPartitionsToTxnRequest) -> bytes:
    try:
        out = bytearray()
        raw = message.transactional_id.encode()
        n = len(raw) + 1
        if n < 128:
            out.append(n)
        else:
            out += uvarint(n)
        out += raw
        items_1 = message.topics
        n = len(items_1) + 1
        if n < 128:
            out += pack_qhB(message.producer_id, message.producer_epoch, n)
        else:
            out += pack_qh(message.producer_id, message.producer_epoch)
            out += uvarint(n)
        for item_1 in items_1:
            raw = item_1.name.encode()
            n = len(raw) + 1
            if n < 128:
                out.append(n)
            else:
                out += uvarint(n)
            out += raw
            items_2 = item_1.partitions
            n = len(items_2) + 1
            if n < 128:
                out.append(n)
            else:
                out += uvarint(n)
            out += i32s(items_2)
            out += b"\0"
        out += b"\0"
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("AddPartitionsToTxn request v3", message, error) from error


# versions 4-5
def encode_request_v4(message: AddPartitionsToTxnRequest) -> bytes:
    try:
        out = bytearray()
        items_1 = message.transactions
        n = len(items_1) + 1
        if n < 128:
            out.append(n)
        else:
            out += uvarint(n)
        for item_1 in items_1:
            raw = item_1.transactional_id.encode()
            n = len(raw) + 1
            if n < 128:
                out.append(n)
            else:
                out += uvarint(n)
            out += raw
            items_2 = item_1.topics
            n = len(items_2) + 1
            if n < 128:
                out += pack_qhtB(item_1.producer_id, item_1.producer_epoch, item_1.verify_only, n)
            else:
                out += pack_qht(item_1.producer_id, item_1.producer_epoch, item_1.verify_only)
                out += uvarint(n)
            for item_2 in items_2:
                raw = item_2.name.encode()
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
        raise encode_failure("AddPartitionsToTxn request v4-5", message, error) from error


# versions 0-2
def decode_response_v0(buf: bytes, pos: int) -> AddPartitionsToTxnResponse:
    try:
        throttle_time_ms_0, n = unpack_ii(buf, pos)
        pos += 8
        if n < 0:
            raise null_field("AddPartitionsToTxn response v0-2", "ResultsByTopic")
        if n * 6 > len(buf) - pos:
            raise overrun("AddPartitionsToTxn response v0-2", buf, pos)
        results_by_topic_0_items: list[AddPartitionsToTxnResponseTopic] = []
        for _ in range(n):
            (n,) = unpack_h(buf, pos)
            pos += 2
            if n < 0:
                raise null_field("AddPartitionsToTxn response v0-2", "Name")
            end = pos + n
            name_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            (n,) = unpack_i(buf, pos)
            pos += 4
            if n < 0:
                raise null_field("AddPartitionsToTxn response v0-2", "ResultsByPartition")
            if n * 6 > len(buf) - pos:
                raise overrun("AddPartitionsToTxn response v0-2", buf, pos)
            results_by_partition_1_items: list[AddPartitionsToTxnResponsePartition] = []
            for _ in range(n):
                partition_index_2, partition_error_code_2 = unpack_ih(buf, pos)
                pos += 6
                made_2 = new(AddPartitionsToTxnResponsePartition)
                made_2.partition_index = partition_index_2
                made_2.partition_error_code = partition_error_code_2
                results_by_partition_1_items.append(made_2)
            results_by_partition_1 = results_by_partition_1_items
            made_1 = new(AddPartitionsToTxnResponseTopic)
            made_1.name = name_1
            made_1.results_by_partition = results_by_partition_1
            results_by_topic_0_items.append(made_1)
        results_by_topic_0 = results_by_topic_0_items
        made_0 = new(AddPartitionsToTxnResponse)
        made_0.throttle_time_ms = throttle_time_ms_0
        made_0.error_code = 0
        made_0.results_by_transaction = ()
        made_0.results_by_topic = results_by_topic_0
    except (IndexError, StructError) as error:
        raise overrun("AddPartitionsToTxn response v0-2", buf, pos) from error
    if pos > len(buf):
        raise overrun("AddPartitionsToTxn response v0-2", buf, pos)
    return made_0


def decode_response_v3(buf: bytes, pos: int) -> AddPartitionsToTxnResponse:
    try:
        throttle_time_ms_0, n = unpack_iB(buf, pos)
        pos += 5
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "AddPartitionsToTxn response v3", "ResultsByTopic")
        n -= 1
        if n * 3 > len(buf) - pos:
            raise overrun("AddPartitionsToTxn response v3", buf, pos)
        results_by_topic_0_items: list[AddPartitionsToTxnResponseTopic] = []
        for _ in range(n):
            n = buf[pos]
            pos += 1
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "AddPartitionsToTxn response v3", "Name")
            end = pos + n - 1
            name_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            n = buf[pos]
            pos += 1
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "AddPartitionsToTxn response v3", "ResultsByPartition")
            n -= 1
            if n * 7 > len(buf) - pos:
                raise overrun("AddPartitionsToTxn response v3", buf, pos)
            results_by_partition_1_items: list[AddPartitionsToTxnResponsePartition] = []
            for _ in range(n):
                partition_index_2, partition_error_code_2, tags = unpack_ihB(buf, pos)
                pos += 7
                if tags:
                    pos = skip_tagged(buf, pos - 1)
                made_2 = new(AddPartitionsToTxnResponsePartition)
                made_2.partition_index = partition_index_2
                made_2.partition_error_code = partition_error_code_2
                results_by_partition_1_items.append(made_2)
            results_by_partition_1 = results_by_partition_1_items
            tags = buf[pos]
            pos += 1
            if tags:
                pos = skip_tagged(buf, pos - 1)
            made_1 = new(AddPartitionsToTxnResponseTopic)
            made_1.name = name_1
            made_1.results_by_partition = results_by_partition_1
            results_by_topic_0_items.append(made_1)
        results_by_topic_0 = results_by_topic_0_items
        tags = buf[pos]
        pos += 1
        if tags:
            pos = skip_tagged(buf, pos - 1)
        made_0 = new(AddPartitionsToTxnResponse)
        made_0.throttle_time_ms = throttle_time_ms_0
        made_0.error_code = 0
        made_0.results_by_transaction = ()
        made_0.results_by_topic = results_by_topic_0
    except (IndexError, StructError) as error:
        raise overrun("AddPartitionsToTxn response v3", buf, pos) from error
    if pos > len(buf):
        raise overrun("AddPartitionsToTxn response v3", buf, pos)
    return made_0


# versions 4-5
def decode_response_v4(buf: bytes, pos: int) -> AddPartitionsToTxnResponse:
    try:
        throttle_time_ms_0, error_code_0, n = unpack_ihB(buf, pos)
        pos += 7
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "AddPartitionsToTxn response v4-5", "ResultsByTransaction")
        n -= 1
        if n * 3 > len(buf) - pos:
            raise overrun("AddPartitionsToTxn response v4-5", buf, pos)
        results_by_transaction_0_items: list[AddPartitionsToTxnResponseTransaction] = []
        for _ in range(n):
            n = buf[pos]
            pos += 1
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "AddPartitionsToTxn response v4-5", "TransactionalId")
            end = pos + n - 1
            transactional_id_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            n = buf[pos]
            pos += 1
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "AddPartitionsToTxn response v4-5", "TopicResults")
            n -= 1
            if n * 3 > len(buf) - pos:
                raise overrun("AddPartitionsToTxn response v4-5", buf, pos)
            topic_results_1_items: list[AddPartitionsToTxnResponseTransactionTopic] = []
            for _ in range(n):
                n = buf[pos]
                pos += 1
                if not 0 < n < 128:
                    n, pos = read_length(buf, pos - 1, "AddPartitionsToTxn response v4-5", "Name")
                end = pos + n - 1
                name_2 = buf[pos:end].decode("utf-8", "replace")
                pos = end
                n = buf[pos]
                pos += 1
                if not 0 < n < 128:
                    n, pos = read_length(buf, pos - 1, "AddPartitionsToTxn response v4-5", "ResultsByPartition")
                n -= 1
                if n * 7 > len(buf) - pos:
                    raise overrun("AddPartitionsToTxn response v4-5", buf, pos)
                results_by_partition_2_items: list[AddPartitionsToTxnResponseTransactionPartition] = []
                for _ in range(n):
                    partition_index_3, partition_error_code_3, tags = unpack_ihB(buf, pos)
                    pos += 7
                    if tags:
                        pos = skip_tagged(buf, pos - 1)
                    made_3 = new(AddPartitionsToTxnResponseTransactionPartition)
                    made_3.partition_index = partition_index_3
                    made_3.partition_error_code = partition_error_code_3
                    results_by_partition_2_items.append(made_3)
                results_by_partition_2 = results_by_partition_2_items
                tags = buf[pos]
                pos += 1
                if tags:
                    pos = skip_tagged(buf, pos - 1)
                made_2 = new(AddPartitionsToTxnResponseTransactionTopic)
                made_2.name = name_2
                made_2.results_by_partition = results_by_partition_2
                topic_results_1_items.append(made_2)
            topic_results_1 = topic_results_1_items
            tags = buf[pos]
            pos += 1
            if tags:
                pos = skip_tagged(buf, pos - 1)
            made_1 = new(AddPartitionsToTxnResponseTransaction)
            made_1.transactional_id = transactional_id_1
            made_1.topic_results = topic_results_1
            results_by_transaction_0_items.append(made_1)
        results_by_transaction_0 = results_by_transaction_0_items
        tags = buf[pos]
        pos += 1
        if tags:
            pos = skip_tagged(buf, pos - 1)
        made_0 = new(AddPartitionsToTxnResponse)
        made_0.throttle_time_ms = throttle_time_ms_0
        made_0.error_code = error_code_0
        made_0.results_by_transaction = results_by_transaction_0
        made_0.results_by_topic = ()
    except (IndexError, StructError) as error:
        raise overrun("AddPartitionsToTxn response v4-5", buf, pos) from error
    if pos > len(buf):
        raise overrun("AddPartitionsToTxn response v4-5", buf, pos)
    return made_0


# versions 0-2
def encode_response_v0(message: AddPartitionsToTxnResponse) -> bytes:
    try:
        out = bytearray()
        items_1 = message.results_by_topic
        out += pack_ii(message.throttle_time_ms, len(items_1))
        for item_1 in items_1:
            raw = item_1.name.encode()
            out += pack_h(len(raw))
            out += raw
            items_2 = item_1.results_by_partition
            out += pack_i(len(items_2))
            out += b"".join([pack_ih(item_2.partition_index, item_2.partition_error_code) for item_2 in items_2])
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("AddPartitionsToTxn response v0-2", message, error) from error


def encode_response_v3(message: AddPartitionsToTxnResponse) -> bytes:
    try:
        out = bytearray()
        items_1 = message.results_by_topic
        n = len(items_1) + 1
        if n < 128:
            out += pack_iB(message.throttle_time_ms, n)
        else:
            out += pack_i(message.throttle_time_ms)
            out += uvarint(n)
        for item_1 in items_1:
            raw = item_1.name.encode()
            n = len(raw) + 1
            if n < 128:
                out.append(n)
            else:
                out += uvarint(n)
            out += raw
            items_2 = item_1.results_by_partition
            n = len(items_2) + 1
            if n < 128:
                out.append(n)
            else:
                out += uvarint(n)
            out += b"".join([pack_ihx(item_2.partition_index, item_2.partition_error_code) for item_2 in items_2])
            out += b"\0"
        out += b"\0"
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("AddPartitionsToTxn response v3", message, error) from error


# versions 4-5
def encode_response_v4(message: AddPartitionsToTxnResponse) -> bytes:
    try:
        out = bytearray()
        items_1 = message.results_by_transaction
        n = len(items_1) + 1
        if n < 128:
            out += pack_ihB(message.throttle_time_ms, message.error_code, n)
        else:
            out += pack_ih(message.throttle_time_ms, message.error_code)
            out += uvarint(n)
        for item_1 in items_1:
            raw = item_1.transactional_id.encode()
            n = len(raw) + 1
            if n < 128:
                out.append(n)
            else:
                out += uvarint(n)
            out += raw
            items_2 = item_1.topic_results
            n = len(items_2) + 1
            if n < 128:
                out.append(n)
            else:
                out += uvarint(n)
            for item_2 in items_2:
                raw = item_2.name.encode()
                n = len(raw) + 1
                if n < 128:
                    out.append(n)
                else:
                    out += uvarint(n)
                out += raw
                items_3 = item_2.results_by_partition
                n = len(items_3) + 1
                if n < 128:
                    out.append(n)
                else:
                    out += uvarint(n)
                out += b"".join([pack_ihx(item_3.partition_index, item_3.partition_error_code) for item_3 in items_3])
                out += b"\0"
            out += b"\0"
        out += b"\0"
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("AddPartitionsToTxn response v4-5", message, error) from error


REQUEST_DECODERS = {
    0: decode_request_v0,
    1: decode_request_v0,
    2: decode_request_v0,
    3: decode_request_v3,
    4: decode_request_v4,
    5: decode_request_v4,
}
REQUEST_ENCODERS = {
    0: encode_request_v0,
    1: encode_request_v0,
    2: encode_request_v0,
    3: encode_request_v3,
    4: encode_request_v4,
    5: encode_request_v4,
}
RESPONSE_DECODERS = {
    0: decode_response_v0,
    1: decode_response_v0,
    2: decode_response_v0,
    3: decode_response_v3,
    4: decode_response_v4,
    5: decode_response_v4,
}
RESPONSE_ENCODERS = {
    0: encode_response_v0,
    1: encode_response_v0,
    2: encode_response_v0,
    3: encode_response_v3,
    4: encode_response_v4,
    5: encode_response_v4,
}
