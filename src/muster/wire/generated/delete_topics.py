"""Generated from tools/codecs/schemas/delete_topics.api by `make generate`; changes belong there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from struct import Struct, error as StructError

from muster.wire.message import Message, encode_failure
from muster.wire.primitives import null_field, overrun, read_length, skip_tagged, too_many
from muster.wire.varint import read_uvarint, uvarint

new = Message.__new__
pack_uh = Struct(">16sh").pack
pack_uhB = Struct(">16shB").pack
pack_uhx = Struct(">16shx").pack
pack_ux = Struct(">16sx").pack
pack_h = Struct(">h").pack
pack_hB = Struct(">hB").pack
pack_hx = Struct(">hx").pack
pack_i = Struct(">i").pack
pack_iB = Struct(">iB").pack
pack_ii = Struct(">ii").pack
pack_ix = Struct(">ix").pack
unpack_uB = Struct(">16sB").unpack_from
unpack_uhB = Struct(">16shB").unpack_from
unpack_h = Struct(">h").unpack_from
unpack_hB = Struct(">hB").unpack_from
unpack_i = Struct(">i").unpack_from
unpack_iB = Struct(">iB").unpack_from
unpack_ii = Struct(">ii").unpack_from
NO_UUID: Final = bytes(16)


class DeleteTopicsRequestTopic(Message):
    __match_args__ = ("name", "topic_id")
    __slots__ = __match_args__

    def __init__(
        self,
        name: str | None = None,
        topic_id: bytes = NO_UUID,
    ) -> None:
        self.name = name
        self.topic_id = topic_id


class DeleteTopicsRequest(Message):
    __match_args__ = ("topics", "topic_names", "timeout_ms")
    __slots__ = __match_args__

    def __init__(
        self,
        topics: Sequence[DeleteTopicsRequestTopic] = (),
        topic_names: Sequence[str] = (),
        timeout_ms: int = 0,
    ) -> None:
        self.topics = topics
        self.topic_names = topic_names
        self.timeout_ms = timeout_ms


class DeleteTopicsResponseTopic(Message):
    __match_args__ = ("name", "topic_id", "error_code", "error_message")
    __slots__ = __match_args__

    def __init__(
        self,
        name: str | None = "",
        topic_id: bytes = NO_UUID,
        error_code: int = 0,
        error_message: str | None = None,
    ) -> None:
        self.name = name
        self.topic_id = topic_id
        self.error_code = error_code
        self.error_message = error_message


class DeleteTopicsResponse(Message):
    __match_args__ = ("throttle_time_ms", "responses")
    __slots__ = __match_args__

    def __init__(
        self,
        throttle_time_ms: int = 0,
        responses: Sequence[DeleteTopicsResponseTopic] = (),
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.responses = responses


# versions 1-3
def decode_request_v1(buf: bytes, pos: int) -> DeleteTopicsRequest:
    try:
        (n,) = unpack_i(buf, pos)
        pos += 4
        if n < 0:
            raise null_field("DeleteTopics request v1-3", "TopicNames")
        if n * 2 > len(buf) - pos:
            raise overrun("DeleteTopics request v1-3", buf, pos)
        if n > 50000:
            raise too_many("DeleteTopics request v1-3", n)
        topic_names_0_items: list[str] = []
        for _ in range(n):
            (n,) = unpack_h(buf, pos)
            pos += 2
            if n < 0:
                raise null_field("DeleteTopics request v1-3", "TopicNames")
            end = pos + n
            topic_names_0_item = buf[pos:end].decode("utf-8", "replace")
            pos = end
            topic_names_0_items.append(topic_names_0_item)
        topic_names_0 = topic_names_0_items
        (timeout_ms_0,) = unpack_i(buf, pos)
        pos += 4
        made_0 = new(DeleteTopicsRequest)
        made_0.topics = ()
        made_0.topic_names = topic_names_0
        made_0.timeout_ms = timeout_ms_0
    except (IndexError, StructError) as error:
        raise overrun("DeleteTopics request v1-3", buf, pos) from error
    if pos > len(buf):
        raise overrun("DeleteTopics request v1-3", buf, pos)
    return made_0


# versions 4-5
def decode_request_v4(buf: bytes, pos: int) -> DeleteTopicsRequest:
    try:
        n = buf[pos]
        pos += 1
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "DeleteTopics request v4-5", "TopicNames")
        n -= 1
        if n > len(buf) - pos:
            raise overrun("DeleteTopics request v4-5", buf, pos)
        if n > 50000:
            raise too_many("DeleteTopics request v4-5", n)
        topic_names_0_items: list[str] = []
        for _ in range(n):
            n = buf[pos]
            pos += 1
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "DeleteTopics request v4-5", "TopicNames")
            end = pos + n - 1
            topic_names_0_item = buf[pos:end].decode("utf-8", "replace")
            pos = end
            topic_names_0_items.append(topic_names_0_item)
        topic_names_0 = topic_names_0_items
        timeout_ms_0, tags = unpack_iB(buf, pos)
        pos += 5
        if tags:
            pos = skip_tagged(buf, pos - 1)
        made_0 = new(DeleteTopicsRequest)
        made_0.topics = ()
        made_0.topic_names = topic_names_0
        made_0.timeout_ms = timeout_ms_0
    except (IndexError, StructError) as error:
        raise overrun("DeleteTopics request v4-5", buf, pos) from error
    if pos > len(buf):
        raise overrun("DeleteTopics request v4-5", buf, pos)
    return made_0


def decode_request_v6(buf: bytes, pos: int) -> DeleteTopicsRequest:
    try:
        n = buf[pos]
        pos += 1
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "DeleteTopics request v6", "Topics")
        n -= 1
        if n * 18 > len(buf) - pos:
            raise overrun("DeleteTopics request v6", buf, pos)
        if n > 50000:
            raise too_many("DeleteTopics request v6", n)
        topics_0_items: list[DeleteTopicsRequestTopic] = []
        for _ in range(n):
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            name_1: str | None = None
            if n > 0:
                end = pos + n - 1
                name_1 = buf[pos:end].decode("utf-8", "replace")
                pos = end
            topic_id_1, tags = unpack_uB(buf, pos)
            pos += 17
            if tags:
                pos = skip_tagged(buf, pos - 1)
            made_1 = new(DeleteTopicsRequestTopic)
            made_1.name = name_1
            made_1.topic_id = topic_id_1
            topics_0_items.append(made_1)
        topics_0 = topics_0_items
        timeout_ms_0, tags = unpack_iB(buf, pos)
        pos += 5
        if tags:
            pos = skip_tagged(buf, pos - 1)
        made_0 = new(DeleteTopicsRequest)
        made_0.topics = topics_0
        made_0.topic_names = ()
        made_0.timeout_ms = timeout_ms_0
    except (IndexError, StructError) as error:
        raise overrun("DeleteTopics request v6", buf, pos) from error
    if pos > len(buf):
        raise overrun("DeleteTopics request v6", buf, pos)
    return made_0


# versions 1-3
def encode_request_v1(message: DeleteTopicsRequest) -> bytes:
    try:
        out = bytearray()
        items_1 = message.topic_names
        out += pack_i(len(items_1))
        for item_1 in items_1:
            raw = item_1.encode()
            out += pack_h(len(raw))
            out += raw
        out += pack_i(message.timeout_ms)
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("DeleteTopics request v1-3", message, error) from error


# versions 4-5
def encode_request_v4(message: DeleteTopicsRequest) -> bytes:
    try:
        out = bytearray()
        items_1 = message.topic_names
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
        out += pack_ix(message.timeout_ms)
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("DeleteTopics request v4-5", message, error) from error


def encode_request_v6(message: DeleteTopicsRequest) -> bytes:
    try:
        out = bytearray()
        items_1 = message.topics
        n = len(items_1) + 1
        if n < 128:
            out.append(n)
        else:
            out += uvarint(n)
        for item_1 in items_1:
            value_2 = item_1.name
            if value_2 is None:
                out += b"\0"
            else:
                raw = value_2.encode()
                n = len(raw) + 1
                if n < 128:
                    out.append(n)
                else:
                    out += uvarint(n)
                out += raw
            out += pack_ux(item_1.topic_id)
        out += pack_ix(message.timeout_ms)
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("DeleteTopics request v6", message, error) from error


# versions 1-3
def decode_response_v1(buf: bytes, pos: int) -> DeleteTopicsResponse:
    try:
        throttle_time_ms_0, n = unpack_ii(buf, pos)
        pos += 8
        if n < 0:
            raise null_field("DeleteTopics response v1-3", "Responses")
        if n * 4 > len(buf) - pos:
            raise overrun("DeleteTopics response v1-3", buf, pos)
        responses_0_items: list[DeleteTopicsResponseTopic] = []
        for _ in range(n):
            (n,) = unpack_h(buf, pos)
            pos += 2
            if n < 0:
                raise null_field("DeleteTopics response v1-3", "Name")
            end = pos + n
            name_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            (error_code_1,) = unpack_h(buf, pos)
            pos += 2
            made_1 = new(DeleteTopicsResponseTopic)
            made_1.name = name_1
            made_1.topic_id = NO_UUID
            made_1.error_code = error_code_1
            made_1.error_message = None
            responses_0_items.append(made_1)
        responses_0 = responses_0_items
        made_0 = new(DeleteTopicsResponse)
        made_0.throttle_time_ms = throttle_time_ms_0
        made_0.responses = responses_0
    except (IndexError, StructError) as error:
        raise overrun("DeleteTopics response v1-3", buf, pos) from error
    if pos > len(buf):
        raise overrun("DeleteTopics response v1-3", buf, pos)
    return made_0


def decode_response_v4(buf: bytes, pos: int) -> DeleteTopicsResponse:
    try:
        throttle_time_ms_0, n = unpack_iB(buf, pos)
        pos += 5
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "DeleteTopics response v4", "Responses")
        n -= 1
        if n * 4 > len(buf) - pos:
            raise overrun("DeleteTopics response v4", buf, pos)
        responses_0_items: list[DeleteTopicsResponseTopic] = []
        for _ in range(n):
            n = buf[pos]
            pos += 1
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "DeleteTopics response v4", "Name")
            end = pos + n - 1
            name_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            error_code_1, tags = unpack_hB(buf, pos)
            pos += 3
            if tags:
                pos = skip_tagged(buf, pos - 1)
            made_1 = new(DeleteTopicsResponseTopic)
            made_1.name = name_1
            made_1.topic_id = NO_UUID
            made_1.error_code = error_code_1
            made_1.error_message = None
            responses_0_items.append(made_1)
        responses_0 = responses_0_items
        tags = buf[pos]
        pos += 1
        if tags:
            pos = skip_tagged(buf, pos - 1)
        made_0 = new(DeleteTopicsResponse)
        made_0.throttle_time_ms = throttle_time_ms_0
        made_0.responses = responses_0
    except (IndexError, StructError) as error:
        raise overrun("DeleteTopics response v4", buf, pos) from error
    if pos > len(buf):
        raise overrun("DeleteTopics response v4", buf, pos)
    return made_0


def decode_response_v5(buf: bytes, pos: int) -> DeleteTopicsResponse:
    try:
        throttle_time_ms_0, n = unpack_iB(buf, pos)
        pos += 5
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "DeleteTopics response v5", "Responses")
        n -= 1
        if n * 5 > len(buf) - pos:
            raise overrun("DeleteTopics response v5", buf, pos)
        responses_0_items: list[DeleteTopicsResponseTopic] = []
        for _ in range(n):
            n = buf[pos]
            pos += 1
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "DeleteTopics response v5", "Name")
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
            made_1 = new(DeleteTopicsResponseTopic)
            made_1.name = name_1
            made_1.topic_id = NO_UUID
            made_1.error_code = error_code_1
            made_1.error_message = error_message_1
            responses_0_items.append(made_1)
        responses_0 = responses_0_items
        tags = buf[pos]
        pos += 1
        if tags:
            pos = skip_tagged(buf, pos - 1)
        made_0 = new(DeleteTopicsResponse)
        made_0.throttle_time_ms = throttle_time_ms_0
        made_0.responses = responses_0
    except (IndexError, StructError) as error:
        raise overrun("DeleteTopics response v5", buf, pos) from error
    if pos > len(buf):
        raise overrun("DeleteTopics response v5", buf, pos)
    return made_0


def decode_response_v6(buf: bytes, pos: int) -> DeleteTopicsResponse:
    try:
        throttle_time_ms_0, n = unpack_iB(buf, pos)
        pos += 5
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "DeleteTopics response v6", "Responses")
        n -= 1
        if n * 21 > len(buf) - pos:
            raise overrun("DeleteTopics response v6", buf, pos)
        responses_0_items: list[DeleteTopicsResponseTopic] = []
        for _ in range(n):
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            name_1: str | None = None
            if n > 0:
                end = pos + n - 1
                name_1 = buf[pos:end].decode("utf-8", "replace")
                pos = end
            topic_id_1, error_code_1, n = unpack_uhB(buf, pos)
            pos += 19
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
            made_1 = new(DeleteTopicsResponseTopic)
            made_1.name = name_1
            made_1.topic_id = topic_id_1
            made_1.error_code = error_code_1
            made_1.error_message = error_message_1
            responses_0_items.append(made_1)
        responses_0 = responses_0_items
        tags = buf[pos]
        pos += 1
        if tags:
            pos = skip_tagged(buf, pos - 1)
        made_0 = new(DeleteTopicsResponse)
        made_0.throttle_time_ms = throttle_time_ms_0
        made_0.responses = responses_0
    except (IndexError, StructError) as error:
        raise overrun("DeleteTopics response v6", buf, pos) from error
    if pos > len(buf):
        raise overrun("DeleteTopics response v6", buf, pos)
    return made_0


# versions 1-3
def encode_response_v1(message: DeleteTopicsResponse) -> bytes:
    try:
        out = bytearray()
        items_1 = message.responses
        out += pack_ii(message.throttle_time_ms, len(items_1))
        for item_1 in items_1:
            value_2 = item_1.name
            if value_2 is None:
                raise TypeError("Name may not be null")
            raw = value_2.encode()
            out += pack_h(len(raw))
            out += raw
            out += pack_h(item_1.error_code)
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("DeleteTopics response v1-3", message, error) from error


def encode_response_v4(message: DeleteTopicsResponse) -> bytes:
    try:
        out = bytearray()
        items_1 = message.responses
        n = len(items_1) + 1
        if n < 128:
            out += pack_iB(message.throttle_time_ms, n)
        else:
            out += pack_i(message.throttle_time_ms)
            out += uvarint(n)
        for item_1 in items_1:
            value_2 = item_1.name
            if value_2 is None:
                raise TypeError("Name may not be null")
            raw = value_2.encode()
            n = len(raw) + 1
            if n < 128:
                out.append(n)
            else:
                out += uvarint(n)
            out += raw
            out += pack_hx(item_1.error_code)
        out += b"\0"
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("DeleteTopics response v4", message, error) from error


def encode_response_v5(message: DeleteTopicsResponse) -> bytes:
    try:
        out = bytearray()
        items_1 = message.responses
        n = len(items_1) + 1
        if n < 128:
            out += pack_iB(message.throttle_time_ms, n)
        else:
            out += pack_i(message.throttle_time_ms)
            out += uvarint(n)
        for item_1 in items_1:
            value_2 = item_1.name
            if value_2 is None:
                raise TypeError("Name may not be null")
            raw = value_2.encode()
            n = len(raw) + 1
            if n < 128:
                out.append(n)
            else:
                out += uvarint(n)
            out += raw
            value_3 = item_1.error_message
            if value_3 is None:
                out += pack_hx(item_1.error_code)
            else:
                raw = value_3.encode()
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
        raise encode_failure("DeleteTopics response v5", message, error) from error


def encode_response_v6(message: DeleteTopicsResponse) -> bytes:
    try:
        out = bytearray()
        items_1 = message.responses
        n = len(items_1) + 1
        if n < 128:
            out += pack_iB(message.throttle_time_ms, n)
        else:
            out += pack_i(message.throttle_time_ms)
            out += uvarint(n)
        for item_1 in items_1:
            value_2 = item_1.name
            if value_2 is None:
                out += b"\0"
            else:
                raw = value_2.encode()
                n = len(raw) + 1
                if n < 128:
                    out.append(n)
                else:
                    out += uvarint(n)
                out += raw
            value_3 = item_1.error_message
            if value_3 is None:
                out += pack_uhx(item_1.topic_id, item_1.error_code)
            else:
                raw = value_3.encode()
                n = len(raw) + 1
                if n < 128:
                    out += pack_uhB(item_1.topic_id, item_1.error_code, n)
                else:
                    out += pack_uh(item_1.topic_id, item_1.error_code)
                    out += uvarint(n)
                out += raw
            out += b"\0"
        out += b"\0"
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("DeleteTopics response v6", message, error) from error


REQUEST_DECODERS = {
    1: decode_request_v1,
    2: decode_request_v1,
    3: decode_request_v1,
    4: decode_request_v4,
    5: decode_request_v4,
    6: decode_request_v6,
}
REQUEST_ENCODERS = {
    1: encode_request_v1,
    2: encode_request_v1,
    3: encode_request_v1,
    4: encode_request_v4,
    5: encode_request_v4,
    6: encode_request_v6,
}
RESPONSE_DECODERS = {
    1: decode_response_v1,
    2: decode_response_v1,
    3: decode_response_v1,
    4: decode_response_v4,
    5: decode_response_v5,
    6: decode_response_v6,
}
RESPONSE_ENCODERS = {
    1: encode_response_v1,
    2: encode_response_v1,
    3: encode_response_v1,
    4: encode_response_v4,
    5: encode_response_v5,
    6: encode_response_v6,
}
