"""Answers that need no group: bad requests, shards that cannot answer, failed appends (spec 1.5, 4.3)."""

from __future__ import annotations

import pytest

from muster.core.config import GroupConfig
from muster.core.offsets.partition_offsets import PartitionOffsets
from muster.core.refusal import (
    WriteKind,
    after_failed_append,
    invalid_before_routing,
    mapped_append_error,
    refused,
    refused_after_timeout,
)
from muster.core.replies import (
    CommitReply,
    DeleteReply,
    DescribeReply,
    FetchedTopic,
    FetchReply,
    HeartbeatReply,
    JoinReply,
    LeaveReply,
    ListReply,
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
    LeavingMember,
    ListGroups,
    OffsetCommit,
    OffsetDelete,
    OffsetFetch,
    Request,
    SyncGroup,
)
from muster.wire import errors
from muster.wire.i32_array import i32_array
from tests.core.commit_entries import by_topic


def join(group_id: str = "g", session_timeout_ms: int = 10_000) -> JoinGroup:
    return JoinGroup(
        group_id, "m", None, "c", "/h", session_timeout_ms, 30_000, "consumer", (("range", b""),), None, True, True
    )


def commit(group_id: str) -> OffsetCommit:
    entry = ("t", 0, 5, -1, "", None)
    return OffsetCommit(group_id, -1, "", None, None, by_topic([entry, entry]), True)


def sync(group_id: str) -> SyncGroup:
    return SyncGroup(group_id, 1, "m", None, None, None, ())


def leave(group_id: str) -> LeaveGroup:
    return LeaveGroup(group_id, (LeavingMember("m", None, None),))


def fetch(group_id: str) -> OffsetFetch:
    return OffsetFetch(group_id, [("t", i32_array([0]))], False)


LOADING, MOVED, STOPPED = 14, 16, 15
REFUSALS: list[tuple[Request, int, Reply]] = [
    (join(), STOPPED, JoinReply(15, "m")),
    (join(), LOADING, JoinReply(14, "")),
    (join(), MOVED, JoinReply(16, "")),
    (sync("g"), STOPPED, SyncReply(15)),
    (sync("g"), LOADING, SyncReply(27)),
    (sync("g"), MOVED, SyncReply(16)),
    (Heartbeat("g", 1, "m", None), STOPPED, HeartbeatReply(15)),
    (Heartbeat("g", 1, "m", None), LOADING, HeartbeatReply(0)),
    (Heartbeat("g", 1, "m", None), MOVED, HeartbeatReply(16)),
    (leave("g"), STOPPED, LeaveReply(15)),
    (leave("g"), LOADING, LeaveReply(14)),
    (leave("g"), MOVED, LeaveReply(16)),
    (commit("g"), STOPPED, CommitReply([15, 15])),
    (commit("g"), LOADING, CommitReply([14, 14])),
    (commit("g"), MOVED, CommitReply([16, 16])),
    (fetch("g"), STOPPED, FetchReply(15, [])),
    (fetch("g"), LOADING, FetchReply(14, [])),
    (fetch("g"), MOVED, FetchReply(16, [])),
    (DescribeGroup("g"), STOPPED, DescribeReply(15, "g")),
    (DescribeGroup("g"), LOADING, DescribeReply(14, "g")),
    (DescribeGroup("g"), MOVED, DescribeReply(16, "g")),
    (ListGroups((), ()), STOPPED, ListReply(15)),
    (ListGroups((), ()), LOADING, ListReply(14)),
    (ListGroups((), ()), MOVED, ListReply(0)),
    (DeleteGroup("g"), STOPPED, DeleteReply(15)),
    (DeleteGroup("g"), LOADING, DeleteReply(14)),
    (DeleteGroup("g"), MOVED, DeleteReply(16)),
    (OffsetDelete("g", [("t", 0)]), STOPPED, OffsetDeleteReply(15)),
    (OffsetDelete("g", [("t", 0)]), LOADING, OffsetDeleteReply(14)),
    (OffsetDelete("g", [("t", 0)]), MOVED, OffsetDeleteReply(16)),
]


@pytest.mark.parametrize(("request_", "error", "reply"), REFUSALS)
def test_each_api_refuses_at_its_own_level(request_: Request, error: int, reply: Reply) -> None:
    """T010, T011, T012, T013 and the whole table of spec 1.5."""
    assert refused(request_, error) == reply


