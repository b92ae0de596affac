"""A token past `exp` but within the clock skew: it must not become a session that never ends."""

from __future__ import annotations

from pathlib import Path

from tests.security.raw_sasl import RawSaslClient
from tests.security.secure_server import SecureServer
from tests.security.tokens import first_message


def test_a_token_within_the_skew_has_a_lifetime_that_is_not_never(tmp_path: Path) -> None:
    """KIP-368: a session lifetime of 0 means that the client need not authenticate again."""
    with SecureServer(tmp_path) as server, RawSaslClient(server.port("SASL_PLAINTEXT")) as client:
        client.handshake("OAUTHBEARER")
        answer = client.token(first_message(server.issuer.token("carol", lifetime_seconds=-5)))
        assert answer.error_code == 0
        assert answer.session_lifetime_ms >= 1
        server.until(lambda: server.traffic.sessions_expired == 1)
        client.send_metadata()
        assert client.is_closed_by_server()
