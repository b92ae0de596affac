"""Answers Kafka clients that were pointed at an HTTP address of the server: the metrics page or the test controls.

A client that is only refused tries again until its own timeout, and says "broker transport failure". One that is told
that this broker speaks nothing but ApiVersions gives up at once and says that. `http_guard` calls it.
"""

from __future__ import annotations

import logging
import time
from struct import Struct
from typing import Final

from muster.log_limit import LogLimit
from muster.wire.errors import UNSUPPORTED_VERSION
from muster.wire.generated import api_versions
from muster.wire.generated.api_versions import ApiVersionsResponse, ApiVersionsResponseApiKey
from muster.wire.header import API_VERSIONS_KEY

_HEAD: Final = Struct(">ihhi")
"""Size, API key, version, correlation id."""
_SIZE: Final = Struct(">i")
_LARGEST: Final = 65_536
_NEWEST: Final = 4
_strayed = LogLimit(logging.getLogger("muster.server"), "Kafka clients at an HTTP address", time.monotonic)


def is_kafka_request(received: bytes | bytearray) -> bool:
    """Whether it begins as a request of Kafka's does: a size that is not absurd, a known kind of API key and version."""
    if len(received) < _HEAD.size:
        return False
    size, api_key, version, _ = _HEAD.unpack_from(received)
    return bool(8 <= size <= _LARGEST and 0 <= api_key < 200 and 0 <= version < 64)


def reply_to(received: bytes | bytearray) -> bytes:
    """What makes the client give up: only ApiVersions is spoken here. Empty if it asked for something else."""
    _, api_key, version, correlation_id = _HEAD.unpack_from(received)
    if api_key != API_VERSIONS_KEY:
        return b""
    known = [ApiVersionsResponseApiKey(API_VERSIONS_KEY, 0, _NEWEST)]
    body = _encoded(ApiVersionsResponse(api_keys=known), version)
    return _SIZE.pack(_SIZE.size + len(body)) + _SIZE.pack(correlation_id) + body


def _encoded(reply: ApiVersionsResponse, version: int) -> bytes:
    if version > _NEWEST:  # KIP-511: in the layout of version 0, so that any client can read it
        reply.error_code = UNSUPPORTED_VERSION
        return api_versions.encode_response_v0(reply)
    if version >= 3:
        return api_versions.encode_response_v3(reply)
    return api_versions.encode_response_v1(reply) if version else api_versions.encode_response_v0(reply)


def log_it(peer: object, address: object) -> None:
    """One line, however often the client comes back: `LogLimit` counts the rest."""
    _strayed.warning(
        "a Kafka client at %s connected to %s, which speaks HTTP: point it at a listener (muster.listen)",
        _place(peer),
        _place(address),
    )


def _place(address: object) -> str:
    return f"{address[0]}:{address[1]}" if isinstance(address, tuple) and len(address) >= 2 else "an unknown address"
