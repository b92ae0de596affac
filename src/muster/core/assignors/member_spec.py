"""A member of a consumer group as a server-side assignor sees it, and what the assignor says of all members."""

from __future__ import annotations

from typing import TypeAlias

from muster.wire.value import Value

Target: TypeAlias = dict[bytes, tuple[int, ...]]
"""Topic id -> partitions in ascending order. No topic without partitions."""
Targets: TypeAlias = dict[str, Target]
"""Member id -> its target. Every member is there."""


class MemberSpec(Value):
    __match_args__ = ("member_id", "instance_id", "rack_id", "topic_ids", "target")
    __slots__ = __match_args__

    def __init__(
        self,
        member_id: str,
        instance_id: str | None,
        rack_id: str | None,
        topic_ids: frozenset[bytes],
        target: Target,
    ) -> None:
        self.member_id = member_id
        self.instance_id = instance_id
        self.rack_id = rack_id
        self.topic_ids = topic_ids
        """Subscribed topics that exist."""
        self.target = target
        """What it was given by the last assignment."""
