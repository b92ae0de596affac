"""Handlers and a node that tests of the connection control: what is answered when is up to the test."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from muster.core.replies import HeartbeatReply
from muster.server.call import Call
from muster.server.endpoint import Endpoint
from muster.server.routes import Handler
from muster.server.running import RunningServer
from muster.server.settings import Settings
from muster.wire.generated.heartbeat import HeartbeatRequest, HeartbeatResponse
from muster.wire.generated.list_groups import ListGroupsResponse, ListGroupsResponseGroup

API_VERSIONS, HEARTBEAT, LIST_GROUPS, JOIN_GROUP = 18, 12, 16, 11


class FakeNode:
    """Keeps parked calls, in order, until the test redeems them."""

    def __init__(self, settings: Settings, advertise: Endpoint) -> None:
        self.settings = settings
        self.parked: list[Call] = []
        self.seen: list[tuple[int, str | None, str]] = []
        """(api key, client id, group or member) of every request that reached a handler."""
        self.someone_parked = threading.Semaphore(0)
        self.stopping: Callable[[], None] = lambda: None
        self.stopped = False

    def start(self) -> None: ...

    async def stop(self) -> None:
        self.stopping()
        self.stopped = True


def answer_at_once(call: Call, request: HeartbeatRequest, node: FakeNode) -> None:
    """The error code of the reply is the generation that was asked with."""
    node.seen.append((call.api_key, call.client_id, request.group_id))
    if request.group_id == "fault":
        raise RuntimeError("a handler that is broken")
    if request.group_id == "silent":
        call.reply_nothing()
    elif request.group_id == "leave":
        call.close("told to")
    else:
        call.reply(HeartbeatResponse(error_code=request.generation_id))


def park(call: Call, request: Any, node: FakeNode) -> None:
    node.seen.append((call.api_key, call.client_id, request.group_id))
    call.respond = lay_out_join
    node.parked.append(call)
    node.someone_parked.release()


def lay_out_join(call: Call, reply: HeartbeatReply) -> object:
    from muster.wire.generated.join_group import JoinGroupResponse

    if reply.error == 666:
        raise RuntimeError("a layout that is broken")
    return JoinGroupResponse(error_code=reply.error, protocol_name="")


def answer_much(call: Call, request: Any, node: FakeNode) -> None:
    """About a megabyte."""
    node.seen.append((call.api_key, call.client_id, ""))
    call.reply(ListGroupsResponse(groups=[ListGroupsResponseGroup("g" * 30_000) for _ in range(35)]))


FAKE_HANDLERS: dict[int, str | Handler] = {
    API_VERSIONS: "muster.server.handlers.api_versions",
    HEARTBEAT: answer_at_once,
    LIST_GROUPS: answer_much,
    JOIN_GROUP: park,
}


def fake_server(settings: dict[str, str] | None = None) -> RunningServer:
    return RunningServer(Settings.of({"listeners": "127.0.0.1:0", **(settings or {})}), FakeNode, FAKE_HANDLERS)
