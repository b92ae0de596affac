"""Where workers listen: one address that all of them answer, and one of its own for each, on the ports that follow.

Opens the sockets, in the supervisor: they stay open whatever becomes of a worker, so that nobody who connects meanwhile is
turned away.
"""

from __future__ import annotations

import socket
from collections.abc import Sequence
from dataclasses import dataclass, replace
from errno import EADDRINUSE

from muster.server.door import what_clients_are_told
from muster.server.endpoint import Endpoint
from muster.server.limits import LISTEN_BACKLOG
from muster.server.listener_addresses import ListenerAddress
from muster.server.listening import bind_sockets
from muster.server.serve import ListenError
from muster.topics.config_types import ConfigError

_HIGHEST_PORT = 65_535


@dataclass(slots=True, frozen=True)
class Opened:
    """An address that is listened on."""

    address: ListenerAddress
    """With the real port, and with what clients are told."""
    sockets: Sequence[socket.socket]

    def __str__(self) -> str:
        name = "" if self.address.name == "PLAINTEXT" else f"{self.address.name}://"
        return f"{name}{self.address.endpoint}"


@dataclass(slots=True, frozen=True)
class OpenedListener:
    everybody: Opened
    """The address that the operator named."""
    own: Sequence[Opened]
    """Of each worker, by number."""

    def close(self) -> None:
        for opened in (self.everybody, *self.own):
            for each in opened.sockets:
                each.close()


def check_ports(listeners: Sequence[ListenerAddress], workers: int) -> None:
    """ConfigError if listeners get into each other's way."""
    taken: dict[int, str] = {}
    for listener in listeners:
        first = listener.endpoint.port
        if not first:
            continue
        if first + workers > _HIGHEST_PORT:
            raise ConfigError(
                f"listeners: {listener} and {workers} workers need the ports {first} to {first + workers};"
                f" {_HIGHEST_PORT} is the highest there is"
            )
        for port in range(first, first + workers + 1):
            if port in taken:
                raise ConfigError(
                    f"listeners: {listener} and {taken[port]} both need port {port}: each of {workers} workers has a port"
                    f" of its own after the listener's; leave {workers} free between two listeners"
                )
            taken[port] = str(listener)


def open_listener(listener: ListenerAddress, workers: int) -> OpenedListener:
    """ListenError if one of the addresses cannot be had."""
    opened: list[Opened] = []
    try:
        for number in range(workers + 1):
            opened.append(_open(_moved(listener, number)))
    except BaseException:
        for each in opened:
            for one in each.sockets:
                one.close()
        raise
    return OpenedListener(opened[0], opened[1:])


def _moved(listener: ListenerAddress, by: int) -> ListenerAddress:
    """The listener some ports further; port 0 stays: any free one."""
    told = listener.advertised
    return replace(
        listener,
        endpoint=_moved_endpoint(listener.endpoint, by),
        advertised=None if told is None else _moved_endpoint(told, by),
    )


def _moved_endpoint(endpoint: Endpoint, by: int) -> Endpoint:
    return Endpoint(endpoint.host, endpoint.port + by if endpoint.port else 0)


def _open(address: ListenerAddress) -> Opened:
    wanted = address.endpoint
    sockets: list[socket.socket] = []
    try:
        sockets = bind_sockets(wanted)
        for each in sockets:
            each.listen(LISTEN_BACKLOG)
    except OSError as error:
        for each in sockets:
            each.close()
        raise ListenError(_why_not(wanted, error)) from error
    bound = Endpoint(wanted.host, sockets[0].getsockname()[1])
    told = what_clients_are_told(address.advertised, bound)
    return Opened(replace(address, endpoint=bound, advertised=told), sockets)


def _why_not(endpoint: Endpoint, error: OSError) -> str:
    if error.errno == EADDRINUSE:
        why = (
            "another program listens there; each worker has a port of its own after the listener's. Stop that program"
            " or choose another port with --listen HOST:PORT (0 takes free ones)"
        )
    else:
        why = f"{error.strerror or error}; choose another with --listen HOST:PORT"
    return f"cannot listen on {endpoint}: {why}"
