"""What is said of a frame whose size is not taken. Asked by connections, which close then."""

from __future__ import annotations

from typing import Final

_TLS_HANDSHAKE: Final = 0x1603
"""The first bytes of a TLS client, where a frame's size should be."""


def why_refused(size: int, max_bytes: int, *, is_newcomer: bool) -> str:
    """`is_newcomer`: the client has not shown yet who it is, which has a limit of its own."""
    if size >> 16 == _TLS_HANDSHAKE:
        return "it looks like a TLS handshake, and this listener does not speak TLS"
    limit = "sasl.server.max.receive.size" if is_newcomer else "socket.request.max.bytes"
    return f"size {size} is not between 0 and {limit} = {max_bytes}"
