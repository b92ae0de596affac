"""Real clients on every kind of listener, by every mechanism: with what is right, and with what is wrong in one way."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace

import pytest
from confluent_kafka import Consumer
from cryptography.x509.oid import NameOID

from tests.security.certificates import Authority, Issued, name_of
from tests.security.secure_clients import CLIENTS, Confluent, SecureClient, Way
from tests.security.secure_server import EVERYWHERE, MECHANISMS, PASSWORDS, PROTOCOLS, SecureServer

WAYS = [(protocol, "") for protocol in PROTOCOLS[:2]] + [
    (protocol, mechanism) for protocol in PROTOCOLS[2:] for mechanism in MECHANISMS
]
ALICE = name_of("alice", (NameOID.ORGANIZATION_NAME, "Acme"))
clients = pytest.mark.parametrize("client", CLIENTS, ids=lambda client: client.library)


class Odd:
    """Listeners whose certificate is wrong in one way, and one that wants certificates of clients."""

    def __init__(self, folder_of: pytest.TempPathFactory) -> None:
        folder = folder_of.mktemp("odd")
        self.authority = Authority(folder, "odd-authority")
        self.client = self.authority.client(ALICE)
        stores: dict[str, Issued] = {
            "EXPIRED": self.authority.server(expired=True, name="expired"),
            "ELSEWHERE": self.authority.server("elsewhere.example", name="elsewhere"),
            "MUTUAL": self.authority.server(name="mutual"),
        }
        self.settings = {
            "listeners": ",".join([EVERYWHERE, *(f"{name}://127.0.0.1:0" for name in stores)]),
            "listener.security.protocol.map": ",".join(f"{name}:SSL" for name in stores),
            "listener.name.mutual.ssl.client.auth": "required",
            "listener.name.mutual.ssl.truststore.location": self.authority.file,
            **{f"listener.name.{name.lower()}.ssl.keystore.location": each.keystore for name, each in stores.items()},
        }


@pytest.fixture(scope="module")
def odd(tmp_path_factory: pytest.TempPathFactory) -> Odd:
    return Odd(tmp_path_factory)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, odd: Odd) -> Iterator[SecureServer]:
    with SecureServer(tmp_path_factory.mktemp("clients"), odd.settings) as running:
        yield running


@pytest.fixture(autouse=True)
def no_guesses_before(server: SecureServer) -> None:
    """Every test is wrong for the first time: what was guessed in those before would make it wait longer and longer."""
    server.forget_guesses()


def way(server: SecureServer, protocol: str, mechanism: str = "") -> Way:
    token = server.issuer.token("alice") if mechanism == "OAUTHBEARER" else ""
    return Way(server.address(protocol), protocol, mechanism, token=token, authority=server.authority.file)


@clients
@pytest.mark.parametrize(("protocol", "mechanism"), WAYS)
def test_the_right_credentials_let_a_client_in(
    server: SecureServer, client: SecureClient, protocol: str, mechanism: str
) -> None:
    assert client.visit(way(server, protocol, mechanism)) == ""


@clients
@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_wrong_credentials_keep_a_client_out_and_it_learns_why(
    server: SecureServer, client: SecureClient, mechanism: str
) -> None:
    wrong = replace(
        way(server, "SASL_SSL", mechanism), password="wrong", token=server.issuer.token("alice", lifetime_seconds=-90)
    )
    said = client.visit(wrong)
    expected = {"PLAIN": "Invalid username or password", "OAUTHBEARER": "invalid_token"}
    if client.library == "aiokafka" and mechanism == "OAUTHBEARER":
        expected[mechanism] = "closed"  # it takes the challenge for a yes, and goes on with Metadata
    assert expected.get(mechanism, "invalid credentials") in said


@clients
def test_an_unknown_user_is_kept_out(server: SecureServer, client: SecureClient) -> None:
    stranger = replace(way(server, "SASL_PLAINTEXT", "SCRAM-SHA-256"), name="mallory")
    assert "invalid credentials" in client.visit(stranger)


@clients
@pytest.mark.parametrize(
    ("listener", "reason"),
    [("SSL", "verify failed"), ("EXPIRED", "verify failed"), ("ELSEWHERE", "verify failed")],
    ids=["unknown authority", "expired", "wrong host name"],
)
def test_a_client_refuses_a_server_that_is_not_whom_it_wants(
    server: SecureServer, client: SecureClient, odd: Odd, listener: str, reason: str
) -> None:
    """Each listener's certificate is wrong in one way: for SSL the client trusts another authority."""
    said = client.visit(Way(server.address(listener), "SSL", authority=odd.authority.file))
    assert reason in said.replace("_", " ").lower()


@clients
def test_a_client_without_the_certificate_it_needs_is_kept_out(
    server: SecureServer, client: SecureClient, odd: Odd
) -> None:
    before = server.traffic.tls_failures
    without = Way(server.address("MUTUAL"), "SSL", authority=odd.authority.file)
    assert client.visit(without) != ""
    assert server.traffic.tls_failures > before
    assert client.visit(replace(without, certificate=odd.client)) == ""


@clients
@pytest.mark.parametrize("protocol", ["SSL", "SASL_SSL"])
def test_records_and_groups_work_behind_tls_and_sasl(server: SecureServer, client: SecureClient, protocol: str) -> None:
    topic = f"{client.library}-{protocol}"
    value = client.round_trip(way(server, protocol, "SCRAM-SHA-512" if "SASL" in protocol else ""), topic)
    assert value.decode() in client.library


def test_librdkafka_authenticates_again_before_its_session_ends(tmp_path_factory: pytest.TempPathFactory) -> None:
    """KIP-368 with a real client; it renews at 90 % of the session's lifetime, here six tenths of a second before its end: time
    enough on a busy machine too."""
    with SecureServer(tmp_path_factory.mktemp("again"), {"connections.max.reauth.ms": "6000"}) as server:
        settings = Confluent()._settings(way(server, "SASL_SSL", "SCRAM-SHA-256"))
        consumer = Consumer({**settings, "group.id": "g"})
        consumer.subscribe(["t"])
        until = time.monotonic() + 60
        while server.traffic.reauthentications < 1 and time.monotonic() < until:
            consumer.poll(0.05)
        consumer.close()
        assert server.traffic.reauthentications >= 1
        assert server.traffic.sessions_expired == 0


def test_both_users_of_the_fixture_are_who_they_say(server: SecureServer) -> None:
    bob = replace(way(server, "SASL_PLAINTEXT", "PLAIN"), name="bob", password=PASSWORDS["bob"])
    assert [client.visit(bob) for client in CLIENTS] == ["", "", ""]
