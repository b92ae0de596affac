"""Request and response headers: what stands between the frame's size and the body.

Knows which header a version has (spec 2.1). Does not know frames: those are the connection's. The server decodes requests
and encodes responses, clients do the reverse; both go through here.
"""

from __future__ import annotations

from struct import Struct
from struct import error as StructError
from typing import Final

from muster.wire.apis import APIS
from muster.wire.errors import WireError
from muster.wire.primitives import skip_tagged

API_VERSIONS_KEY: Final = 18

_FIXED: Final = Struct(">hhih")
_unpack_fixed: Final = _FIXED.unpack_from
_pack_correlation_id: Final = Struct(">i").pack
_pack_correlation_id_and_tags: Final = Struct(">ix").pack
_unpack_correlation_id: Final = Struct(">i").unpack_from
_FLEXIBLE_FROM: Final = {key: 32768 if api.flexible_from is None else api.flexible_from for key, api in APIS.items()}
_EMPTY_TAGS: Final = b"\0"


class RequestHeader:
    """`body` is the position in the frame where the body begins. Slots: one is made for every request."""

    __slots__ = ("api_key", "api_version", "body", "client_id", "correlation_id")

    def __init__(
        self, api_key: int, api_version: int, correlation_id: int, client_id: str | None, body: int = 0
    ) -> None:
        self.api_key = api_key
        self.api_version = api_version
        self.correlation_id = correlation_id
        self.client_id = client_id
        self.body = body

    def __repr__(self) -> str:
        return (
            f"RequestHeader(api_key={self.api_key}, api_version={self.api_version},"
            f" correlation_id={self.correlation_id}, client_id={self.client_id!r}, body={self.body})"
        )


def decode_request_header(frame: bytes, pos: int = 0) -> RequestHeader:
    """The header of a request frame without its size; raises WireError if it is short or its API unknown.

    A version that we lack is no error here: ApiVersions has to answer it (spec 2.1), others are for the caller to refuse.
    """
    try:
        api_key, api_version, correlation_id, size = _unpack_fixed(frame, pos)
        pos += 10
        client_id: str | None = None
        if size >= 0:
            # Always an i16 length, also in the flexible header (spec 2.1).
            end = pos + size
            client_id = frame[pos:end].decode("utf-8", "replace")
            pos = end
        if api_version >= _FLEXIBLE_FROM[api_key]:
            if frame[pos]:
                pos = skip_tagged(frame, pos)
            else:
                pos += 1
    except (StructError, IndexError) as error:
        raise WireError(f"a request of {len(frame)} bytes is too short for its header") from error
    except KeyError as error:
        raise WireError(f"api key {error} is unknown") from error
    if pos > len(frame):
        raise WireError(f"client id of {size} bytes in a request of {len(frame)}")
    return RequestHeader(api_key, api_version, correlation_id, client_id, pos)


def encode_request_header(api_key: int, version: int, correlation_id: int, client_id: str | None) -> bytes:
    tags = _EMPTY_TAGS if version >= _FLEXIBLE_FROM[api_key] else b""
    if client_id is None:
        return _FIXED.pack(api_key, version, correlation_id, -1) + tags
    raw = client_id.encode()
    return _FIXED.pack(api_key, version, correlation_id, len(raw)) + raw + tags


def has_flexible_response_header(api_key: int, version: int) -> bool:
    """ApiVersions never has: a client that asks for it does not know yet what the server speaks (KIP-511)."""
    return api_key != API_VERSIONS_KEY and version >= _FLEXIBLE_FROM[api_key]


def encode_response_header(api_key: int, version: int, correlation_id: int) -> bytes:
    if api_key != API_VERSIONS_KEY and version >= _FLEXIBLE_FROM[api_key]:
        return _pack_correlation_id_and_tags(correlation_id)
    return _pack_correlation_id(correlation_id)


def decode_response_header(api_key: int, version: int, frame: bytes, pos: int = 0) -> tuple[int, int]:
    """Correlation id, and the position of the body."""
    try:
        (correlation_id,) = _unpack_correlation_id(frame, pos)
        pos += 4
        if has_flexible_response_header(api_key, version):
            pos = skip_tagged(frame, pos)
    except (StructError, IndexError) as error:
        raise WireError(f"a response of {len(frame)} bytes is too short for its header") from error
    return correlation_id, pos
