"""Request and response headers: what stands between the frame's size and the body.

Knows which header a version has (spec 2.1). Does not know frames: those are the connection's. Clients write request headers and
read response headers here; the server's `Intake` and `Call` do the reverse on the frame itself.
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
_unpack_correlation_id: Final = Struct(">i").unpack_from
_FLEXIBLE_FROM: Final = {key: 32768 if api.flexible_from is None else api.flexible_from for key, api in APIS.items()}
_EMPTY_TAGS: Final = b"\0"


def encode_request_header(api_key: int, version: int, correlation_id: int, client_id: str | None) -> bytes:
    tags = _EMPTY_TAGS if version >= _FLEXIBLE_FROM[api_key] else b""
    if client_id is None:
        return _FIXED.pack(api_key, version, correlation_id, -1) + tags
    raw = client_id.encode()
    return _FIXED.pack(api_key, version, correlation_id, len(raw)) + raw + tags


def has_flexible_response_header(api_key: int, version: int) -> bool:
    """ApiVersions never has: a client that asks for it does not know yet what the server speaks (KIP-511)."""
    return api_key != API_VERSIONS_KEY and version >= _FLEXIBLE_FROM[api_key]


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
