"""TxnOffsetCommit v0-5.

v0-1: a coordinator that loads is one that is not available. v2+: leader epoch. v3+: generation and member (KIP-447). v4+: may be
told TRANSACTION_ABORTABLE (KIP-890). v5+: the group joins the transaction by itself (KIP-890).

Rights and existence of partitions are looked at first, then the transaction, then the group (spec 4.6).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from muster.core.offsets.topic_offsets import TopicOffsets, topic_offsets
from muster.core.refusal import mapped_append_error
from muster.core.replies import CommitReply
from muster.core.requests import TxnOffsetCommit
from muster.core.transactions.replies import AddPartitionsReply
from muster.core.transactions.requests import AddPartitions
from muster.runtime.group_runner import GroupRunner
from muster.runtime.node import Node
from muster.security.resources import Operation
from muster.server.authorize import authorize_group, authorize_topic, may_use_transactional_id
from muster.server.call import Call
from muster.server.outside_changes import audited_response
from muster.server.transactions import ask_whether_in_transaction, is_verification_wanted, offsets_partition
from muster.wire.errors import (
    COORDINATOR_LOAD_IN_PROGRESS,
    COORDINATOR_NOT_AVAILABLE,
    GROUP_AUTHORIZATION_FAILED,
    INVALID_COMMIT_OFFSET_SIZE,
    INVALID_PRODUCER_EPOCH,
    INVALID_TXN_STATE,
    NONE,
    TOPIC_AUTHORIZATION_FAILED,
    TRANSACTION_ABORTABLE,
    TRANSACTIONAL_ID_AUTHORIZATION_FAILED,
    UNKNOWN_SERVER_ERROR,
    UNKNOWN_TOPIC_OR_PARTITION,
)
from muster.wire.generated.txn_offset_commit import (
    TxnOffsetCommitRequest,
    TxnOffsetCommitRequestTopic,
    TxnOffsetCommitResponse,
    TxnOffsetCommitResponsePartition,
    TxnOffsetCommitResponseTopic,
)

JOINS_BY_ITSELF_SINCE: Final = 5
_NAMES_GENERATION_SINCE: Final = 3


def _verify(
    call: Call, request: TxnOffsetCommitRequest, node: Node, runner: GroupRunner, then: Callable[[int], None]
) -> None:
    """Ask the transaction coordinator whether the group's partition is in an ongoing transaction of this producer; since v5 it
    is added if it is not. `then` gets NONE or the error, now or later."""
    watch = runner.watch_markers(request.producer_id)
    joins = call.version >= JOINS_BY_ITSELF_SINCE
    if not joins and not is_verification_wanted(node):
        then(NONE)
        return
    asked = AddPartitions(
        request.transactional_id,
        request.producer_id,
        request.producer_epoch,
        (offsets_partition(node, request.group_id),),
        verify_only=not joins,
        raises_epoch=joins,
        fenced_error=INVALID_PRODUCER_EPOCH,
    )

    def answered(reply: AddPartitionsReply) -> None:
        runner.stop_watching(request.producer_id, watch)
        error = reply.listed(1)[0]
        if error == NONE and watch.has_seen_marker:
            # It came while another node was asked: of the transaction before this one, or of this one.
            _verify(call, request, node, runner, then)
        else:
            then(error)

    ask_whether_in_transaction(node, asked, answered)


def handle(call: Call, request: TxnOffsetCommitRequest, node: Node) -> None:
    denial = _denial(call, request, node)
    if denial:
        call.reply(_everywhere(request, denial))
        return
    answer = _sorted_out(call, request, node)
    if not answer.accepted:
        call.reply(answer.with_codes([]))
        return
    commit = _as_commit(request, answer.accepted)
    call.respond = audited_response(
        node, commit, answer.respond, members_name_generations=call.version >= _NAMES_GENERATION_SINCE
    )
    runner = _runner(node, request.group_id)
    if runner is None:
        node.coordinator.submit(commit, call)  # it says why not; no transaction is joined for that
        return

    def go_on(error: int) -> None:
        call.resume(lambda: _submit_verified(call, node, commit, error))

    _verify(call, request, node, runner, go_on)


def _denial(call: Call, request: TxnOffsetCommitRequest, node: Node) -> int:
    if not may_use_transactional_id(call, node, Operation.WRITE, request.transactional_id):
        return TRANSACTIONAL_ID_AUTHORIZATION_FAILED
    if not authorize_group(call, node, Operation.READ, request.group_id):
        return GROUP_AUTHORIZATION_FAILED
    return NONE


def _runner(node: Node, group_id: str) -> GroupRunner | None:
    """None: the group is not led here."""
    coordinator = node.coordinator
    return coordinator.runner_of(group_id) if coordinator.active and group_id else None


def _submit_verified(call: Call, node: Node, commit: TxnOffsetCommit, error: int) -> None:
    code = mapped_append_error("commit", error)
    if not code and node.principal_usage is not None:
        if commit.member_id:
            node.principal_usage.seen(call.principal, commit.group_id, commit.member_id)
        code = node.principal_usage.why_no_commit(
            call.principal, commit.group_id, commit.topics, makes_group=commit.generation < 0
        )
    if code:
        call.redeem(CommitReply([code] * commit.count))
    else:
        node.coordinator.submit(commit, call)


def _as_commit(request: TxnOffsetCommitRequest, accepted: list[TopicOffsets]) -> TxnOffsetCommit:
    return TxnOffsetCommit(
        request.group_id,
        request.generation_id,
        request.member_id,
        request.group_instance_id,
        request.producer_id,
        request.producer_epoch,
        accepted,
        request.transactional_id,
    )


class _Answer:
    """The layout of the answer: refused partitions first, then the coordinator's, merged by topic.

    If nothing was refused it mirrors the request, as for OffsetCommit.
    """

    def __init__(self) -> None:
        self.accepted: list[TopicOffsets] = []
        """What the coordinator decides about."""
        self.refused: list[tuple[str, int, int]] = []
        """Topic, partition, error."""

    def respond(self, call: Call, reply: CommitReply) -> TxnOffsetCommitResponse:
        return self.with_codes([_code(call.version, error) for error in reply.errors])

    def with_codes(self, codes: list[int]) -> TxnOffsetCommitResponse:
        decided: list[tuple[str, list[TxnOffsetCommitResponsePartition]]] = []
        at = 0
        for offsets in self.accepted:
            count = len(offsets)
            decided.append(
                (offsets.topic, [_partition(offsets.partition(row), codes[at + row]) for row in range(count)])
            )
            at += count
        if not self.refused:
            return TxnOffsetCommitResponse(
                topics=[TxnOffsetCommitResponseTopic(topic, partitions) for topic, partitions in decided]
            )
        merged: dict[str, list[TxnOffsetCommitResponsePartition]] = {}
        for topic, index, error in self.refused:
            merged.setdefault(topic, []).append(_partition(index, error))
        for topic, partitions in decided:
            merged.setdefault(topic, []).extend(partitions)
        return TxnOffsetCommitResponse(
            topics=[TxnOffsetCommitResponseTopic(topic, partitions) for topic, partitions in merged.items()]
        )


def _sorted_out(call: Call, request: TxnOffsetCommitRequest, node: Node) -> _Answer:
    answer = _Answer()
    for entry in request.topics:
        _sort_out(call, node, entry, answer)
    return answer


def _sort_out(call: Call, node: Node, entry: TxnOffsetCommitRequestTopic, answer: _Answer) -> None:
    if not authorize_topic(call, node, Operation.READ, entry.name):
        answer.refused += [(entry.name, each.partition_index, TOPIC_AUTHORIZATION_FAILED) for each in entry.partitions]
        return
    topic = node.broker.catalog.get(entry.name)
    count = 0 if topic is None else len(topic.partitions)
    rows: list[tuple[int, int, int, str | None]] = []
    for each in entry.partitions:
        if 0 <= each.partition_index < count:
            rows.append(
                (each.partition_index, each.committed_offset, each.committed_leader_epoch, each.committed_metadata)
            )
        else:
            answer.refused.append((entry.name, each.partition_index, UNKNOWN_TOPIC_OR_PARTITION))
    if rows:
        answer.accepted.append(topic_offsets(entry.name, None, rows))


def _code(version: int, error: int) -> int:
    """What this version is told."""
    if error == COORDINATOR_LOAD_IN_PROGRESS and version < 2:
        return COORDINATOR_NOT_AVAILABLE
    if error == TRANSACTION_ABORTABLE and version < 4:
        return INVALID_TXN_STATE
    # 28 is OffsetCommit's own word for what is too large (spec 4.3).
    return UNKNOWN_SERVER_ERROR if error == INVALID_COMMIT_OFFSET_SIZE else error


def _everywhere(request: TxnOffsetCommitRequest, error: int) -> TxnOffsetCommitResponse:
    return TxnOffsetCommitResponse(
        topics=[
            TxnOffsetCommitResponseTopic(
                entry.name, [_partition(each.partition_index, error) for each in entry.partitions]
            )
            for entry in request.topics
        ]
    )


def _partition(index: int, error: int) -> TxnOffsetCommitResponsePartition:
    return TxnOffsetCommitResponsePartition(index, error)
