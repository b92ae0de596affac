"""TLS on the wire: certificates of both sides, reloading them, bytes that are no TLS, and clients that take their time."""

from __future__ import annotations

import logging
import os
import socket
import ssl
from collections.abc import Iterator
from pathlib import Path

import pytest
from cryptography.x509.oid import NameOID
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from muster.security.tls import TlsError, TlsSettings, make_context
from muster.server.running import RunningServer
from muster.server.settings import Settings
from muster.topics.config_types import ConfigError
from muster.wire.generated.heartbeat import HeartbeatRequest
from muster.wire.generated.produce import ProduceRequest, ProduceRequestPartition, ProduceRequestTopic
from tests.security.certificates import Authority, Issued, name_of
from tests.security.raw_sasl import RawSaslClient
from tests.security.secure_server import SecureServer
from tests.server.raw_client import PATIENCE_SECONDS, RawClient, request_frame

ALICE = name_of("alice", (NameOID.COUNTRY_NAME, "DE"), (NameOID.ORGANIZATION_NAME, "Acme"))


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SecureServer]:
    with SecureServer(tmp_path_factory.mktemp("tls"), {"ssl.client.auth": "requested"}) as running:
        yield running


def context(authority: str | None, client: Issued | None = None) -> ssl.SSLContext:
    made = ssl.create_default_context(cafile=authority)
    if client is not None:
        made.load_cert_chain(client.certificate_file, client.key_file)
    return made


def connect(port: int, made: ssl.SSLContext, host: str = "localhost") -> RawSaslClient:
    client = RawSaslClient(port)
    try:
        client.socket = made.wrap_socket(client.socket, server_hostname=host)
    except BaseException:
        client.close()
        raise
    return client


# ---- who is who


def test_a_client_without_certificate_is_anonymous(server: SecureServer) -> None:
    with connect(server.port("SSL"), context(server.authority.file)) as client:
        assert client.metadata().brokers
        assert server.connection_of(client.local_port).principal == "User:ANONYMOUS"
        assert client.socket.version() == "TLSv1.3"  # type: ignore[attr-defined]


def test_a_client_is_the_subject_of_its_certificate(server: SecureServer) -> None:
    with connect(server.port("SSL"), context(server.authority.file, server.authority.client(ALICE))) as client:
        assert client.metadata().brokers
        assert server.connection_of(client.local_port).principal == "User:CN=alice,O=Acme,C=DE"


def test_rules_make_a_name_of_the_subject(tmp_path: Path) -> None:
    rules = {"ssl.principal.mapping.rules": "RULE:^CN=([^,]*),O=Acme.*$/$1/U", "ssl.client.auth": "required"}
    with SecureServer(tmp_path, rules) as server:
        with connect(server.port("SSL"), context(server.authority.file, server.authority.client(ALICE))) as client:
            assert client.metadata().brokers
            assert server.connection_of(client.local_port).principal == "User:ALICE"
        stranger = server.authority.client(name_of("x"), name="stranger")
        with connect(server.port("SSL"), context(server.authority.file, stranger)) as client:
            assert client.is_closed_by_server()  # no rule gives it a name


@pytest.mark.parametrize("wrong", ["none", "expired", "unknown authority"])
def test_a_client_that_must_show_a_certificate_and_has_no_good_one_is_refused(tmp_path: Path, wrong: str) -> None:
    with SecureServer(tmp_path, {"ssl.client.auth": "required"}) as server:
        certificate = {
            "none": None,
            "expired": server.authority.client(ALICE, expired=True),
            "unknown authority": Authority(tmp_path, "stranger").client(ALICE),
        }[wrong]
        # With TLS 1.3 the client is done before the server has looked at its certificate.
        with (
            connect(server.port("SSL"), context(server.authority.file, certificate)) as client,
            pytest.raises(ssl.SSLError, match=r"(?i)certificate|unknown ca"),
        ):
            client.metadata()
        assert server.traffic.tls_failures == 1
        # As in Kafka, SASL_SSL asks for certificates only if that very listener says so.
        with connect(server.port("SASL_SSL"), context(server.authority.file)) as client:
            assert client.scram().error_code == 0


