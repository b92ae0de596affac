"""Generated from tools/codecs/schemas/alter_client_quotas.api by `make generate`; changes belong there."""

from __future__ import annotations

from collections.abc import Sequence

from struct import Struct, error as StructError

from muster.wire.message import Message, encode_failure
from muster.wire.primitives import null_field, overrun, read_length, skip_tagged, too_many
from muster.wire.varint import read_uvarint, uvarint

new = Message.__new__
pack_t = Struct(">?").pack
pack_tx = Struct(">?x").pack
pack_dt = Struct(">d?").pack
pack_dtx = Struct(">d?x").pack
pack_h = Struct(">h").pack
pack_hB = Struct(">hB").pack
pack_hh = Struct(">hh").pack
pack_hx = Struct(">hx").pack
pack_i = Struct(">i").pack
pack_iB = Struct(">iB").pack
pack_ii = Struct(">ii").pack
unpack_tB = Struct(">?B").unpack_from
unpack_dt = Struct(">d?").unpack_from
unpack_dtB = Struct(">d?B").unpack_from
unpack_h = Struct(">h").unpack_from
unpack_hB = Struct(">hB").unpack_from
unpack_hh = Struct(">hh").unpack_from
unpack_i = Struct(">i").unpack_from
unpack_iB = Struct(">iB").unpack_from
unpack_ii = Struct(">ii").unpack_from


class AlterClientQuotasRequestEntity(Message):
    __match_args__ = ("entity_type", "entity_name")
    __slots__ = __match_args__

    def __init__(
        self,
        entity_type: str = "",
        entity_name: str | None = "",
    ) -> None:
        self.entity_type = entity_type
        self.entity_name = entity_name


class AlterClientQuotasRequestOp(Message):
    __match_args__ = ("key", "value", "remove")
    __slots__ = __match_args__

    def __init__(
        self,
        key: str = "",
        value: float = 0.0,
        remove: bool = False,
    ) -> None:
        self.key = key
        self.value = value
        self.remove = remove


class AlterClientQuotasRequestEntry(Message):
    __match_args__ = ("entity", "ops")
    __slots__ = __match_args__

    def __init__(
        self,
        entity: Sequence[AlterClientQuotasRequestEntity] = (),
        ops: Sequence[AlterClientQuotasRequestOp] = (),
    ) -> None:
        self.entity = entity
        self.ops = ops


class AlterClientQuotasRequest(Message):
    __match_args__ = ("entries", "validate_only")
    __slots__ = __match_args__

    def __init__(
        self,
        entries: Sequence[AlterClientQuotasRequestEntry] = (),
        validate_only: bool = False,
    ) -> None:
        self.entries = entries
        self.validate_only = validate_only


class AlterClientQuotasResponseEntity(Message):
    __match_args__ = ("entity_type", "entity_name")
    __slots__ = __match_args__

    def __init__(
        self,
        entity_type: str = "",
        entity_name: str | None = "",
    ) -> None:
        self.entity_type = entity_type
        self.entity_name = entity_name


class AlterClientQuotasResponseEntry(Message):
    __match_args__ = ("error_code", "error_message", "entity")
    __slots__ = __match_args__

    def __init__(
        self,
        error_code: int = 0,
        error_message: str | None = "",
        entity: Sequence[AlterClientQuotasResponseEntity] = (),
    ) -> None:
        self.error_code = error_code
        self.error_message = error_message
        self.entity = entity


