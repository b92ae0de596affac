"""What went through the sockets, as plain counters. Read by metrics and tests, written by connections."""

from __future__ import annotations


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
