"""What the members of one kind of group agree on: the part of group membership that the coordinator does not look into.

A `GroupProtocol` says what a member offers, how the leader shares things out, and what to do with one's share. The
membership calls it, and moves bytes. `consuming` is the one that Kafka's consumers speak; write another for any other kind of
group: examples/jobs has one that shares a list of jobs.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class JoinedMember:
    """A member as its leader sees it."""

    member_id: str
    instance_id: str | None
    metadata: bytes
    """What it offered under the protocol that was chosen."""


@dataclass(frozen=True, slots=True)
class Standing:
    """Where this member stands in its group. Generation -1: it has no place there now."""

    member_id: str = ""
    generation: int = -1
    protocol: str = ""
    """The name that the coordinator chose from what all members offer."""
    is_leader: bool = False


class GroupProtocol(ABC):
    """The methods are called one at a time. An exception from one of them ends the membership."""

    protocol_type: str
    """All members of a group have the same, such as `consumer` or `connect`."""

    @abstractmethod
    def offers(self) -> Sequence[tuple[str, bytes]]:
        """Protocols that this member knows, dearest first, each with the metadata that the leader shall see."""

    @abstractmethod
    async def share_out(self, protocol: str, members: Sequence[JoinedMember]) -> Mapping[str, bytes]:
        """Only the leader is asked: each member's share. A member without one gets empty bytes."""

    @abstractmethod
    async def take(self, standing: Standing, share: bytes) -> str | None:
        """Begin with the share. A text is a reason to join again at once, as when the rest must now be shared anew."""

    async def prepare(self, standing: Standing) -> None:
        """A rebalance has begun: give up what must not be held meanwhile. Heartbeats go on while this runs."""
        return

    async def lost(self) -> None:
        """The place in the group is gone, with everything held; others may have it already."""
        return

    async def leaving(self) -> None:
        """About to leave: give up everything in good order."""
        return
