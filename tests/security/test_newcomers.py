"""A flood of connections that never finish their handshake does not keep others out."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest

from tests.security.raw_sasl import RawSaslClient
from tests.security.secure_server import SecureServer

PLACES = 20
FLOOD = 60


@pytest.fixture
def server(tmp_path: Path) -> Iterator[SecureServer]:
    """Few places, so that a small flood fills them; a long time, so that only the places count."""
    limits = {
        "muster.authentication.max.per.address": str(PLACES),
        "muster.authentication.timeout.ms": "600000",
        "max.connections": "10",
    }
    with SecureServer(tmp_path, limits) as running:
        yield running


def slow(stack: ExitStack, port: int, beginning: bytes) -> socket.socket:
    connection = stack.enter_context(socket.create_connection(("127.0.0.1", port), timeout=20))
    if beginning:
        connection.sendall(beginning)
    return connection


@pytest.mark.parametrize(
    ("listener", "beginning"),
    [("SSL", b""), ("SSL", b"\x16\x03\x01\x02"), ("SASL_SSL", b"\x16"), ("SASL_PLAINTEXT", b"\0\0\1")],
)
def test_a_flood_of_slow_handshakes_crowds_out_itself_and_nobody_else(
    server: SecureServer, listener: str, beginning: bytes
) -> None:
    """Many more than the places of an address and than max.connections, from the very address of an honest client."""
    with ExitStack() as stack:
        flood = [slow(stack, server.port(listener), beginning) for _ in range(FLOOD)]
        server.until(lambda: server.traffic.newcomers_crowded_out >= FLOOD - PLACES)
        assert server.newcomers == PLACES
        with RawSaslClient(server.port("PLAINTEXT")) as plain:
            assert plain.metadata().brokers
        with RawSaslClient.over_tls(server.port("SSL"), server.authority.file) as honest:
            assert honest.metadata().brokers
        with RawSaslClient.over_tls(server.port("SASL_SSL"), server.authority.file) as honest:
            assert honest.scram().error_code == 0
            assert honest.metadata().brokers
        with suppress(ConnectionResetError):
            assert flood[0].recv(1) == b""


def test_whoever_is_authenticated_is_not_crowded_out(server: SecureServer) -> None:
    with RawSaslClient(server.port("SASL_PLAINTEXT")) as honest, ExitStack() as stack:
        honest.plain()
        for _ in range(FLOOD):
            slow(stack, server.port("SASL_PLAINTEXT"), b"")
        server.until(lambda: server.traffic.newcomers_crowded_out >= FLOOD - PLACES)
        assert honest.metadata().brokers


def test_a_newcomer_that_takes_too_long_is_closed(tmp_path: Path) -> None:
    with SecureServer(tmp_path, {"muster.authentication.timeout.ms": "20"}) as server:
        for listener in ("SSL", "SASL_SSL", "SASL_PLAINTEXT"):
            with RawSaslClient(server.port(listener)) as client:
                assert client.is_closed_by_server()
        assert server.traffic.newcomers_too_slow == 3
        assert server.newcomers == 0


def test_the_tls_handshake_alone_does_not_end_the_time_of_a_newcomer(server: SecureServer) -> None:
    """Who it is it still has to say: it is closed like the others when its time is over."""
    with RawSaslClient.over_tls(server.port("SASL_SSL"), server.authority.file) as client:
        assert client.api_versions().error_code == 0
        (newcomer,) = server.running.server.listener.newcomers._places  # type: ignore[union-attr]
        server.running.run(newcomer._too_slow)
        assert client.is_closed_by_server()
        assert server.traffic.newcomers_too_slow == 1
        assert server.newcomers == 0


def test_places_are_limited_in_all_as_well(tmp_path: Path) -> None:
    with SecureServer(tmp_path, {"muster.authentication.max": "5"}) as server, ExitStack() as stack:
        for number in range(10):
            connection = stack.enter_context(socket.socket())
            connection.bind((f"127.0.0.{number + 2}", 0))
            connection.connect(("127.0.0.1", server.port("SSL")))
        server.until(lambda: server.traffic.newcomers_crowded_out == 5)
        assert server.newcomers == 5
        with RawSaslClient.over_tls(server.port("SSL"), server.authority.file) as honest:
            assert honest.metadata().brokers


def test_max_connections_counts_those_who_have_shown_who_they_are(server: SecureServer) -> None:
    with ExitStack() as stack:
        for _ in range(10):
            assert stack.enter_context(RawSaslClient(server.port("SASL_PLAINTEXT"))).scram().error_code == 0
        one_more = stack.enter_context(RawSaslClient(server.port("SASL_PLAINTEXT")))
        assert one_more.scram().error_code == 0
        assert one_more.is_closed_by_server()
        assert server.traffic.connections_over_limit == 1
