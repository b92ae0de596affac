"""Generated from tools/codecs/schemas/describe_client_quotas.api by `make generate`; changes belong there."""

from __future__ import annotations

from collections.abc import Sequence

from struct import Struct, error as StructError

from muster.wire.message import Message, encode_failure
from muster.wire.primitives import null_field, overrun, read_length, skip_tagged, too_many
from muster.wire.varint import read_uvarint, uvarint

new = Message.__new__
pack_t = Struct(">?").pack
pack_tx = Struct(">?x").pack
pack_b = Struct(">b").pack
pack_bB = Struct(">bB").pack
pack_bh = Struct(">bh").pack
pack_bx = Struct(">bx").pack
pack_d = Struct(">d").pack
pack_dx = Struct(">dx").pack
pack_h = Struct(">h").pack
pack_i = Struct(">i").pack
pack_ih = Struct(">ih").pack
pack_ihB = Struct(">ihB").pack
pack_ihh = Struct(">ihh").pack
pack_ihx = Struct(">ihx").pack
unpack_tB = Struct(">?B").unpack_from
unpack_bB = Struct(">bB").unpack_from
unpack_bh = Struct(">bh").unpack_from
unpack_d = Struct(">d").unpack_from
unpack_dB = Struct(">dB").unpack_from
unpack_h = Struct(">h").unpack_from
unpack_i = Struct(">i").unpack_from
unpack_ihB = Struct(">ihB").unpack_from
unpack_ihh = Struct(">ihh").unpack_from


class DescribeClientQuotasRequestComponent(Message):
    __match_args__ = ("entity_type", "match_type", "match")
    __slots__ = __match_args__

    def __init__(
        self,
        entity_type: str = "",
        match_type: int = 0,
        match: str | None = "",
    ) -> None:
        self.entity_type = entity_type
        self.match_type = match_type
        self.match = match


class DescribeClientQuotasRequest(Message):
    __match_args__ = ("components", "strict")
    __slots__ = __match_args__

    def __init__(
        self,
        components: Sequence[DescribeClientQuotasRequestComponent] = (),
        strict: bool = False,
    ) -> None:
        self.components = components
        self.strict = strict


class DescribeClientQuotasResponseEntity(Message):
    __match_args__ = ("entity_type", "entity_name")
    __slots__ = __match_args__

    def __init__(
        self,
        entity_type: str = "",
        entity_name: str | None = "",
    ) -> None:
        self.entity_type = entity_type
        self.entity_name = entity_name


class DescribeClientQuotasResponseValue(Message):
    __match_args__ = ("key", "value")
    __slots__ = __match_args__

    def __init__(
        self,
        key: str = "",
        value: float = 0.0,
    ) -> None:
        self.key = key
        self.value = value


class DescribeClientQuotasResponseEntry(Message):
    __match_args__ = ("entity", "values")
    __slots__ = __match_args__

    def __init__(
        self,
        entity: Sequence[DescribeClientQuotasResponseEntity] = (),
        values: Sequence[DescribeClientQuotasResponseValue] = (),
    ) -> None:
        self.entity = entity
        self.values = values


