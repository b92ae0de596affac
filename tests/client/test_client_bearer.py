"""OAUTHBEARER as a client speaks it (RFC 7628): the token as it is, and an error that comes as a challenge."""

from __future__ import annotations

from pathlib import Path

import pytest

from muster.client.failure import ClientError
from muster.client.sasl import authenticate
from muster.client.security import Security
from muster.wire.errors import NONE, SASL_AUTHENTICATION_FAILED
from muster.wire.generated.sasl_authenticate import SaslAuthenticateRequest, SaslAuthenticateResponse
from muster.wire.generated.sasl_handshake import SaslHandshakeRequest, SaslHandshakeResponse
from tests.client.members import run


class Server:
    """Answers in turn, and notes what it was sent."""

    def __init__(self, *answers: SaslAuthenticateResponse) -> None:
        self._answers = list(answers)
        self.heard: list[bytes] = []

    async def handshake(self, request: SaslHandshakeRequest) -> SaslHandshakeResponse:
        assert request.mechanism == "OAUTHBEARER"
        return SaslHandshakeResponse(NONE, ["OAUTHBEARER"])

    async def authenticate(self, request: SaslAuthenticateRequest) -> SaslAuthenticateResponse:
        self.heard.append(bytes(request.auth_bytes))
        return self._answers.pop(0)


def security(**token: str) -> Security:
    return Security(protocol="SASL_SSL", mechanism="OAUTHBEARER", **token)  # type: ignore[arg-type]


def test_the_token_is_sent_as_it_is_and_the_lifetime_is_heard() -> None:
    server = Server(SaslAuthenticateResponse(NONE, None, b"", 3_600_000))
    lifetime_ms = run(lambda: authenticate(security(token="abc.def.ghi"), server.handshake, server.authenticate))
    assert server.heard == [b"n,,\x01auth=Bearer abc.def.ghi\x01\x01"]
    assert lifetime_ms == 3_600_000


def test_a_token_file_is_read_each_time(tmp_path: Path) -> None:
    file = tmp_path / "token"
    for token in ("first", "second"):
        file.write_text(f"{token}\n")
        server = Server(SaslAuthenticateResponse(NONE, None, b"", 0))
        run(lambda: authenticate(security(token_file=str(file)), server.handshake, server.authenticate))  # noqa: B023
        assert server.heard == [f"n,,\x01auth=Bearer {token}\x01\x01".encode()]


def test_a_refused_token_is_told_with_what_the_server_says() -> None:
    """The client says that it heard (%x01); the broker then answers with the error."""
    server = Server(
        SaslAuthenticateResponse(NONE, None, b'{"status":"invalid_token"}', 0),
        SaslAuthenticateResponse(SASL_AUTHENTICATION_FAILED, '{"status":"invalid_token"}', b"", 0),
    )
    with pytest.raises(ClientError, match=r"SASL_AUTHENTICATION_FAILED: .*invalid_token"):
        run(lambda: authenticate(security(token="old"), server.handshake, server.authenticate))
    assert server.heard[1] == b"\x01"


def test_a_token_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    server = Server()
    missing = security(token_file=str(tmp_path / "nothing"))
    with pytest.raises(ClientError, match=r"read the token in .*nothing: INVALID_CONFIG"):
        run(lambda: authenticate(missing, server.handshake, server.authenticate))
