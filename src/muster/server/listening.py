"""Sockets bound to an address that an operator wrote: one for each of its families, all on one port."""

from __future__ import annotations

import socket

from muster.server.endpoint import Endpoint


def bind_sockets(wanted: Endpoint) -> list[socket.socket]:
    """Bound, not listening yet, and never blocking. Port 0 becomes a free one. OSError if the address cannot be had."""
    port = wanted.port
    found = socket.getaddrinfo(
        wanted.host or None, port, type=socket.SOCK_STREAM, proto=socket.IPPROTO_TCP, flags=socket.AI_PASSIVE
    )
    bound: list[socket.socket] = []
    try:
        for family, kind, protocol, _, place in dict.fromkeys(found):
            bound.append(_bind(family, kind, protocol, (place[0], port, *place[2:])))
            port = bound[0].getsockname()[1]
    except BaseException:
        for each in bound:
            each.close()
        raise
    return bound


def _bind(family: int, kind: int, protocol: int, place: tuple[object, ...]) -> socket.socket:
    made = socket.socket(family, kind, protocol)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            made.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        made.bind(place)
        made.setblocking(False)
    except BaseException:
        made.close()
        raise
    return made
