"""Generated from tools/codecs/schemas/delete_groups.api by `make generate`; changes belong there."""

from __future__ import annotations

from collections.abc import Sequence

from struct import Struct, error as StructError

from muster.wire.message import Message, encode_failure
from muster.wire.primitives import null_field, overrun, read_length, skip_tagged, too_many
from muster.wire.varint import uvarint

new = Message.__new__
pack_h = Struct(">h").pack
pack_hx = Struct(">hx").pack
pack_i = Struct(">i").pack
pack_iB = Struct(">iB").pack
pack_ii = Struct(">ii").pack
unpack_h = Struct(">h").unpack_from
unpack_hB = Struct(">hB").unpack_from
unpack_i = Struct(">i").unpack_from
unpack_iB = Struct(">iB").unpack_from
unpack_ii = Struct(">ii").unpack_from


class DeleteGroupsRequest(Message):
    __match_args__ = ("groups_names",)
    __slots__ = __match_args__

    def __init__(
        self,
        groups_names: Sequence[str] = (),
    ) -> None:
        self.groups_names = groups_names


class DeleteGroupsResponseResult(Message):
    __match_args__ = ("group_id", "error_code")
    __slots__ = __match_args__

    def __init__(
        self,
        group_id: str = "",
        error_code: int = 0,
    ) -> None:
        self.group_id = group_id
        self.error_code = error_code


class DeleteGroupsResponse(Message):
    __match_args__ = ("throttle_time_ms", "results")
    __slots__ = __match_args__

    def __init__(
        self,
        throttle_time_ms: int = 0,
        results: Sequence[DeleteGroupsResponseResult] = (),
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.results = results


# versions 0-1
def decode_request_v0(buf: bytes, pos: int) -> DeleteGroupsRequest:
    try:
        (n,) = unpack_i(buf, pos)
        pos += 4
        if n < 0:
            raise null_field("DeleteGroups request v0-1", "GroupsNames")
        if n * 2 > len(buf) - pos:
            raise overrun("DeleteGroups request v0-1", buf, pos)
        if n > 50000:
            raise too_many("DeleteGroups request v0-1", n)
        groups_names_0_items: list[str] = []
        for _ in range(n):
            (n,) = unpack_h(buf, pos)
            pos += 2
            if n < 0:
                raise null_field("DeleteGroups request v0-1", "GroupsNames")
            end = pos + n
            groups_names_0_item = buf[pos:end].decode("utf-8", "replace")
            pos = end
            groups_names_0_items.append(groups_names_0_item)
        groups_names_0 = groups_names_0_items
        made_0 = new(DeleteGroupsRequest)
        made_0.groups_names = groups_names_0
    except (IndexError, StructError) as error:
        raise overrun("DeleteGroups request v0-1", buf, pos) from error
    if pos > len(buf):
        raise overrun("DeleteGroups request v0-1", buf, pos)
    return made_0


def decode_request_v2(buf: bytes, pos: int) -> DeleteGroupsRequest:
    try:
        n = buf[pos]
        pos += 1
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "DeleteGroups request v2", "GroupsNames")
        n -= 1
        if n > len(buf) - pos:
            raise overrun("DeleteGroups request v2", buf, pos)
        if n > 50000:
            raise too_many("DeleteGroups request v2", n)
        groups_names_0_items: list[str] = []
        for _ in range(n):
            n = buf[pos]
            pos += 1
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "DeleteGroups request v2", "GroupsNames")
            end = pos + n - 1
            groups_names_0_item = buf[pos:end].decode("utf-8", "replace")
            pos = end
            groups_names_0_items.append(groups_names_0_item)
        groups_names_0 = groups_names_0_items
        tags = buf[pos]
        pos += 1
        if tags:
            pos = skip_tagged(buf, pos - 1)
        made_0 = new(DeleteGroupsRequest)
        made_0.groups_names = groups_names_0
    except (IndexError, StructError) as error:
        raise overrun("DeleteGroups request v2", buf, pos) from error
    if pos > len(buf):
        raise overrun("DeleteGroups request v2", buf, pos)
    return made_0


# versions 0-1
def encode_request_v0(message: DeleteGroupsRequest) -> bytes:
    try:
        out = bytearray()
        items_1 = message.groups_names
        out += pack_i(len(items_1))
        for item_1 in items_1:
            raw = item_1.encode()
            out += pack_h(len(raw))
            out += raw
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("DeleteGroups request v0-1", message, error) from error


