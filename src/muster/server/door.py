"""One listener of the server: its address, what clients are told, and what they must pass before they are served.

Makes a connection, or a TLS channel that will make one, for everybody who comes. The listener (`listener.py`) holds the doors
and everybody who has come in.
"""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

from muster.server.acceptor import Acceptor
from muster.server.connection import Connection
from muster.server.endpoint import Endpoint
from muster.server.limits import LISTEN_BACKLOG
from muster.server.listener_addresses import ListenerAddress, SecurityProtocol
from muster.server.listening import bind_sockets
from muster.server.reactor_loop import ReactorLoop
from muster.server.settings import ListenerSettings, Settings
from muster.topics.config_types import ConfigError

if TYPE_CHECKING:
    from muster.security.principal_rules import PrincipalRules
    from muster.security.tls import ClientAuth, TlsSource
    from muster.server.listener import Listener
    from muster.server.sasl_gateway import SaslGateway


class Door:
    def __init__(self, listener: Listener, address: ListenerAddress) -> None:
        self.listener = listener
        self.address = address
        self.bound = address.endpoint
        """With the real port, once it is open."""
        self.advertised = address.advertised or address.endpoint
        self.first_routes = listener.routes
        """What somebody who comes in may ask."""
        self.first_frame_bytes = listener.max_frame_bytes
        self.tls: TlsSource | None = None
        self.principal_rules: PrincipalRules | None = None
        self.sasl: SaslGateway | None = None
        self._gateway_for_nodes: SaslGateway | None = None
        self.sockets: Sequence[socket.socket] = ()
        """Bound to the address, the door's own first. A worker has them from its supervisor, listening already."""
        self._acceptors: list[Acceptor] = []
        self._servers: list[asyncio.Server] = []
        """asyncio's, where the loop is not ours."""

    def prepare(self, settings: Settings) -> None:
        """Read certificates and keys. ConfigError if they, or the settings about them, cannot be used."""
        own = settings.for_listener(self.address.name)
        if self.address.protocol.has_tls:
            self._prepare_tls(own)
        if self.address.protocol.has_sasl:
            from muster.server.sasl_gateway import SaslGateway

            self.sasl = SaslGateway(self.listener, self.address, settings, own, self.own_certificate)
            self.first_routes = self.sasl.entry_routes
            self.first_frame_bytes = self.sasl.max_frame_bytes

    def own_certificate(self) -> bytes:
        """The one that is shown at this door; nothing without TLS."""
        return b"" if self.tls is None else self.tls.certificate

    def gateway_for_nodes(self) -> SaslGateway:
        """Where nobody else is asked who they are."""
        if self._gateway_for_nodes is None:
            from muster.server.sasl_gateway import SaslGateway

            settings = self.listener.settings
            own = settings.for_listener(self.address.name)
            self._gateway_for_nodes = SaslGateway(self.listener, self.address, settings, own, self.own_certificate)
        return self._gateway_for_nodes

    def _prepare_tls(self, own: ListenerSettings) -> None:
        from muster.security.principal_rules import MappingError, PrincipalRules
        from muster.security.tls import TlsError, TlsSettings, TlsSource

        wanted = TlsSettings(
            keystore_location=own.string("ssl.keystore.location"),
            certificate_chain=own.string("ssl.keystore.certificate.chain"),
            key=own.string("ssl.keystore.key"),
            key_password=own.string("ssl.key.password"),
            truststore_location=own.string("ssl.truststore.location"),
            truststore_certificates=own.string("ssl.truststore.certificates"),
            client_auth=self._client_auth(own),
            protocols=own.words("ssl.enabled.protocols"),
            ciphers=own.words("ssl.cipher.suites"),
        )
        try:
            self.tls = TlsSource(self.address.name, wanted, time.time)
            if self.address.protocol is SecurityProtocol.SSL:
                self.principal_rules = PrincipalRules(own.string("ssl.principal.mapping.rules"))
        except TlsError as error:
            raise ConfigError(f"listener {self.address.name}: {error}") from None
        except MappingError as error:
            raise ConfigError(f"listener {self.address.name}: ssl.principal.mapping.rules: {error}") from None

    def _client_auth(self, own: ListenerSettings) -> ClientAuth:
        """Kafka: where SASL says who the client is, a setting for all listeners does not ask for certificates too."""
        if self.address.protocol.has_sasl and not own.is_own("ssl.client.auth"):
            return "none"
        wish = own.string("ssl.client.auth")
        return "required" if wish == "required" else "requested" if wish == "requested" else "none"

    def open(self) -> Endpoint:
        """Take the address, without listening yet; returns it with the real port. OSError if it cannot be had."""
        wanted = self.address.endpoint
        if not self.sockets:
            self.sockets = bind_sockets(wanted)
        self.bound = Endpoint(wanted.host, self.sockets[0].getsockname()[1])
        self.advertised = what_clients_are_told(self.address.advertised, self.bound)
        return self.bound

    async def start(self) -> None:
        """Listen and let clients in."""
        loop = asyncio.get_running_loop()
        if isinstance(loop, ReactorLoop):
            log = self.listener.connection_log
            self._acceptors = [Acceptor(loop, each, self._protocol, log) for each in self.sockets]
            for acceptor in self._acceptors:
                acceptor.start()
        else:
            self._servers = [
                await loop.create_server(self._protocol, sock=each, backlog=LISTEN_BACKLOG) for each in self.sockets
            ]

    def close(self) -> None:
        for acceptor in self._acceptors:
            acceptor.close()
        for server in self._servers:
            server.close()
        for each in self.sockets:
            each.close()  # if it was never started
        if self.sasl is not None:
            self.sasl.close()

    def refresh(self, *, even_if_unchanged: bool = False) -> None:
        """Read certificates and keys again if their files have changed."""
        if self.tls is not None:
            self.tls.refresh(even_if_unchanged=even_if_unchanged)
        if self.sasl is not None:
            self.sasl.refresh()

    @property
    def has_files(self) -> bool:
        return self.tls is not None or (self.sasl is not None and self.sasl.has_files)

    def _protocol(self) -> asyncio.BaseProtocol:
        if self.tls is None:
            return cast(asyncio.BaseProtocol, Connection(self))
        from muster.server.tls_channel import TlsChannel

        return TlsChannel(self)

    def __str__(self) -> str:
        """As it is announced: a plain listener of the usual name by its address alone."""
        is_usual = self.address.name == self.address.protocol.value == SecurityProtocol.PLAINTEXT.value
        return str(self.bound) if is_usual else f"{self.address.name}://{self.bound}"


def what_clients_are_told(wish: Endpoint | None, bound: Endpoint) -> Endpoint:
    """An advertised port 0 stands for the port that is listened on."""
    if wish is not None:
        return Endpoint(wish.host, wish.port or bound.port)
    if bound.is_everywhere:
        return Endpoint(socket.gethostname(), bound.port)
    return bound
