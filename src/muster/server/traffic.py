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
        "authentication_failures",
        "authentications",
        "connections_accepted",
        "connections_over_limit",
        "handler_failures",
        "idle_closed",
        "newcomers_crowded_out",
        "newcomers_too_slow",
        "reauthentications",
        "refused_requests",
        "replies_dropped",
        "requests",
        "sessions_expired",
        "tls_failures",
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
        self.authentications = 0
        self.reauthentications = 0
        self.authentication_failures = 0
        self.sessions_expired = 0
        """Not authenticated again in time (KIP-368)."""
        self.tls_failures = 0
        self.newcomers_too_slow = 0
        self.newcomers_crowded_out = 0
        """Ended because others wanted to come in; see `newcomers`."""

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
    "authentications": "Connections that were authenticated by SASL.",
    "reauthentications": "SASL authentications that were renewed in time.",
    "authentication_failures": "SASL authentications that failed; each closed its connection.",
    "sessions_expired": "SASL authentications that were not renewed in time.",
    "tls_failures": "TLS handshakes and connections that failed.",
    "newcomers_too_slow": "Connections closed because they did not authenticate in muster.authentication.timeout.ms.",
    "newcomers_crowded_out": "Connections closed before they were authenticated, because too many others were coming in.",
}


def traffic_metrics(listener: Listener) -> Iterator[Metric]:
    """The counters and the number of connections, for the metrics page."""
    from muster.runtime.metrics import Metric

    connections = "Connections that are open now."
    yield Metric("muster_connections", "gauge", connections, (({}, float(len(listener.connections))),))
    for name, meaning in _MEANINGS.items():
        yield Metric(f"muster_{name}_total", "counter", meaning, (({}, float(getattr(listener.traffic, name))),))
