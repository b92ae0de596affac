"""Bodies seen on the wire of Kafka (spec 2.5): each is written to the very bytes and read back to the very message."""

from __future__ import annotations

from typing import Any

import pytest

from muster.wire.generated.api_versions import ApiVersionsResponse, ApiVersionsResponseApiKey
from muster.wire.generated.consumer_group_heartbeat import (
    ConsumerGroupHeartbeatRequest,
    ConsumerGroupHeartbeatResponse,
    ConsumerGroupHeartbeatResponseAssignment,
    ConsumerGroupHeartbeatResponseTopicPartition,
)
from muster.wire.generated.delete_groups import DeleteGroupsResponse, DeleteGroupsResponseResult
from muster.wire.generated.describe_groups import DescribeGroupsResponse, DescribeGroupsResponseGroup
from muster.wire.generated.find_coordinator import FindCoordinatorResponse, FindCoordinatorResponseCoordinator
from muster.wire.generated.heartbeat import HeartbeatRequest, HeartbeatResponse
from muster.wire.generated.join_group import JoinGroupRequest, JoinGroupRequestProtocol, JoinGroupResponse
from muster.wire.generated.leave_group import LeaveGroupRequest, LeaveGroupRequestMember
from muster.wire.generated.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
    OffsetCommitResponse,
    OffsetCommitResponsePartition,
    OffsetCommitResponseTopic,
)
from muster.wire.generated.offset_delete import OffsetDeleteResponse
from muster.wire.generated.offset_fetch import (
    OffsetFetchRequest,
    OffsetFetchRequestGroup,
    OffsetFetchResponse,
    OffsetFetchResponseGroup,
    OffsetFetchResponseGroupPartition,
    OffsetFetchResponseGroupTopic,
)
from muster.wire.generated.sync_group import SyncGroupResponse
from tests.wire.messages import SCHEMAS
from tests.wire.test_round_trip import codecs

TOPIC_ID = bytes(range(16))