class DescribeClientQuotasResponse(Message):
    __match_args__ = ("throttle_time_ms", "error_code", "error_message", "entries")
    __slots__ = __match_args__

    def __init__(
        self,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        error_message: str | None = "",
        entries: Sequence[DescribeClientQuotasResponseEntry] | None = (),
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.error_message = error_message
        self.entries = entries


def decode_request_v0(buf: bytes, pos: int) -> DescribeClientQuotasRequest:
    try:
        (n,) = unpack_i(buf, pos)
        pos += 4
        if n < 0:
            raise null_field("DescribeClientQuotas request v0", "Components")
        if n * 5 > len(buf) - pos:
            raise overrun("DescribeClientQuotas request v0", buf, pos)
        if n > 50000:
            raise too_many("DescribeClientQuotas request v0", n)
        components_0_items: list[DescribeClientQuotasRequestComponent] = []
        for _ in range(n):
            (n,) = unpack_h(buf, pos)
            pos += 2
            if n < 0:
                raise null_field("DescribeClientQuotas request v0", "EntityType")
            end = pos + n
            entity_type_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            match_type_1, n = unpack_bh(buf, pos)
            pos += 3
            match_1: str | None = None
            if n >= 0:
                end = pos + n
                match_1 = buf[pos:end].decode("utf-8", "replace")
                pos = end
            made_1 = new(DescribeClientQuotasRequestComponent)
            made_1.entity_type = entity_type_1
            made_1.match_type = match_type_1
            made_1.match = match_1
            components_0_items.append(made_1)
        components_0 = components_0_items
        strict_0 = buf[pos] != 0
        pos += 1
        made_0 = new(DescribeClientQuotasRequest)
        made_0.components = components_0
        made_0.strict = strict_0
    except (IndexError, StructError) as error:
        raise overrun("DescribeClientQuotas request v0", buf, pos) from error
    if pos > len(buf):
        raise overrun("DescribeClientQuotas request v0", buf, pos)
    return made_0


def decode_request_v1(buf: bytes, pos: int) -> DescribeClientQuotasRequest:
    try:
        n = buf[pos]
        pos += 1
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "DescribeClientQuotas request v1", "Components")
        n -= 1
        if n * 4 > len(buf) - pos:
            raise overrun("DescribeClientQuotas request v1", buf, pos)
        if n > 50000:
            raise too_many("DescribeClientQuotas request v1", n)
        components_0_items: list[DescribeClientQuotasRequestComponent] = []
        for _ in range(n):
            n = buf[pos]
            pos += 1
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "DescribeClientQuotas request v1", "EntityType")
            end = pos + n - 1
            entity_type_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            match_type_1, n = unpack_bB(buf, pos)
            pos += 2
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            match_1: str | None = None
            if n > 0:
                end = pos + n - 1
                match_1 = buf[pos:end].decode("utf-8", "replace")
                pos = end
            tags = buf[pos]
            pos += 1
            if tags:
                pos = skip_tagged(buf, pos - 1)
            made_1 = new(DescribeClientQuotasRequestComponent)
            made_1.entity_type = entity_type_1
            made_1.match_type = match_type_1
            made_1.match = match_1
            components_0_items.append(made_1)
        components_0 = components_0_items
        strict_0, tags = unpack_tB(buf, pos)
        pos += 2
        if tags:
            pos = skip_tagged(buf, pos - 1)
        made_0 = new(DescribeClientQuotasRequest)
        made_0.components = components_0
        made_0.strict = strict_0
    except (IndexError, StructError) as error:
        raise overrun("DescribeClientQuotas request v1", buf, pos) from error
    if pos > len(buf):
        raise overrun("DescribeClientQuotas request v1", buf, pos)
    return made_0


def encode_request_v0(message: DescribeClientQuotasRequest) -> bytes:
    try:
        out = bytearray()
        items_1 = message.components
        out += pack_i(len(items_1))
        for item_1 in items_1:
            raw = item_1.entity_type.encode()
            out += pack_h(len(raw))
            out += raw
            value_2 = item_1.match
            if value_2 is None:
                out += pack_bh(item_1.match_type, -1)
            else:
                raw = value_2.encode()
                out += pack_bh(item_1.match_type, len(raw))
                out += raw
        out += pack_t(message.strict)
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("DescribeClientQuotas request v0", message, error) from error