class AlterClientQuotasResponse(Message):
    __match_args__ = ("throttle_time_ms", "entries")
    __slots__ = __match_args__

    def __init__(
        self,
        throttle_time_ms: int = 0,
        entries: Sequence[AlterClientQuotasResponseEntry] = (),
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.entries = entries


def decode_request_v0(buf: bytes, pos: int) -> AlterClientQuotasRequest:
    try:
        (n,) = unpack_i(buf, pos)
        pos += 4
        if n < 0:
            raise null_field("AlterClientQuotas request v0", "Entries")
        if n * 8 > len(buf) - pos:
            raise overrun("AlterClientQuotas request v0", buf, pos)
        if n > 50000:
            raise too_many("AlterClientQuotas request v0", n)
        entries_0_items: list[AlterClientQuotasRequestEntry] = []
        for _ in range(n):
            (n,) = unpack_i(buf, pos)
            pos += 4
            if n < 0:
                raise null_field("AlterClientQuotas request v0", "Entity")
            if n * 4 > len(buf) - pos:
                raise overrun("AlterClientQuotas request v0", buf, pos)
            if n > 50000:
                raise too_many("AlterClientQuotas request v0", n)
            entity_1_items: list[AlterClientQuotasRequestEntity] = []
            for _ in range(n):
                (n,) = unpack_h(buf, pos)
                pos += 2
                if n < 0:
                    raise null_field("AlterClientQuotas request v0", "EntityType")
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
                made_2 = new(AlterClientQuotasRequestEntity)
                made_2.entity_type = entity_type_2
                made_2.entity_name = entity_name_2
                entity_1_items.append(made_2)
            entity_1 = entity_1_items
            (n,) = unpack_i(buf, pos)
            pos += 4
            if n < 0:
                raise null_field("AlterClientQuotas request v0", "Ops")
            if n * 11 > len(buf) - pos:
                raise overrun("AlterClientQuotas request v0", buf, pos)
            if n > 50000:
                raise too_many("AlterClientQuotas request v0", n)
            ops_1_items: list[AlterClientQuotasRequestOp] = []
            for _ in range(n):
                (n,) = unpack_h(buf, pos)
                pos += 2
                if n < 0:
                    raise null_field("AlterClientQuotas request v0", "Key")
                end = pos + n
                key_3 = buf[pos:end].decode("utf-8", "replace")
                pos = end
                value_3, remove_3 = unpack_dt(buf, pos)
                pos += 9
                made_3 = new(AlterClientQuotasRequestOp)
                made_3.key = key_3
                made_3.value = value_3
                made_3.remove = remove_3
                ops_1_items.append(made_3)
            ops_1 = ops_1_items
            made_1 = new(AlterClientQuotasRequestEntry)
            made_1.entity = entity_1
            made_1.ops = ops_1
            entries_0_items.append(made_1)
        entries_0 = entries_0_items
        validate_only_0 = buf[pos] != 0
        pos += 1
        made_0 = new(AlterClientQuotasRequest)
        made_0.entries = entries_0
        made_0.validate_only = validate_only_0
    except (IndexError, StructError) as error:
        raise overrun("AlterClientQuotas request v0", buf, pos) from error
    if pos > len(buf):
        raise overrun("AlterClientQuotas request v0", buf, pos)
    return made_0


def decode_request_v1(buf: bytes, pos: int) -> AlterClientQuotasRequest:
    try:
        n = buf[pos]
        pos += 1
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "AlterClientQuotas request v1", "Entries")
        n -= 1
        if n * 3 > len(buf) - pos:
            raise overrun("AlterClientQuotas request v1", buf, pos)
        if n > 50000:
            raise too_many("AlterClientQuotas request v1", n)
        entries_0_items: list[AlterClientQuotasRequestEntry] = []
        for _ in range(n):
            n = buf[pos]
            pos += 1
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "AlterClientQuotas request v1", "Entity")
            n -= 1
            if n * 3 > len(buf) - pos:
                raise overrun("AlterClientQuotas request v1", buf, pos)
            if n > 50000:
                raise too_many("AlterClientQuotas request v1", n)
            entity_1_items: list[AlterClientQuotasRequestEntity] = []
            for _ in range(n):
                n = buf[pos]
                pos += 1
                if not 0 < n < 128:
                    n, pos = read_length(buf, pos - 1, "AlterClientQuotas request v1", "EntityType")
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
                made_2 = new(AlterClientQuotasRequestEntity)
                made_2.entity_type = entity_type_2
                made_2.entity_name = entity_name_2
                entity_1_items.append(made_2)
            entity_1 = entity_1_items
            n = buf[pos]
            pos += 1
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "AlterClientQuotas request v1", "Ops")
            n -= 1
            if n * 11 > len(buf) - pos:
                raise overrun("AlterClientQuotas request v1", buf, pos)
            if n > 50000:
                raise too_many("AlterClientQuotas request v1", n)
            ops_1_items: list[AlterClientQuotasRequestOp] = []
            for _ in range(n):
                n = buf[pos]
                pos += 1
                if not 0 < n < 128:
                    n, pos = read_length(buf, pos - 1, "AlterClientQuotas request v1", "Key")
                end = pos + n - 1
                key_3 = buf[pos:end].decode("utf-8", "replace")
                pos = end
                value_3, remove_3, tags = unpack_dtB(buf, pos)
                pos += 10
                if tags:
                    pos = skip_tagged(buf, pos - 1)
                made_3 = new(AlterClientQuotasRequestOp)
                made_3.key = key_3
                made_3.value = value_3
                made_3.remove = remove_3
                ops_1_items.append(made_3)
            ops_1 = ops_1_items
            tags = buf[pos]
            pos += 1
            if tags:
                pos = skip_tagged(buf, pos - 1)
            made_1 = new(AlterClientQuotasRequestEntry)
            made_1.entity = entity_1
            made_1.ops = ops_1
            entries_0_items.append(made_1)
        entries_0 = entries_0_items
        validate_only_0, tags = unpack_tB(buf, pos)
        pos += 2
        if tags:
            pos = skip_tagged(buf, pos - 1)
        made_0 = new(AlterClientQuotasRequest)
        made_0.entries = entries_0
        made_0.validate_only = validate_only_0
    except (IndexError, StructError) as error:
        raise overrun("AlterClientQuotas request v1", buf, pos) from error
    if pos > len(buf):
        raise overrun("AlterClientQuotas request v1", buf, pos)
    return made_0