@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
def test_large_requests_and_replies_pass_and_pipelined_ones_stay_in_order(
    server: SecureServer, version: ssl.TLSVersion
) -> None:
    made = context(server.authority.file)
    made.minimum_version = made.maximum_version = version
    with connect(server.port("SSL"), made) as client:
        records = os.urandom(300_000)
        produce = ProduceRequest(
            acks=1,
            timeout_ms=1000,
            topic_data=[ProduceRequestTopic("t", partition_data=[ProduceRequestPartition(0, records)])],
        )
        beats = [request_frame("Heartbeat", 4, HeartbeatRequest("g", n, "m"), correlation_id=n) for n in range(200)]
        client.send(request_frame("Produce", 9, produce, correlation_id=1) + b"".join(beats))
        (topic,) = client.read("Produce", 9, 1).responses
        assert topic.partition_responses[0].error_code != 0  # not a record batch; but it came through whole
        assert [client.read("Heartbeat", 4, n).error_code for n in range(200)] == [client_error(client)] * 200


def client_error(client: RawSaslClient) -> int:
    code: int = client.ask("Heartbeat", 4, HeartbeatRequest("g", 1, "m")).error_code
    return code


def test_old_versions_of_tls_are_refused(server: SecureServer) -> None:
    made = context(server.authority.file)
    made.set_ciphers("ALL:@SECLEVEL=0")
    with pytest.warns(DeprecationWarning, match="TLSv1"):
        made.minimum_version = ssl.TLSVersion.TLSv1
    with pytest.warns(DeprecationWarning, match="TLSv1"):
        made.maximum_version = ssl.TLSVersion.TLSv1_1
    with pytest.raises(ssl.SSLError):
        connect(server.port("SSL"), made)


# ---- what is no TLS


def test_a_client_that_speaks_no_tls_is_told_apart_in_the_log(
    server: SecureServer, caplog: pytest.LogCaptureFixture
) -> None:
    with RawSaslClient(server.port("SSL")) as client:
        client.send_metadata()
        assert drained(client.socket) == b""
    assert "it does not speak TLS" in caplog.text
    with pytest.raises((ssl.SSLError, ConnectionResetError)):
        connect(server.port("PLAINTEXT"), context(server.authority.file))
    assert "it looks like a TLS handshake, and this listener does not speak TLS" in caplog.text


def drained(connection: socket.socket) -> bytes:
    """Read to the end; the last thing."""
    try:
        while data := connection.recv(65536):
            assert data
    except ConnectionResetError:
        pass
    return b""


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    data=st.binary(min_size=1, max_size=400), after_hello=st.booleans(), listener=st.sampled_from(["SSL", "SASL_SSL"])
)
def test_any_bytes_for_a_handshake_harm_nobody(
    server: SecureServer, data: bytes, after_hello: bool, listener: str
) -> None:
    with socket.create_connection(("127.0.0.1", server.port(listener)), timeout=PATIENCE_SECONDS) as garbage:
        if after_hello:
            garbage.sendall(HELLO)
        garbage.sendall(data)
        garbage.shutdown(socket.SHUT_WR)
        drained(garbage)
    assert server.traffic.handler_failures == 0


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.binary(max_size=200), handshake=st.sampled_from([None, "PLAIN", "SCRAM-SHA-256", "OAUTHBEARER"]))
def test_any_bytes_for_sasl_harm_nobody(server: SecureServer, data: bytes, handshake: str | None) -> None:
    with RawSaslClient(server.port("SASL_PLAINTEXT")) as client:
        if handshake is None:
            client.send(data)
            client.socket.shutdown(socket.SHUT_WR)
            drained(client.socket)
        else:
            client.handshake(handshake)
            assert client.token(data).error_code in (0, 58)
    assert server.traffic.handler_failures == 0


def _client_hello() -> bytes:
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    made = ssl.create_default_context().wrap_bio(incoming, outgoing, server_hostname="localhost")
    with pytest.raises(ssl.SSLWantReadError):
        made.do_handshake()
    return outgoing.read()


HELLO = _client_hello()


# ---- certificates that change


