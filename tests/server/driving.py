"""What tests of connections do to a server with fake APIs: requests, parked calls, and waiting for a state without time."""

from __future__ import annotations

import time
from collections.abc import Callable

from muster.core.replies import HeartbeatReply
from muster.server.call import Call
from muster.server.connection import Connection
from muster.server.running import RunningServer
from muster.wire.generated.heartbeat import HeartbeatRequest
from muster.wire.generated.join_group import JoinGroupRequest
from tests.server.raw_client import PATIENCE_SECONDS, request_frame


def heartbeat(code: int, group: str = "g") -> bytes:
    return request_frame("Heartbeat", 4, HeartbeatRequest(group, code, "m"), correlation_id=code)


def join(correlation_id: int = 100, group: str = "g") -> bytes:
    return request_frame("JoinGroup", 0, JoinGroupRequest(group, 1, 1, "m", protocol_type="c"), correlation_id)


def parked(server: RunningServer, count: int = 1) -> list[Call]:
    for _ in range(count):
        assert server.node.someone_parked.acquire(timeout=PATIENCE_SECONDS)
    return list(server.node.parked)


def redeem(server: RunningServer, call: Call, error: int = 0) -> None:
    server.run(call.redeem, HeartbeatReply(error))


def connections(server: RunningServer) -> list[Connection]:
    assert server.server is not None
    return list(server.server.listener.connections)


def until(server: RunningServer, condition: Callable[[], bool]) -> None:
    """Let the server take steps until the condition holds in its thread. Each look is a step; time only ends what failed."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not server.run(condition):
        assert time.monotonic() < deadline, "it never happened"


def only_connection(server: RunningServer) -> Connection:
    until(server, lambda: len(connections(server)) == 1)
    return connections(server)[0]