def encode_request_v1(message: DescribeClientQuotasRequest) -> bytes:
    try:
        out = bytearray()
        items_1 = message.components
        n = len(items_1) + 1
        if n < 128:
            out.append(n)
        else:
            out += uvarint(n)
        for item_1 in items_1:
            raw = item_1.entity_type.encode()
            n = len(raw) + 1
            if n < 128:
                out.append(n)
            else:
                out += uvarint(n)
            out += raw
            value_2 = item_1.match
            if value_2 is None:
                out += pack_bx(item_1.match_type)
            else:
                raw = value_2.encode()
                n = len(raw) + 1
                if n < 128:
                    out += pack_bB(item_1.match_type, n)
                else:
                    out += pack_b(item_1.match_type)
                    out += uvarint(n)
                out += raw
            out += b"\0"
        out += pack_tx(message.strict)
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("DescribeClientQuotas request v1", message, error) from error


def decode_response_v0(buf: bytes, pos: int) -> DescribeClientQuotasResponse:
    try:
        throttle_time_ms_0, error_code_0, n = unpack_ihh(buf, pos)
        pos += 8
        error_message_0: str | None = None
        if n >= 0:
            end = pos + n
            error_message_0 = buf[pos:end].decode("utf-8", "replace")
            pos = end
        (n,) = unpack_i(buf, pos)
        pos += 4
        entries_0: Sequence[DescribeClientQuotasResponseEntry] | None = None
        if n >= 0:
            if n > len(buf) - pos:
                raise overrun("DescribeClientQuotas response v0", buf, pos)
            entries_0_items: list[DescribeClientQuotasResponseEntry] = []
            for _ in range(n):
                (n,) = unpack_i(buf, pos)
                pos += 4
                if n < 0:
                    raise null_field("DescribeClientQuotas response v0", "Entity")
                if n * 4 > len(buf) - pos:
                    raise overrun("DescribeClientQuotas response v0", buf, pos)
                entity_1_items: list[DescribeClientQuotasResponseEntity] = []
                for _ in range(n):
                    (n,) = unpack_h(buf, pos)
                    pos += 2
                    if n < 0:
                        raise null_field("DescribeClientQuotas response v0", "EntityType")
                    end = pos + n
                    entity_type_2 = buf[pos:end].decode("utf-8", "replace")
                    pos = end
                    (n,) = unpack_h(buf, pos)
                    pos += 2
                    entity_name_2: str | None = None
                    if n >= 0:
                        end = pos + n
                        entity_name_2 = buf[pos:end].decode("utf-8", "replace")
                        pos = end
                    made_2 = new(DescribeClientQuotasResponseEntity)
                    made_2.entity_type = entity_type_2
                    made_2.entity_name = entity_name_2
                    entity_1_items.append(made_2)
                entity_1 = entity_1_items
                (n,) = unpack_i(buf, pos)
                pos += 4
                if n < 0:
                    raise null_field("DescribeClientQuotas response v0", "Values")
                if n * 10 > len(buf) - pos:
                    raise overrun("DescribeClientQuotas response v0", buf, pos)
                values_1_items: list[DescribeClientQuotasResponseValue] = []
                for _ in range(n):
                    (n,) = unpack_h(buf, pos)
                    pos += 2
                    if n < 0:
                        raise null_field("DescribeClientQuotas response v0", "Key")
                    end = pos + n
                    key_3 = buf[pos:end].decode("utf-8", "replace")
                    pos = end
                    (value_3,) = unpack_d(buf, pos)
                    pos += 8
                    made_3 = new(DescribeClientQuotasResponseValue)
                    made_3.key = key_3
                    made_3.value = value_3
                    values_1_items.append(made_3)
                values_1 = values_1_items
                made_1 = new(DescribeClientQuotasResponseEntry)
                made_1.entity = entity_1
                made_1.values = values_1
                entries_0_items.append(made_1)
            entries_0 = entries_0_items
        made_0 = new(DescribeClientQuotasResponse)
        made_0.throttle_time_ms = throttle_time_ms_0
        made_0.error_code = error_code_0
        made_0.error_message = error_message_0
        made_0.entries = entries_0
    except (IndexError, StructError) as error:
        raise overrun("DescribeClientQuotas response v0", buf, pos) from error
    if pos > len(buf):
        raise overrun("DescribeClientQuotas response v0", buf, pos)
    return made_0


