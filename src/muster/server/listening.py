"""Sockets bound to an address that an operator wrote: one for each of its families, all on one port."""

from __future__ import annotations

import socket
from typing import Any

from muster.server.endpoint import Endpoint


def bind_sockets(wanted: Endpoint) -> list[socket.socket]:
    """Bound, not listening yet, and never blocking. Port 0 becomes a free one. OSError if the address cannot be had."""
    port = wanted.port
    bound: list[socket.socket] = []
    missing: OSError | None = None
    try:
        for family, kind, protocol, _, place in dict.fromkeys(_find(wanted)):
            try:
                made = socket.socket(family, kind, protocol)
            except OSError as error:
                missing = error  # names have addresses of IPv6 also on machines that were started without it
                continue
            bound.append(made)
            _bind(made, (place[0], port, *place[2:]))
            port = bound[0].getsockname()[1]
        if missing is not None and not bound:
            raise missing
    except BaseException:
        for each in bound:
            each.close()
        raise
    return bound


def _find(wanted: Endpoint) -> list[Any]:
    try:
        return socket.getaddrinfo(
            wanted.host or None, wanted.port, type=socket.SOCK_STREAM, proto=socket.IPPROTO_TCP, flags=socket.AI_PASSIVE
        )
    except UnicodeError:  # an empty label, or one that is too long: it is not even asked for
        raise socket.gaierror(socket.EAI_NONAME, "not a host name") from None


def _bind(made: socket.socket, place: tuple[object, ...]) -> None:
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if made.family == socket.AF_INET6:
        made.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
    made.bind(place)
    made.setblocking(False)
