"""Generated from tools/codecs/schemas/describe_user_scram_credentials.api by `make generate`; changes belong there."""

from __future__ import annotations

from collections.abc import Sequence

from struct import Struct, error as StructError

from muster.wire.message import Message, encode_failure
from muster.wire.primitives import overrun, read_length, skip_tagged, too_many
from muster.wire.varint import read_uvarint, uvarint

new = Message.__new__
pack_bix = Struct(">bix").pack
pack_h = Struct(">h").pack
pack_hB = Struct(">hB").pack
pack_hx = Struct(">hx").pack
pack_ih = Struct(">ih").pack
pack_ihB = Struct(">ihB").pack
pack_ihx = Struct(">ihx").pack
unpack_biB = Struct(">biB").unpack_from
unpack_hB = Struct(">hB").unpack_from
unpack_ihB = Struct(">ihB").unpack_from


class DescribeUserScramCredentialsRequestUserName(Message):
    __match_args__ = ("name",)
    __slots__ = __match_args__

    def __init__(
        self,
        name: str = "",
    ) -> None:
        self.name = name


class DescribeUserScramCredentialsRequest(Message):
    __match_args__ = ("users",)
    __slots__ = __match_args__

    def __init__(
        self,
        users: Sequence[DescribeUserScramCredentialsRequestUserName] | None = (),
    ) -> None:
        self.users = users


class DescribeUserScramCredentialsResponseCredentialInfo(Message):
    __match_args__ = ("mechanism", "iterations")
    __slots__ = __match_args__

    def __init__(
        self,
        mechanism: int = 0,
        iterations: int = 0,
    ) -> None:
        self.mechanism = mechanism
        self.iterations = iterations


class DescribeUserScramCredentialsResponseResult(Message):
    __match_args__ = ("user", "error_code", "error_message", "credential_infos")
    __slots__ = __match_args__

    def __init__(
        self,
        user: str = "",
        error_code: int = 0,
        error_message: str | None = "",
        credential_infos: Sequence[DescribeUserScramCredentialsResponseCredentialInfo] = (),
    ) -> None:
        self.user = user
        self.error_code = error_code
        self.error_message = error_message
        self.credential_infos = credential_infos