def decode_response_v1(buf: bytes, pos: int) -> DescribeClientQuotasResponse:
    try:
        throttle_time_ms_0, error_code_0, n = unpack_ihB(buf, pos)
        pos += 7
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        error_message_0: str | None = None
        if n > 0:
            end = pos + n - 1
            error_message_0 = buf[pos:end].decode("utf-8", "replace")
            pos = end
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        entries_0: Sequence[DescribeClientQuotasResponseEntry] | None = None
        if n > 0:
            n -= 1
            if n > len(buf) - pos:
                raise overrun("DescribeClientQuotas response v1", buf, pos)
            entries_0_items: list[DescribeClientQuotasResponseEntry] = []
            for _ in range(n):
                n = buf[pos]
                pos += 1
                if not 0 < n < 128:
                    n, pos = read_length(buf, pos - 1, "DescribeClientQuotas response v1", "Entity")
                n -= 1
                if n * 3 > len(buf) - pos:
                    raise overrun("DescribeClientQuotas response v1", buf, pos)
                entity_1_items: list[DescribeClientQuotasResponseEntity] = []
                for _ in range(n):
                    n = buf[pos]
                    pos += 1
                    if not 0 < n < 128:
                        n, pos = read_length(buf, pos - 1, "DescribeClientQuotas response v1", "EntityType")
                    end = pos + n - 1
                    entity_type_2 = buf[pos:end].decode("utf-8", "replace")
                    pos = end
                    n = buf[pos]
                    pos += 1
                    if n > 127:
                        n, pos = read_uvarint(buf, pos - 1)
                    entity_name_2: str | None = None
                    if n > 0:
                        end = pos + n - 1
                        entity_name_2 = buf[pos:end].decode("utf-8", "replace")
                        pos = end
                    tags = buf[pos]
                    pos += 1
                    if tags:
                        pos = skip_tagged(buf, pos - 1)
                    made_2 = new(DescribeClientQuotasResponseEntity)
                    made_2.entity_type = entity_type_2
                    made_2.entity_name = entity_name_2
                    entity_1_items.append(made_2)
                entity_1 = entity_1_items
                n = buf[pos]
                pos += 1
                if not 0 < n < 128:
                    n, pos = read_length(buf, pos - 1, "DescribeClientQuotas response v1", "Values")
                n -= 1
                if n * 10 > len(buf) - pos:
                    raise overrun("DescribeClientQuotas response v1", buf, pos)
                values_1_items: list[DescribeClientQuotasResponseValue] = []
                for _ in range(n):
                    n = buf[pos]
                    pos += 1
                    if not 0 < n < 128:
                        n, pos = read_length(buf, pos - 1, "DescribeClientQuotas response v1", "Key")
                    end = pos + n - 1
                    key_3 = buf[pos:end].decode("utf-8", "replace")
                    pos = end
                    value_3, tags = unpack_dB(buf, pos)
                    pos += 9
                    if tags:
                        pos = skip_tagged(buf, pos - 1)
                    made_3 = new(DescribeClientQuotasResponseValue)
                    made_3.key = key_3
                    made_3.value = value_3
                    values_1_items.append(made_3)
                values_1 = values_1_items
                tags = buf[pos]
                pos += 1
                if tags:
                    pos = skip_tagged(buf, pos - 1)
                made_1 = new(DescribeClientQuotasResponseEntry)
                made_1.entity = entity_1
                made_1.values = values_1
                entries_0_items.append(made_1)
            entries_0 = entries_0_items
        tags = buf[pos]
        pos += 1
        if tags:
            pos = skip_tagged(buf, pos - 1)
        made_0 = new(DescribeClientQuotasResponse)
        made_0.throttle_time_ms = throttle_time_ms_0
        made_0.error_code = error_code_0
        made_0.error_message = error_message_0
        made_0.entries = entries_0
    except (IndexError, StructError) as error:
        raise overrun("DescribeClientQuotas response v1", buf, pos) from error
    if pos > len(buf):
        raise overrun("DescribeClientQuotas response v1", buf, pos)
    return made_0


