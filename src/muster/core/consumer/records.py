"""The durable facts of consumer groups, as values (spec 5.4). Their bytes are `muster.log.consumer_group_value`'s business.

Every record names its group. A tombstone is a record of its own kind, as with classic groups.
"""

from __future__ import annotations

from typing import TypeAlias

from muster.core.consumer.states import JOIN_EPOCH, MemberState
from muster.wire.value import Value

Target: TypeAlias = dict[bytes, tuple[int, ...]]
"""Topic id -> partitions, ascending. Topics without partitions are absent."""

HeldPartitions: TypeAlias = dict[bytes, dict[int, int]]
"""Topic id -> partition -> the member epoch at which it was given to the member. Partitions ascend, no topic is without any."""


class ClassicMetadata(Value):
    """What a member that speaks the classic protocol says about itself (spec 7.8)."""

    __match_args__ = ("session_timeout_ms", "protocols")
    __slots__ = __match_args__

    def __init__(self, session_timeout_ms: int, protocols: tuple[tuple[str, bytes], ...]) -> None:
        self.session_timeout_ms = session_timeout_ms
        self.protocols = protocols


class Subscription(Value):
    """What a member says about itself: everything of a member that does not depend on the others. Never changed once made."""

    __match_args__ = (
        "instance_id",
        "rack_id",
        "client_id",
        "client_host",
        "topic_names",
        "topic_regex",
        "rebalance_timeout_ms",
        "server_assignor",
        "classic",
    )
    __slots__ = __match_args__

    def __init__(
        self,
        instance_id: str | None = None,
        rack_id: str | None = None,
        client_id: str = "",
        client_host: str = "",
        topic_names: tuple[str, ...] = (),
        topic_regex: str = "",
        rebalance_timeout_ms: int = -1,
        server_assignor: str | None = None,
        classic: ClassicMetadata | None = None,
    ) -> None:
        self.instance_id = instance_id
        self.rack_id = rack_id
        self.client_id = client_id
        self.client_host = client_host
        self.topic_names = topic_names
        """Sorted, each once."""
        self.topic_regex = topic_regex
        """Empty: none."""
        self.rebalance_timeout_ms = rebalance_timeout_ms
        self.server_assignor = server_assignor
        self.classic = classic


class CurrentAssignment(Value):
    """How far a member is on its way to the target. Never changed once made."""

    __match_args__ = ("epoch", "previous_epoch", "state", "assigned", "revoking")
    __slots__ = __match_args__

    def __init__(
        self,
        epoch: int = JOIN_EPOCH,
        previous_epoch: int = -1,
        state: MemberState = MemberState.STABLE,
        assigned: HeldPartitions | None = None,
        revoking: HeldPartitions | None = None,
    ) -> None:
        self.epoch = epoch
        self.previous_epoch = previous_epoch
        self.state = state
        self.assigned: HeldPartitions = {} if assigned is None else assigned
        self.revoking: HeldPartitions = {} if revoking is None else revoking
        """What it was told to give up and still owns: nobody else gets these partitions."""


class ConsumerGroupRecord(Value):
    """Base of all of them."""

    __match_args__ = ("group_id",)
    __slots__ = __match_args__

    def __init__(self, group_id: str) -> None:
        self.group_id = group_id


class MemberRecord(ConsumerGroupRecord):
    """Base of those about one member."""

    __match_args__ = ("group_id", "member_id")
    __slots__ = ("member_id",)

    def __init__(self, group_id: str, member_id: str) -> None:
        super().__init__(group_id)
        self.member_id = member_id


class EpochStored(ConsumerGroupRecord):
    """Type 3: the group epoch, and a number that changes with the subscribed topics."""

    __match_args__ = ("group_id", "epoch", "metadata_hash")
    __slots__ = ("epoch", "metadata_hash")

    def __init__(self, group_id: str, epoch: int, metadata_hash: int = 0) -> None:
        super().__init__(group_id)
        self.epoch = epoch
        self.metadata_hash = metadata_hash
        """0: no subscribed topic exists, or it was written by a broker that has no such number."""


class EpochErased(ConsumerGroupRecord):
    """Type 3: the group is gone. The last of a group's tombstones."""


class TopicsStored(ConsumerGroupRecord):
    """Type 4, of brokers before 4.1: the metadata of the subscribed topics. Read and not used (spec 5.7)."""


class TopicsErased(ConsumerGroupRecord):
    """Type 4: written with every group that is removed, although no value is written any more (spec 5.6)."""


class MemberStored(MemberRecord):
    """Type 5."""

    __match_args__ = ("group_id", "member_id", "subscription")
    __slots__ = ("subscription",)

    def __init__(self, group_id: str, member_id: str, subscription: Subscription) -> None:
        super().__init__(group_id, member_id)
        self.subscription = subscription


class MemberErased(MemberRecord):
    """Type 5: the member is gone."""


class TargetEpochStored(ConsumerGroupRecord):
    """Type 6: the target assignment of this group epoch is complete."""

    __match_args__ = ("group_id", "epoch", "assigned_ms")
    __slots__ = ("assigned_ms", "epoch")

    def __init__(self, group_id: str, epoch: int, assigned_ms: int = 0) -> None:
        super().__init__(group_id)
        self.epoch = epoch
        self.assigned_ms = assigned_ms
        """When it was computed; 0 if that is unknown."""


class TargetEpochErased(ConsumerGroupRecord):
    """Type 6."""


class TargetStored(MemberRecord):
    """Type 7: what a member shall have."""

    __match_args__ = ("group_id", "member_id", "partitions")
    __slots__ = ("partitions",)

    def __init__(self, group_id: str, member_id: str, partitions: Target) -> None:
        super().__init__(group_id, member_id)
        self.partitions = partitions


class TargetErased(MemberRecord):
    """Type 7."""


class CurrentStored(MemberRecord):
    """Type 8: what a member has."""

    __match_args__ = ("group_id", "member_id", "current")
    __slots__ = ("current",)

    def __init__(self, group_id: str, member_id: str, current: CurrentAssignment) -> None:
        super().__init__(group_id, member_id)
        self.current = current


class CurrentErased(MemberRecord):
    """Type 8: the member has nothing any more."""


class RegexRecord(ConsumerGroupRecord):
    """Base of those about one regular expression."""

    __match_args__ = ("group_id", "regex")
    __slots__ = ("regex",)

    def __init__(self, group_id: str, regex: str) -> None:
        super().__init__(group_id)
        self.regex = regex


class RegexStored(RegexRecord):
    """Type 16: the topics that a regular expression matches."""

    __match_args__ = ("group_id", "regex", "topics", "version", "resolved_ms")
    __slots__ = ("resolved_ms", "topics", "version")

    def __init__(self, group_id: str, regex: str, topics: tuple[str, ...], version: int, resolved_ms: int) -> None:
        super().__init__(group_id, regex)
        self.topics = topics
        """Sorted."""
        self.version = version
        """Of the topics that were looked at. Counts from the start of a server, so that only a running one can use it."""
        self.resolved_ms = resolved_ms


class RegexErased(RegexRecord):
    """Type 16: no member subscribes by it any more."""


TOMBSTONES = (
    EpochErased,
    TopicsErased,
    MemberErased,
    TargetEpochErased,
    TargetErased,
    CurrentErased,
    RegexErased,
)
"""Those whose value is null."""
