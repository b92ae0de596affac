"""One consumer group: its durable facts, which change in `replay` only (law 2), and what it has looked up of topics.

Unlike a classic group it has nothing that runs ahead of its records: a decision computes records from the facts, and until they are
durable later events of the group wait. So there is nothing to undo when they are lost (T240).
"""

from __future__ import annotations

from collections.abc import Mapping

from muster.core.consumer.records import (
    ConsumerGroupRecord,
    CurrentAssignment,
    CurrentErased,
    CurrentStored,
    EpochStored,
    HeldPartitions,
    MemberErased,
    MemberStored,
    RegexErased,
    RegexStored,
    Subscription,
    Target,
    TargetEpochErased,
    TargetEpochStored,
    TargetErased,
    TargetStored,
    TopicsErased,
    TopicsStored,
)
from muster.core.consumer.states import FIRST_EPOCH, STABLE, ConsumerGroupState
from muster.core.contract import TimerKey

NEVER_MS = -1


def topics_of(subscription: Subscription, resolved: Mapping[str, RegexStored]) -> tuple[str, ...]:
    """The names that a member subscribes to, by name or by a regular expression that has been resolved. Sorted."""
    found = resolved.get(subscription.topic_regex) if subscription.topic_regex else None
    if found is None:
        return subscription.topic_names
    if not subscription.topic_names:
        return found.topics
    return tuple(sorted({*subscription.topic_names, *found.topics}))


class ConsumerMember:
    __slots__ = ("current", "is_told_to_join", "member_id", "session_key", "subscription")

    def __init__(self, group_id: str, member_id: str) -> None:
        self.member_id = member_id
        self.subscription = Subscription()
        self.current = CurrentAssignment()
        self.session_key: TimerKey = ("session", group_id, member_id)
        self.is_told_to_join = False
        """Of a classic member: REBALANCE_IN_PROGRESS was its last answer, and its JoinGroup has not come. Not durable."""

    def __repr__(self) -> str:
        current = self.current
        count = sum(len(partitions) for partitions in current.assigned.values())
        return f"<ConsumerMember {self.member_id}: {current.state.name} at {current.epoch}, {count} partitions>"


