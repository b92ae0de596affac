"""What went through the sockets, as plain counters. Read by metrics and tests, written by connections."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from muster.runtime.metrics import Metric
    from muster.server.listener import Listener


class Traffic:
    """Counts since the server started."""

    __slots__ = (
        "connections_accepted",
        "connections_over_limit",
        "handler_failures",
        "idle_closed",
        "refused_requests",
        "replies_dropped",
        "requests",
    )

    def __init__(self) -> None:
        self.connections_accepted = 0
        self.connections_over_limit = 0
        self.requests = 0
        self.refused_requests = 0
        """Unreadable or unsupported; each one closed its connection."""
        self.handler_failures = 0
        self.replies_dropped = 0
        """Made for a client that had gone meanwhile."""
        self.idle_closed = 0

    def __repr__(self) -> str:
        return "Traffic(" + " ".join(f"{name}={getattr(self, name)}" for name in self.__slots__) + ")"


_MEANINGS: Final = {
    "connections_accepted": "Connections accepted since the start.",
    "connections_over_limit": "Connections closed because of max.connections.",
    "requests": "Requests that reached a handler.",
    "refused_requests": "Requests that could not be read or are not supported; each closed its connection.",
    "handler_failures": "Faults of this server while serving a request; each closed its connection.",
    "replies_dropped": "Replies for clients that had gone.",
    "idle_closed": "Connections closed because of connections.max.idle.ms.",
}


def traffic_metrics(listener: Listener) -> Iterator[Metric]:
    """The counters and the number of connections, for the metrics page."""
    from muster.runtime.metrics import Metric

    connections = "Connections that are open now."
    yield Metric("muster_connections", "gauge", connections, (({}, float(len(listener.connections))),))
    for name, meaning in _MEANINGS.items():
        yield Metric(f"muster_{name}_total", "counter", meaning, (({}, float(getattr(listener.traffic, name))),))
