"""SASL on the wire: what may be asked when, how it fails, how long it counts. KIP-43, KIP-152, KIP-306, KIP-368."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path
from struct import pack

import pytest

from muster.client.scram import ScramClient
from muster.wire.generated.api_versions import ApiVersionsRequest
from muster.wire.generated.describe_cluster import DescribeClusterRequest
from muster.wire.generated.sasl_authenticate import SaslAuthenticateRequest
from muster.wire.generated.sasl_handshake import SaslHandshakeRequest
from tests.security.raw_sasl import RawSaslClient
from tests.security.secure_server import MECHANISMS, PASSWORDS, SecureServer
from tests.security.tokens import first_message
from tests.server.raw_client import RawClient, frame, request_frame

UNSUPPORTED_SASL_MECHANISM, ILLEGAL_SASL_STATE, SASL_AUTHENTICATION_FAILED = 33, 34, 58


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SecureServer]:
    with SecureServer(tmp_path_factory.mktemp("sasl")) as running:
        yield running


@pytest.fixture
def client(server: SecureServer) -> Iterator[RawSaslClient]:
    with RawSaslClient(server.port("SASL_PLAINTEXT")) as connected:
        yield connected


# ---- before authentication


def test_versions_may_be_asked_for_before_authentication(client: RawSaslClient) -> None:
    shown = {each.api_key for each in client.api_versions().api_keys}
    assert {3, 17, 36, 50, 51} <= shown


@pytest.mark.parametrize("handshake_first", [False, True])
def test_anything_else_before_authentication_closes_the_connection(
    client: RawSaslClient, handshake_first: bool, caplog: pytest.LogCaptureFixture
) -> None:
    """Kafka: IllegalSaslStateException, without an answer."""
    if handshake_first:
        client.handshake("PLAIN")
    client.send_metadata()
    assert client.is_closed_by_server()
    assert f"Metadata is not served {'during' if handshake_first else 'before'} SASL authentication" in caplog.text


def test_a_token_before_the_handshake_closes_the_connection(client: RawSaslClient) -> None:
    client.send(request_frame("SaslAuthenticate", 2, SaslAuthenticateRequest(b"\0alice\0x")))
    assert client.is_closed_by_server()


@pytest.mark.parametrize("again", ["ApiVersions", "SaslHandshake"])
def test_after_the_handshake_only_tokens_are_taken(client: RawSaslClient, again: str) -> None:
    client.handshake("PLAIN")
    message: object = ApiVersionsRequest() if again == "ApiVersions" else SaslHandshakeRequest("PLAIN")
    client.send(request_frame(again, 0, message))
    assert client.is_closed_by_server()


def test_frames_are_limited_before_authentication_and_not_by_that_limit_after_it(client: RawSaslClient) -> None:
    """sasl.server.max.receive.size."""
    client.plain()
    client.ask("ApiVersions", 0, ApiVersionsRequest(), client_id="x" * 30_000)
    with RawSaslClient(int(client.socket.getpeername()[1])) as other:
        other.send(pack(">i", 600_000))
        assert other.is_closed_by_server()


def test_an_unknown_mechanism_is_answered_with_the_enabled_ones_and_closes(client: RawSaslClient) -> None:
    answer = client.handshake("GSSAPI")
    assert (answer.error_code, tuple(answer.mechanisms)) == (UNSUPPORTED_SASL_MECHANISM, MECHANISMS)
    assert client.is_closed_by_server()


def test_on_a_listener_without_sasl_it_is_out_of_place_and_the_connection_stays(server: SecureServer) -> None:
    with RawSaslClient(server.port("PLAINTEXT")) as client:
        assert client.handshake("PLAIN").error_code == ILLEGAL_SASL_STATE
        assert client.token(b"x").error_code == ILLEGAL_SASL_STATE
        assert client.metadata().brokers


# ---- authentication


@pytest.mark.parametrize("version", [0, 1, 2])
def test_plain_lets_the_right_password_in(server: SecureServer, client: RawSaslClient, version: int) -> None:
    answer = client.plain(version=version)
    assert (answer.error_code, answer.auth_bytes, answer.session_lifetime_ms) == (0, b"", 0)
    assert client.metadata().brokers
    assert server.connection_of(client.local_port).principal == "User:alice"


@pytest.mark.parametrize("mechanism", ["SCRAM-SHA-256", "SCRAM-SHA-512"])
@pytest.mark.parametrize("name", ["alice", "bob"])
def test_scram_lets_the_right_password_in_and_proves_the_server(
    server: SecureServer, client: RawSaslClient, mechanism: str, name: str
) -> None:
    assert client.scram(name, mechanism=mechanism).error_code == 0
    assert client.metadata().brokers
    assert server.connection_of(client.local_port).principal == f"User:{name}"


def test_a_token_lets_its_subject_in_for_as_long_as_it_lives(server: SecureServer, client: RawSaslClient) -> None:
    client.handshake("OAUTHBEARER")
    answer = client.token(first_message(server.issuer.token("carol", lifetime_seconds=60)))
    assert answer.error_code == 0
    assert 50_000 < answer.session_lifetime_ms <= 60_000
    assert server.connection_of(client.local_port).principal == "User:carol"


def test_a_bad_token_is_told_first_and_fails_with_the_next_message(server: SecureServer, client: RawSaslClient) -> None:
    """RFC 7628 section 3.2.3."""
    client.handshake("OAUTHBEARER")
    answer = client.token(first_message(server.issuer.token("carol", lifetime_seconds=-60)))
    assert (answer.error_code, answer.auth_bytes) == (0, b'{"status":"invalid_token"}')
    answer = client.token(b"\x01")
    assert (answer.error_code, answer.error_message) == (SASL_AUTHENTICATION_FAILED, '{"status":"invalid_token"}')
    assert client.is_closed_by_server()


def test_a_wrong_password_and_a_wrong_user_get_the_same_answer(server: SecureServer) -> None:
    answers = []
    for name, password in (("alice", "wrong"), ("mallory", "correct-horse")):
        for mechanism in ("PLAIN", "SCRAM-SHA-512"):
            with RawSaslClient(server.port("SASL_PLAINTEXT")) as client:
                answer = (
                    client.plain(name, password) if mechanism == "PLAIN" else client.scram(name, password, mechanism)
                )
                answers.append((answer.error_code, answer.error_message, answer.auth_bytes))
                assert client.is_closed_by_server()
    assert answers[:2] == answers[2:]
    assert {code for code, _, _ in answers} == {SASL_AUTHENTICATION_FAILED}
    assert answers[0][1] == "Authentication failed: Invalid username or password"


def test_a_failure_is_answered_late_and_whoever_goes_before_is_not_waited_for(tmp_path: Path) -> None:
    """KIP-306: connection.failed.authentication.delay.ms. Here so long that only leaving ends it."""
    with SecureServer(tmp_path, {"connection.failed.authentication.delay.ms": "600000"}) as server:
        with RawSaslClient(server.port("SASL_PLAINTEXT")) as client:
            client.handshake("SCRAM-SHA-256")
            client.send(request_frame("SaslAuthenticate", 2, SaslAuthenticateRequest(b"nonsense")))
            with RawSaslClient(server.port("SASL_PLAINTEXT")) as other:
                assert other.scram().error_code == 0
            connection = server.connection_of(client.local_port)
            assert server.running.run(lambda: connection.call is not None)
        server.until(lambda: not server.connections)
        assert server.newcomers == 0


# ---- bare tokens


def test_after_handshake_v0_the_tokens_are_bare_and_then_requests_are_served(server: SecureServer) -> None:
    """KIP-43, as clients before KIP-152 spoke it."""
    with RawSaslClient(server.port("SASL_PLAINTEXT")) as client:
        assert client.handshake("PLAIN", version=0).error_code == 0
        password = b"\0alice\0" + PASSWORDS["alice"].encode()
        client.send(frame(password) + request_frame("ApiVersions", 0, ApiVersionsRequest()))
        assert client.read_frame() == b""
        assert client.read("ApiVersions", 0).error_code == 0
        assert server.connection_of(client.local_port).principal == "User:alice"
        assert client.metadata().brokers


def test_bare_tokens_carry_scram_too_also_byte_by_byte(server: SecureServer) -> None:
    with RawSaslClient.over_tls(server.port("SASL_SSL"), server.authority.file) as client:
        client.handshake("SCRAM-SHA-512", version=0)
        scram = ScramClient("SCRAM-SHA-512", "bob", PASSWORDS["bob"], "nonce")
        for byte in frame(scram.first()):
            client.send(bytes([byte]))
        final = scram.final(client.read_frame())
        client.send(frame(final))
        scram.check(client.read_frame())
        assert client.metadata().brokers


def test_a_bare_token_that_fails_closes_the_connection(server: SecureServer) -> None:
    for token in (frame(b"\0alice\0wrong"), pack(">i", 600_000), pack(">i", -1)):
        with RawSaslClient(server.port("SASL_PLAINTEXT")) as client:
            client.handshake("PLAIN", version=0)
            client.send(token)
            assert client.is_closed_by_server()


# ---- once more


@pytest.fixture
def short(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SecureServer]:
    """Sessions end after an hour, by the clock; tests end them by hand."""
    settings = {"connections.max.reauth.ms": "3600000"}
    with SecureServer(tmp_path_factory.mktemp("reauth"), settings) as running:
        yield running


def authenticated(server: SecureServer) -> RawSaslClient:
    client = RawSaslClient(server.port("SASL_PLAINTEXT"))
    assert client.plain().session_lifetime_ms == 3_600_000
    return client


def age(server: SecureServer, client: RawSaslClient, *, expire: bool = False) -> None:
    """As if the last authentication had been a while ago, or its session had ended."""
    session = server.connection_of(client.local_port).sasl
    assert session is not None

    def change() -> None:
        session.proven_at -= 10
        if expire:
            session.expire()

    server.running.run(change)


def test_an_expired_session_is_closed_by_the_next_request(
    short: SecureServer, caplog: pytest.LogCaptureFixture
) -> None:
    with authenticated(short) as client:
        assert client.metadata().brokers
        age(short, client, expire=True)
        client.send_metadata()
        assert client.is_closed_by_server()
    assert "Metadata is not served after the authentication has expired" in caplog.text
    assert short.traffic.sessions_expired == 1


@pytest.mark.parametrize("expire", [False, True])
def test_authenticating_again_renews_the_session(short: SecureServer, expire: bool) -> None:
    with authenticated(short) as client:
        age(short, client, expire=expire)
        assert client.plain().session_lifetime_ms == 3_600_000
        assert client.metadata().brokers
    assert short.traffic.reauthentications == 1


def test_authenticating_again_as_somebody_else_fails(short: SecureServer) -> None:
    """KIP-368: the principal of a connection does not change."""
    with authenticated(short) as client:
        age(short, client)
        answer = client.plain("bob")
        assert answer.error_code == SASL_AUTHENTICATION_FAILED
        assert answer.error_message.startswith("Cannot change principals during re-authentication")
        assert client.is_closed_by_server()


def test_authenticating_again_by_another_mechanism_fails(short: SecureServer) -> None:
    with authenticated(short) as client:
        age(short, client)
        assert client.handshake("SCRAM-SHA-256").error_code == 0
        answer = client.token(b"n,,n=alice,r=x")
        assert answer.error_code == SASL_AUTHENTICATION_FAILED
        assert "not supported for re-authentication of mechanism 'PLAIN'" in answer.error_message


def test_authenticating_again_at_once_is_out_of_place_and_changes_nothing(short: SecureServer) -> None:
    with authenticated(short) as client:
        assert client.handshake("PLAIN").error_code == ILLEGAL_SASL_STATE
        answer = client.token(b"x")
        assert answer.error_code == ILLEGAL_SASL_STATE
        assert "after successful authentication" in answer.error_message
        assert client.metadata().brokers


# ---- several listeners


def test_each_listener_tells_its_own_address(tmp_path_factory: pytest.TempPathFactory) -> None:
    settings = {"advertised.listeners": "SSL://ssl.example:1,SASL_PLAINTEXT://sasl.example:0"}
    with SecureServer(tmp_path_factory.mktemp("told"), settings) as server:
        sasl = RawSaslClient(server.port("SASL_PLAINTEXT"))
        sasl.plain()
        plain = RawSaslClient(server.port("PLAINTEXT"))
        tls = RawSaslClient.over_tls(server.port("SSL"), server.authority.file)
        expected = {
            plain: ("127.0.0.1", server.port("PLAINTEXT")),
            tls: ("ssl.example", 1),
            sasl: ("sasl.example", server.port("SASL_PLAINTEXT")),
        }
        for client, address in expected.items():
            with client:
                (broker,) = client.metadata().brokers
                (described,) = client.ask("DescribeCluster", 0, DescribeClusterRequest()).brokers
                found = client.coordinator()
                assert {(each.host, each.port) for each in (broker, described, found)} == {address}


def test_nothing_secret_is_logged(server: SecureServer, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    for send in (
        lambda client: client.plain("alice", "my-secret-word"),
        lambda client: client.scram("alice", "my-secret-word"),
        lambda client: client.plain("alice"),
    ):
        with RawSaslClient(server.port("SASL_PLAINTEXT")) as client:
            send(client)
    with RawClient(server.port("SASL_PLAINTEXT")) as odd:
        odd.send(request_frame("SaslHandshake", 1, SaslHandshakeRequest("PLAIN")))
        odd.read("SaslHandshake", 1)
        odd.send(request_frame("SaslAuthenticate", 2, SaslAuthenticateRequest(b"\0alice\0my-secret-word\0more")))
        odd.read("SaslAuthenticate", 2)
    assert "failed to authenticate as 'alice'" in caplog.text
    assert "my-secret-word" not in caplog.text
    assert PASSWORDS["alice"] not in caplog.text
    assert "my-secret-word" not in repr(SaslAuthenticateRequest(b"my-secret-word"))
