"""One blocking connection to one broker: opened, secured as `muster.client` does it, versions agreed on, one question at a time.

Blocking, because it lives in Spark's tasks, which have no event loop, and takes in megabytes at a time. Whatever goes wrong is a
SourceError that names the broker.
"""

from __future__ import annotations

import socket
import ssl
from struct import Struct
from typing import Any, Final

from muster.client.failure import ClientError
from muster.client.sasl import authenticate
from muster.client.security import Security
from muster.client.tls import tls_context
from muster.pipeline.sources.failure import SourceError
from muster.wire.apis import API_KEYS, APIS, request_encoder, response_decoder
from muster.wire.errors import WireError, name_of
from muster.wire.generated.api_versions import ApiVersionsRequest
from muster.wire.generated.sasl_authenticate import SaslAuthenticateRequest, SaslAuthenticateResponse
from muster.wire.generated.sasl_handshake import SaslHandshakeRequest, SaslHandshakeResponse
from muster.wire.header import decode_response_header, encode_request_header

_CLIENT_ID: Final = "muster-pipeline"
_MAX_FRAME_BYTES: Final = 1 << 30
_I32 = Struct(">i")


class BrokerSocket:
    """One broker, one question at a time."""

    def __init__(self, address: tuple[str, int], security: Security, timeout_s: float) -> None:
        self._where = f"{address[0]}:{address[1]}"
        self._correlation_id = 0
        self.is_broken = False
        self._socket = self._open(address, security, timeout_s)
        self._versions: dict[int, tuple[int, int]] = {18: (0, 0)}
        try:
            self._versions = self._ask_versions()
            if security.wants_sasl:
                self._authenticate(security)
        except BaseException:
            self.close()
            raise

    def _open(self, address: tuple[str, int], security: Security, timeout_s: float) -> socket.socket:
        try:
            opened = socket.create_connection(address, timeout_s)
        except OSError as error:
            raise SourceError(f"{self._where}: cannot connect: {error}. Does a broker listen there?") from error
        opened.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if not security.wants_tls:
            return opened
        try:
            return tls_context(security).wrap_socket(opened, server_hostname=address[0])
        except ssl.SSLCertVerificationError as error:
            opened.close()
            raise SourceError(
                f"{self._where}: its certificate is not trusted: {error.verify_message}. Is ssl.ca.location the authority"
                " that signed it, and is it for this host name?"
            ) from error
        except OSError as error:  # SSLError is one
            opened.close()
            raise SourceError(
                f"{self._where}: the TLS handshake failed: {error}. Does the listener speak TLS?"
            ) from error
        except ClientError as error:
            opened.close()
            raise SourceError(f"{self._where}: {error}") from error

    def _authenticate(self, security: Security) -> None:
        """The exchange is written for an event loop. Here its questions are answered at once, so one step runs all of it."""

        async def handshake(request: SaslHandshakeRequest) -> SaslHandshakeResponse:
            answer: SaslHandshakeResponse = self.ask("SaslHandshake", request)
            return answer

        async def exchange(request: SaslAuthenticateRequest) -> SaslAuthenticateResponse:
            answer: SaslAuthenticateResponse = self.ask("SaslAuthenticate", request)
            return answer

        steps = authenticate(security, handshake, exchange)
        try:
            steps.send(None)
        except StopIteration:
            return
        except ClientError as error:
            raise SourceError(f"{self._where}: {error}") from error
        raise AssertionError("authentication waited for something")

    def close(self) -> None:
        self.is_broken = True
        self._socket.close()

    def version(self, api: str, newest: int | None = None) -> int:
        """The newest version of an API that both sides know."""
        ours = APIS[API_KEYS[api]]
        theirs = self._versions.get(ours.key)
        if theirs is None:
            raise SourceError(f"{self._where}: does not offer {api}, which is needed to read from a broker")
        version = min(theirs[1], ours.max_version if newest is None else newest)
        if version < max(theirs[0], ours.min_version):
            raise SourceError(
                f"{self._where}: offers {api} {theirs[0]} to {theirs[1]}, we speak {ours.min_version} to {ours.max_version}"
            )
        return version

    def ask(self, api: str, message: object, newest: int | None = None) -> Any:
        key, version = API_KEYS[api], self.version(api, newest)
        self._correlation_id += 1
        payload = encode_request_header(key, version, self._correlation_id, _CLIENT_ID)
        payload += request_encoder(key, version)(message)
        try:
            self._socket.sendall(_I32.pack(len(payload)) + payload)
            frame = self._frame()
            number, position = decode_response_header(key, version, frame)
            answer = response_decoder(key, version)(frame, position)
        except TimeoutError as error:
            self.close()
            raise SourceError(f"{self._where}: no answer to {api} in time") from error
        except OSError as error:
            self.close()
            raise SourceError(f"{self._where}: the connection broke while waiting for {api}: {error}") from error
        except WireError as error:
            self.close()
            raise SourceError(f"{self._where}: the answer to {api} cannot be read: {error}") from error
        if number != self._correlation_id:
            self.close()
            raise SourceError(f"{self._where}: answered request {number} instead of {self._correlation_id}")
        return answer

    def _ask_versions(self) -> dict[int, tuple[int, int]]:
        answer = self.ask("ApiVersions", ApiVersionsRequest())
        if answer.error_code:
            raise SourceError(f"{self._where}: ApiVersions was answered with {name_of(answer.error_code)}")
        return {each.api_key: (each.min_version, each.max_version) for each in answer.api_keys}

    def _frame(self) -> bytes:
        (size,) = _I32.unpack(self._exactly(_I32.size))
        if not 0 <= size <= _MAX_FRAME_BYTES:
            raise WireError(f"a frame of {size} bytes: is this a Kafka port, and without TLS?")
        return self._exactly(size)

    def _exactly(self, size: int) -> bytes:
        received = bytearray(size)
        view = memoryview(received)
        got = 0
        while got < size:
            count = self._socket.recv_into(view[got:])
            if count == 0:
                raise ConnectionError("the broker closed it")
            got += count
        return bytes(received)
