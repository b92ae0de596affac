"""What an assignor is given and what it gives back. Knows no bytes of its own but the assignor's user data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol, TypeAlias

from muster.wire.late_dataclass import dataclass


class TopicPartition(NamedTuple):
    topic: str
    partition: int

    def __str__(self) -> str:
        return f"{self.topic}-{self.partition}"


@dataclass(slots=True, frozen=True)
class Subscriber:
    """One member as the leader sees it: what it wants, and what it says it had."""

    member_id: str
    topics: Sequence[str]
    instance_id: str | None = None
    owned: Sequence[TopicPartition] = ()
    """What it claims to own, KIP-429. Only cooperative members still do when they join."""
    generation: int = -1
    """The generation of which it owned them, KIP-792."""
    user_data: bytes | None = None


PartitionCounts: TypeAlias = Mapping[str, int]
"""Topic -> number of partitions. Topics that do not exist are absent: nobody is given anything of them."""

Assignments: TypeAlias = dict[str, list[TopicPartition]]
"""Member id -> its partitions. Every member is there, each partition once at most."""


class Assignor(Protocol):
    """Users may write their own; members of one group must all know one of the same name."""

    @property
    def name(self) -> str:
        """Kafka's name of it, under which members agree on it."""
        ...

    @property
    def cooperative(self) -> bool:
        """True: members keep their partitions while they join, and give up only what moves (KIP-429)."""
        ...

    def user_data(self, owned: Sequence[TopicPartition], generation: int) -> bytes | None:
        """What a member tells the next leader in the subscription's user data."""
        ...

    def assign(self, counts: PartitionCounts, members: Sequence[Subscriber]) -> Assignments: ...


def java_order(text: str) -> bytes:
    """Sorts as Java compares strings: by UTF-16 code units."""
    return text.encode("utf-16-be", "surrogatepass")


def member_order(member: Subscriber) -> tuple[bool, bytes, bytes]:
    """As Kafka sorts members: static ones first, by instance id; the others by member id (KIP-345)."""
    return (member.instance_id is None, java_order(member.instance_id or ""), java_order(member.member_id))
