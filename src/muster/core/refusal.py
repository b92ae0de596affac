"""The answers that need no group: bad requests, shards that cannot answer, and what a failed append means to a client.

Knows how each API says no (spec 1.5, 4.3). Called by the runtime before it asks a shard, and by the shard when
records are lost.
"""

from __future__ import annotations

from typing import Literal, TypeAlias, assert_never

from muster.core.config import GroupConfig
from muster.core.consumer.replies import ConsumerDescribeReply, ConsumerHeartbeatReply
from muster.core.consumer.requests import ConsumerHeartbeat, DescribeConsumerGroup
from muster.core.consumer.validation import invalid_heartbeat
from muster.core.replies import (
    CommitReply,
    DeleteReply,
    DescribeReply,
    FetchReply,
    HeartbeatReply,
    JoinReply,
    LeaveReply,
    ListReply,
    MarkerReply,
    OffsetDeleteReply,
    Reply,
    SyncReply,
)
from muster.core.requests import (
    DeleteGroup,
    DescribeGroup,
    Heartbeat,
    JoinGroup,
    LeaveGroup,
    ListGroups,
    OffsetCommit,
    OffsetDelete,
    OffsetFetch,
    Request,
    SyncGroup,
    TxnOffsetCommit,
)
from muster.wire import errors

WriteKind: TypeAlias = Literal["group", "commit", "stable_fetch"]
"""group: every write but OffsetCommit. stable_fetch: an OffsetFetch that waited for writes before it."""

_UNAVAILABLE = frozenset({errors.UNKNOWN_TOPIC_OR_PARTITION, errors.NOT_ENOUGH_REPLICAS, errors.REQUEST_TIMED_OUT})
_MOVED = frozenset({errors.NOT_LEADER_OR_FOLLOWER, errors.KAFKA_STORAGE_ERROR})
_OVERSIZE = frozenset({errors.MESSAGE_TOO_LARGE, errors.RECORD_LIST_TOO_LARGE, errors.INVALID_FETCH_SIZE})


def invalid_before_routing(request: Request, config: GroupConfig) -> Reply | None:
    """The answer to a request that is wrong in itself. Checked before loading and ownership of the group (spec 1.5, T031)."""
    if isinstance(request, ListGroups):
        return None
    if isinstance(request, ConsumerHeartbeat):
        return invalid_heartbeat(request, config)
    if not request.group_id:
        return _no_group_id(request)
    if type(request) is JoinGroup and not (
        config.min_session_timeout_ms <= request.session_timeout_ms <= config.max_session_timeout_ms
    ):
        return JoinReply(errors.INVALID_SESSION_TIMEOUT, request.member_id)
    return None


def _no_group_id(request: Request) -> Reply | None:
    """Committing to, fetching of, describing and deleting the empty group id is legal: old simple consumers use it."""
    match request:
        case JoinGroup():
            return JoinReply(errors.INVALID_GROUP_ID, request.member_id)
        case SyncGroup() | Heartbeat() | LeaveGroup() | OffsetDelete() | TxnOffsetCommit() | DescribeConsumerGroup():
            return refused(request, errors.INVALID_GROUP_ID)
        case _:
            return None


