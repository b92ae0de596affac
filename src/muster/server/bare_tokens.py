"""SASL tokens as bare frames, a size and the token, as they follow SaslHandshake v0 (KIP-43). Old clients only.

Takes the place of the connection at its transport until the exchange ends. A failure has no words here: the connection closes.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from muster.server.limits import FRAME_SIZE_BYTES

if TYPE_CHECKING:
    from muster.server.connection import Connection
    from muster.server.sasl_session import SaslSession


class BareTokens(asyncio.Protocol):
    """Both the protocol that reads tokens and the answers to them."""

    def __init__(self, connection: Connection, session: SaslSession, max_bytes: int) -> None:
        self._connection = connection
        self._session = session
        self._max_bytes = max_bytes
        self._buffer = bytearray()
        self._is_waiting = False
        """A token is being looked at, or its failure waits to be told."""
        self._timer: asyncio.TimerHandle | None = None

    # ---- what the loop calls

    def data_received(self, data: bytes) -> None:
        connection = self._connection
        connection.used = True
        if connection.closing:
            return
        self._buffer += data
        if self._is_waiting and len(self._buffer) > self._max_bytes:
            connection.refuse("SASL tokens", f"more than {self._max_bytes} bytes came before the last one was answered")
            return
        self._take_token()
        connection.hold(len(self._buffer))

    def eof_received(self) -> bool:
        return self._connection.eof_received()

    def pause_writing(self) -> None:
        self._connection.pause_writing()

    def resume_writing(self) -> None:
        self._connection.resume_writing()

    def connection_lost(self, exc: Exception | None) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._connection.connection_lost(exc)

    # ---- tokens

    def _take_token(self) -> None:
        if self._is_waiting or self._connection.closing or len(self._buffer) < FRAME_SIZE_BYTES:
            return
        size = int.from_bytes(self._buffer[:FRAME_SIZE_BYTES], "big", signed=True)
        if not 0 <= size <= self._max_bytes:
            self._connection.refuse("a SASL token", f"size {size} is not between 0 and {self._max_bytes}")
            return
        end = FRAME_SIZE_BYTES + size
        if len(self._buffer) < end:
            return
        token = bytes(self._buffer[FRAME_SIZE_BYTES:end])
        del self._buffer[:end]
        self._is_waiting = True
        self._connection.guard(self._session.take, token, self)

    # ---- answers

    def challenge(self, token: bytes) -> None:
        self._send(token)
        self._is_waiting = False
        self._take_token()

    def accepted(self, token: bytes, lifetime_ms: int) -> None:
        self._send(token)
        self._connection.take_back(bytes(self._buffer))

    def failed(self, told: str) -> None:
        """Nothing to say: the session closes the connection."""

    def wait_for(self, timer: asyncio.TimerHandle) -> None:
        self._timer = timer

    def _send(self, token: bytes) -> None:
        self._connection.send_bare(len(token).to_bytes(FRAME_SIZE_BYTES, "big") + token)