def encode_request_v0(message: AlterClientQuotasRequest) -> bytes:
    try:
        out = bytearray()
        items_1 = message.entries
        out += pack_i(len(items_1))
        for item_1 in items_1:
            items_2 = item_1.entity
            out += pack_i(len(items_2))
            for item_2 in items_2:
                raw = item_2.entity_type.encode()
                out += pack_h(len(raw))
                out += raw
                value_3 = item_2.entity_name
                if value_3 is None:
                    out += pack_h(-1)
                else:
                    raw = value_3.encode()
                    out += pack_h(len(raw))
                    out += raw
            items_4 = item_1.ops
            out += pack_i(len(items_4))
            for item_4 in items_4:
                raw = item_4.key.encode()
                out += pack_h(len(raw))
                out += raw
                out += pack_dt(item_4.value, item_4.remove)
        out += pack_t(message.validate_only)
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("AlterClientQuotas request v0", message, error) from error


def encode_request_v1(message: AlterClientQuotasRequest) -> bytes:
    try:
        out = bytearray()
        items_1 = message.entries
        n = len(items_1) + 1
        if n < 128:
            out.append(n)
        else:
            out += uvarint(n)
        for item_1 in items_1:
            items_2 = item_1.entity
            n = len(items_2) + 1
            if n < 128:
                out.append(n)
            else:
                out += uvarint(n)
            for item_2 in items_2:
                raw = item_2.entity_type.encode()
                n = len(raw) + 1
                if n < 128:
                    out.append(n)
                else:
                    out += uvarint(n)
                out += raw
                value_3 = item_2.entity_name
                if value_3 is None:
                    out += b"\0"
                else:
                    raw = value_3.encode()
                    n = len(raw) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        out += uvarint(n)
                    out += raw
                out += b"\0"
            items_4 = item_1.ops
            n = len(items_4) + 1
            if n < 128:
                out.append(n)
            else:
                out += uvarint(n)
            for item_4 in items_4:
                raw = item_4.key.encode()
                n = len(raw) + 1
                if n < 128:
                    out.append(n)
                else:
                    out += uvarint(n)
                out += raw
                out += pack_dtx(item_4.value, item_4.remove)
            out += b"\0"
        out += pack_tx(message.validate_only)
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("AlterClientQuotas request v1", message, error) from error


def decode_response_v0(buf: bytes, pos: int) -> AlterClientQuotasResponse:
    try:
        throttle_time_ms_0, n = unpack_ii(buf, pos)
        pos += 8
        if n < 0:
            raise null_field("AlterClientQuotas response v0", "Entries")
        if n * 8 > len(buf) - pos:
            raise overrun("AlterClientQuotas response v0", buf, pos)
        entries_0_items: list[AlterClientQuotasResponseEntry] = []
        for _ in range(n):
            error_code_1, n = unpack_hh(buf, pos)
            pos += 4
            error_message_1: str | None = None
            if n >= 0:
                end = pos + n
                error_message_1 = buf[pos:end].decode("utf-8", "replace")
                pos = end
            (n,) = unpack_i(buf, pos)
            pos += 4
            if n < 0:
                raise null_field("AlterClientQuotas response v0", "Entity")
            if n * 4 > len(buf) - pos:
                raise overrun("AlterClientQuotas response v0", buf, pos)
            entity_1_items: list[AlterClientQuotasResponseEntity] = []
            for _ in range(n):
                (n,) = unpack_h(buf, pos)
                pos += 2
                if n < 0:
                    raise null_field("AlterClientQuotas response v0", "EntityType")
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
                made_2 = new(AlterClientQuotasResponseEntity)
                made_2.entity_type = entity_type_2
                made_2.entity_name = entity_name_2
                entity_1_items.append(made_2)
            entity_1 = entity_1_items
            made_1 = new(AlterClientQuotasResponseEntry)
            made_1.error_code = error_code_1
            made_1.error_message = error_message_1
            made_1.entity = entity_1
            entries_0_items.append(made_1)
        entries_0 = entries_0_items
        made_0 = new(AlterClientQuotasResponse)
        made_0.throttle_time_ms = throttle_time_ms_0
        made_0.entries = entries_0
    except (IndexError, StructError) as error:
        raise overrun("AlterClientQuotas response v0", buf, pos) from error
    if pos > len(buf):
        raise overrun("AlterClientQuotas response v0", buf, pos)
    return made_0


