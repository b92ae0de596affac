"""The rights that the APIs about groups and offsets ask for (spec 9)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from muster.security.resources import Operation
from muster.wire.errors import (
    GROUP_AUTHORIZATION_FAILED,
    TOPIC_AUTHORIZATION_FAILED,
    TRANSACTIONAL_ID_AUTHORIZATION_FAILED,
)
from muster.wire.generated.consumer_group_describe import ConsumerGroupDescribeRequest
from muster.wire.generated.consumer_group_heartbeat import ConsumerGroupHeartbeatRequest
from muster.wire.generated.delete_groups import DeleteGroupsRequest
from muster.wire.generated.describe_groups import DescribeGroupsRequest
from muster.wire.generated.find_coordinator import FindCoordinatorRequest
from muster.wire.generated.heartbeat import HeartbeatRequest
from muster.wire.generated.join_group import JoinGroupRequest, JoinGroupRequestProtocol
from muster.wire.generated.leave_group import LeaveGroupRequest, LeaveGroupRequestMember
from muster.wire.generated.list_groups import ListGroupsRequest
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
from muster.wire.generated.offset_fetch import (
    OffsetFetchRequest,
    OffsetFetchRequestGroup,
    OffsetFetchRequestGroupTopic,
)
from muster.wire.generated.sync_group import SyncGroupRequest
from tests.security.rights import CLUSTER, GROUP, LEFT_OUT, MINE, TOPIC, TRANSACTIONAL_ID, Right, shown, whole

READ, DESCRIBE, DELETE = Operation.READ, Operation.DESCRIBE, Operation.DELETE
_GROUP_DENIED, _TOPIC_DENIED = GROUP_AUTHORIZATION_FAILED, TOPIC_AUTHORIZATION_FAILED


def _join(names: tuple[str, ...]) -> JoinGroupRequest:
    return JoinGroupRequest(names[0], 10_000, 10_000, "", None, "consumer", [JoinGroupRequestProtocol("range", b"")])


def _consume(names: tuple[str, ...]) -> ConsumerGroupHeartbeatRequest:
    """A heartbeat to a group that is not there: what is asked for is found out before that."""
    return ConsumerGroupHeartbeatRequest(names[0], "m", 5, subscribed_topic_names=[names[0]])


def _commit(names: Iterable[str]) -> OffsetCommitRequest:
    topics = [OffsetCommitRequestTopic(name, partitions=[OffsetCommitRequestPartition(0, 1)]) for name in names]
    return OffsetCommitRequest(MINE, topics=topics)


def _offset_delete(names: Iterable[str]) -> OffsetDeleteRequest:
    return OffsetDeleteRequest(
        MINE, [OffsetDeleteRequestTopic(name, [OffsetDeleteRequestPartition(0)]) for name in names]
    )


def _fetch_groups(names: Iterable[str]) -> OffsetFetchRequest:
    topics = [OffsetFetchRequestGroupTopic(MINE, partition_indexes=[0])]
    return OffsetFetchRequest(groups=[OffsetFetchRequestGroup(name, topics=topics) for name in names])


def _fetch_topics(names: Iterable[str]) -> OffsetFetchRequest:
    topics = [OffsetFetchRequestGroupTopic(name, partition_indexes=[0]) for name in names]
    return OffsetFetchRequest(groups=[OffsetFetchRequestGroup(MINE, topics=topics)])


def _fetch_all(_: object) -> OffsetFetchRequest:
    return OffsetFetchRequest(groups=[OffsetFetchRequestGroup(MINE, topics=None)])


def _find(key_type: int, names: tuple[str, ...]) -> FindCoordinatorRequest:
    return FindCoordinatorRequest("", key_type, list(names))


def _top(reply: Any) -> dict[str, int]:
    return whole(reply.error_code)


def _by_topic(topics: Any) -> dict[str, int]:
    return {topic.name: topic.partitions[0].error_code for topic in topics}


def _found(reply: Any) -> dict[str, int]:
    return {entry.key: entry.error_code for entry in reply.coordinators}


RIGHTS: Final = (
    Right(
        "FindCoordinator",
        (DESCRIBE, GROUP),
        _GROUP_DENIED,
        6,
        lambda names: _find(0, names),
        _found,
        several=True,
        about="of a group",
    ),
    Right(
        "FindCoordinator",
        (DESCRIBE, TRANSACTIONAL_ID),
        TRANSACTIONAL_ID_AUTHORIZATION_FAILED,
        6,
        lambda names: _find(1, names),
        _found,
        several=True,
        about="of a transactional id",
    ),
    Right("JoinGroup", (READ, GROUP), _GROUP_DENIED, 9, _join, _top),
    Right("ConsumerGroupHeartbeat", (READ, GROUP), _GROUP_DENIED, 1, _consume, _top, also=((DESCRIBE, TOPIC),)),
    Right(
        "ConsumerGroupHeartbeat",
        (DESCRIBE, TOPIC),
        _TOPIC_DENIED,
        1,
        _consume,
        _top,
        also=((READ, GROUP),),
        about="with topic names",
    ),
    Right(
        "ConsumerGroupDescribe",
        (DESCRIBE, GROUP),
        _GROUP_DENIED,
        1,
        lambda names: ConsumerGroupDescribeRequest(list(names)),
        lambda reply: {group.group_id: group.error_code for group in reply.groups},
        also=((DESCRIBE, TOPIC),),
        several=True,
    ),
    Right("SyncGroup", (READ, GROUP), _GROUP_DENIED, 5, lambda n: SyncGroupRequest(n[0], 1, "m", None, "c", "r"), _top),
    Right("Heartbeat", (READ, GROUP), _GROUP_DENIED, 4, lambda names: HeartbeatRequest(names[0], 1, "m"), _top),
    Right(
        "LeaveGroup",
        (READ, GROUP),
        _GROUP_DENIED,
        5,
        lambda names: LeaveGroupRequest(names[0], members=[LeaveGroupRequestMember("m")]),
        _top,
    ),
    Right(
        "OffsetCommit",
        (READ, GROUP),
        _GROUP_DENIED,
        9,
        _commit,
        lambda reply: _by_topic(reply.topics),
        also=((READ, TOPIC),),
    ),
    Right(
        "OffsetCommit",
        (READ, TOPIC),
        _TOPIC_DENIED,
        9,
        _commit,
        lambda reply: _by_topic(reply.topics),
        also=((READ, GROUP),),
        several=True,
    ),
    Right(
        "OffsetFetch",
        (DESCRIBE, GROUP),
        _GROUP_DENIED,
        9,
        _fetch_groups,
        lambda reply: {group.group_id: group.error_code for group in reply.groups},
        also=((DESCRIBE, TOPIC),),
        several=True,
    ),
    Right(
        "OffsetFetch",
        (DESCRIBE, TOPIC),
        _TOPIC_DENIED,
        9,
        _fetch_topics,
        lambda reply: _by_topic(reply.groups[0].topics),
        also=((DESCRIBE, GROUP),),
        several=True,
        about="of topics by name",
    ),
    Right(
        "OffsetFetch",
        (DESCRIBE, TOPIC),
        LEFT_OUT,
        9,
        _fetch_all,
        lambda reply: shown(_by_topic(reply.groups[0].topics)),
        also=((DESCRIBE, GROUP),),
        several=True,
        about="of all topics",
    ),
    Right("OffsetDelete", (DELETE, GROUP), _GROUP_DENIED, 0, _offset_delete, _top, also=((READ, TOPIC),)),
    Right(
        "OffsetDelete",
        (READ, TOPIC),
        _TOPIC_DENIED,
        0,
        _offset_delete,
        lambda reply: _by_topic(reply.topics),
        also=((DELETE, GROUP),),
        several=True,
    ),
    Right(
        "DescribeGroups",
        (DESCRIBE, GROUP),
        _GROUP_DENIED,
        6,
        lambda names: DescribeGroupsRequest(list(names)),
        lambda reply: {group.group_id: group.error_code for group in reply.groups},
        several=True,
    ),
    Right(
        "ListGroups",
        (DESCRIBE, GROUP),
        LEFT_OUT,
        5,
        lambda _: ListGroupsRequest(),
        lambda reply: shown({group.group_id: 0 for group in reply.groups}),
        instead=(DESCRIBE, CLUSTER),
        several=True,
    ),
    Right(
        "DeleteGroups",
        (DELETE, GROUP),
        _GROUP_DENIED,
        2,
        lambda names: DeleteGroupsRequest(list(names)),
        lambda reply: {result.group_id: result.error_code for result in reply.results},
        several=True,
    ),
)
