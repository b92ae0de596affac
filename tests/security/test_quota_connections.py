"""Who may connect: limits by address, listener and user, rates of new connections (KIP-402, KIP-612), floods."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from muster.server.settings import Settings
from muster.testing.broker import Broker
from muster.topics.config_types import ConfigError
from tests.listeners import address_of
from tests.security.quota_server import (
    GUEST,
    OPERATOR,
    OTHER,
    AddressedClient,
    connection_of,
    listener_of,
    set_quotas,
    until,
)
from tests.security.raw_sasl import RawSaslClient
from tests.security.secure_server import SecureServer


@pytest.fixture
def clients() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


def connect(broker: Broker, clients: ExitStack, source: str = GUEST) -> AddressedClient:
    return clients.enter_context(AddressedClient(broker.port, source))


def test_an_address_at_its_limit_is_turned_away_and_the_others_come_in(clients: ExitStack) -> None:
    with Broker({"max.connections.per.ip": 3}) as broker:
        guests = [connect(broker, clients) for _ in range(3)]
        assert [guest.beat() for guest in guests] == [0, 0, 0]
        assert connect(broker, clients).is_closed_by_server()
        assert connect(broker, clients, OTHER).beat() == 0
        guests[0].close()
        admission = listener_of(broker).admission
        until(broker, lambda: admission._open[f"/{GUEST}"] == 2)
        assert connect(broker, clients).beat() == 0
        assert admission.over_address_limit == 1


def test_a_flood_from_one_address_keeps_nobody_else_out(clients: ExitStack) -> None:
    """Hundreds of connections that say nothing: all but a few are closed at once, the operator is served meanwhile."""
    with Broker({"max.connections.per.ip": 10, "max.connections": 50}) as broker:
        flood = [connect(broker, clients) for _ in range(300)]
        assert connect(broker, clients, OPERATOR).beat() == 0
        assert [client.is_closed_by_server() for client in flood[10:]] == [True] * 290
        assert [client.beat() for client in flood[:10]] == [0] * 10
        until(broker, lambda: len(listener_of(broker).connections) == 11)


def test_overrides_name_addresses(clients: ExitStack) -> None:
    """Kafka: 0 for everybody closes the door to all whom the overrides do not name."""
    settings = {"max.connections.per.ip": 0, "max.connections.per.ip.overrides": f"{GUEST}:1, [::1]:5"}
    with Broker(settings) as broker:
        assert connect(broker, clients, OTHER).is_closed_by_server()
        assert connect(broker, clients).beat() == 0
        assert connect(broker, clients).is_closed_by_server()


@pytest.mark.parametrize("text", ["10.0.0.7", "host:5", "10.0.0.7:many", ":3"])
def test_overrides_that_cannot_be_are_refused_at_the_start(text: str) -> None:
    settings = {"max.connections.per.ip.overrides": text}
    with pytest.raises(ConfigError, match=r"max\.connections\.per\.ip\.overrides.*ADDRESS:COUNT"):
        Broker(settings).start()


def test_a_listener_has_its_own_limit_beside_that_of_all(clients: ExitStack) -> None:
    settings = {
        "muster.listen": "IN://127.0.0.1:0,OUT://127.0.0.1:0",
        "listener.security.protocol.map": "IN:PLAINTEXT,OUT:PLAINTEXT",
        "listener.name.out.max.connections": 1,
        "max.connections": 3,
    }
    with Broker(settings) as broker:
        ports = {name: int(address_of(broker._running, name).rpartition(":")[2]) for name in ("IN", "OUT")}
        out, refused, *inside = (
            clients.enter_context(AddressedClient(ports[name])) for name in ("OUT", "OUT", "IN", "IN", "IN")
        )
        assert [out.beat(), inside[0].beat(), inside[1].beat()] == [0, 0, 0]
        assert refused.is_closed_by_server()
        assert inside[2].is_closed_by_server()


def test_new_connections_beyond_the_rate_are_served_later(clients: ExitStack) -> None:
    """KIP-612, all and per listener: nobody is refused, they wait for their turn. Ten seconds' worth may come at once."""
    with Broker({"max.connection.creation.rate": 1}, frozen=True) as broker:
        at_once = [connect(broker, clients) for _ in range(10)]
        assert [client.beat() for client in at_once] == [0] * 10
        late = connect(broker, clients)
        until(broker, lambda: connection_of(broker, late).is_muted if has(broker, late) else False)
        broker.clock.advance(seconds=1)
        assert late.beat() == 0
        assert listener_of(broker).admission.kept_waiting == 1


def has(broker: Broker, client: AddressedClient) -> bool:
    return any(each.address.endswith(f":{client.port}") for each in listener_of(broker).connections)


def test_an_address_over_its_rate_is_let_go_after_a_delay(clients: ExitStack) -> None:
    """KIP-612: the connection is kept unserved for the throttle time and closed then, so that trying again is slow."""
    with Broker(frozen=True) as broker:
        set_quotas(broker.port, {"ip": GUEST}, connection_creation_rate=1)
        at_once = [connect(broker, clients) for _ in range(10)]
        assert [client.beat() for client in at_once] == [0] * 10
        refused = connect(broker, clients)
        until(broker, lambda: has(broker, refused) and connection_of(broker, refused).closing)
        assert connect(broker, clients, OTHER).beat() == 0
        broker.clock.advance(ms=1_000)
        assert refused.is_closed_by_server()
        broker.clock.advance(seconds=10)
        again = [connect(broker, clients) for _ in range(10)]  # one that is let go does not count
        assert [client.beat() for client in again] == [0] * 10
        assert listener_of(broker).admission.over_address_rate == 1


def test_a_user_has_only_so_many_connections(tmp_path: Path, clients: ExitStack) -> None:
    with SecureServer(tmp_path, {"muster.max.connections.per.user": "2"}) as server:

        def login(user: str) -> RawSaslClient:
            client = clients.enter_context(RawSaslClient(server.port("SASL_PLAINTEXT")))
            assert client.plain(user).error_code == 0
            return client

        alices = [login("alice"), login("alice")]
        assert login("alice").is_closed_by_server()
        assert login("bob").metadata().error_code == 0
        alices[0].close()
        connection_limits = server.running.server.listener.connection_limits  # type: ignore[union-attr]
        until(server.running, lambda: len(connection_limits) == 2)
        assert login("alice").metadata().error_code == 0


def test_those_in_a_tls_handshake_count_for_their_address(tmp_path: Path, clients: ExitStack) -> None:
    """A flood of handshakes that never end meets the limit of its address before any TLS is done."""
    with SecureServer(tmp_path, {"max.connections.per.ip": "5"}) as server:
        port = server.port("SSL")
        flood = [clients.enter_context(AddressedClient(port)) for _ in range(40)]
        assert [client.is_closed_by_server() for client in flood[5:]] == [True] * 35
        with RawSaslClient.over_tls(port, server.authority.file) as other:
            assert other.metadata().error_code == 0


def test_settings_of_limits_are_checked() -> None:
    with pytest.raises(ConfigError, match=r"max\.connections\.per\.ip"):
        Settings.of({"max.connections.per.ip": "-1"})
