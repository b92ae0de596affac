"""One connection: order, waiting, back pressure, faults, going away, and the orderly end of the server."""

from __future__ import annotations

import asyncio
import logging
import socket
import threading
from contextlib import ExitStack
from struct import pack
from types import SimpleNamespace
from typing import Any, cast

import pytest

from muster import log_limit
from muster.core.replies import HeartbeatReply
from muster.server.call import Call
from muster.server.connection import Connection
from muster.server.limits import WAITING_BYTES_PER_CONNECTION
from muster.server.running import RunningServer
from muster.wire.generated.heartbeat import HeartbeatRequest
from muster.wire.generated.list_groups import ListGroupsRequest
from tests.forms import interpreted_only
from tests.server.driving import connections, heartbeat, join, only_connection, parked, redeem, until
from tests.server.fake_apis import fake_server
from tests.server.lone_connection import LoneConnection, LoneNode
from tests.server.raw_client import RawClient, request_frame

# ---- order


def test_a_request_behind_a_parked_one_waits_for_its_reply(server: RunningServer, client: RawClient) -> None:
    """T026: one request in work per connection; the heartbeat is not even looked at before."""
    client.send(join() + heartbeat(1) + heartbeat(2))
    (call,) = parked(server)
    assert [seen[0] for seen in server.node.seen] == [11]
    redeem(server, call, 25)
    assert client.read("JoinGroup", 0, 100).error_code == 25
    assert client.read("Heartbeat", 4, 1).error_code == 1
    assert client.read("Heartbeat", 4, 2).error_code == 2


def test_a_bad_request_behind_a_parked_one_is_not_read_before_its_reply(
    server: RunningServer, client: RawClient
) -> None:
    """Spec 2.1."""
    client.send(join() + b"\xff\xff\xff\xff")
    (call,) = parked(server)
    redeem(server, call)
    assert client.read("JoinGroup", 0, 100).error_code == 0
    assert client.is_closed_by_server()


def test_a_parked_request_does_not_hold_up_other_connections(server: RunningServer, client: RawClient) -> None:
    client.send(join())
    parked(server)
    with RawClient(server.port) as other:
        other.send(heartbeat(3))
        assert other.read("Heartbeat", 4, 3).error_code == 3


def test_a_request_that_wants_no_reply_lets_the_next_one_begin(server: RunningServer, client: RawClient) -> None:
    client.send(heartbeat(1, "silent") + heartbeat(2))
    assert client.read("Heartbeat", 4, 2).error_code == 2


def test_redeeming_from_inside_another_request_does_not_serve_the_next_one_inside_it(
    server: RunningServer, client: RawClient
) -> None:
    """Whoever releases a reply is in the middle of its own outcome: the next request waits for the loop."""
    client.send(join() + heartbeat(1))
    (call,) = parked(server)
    seen_inside: list[int] = []

    def redeem_and_look() -> None:
        call.redeem(HeartbeatReply(0))
        seen_inside.append(len(server.node.seen))

    server.run(redeem_and_look)
    assert seen_inside == [1]
    assert client.read("JoinGroup", 0, 100).error_code == 0
    assert client.read("Heartbeat", 4, 1).error_code == 1


def test_answering_twice_is_a_broken_invariant(server: RunningServer, client: RawClient) -> None:
    client.send(join())
    (call,) = parked(server)
    redeem(server, call)
    with pytest.raises(AssertionError, match="answered twice"):
        server.run(call.reply_nothing)


# ---- back pressure


def is_held_back(connection: Connection) -> bool:
    backlog = connection._backlog
    return backlog is not None and backlog.is_held_back


def test_bytes_behind_a_parked_request_are_bounded(server: RunningServer, client: RawClient) -> None:
    """Reading pauses; nothing is lost, everything is answered in order once the parked reply is out."""
    count = 30_000
    burst = b"".join(heartbeat(code) for code in range(count))
    client.send(join())
    (call,) = parked(server)
    sender = threading.Thread(target=client.send, args=(burst,))
    sender.start()
    connection = only_connection(server)
    until(server, lambda: is_held_back(connection))
    assert server.run(lambda: len(connection._backlog or b"")) < WAITING_BYTES_PER_CONNECTION + 1_000_000
    redeem(server, call)
    assert client.read("JoinGroup", 0, 100).error_code == 0
    assert [client.read("Heartbeat", 4, code).error_code for code in range(10)] == list(range(10))
    for code in range(10, count):
        client.read("Heartbeat", 4, code) if code % 1_000 == 0 else client.read_frame()
    sender.join()
    assert not server.run(is_held_back, connection)


def test_a_client_that_does_not_read_its_replies_gets_no_further_requests_served(server: RunningServer) -> None:
    count = 60
    with RawClient(server.port) as lazy:
        lazy.send(b"".join(request_frame("ListGroups", 0, ListGroupsRequest(), code) for code in range(count)))
        connection = only_connection(server)
        until(server, lambda: bool(connection._held))
        served = len(server.node.seen)
        assert served < count // 2, "sixty megabytes of replies wait in memory"
        for code in range(count):
            assert len(lazy.read("ListGroups", 0, code).groups) == 35
    assert len(server.node.seen) == count


