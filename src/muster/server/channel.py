"""One TCP socket on the reactor, with the methods of an asyncio transport that connections use.

Sends at once and keeps only what the socket does not take; receives once for each event, so that nobody is served twice before
everybody was served once. Tells its protocol of its end exactly once, in a turn of the loop of its own, and closes the socket
then: a descriptor's number cannot come back while events of the old one are still being looked at.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Final

from mypy_extensions import i64

from muster.server.connection import Connection
from muster.server.limits import (
    RECEIVED_AT_ONCE_BYTES,
    SENT_WITHOUT_DELAY_BYTES,
    SMALL_REQUEST_BYTES,
    WRITE_HIGH_WATER_BYTES,
)

if TYPE_CHECKING:
    import asyncio
    import socket

    from muster.server.reactor import Reactor

_READABLE: Final = 1
_WRITABLE: Final = 4
_read: Final = os.read
_write: Final = os.write
"""Rather than the socket's own methods: they do the same with half the ceremony around the system call."""


class Channel:
    """The acceptor makes and starts it, the reactor calls `on_events`, the protocol the rest."""

    __slots__ = (
        "_closing",
        "_connection",
        "_ended",
        "_fd",
        "_fresh",
        "_high_water",
        "_loop",
        "_low_water",
        "_mask",
        "_most_room",
        "_peername",
        "_protocol",
        "_reactor",
        "_reading",
        "_room",
        "_socket",
        "_unsent",
        "_writer_held",
    )

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        reactor: Reactor,
        connected: socket.socket,
        peername: object,
        protocol: Any,
    ) -> None:
        """`protocol` has the methods of an asyncio.Protocol."""
        # First what every event needs: it then lies side by side, in two cache lines instead of four.
        self._reading = True
        self._closing = False
        self._fd = connected.fileno()
        self._room: i64 = SMALL_REQUEST_BYTES
        """How much the next receive takes."""
        self._mask: i64 = 0
        """What the reactor looks for; 0: it does not know this channel."""
        self._connection: Connection | None = None
        """The protocol, where it is one: compiled code calls it directly."""
        self._reactor = reactor
        self._fresh = b""
        """Written in this turn."""
        self._loop = loop
        self._socket: Any = connected
        self._peername = peername
        self._protocol: Any = None
        self.set_protocol(protocol)
        self._most_room: i64 = RECEIVED_AT_ONCE_BYTES
        """How much a receive takes at most."""
        self._unsent = bytearray()
        """What the socket did not take; as long as there is something, the mask has the bit for writing."""
        self._high_water: i64 = WRITE_HIGH_WATER_BYTES
        self._low_water: i64 = WRITE_HIGH_WATER_BYTES // 4
        self._writer_held = False
        """The protocol was told to write no more for now."""
        self._ended = False
        """Nothing goes in or out any more; `connection_lost` is on its way."""

    def start(self) -> None:
        """Tell the protocol, then listen to the client."""
        if self._connection is not None:
            self._connection.channel = self
        try:
            self._protocol.connection_made(self)
        except Exception as fault:
            self._break(fault, "connection_made")
        try:
            self._watch()
        except OSError as error:  # the system lets no more descriptors be watched
            self._end(error)

    # ---- what the reactor calls

    def on_events(self, mask: i64) -> None:
        """Whatever the mask says, reading and writing find out for themselves: an error or a hang-up has no other sign."""
        try:
            if self._reading and mask & ~_WRITABLE:
                self._receive()
            if self._mask & _WRITABLE:
                self._send_rest()
        except Exception as fault:  # no memory for what came: that ends this channel, not the loop
            self._break(fault, "an event")

    def _receive(self) -> None:
        try:
            received: bytes = _read(self._fd, self._room)
            if len(received) <= SMALL_REQUEST_BYTES:
                if self._room != SMALL_REQUEST_BYTES:
                    self._room = SMALL_REQUEST_BYTES
                elif len(received) == SMALL_REQUEST_BYTES:
                    received = self._receive_more(received)
        except (BlockingIOError, InterruptedError):
            return
        except OSError as error:
            self._end(error)
            return
        try:
            if not received:
                self._meet_end()
            elif self._connection is not None:
                self._connection.data_received(received)
            else:
                self._protocol.data_received(received)
        except Exception as fault:
            self._break(fault, "data_received" if received else "eof_received")

    def _receive_more(self, received: bytes) -> bytes:
        """It was no small request, and the next one may be none either."""
        self._room = self._most_room
        try:
            more: bytes = _read(self._fd, self._most_room)
        except OSError:
            return received  # if it is more than a matter of time, the next event tells
        return received + more

    def _meet_end(self) -> None:
        if self._protocol.eof_received():
            self.pause_reading()
        else:
            self.close()

    def _send_rest(self) -> None:
        try:
            sent: int = _write(self._fd, self._unsent)
        except (BlockingIOError, InterruptedError):
            return
        except OSError as error:
            self._end(error)
            return
        del self._unsent[:sent]
        if self._writer_held and len(self._unsent) <= self._low_water:
            self._writer_held = False
            self._tell_writer("resume_writing")
        if not self._unsent:
            if self._closing:
                self._end(None)
            else:
                self._watch()

    # ---- what the protocol calls

    def write(self, data: bytes) -> None:
        """Goes out at the end of this turn, together with what others have to send. Nothing is taken after `close`."""
        if self._closing or not data:
            return
        if self._mask & _WRITABLE:
            self._keep(data)
        elif self._fresh:
            self._fresh += data
        else:
            self._fresh = data
            self._reactor.send_soon(self)
        if len(self._fresh) > SENT_WITHOUT_DELAY_BYTES:
            self.send()

    def send(self) -> None:
        """Send what was written in this turn, and keep what the socket does not take."""
        data = self._fresh
        if not data:
            return
        self._fresh = b""
        sent: int = 0
        try:
            sent = _write(self._fd, data)
        except (BlockingIOError, InterruptedError):
            pass
        except OSError as error:
            self._end(error)
            return
        if sent != len(data):
            try:
                self._keep(data[sent:])
            except Exception as fault:
                self._break(fault, "send")

    def _keep(self, data: bytes) -> None:
        self._unsent += data
        self._watch()
        if not self._writer_held and len(self._unsent) > self._high_water:
            self._writer_held = True
            self._tell_writer("pause_writing")

    def pause_reading(self) -> None:
        self._reading = False
        self._watch()

    def resume_reading(self) -> None:
        if not self._closing:
            self._reading = True
            self._watch()

    def limit_receive(self, size: int) -> None:
        """Take no more than this at once from now on."""
        self._most_room = size
        self._room = SMALL_REQUEST_BYTES

    def close(self) -> None:
        """Send what has been written, then end."""
        if self._closing:
            return
        self.send()
        self._closing = True
        self._reading = False
        if self._unsent:
            self._watch()
        else:
            self._end(None)

    def abort(self) -> None:
        """End without sending what is left."""
        self._end(None)

    def set_protocol(self, protocol: Any) -> None:
        self._protocol = protocol
        self._connection = protocol if isinstance(protocol, Connection) else None

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None:
        """From how many unsent bytes on the protocol is told to pause, and from how few on to resume."""
        top = WRITE_HIGH_WATER_BYTES if high is None else high
        self._high_water = top
        self._low_water = top // 4 if low is None else low

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        if name == "peername":
            return self._peername
        if name == "socket":
            return self._socket
        return self._socket.getsockname() if name == "sockname" and not self._ended else default

    # ---- the end, and what leads to it

    def _watch(self) -> None:
        """Have the reactor look for what is wanted now."""
        wanted: i64 = 0
        if not self._ended:
            wanted = (_READABLE if self._reading else 0) | (_WRITABLE if self._unsent else 0)
        if wanted != self._mask:
            self._reactor.watch(self._fd, self, wanted)
            self._mask = wanted

    def _end(self, error: Exception | None) -> None:
        if self._ended:
            return
        self._ended = self._closing = True
        self._reading = False
        self._fresh = b""
        self._unsent = bytearray()
        self._watch()
        self._loop.call_soon(self._tell_end, error)

    def _tell_end(self, error: Exception | None) -> None:
        try:
            self._protocol.connection_lost(error)
        finally:
            self._protocol = self._connection = None
            self._socket.close()
            self._fd = -1  # the number may be somebody else's soon

    def _tell_writer(self, method: str) -> None:
        try:
            getattr(self._protocol, method)()
        except Exception as fault:
            self._break(fault, method)

    def _break(self, fault: Exception, where: str) -> None:
        """The protocol is at fault, or there is no memory: that is told, and ends this channel and nothing else."""
        self._end(fault)
        self._loop.call_exception_handler({"message": f"{where} failed", "exception": fault})
