"""One member of a classic group, as it lives in memory. Knows its own facts only; `membership` keeps the group's sums right."""

from __future__ import annotations

from collections.abc import Container

from muster.core.contract import Ticket, TimerKey

Protocols = tuple[tuple[str, bytes], ...]


class Member:
    """A client's session in a group (spec 3.1). The parked tickets are the JoinGroup and SyncGroup that wait for the group."""

    __slots__ = (
        "assignment",
        "client_host",
        "client_id",
        "instance_id",
        "is_gone",
        "is_new",
        "member_id",
        "parked_join",
        "parked_sync",
        "protocols",
        "rebalance_timeout_ms",
        "session_key",
        "session_timeout_ms",
    )

    def __init__(
        self,
        group_id: str,
        member_id: str,
        instance_id: str | None,
        client_id: str,
        client_host: str,
        session_timeout_ms: int,
        rebalance_timeout_ms: int,
        protocols: Protocols,
    ) -> None:
        self.is_gone = False
        """No longer in its group, under this id at least."""
        self.session_timeout_ms = session_timeout_ms
        self.member_id = member_id
        self.instance_id = instance_id
        self.client_id = client_id
        self.client_host = client_host
        self.rebalance_timeout_ms = rebalance_timeout_ms
        self.protocols = protocols
        self.assignment = b""
        self.is_new = False
        """Added since the last completed join phase."""
        self.parked_join: Ticket | None = None
        self.parked_sync: Ticket | None = None
        self.session_key: TimerKey = ("session", group_id, member_id)

    @property
    def is_static(self) -> bool:
        return self.instance_id is not None

    @property
    def has_satisfied_heartbeat(self) -> bool:
        """Parked members do not expire, except new ones: nobody has promised them an answer yet (spec 3.11)."""
        return not self.is_new and (self.parked_join is not None or self.parked_sync is not None)

    def metadata_for(self, protocol_name: str | None) -> bytes:
        """What the member said about itself under this protocol; nothing if it does not know the protocol."""
        for name, metadata in self.protocols:
            if name == protocol_name:
                return metadata
        return b""

    def vote(self, candidates: Container[str]) -> str | None:
        """The candidate that comes first in the member's own list."""
        for name, _ in self.protocols:
            if name in candidates:
                return name
        return None

    def under(self, group_id: str, member_id: str) -> Member:
        """The same session under another id: what a static member keeps when its process restarts (spec 3.9)."""
        heir = Member(
            group_id,
            member_id,
            self.instance_id,
            self.client_id,
            self.client_host,
            self.session_timeout_ms,
            self.rebalance_timeout_ms,
            self.protocols,
        )
        heir.assignment = self.assignment
        return heir

    def __repr__(self) -> str:
        name = self.member_id if self.instance_id is None else f"{self.member_id} ({self.instance_id})"
        marks = [
            mark
            for mark, on in (
                ("new", self.is_new),
                ("join parked", self.parked_join is not None),
                ("sync parked", self.parked_sync is not None),
            )
            if on
        ]
        return f"<Member {name}{': ' if marks else ''}{', '.join(marks)}>"
