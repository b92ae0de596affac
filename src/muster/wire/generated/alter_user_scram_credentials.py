"""Generated from tools/codecs/schemas/alter_user_scram_credentials.api by `make generate`; changes belong there."""

from __future__ import annotations

from collections.abc import Sequence

from struct import Struct, error as StructError

from muster.wire.message import Message, encode_failure
from muster.wire.primitives import overrun, read_length, skip_tagged, too_many
from muster.wire.varint import read_uvarint, uvarint

new = Message.__new__
pack_bi = Struct(">bi").pack
pack_biB = Struct(">biB").pack
pack_bx = Struct(">bx").pack
pack_h = Struct(">h").pack
pack_hB = Struct(">hB").pack
pack_hx = Struct(">hx").pack
pack_i = Struct(">i").pack
pack_iB = Struct(">iB").pack
unpack_bB = Struct(">bB").unpack_from
unpack_biB = Struct(">biB").unpack_from
unpack_hB = Struct(">hB").unpack_from
unpack_iB = Struct(">iB").unpack_from


class AlterUserScramCredentialsRequestDeletion(Message):
    __match_args__ = ("name", "mechanism")
    __slots__ = __match_args__

    def __init__(
        self,
        name: str = "",
        mechanism: int = 0,
    ) -> None:
        self.name = name
        self.mechanism = mechanism


class AlterUserScramCredentialsRequestUpsertion(Message):
    __match_args__ = ("name", "mechanism", "iterations", "salt", "salted_password")
    __slots__ = __match_args__

    def __init__(
        self,
        name: str = "",
        mechanism: int = 0,
        iterations: int = 0,
        salt: bytes = b"",
        salted_password: bytes = b"",
    ) -> None:
        self.name = name
        self.mechanism = mechanism
        self.iterations = iterations
        self.salt = salt
        self.salted_password = salted_password


class AlterUserScramCredentialsRequest(Message):
    __match_args__ = ("deletions", "upsertions")
    __slots__ = __match_args__

    def __init__(
        self,
        deletions: Sequence[AlterUserScramCredentialsRequestDeletion] = (),
        upsertions: Sequence[AlterUserScramCredentialsRequestUpsertion] = (),
    ) -> None:
        self.deletions = deletions
        self.upsertions = upsertions


class AlterUserScramCredentialsResponseResult(Message):
    __match_args__ = ("user", "error_code", "error_message")
    __slots__ = __match_args__

    def __init__(
        self,
        user: str = "",
        error_code: int = 0,
        error_message: str | None = "",
    ) -> None:
        self.user = user
        self.error_code = error_code
        self.error_message = error_message


