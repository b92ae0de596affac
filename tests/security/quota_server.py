"""A broker whose clock stands still, quotas set over the wire, and clients that send exactly what a test says."""

from __future__ import annotations

import socket
from collections.abc import Callable, Mapping
from typing import Any

from muster.server.connection import Connection
from muster.server.listener import Listener
from muster.server.running import RunningServer
from muster.testing.broker import Broker
from muster.wire.generated.alter_client_quotas import (
    AlterClientQuotasRequest,
    AlterClientQuotasRequestEntity,
    AlterClientQuotasRequestEntry,
    AlterClientQuotasRequestOp,
)
from muster.wire.generated.heartbeat import HeartbeatRequest
from tests.interop.waiting import eventually
from tests.server.raw_client import PATIENCE_SECONDS, RawClient

OPERATOR, GUEST, OTHER = "127.0.0.1", "127.0.0.9", "127.0.0.10"


class AddressedClient(RawClient):
    def __init__(self, port: int, source: str = GUEST) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), PATIENCE_SECONDS, source_address=(source, 0))

    @property
    def port(self) -> int:
        port: int = self.socket.getsockname()[1]
        return port

    def beat(self, client_id: str = "raw") -> int:
        """A heartbeat of nobody; returns the throttle time of the answer."""
        reply = self.ask("Heartbeat", 4, HeartbeatRequest("g", 1, "m"), client_id=client_id)
        throttle_ms: int = reply.throttle_time_ms
        return throttle_ms


def set_quotas(port: int, entity: Mapping[str, str | None], **values: float | None) -> None:
    """None removes one. Asked from an address of its own, so that what it uses is nobody else's."""
    entry = AlterClientQuotasRequestEntry(
        [AlterClientQuotasRequestEntity(each, name) for each, name in entity.items()],
        [AlterClientQuotasRequestOp(key, value or 0, value is None) for key, value in values.items()],
    )
    with AddressedClient(port, OPERATOR) as client:
        reply = client.ask("AlterClientQuotas", 1, AlterClientQuotasRequest([entry], False), client_id="operator")
    assert [(each.error_code, each.error_message) for each in reply.entries] == [(0, None)]


def listener_of(broker: Broker) -> Listener:
    server = broker._running.server
    assert server is not None
    return server.listener


def connection_of(broker: Broker, client: AddressedClient) -> Connection:
    ending = f":{client.port}"
    return next(each for each in listener_of(broker).connections if each.address.endswith(ending))


def until(broker: Broker | RunningServer, condition: Callable[[], Any]) -> None:
    """Let the broker take steps until the condition holds in its thread."""
    eventually("the condition", lambda: broker.run(condition))