class ConsumerGroup:
    """Iteration over members is in the order of their joining, always (law 7)."""

    __slots__ = (
        "epoch",
        "fenced_ms",
        "group_id",
        "journaled_state",
        "members",
        "metadata_hash",
        "owners",
        "regex_version",
        "resolved",
        "revoking_since",
        "static_members",
        "target_epoch",
        "target_ms",
        "targets",
        "topics_version",
        "unsettled",
    )

    def __init__(self, group_id: str) -> None:
        self.group_id = group_id
        self.epoch = FIRST_EPOCH
        self.target_epoch = FIRST_EPOCH
        self.target_ms = NEVER_MS
        """When the target was computed last."""
        self.metadata_hash = 0
        self.members: dict[str, ConsumerMember] = {}
        self.static_members: dict[str, str] = {}
        """Instance id -> member id."""
        self.targets: dict[str, Target] = {}
        """Member id -> what it shall have. Members that shall have nothing may be absent."""
        self.resolved: dict[str, RegexStored] = {}
        """Regular expression -> the topics that it matched when it was last looked at."""
        self.owners: dict[bytes, dict[int, str]] = {}
        """Topic id -> partition -> the member that has it, or has yet to give it up."""
        # Below is no durable fact: it is found out anew after a load.
        self.topics_version = -1
        """Version of the topics that `metadata_hash` is known to be of."""
        self.regex_version = -1
        """`newest` of the topics when the regular expressions were resolved."""
        self.revoking_since: dict[str, int] = {}
        """Member id -> since when it is waited for to give partitions up; at the earliest since the load."""
        self.fenced_ms: dict[str, int] = {}
        """Member id -> when the journal was last told that it was fenced."""
        self.journaled_state: ConsumerGroupState | None = None
        """The state in the group's last `state_changed` event."""
        self.unsettled = ""
        """A member that was on its way to the target when the state was last asked for: saves a look at the others."""

    @property
    def regex_key(self) -> TimerKey:
        return ("regex", self.group_id)

    def revoke_key(self, member_id: str) -> TimerKey:
        return ("revoke", self.group_id, member_id)

    def join_member_key(self, member_id: str) -> TimerKey:
        return ("join", self.group_id, member_id)

    def sync_member_key(self, member_id: str) -> TimerKey:
        return ("sync", self.group_id, member_id)

    def state(self) -> ConsumerGroupState:
        if not self.members:
            return ConsumerGroupState.EMPTY
        if self.epoch > self.target_epoch:
            return ConsumerGroupState.ASSIGNING
        known = self.members.get(self.unsettled)
        if known is not None and self._is_on_its_way(known):
            return ConsumerGroupState.RECONCILING
        for member in self.members.values():
            if self._is_on_its_way(member):
                self.unsettled = member.member_id
                return ConsumerGroupState.RECONCILING
        return ConsumerGroupState.STABLE

    def _is_on_its_way(self, member: ConsumerMember) -> bool:
        return member.current.state is not STABLE or member.current.epoch != self.target_epoch

    def subscribed_topics(self) -> frozenset[str]:
        return frozenset(
            name for member in self.members.values() for name in topics_of(member.subscription, self.resolved)
        )

    def is_subscribed_to(self, topic: str) -> bool:
        return any(topic in topics_of(member.subscription, self.resolved) for member in self.members.values())

    def resolved_ms(self) -> int:
        """When its regular expressions were resolved last: all of them are at the same time. NEVER_MS if none was."""
        for each in self.resolved.values():
            return each.resolved_ms
        return NEVER_MS

    def regex_users(self, regex: str) -> int:
        return sum(member.subscription.topic_regex == regex for member in self.members.values())

    # -- durable facts

    def replay(self, record: ConsumerGroupRecord) -> None:
        """Every record but the one that removes the group (`EpochErased`)."""
        match record:
            case EpochStored():
                self.epoch = record.epoch
                self.metadata_hash = record.metadata_hash
            case TargetEpochStored():
                self.target_epoch = record.epoch
                self.target_ms = record.assigned_ms or NEVER_MS
            case TargetEpochErased():
                self.target_epoch = -1
            case MemberStored():
                self._subscribe(self._member(record.member_id), record.subscription)
            case MemberErased():
                self._forget(record.member_id)
            case TargetStored():
                self.targets[record.member_id] = record.partitions
            case TargetErased():
                self.targets.pop(record.member_id, None)
            case CurrentStored():
                self._assign(self._member(record.member_id), record.current)
            case CurrentErased():
                member = self.members.get(record.member_id)
                if member is not None:
                    self._assign(member, CurrentAssignment(-1))
            case RegexStored():
                self.resolved[record.regex] = record
                self.regex_version = record.version
            case RegexErased():
                self.resolved.pop(record.regex, None)
            case TopicsStored() | TopicsErased():
                pass  # the hash of type 3 has taken their place
            case _:
                raise AssertionError(f"not a record of a group: {record!r}")

    def _member(self, member_id: str) -> ConsumerMember:
        member = self.members.get(member_id)
        if member is None:
            member = self.members[member_id] = ConsumerMember(self.group_id, member_id)
        return member

    def _subscribe(self, member: ConsumerMember, subscription: Subscription) -> None:
        member.subscription = subscription
        if subscription.instance_id is not None:
            self.static_members[subscription.instance_id] = member.member_id

    def _assign(self, member: ConsumerMember, current: CurrentAssignment) -> None:
        self._release(member)
        member.current = current
        for held in (current.assigned, current.revoking):
            self._own(member.member_id, held)

    def _own(self, member_id: str, held: HeldPartitions) -> None:
        for topic_id, partitions in held.items():
            owners = self.owners.setdefault(topic_id, {})
            for partition in partitions:
                assert partition not in owners, (
                    f"{owners[partition]} and {member_id} both own {topic_id.hex()}-{partition}"
                )
                owners[partition] = member_id

    def _release(self, member: ConsumerMember) -> None:
        for held in (member.current.assigned, member.current.revoking):
            for topic_id, partitions in held.items():
                owners = self.owners[topic_id]
                for partition in partitions:
                    del owners[partition]
                if not owners:
                    del self.owners[topic_id]

    def _forget(self, member_id: str) -> None:
        member = self.members.pop(member_id, None)
        if member is None:
            return  # compaction has taken out the record that made it
        self._release(member)
        self.revoking_since.pop(member_id, None)
        instance_id = member.subscription.instance_id
        if instance_id is not None and self.static_members.get(instance_id) == member_id:
            del self.static_members[instance_id]

    def __repr__(self) -> str:
        return (
            f"<ConsumerGroup {self.group_id}: {self.state().value}, epoch {self.epoch}, target {self.target_epoch}, "
            f"{len(self.members)} members>"
        )
