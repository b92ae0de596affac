"""A shard's desk without the join protocol: groups put there by hand, decisions about offsets asked, their records replayed."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass, field

from muster.core.classic.counters import Counters
from muster.core.classic.group import Group
from muster.core.classic.member import Member
from muster.core.classic.states import EMPTY, STABLE, GroupState
from muster.core.config import GroupConfig
from muster.core.consumer.group import ConsumerGroup
from muster.core.consumer.topics import NoTopics, TopicView
from muster.core.contract import Outcome, Ticket
from muster.core.offsets.commit import commit_offsets
from muster.core.offsets.delete import delete_offsets
from muster.core.offsets.fetch import fetch_offsets
from muster.core.offsets.store import OffsetStore
from muster.core.offsets.view import ShardView
from muster.core.records import (
    EndTransactionMarker,
    GroupErased,
    OffsetCommitted,
    OffsetErased,
    OffsetsCommitted,
    Record,
    SingleRecord,
    TransactionalOffset,
    log_length,
    singly,
)
from muster.core.replies import CommitReply, FetchedOffset, FetchReply, OffsetDeleteReply
from muster.core.requests import OffsetCommit, OffsetDelete, OffsetFetch
from muster.wire.i32_array import i32_array
from muster.wire.value import Value
from tests.core.commit_entries import Entry, by_topic

NOW = 1_700_000_000_000
TOPIC_ID = bytes(range(16))
TICKET: Ticket = "ticket"


def offset(
    topic: str,
    partition: int,
    value: int,
    metadata: str | None = "",
    *,
    epoch: int = -1,
    topic_id: bytes | None = TOPIC_ID,
) -> Entry:
    return (topic, partition, value, epoch, metadata, topic_id)


def is_simple(group: Group) -> bool:
    """Made by an offset commit; never had a member."""
    return group.protocol_type is None and group.generation == 0 and not group.members


def commit(
    *offsets: Entry,
    group: str = "grp",
    generation: int = -1,
    member: str = "",
    instance: str | None = None,
    retention_ms: int | None = None,
    not_found: bool = True,
) -> OffsetCommit:
    return OffsetCommit(group, generation, member, instance, retention_ms, by_topic(offsets), not_found)


def group_of(
    *member_ids: str,
    state: GroupState = STABLE,
    protocol_type: str | None = "consumer",
    topics: Set[str] | None = frozenset({"foo"}),
    generation: int = 1,
    group_id: str = "grp",
    since_ms: int = NOW,
) -> Group:
    """A group as the join protocol would have left it; `topics` None are unknown subscriptions."""
    group = Group(group_id, since_ms, state)
    group.protocol_type = protocol_type
    group.generation = generation
    group.subscribed_topics = None if topics is None else frozenset(topics)
    for member_id in member_ids:
        group.members[member_id] = Member(group_id, member_id, None, "c", "/127.0.0.1", 45_000, 300_000, ())
    return group


def empty_group(since_ms: int = NOW, protocol_type: str | None = "consumer", group_id: str = "grp") -> Group:
    return group_of(state=EMPTY, protocol_type=protocol_type, topics=set(), since_ms=since_ms, group_id=group_id)


@dataclass
class Desk(ShardView):
    """Stands where the shard stands; `replay` follows the rules of spec 5.7 for what concerns offsets."""

    groups: dict[str, Group] = field(default_factory=dict)
    offsets: OffsetStore = field(default_factory=OffsetStore)
    consumer_groups: dict[str, ConsumerGroup] = field(default_factory=dict)
    storing: set[str] = field(default_factory=set)
    topics: TopicView = field(default_factory=NoTopics)
    config: GroupConfig = field(default_factory=GroupConfig)
    counters: Counters = field(default_factory=Counters)
    log: list[SingleRecord] = field(default_factory=list)
    """What was replayed; tests clear it to see only what comes next."""
    end_offset: int = 0

    def put(self, group: Group) -> Group:
        self.groups[group.group_id] = group
        return group

    def commit(self, request: OffsetCommit, now_ms: int = NOW) -> list[int]:
        reply = self.carry_out(commit_offsets(self, request, TICKET, now_ms), now_ms)
        assert isinstance(reply, CommitReply)
        return reply.errors

    def fetch(
        self, topics: list[tuple[str, list[int]]] | None, group: str = "grp", *, stable: bool = False
    ) -> list[tuple[str, list[FetchedOffset]]]:
        asked = None if topics is None else [(topic, i32_array(partitions)) for topic, partitions in topics]
        outcome = fetch_offsets(self, OffsetFetch(group, asked, stable), TICKET, NOW)
        assert not outcome.records
        reply = self.carry_out(outcome, NOW)
        assert isinstance(reply, FetchReply)
        assert reply.error == 0
        return reply.listed()

    def delete(self, *partitions: tuple[str, int], group: str = "grp") -> OffsetDeleteReply:
        reply = self.carry_out(delete_offsets(self, OffsetDelete(group, list(partitions)), TICKET, NOW), NOW)
        assert isinstance(reply, OffsetDeleteReply)
        return reply

    def carry_out(self, outcome: Outcome, now_ms: int) -> Value | None:
        for record in outcome.records:
            self.replay(record, now_ms)
        if not outcome.replies:
            return None
        ((ticket, reply),) = outcome.replies
        assert ticket is TICKET
        return reply

    def replay(self, record: Record, now_ms: int = NOW) -> None:
        self.log.extend(singly([record]))
        log_offset = self.end_offset + 1
        self.end_offset += log_length(record)
        match record:
            case OffsetsCommitted():
                self.groups.setdefault(record.group_id, Group(record.group_id, now_ms))
                self.offsets.put_topic(record, log_offset)
            case OffsetCommitted():
                self.groups.setdefault(record.group_id, Group(record.group_id, now_ms))
                self.offsets.put(record, log_offset)
            case TransactionalOffset():
                group_id = record.committed.group_id
                self.groups.setdefault(group_id, Group(group_id, now_ms))
                self.offsets.put_pending(record, log_offset)
            case EndTransactionMarker():
                self.offsets.end_transaction(record)
            case OffsetErased():
                self.offsets.erase(record.group_id, record.topic, record.partition)
            case GroupErased():
                self.groups.pop(record.group_id, None)
            case _:
                raise AssertionError(f"no record about offsets: {record}")
