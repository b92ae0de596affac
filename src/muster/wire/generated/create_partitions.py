"""Generated from tools/codecs/schemas/create_partitions.api by `make generate`; changes belong there."""

from __future__ import annotations

from collections.abc import Sequence

from struct import Struct, error as StructError

from muster.wire.message import Message, encode_failure
from muster.wire.primitives import i32s, null_field, overrun, read_i32s, read_length, skip_tagged, too_many
from muster.wire.varint import read_uvarint, uvarint

new = Message.__new__
pack_h = Struct(">h").pack
pack_hB = Struct(">hB").pack
pack_hh = Struct(">hh").pack
pack_hx = Struct(">hx").pack
pack_i = Struct(">i").pack
pack_it = Struct(">i?").pack
pack_itx = Struct(">i?x").pack
pack_iB = Struct(">iB").pack
pack_ii = Struct(">ii").pack
pack_ix = Struct(">ix").pack
unpack_h = Struct(">h").unpack_from
unpack_hB = Struct(">hB").unpack_from
unpack_hh = Struct(">hh").unpack_from
unpack_i = Struct(">i").unpack_from
unpack_it = Struct(">i?").unpack_from
unpack_itB = Struct(">i?B").unpack_from
unpack_iB = Struct(">iB").unpack_from
unpack_ii = Struct(">ii").unpack_from


class CreatePartitionsRequestAssignment(Message):
    __match_args__ = ("broker_ids",)
    __slots__ = __match_args__

    def __init__(
        self,
        broker_ids: Sequence[int] = (),
    ) -> None:
        self.broker_ids = broker_ids


class CreatePartitionsRequestTopic(Message):
    __match_args__ = ("name", "count", "assignments")
    __slots__ = __match_args__

    def __init__(
        self,
        name: str = "",
        count: int = 0,
        assignments: Sequence[CreatePartitionsRequestAssignment] | None = (),
    ) -> None:
        self.name = name
        self.count = count
        self.assignments = assignments


class CreatePartitionsRequest(Message):
    __match_args__ = ("topics", "timeout_ms", "validate_only")
    __slots__ = __match_args__

    def __init__(
        self,
        topics: Sequence[CreatePartitionsRequestTopic] = (),
        timeout_ms: int = 0,
        validate_only: bool = False,
    ) -> None:
        self.topics = topics
        self.timeout_ms = timeout_ms
        self.validate_only = validate_only


class CreatePartitionsResponseResult(Message):
    __match_args__ = ("name", "error_code", "error_message")
    __slots__ = __match_args__

    def __init__(
        self,
        name: str = "",
        error_code: int = 0,
        error_message: str | None = None,
    ) -> None:
        self.name = name
        self.error_code = error_code
        self.error_message = error_message


