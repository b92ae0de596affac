"""OffsetCommit: may this client commit, and which of its offsets are accepted (spec 4.1 from row 6 on).

The handler has already taken out partitions that are unknown or forbidden, and shards that cannot answer refuse before this.
One record per accepted offset, in request order, so the last entry for a partition wins. The store changes in `replay` only.
This is the hottest decision after the heartbeat: one named tuple an offset, nothing else.
"""

from __future__ import annotations

from muster.core.classic.group import Group
from muster.core.classic.membership import check_member
from muster.core.classic.states import COMPLETING_REBALANCE, DEAD, EMPTY
from muster.core.contract import Outcome, Ticket, TimerChange
from muster.core.offsets.view import ShardView
from muster.core.records import OffsetCommitted, Record
from muster.core.replies import CommitReply
from muster.core.requests import OffsetCommit
from muster.wire import errors

NO_EXPIRY = -1
_MAX_I64 = 2**63 - 1


def commit_offsets(shard: ShardView, request: OffsetCommit, ticket: Ticket, now_ms: int) -> Outcome:
    group = shard.groups.get(request.group_id)
    error = _check_unknown_group(request) if group is None else check_commit(group, request)
    if error:
        return Outcome(replies=[(ticket, CommitReply([error] * len(request.offsets)))])
    records, codes = _accept(request, shard.config.offset_metadata_max_bytes, now_ms)
    if records:
        shard.offsets.expect(records)
        shard.counters.offset_commits += len(records)
    elif group is None:
        # T163b: every entry was too large. The group is made all the same, in memory only.
        # Deviates: Kafka shows it after the shard's next write, here it shows at once.
        shard.groups[request.group_id] = Group(request.group_id, now_ms)
    return Outcome(records=records, replies=[(ticket, CommitReply(codes))], timers=_session(group, request, now_ms))


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


def _check_unknown_group(request: OffsetCommit) -> int:
    """Without a generation it becomes a simple group: replaying its first offset makes it."""
    if request.generation < 0:
        return errors.NONE
    return errors.GROUP_ID_NOT_FOUND if request.unknown_group_is_not_found else errors.ILLEGAL_GENERATION


def _accept(request: OffsetCommit, limit: int, now_ms: int) -> tuple[list[Record], list[int]]:
    group_id = request.group_id
    expires_ms = _expiry(request.retention_ms, now_ms)
    codes = [errors.NONE] * len(request.offsets)
    records: list[Record] = []
    for index, (topic, partition, offset, leader_epoch, metadata, topic_id) in enumerate(request.offsets):
        if metadata and 2 * len(metadata) > limit and utf16_length(metadata) > limit:
            codes[index] = errors.OFFSET_METADATA_TOO_LARGE
            continue
        if expires_ms != NO_EXPIRY:
            # The only record layout with an expire timestamp has no room for these; what is live must equal what is loaded.
            leader_epoch, topic_id = -1, None
        records.append(
            OffsetCommitted(
                group_id, topic, partition, offset, leader_epoch, metadata or "", now_ms, expires_ms, topic_id
            )
        )
    return records, codes


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
