"""The line between a worker and its supervisor: small JSON objects, one a line, over a pair of sockets.

Nobody ever waits for the other: what does not fit now is sent with the next message, and what does not fit at all is
dropped (workers look for themselves now and then). The end of the line means "stop" to a worker, whether its
supervisor wants that or is dead.
"""

from __future__ import annotations

import json
import socket
from contextlib import suppress
from typing import Any, Final

MAX_WAITING_BYTES: Final = 65_536
_READ_BYTES: Final = 65_536


class Channel:
    """One end. Never raises for what the other end did."""

    def __init__(self, end: socket.socket) -> None:
        end.setblocking(False)
        self._socket = end
        self._received = b""
        self._unsent = b""

    def fileno(self) -> int:
        return self._socket.fileno()

    def send(self, message: dict[str, Any]) -> None:
        if len(self._unsent) < MAX_WAITING_BYTES:
            self._unsent += json.dumps(message).encode() + b"\n"
        with suppress(BlockingIOError, BrokenPipeError, ConnectionError):
            while self._unsent:
                self._unsent = self._unsent[self._socket.send(self._unsent) :]

    def receive(self) -> list[dict[str, Any]] | None:
        """What has come since the last time; None if the other end is closed and everything was received."""
        try:
            received = self._socket.recv(_READ_BYTES)
        except BlockingIOError:
            return []
        except OSError:
            return None
        if not received:
            return None
        *lines, self._received = (self._received + received).split(b"\n")
        return [json.loads(line) for line in lines]

    def say_stop(self) -> None:
        """End this direction: the other end still can say how it went."""
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_WR)

    def close(self) -> None:
        self._socket.close()


def channel_pair() -> tuple[Channel, Channel]:
    here, there = socket.socketpair()
    return Channel(here), Channel(there)
