"""TxnOffsetCommit: may this client commit in its transaction, and which of its offsets are accepted (spec 4.6).

Checked like a plain commit, with two differences: a commit that gives neither generation nor ids is accepted in any state (old
clients have none to give), and CompletingRebalance is no obstacle. The transaction coordinator was asked before this whether the
transaction is open. The session timer is not touched. Accepted offsets are pending until the transaction's end marker.
"""

from __future__ import annotations

from muster.core.classic.group import Group
from muster.core.classic.membership import check_member
from muster.core.classic.states import DEAD, EMPTY
from muster.core.consumer.member_epoch import check_commit_epoch
from muster.core.contract import Outcome, Ticket
from muster.core.offsets.commit import verdicts
from muster.core.offsets.view import ShardView
from muster.core.records import OffsetCommitted, Record, TransactionalOffset
from muster.core.replies import CommitReply
from muster.core.requests import TxnOffsetCommit
from muster.wire import errors


def commit_in_transaction(shard: ShardView, request: TxnOffsetCommit, ticket: Ticket, now_ms: int) -> Outcome:
    group = shard.groups.get(request.group_id)
    error = _check_without_classic_group(shard, request) if group is None else check_txn_commit(group, request)
    if error:
        return Outcome(replies=[(ticket, CommitReply([error] * request.count))])
    records, codes = _accept(request, shard.config.offset_metadata_max_bytes, now_ms)
    if not records:
        if group is None and request.group_id not in shard.consumer_groups:
            shard.groups[request.group_id] = Group(request.group_id, now_ms)  # as for a plain commit: T163b
        return Outcome(replies=[(ticket, CommitReply(codes))])
    if request.producer_epoch < shard.offsets.producer(request.producer_id).epoch:
        # The log would say so: a newer incarnation of the producer, or the marker that fenced this one, was here first.
        fenced = [code or errors.INVALID_PRODUCER_EPOCH for code in codes]
        return Outcome(replies=[(ticket, CommitReply(fenced))])
    shard.offsets.waits.commits(request.producer_id, request.transactional_id)
    shard.offsets.expect(records)
    shard.counters.offset_commits += len(records)
    return Outcome(records=records, replies=[(ticket, CommitReply(codes))])


def check_txn_commit(group: Group, request: TxnOffsetCommit) -> int:
    """The rows of spec 4.1 for a classic group without 4 and 5."""
    if group.state is DEAD:
        return errors.COORDINATOR_NOT_AVAILABLE
    generation = request.generation
    if generation < 0 and group.state is EMPTY:
        return errors.NONE
    if generation < 0 and not request.member_id and request.group_instance_id is None:
        return errors.NONE  # T186
    error = check_member(group, request.member_id, request.group_instance_id)
    if error:
        return error
    return errors.NONE if generation == group.generation else errors.ILLEGAL_GENERATION


def _check_without_classic_group(shard: ShardView, request: TxnOffsetCommit) -> int:
    """A consumer group; or none, and without a generation it becomes a simple one: replaying its first offset makes it."""
    group = shard.consumer_groups.get(request.group_id)
    if group is not None:
        if request.generation < 0 and not request.member_id:
            return errors.NONE
        error = check_commit_epoch(group, request.member_id, request.generation, request.topics, True, shard.topics)
        return errors.ILLEGAL_GENERATION if error == errors.STALE_MEMBER_EPOCH else error
    return errors.NONE if request.generation < 0 else errors.ILLEGAL_GENERATION


def _accept(request: TxnOffsetCommit, limit: int, now_ms: int) -> tuple[list[Record], list[int]]:
    """One record for each accepted entry, and the codes of all."""
    records: list[Record] = []
    codes: list[int] = []
    for offsets in request.topics:
        row_codes = verdicts(offsets, limit)
        codes += row_codes
        for row in range(len(offsets)):
            if row_codes[row] == errors.NONE:
                # Without a topic id, as Kafka writes it (T207a).
                committed = OffsetCommitted(
                    request.group_id,
                    offsets.topic,
                    offsets.partition(row),
                    offsets.offset(row),
                    offsets.leader_epoch(row),
                    offsets.metadata_of(row),
                    now_ms,
                )
                records.append(TransactionalOffset(request.producer_id, request.producer_epoch, committed))
    return records, codes