def encode_response_v0(message: DescribeClientQuotasResponse) -> bytes:
    try:
        out = bytearray()
        value_1 = message.error_message
        if value_1 is None:
            out += pack_ihh(message.throttle_time_ms, message.error_code, -1)
        else:
            raw = value_1.encode()
            out += pack_ihh(message.throttle_time_ms, message.error_code, len(raw))
            out += raw
        value_2 = message.entries
        if value_2 is None:
            out += pack_i(-1)
        else:
            items_3 = value_2
            out += pack_i(len(items_3))
            for item_3 in items_3:
                items_4 = item_3.entity
                out += pack_i(len(items_4))
                for item_4 in items_4:
                    raw = item_4.entity_type.encode()
                    out += pack_h(len(raw))
                    out += raw
                    value_5 = item_4.entity_name
                    if value_5 is None:
                        out += pack_h(-1)
                    else:
                        raw = value_5.encode()
                        out += pack_h(len(raw))
                        out += raw
                items_6 = item_3.values
                out += pack_i(len(items_6))
                for item_6 in items_6:
                    raw = item_6.key.encode()
                    out += pack_h(len(raw))
                    out += raw
                    out += pack_d(item_6.value)
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("DescribeClientQuotas response v0", message, error) from error


def encode_response_v1(message: DescribeClientQuotasResponse) -> bytes:
    try:
        out = bytearray()
        value_1 = message.error_message
        if value_1 is None:
            out += pack_ihx(message.throttle_time_ms, message.error_code)
        else:
            raw = value_1.encode()
            n = len(raw) + 1
            if n < 128:
                out += pack_ihB(message.throttle_time_ms, message.error_code, n)
            else:
                out += pack_ih(message.throttle_time_ms, message.error_code)
                out += uvarint(n)
            out += raw
        value_2 = message.entries
        if value_2 is None:
            out += b"\0"
        else:
            items_3 = value_2
            n = len(items_3) + 1
            if n < 128:
                out.append(n)
            else:
                out += uvarint(n)
            for item_3 in items_3:
                items_4 = item_3.entity
                n = len(items_4) + 1
                if n < 128:
                    out.append(n)
                else:
                    out += uvarint(n)
                for item_4 in items_4:
                    raw = item_4.entity_type.encode()
                    n = len(raw) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        out += uvarint(n)
                    out += raw
                    value_5 = item_4.entity_name
                    if value_5 is None:
                        out += b"\0"
                    else:
                        raw = value_5.encode()
                        n = len(raw) + 1
                        if n < 128:
                            out.append(n)
                        else:
                            out += uvarint(n)
                        out += raw
                    out += b"\0"
                items_6 = item_3.values
                n = len(items_6) + 1
                if n < 128:
                    out.append(n)
                else:
                    out += uvarint(n)
                for item_6 in items_6:
                    raw = item_6.key.encode()
                    n = len(raw) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        out += uvarint(n)
                    out += raw
                    out += pack_dx(item_6.value)
                out += b"\0"
        out += b"\0"
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("DescribeClientQuotas response v1", message, error) from error


REQUEST_DECODERS = {
    0: decode_request_v0,
    1: decode_request_v1,
}
REQUEST_ENCODERS = {
    0: encode_request_v0,
    1: encode_request_v1,
}
RESPONSE_DECODERS = {
    0: decode_response_v0,
    1: decode_response_v1,
}
RESPONSE_ENCODERS = {
    0: encode_response_v0,
    1: encode_response_v1,
}