class DescribeUserScramCredentialsResponse(Message):
    __match_args__ = ("throttle_time_ms", "error_code", "error_message", "results")
    __slots__ = __match_args__

    def __init__(
        self,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        error_message: str | None = "",
        results: Sequence[DescribeUserScramCredentialsResponseResult] = (),
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.error_message = error_message
        self.results = results


def decode_request_v0(buf: bytes, pos: int) -> DescribeUserScramCredentialsRequest:
    try:
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        users_0: Sequence[DescribeUserScramCredentialsRequestUserName] | None = None
        if n > 0:
            n -= 1
            if n > len(buf) - pos:
                raise overrun("DescribeUserScramCredentials request v0", buf, pos)
            if n > 50000:
                raise too_many("DescribeUserScramCredentials request v0", n)
            users_0_items: list[DescribeUserScramCredentialsRequestUserName] = []
            for _ in range(n):
                n = buf[pos]
                pos += 1
                if not 0 < n < 128:
                    n, pos = read_length(buf, pos - 1, "DescribeUserScramCredentials request v0", "Name")
                end = pos + n - 1
                name_1 = buf[pos:end].decode("utf-8", "replace")
                pos = end
                tags = buf[pos]
                pos += 1
                if tags:
                    pos = skip_tagged(buf, pos - 1)
                made_1 = new(DescribeUserScramCredentialsRequestUserName)
                made_1.name = name_1
                users_0_items.append(made_1)
            users_0 = users_0_items
        tags = buf[pos]
        pos += 1
        if tags:
            pos = skip_tagged(buf, pos - 1)
        made_0 = new(DescribeUserScramCredentialsRequest)
        made_0.users = users_0
    except (IndexError, StructError) as error:
        raise overrun("DescribeUserScramCredentials request v0", buf, pos) from error
    if pos > len(buf):
        raise overrun("DescribeUserScramCredentials request v0", buf, pos)
    return made_0


def encode_request_v0(message: DescribeUserScramCredentialsRequest) -> bytes:
    try:
        out = bytearray()
        value_1 = message.users
        if value_1 is None:
            out += b"\0"
        else:
            items_2 = value_1
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
                out += b"\0"
        out += b"\0"
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("DescribeUserScramCredentials request v0", message, error) from error


def decode_response_v0(buf: bytes, pos: int) -> DescribeUserScramCredentialsResponse:
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
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "DescribeUserScramCredentials response v0", "Results")
        n -= 1
        if n * 6 > len(buf) - pos:
            raise overrun("DescribeUserScramCredentials response v0", buf, pos)
        results_0_items: list[DescribeUserScramCredentialsResponseResult] = []
        for _ in range(n):
            n = buf[pos]
            pos += 1
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "DescribeUserScramCredentials response v0", "User")
            end = pos + n - 1
            user_1 = buf[pos:end].decode("utf-8", "replace")
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
            n = buf[pos]
            pos += 1
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "DescribeUserScramCredentials response v0", "CredentialInfos")
            n -= 1
            if n * 6 > len(buf) - pos:
                raise overrun("DescribeUserScramCredentials response v0", buf, pos)
            credential_infos_1_items: list[DescribeUserScramCredentialsResponseCredentialInfo] = []
            for _ in range(n):
                mechanism_2, iterations_2, tags = unpack_biB(buf, pos)
                pos += 6
                if tags:
                    pos = skip_tagged(buf, pos - 1)
                made_2 = new(DescribeUserScramCredentialsResponseCredentialInfo)
                made_2.mechanism = mechanism_2
                made_2.iterations = iterations_2
                credential_infos_1_items.append(made_2)
            credential_infos_1 = credential_infos_1_items
            tags = buf[pos]
            pos += 1
            if tags:
                pos = skip_tagged(buf, pos - 1)
            made_1 = new(DescribeUserScramCredentialsResponseResult)
            made_1.user = user_1
            made_1.error_code = error_code_1
            made_1.error_message = error_message_1
            made_1.credential_infos = credential_infos_1
            results_0_items.append(made_1)
        results_0 = results_0_items
        tags = buf[pos]
        pos += 1
        if tags:
            pos = skip_tagged(buf, pos - 1)
        made_0 = new(DescribeUserScramCredentialsResponse)
        made_0.throttle_time_ms = throttle_time_ms_0
        made_0.error_code = error_code_0
        made_0.error_message = error_message_0
        made_0.results = results_0
    except (IndexError, StructError) as error:
        raise overrun("DescribeUserScramCredentials response v0", buf, pos) from error
    if pos > len(buf):
        raise overrun("DescribeUserScramCredentials response v0", buf, pos)
    return made_0


def encode_response_v0(message: DescribeUserScramCredentialsResponse) -> bytes:
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
        items_2 = message.results
        n = len(items_2) + 1
        if n < 128:
            out.append(n)
        else:
            out += uvarint(n)
        for item_2 in items_2:
            raw = item_2.user.encode()
            n = len(raw) + 1
            if n < 128:
                out.append(n)
            else:
                out += uvarint(n)
            out += raw
            value_3 = item_2.error_message
            if value_3 is None:
                out += pack_hx(item_2.error_code)
            else:
                raw = value_3.encode()
                n = len(raw) + 1
                if n < 128:
                    out += pack_hB(item_2.error_code, n)
                else:
                    out += pack_h(item_2.error_code)
                    out += uvarint(n)
                out += raw
            items_4 = item_2.credential_infos
            n = len(items_4) + 1
            if n < 128:
                out.append(n)
            else:
                out += uvarint(n)
            out += b"".join([pack_bix(item_4.mechanism, item_4.iterations) for item_4 in items_4])
            out += b"\0"
        out += b"\0"
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("DescribeUserScramCredentials response v0", message, error) from error


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