# ---- faults


def test_a_broken_handler_closes_its_own_connection_with_a_traceback_in_the_log(
    server: RunningServer, client: RawClient, caplog: pytest.LogCaptureFixture
) -> None:
    """Design law 5: requests before it are answered, other connections go on."""
    with RawClient(server.port) as bystander, caplog.at_level(logging.ERROR, "muster"):
        client.send(heartbeat(1) + heartbeat(2, "fault") + heartbeat(3))
        assert client.read("Heartbeat", 4, 1).error_code == 1
        assert client.is_closed_by_server()
        bystander.send(heartbeat(4))
        assert bystander.read("Heartbeat", 4, 4).error_code == 4
    (record,) = caplog.records
    assert "Call(Heartbeat v4 #2 from 'raw' at /127.0.0.1)" in record.getMessage()
    assert record.exc_info is not None
    assert "a handler that is broken" in str(record.exc_info[1])


def test_a_fault_while_a_late_reply_is_laid_out_stays_with_that_connection(
    server: RunningServer, client: RawClient, caplog: pytest.LogCaptureFixture
) -> None:
    """The runtime that redeems a ticket must not be hit by it."""
    client.send(join())
    (call,) = parked(server)
    with caplog.at_level(logging.CRITICAL, "muster"):
        redeem(server, call, 666)
    assert client.is_closed_by_server()


def test_a_handler_may_close_the_connection_and_say_why(
    server: RunningServer, client: RawClient, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING, "muster"):
        client.send(heartbeat(1, "leave"))
        assert client.is_closed_by_server()
    assert "Heartbeat v4: told to" in caplog.text


# ---- going away


def test_a_reply_for_a_client_that_has_gone_is_dropped_and_counted(server: RunningServer, client: RawClient) -> None:
    client.send(join() + heartbeat(1))
    (call,) = parked(server)
    abandoned: list[bool] = []
    call.abandon = lambda: abandoned.append(True)
    client.close()
    until(server, lambda: not connections(server))
    redeem(server, call)
    assert call.answered
    assert abandoned == [True]
    assert server.server is not None
    assert server.server.listener.traffic.replies_dropped == 1
    assert [seen[0] for seen in server.node.seen] == [11]


def test_connections_over_the_limit_are_closed_until_one_goes(caplog: pytest.LogCaptureFixture) -> None:
    with fake_server({"max.connections": "2"}) as server, RawClient(server.port) as first:
        with RawClient(server.port) as second, caplog.at_level(logging.WARNING, "muster"):
            second.send(heartbeat(1))
            second.read("Heartbeat", 4, 1)
            with RawClient(server.port) as third:
                assert third.is_closed_by_server()
            first.send(heartbeat(2))
            assert first.read("Heartbeat", 4, 2).error_code == 2
        assert "max.connections = 2" in caplog.text
        until(server, lambda: len(connections(server)) == 1)
        with RawClient(server.port) as fourth:
            fourth.send(heartbeat(3))
            assert fourth.read("Heartbeat", 4, 3).error_code == 3


def test_an_idle_connection_is_closed_by_the_sweep_and_a_used_or_waiting_one_is_not() -> None:
    """connections.max.idle.ms, by the sweep's own clock; the test moves it."""
    with fake_server({"connections.max.idle.ms": "60000"}) as server:
        assert server.server is not None
        listener = server.server.listener
        with RawClient(server.port) as idle, RawClient(server.port) as used, RawClient(server.port) as waiting:
            waiting.send(join())
            parked(server)
            until(server, lambda: len(connections(server)) == 3)
            server.run(listener.close_idle, 0)
            used.send(heartbeat(1))
            used.read("Heartbeat", 4, 1)
            server.run(listener.close_idle, 60_000)
            assert idle.is_closed_by_server()
            used.send(heartbeat(2))
            assert used.read("Heartbeat", 4, 2).error_code == 2
            assert listener.traffic.idle_closed == 1
            assert server.run(lambda: len(connections(server))) == 2


