"""A connection from its beginning to its end, on the reactor and on asyncio's own transports: the same either way."""

from __future__ import annotations

import asyncio
import logging
import os
import resource
import select
import socket
import threading
from collections.abc import Callable, Iterator
from struct import pack

import pytest

from muster.server.reactor_loop import ReactorLoop
from muster.server.running import RunningServer
from muster.wire.generated.list_groups import ListGroupsRequest
from tests.server.driving import connections, heartbeat, join, only_connection, parked, redeem, until
from tests.server.fake_apis import fake_server
from tests.server.raw_client import RawClient, request_frame

needs_epoll = pytest.mark.skipif(not hasattr(select, "epoll"), reason="the reactor is Linux's")


@pytest.fixture(params=[pytest.param(ReactorLoop, marks=needs_epoll), asyncio.SelectorEventLoop])
def server(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[RunningServer]:
    loop: Callable[[], asyncio.AbstractEventLoop] = request.param
    monkeypatch.setattr("muster.server.running.new_event_loop", loop)
    with fake_server() as running:
        yield running


def megabytes(count: int) -> bytes:
    """Requests whose replies have about a megabyte each."""
    return b"".join(request_frame("ListGroups", 0, ListGroupsRequest(), code) for code in range(count))


def test_a_client_that_says_it_will_send_no_more_gets_its_reply_and_then_the_end(client: RawClient) -> None:
    client.send(heartbeat(1))
    client.socket.shutdown(socket.SHUT_WR)
    assert client.read("Heartbeat", 4, 1).error_code == 1
    assert client.is_closed_by_server()


def test_a_client_that_sends_no_more_is_not_waited_for_when_its_request_is_parked(
    server: RunningServer, client: RawClient
) -> None:
    client.send(join())
    parked(server)
    client.socket.shutdown(socket.SHUT_WR)
    assert client.is_closed_by_server()
    until(server, lambda: not connections(server))


def test_a_burst_of_many_requests_is_answered_in_order(client: RawClient) -> None:
    """More than one receive brings, and frames that are cut anywhere."""
    count = 5_000
    sender = threading.Thread(target=client.send, args=(b"".join(heartbeat(code % 100) for code in range(count)),))
    sender.start()
    for code in range(count):
        assert client.read("Heartbeat", 4, code % 100).error_code == code % 100
    sender.join()


def test_a_request_that_comes_byte_by_byte_is_answered(client: RawClient) -> None:
    for byte in heartbeat(7):
        client.send(bytes([byte]))
    assert client.read("Heartbeat", 4, 7).error_code == 7


def test_a_slow_reader_holds_up_nobody_but_itself_and_loses_nothing(server: RunningServer, client: RawClient) -> None:
    count = 30
    with RawClient(server.port) as slow:
        slow.send(megabytes(count))
        until(server, lambda: any(connection._held for connection in connections(server)))
        client.send(heartbeat(1))
        assert client.read("Heartbeat", 4, 1).error_code == 1
        for code in range(count):
            assert len(slow.read("ListGroups", 0, code).groups) == 35
        slow.send(heartbeat(2))
        assert slow.read("Heartbeat", 4, 2).error_code == 2


def test_a_reset_ends_the_connection_once_and_takes_back_what_waited_for_it(
    server: RunningServer, client: RawClient
) -> None:
    client.send(join())
    (call,) = parked(server)
    ends: list[bool] = []
    call.abandon = lambda: ends.append(True)
    client.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, pack("ii", 1, 0))
    client.close()
    until(server, lambda: not connections(server))
    assert ends == [True]
    redeem(server, call)
    with RawClient(server.port) as another:
        another.send(heartbeat(1))
        assert another.read("Heartbeat", 4, 1).error_code == 1


def test_a_reset_while_replies_are_unsent_ends_the_connection(server: RunningServer, client: RawClient) -> None:
    client.send(megabytes(20))
    connection = only_connection(server)
    until(server, lambda: bool(connection._held))
    client.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, pack("ii", 1, 0))
    client.close()
    until(server, lambda: not connections(server))


def test_a_connection_that_is_closed_with_unsent_bytes_sends_them_first(
    server: RunningServer, client: RawClient
) -> None:
    client.send(megabytes(10))
    connection = only_connection(server)
    until(server, lambda: bool(connection._held))

    def close() -> int:
        """How many were served until then: the kernel may have taken more since the last look."""
        connection.close()
        return len(server.node.seen)

    served = server.run(close)
    assert served < 10
    for code in range(served):
        assert len(client.read("ListGroups", 0, code).groups) == 35
    assert client.is_closed_by_server()
    until(server, lambda: not connections(server))


def test_a_connection_that_is_aborted_with_unsent_bytes_does_not_send_them(
    server: RunningServer, client: RawClient
) -> None:
    client.send(megabytes(10))
    connection = only_connection(server)
    until(server, lambda: bool(connection._held))
    server.run(connection.abort)
    until(server, lambda: not connections(server))
    with pytest.raises((EOFError, ConnectionResetError)):
        read_replies(client, 10)


def read_replies(client: RawClient, count: int) -> None:
    for code in range(count):
        client.read("ListGroups", 0, code)


def test_replies_go_out_without_being_put_together_by_the_kernel(server: RunningServer, client: RawClient) -> None:
    """Nagle's algorithm would keep a reply back until the one before it was acknowledged."""
    client.send(heartbeat(1))
    client.read("Heartbeat", 4, 1)
    connection = only_connection(server)
    assert connection._transport is not None
    accepted = connection._transport.get_extra_info("socket")
    assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
    assert connection._transport.get_extra_info("sockname")[1] == server.port
    assert connection.address == "{}:{}".format(*client.socket.getsockname())


@needs_epoll
def test_a_client_that_comes_when_no_descriptor_is_left_is_let_in_later(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And the server says so and rests meanwhile. On the reactor: asyncio does the same in its own words."""
    monkeypatch.setattr("muster.server.acceptor.ACCEPT_PAUSE_SECONDS", 0.01)
    with fake_server() as server, RawClient(server.port) as before, socket.socket() as waiting:
        before.send(heartbeat(1))
        before.read("Heartbeat", 4, 1)
        with caplog.at_level(logging.WARNING, "muster"), no_descriptors():
            waiting.connect(("127.0.0.1", server.port))
            until(server, lambda: bool(caplog.records))
            before.send(heartbeat(2))
            assert before.read("Heartbeat", 4, 2).error_code == 2
        assert "cannot accept connections for 10 ms: Too many open files" in caplog.text
        until(server, lambda: len(connections(server)) == 2)


class no_descriptors:
    """None can be opened in this process."""

    def __enter__(self) -> None:
        self._limits = resource.getrlimit(resource.RLIMIT_NOFILE)
        self._taken = [os.dup(0)]
        resource.setrlimit(resource.RLIMIT_NOFILE, (self._taken[0] + 1, self._limits[1]))
        try:
            while True:
                self._taken.append(os.dup(0))
        except OSError:
            pass

    def __exit__(self, *_: object) -> None:
        resource.setrlimit(resource.RLIMIT_NOFILE, self._limits)
        for descriptor in self._taken:
            os.close(descriptor)
