"""Takes the connections of one listening socket on the reactor's loop, each as a channel with a protocol of its own.

A process that has no descriptor left stops accepting for a moment instead of being told of the same client again and again.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable

from muster.log_limit import LogLimit
from muster.server.channel import Channel
from muster.server.limits import ACCEPT_PAUSE_SECONDS, ACCEPTED_AT_ONCE, LISTEN_BACKLOG
from muster.server.reactor_loop import ReactorLoop


class Acceptor:
    def __init__(
        self, loop: ReactorLoop, listening: socket.socket, make_protocol: Callable[[], object], log: LogLimit
    ) -> None:
        """The socket is bound and does not block; it is the acceptor's from now on."""
        self._loop = loop
        self._socket = listening
        self._make_protocol = make_protocol
        self._log = log
        self._pause: asyncio.TimerHandle | None = None

    def start(self) -> None:
        self._socket.listen(LISTEN_BACKLOG)
        self._go_on()

    def close(self) -> None:
        """No further connections. Harmless a second time."""
        if self._socket.fileno() < 0:
            return
        if self._pause is not None:
            self._pause.cancel()
        self._loop.remove_reader(self._socket.fileno())
        self._socket.close()

    def _go_on(self) -> None:
        self._pause = None
        self._loop.add_reader(self._socket.fileno(), self._accept)

    def _accept(self) -> None:
        for _ in range(ACCEPTED_AT_ONCE):
            try:
                connected, peername = self._socket.accept()
            except (BlockingIOError, InterruptedError):
                return
            except ConnectionAbortedError:
                continue  # it went before it was let in
            except OSError as error:
                self._rest(error)
                return
            self._welcome(connected, peername)

    def _welcome(self, connected: socket.socket, peername: object) -> None:
        try:
            connected.setblocking(False)
            connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            channel = Channel(self._loop, self._loop.reactor, connected, peername, self._make_protocol())
        except BaseException:
            connected.close()
            raise
        channel.start()

    def _rest(self, error: OSError) -> None:
        self._log.warning(
            "cannot accept connections for %d ms: %s", ACCEPT_PAUSE_SECONDS * 1000, error.strerror or error
        )
        self._loop.remove_reader(self._socket.fileno())
        self._pause = self._loop.call_later(ACCEPT_PAUSE_SECONDS, self._go_on)