def encode_request_v2(message: DeleteGroupsRequest) -> bytes:
    try:
        out = bytearray()
        items_1 = message.groups_names
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
        raise encode_failure("DeleteGroups request v2", message, error) from error


# versions 0-1
def decode_response_v0(buf: bytes, pos: int) -> DeleteGroupsResponse:
    try:
        throttle_time_ms_0, n = unpack_ii(buf, pos)
        pos += 8
        if n < 0:
            raise null_field("DeleteGroups response v0-1", "Results")
        if n * 4 > len(buf) - pos:
            raise overrun("DeleteGroups response v0-1", buf, pos)
        results_0_items: list[DeleteGroupsResponseResult] = []
        for _ in range(n):
            (n,) = unpack_h(buf, pos)
            pos += 2
            if n < 0:
                raise null_field("DeleteGroups response v0-1", "GroupId")
            end = pos + n
            group_id_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            (error_code_1,) = unpack_h(buf, pos)
            pos += 2
            made_1 = new(DeleteGroupsResponseResult)
            made_1.group_id = group_id_1
            made_1.error_code = error_code_1
            results_0_items.append(made_1)
        results_0 = results_0_items
        made_0 = new(DeleteGroupsResponse)
        made_0.throttle_time_ms = throttle_time_ms_0
        made_0.results = results_0
    except (IndexError, StructError) as error:
        raise overrun("DeleteGroups response v0-1", buf, pos) from error
    if pos > len(buf):
        raise overrun("DeleteGroups response v0-1", buf, pos)
    return made_0


def decode_response_v2(buf: bytes, pos: int) -> DeleteGroupsResponse:
    try:
        throttle_time_ms_0, n = unpack_iB(buf, pos)
        pos += 5
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "DeleteGroups response v2", "Results")
        n -= 1
        if n * 4 > len(buf) - pos:
            raise overrun("DeleteGroups response v2", buf, pos)
        results_0_items: list[DeleteGroupsResponseResult] = []
        for _ in range(n):
            n = buf[pos]
            pos += 1
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "DeleteGroups response v2", "GroupId")
            end = pos + n - 1
            group_id_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            error_code_1, tags = unpack_hB(buf, pos)
            pos += 3
            if tags:
                pos = skip_tagged(buf, pos - 1)
            made_1 = new(DeleteGroupsResponseResult)
            made_1.group_id = group_id_1
            made_1.error_code = error_code_1
            results_0_items.append(made_1)
        results_0 = results_0_items
        tags = buf[pos]
        pos += 1
        if tags:
            pos = skip_tagged(buf, pos - 1)
        made_0 = new(DeleteGroupsResponse)
        made_0.throttle_time_ms = throttle_time_ms_0
        made_0.results = results_0
    except (IndexError, StructError) as error:
        raise overrun("DeleteGroups response v2", buf, pos) from error
    if pos > len(buf):
        raise overrun("DeleteGroups response v2", buf, pos)
    return made_0


# versions 0-1
def encode_response_v0(message: DeleteGroupsResponse) -> bytes:
    try:
        out = bytearray()
        items_1 = message.results
        out += pack_ii(message.throttle_time_ms, len(items_1))
        for item_1 in items_1:
            raw = item_1.group_id.encode()
            out += pack_h(len(raw))
            out += raw
            out += pack_h(item_1.error_code)
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("DeleteGroups response v0-1", message, error) from error


def encode_response_v2(message: DeleteGroupsResponse) -> bytes:
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
            raw = item_1.group_id.encode()
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
        raise encode_failure("DeleteGroups response v2", message, error) from error


REQUEST_DECODERS = {
    0: decode_request_v0,
    1: decode_request_v0,
    2: decode_request_v2,
}
REQUEST_ENCODERS = {
    0: encode_request_v0,
    1: encode_request_v0,
    2: encode_request_v2,
}
RESPONSE_DECODERS = {
    0: decode_response_v0,
    1: decode_response_v0,
    2: decode_response_v2,
}
RESPONSE_ENCODERS = {
    0: encode_response_v0,
    1: encode_response_v0,
    2: encode_response_v2,
}
