"""A node that asks another one: on every kind of listener, and what it hears where nobody answers."""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from muster.server.node_client import NodeClient
from muster.server.setting_keys import AUTHORIZER_CLASS
from muster.wire.errors import CLUSTER_AUTHORIZATION_FAILED, UNKNOWN_TOPIC_OR_PARTITION
from muster.wire.generated.write_txn_markers import (
    WriteTxnMarkersRequest,
    WriteTxnMarkersRequestMarker,
    WriteTxnMarkersRequestTopic,
)
from tests.security.secure_server import PROTOCOLS, SecureServer
from tests.server.raw_client import RawClient

SECRET = b"s" * 32
MARKERS = WriteTxnMarkersRequest([WriteTxnMarkersRequestMarker(1, 0, True, [WriteTxnMarkersRequestTopic("none", [0])])])
ME, THERE = 1, 2

Tls = Callable[[], ssl.SSLContext]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SecureServer]:
    """Nobody may do anything there but nodes of its cluster."""
    folder: Path = tmp_path_factory.mktemp("node")
    settings = {"authorizer.class.name": AUTHORIZER_CLASS, "listener.name.ssl.ssl.client.auth": "required"}
    with SecureServer(folder, settings, users={}) as server:
        server.running.node.node_secret = SECRET
        yield server


def tls_of(server: SecureServer, listener: str) -> Tls | None:
    """As the node itself would make it, which listens with the same certificate."""
    assert server.running.server is not None
    (door,) = [door for door in server.running.server.listener.doors if door.address.name == listener]
    return None if door.tls is None else door.tls.client_context


def ask(port: int, *, times: int = 1, secret: bytes = SECRET, tls: Tls | None = None) -> list[Any]:
    """The answers to so many requests, one after the other, of one node to another."""

    async def run() -> list[Any]:
        client = NodeClient(ME, secret, lambda node_id: ("127.0.0.1", port), tls, asyncio.get_running_loop())
        answers = [await ask_once(client) for _ in range(times)]
        await close(client)
        return answers

    return asyncio.run(run())


async def close(client: NodeClient) -> None:
    client.close()
    for _ in range(3):
        await asyncio.sleep(0)  # a loop that ends at once leaves sockets open


async def ask_once(client: NodeClient) -> Any:
    answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
    client.ask(THERE, "WriteTxnMarkers", 2, MARKERS, answer.set_result)
    return await answer


def codes(response: Any) -> list[int]:
    return [each.error_code for marker in response.markers for topic in marker.topics for each in topic.partitions]


@pytest.mark.parametrize("listener", PROTOCOLS)
def test_a_node_may_send_markers_through_every_listener(server: SecureServer, listener: str) -> None:
    before = server.traffic.authentications
    answers = ask(server.port(listener), times=3, tls=tls_of(server, listener))
    assert [codes(each) for each in answers] == [[UNKNOWN_TOPIC_OR_PARTITION]] * 3
    assert server.traffic.authentications == before + 1, "a connection is kept"


def test_somebody_else_may_not(server: SecureServer) -> None:
    with RawClient(server.port("PLAINTEXT")) as client:
        assert codes(client.ask("WriteTxnMarkers", 2, MARKERS)) == [CLUSTER_AUTHORIZATION_FAILED]


@pytest.mark.parametrize("listener", ["PLAINTEXT", "SASL_SSL"])
def test_a_node_of_another_cluster_gets_no_answer_and_says_so(
    server: SecureServer, listener: str, caplog: pytest.LogCaptureFixture
) -> None:
    assert ask(server.port(listener), secret=b"o" * 32, tls=tls_of(server, listener)) == [None]
    assert "cannot talk to node 2: whoever listens there is not a node of this cluster" in caplog.text


def test_where_nobody_listens_there_is_no_answer() -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as listening:
        port = listening.getsockname()[1]
    assert ask(port) == [None]


def test_a_connection_that_the_other_one_closed_is_opened_again(server: SecureServer) -> None:
    async def run() -> Any:
        port = server.port("PLAINTEXT")
        client = NodeClient(ME, SECRET, lambda node_id: ("127.0.0.1", port), None, asyncio.get_running_loop())
        await ask_once(client)
        for each in server.connections:
            server.running.run(each.close)
        answers = [await ask_once(client), await ask_once(client)]  # the first may be sent before the end is seen
        await close(client)
        return answers[-1]

    assert codes(asyncio.run(run())) == [UNKNOWN_TOPIC_OR_PARTITION]


def test_a_node_that_is_no_longer_live_is_not_waited_for() -> None:
    async def run() -> Any:
        with closing(socket.create_server(("127.0.0.1", 0))) as silent:
            port = silent.getsockname()[1]
            client = NodeClient(ME, SECRET, lambda node_id: ("127.0.0.1", port), None, asyncio.get_running_loop())
            answer = asyncio.ensure_future(ask_once(client))
            accepted, _ = await asyncio.get_running_loop().run_in_executor(None, silent.accept)
            with accepted:
                client.keep_only([THERE])
                await asyncio.sleep(0)
                assert not answer.done()
                client.keep_only([ME])
                return await answer

    assert asyncio.run(run()) is None


def test_a_client_that_is_closed_asks_nobody() -> None:
    async def run() -> Any:
        client = NodeClient(ME, SECRET, lambda node_id: ("127.0.0.1", 1), None, asyncio.get_running_loop())
        client.close()
        return await ask_once(client)

    assert asyncio.run(run()) is None
