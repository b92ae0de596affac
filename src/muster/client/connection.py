"""One connection to one broker: opened, secured, versions agreed on, then calls.

    connection = await Connection.open("127.0.0.1", 9092, client_id="me")
    reply = await connection.call("Heartbeat", HeartbeatRequest(group, generation, member))
    connection.close()

A call is written at once, in the version both sides know, and comes back decoded; error codes inside it are the caller's to
read. Calls may overlap: the broker works on one after the other and answers in order. Everything that goes wrong with the
connection is a ClientError, and ends it: who wants to go on opens another.
"""

from __future__ import annotations

import asyncio
from collections import deque
from struct import Struct
from typing import Any, Final, NamedTuple, cast

from muster import __version__
from muster.client.failure import ClientError
from muster.client.opening import open_transport
from muster.client.sasl import authenticate
from muster.client.security import PLAINTEXT, Security
from muster.client.versions import CommonVersions
from muster.wire.apis import API_KEYS, APIS, request_encoder, response_decoder
from muster.wire.errors import (
    INVALID_REQUEST,
    NETWORK_EXCEPTION,
    NONE,
    REQUEST_TIMED_OUT,
    UNSUPPORTED_VERSION,
    WireError,
)
from muster.wire.generated.api_versions import ApiVersionsRequest, ApiVersionsResponse
from muster.wire.header import API_VERSIONS_KEY, decode_response_header, encode_request_header

DEFAULT_TIMEOUT_SECONDS: Final = 30.0
GOODBYE_SECONDS: Final = 1.0
MAX_REPLY_BYTES: Final = 1 << 30
REAUTHENTICATE_AT: Final = 0.85
"""KIP-368: authenticate again when this part of the session's lifetime is over, so that the broker need not close."""

_SIZE: Final = Struct(">i")
_ERROR_CODE: Final = Struct(">h")


class Pending(NamedTuple):
    """A request whose reply has not come."""

    correlation_id: int
    api_key: int
    version: int
    reply: asyncio.Future[Any]