def test_lines_about_idle_connections_are_bounded_and_the_sweep_tells_how_many_more(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A client can leave as many as it likes."""
    monkeypatch.setattr(log_limit, "LINES", 1)
    caplog.set_level(logging.INFO, "muster.listener")
    now = [0.0]
    with fake_server({"connections.max.idle.ms": "60000"}) as server, ExitStack() as opened:
        assert server.server is not None
        listener = server.server.listener
        listener.idle_log = log_limit.LogLimit(logging.getLogger("muster.listener"), "idle ones", lambda: now[0])
        clients = [opened.enter_context(RawClient(server.port)) for _ in range(3)]
        until(server, lambda: len(connections(server)) == 3)
        for now_ms in (0, 60_000):
            server.run(listener.sweep, now_ms)
        assert all(client.is_closed_by_server() for client in clients)
        now[0] = log_limit.SECONDS
        server.run(listener.sweep, 60_000)
    lines = [record.getMessage() for record in caplog.records if "idle" in record.getMessage()]
    assert len(lines) == 2
    assert lines[0].endswith(": idle for 60000 ms")
    assert lines[1] == "and 2 more idle ones, not told one by one"


def test_without_a_limit_on_idle_connections_the_sweep_closes_none_and_goes_on_for_the_log() -> None:
    with fake_server({"connections.max.idle.ms": "-1"}) as server, RawClient(server.port) as client:
        assert server.server is not None
        listener = server.server.listener
        until(server, lambda: len(connections(server)) == 1)
        for now_ms in (0, 10**9):
            server.run(listener.sweep, now_ms)
        client.send(heartbeat(1))
        assert client.read("Heartbeat", 4, 1).error_code == 1
        assert listener._sweep is not None


@interpreted_only
def test_one_that_is_closed_in_its_request_and_does_not_read_is_cut_off_by_the_sweep() -> None:
    """The request stays in work, which kept such a connection for ever."""
    with fake_server({"connections.max.idle.ms": "60000"}) as server, RawClient(server.port) as lazy:
        assert server.server is not None
        listener = server.server.listener
        lazy.send(b"".join(request_frame("ListGroups", 0, ListGroupsRequest()) for _ in range(20)))
        until(server, lambda: any(connection._held for connection in connections(server)))
        connection = only_connection(server)

        def refuse_in_work() -> None:
            connection.call = Call(connection, cast(Any, SimpleNamespace(name="Heartbeat", version=0)), 1, None)
            connection.call.close("told to")

        server.run(refuse_in_work)
        server.run(listener.close_idle, 0)
        assert connections(server) == [connection]
        server.run(listener.close_idle, 60_000)
        until(server, lambda: not connections(server))


@pytest.mark.parametrize("group", ["fault", "leave"])
def test_a_large_request_that_ends_the_connection_gives_its_bytes_back(
    server: RunningServer, client: RawClient, group: str
) -> None:
    """It is never answered, so this does not happen with the reply; and the client may be there for long."""
    assert server.server is not None
    budget = server.server.listener.request_budget
    connection = only_connection(server)
    client.send(request_frame("Heartbeat", 4, HeartbeatRequest(group, 1, "m" * 500_000)))
    until(server, lambda: connection.closing)
    assert budget.most_used > 400_000
    assert server.run(lambda: (budget.used, len(budget._holders))) == (0, 0)


def test_a_large_request_that_cannot_be_read_gives_its_bytes_back_at_once() -> None:
    async def refuse() -> None:
        lone = LoneConnection(LoneNode())
        budget = lone.connection._listener.request_budget
        join_of_garbage = pack(">hhih", 11, 0, 7, 1) + b"x" + pack(">h", 3) + b"grp" + b"\xff" * 500_000
        frame = pack(">i", len(join_of_garbage)) + join_of_garbage
        lone.take(frame[:300_000])
        assert budget.used == 300_000
        lone.take(frame[300_000:])
        assert lone.is_closed
        assert budget.used == 0

    asyncio.run(refuse())


def test_the_sweep_runs_by_itself() -> None:
    with fake_server({"connections.max.idle.ms": "1"}) as server, RawClient(server.port) as idle:
        assert idle.is_closed_by_server()


# ---- the end


def test_a_stop_answers_what_is_parked_and_closes_everything() -> None:
    """Spec 1.4: parked joins and syncs get their answer before the connections close."""
    server = fake_server().start()
    with RawClient(server.port) as idle, RawClient(server.port) as waiting:
        waiting.send(join() + heartbeat(1))
        (call,) = parked(server)
        server.node.stopping = lambda: call.redeem(HeartbeatReply(16))
        until(server, lambda: len(connections(server)) == 2)
        port = server.port
        node = server.node
        server.stop()
        assert waiting.read("JoinGroup", 0, 100).error_code == 16
        assert waiting.is_closed_by_server()
        assert idle.is_closed_by_server()
    assert node.stopped
    assert [seen[0] for seen in node.seen] == [11], "a request was taken after the stop"
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port))


def test_a_stop_closes_a_connection_whose_request_is_never_answered() -> None:
    server = fake_server().start()
    with RawClient(server.port) as waiting:
        waiting.send(join())
        parked(server)
        server.stop()
        assert waiting.is_closed_by_server()


def test_a_stop_cuts_off_who_does_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    from muster.server import listener

    monkeypatch.setattr(listener, "STOP_FLUSH_SECONDS", 0.01)
    server = fake_server().start()
    with RawClient(server.port) as lazy:
        lazy.send(b"".join(request_frame("ListGroups", 0, ListGroupsRequest(), code) for code in range(20)))
        connection = only_connection(server)
        until(server, lambda: bool(connection._held))
        server.stop()
        assert not connections(server)
