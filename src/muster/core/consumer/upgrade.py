"""A classic group with members becomes a consumer group, while it runs (spec 7.8): the first member of the new protocol does it.

Everything is found out before anything happens: bytes that cannot be read leave the group as it is (spec 13.12).
"""

from __future__ import annotations

from muster.core.classic.group import CONSUMER_PROTOCOL_TYPE, Group
from muster.core.classic.member import Member
from muster.core.classic.membership import reply_to_join, reply_to_sync
from muster.core.classic.outcome_builder import OutcomeBuilder
from muster.core.config import GroupConfig
from muster.core.consumer.embedded import embedded_subscription, read_assignment
from muster.core.consumer.group import ConsumerGroup
from muster.core.consumer.notes import note
from muster.core.consumer.records import (
    ConsumerGroupRecord,
    CurrentAssignment,
    CurrentStored,
    EpochStored,
    HeldPartitions,
    MemberStored,
    Subscription,
    Target,
    TargetEpochStored,
    TargetStored,
)
from muster.core.consumer.states import STABLE
from muster.core.consumer.target import metadata_hash
from muster.core.offsets.view import ShardView
from muster.core.records import GroupErased
from muster.core.replies import JoinReply, SyncReply
from muster.wire.errors import REBALANCE_IN_PROGRESS, WireError

ALLOWING = ("bidirectional", "upgrade")
NOT_COMPUTED_MS = 0
"""The first target is what the members have: the next one may be computed at once."""


class Upgrade:
    __slots__ = ("_classic", "_records", "group")

    def __init__(self, classic: Group, records: list[ConsumerGroupRecord]) -> None:
        self._classic = classic
        self._records = records
        self.group = ConsumerGroup(classic.group_id)
        """As it will be when the records are durable; in no shard yet."""
        for record in records:
            self.group.replay(record)

    @staticmethod
    def of(shard: ShardView, classic: Group, builder: OutcomeBuilder) -> Upgrade | str:
        """The sentence that says why this group may not become one, or cannot."""
        problem = _problem(classic, builder.config)
        if problem is None:
            try:
                return Upgrade(classic, _records(shard, classic))
            except WireError:
                # Deviates: an assignment that cannot be read is answered like such a subscription; Kafka has no answer for it
                # but UNKNOWN_SERVER_ERROR.
                problem = "the embedded consumer protocol is malformed"
        return f"Cannot upgrade classic group {classic.group_id} to consumer group because {problem}."

    def carry_out(self, builder: OutcomeBuilder) -> None:
        """Whoever waits in the classic group is told to join again, and finds the other group then (T233)."""
        classic = self._classic
        for member in classic.members.values():
            reply_to_join(classic, member, JoinReply(REBALANCE_IN_PROGRESS, member.member_id), builder)
            reply_to_sync(member, SyncReply(REBALANCE_IN_PROGRESS), builder)
            builder.start_session(member)
        builder.records.append(GroupErased(classic.group_id))
        builder.records.extend(self._records)
        _note_upgrade(builder, self.group, classic)


def note_new_group(builder: OutcomeBuilder, group: ConsumerGroup, classic: Group | None) -> None:
    """A group without members before: a new one, or an Empty classic one whose place it takes."""
    if classic is None or classic.protocol_type is None:
        note(builder, group, "group_created", "new_member")
    else:
        _note_upgrade(builder, group, classic)


def _note_upgrade(builder: OutcomeBuilder, group: ConsumerGroup, classic: Group) -> None:
    moved: dict[str, object] = {"from": classic.state.value, "members": len(classic.members)}
    note(builder, group, "group_upgraded", "migration", detail=moved)


def _problem(classic: Group, config: GroupConfig) -> str | None:
    if config.consumer_migration_policy not in ALLOWING:
        return "online upgrade is disabled"
    if classic.protocol_type != CONSUMER_PROTOCOL_TYPE:
        return "the group does not use the consumer embedded protocol"
    if len(classic.members) > config.consumer_max_size:
        return "the group size exceeds the consumer group maximum size"
    return None


def _records(shard: ShardView, classic: Group) -> list[ConsumerGroupRecord]:
    group_id, generation = classic.group_id, classic.generation
    subscriptions: dict[str, Subscription] = {}
    held: dict[str, HeldPartitions] = {}
    taken: set[tuple[bytes, int]] = set()
    for member in classic.members.values():
        subscriptions[member.member_id] = _subscription(classic, member)
        target = read_assignment(member.assignment, shard.topics)
        held[member.member_id] = _held(target, generation, taken)
    epoch = EpochStored(group_id, generation, metadata_hash(subscriptions, {}, shard.topics))
    targets = {member_id: {key: tuple(each) for key, each in mine.items()} for member_id, mine in held.items()}
    currents = {each: CurrentAssignment(generation, generation, STABLE, mine) for each, mine in held.items()}
    return [
        *[MemberStored(group_id, member_id, own) for member_id, own in subscriptions.items()],
        epoch,
        *[TargetStored(group_id, member_id, target) for member_id, target in targets.items()],
        TargetEpochStored(group_id, generation, NOT_COMPUTED_MS),
        *[CurrentStored(group_id, member_id, current) for member_id, current in currents.items()],
    ]


def _subscription(classic: Group, member: Member) -> Subscription:
    """Its topics are those of the protocol that the group has chosen, or of its own first one before that."""
    metadata = member.metadata_for(classic.protocol_name) or member.protocols[0][1]
    return embedded_subscription(
        metadata,
        member.protocols,
        member.instance_id,
        member.client_id,
        member.client_host,
        member.session_timeout_ms,
        member.rebalance_timeout_ms,
    )


def _held(target: Target, generation: int, taken: set[tuple[bytes, int]]) -> HeldPartitions:
    """What a leader gave to two members counts for the first: a partition has one owner."""
    held: HeldPartitions = {}
    for topic_id, partitions in target.items():
        mine = [partition for partition in partitions if (topic_id, partition) not in taken]
        taken.update((topic_id, partition) for partition in mine)
        if mine:
            held[topic_id] = dict.fromkeys(mine, generation)
    return held