class CreatePartitionsResponse(Message):
    __match_args__ = ("throttle_time_ms", "results")
    __slots__ = __match_args__

    def __init__(
        self,
        throttle_time_ms: int = 0,
        results: Sequence[CreatePartitionsResponseResult] = (),
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.results = results


# versions 0-1
def decode_request_v0(buf: bytes, pos: int) -> CreatePartitionsRequest:
    try:
        (n,) = unpack_i(buf, pos)
        pos += 4
        if n < 0:
            raise null_field("CreatePartitions request v0-1", "Topics")
        if n * 10 > len(buf) - pos:
            raise overrun("CreatePartitions request v0-1", buf, pos)
        if n > 50000:
            raise too_many("CreatePartitions request v0-1", n)
        topics_0_items: list[CreatePartitionsRequestTopic] = []
        for _ in range(n):
            (n,) = unpack_h(buf, pos)
            pos += 2
            if n < 0:
                raise null_field("CreatePartitions request v0-1", "Name")
            end = pos + n
            name_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            count_1, n = unpack_ii(buf, pos)
            pos += 8
            assignments_1: Sequence[CreatePartitionsRequestAssignment] | None = None
            if n >= 0:
                if n > len(buf) - pos:
                    raise overrun("CreatePartitions request v0-1", buf, pos)
                if n > 50000:
                    raise too_many("CreatePartitions request v0-1", n)
                assignments_1_items: list[CreatePartitionsRequestAssignment] = []
                for _ in range(n):
                    (n,) = unpack_i(buf, pos)
                    pos += 4
                    if n < 0:
                        raise null_field("CreatePartitions request v0-1", "BrokerIds")
                    if n * 4 > len(buf) - pos:
                        raise overrun("CreatePartitions request v0-1", buf, pos)
                    broker_ids_2 = read_i32s(buf, pos, n)
                    pos += n * 4
                    made_2 = new(CreatePartitionsRequestAssignment)
                    made_2.broker_ids = broker_ids_2
                    assignments_1_items.append(made_2)
                assignments_1 = assignments_1_items
            made_1 = new(CreatePartitionsRequestTopic)
            made_1.name = name_1
            made_1.count = count_1
            made_1.assignments = assignments_1
            topics_0_items.append(made_1)
        topics_0 = topics_0_items
        timeout_ms_0, validate_only_0 = unpack_it(buf, pos)
        pos += 5
        made_0 = new(CreatePartitionsRequest)
        made_0.topics = topics_0
        made_0.timeout_ms = timeout_ms_0
        made_0.validate_only = validate_only_0
    except (IndexError, StructError) as error:
        raise overrun("CreatePartitions request v0-1", buf, pos) from error
    if pos > len(buf):
        raise overrun("CreatePartitions request v0-1", buf, pos)
    return made_0


# versions 2-3
def decode_request_v2(buf: bytes, pos: int) -> CreatePartitionsRequest:
    try:
        n = buf[pos]
        pos += 1
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "CreatePartitions request v2-3", "Topics")
        n -= 1
        if n * 7 > len(buf) - pos:
            raise overrun("CreatePartitions request v2-3", buf, pos)
        if n > 50000:
            raise too_many("CreatePartitions request v2-3", n)
        topics_0_items: list[CreatePartitionsRequestTopic] = []
        for _ in range(n):
            n = buf[pos]
            pos += 1
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "CreatePartitions request v2-3", "Name")
            end = pos + n - 1
            name_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            count_1, n = unpack_iB(buf, pos)
            pos += 5
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            assignments_1: Sequence[CreatePartitionsRequestAssignment] | None = None
            if n > 0:
                n -= 1
                if n > len(buf) - pos:
                    raise overrun("CreatePartitions request v2-3", buf, pos)
                if n > 50000:
                    raise too_many("CreatePartitions request v2-3", n)
                assignments_1_items: list[CreatePartitionsRequestAssignment] = []
                for _ in range(n):
                    n = buf[pos]
                    pos += 1
                    if not 0 < n < 128:
                        n, pos = read_length(buf, pos - 1, "CreatePartitions request v2-3", "BrokerIds")
                    n -= 1
                    if n * 4 > len(buf) - pos:
                        raise overrun("CreatePartitions request v2-3", buf, pos)
                    broker_ids_2 = read_i32s(buf, pos, n)
                    pos += n * 4
                    tags = buf[pos]
                    pos += 1
                    if tags:
                        pos = skip_tagged(buf, pos - 1)
                    made_2 = new(CreatePartitionsRequestAssignment)
                    made_2.broker_ids = broker_ids_2
                    assignments_1_items.append(made_2)
                assignments_1 = assignments_1_items
            tags = buf[pos]
            pos += 1
            if tags:
                pos = skip_tagged(buf, pos - 1)
            made_1 = new(CreatePartitionsRequestTopic)
            made_1.name = name_1
            made_1.count = count_1
            made_1.assignments = assignments_1
            topics_0_items.append(made_1)
        topics_0 = topics_0_items
        timeout_ms_0, validate_only_0, tags = unpack_itB(buf, pos)
        pos += 6
        if tags:
            pos = skip_tagged(buf, pos - 1)
        made_0 = new(CreatePartitionsRequest)
        made_0.topics = topics_0
        made_0.timeout_ms = timeout_ms_0
        made_0.validate_only = validate_only_0
    except (IndexError, StructError) as error:
        raise overrun("CreatePartitions request v2-3", buf, pos) from error
    if pos > len(buf):
        raise overrun("CreatePartitions request v2-3", buf, pos)
    return made_0


# versions 0-1
def encode_request_v0(message: CreatePartitionsRequest) -> bytes:
    try:
        out = bytearray()
        items_1 = message.topics
        out += pack_i(len(items_1))
        for item_1 in items_1:
            raw = item_1.name.encode()
            out += pack_h(len(raw))
            out += raw
            value_2 = item_1.assignments
            if value_2 is None:
                out += pack_ii(item_1.count, -1)
            else:
                items_3 = value_2
                out += pack_ii(item_1.count, len(items_3))
                for item_3 in items_3:
                    items_4 = item_3.broker_ids
                    out += pack_i(len(items_4))
                    out += i32s(items_4)
        out += pack_it(message.timeout_ms, message.validate_only)
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("CreatePartitions request v0-1", message, error) from error


# versions 2-3
def encode_request_v2(message: CreatePartitionsRequest) -> bytes:
    try:
        out = bytearray()
        items_1 = message.topics
        n = len(items_1) + 1
        if n < 128:
            out.append(n)
        else:
            out += uvarint(n)
        for item_1 in items_1:
            raw = item_1.name.encode()
            n = len(raw) + 1
            if n < 128:
                out.append(n)
            else:
                out += uvarint(n)
            out += raw
            value_2 = item_1.assignments
            if value_2 is None:
                out += pack_ix(item_1.count)
            else:
                items_3 = value_2
                n = len(items_3) + 1
                if n < 128:
                    out += pack_iB(item_1.count, n)
                else:
                    out += pack_i(item_1.count)
                    out += uvarint(n)
                for item_3 in items_3:
                    items_4 = item_3.broker_ids
                    n = len(items_4) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        out += uvarint(n)
                    out += i32s(items_4)
                    out += b"\0"
            out += b"\0"
        out += pack_itx(message.timeout_ms, message.validate_only)
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("CreatePartitions request v2-3", message, error) from error