class AlterUserScramCredentialsResponse(Message):
    __match_args__ = ("throttle_time_ms", "results")
    __slots__ = __match_args__

    def __init__(
        self,
        throttle_time_ms: int = 0,
        results: Sequence[AlterUserScramCredentialsResponseResult] = (),
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.results = results


def decode_request_v0(buf: bytes, pos: int) -> AlterUserScramCredentialsRequest:
    try:
        n = buf[pos]
        pos += 1
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "AlterUserScramCredentials request v0", "Deletions")
        n -= 1
        if n * 3 > len(buf) - pos:
            raise overrun("AlterUserScramCredentials request v0", buf, pos)
        if n > 50000:
            raise too_many("AlterUserScramCredentials request v0", n)
        deletions_0_items: list[AlterUserScramCredentialsRequestDeletion] = []
        for _ in range(n):
            n = buf[pos]
            pos += 1
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "AlterUserScramCredentials request v0", "Name")
            end = pos + n - 1
            name_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            mechanism_1, tags = unpack_bB(buf, pos)
            pos += 2
            if tags:
                pos = skip_tagged(buf, pos - 1)
            made_1 = new(AlterUserScramCredentialsRequestDeletion)
            made_1.name = name_1
            made_1.mechanism = mechanism_1
            deletions_0_items.append(made_1)
        deletions_0 = deletions_0_items
        n = buf[pos]
        pos += 1
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "AlterUserScramCredentials request v0", "Upsertions")
        n -= 1
        if n * 9 > len(buf) - pos:
            raise overrun("AlterUserScramCredentials request v0", buf, pos)
        if n > 50000:
            raise too_many("AlterUserScramCredentials request v0", n)
        upsertions_0_items: list[AlterUserScramCredentialsRequestUpsertion] = []
        for _ in range(n):
            n = buf[pos]
            pos += 1
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "AlterUserScramCredentials request v0", "Name")
            end = pos + n - 1
            name_2 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            mechanism_2, iterations_2, n = unpack_biB(buf, pos)
            pos += 6
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "AlterUserScramCredentials request v0", "Salt")
            end = pos + n - 1
            salt_2 = buf[pos:end]
            pos = end
            n = buf[pos]
            pos += 1
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "AlterUserScramCredentials request v0", "SaltedPassword")
            end = pos + n - 1
            salted_password_2 = buf[pos:end]
            pos = end
            tags = buf[pos]
            pos += 1
            if tags:
                pos = skip_tagged(buf, pos - 1)
            made_2 = new(AlterUserScramCredentialsRequestUpsertion)
            made_2.name = name_2
            made_2.mechanism = mechanism_2
            made_2.iterations = iterations_2
            made_2.salt = salt_2
            made_2.salted_password = salted_password_2
            upsertions_0_items.append(made_2)
        upsertions_0 = upsertions_0_items
        tags = buf[pos]
        pos += 1
        if tags:
            pos = skip_tagged(buf, pos - 1)
        made_0 = new(AlterUserScramCredentialsRequest)
        made_0.deletions = deletions_0
        made_0.upsertions = upsertions_0
    except (IndexError, StructError) as error:
        raise overrun("AlterUserScramCredentials request v0", buf, pos) from error
    if pos > len(buf):
        raise overrun("AlterUserScramCredentials request v0", buf, pos)
    return made_0


def encode_request_v0(message: AlterUserScramCredentialsRequest) -> bytes:
    try:
        out = bytearray()
        items_1 = message.deletions
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
            out += pack_bx(item_1.mechanism)
        items_2 = message.upsertions
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
            raw = item_2.salt
            n = len(raw) + 1
            if n < 128:
                out += pack_biB(item_2.mechanism, item_2.iterations, n)
            else:
                out += pack_bi(item_2.mechanism, item_2.iterations)
                out += uvarint(n)
            out += raw
            raw = item_2.salted_password
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
        raise encode_failure("AlterUserScramCredentials request v0", message, error) from error


def decode_response_v0(buf: bytes, pos: int) -> AlterUserScramCredentialsResponse:
    try:
        throttle_time_ms_0, n = unpack_iB(buf, pos)
        pos += 5
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "AlterUserScramCredentials response v0", "Results")
        n -= 1
        if n * 5 > len(buf) - pos:
            raise overrun("AlterUserScramCredentials response v0", buf, pos)
        results_0_items: list[AlterUserScramCredentialsResponseResult] = []
        for _ in range(n):
            n = buf[pos]
            pos += 1
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "AlterUserScramCredentials response v0", "User")
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
            tags = buf[pos]
            pos += 1
            if tags:
                pos = skip_tagged(buf, pos - 1)
            made_1 = new(AlterUserScramCredentialsResponseResult)
            made_1.user = user_1
            made_1.error_code = error_code_1
            made_1.error_message = error_message_1
            results_0_items.append(made_1)
        results_0 = results_0_items
        tags = buf[pos]
        pos += 1
        if tags:
            pos = skip_tagged(buf, pos - 1)
        made_0 = new(AlterUserScramCredentialsResponse)
        made_0.throttle_time_ms = throttle_time_ms_0
        made_0.results = results_0
    except (IndexError, StructError) as error:
        raise overrun("AlterUserScramCredentials response v0", buf, pos) from error
    if pos > len(buf):
        raise overrun("AlterUserScramCredentials response v0", buf, pos)
    return made_0


def encode_response_v0(message: AlterUserScramCredentialsResponse) -> bytes:
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
            raw = item_1.user.encode()
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
        raise encode_failure("AlterUserScramCredentials response v0", message, error) from error


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