class Connection(asyncio.Protocol):
    """Made by `open`. `address` is HOST:PORT for people."""

    def __init__(self, host: str, port: int, security: Security, client_id: str, timeout_seconds: float) -> None:
        self.host = host
        self.port = port
        self.address = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
        self.client_id = client_id
        self.versions = CommonVersions(())
        self._security = security
        self._timeout_seconds = timeout_seconds
        self._loop = asyncio.get_running_loop()
        self._transport: asyncio.Transport | None = None
        self._buffer = bytearray()
        self._pending: deque[Pending] = deque()
        self._last_correlation_id = 0
        self._failure: ClientError | None = None
        self._reauthenticate_at: float | None = None
        self._authenticating = asyncio.Lock()
        self._gone: asyncio.Future[None] = self._loop.create_future()

    @classmethod
    async def open(
        cls,
        host: str,
        port: int,
        *,
        security: Security = PLAINTEXT,
        client_id: str = "muster",
        timeout_seconds: float = DEFAULT_TIMEOUT_SECONDS,
    ) -> Connection:
        """Connected, secured, authenticated, versions known. ClientError says at which of these it failed."""
        connection = cls(host, port, security, client_id, timeout_seconds)
        try:
            await open_transport(connection, security, timeout_seconds)
            await connection._agree_on_versions()
            if security.wants_sasl:
                await connection._authenticate()
        except BaseException:
            connection.close()
            await connection.wait_closed()
            raise
        return connection

    # -- calls

    async def call(self, api: str, message: object, *, timeout_seconds: float | None = None) -> Any:
        """The decoded reply to a request. ClientError: no such version, no connection, no reply in time."""
        version = self.versions.of(api)
        if self._reauthenticate_at is not None and self._loop.time() >= self._reauthenticate_at:
            await self._authenticate()
        return await self._ask(api, version, message, timeout_seconds or self._timeout_seconds)

    async def tell(self, api: str, message: object) -> None:
        """A request that brokers never answer (Produce with acks 0). Comes back when the broker has gone on to the next."""
        version = self.versions.of(api)
        if self._failure is None:
            assert self._transport is not None
            key = API_KEYS[api]
            self._last_correlation_id = number = (self._last_correlation_id + 1) & 0x7FFFFFFF
            header = encode_request_header(key, version, number, self.client_id)
            payload = header + request_encoder(key, version)(message)
            self._transport.write(_SIZE.pack(len(payload)) + payload)
        await self.call("ApiVersions", ApiVersionsRequest("muster", __version__))

    def version(self, api: str) -> int:
        """The version that `call` uses."""
        return self.versions.of(api)

    @property
    def closed(self) -> bool:
        return self._failure is not None

    @property
    def gone(self) -> bool:
        """Closed, and its socket too."""
        return self._gone.done()

    def close(self) -> None:
        """Calls that wait fail. May be called twice. The socket is gone a little later: `wait_closed`."""
        self._end(ClientError(NETWORK_EXCEPTION, f"talk to {self.address}", "the connection was closed on this side"))

    async def wait_closed(self) -> None:
        """After `close`: come back when nothing is left of it. A peer that is slow to say goodbye is not waited for."""
        if self._transport is not None:
            await asyncio.wait([self._gone], timeout=GOODBYE_SECONDS)
            if not self._gone.done():
                self._transport.abort()
                await asyncio.wait([self._gone], timeout=GOODBYE_SECONDS)

    async def _ask(self, api: str, version: int, message: object, timeout_seconds: float) -> Any:
        if self._failure is not None:
            raise ClientError(self._failure.code, f"ask {api} of {self.address}", self._failure.detail)
        assert self._transport is not None
        key = API_KEYS[api]
        self._last_correlation_id = number = (self._last_correlation_id + 1) & 0x7FFFFFFF
        payload = encode_request_header(key, version, number, self.client_id) + request_encoder(key, version)(message)
        reply: asyncio.Future[Any] = self._loop.create_future()
        self._pending.append(Pending(number, key, version, reply))
        self._transport.write(_SIZE.pack(len(payload)) + payload)
        patience = self._loop.call_later(timeout_seconds, self._out_of_patience, api, timeout_seconds)
        try:
            return await reply
        finally:
            patience.cancel()

    def _out_of_patience(self, api: str, timeout_seconds: float) -> None:
        """Replies come in order: behind one that does not come, none will."""
        self._end(ClientError(REQUEST_TIMED_OUT, f"ask {api} of {self.address}", f"no reply in {timeout_seconds:g} s"))

    # -- getting ready

    async def _agree_on_versions(self) -> None:
        """KIP-511: ask in our newest version; a broker that lacks it says in version 0 which it has."""
        version = APIS[API_VERSIONS_KEY].max_version
        request = ApiVersionsRequest("muster", __version__)
        reply: ApiVersionsResponse = await self._ask("ApiVersions", version, request, self._timeout_seconds)
        if reply.error_code == UNSUPPORTED_VERSION:
            theirs = max((each.max_version for each in reply.api_keys if each.api_key == API_VERSIONS_KEY), default=0)
            reply = await self._ask("ApiVersions", min(theirs, version), request, self._timeout_seconds)
        if reply.error_code != NONE:
            raise ClientError(reply.error_code, f"ask {self.address} for its versions")
        self.versions = CommonVersions(reply.api_keys)

    async def _authenticate(self) -> None:
        async with self._authenticating:
            now = self._loop.time()
            if self._reauthenticate_at is not None and now < self._reauthenticate_at:
                return  # somebody else did it while we waited
            lifetime_ms = await authenticate(
                self._security,
                lambda request: self._ask("SaslHandshake", 1, request, self._timeout_seconds),
                lambda request: self._ask(
                    "SaslAuthenticate", self.versions.of("SaslAuthenticate"), request, self._timeout_seconds
                ),
            )
            self._reauthenticate_at = now + lifetime_ms / 1000 * REAUTHENTICATE_AT if lifetime_ms > 0 else None

    # -- asyncio.Protocol

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)  # a loop may have others, with the same methods

    def data_received(self, data: bytes) -> None:
        buffer = self._buffer
        buffer += data
        position, available = 0, len(buffer)
        while available - position >= 4 and self._failure is None:
            (size,) = _SIZE.unpack_from(buffer, position)
            if not 4 <= size <= MAX_REPLY_BYTES:
                self._end(self._garbled(f"a reply of {size} bytes"))
                return
            if available - position - 4 < size:
                break
            self._replied(bytes(buffer[position + 4 : position + 4 + size]))
            position += 4 + size
        del buffer[:position]

    def _replied(self, frame: bytes) -> None:
        if not self._pending:
            self._end(self._garbled("a reply that nobody asked for"))
            return
        pending = self._pending.popleft()
        if pending.reply.done():
            return  # whoever asked does not want to know any more
        try:
            correlation_id, body = decode_response_header(pending.api_key, pending.version, frame)
            if correlation_id != pending.correlation_id:
                raise WireError(f"reply {correlation_id} came where {pending.correlation_id} was due")
            message = response_decoder(pending.api_key, _layout(pending, frame, body))(frame, body)
        except WireError as error:
            failure = self._garbled(str(error))
            pending.reply.set_exception(failure)
            self._end(failure)
            return
        pending.reply.set_result(message)

    def connection_lost(self, exc: Exception | None) -> None:
        if not self._gone.done():
            self._gone.set_result(None)
        detail = str(exc) if exc is not None else "the server closed the connection"
        self._end(ClientError(NETWORK_EXCEPTION, f"talk to {self.address}", detail))

    def _garbled(self, detail: str) -> ClientError:
        hint = "Check that the port is Kafka's and that security.protocol is what it speaks"
        return ClientError(INVALID_REQUEST, f"read from {self.address}", detail, hint)

    def _end(self, failure: ClientError) -> None:
        if self._failure is not None:
            return
        self._failure = failure
        if self._transport is not None:
            self._transport.close()
        while self._pending:
            pending = self._pending.popleft()
            if not pending.reply.done():
                pending.reply.set_exception(
                    ClientError(failure.code, failure.asked, failure.detail, failure.hint)  # each its own traceback
                )


def _layout(pending: Pending, frame: bytes, body: int) -> int:
    """The version in which a reply is written: ApiVersions that are refused come in version 0 (KIP-511)."""
    if pending.api_key == API_VERSIONS_KEY and _ERROR_CODE.unpack_from(frame, body) == (UNSUPPORTED_VERSION,):
        return 0
    return pending.version
