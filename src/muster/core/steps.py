"""What a decision leaves unfinished until its records are durable, or have failed. Plain data; the shard acts on it.

A group may have moved on meanwhile. Every step carries what it takes to see that, and is then ignored (spec 3.10).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from muster.wire.value import Value

if TYPE_CHECKING:
    from muster.core.classic.group import Group
    from muster.core.classic.member import Protocols
    from muster.core.journal import JournalEvent


class CreateGroup(Value):
    """The first record of a group. If it is lost the group is gone again."""

    __match_args__ = ("group_id",)
    __slots__ = __match_args__

    def __init__(self, group_id: str) -> None:
        self.group_id = group_id


class StoreAssignments(Value):
    """The leader's assignments. The parked SyncGroups are answered when they are durable."""

    __match_args__ = ("group_id", "generation", "assignments")
    __slots__ = __match_args__

    def __init__(self, group_id: str, generation: int, assignments: dict[str, bytes]) -> None:
        self.group_id = group_id
        self.generation = generation
        self.assignments = assignments


class ReplaceStaticMember(Value):
    """A static member has a new id already. If that cannot be stored the rest says how to undo it."""

    __match_args__ = (
        "group_id",
        "instance_id",
        "old_member_id",
        "new_member_id",
        "old_leader",
        "protocols",
        "session_timeout_ms",
        "rebalance_timeout_ms",
    )
    __slots__ = __match_args__

    def __init__(
        self,
        group_id: str,
        instance_id: str,
        old_member_id: str,
        new_member_id: str,
        old_leader: str,
        protocols: Protocols,
        session_timeout_ms: int,
        rebalance_timeout_ms: int,
    ) -> None:
        self.group_id = group_id
        self.instance_id = instance_id
        self.old_member_id = old_member_id
        self.new_member_id = new_member_id
        self.old_leader = old_leader
        self.protocols = protocols
        self.session_timeout_ms = session_timeout_ms
        self.rebalance_timeout_ms = rebalance_timeout_ms


class TellJournal(Value):
    """Nothing is left to do but to write these events: what they tell of is durable now."""

    __match_args__ = ("events", "group_id", "member_id", "at_ms")
    __slots__ = __match_args__

    def __init__(
        self, events: list[JournalEvent], group_id: str | None = None, member_id: str | None = None, at_ms: int = 0
    ) -> None:
        self.events = events
        self.group_id = group_id
        """Of a consumer group: its state may be another one now, which is an event too."""
        self.member_id = member_id
        """Whose request it was, if it was one's."""
        self.at_ms = at_ms


class Downgrade(Value):
    """Tombstones of a consumer group and the record of the classic one that it becomes, which lives when they are durable."""

    __match_args__ = ("group", "rebalances", "events")
    __slots__ = __match_args__

    def __init__(self, group: Group, rebalances: bool, events: list[JournalEvent]) -> None:
        self.group = group
        self.rebalances = rebalances
        """Whether its members are sent into a rebalance at once."""
        self.events = events
