"""Connections from this node to the other nodes of its cluster, behind the runtime's seam `OtherNodes`.

A node is asked at the address that it advertises for the listener of nodes, and each side proves to the other that it belongs
to the cluster (`security.node_proof`). Each API has a connection of its own: servers answer a connection's requests one after the
other, and a verification must not wait for markers. Nothing is tried again here: whoever asked is told, and knows better.
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections import deque
from collections.abc import Callable, Collection
from struct import Struct
from time import monotonic
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from muster.log_limit import LogLimit
from muster.runtime.other_nodes import Answered
from muster.security.node_proof import NodeClaim, new_nonce
from muster.security.sasl import NODE_MECHANISM, AuthenticationFailed
from muster.security.tls import TlsError
from muster.server.limits import MOST_REPLY_BYTES
from muster.wire.apis import API_KEYS, request_encoder, response_decoder
from muster.wire.errors import NONE, WireError, name_of
from muster.wire.generated.sasl_authenticate import SaslAuthenticateRequest
from muster.wire.generated.sasl_handshake import SaslHandshakeRequest
from muster.wire.header import decode_response_header, encode_request_header

if TYPE_CHECKING:
    from ssl import SSLContext

_log = logging.getLogger("muster.nodes")
_refusals = LogLimit(_log, "nodes that could not be authenticated", monotonic)

PATIENCE_SECONDS: Final = 10.0
"""For opening a connection, and for one answer."""
_SIZE: Final = Struct(">i")
_FAILURES: Final = (OSError, EOFError, TimeoutError, WireError, AuthenticationFailed, TlsError)


class _Ask(NamedTuple):
    version: int
    request: object
    then: Answered


class NodeClient:
    def __init__(
        self,
        node_id: int,
        secret: bytes,
        address_of: Callable[[int], tuple[str, int] | None],
        tls: Callable[[], SSLContext] | None,
        loop: asyncio.AbstractEventLoop,
    ) -> None:
        """`address_of`: where a node can be reached; None if it is not known. `tls`: makes a context for a new connection; None:
        the listener of nodes speaks plainly."""
        self.node_id = node_id
        self.secret = secret
        self.address_of = address_of
        self.tls = tls
        self._loop = loop
        self._links: dict[tuple[int, str], _Link] = {}
        self._closed = False

    def ask(self, node_id: int, api: str, version: int, request: object, then: Answered) -> None:
        if self._closed:
            self._loop.call_soon(then, None)
            return
        link = self._links.get((node_id, api))
        if link is None:
            link = self._links[node_id, api] = _Link(self, node_id, api, self._loop)
        link.ask(_Ask(version, request, then))

    def keep_only(self, node_ids: Collection[int]) -> None:
        for key in [key for key in self._links if key[0] not in node_ids]:
            self._links.pop(key).close()

    def close(self) -> None:
        self._closed = True
        self.keep_only(())


class _Link:
    """One connection to one node, opened when something is asked and there is none."""

    def __init__(self, client: NodeClient, node_id: int, api: str, loop: asyncio.AbstractEventLoop) -> None:
        self._client = client
        self._node_id = node_id
        self._api = api
        self._loop = loop
        self._asks: deque[_Ask] = deque()
        """The first one is at it."""
        self._work: asyncio.Task[None] | None = None
        self._stream: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None
        self._correlation_id = 0

    def ask(self, ask: _Ask) -> None:
        self._asks.append(ask)
        if self._work is None:
            self._work = self._loop.create_task(self._answer_all())

    def close(self) -> None:
        """Whoever waits is told."""
        if self._work is not None:
            self._work.cancel()
            self._work = None
        self._hang_up()
        self._give_up()

    async def _answer_all(self) -> None:
        try:
            while self._asks:
                ask = self._asks[0]
                async with asyncio.timeout(PATIENCE_SECONDS):
                    response = await self._answer(ask)
                self._asks.popleft()
                self._loop.call_soon(ask.then, response)
        except _FAILURES as failure:
            self._tell(failure)
        finally:
            if self._asks:
                self._hang_up()
                self._give_up()
            self._work = None

    def _tell(self, failure: BaseException) -> None:
        """That a node is away is told by those who wait for it; who refuses to talk may do so for ever."""
        if isinstance(failure, AuthenticationFailed | TlsError):
            _refusals.warning("cannot talk to node %d: %s", self._node_id, failure)
        else:
            _log.debug("node %d does not answer %s: %r", self._node_id, self._api, failure)

    def _give_up(self) -> None:
        for ask in self._asks:
            self._loop.call_soon(ask.then, None)
        self._asks.clear()

    def _hang_up(self) -> None:
        if self._stream is not None:
            self._stream[1].transport.abort()  # nothing is left to be said
            self._stream = None

    async def _answer(self, ask: _Ask) -> Any:
        if self._stream is not None and self._stream[0].at_eof():
            self._hang_up()  # the other one closes what is not used for long, or was started anew
        if self._stream is None:
            await self._open()
        return await self._call(self._api, ask.version, ask.request)

    async def _open(self) -> None:
        address = self._client.address_of(self._node_id)
        if address is None:
            raise ConnectionError(f"node {self._node_id} has no address")
        tls = None if self._client.tls is None else self._client.tls()
        self._stream = await asyncio.open_connection(*address, ssl=tls, limit=MOST_REPLY_BYTES)
        secured = self._stream[1].get_extra_info("ssl_object")
        certificate = b"" if secured is None else secured.getpeercert(binary_form=True) or b""
        claim = NodeClaim(self._client.secret, self._client.node_id, new_nonce(os.urandom), certificate)
        shaken = await self._call("SaslHandshake", 1, SaslHandshakeRequest(NODE_MECHANISM))
        _check(shaken.error_code)
        challenge = await self._call("SaslAuthenticate", 2, SaslAuthenticateRequest(claim.first_token))
        _check(challenge.error_code)
        accepted = await self._call("SaslAuthenticate", 2, SaslAuthenticateRequest(claim.answer(challenge.auth_bytes)))
        _check(accepted.error_code)

    async def _call(self, api: str, version: int, request: object) -> Any:
        assert self._stream is not None
        reader, writer = self._stream
        key = API_KEYS[api]
        self._correlation_id = number = (self._correlation_id + 1) & 0x7FFFFFFF
        name = f"node-{self._client.node_id}"
        payload = encode_request_header(key, version, number, name) + request_encoder(key, version)(request)
        writer.write(_SIZE.pack(len(payload)) + payload)
        (size,) = _SIZE.unpack(await reader.readexactly(_SIZE.size))
        if not _SIZE.size <= size <= MOST_REPLY_BYTES:
            raise WireError(f"a reply of {size} bytes")
        frame = await reader.readexactly(size)
        correlation_id, body = decode_response_header(key, version, frame)
        if correlation_id != number:
            raise WireError(f"reply {correlation_id} came where {number} was due")
        return response_decoder(key, version)(frame, body)


def _check(error: int) -> None:
    if error != NONE:
        raise AuthenticationFailed(f"refused with {name_of(error)}")
