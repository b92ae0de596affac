"""A SASL client made of raw requests: each step is a test's to take, to leave out or to get wrong."""

from __future__ import annotations

import ssl
from typing import Any

from muster.client.scram import ScramClient
from muster.wire.generated.api_versions import ApiVersionsRequest
from muster.wire.generated.find_coordinator import FindCoordinatorRequest
from muster.wire.generated.metadata import MetadataRequest
from muster.wire.generated.sasl_authenticate import SaslAuthenticateRequest
from muster.wire.generated.sasl_handshake import SaslHandshakeRequest
from tests.interop.waiting import eventually
from tests.security.secure_server import PASSWORDS
from tests.server.raw_client import RawClient, request_frame


class RawSaslClient(RawClient):
    @classmethod
    def over_tls(cls, port: int, authority: str) -> RawSaslClient:
        client = cls(port)
        context = ssl.create_default_context(cafile=authority)
        client.socket = context.wrap_socket(client.socket, server_hostname="localhost")
        return client

    @property
    def local_port(self) -> int:
        port: int = self.socket.getsockname()[1]
        return port

    def api_versions(self) -> Any:
        return self.ask("ApiVersions", 3, ApiVersionsRequest("raw", "1"))

    def handshake(self, mechanism: str, version: int = 1) -> Any:
        return self.ask("SaslHandshake", version, SaslHandshakeRequest(mechanism))

    def token(self, token: bytes, version: int = 2) -> Any:
        return self.ask("SaslAuthenticate", version, SaslAuthenticateRequest(token))

    def plain(self, name: str = "alice", password: str | None = None, version: int = 2) -> Any:
        """Handshake and token; the answer to the token."""
        assert self.handshake("PLAIN").error_code == 0
        return self.token(b"\0".join((b"", name.encode(), (password or PASSWORDS[name]).encode())), version)

    def scram(self, name: str = "alice", password: str | None = None, mechanism: str = "SCRAM-SHA-256") -> Any:
        """The whole exchange; the last answer."""
        assert self.handshake(mechanism).error_code == 0
        client = ScramClient(mechanism, name, password or PASSWORDS[name], "clientnonce")
        challenge = self.token(client.first())
        assert challenge.error_code == 0
        answer = self.token(client.final(challenge.auth_bytes))
        if answer.error_code == 0:
            client.check(answer.auth_bytes)
        return answer

    def metadata(self) -> Any:
        return self.ask("Metadata", 9, MetadataRequest([]))

    def send_metadata(self) -> None:
        self.send(request_frame("Metadata", 9, MetadataRequest([])))

    def coordinator(self) -> Any:
        """Of a transactional id; the first question has its topic made."""
        request = FindCoordinatorRequest(key_type=1, coordinator_keys=["x"])
        return eventually(
            "a coordinator",
            lambda: self.ask("FindCoordinator", 4, request).coordinators[0],
            lambda found: found.error_code == 0,
        )