GOLDEN: list[tuple[str, str, int, Any, str]] = [
    (
        "Heartbeat",
        "request",
        3,
        HeartbeatRequest("grp", 1, "m1"),
        "00036772700000000100026d31ffff",
    ),
    ("Heartbeat", "request", 4, HeartbeatRequest("grp", 1, "m1"), "0467727000000001036d310000"),
    ("Heartbeat", "response", 4, HeartbeatResponse(error_code=27), "00000000001b00"),
    (
        "JoinGroup",
        "request",
        9,
        JoinGroupRequest("grp", 45000, 300000, "", None, "consumer", [JoinGroupRequestProtocol("range", b"\1")]),
        "046772700000afc8000493e0010009636f6e73756d6572020672616e67650201000000",
    ),
    (
        "JoinGroup",
        "response",
        9,
        JoinGroupResponse(error_code=79, protocol_name=None, member_id="c-1"),
        "00000000004fffffffff0000010004632d310100",
    ),
    (
        "JoinGroup",
        "response",
        5,
        JoinGroupResponse(error_code=79, protocol_name="", member_id="c-1"),
        "00000000004fffffffff000000000003632d3100000000",
    ),
    (
        "SyncGroup",
        "response",
        5,
        SyncGroupResponse(protocol_type="consumer", protocol_name="range", assignment=b"\2"),
        "00000000000009636f6e73756d65720672616e6765020200",
    ),
    (
        "LeaveGroup",
        "request",
        5,
        LeaveGroupRequest("grp", members=[LeaveGroupRequestMember("", "i1")]),
        "046772700201036931000000",
    ),
    (
        "OffsetFetch",
        "request",
        8,
        OffsetFetchRequest(groups=[OffsetFetchRequestGroup("grp", topics=None)], require_stable=True),
        "020467727000000100",
    ),
    (
        "OffsetFetch",
        "response",
        8,
        OffsetFetchResponse(
            groups=[
                OffsetFetchResponseGroup(
                    "grp",
                    [
                        OffsetFetchResponseGroupTopic(
                            "foo", partitions=[OffsetFetchResponseGroupPartition(0, -1, -1, "")]
                        )
                    ],
                )
            ]
        ),
        "0000000002046772700204666f6f0200000000ffffffffffffffffffffffff010000000000000000",
    ),
    (
        "FindCoordinator",
        "response",
        4,
        FindCoordinatorResponse(coordinators=[FindCoordinatorResponseCoordinator("grp", -1, "", -1, 15, "")]),
        "000000000204677270ffffffff01ffffffff000f010000",
    ),
    ("OffsetDelete", "response", 0, OffsetDeleteResponse(error_code=69), "00450000000000000000"),
    (
        "OffsetCommit",
        "request",
        10,
        OffsetCommitRequest(
            "grp",
            topics=[
                OffsetCommitRequestTopic(topic_id=TOPIC_ID, partitions=[OffsetCommitRequestPartition(0, 5, -1, "")])
            ],
        ),
        "04677270ffffffff010002000102030405060708090a0b0c0d0e0f02000000000000000000000005ffffffff01000000",
    ),
    (
        "OffsetCommit",
        "response",
        9,
        OffsetCommitResponse(
            topics=[OffsetCommitResponseTopic("foo", partitions=[OffsetCommitResponsePartition(0, 69)])]
        ),
        "000000000204666f6f02000000000045000000",
    ),
    (
        "DescribeGroups",
        "response",
        5,
        DescribeGroupsResponse(groups=[DescribeGroupsResponseGroup(group_id="grp", group_state="Dead")]),
        "00000000020000046772700544656164010101800000000000",
    ),
    (
        "DescribeGroups",
        "response",
        6,
        DescribeGroupsResponse(groups=[DescribeGroupsResponseGroup(69, "Group grp not found.", "grp", "Dead")]),
        "000000000200451547726f757020677270206e6f7420666f756e642e046772700544656164010101800000000000",
    ),
    (
        "OffsetFetch",
        "response",
        10,
        OffsetFetchResponse(
            groups=[
                OffsetFetchResponseGroup(
                    "grp",
                    [
                        OffsetFetchResponseGroupTopic(
                            topic_id=TOPIC_ID,
                            partitions=[OffsetFetchResponseGroupPartition(0, -1, -1, "", 100)],
                        )
                    ],
                )
            ]
        ),
        "00000000020467727002000102030405060708090a0b0c0d0e0f0200000000ffffffffffffffffffffffff010064000000000000",
    ),
    (
        "DeleteGroups",
        "response",
        2,
        DeleteGroupsResponse(results=[DeleteGroupsResponseResult("grp", 69)]),
        "00000000020467727000450000",
    ),
    (
        "ApiVersions",
        "response",
        0,
        ApiVersionsResponse(35, [ApiVersionsResponseApiKey(18, 0, 4)]),
        "002300000001001200000004",
    ),
    ("ApiVersions", "response", 3, ApiVersionsResponse(42), "002a010000000000"),
    (
        "ConsumerGroupHeartbeat",
        "request",
        0,
        ConsumerGroupHeartbeatRequest("grp", "m1", 5),
        "04677270036d31000000050000ffffffff00000000",
    ),
    (
        "ConsumerGroupHeartbeat",
        "response",
        0,
        ConsumerGroupHeartbeatResponse(member_id="m1", member_epoch=5, heartbeat_interval_ms=5000),
        "00000000000000036d310000000500001388ff00",
    ),
    (
        "ConsumerGroupHeartbeat",
        "response",
        0,
        ConsumerGroupHeartbeatResponse(
            member_id="m1",
            member_epoch=1,
            heartbeat_interval_ms=5000,
            assignment=ConsumerGroupHeartbeatResponseAssignment(),
        ),
        "00000000000000036d31000000010000138801010000",
    ),
    (
        "ConsumerGroupHeartbeat",
        "response",
        0,
        ConsumerGroupHeartbeatResponse(
            member_id="m1",
            member_epoch=1,
            heartbeat_interval_ms=5000,
            assignment=ConsumerGroupHeartbeatResponseAssignment(
                [ConsumerGroupHeartbeatResponseTopicPartition(TOPIC_ID, [0, 1])]
            ),
        ),
        "00000000000000036d3100000001000013880102000102030405060708090a0b0c0d0e0f030000000000000001000000",
    ),
]


@pytest.mark.parametrize(("name", "direction", "version", "message", "body"), GOLDEN)
def test_a_golden_message_has_its_golden_bytes(
    name: str, direction: str, version: int, message: Any, body: str
) -> None:
    """Spec 2.5."""
    encode, decode = codecs(SCHEMAS[name].key, direction, version)
    assert encode(message).hex() == body
    assert decode(bytes.fromhex(body), 0) == message