def refused(request: Request, error: int) -> Reply:
    """The answer of each API when the coordinator as a whole, or the group's shard, cannot answer (spec 1.5)."""
    match request:
        case JoinGroup():
            is_whole = error == errors.COORDINATOR_NOT_AVAILABLE
            return JoinReply(error, request.member_id if is_whole else "")
        case SyncGroup():
            # Deviates: 4.3.1 says COORDINATOR_LOAD_IN_PROGRESS, which the Java client takes for fatal here
            # (spec 13.5).
            loading = error == errors.COORDINATOR_LOAD_IN_PROGRESS
            return SyncReply(errors.REBALANCE_IN_PROGRESS if loading else error)
        case Heartbeat():
            # Blind success: a client that cannot be judged yet must not rejoin because of it (T011).
            loading = error == errors.COORDINATOR_LOAD_IN_PROGRESS
            return HeartbeatReply(errors.NONE if loading else error)
        case LeaveGroup():
            return LeaveReply(error)
        case DescribeGroup():
            return DescribeReply(error, request.group_id)
        case ListGroups():
            # Shards that moved elsewhere are listed there.
            return ListReply(errors.NONE if error == errors.NOT_COORDINATOR else error)
        case DeleteGroup():
            return DeleteReply(error)
        case OffsetCommit() | TxnOffsetCommit():
            return CommitReply([error] * request.count)
        case OffsetFetch():
            return FetchReply(error, [])
        case OffsetDelete():
            return OffsetDeleteReply(error)
        case ConsumerHeartbeat():
            return ConsumerHeartbeatReply(error)
        case DescribeConsumerGroup():
            return ConsumerDescribeReply(error, request.group_id)
        case _:
            assert_never(request)


def refused_in_flight(reply: CommitReply | MarkerReply, error: int) -> Reply:
    """What a reply that waits for records becomes when the shard ends and nobody will know what became of them."""
    if isinstance(reply, MarkerReply):
        return MarkerReply(errors.NOT_LEADER_OR_FOLLOWER)
    return CommitReply([error] * len(reply.errors))


def mapped_append_error(kind: WriteKind, error: int) -> int:
    """What the client hears when the log said `error` (spec 4.3)."""
    if error in _UNAVAILABLE:
        return errors.NOT_COORDINATOR if kind == "stable_fetch" else errors.COORDINATOR_NOT_AVAILABLE
    if error in _MOVED:
        return errors.NOT_COORDINATOR
    if error in _OVERSIZE:
        # Deviates: 4.3.1 says UNKNOWN_SERVER_ERROR for commits too; 28 is in the published schema (spec 13.14).
        return errors.INVALID_COMMIT_OFFSET_SIZE if kind == "commit" else errors.UNKNOWN_SERVER_ERROR
    if error == errors.NETWORK_EXCEPTION and kind == "commit":
        return errors.COORDINATOR_LOAD_IN_PROGRESS
    return error


def refused_after_timeout(reply: Reply) -> Reply:
    """The records of this reply are in the log but not durable in time; they stay and may yet become so (T027)."""
    return after_failed_append(reply, errors.REQUEST_TIMED_OUT)


def after_failed_append(reply: Reply, error: int) -> Reply:
    """What a reply that waited for records becomes when the log said `error`."""
    match reply:
        case CommitReply():
            code = mapped_append_error("commit", error)
            # Entries that were refused by themselves keep their own code.
            return CommitReply([code if entry == errors.NONE else entry for entry in reply.errors])
        case FetchReply():
            return FetchReply(mapped_append_error("stable_fetch", error), [])
        case MarkerReply():
            return MarkerReply(error)  # it goes to a broker, which tries again as the log's own error says
        case _:
            return _refused_group_write(reply, mapped_append_error("group", error))


def _refused_group_write(
    reply: JoinReply
    | SyncReply
    | HeartbeatReply
    | LeaveReply
    | DescribeReply
    | ListReply
    | DeleteReply
    | OffsetDeleteReply
    | ConsumerHeartbeatReply
    | ConsumerDescribeReply,
    code: int,
) -> Reply:
    match reply:
        case JoinReply():
            return JoinReply(code, "")
        case SyncReply():
            return SyncReply(code)
        case HeartbeatReply():
            return HeartbeatReply(code)
        case LeaveReply():
            return LeaveReply(code)
        case DescribeReply():
            return DescribeReply(code, reply.group_id)
        case ListReply():
            return ListReply(code)
        case DeleteReply():
            return DeleteReply(code)
        case OffsetDeleteReply():
            return OffsetDeleteReply(code)
        case ConsumerHeartbeatReply():
            return ConsumerHeartbeatReply(code)
        case ConsumerDescribeReply():
            return ConsumerDescribeReply(code, reply.group_id)
        case _:
            assert_never(reply)
