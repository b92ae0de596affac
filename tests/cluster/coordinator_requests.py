"""Every request to a coordinator of groups or transactions that is answered only when the database has taken what it changes.

Each has a group or a transactional id of its own, in the state in which the request changes something: `prepare` brings it there.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from contextlib import closing
from typing import Any, Final, NamedTuple

from muster.wire.errors import NONE
from muster.wire.generated.add_offsets_to_txn import AddOffsetsToTxnRequest
from muster.wire.generated.add_partitions_to_txn import AddPartitionsToTxnRequest, AddPartitionsToTxnRequestTopic
from muster.wire.generated.consumer_group_heartbeat import ConsumerGroupHeartbeatRequest
from muster.wire.generated.delete_groups import DeleteGroupsRequest
from muster.wire.generated.end_txn import EndTxnRequest
from muster.wire.generated.find_coordinator import FindCoordinatorRequest
from muster.wire.generated.init_producer_id import InitProducerIdRequest
from muster.wire.generated.join_group import JoinGroupRequest, JoinGroupRequestProtocol
from muster.wire.generated.leave_group import LeaveGroupRequest
from muster.wire.generated.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from muster.wire.generated.offset_delete import (
    OffsetDeleteRequest,
    OffsetDeleteRequestPartition,
    OffsetDeleteRequestTopic,
)
from muster.wire.generated.sync_group import SyncGroupRequest, SyncGroupRequestAssignment
from muster.wire.generated.txn_offset_commit import (
    TxnOffsetCommitRequest,
    TxnOffsetCommitRequestPartition,
    TxnOffsetCommitRequestTopic,
)
from tests.cluster.database_requests import FIRST_PRODUCER_ID, OLD, Question, errors_in, questions
from tests.cluster.lone_consumer import LoneConsumer
from tests.cluster.stage import ClusterStage
from tests.interop.waiting import eventually

SESSION_MS: Final = 60_000
QUIET: Final = "quiet"
"""A group with a committed offset and a member that has its assignment; and a transactional id. Nothing changes them."""
CONSUMERS: Final = "consumers"
"""Such a group of the consumer protocol."""
_COMMITTED, _FORGETS, _DELETED = "has committed", "forgets", "deleted"
_SYNCS, _LEAVES, _COMES_BACK = "syncs", "leaves", "comes back"
JOINS_AGAIN: Final = "joins again"
"""A group whose only member is known."""
_INSTANCE: Final = "an instance"
_ADDS, _ADDS_OFFSETS, _COMMITS_OFFSETS, _ENDS = _TRANSACTIONS = ("adds", "adds offsets", "commits offsets", "ends")
GENERATION: Final = 1
"""Of every classic group here: each has had one rebalance."""


class Prepared(NamedTuple):
    """What requests have to name: member ids by group, producer ids by transactional id, the epoch of the member of `CONSUMERS`."""

    members: Mapping[str, str]
    producers: Mapping[str, int]
    epoch: int


NOTHING: Final = Prepared(defaultdict(str), defaultdict(int), 0)
"""For whoever wants only the names of the requests."""


def prepare(stage: ClusterStage) -> Prepared:
    for group in (_COMMITTED, _FORGETS, _DELETED, QUIET):
        _ask(stage, "OffsetCommit", 7, _commit(group))
    members = {
        group: _ask(stage, "JoinGroup", 3, joins(group)).member_id for group in (_SYNCS, _LEAVES, QUIET, JOINS_AGAIN)
    }
    members[_COMES_BACK] = _ask(stage, "JoinGroup", 5, joins(_COMES_BACK, _INSTANCE)).member_id
    for group in (_LEAVES, QUIET, JOINS_AGAIN, _COMES_BACK):
        _ask(stage, "SyncGroup", 3, syncs(group, members[group]))
    _ask(stage, "FindCoordinator", 3, FindCoordinatorRequest(QUIET, key_type=1))  # the first one has the topic made
    producers = {each: _ask(stage, "InitProducerId", 1, _init(each)).producer_id for each in (*_TRANSACTIONS, QUIET)}
    _ask(stage, "AddPartitionsToTxn", 2, _adds(_ENDS, producers[_ENDS]))
    _ask(stage, "AddOffsetsToTxn", 2, _adds_offsets(_COMMITS_OFFSETS, producers[_COMMITS_OFFSETS]))
    with closing(LoneConsumer(CONSUMERS, CONSUMERS, OLD)) as consumer:
        port = stage.nodes[1].port
        eventually("a consumer to join", lambda: consumer.try_to_join(port), lambda code: code == NONE)
        return Prepared(members, producers, consumer.generation)


def _ask(stage: ClusterStage, api: str, version: int, message: object) -> Any:
    """Until it is served: coordinators may be loading still."""
    return eventually(
        f"{message!r} to be served",
        lambda: stage.ask(1, api, version, message),
        lambda answer: set(errors_in(answer)) == {NONE},
    )


def joins(group: str, instance: str | None = None, member_id: str = "") -> JoinGroupRequest:
    protocols = [JoinGroupRequestProtocol("range", b"\0\0\0\0\0\0\xff\xff\xff\xff")]
    return JoinGroupRequest(group, SESSION_MS, SESSION_MS, member_id, instance, "consumer", protocols)


def syncs(group: str, member_id: str) -> SyncGroupRequest:
    assignments = [SyncGroupRequestAssignment(member_id, b"")]
    return SyncGroupRequest(group, GENERATION, member_id, assignments=assignments)


def _commit(group: str) -> OffsetCommitRequest:
    partitions = [OffsetCommitRequestPartition(0, 1)]
    return OffsetCommitRequest(group, topics=[OffsetCommitRequestTopic(OLD, partitions=partitions)])


def _init(transactional_id: str) -> InitProducerIdRequest:
    return InitProducerIdRequest(transactional_id, SESSION_MS)


def _adds(transactional_id: str, producer_id: int) -> AddPartitionsToTxnRequest:
    return AddPartitionsToTxnRequest(transactional_id, producer_id, 0, [AddPartitionsToTxnRequestTopic(OLD, [0])])


def _adds_offsets(transactional_id: str, producer_id: int) -> AddOffsetsToTxnRequest:
    return AddOffsetsToTxnRequest(transactional_id, producer_id, 0, _COMMITTED)


def all_questions(epoch: int = 0, prepared: Prepared = NOTHING) -> list[Question]:
    """Those of `database_requests` too, but for the first block of producer ids: `prepare` takes it."""
    return [*(each for each in questions(epoch) if each.name != FIRST_PRODUCER_ID), *_coordinator_questions(prepared)]


def _coordinator_questions(prepared: Prepared) -> list[Question]:
    members, producers, _ = prepared
    offsets = [TxnOffsetCommitRequestTopic(OLD, [TxnOffsetCommitRequestPartition(0, 2)])]
    return [
        Question("OffsetCommit", "OffsetCommit", 7, _commit("commits")),
        Question(
            "OffsetDelete",
            "OffsetDelete",
            0,
            OffsetDeleteRequest(_FORGETS, [OffsetDeleteRequestTopic(OLD, [OffsetDeleteRequestPartition(0)])]),
        ),
        Question("DeleteGroups", "DeleteGroups", 1, DeleteGroupsRequest([_DELETED])),
        Question(
            "JoinGroup of a static member that comes back",
            "JoinGroup",
            5,
            joins(_COMES_BACK, _INSTANCE),
        ),
        Question("JoinGroup that makes a group", "JoinGroup", 3, joins("new")),
        Question("SyncGroup of a leader", "SyncGroup", 3, syncs(_SYNCS, members[_SYNCS])),
        Question("LeaveGroup", "LeaveGroup", 2, LeaveGroupRequest(_LEAVES, members[_LEAVES])),
        Question(
            "ConsumerGroupHeartbeat that joins",
            "ConsumerGroupHeartbeat",
            1,
            ConsumerGroupHeartbeatRequest(
                "new consumers",
                "a member",
                rebalance_timeout_ms=SESSION_MS,
                subscribed_topic_names=[OLD],
                topic_partitions=[],
            ),
        ),
        Question("InitProducerId of a transactional id", "InitProducerId", 1, _init("new")),
        Question("AddPartitionsToTxn", "AddPartitionsToTxn", 2, _adds(_ADDS, producers[_ADDS])),
        Question("AddOffsetsToTxn", "AddOffsetsToTxn", 2, _adds_offsets(_ADDS_OFFSETS, producers[_ADDS_OFFSETS])),
        Question(
            "TxnOffsetCommit",
            "TxnOffsetCommit",
            2,
            TxnOffsetCommitRequest(_COMMITS_OFFSETS, _COMMITTED, producers[_COMMITS_OFFSETS], 0, topics=offsets),
        ),
        Question("EndTxn", "EndTxn", 2, EndTxnRequest(_ENDS, producers[_ENDS], 0, committed=True)),
    ]
