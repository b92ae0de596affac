"""OffsetCommit: may this client commit, and which of its offsets are accepted (spec 4.1 step 6 and what follows).

The handler has already taken out partitions that are unknown or forbidden, and shards that cannot answer refuse before this.
Accepted offsets become records in request order, so the last entry for a partition wins. The store changes in `replay` only.
This is the hottest decision after the heartbeat: what the handler has laid out for a topic becomes its record as it is.
"""

from __future__ import annotations

from typing import Final

from muster.core.classic.group import Group
from muster.core.classic.membership import check_member
from muster.core.classic.states import COMPLETING_REBALANCE, DEAD, EMPTY
from muster.core.consumer.member_epoch import check_commit_epoch
from muster.core.contract import Outcome, Ticket, TimerChange
from muster.core.journal import JournalEvent
from muster.core.offsets.topic_offsets import TopicOffsets, topic_offsets
from muster.core.offsets.tracked_query import new_run
from muster.core.offsets.view import ShardView
from muster.core.records import OffsetsCommitted, Record, log_length
from muster.core.replies import CommitReply
from muster.core.requests import OffsetCommit
from muster.wire import errors
from muster.wire.special_values import NO_EXPIRY

_MAX_I64: Final = 2**63 - 1
_SHARED_REPLIES: Final = 128
_ALL_ACCEPTED: Final = [CommitReply([errors.NONE] * count) for count in range(_SHARED_REPLIES)]
"""By the number of entries. Nobody changes a reply, so these are for everybody."""


def commit_offsets(
    shard: ShardView, request: OffsetCommit, ticket: Ticket, now_ms: int, member_checked: bool = False
) -> Outcome:
    """`member_checked`: the group is Stable, the member is in it, and its session timer has been moved already."""
    group: Group | None = None
    if not member_checked:
        group = shard.groups.get(request.group_id)
        error = _check_without_classic_group(shard, request) if group is None else check_commit(group, request)
        if error:
            return Outcome(replies=[(ticket, CommitReply([error] * request.count))])
    records, reply = _accept(request, shard.config.offset_metadata_max_bytes, now_ms)
    if records:
        shard.offsets.expect(records)
        for record in records:
            shard.counters.offset_commits += log_length(record)
    elif group is None and not member_checked and request.group_id not in shard.consumer_groups:
        # T163b: every entry was too large. The group is made all the same, in memory only.
        # Deviates: Kafka shows it after the shard's next write, here it shows at once.
        shard.groups[request.group_id] = Group(request.group_id, now_ms)
    journal: list[JournalEvent] | tuple[()] = ()
    if request.generation < 0 and records and not request.member_id:
        journal = new_run(shard.offsets, request, now_ms)
    timers = _session(group, request, now_ms)
    return Outcome(records=records, replies=[(ticket, reply)], timers=timers, journal=journal)


def check_commit(group: Group, request: OffsetCommit) -> int:
    """The rows of spec 4.1 for a classic group, in their order."""
    if group.state is DEAD:
        return errors.COORDINATOR_NOT_AVAILABLE
    generation = request.generation
    if generation < 0 and group.state is EMPTY:
        return errors.NONE  # T155: an administrator or a simple consumer; ids are not even looked at
    if generation < 0 and not request.member_id and request.group_instance_id is None:
        return errors.UNKNOWN_MEMBER_ID
    error = check_member(group, request.member_id, request.group_instance_id)
    if error:
        return error
    if generation != group.generation:
        return errors.ILLEGAL_GENERATION
    if group.state is COMPLETING_REBALANCE:
        return errors.REBALANCE_IN_PROGRESS
    return errors.NONE


def _check_without_classic_group(shard: ShardView, request: OffsetCommit) -> int:
    """A consumer group; or none, and without a generation it becomes a simple one: replaying its first offset makes it."""
    group = shard.consumer_groups.get(request.group_id)
    if group is not None:
        knows_epochs = request.unknown_group_is_not_found  # both since v9
        return check_commit_epoch(
            group, request.member_id, request.generation, request.topics, knows_epochs, shard.topics
        )
    if request.generation < 0:
        return errors.NONE
    return errors.GROUP_ID_NOT_FOUND if request.unknown_group_is_not_found else errors.ILLEGAL_GENERATION


def _accept(request: OffsetCommit, limit: int, now_ms: int) -> tuple[list[Record], CommitReply]:
    expires_ms = _expiry(request.retention_ms, now_ms)
    records: list[Record] = []
    count = 0
    is_all_accepted = True
    for offsets in request.topics:
        accepted = offsets
        count += len(offsets)
        if offsets.metadata is not None:
            codes = _judge_metadata(offsets.metadata, limit)
            if errors.OFFSET_METADATA_TOO_LARGE in codes:
                accepted = _only_accepted(offsets, codes)
                is_all_accepted = False
        if expires_ms != NO_EXPIRY:
            accepted = _only_what_expires(accepted)
        if len(accepted):
            records.append(OffsetsCommitted(request.group_id, accepted, now_ms, expires_ms))
    if is_all_accepted:
        return records, all_accepted(count)
    return records, CommitReply([code for offsets in request.topics for code in verdicts(offsets, limit)])


def all_accepted(count: int) -> CommitReply:
    """The answer to a commit of so many entries that are all taken; mostly the same object each time."""
    return _ALL_ACCEPTED[count] if count < _SHARED_REPLIES else CommitReply([errors.NONE] * count)


def verdicts(offsets: TopicOffsets, limit: int) -> list[int]:
    """For each row NONE, or the error that leaves it out: its metadata are too long."""
    texts = offsets.metadata
    return [errors.NONE] * len(offsets) if texts is None else _judge_metadata(texts, limit)


def _judge_metadata(texts: list[str | None], limit: int) -> list[int]:
    return [
        errors.OFFSET_METADATA_TOO_LARGE
        if text and 2 * len(text) > limit and utf16_length(text) > limit
        else errors.NONE
        for text in texts
    ]


def _only_accepted(offsets: TopicOffsets, codes: list[int]) -> TopicOffsets:
    rows = [row for row, code in zip(offsets.rows(), codes, strict=True) if code == errors.NONE]
    return topic_offsets(offsets.topic, offsets.topic_id, rows)


def _only_what_expires(offsets: TopicOffsets) -> TopicOffsets:
    """The only record layout with an expire timestamp has no room for leader epoch and topic id; what is live must equal
    what is loaded."""
    rows = [(partition, offset, -1, metadata) for partition, offset, _, metadata in offsets.rows()]
    return topic_offsets(offsets.topic, None, rows)


def _expiry(retention_ms: int | None, now_ms: int) -> int:
    """KIP-211: only old clients ask for a retention of their own; 0 and negative values count too (T165).

    Deviates: a retention that reaches beyond 64 bits means for ever; in Kafka the sum wraps and expires at once.
    """
    return NO_EXPIRY if retention_ms is None else min(now_ms + retention_ms, _MAX_I64)


def utf16_length(text: str) -> int:
    """Java's String.length(): characters beyond U+FFFF count twice (T160)."""
    return len(text) + sum(1 for character in text if character > "\uffff")


def _session(group: Group | None, request: OffsetCommit, now_ms: int) -> list[TimerChange] | tuple[()]:
    """An accepted commit of a member is a sign of life (spec 4.1 row 6), also if every entry was too large."""
    member = group.members.get(request.member_id) if group is not None else None
    return () if member is None else [(member.session_key, now_ms + member.session_timeout_ms)]