# versions 0-1
def decode_response_v0(buf: bytes, pos: int) -> CreatePartitionsResponse:
    try:
        throttle_time_ms_0, n = unpack_ii(buf, pos)
        pos += 8
        if n < 0:
            raise null_field("CreatePartitions response v0-1", "Results")
        if n * 6 > len(buf) - pos:
            raise overrun("CreatePartitions response v0-1", buf, pos)
        results_0_items: list[CreatePartitionsResponseResult] = []
        for _ in range(n):
            (n,) = unpack_h(buf, pos)
            pos += 2
            if n < 0:
                raise null_field("CreatePartitions response v0-1", "Name")
            end = pos + n
            name_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            error_code_1, n = unpack_hh(buf, pos)
            pos += 4
            error_message_1: str | None = None
            if n >= 0:
                end = pos + n
                error_message_1 = buf[pos:end].decode("utf-8", "replace")
                pos = end
            made_1 = new(CreatePartitionsResponseResult)
            made_1.name = name_1
            made_1.error_code = error_code_1
            made_1.error_message = error_message_1
            results_0_items.append(made_1)
        results_0 = results_0_items
        made_0 = new(CreatePartitionsResponse)
        made_0.throttle_time_ms = throttle_time_ms_0
        made_0.results = results_0
    except (IndexError, StructError) as error:
        raise overrun("CreatePartitions response v0-1", buf, pos) from error
    if pos > len(buf):
        raise overrun("CreatePartitions response v0-1", buf, pos)
    return made_0


# versions 2-3
def decode_response_v2(buf: bytes, pos: int) -> CreatePartitionsResponse:
    try:
        throttle_time_ms_0, n = unpack_iB(buf, pos)
        pos += 5
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "CreatePartitions response v2-3", "Results")
        n -= 1
        if n * 5 > len(buf) - pos:
            raise overrun("CreatePartitions response v2-3", buf, pos)
        results_0_items: list[CreatePartitionsResponseResult] = []
        for _ in range(n):
            n = buf[pos]
            pos += 1
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "CreatePartitions response v2-3", "Name")
            end = pos + n - 1
            name_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            error_code_1, n = unpack_hB(buf, pos)
            pos += 3
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
            made_1 = new(CreatePartitionsResponseResult)
            made_1.name = name_1
            made_1.error_code = error_code_1
            made_1.error_message = error_message_1
            results_0_items.append(made_1)
        results_0 = results_0_items
        tags = buf[pos]
        pos += 1
        if tags:
            pos = skip_tagged(buf, pos - 1)
        made_0 = new(CreatePartitionsResponse)
        made_0.throttle_time_ms = throttle_time_ms_0
        made_0.results = results_0
    except (IndexError, StructError) as error:
        raise overrun("CreatePartitions response v2-3", buf, pos) from error
    if pos > len(buf):
        raise overrun("CreatePartitions response v2-3", buf, pos)
    return made_0


# versions 0-1
def encode_response_v0(message: CreatePartitionsResponse) -> bytes:
    try:
        out = bytearray()
        items_1 = message.results
        out += pack_ii(message.throttle_time_ms, len(items_1))
        for item_1 in items_1:
            raw = item_1.name.encode()
            out += pack_h(len(raw))
            out += raw
            value_2 = item_1.error_message
            if value_2 is None:
                out += pack_hh(item_1.error_code, -1)
            else:
                raw = value_2.encode()
                out += pack_hh(item_1.error_code, len(raw))
                out += raw
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("CreatePartitions response v0-1", message, error) from error


# versions 2-3
def encode_response_v2(message: CreatePartitionsResponse) -> bytes:
    try:
        out = bytearray()
        items_1 = message.results
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
            value_2 = item_1.error_message
            if value_2 is None:
                out += pack_hx(item_1.error_code)
            else:
                raw = value_2.encode()
                n = len(raw) + 1
                if n < 128:
                    out += pack_hB(item_1.error_code, n)
                else:
                    out += pack_h(item_1.error_code)
                    out += uvarint(n)
                out += raw
            out += b"\0"
        out += b"\0"
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("CreatePartitions response v2-3", message, error) from error


REQUEST_DECODERS = {
    0: decode_request_v0,
    1: decode_request_v0,
    2: decode_request_v2,
    3: decode_request_v2,
}
REQUEST_ENCODERS = {
    0: encode_request_v0,
    1: encode_request_v0,
    2: encode_request_v2,
    3: encode_request_v2,
}
RESPONSE_DECODERS = {
    0: decode_response_v0,
    1: decode_response_v0,
    2: decode_response_v2,
    3: decode_response_v2,
}
RESPONSE_ENCODERS = {
    0: encode_response_v0,
    1: encode_response_v0,
    2: encode_response_v2,
    3: encode_response_v2,
}