def test_a_new_certificate_is_shown_to_those_who_come_after_it(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    with SecureServer(tmp_path) as server:
        listener = server.running.server.listener  # type: ignore[union-attr]
        first = server.certificate.der
        keystore = Path(server.certificate.keystore)
        with connect(server.port("SSL"), context(server.authority.file)) as old:
            assert shown(old) == first
            keystore.write_text("-----BEGIN NONSENSE-----")
            server.running.run(listener.refresh)
            assert "keeping the certificate that was read before" in caplog.text
            assert now_shown(server) == first
            assert server.authority.server(expired=True).keystore == str(keystore)
            server.running.run(listener.refresh)
            assert "the new certificate has expired" in caplog.text
            assert now_shown(server) == first
            renewed = server.authority.server()
            assert renewed.keystore == str(keystore)
            server.running.run(listener.refresh)
            assert now_shown(server) == renewed.der
            assert old.metadata().brokers
        looks = len(caplog.records)
        server.running.run(listener.refresh)
        assert len(caplog.records) == looks  # nothing has changed, nothing is read


def now_shown(server: SecureServer) -> bytes:
    with connect(server.port("SSL"), context(server.authority.file)) as client:
        return shown(client)


def shown(client: RawClient) -> bytes:
    der = client.socket.getpeercert(True)  # type: ignore[attr-defined]
    assert isinstance(der, bytes)
    return der


def test_the_files_are_looked_at_by_themselves(tmp_path: Path) -> None:
    with SecureServer(tmp_path, {"muster.ssl.watch.interval.ms": "10"}) as server:
        source = server.running.server.listener.doors[1].tls  # type: ignore[union-attr]
        assert source is not None
        before = source.context
        assert server.authority.server().keystore
        server.until(lambda: source.context is not before)


# ---- settings that cannot be


def test_certificates_that_cannot_be_used_are_refused_at_start(tmp_path: Path) -> None:
    authority = Authority(tmp_path)
    good, other = authority.server(), authority.server(name="other")
    locked = tmp_path / "locked.pem"
    locked.write_text(good.key_pem("geheim") + good.certificate_pem)
    mixed = tmp_path / "mixed.pem"
    mixed.write_text(good.key_pem() + other.certificate_pem)
    nothing = tmp_path / "nothing.pem"
    nothing.write_text("")
    for wanted, problem in (
        (TlsSettings(), "needs a certificate"),
        (TlsSettings("/nowhere.pem"), "/nowhere.pem: cannot be read: No such file"),
        (TlsSettings(str(nothing)), "not a PEM file"),
        (TlsSettings(str(mixed)), "the key does not belong to the certificate"),
        (TlsSettings(str(locked)), "the key needs ssl.key.password"),
        (TlsSettings(str(locked), key_password="falsch"), "ssl.key.password does not open the key"),
        (TlsSettings(good.keystore, client_auth="required"), "needs ssl.truststore.location"),
        (TlsSettings(good.keystore, truststore_location=str(nothing)), "is not PEM with certificates"),
        (TlsSettings(good.keystore, truststore_location="/nowhere.pem"), "/nowhere.pem: cannot be read"),
        (TlsSettings(good.keystore, ciphers=("TLS_ROT13",)), "OpenSSL knows none of TLS_ROT13"),
        (TlsSettings(good.keystore, protocols=("TLSv1",)), "ssl.enabled.protocols: TLSv1"),
    ):
        with pytest.raises(TlsError) as caught:
            make_context(wanted)
        assert problem in str(caught.value)
        assert "falsch" not in str(caught.value) + repr(wanted)
    assert make_context(TlsSettings(str(locked), key_password="geheim"))


def test_a_certificate_may_be_given_as_text(tmp_path: Path) -> None:
    authority = Authority(tmp_path)
    issued = authority.server()
    texts = {
        "muster.storage": "memory",
        "listeners": "SSL://127.0.0.1:0",
        "ssl.keystore.certificate.chain": issued.certificate_pem,
        "ssl.keystore.key": issued.key_pem("geheim"),
        "ssl.key.password": "geheim",
    }
    with RunningServer(Settings.of(texts)) as running, connect(running.port, context(authority.file)) as client:
        assert client.metadata().brokers


@pytest.mark.parametrize(
    ("texts", "problem"),
    [
        ({"listeners": "SSL://127.0.0.1:0"}, "listener SSL: a TLS listener needs a certificate"),
        (
            {"listeners": "SASL_PLAINTEXT://127.0.0.1:0", "sasl.enabled.mechanisms": "OAUTHBEARER"},
            "OAUTHBEARER needs sasl.oauthbearer.jwks.endpoint.url",
        ),
        (
            {
                "listeners": "SASL_PLAINTEXT://127.0.0.1:0",
                "sasl.enabled.mechanisms": "OAUTHBEARER",
                "sasl.oauthbearer.jwks.endpoint.url": "https://issuer/keys",
            },
            "only file:// is supported",
        ),
        ({"listeners": "SASL_PLAINTEXT://127.0.0.1:0", "sasl.enabled.mechanisms": ""}, "nobody could come in"),
    ],
)
def test_a_server_does_not_start_with_a_listener_that_could_not_work(texts: dict[str, str], problem: str) -> None:
    with pytest.raises(ConfigError, match=problem):
        RunningServer(Settings.of({"muster.storage": "memory", **texts})).start()