@pytest.mark.parametrize(
    ("request_", "reply"),
    [
        (join(""), JoinReply(24, "m")),
        (sync(""), SyncReply(24)),
        (Heartbeat("", 1, "m", None), HeartbeatReply(24)),
        (leave(""), LeaveReply(24)),
        (OffsetDelete("", [("t", 0)]), OffsetDeleteReply(24)),
        (commit(""), None),
        (fetch(""), None),
        (DescribeGroup(""), None),
        (DeleteGroup(""), None),
        (ListGroups((), ()), None),
    ],
)
def test_empty_group_id_is_refused_by_group_apis_only(request_: Request, reply: Reply | None) -> None:
    """T029, T132 and the first column of spec 1.5: offsets may be kept under the empty id."""
    assert invalid_before_routing(request_, GroupConfig()) == reply


@pytest.mark.parametrize(
    ("timeout_ms", "is_valid"), [(5_999, False), (6_000, True), (1_800_000, True), (1_800_001, False)]
)
def test_session_timeout_bounds_are_inclusive(timeout_ms: int, is_valid: bool) -> None:
    """T030, T031: asked before anybody looks at shards, so a shard that is not owned makes no difference."""
    answer = invalid_before_routing(join(session_timeout_ms=timeout_ms), GroupConfig())
    assert answer == (None if is_valid else JoinReply(errors.INVALID_SESSION_TIMEOUT, "m"))


def test_empty_group_id_is_reported_before_a_bad_session_timeout() -> None:
    """Spec 1.5, seen on a running 4.3.1."""
    assert invalid_before_routing(join("", 1), GroupConfig()) == JoinReply(errors.INVALID_GROUP_ID, "m")


@pytest.mark.parametrize(
    ("log_error", "group", "commit_", "stable_fetch"),
    [
        (errors.UNKNOWN_TOPIC_OR_PARTITION, 15, 15, 16),
        (errors.NOT_ENOUGH_REPLICAS, 15, 15, 16),
        (errors.NOT_ENOUGH_REPLICAS_AFTER_APPEND, 20, 20, 20),
        (errors.REQUEST_TIMED_OUT, 15, 15, 16),
        (errors.NOT_LEADER_OR_FOLLOWER, 16, 16, 16),
        (errors.KAFKA_STORAGE_ERROR, 16, 16, 16),
        (errors.MESSAGE_TOO_LARGE, -1, 28, -1),
        (errors.RECORD_LIST_TOO_LARGE, -1, 28, -1),
        (errors.INVALID_FETCH_SIZE, -1, 28, -1),
        (errors.NETWORK_EXCEPTION, 13, 14, 13),
        (errors.UNKNOWN_SERVER_ERROR, -1, -1, -1),
    ],
)
def test_append_errors_become_what_clients_know(log_error: int, group: int, commit_: int, stable_fetch: int) -> None:
    """The table of spec 4.3, with the choice of spec 13.14."""
    kinds: tuple[WriteKind, ...] = ("group", "commit", "stable_fetch")
    assert [mapped_append_error(kind, log_error) for kind in kinds] == [group, commit_, stable_fetch]


@pytest.mark.parametrize(
    ("reply", "failed"),
    [
        (JoinReply(0, "m", 3, "consumer", "range", "m"), JoinReply(16, "")),
        (SyncReply(0, "consumer", "range", b"x"), SyncReply(16)),
        (HeartbeatReply(0), HeartbeatReply(16)),
        (LeaveReply(0, (("m", None, 0),)), LeaveReply(16)),
        (DescribeReply(0, "g", "Stable"), DescribeReply(16, "g")),
        (ListReply(0), ListReply(16)),
        (DeleteReply(0), DeleteReply(16)),
        (OffsetDeleteReply(0, (0, 86)), OffsetDeleteReply(16)),
        (CommitReply([0, 12, 0]), CommitReply([16, 12, 16])),
        (FetchReply(0, [FetchedTopic("t", PartitionOffsets(), i32_array([0]))]), FetchReply(16, [])),
    ],
)
def test_replies_that_waited_for_lost_records_become_errors(reply: Reply, failed: Reply) -> None:
    """Spec 4.1 step 8: entries that were refused by themselves keep their own code."""
    assert after_failed_append(reply, errors.KAFKA_STORAGE_ERROR) == failed


def test_replies_that_waited_too_long_become_coordinator_not_available() -> None:
    """T027."""
    assert refused_after_timeout(CommitReply([0])) == CommitReply([errors.COORDINATOR_NOT_AVAILABLE])