def decode_response_v1(buf: bytes, pos: int) -> AlterClientQuotasResponse:
    try:
        throttle_time_ms_0, n = unpack_iB(buf, pos)
        pos += 5
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "AlterClientQuotas response v1", "Entries")
        n -= 1
        if n * 5 > len(buf) - pos:
            raise overrun("AlterClientQuotas response v1", buf, pos)
        entries_0_items: list[AlterClientQuotasResponseEntry] = []
        for _ in range(n):
            error_code_1, n = unpack_hB(buf, pos)
            pos += 3
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            error_message_1: str | None = None
            if n > 0:
                end = pos + n - 1
                error_message_1 = buf[pos:end].decode("utf-8", "replace")
                pos = end
            n = buf[pos]
            pos += 1
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "AlterClientQuotas response v1", "Entity")
            n -= 1
            if n * 3 > len(buf) - pos:
                raise overrun("AlterClientQuotas response v1", buf, pos)
            entity_1_items: list[AlterClientQuotasResponseEntity] = []
            for _ in range(n):
                n = buf[pos]
                pos += 1
                if not 0 < n < 128:
                    n, pos = read_length(buf, pos - 1, "AlterClientQuotas response v1", "EntityType")
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
                made_2 = new(AlterClientQuotasResponseEntity)
                made_2.entity_type = entity_type_2
                made_2.entity_name = entity_name_2
                entity_1_items.append(made_2)
            entity_1 = entity_1_items
            tags = buf[pos]
            pos += 1
            if tags:
                pos = skip_tagged(buf, pos - 1)
            made_1 = new(AlterClientQuotasResponseEntry)
            made_1.error_code = error_code_1
            made_1.error_message = error_message_1
            made_1.entity = entity_1
            entries_0_items.append(made_1)
        entries_0 = entries_0_items
        tags = buf[pos]
        pos += 1
        if tags:
            pos = skip_tagged(buf, pos - 1)
        made_0 = new(AlterClientQuotasResponse)
        made_0.throttle_time_ms = throttle_time_ms_0
        made_0.entries = entries_0
    except (IndexError, StructError) as error:
        raise overrun("AlterClientQuotas response v1", buf, pos) from error
    if pos > len(buf):
        raise overrun("AlterClientQuotas response v1", buf, pos)
    return made_0


def encode_response_v0(message: AlterClientQuotasResponse) -> bytes:
    try:
        out = bytearray()
        items_1 = message.entries
        out += pack_ii(message.throttle_time_ms, len(items_1))
        for item_1 in items_1:
            value_2 = item_1.error_message
            if value_2 is None:
                out += pack_hh(item_1.error_code, -1)
            else:
                raw = value_2.encode()
                out += pack_hh(item_1.error_code, len(raw))
                out += raw
            items_3 = item_1.entity
            out += pack_i(len(items_3))
            for item_3 in items_3:
                raw = item_3.entity_type.encode()
                out += pack_h(len(raw))
                out += raw
                value_4 = item_3.entity_name
                if value_4 is None:
                    out += pack_h(-1)
                else:
                    raw = value_4.encode()
                    out += pack_h(len(raw))
                    out += raw
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("AlterClientQuotas response v0", message, error) from error


def encode_response_v1(message: AlterClientQuotasResponse) -> bytes:
    try:
        out = bytearray()
        items_1 = message.entries
        n = len(items_1) + 1
        if n < 128:
            out += pack_iB(message.throttle_time_ms, n)
        else:
            out += pack_i(message.throttle_time_ms)
            out += uvarint(n)
        for item_1 in items_1:
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
            items_3 = item_1.entity
            n = len(items_3) + 1
            if n < 128:
                out.append(n)
            else:
                out += uvarint(n)
            for item_3 in items_3:
                raw = item_3.entity_type.encode()
                n = len(raw) + 1
                if n < 128:
                    out.append(n)
                else:
                    out += uvarint(n)
                out += raw
                value_4 = item_3.entity_name
                if value_4 is None:
                    out += b"\0"
                else:
                    raw = value_4.encode()
                    n = len(raw) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        out += uvarint(n)
                    out += raw
                out += b"\0"
            out += b"\0"
        out += b"\0"
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("AlterClientQuotas response v1", message, error) from error


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
