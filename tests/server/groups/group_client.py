"""A client that speaks the group APIs in any version, one connection each. Says what is sent; judges nothing.

`begin` sends and returns at once: the answer is read when the test asks for it, so a parked request is nothing special.
"""

from __future__ import annotations

import socket
from collections.abc import Sequence
from typing import Any

from muster.wire.consumer_protocol import Subscription, encode_subscription
from muster.wire.generated.describe_groups import DescribeGroupsRequest
from muster.wire.generated.heartbeat import HeartbeatRequest
from muster.wire.generated.join_group import JoinGroupRequest, JoinGroupRequestProtocol
from muster.wire.generated.leave_group import LeaveGroupRequest, LeaveGroupRequestMember
from muster.wire.generated.list_groups import ListGroupsRequest
from muster.wire.generated.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from muster.wire.generated.offset_fetch import (
    OffsetFetchRequest,
    OffsetFetchRequestGroup,
    OffsetFetchRequestGroupTopic,
    OffsetFetchRequestTopic,
)
from muster.wire.generated.sync_group import SyncGroupRequest, SyncGroupRequestAssignment
from tests.server.raw_client import PATIENCE_SECONDS, RawClient, request_frame

Asked = Sequence[tuple[str, Sequence[int]]]


def subscription(*topics: str) -> bytes:
    return encode_subscription(Subscription(list(topics)))


RANGE = (("range", subscription("orders")),)


class Waiting:
    """A request that was sent and whose answer has not been read."""

    def __init__(self, client: GroupClient, api: str, version: int, correlation_id: int) -> None:
        self.client = client
        self._sent = api, version, correlation_id

    def answer(self) -> Any:
        return self.client.read(*self._sent)


class GroupClient(RawClient):
    def __init__(self, port: int, client_id: str | None = "raw", source: str = "127.0.0.1") -> None:
        """`source` is the address the server sees: any of the loopback network's."""
        self.socket = socket.create_connection(("127.0.0.1", port), PATIENCE_SECONDS, (source, 0))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.client_id = client_id
        self._correlation_id = 0
        host, own_port = self.socket.getsockname()[:2]
        self.address = f"{host}:{own_port}"

    def __enter__(self) -> GroupClient:
        return self

    def begin(self, api: str, version: int, message: object) -> Waiting:
        self._correlation_id += 1
        self.send(request_frame(api, version, message, self._correlation_id, self.client_id))
        return Waiting(self, api, version, self._correlation_id)

    def call(self, api: str, version: int, message: object) -> Any:
        return self.begin(api, version, message).answer()

    # -- membership

    def join(self, group: str, member_id: str = "", *, version: int = 9, **fields: Any) -> Waiting:
        return self.begin("JoinGroup", version, join_request(group, member_id, **fields))

    def enter(self, group: str, **fields: Any) -> Waiting:
        """Both steps of KIP-394: ask for an id, come back with it."""
        given = self.join(group, **fields).answer()
        assert given.error_code == 79, f"expected MEMBER_ID_REQUIRED, got {given}"
        return self.join(group, given.member_id, **fields)

    def sync(
        self,
        group: str,
        generation: int,
        member_id: str,
        assignments: Sequence[tuple[str, bytes]] = (),
        *,
        instance: str | None = None,
        protocol: tuple[str | None, str | None] = ("consumer", "range"),
        version: int = 5,
    ) -> Waiting:
        return self.begin(
            "SyncGroup",
            version,
            SyncGroupRequest(
                group_id=group,
                generation_id=generation,
                member_id=member_id,
                group_instance_id=instance,
                protocol_type=protocol[0],
                protocol_name=protocol[1],
                assignments=[SyncGroupRequestAssignment(member, content) for member, content in assignments],
            ),
        )

    def beat(
        self, group: str, generation: int, member_id: str, instance: str | None = None, *, version: int = 4
    ) -> int:
        request = HeartbeatRequest(group, generation, member_id, instance)
        code: int = self.call("Heartbeat", version, request).error_code
        return code

    def leave(self, group: str, *member_ids: str, reason: str | None = None, version: int = 5) -> Any:
        members = [LeaveGroupRequestMember(member_id, None, reason) for member_id in member_ids]
        return self.call("LeaveGroup", version, LeaveGroupRequest(group_id=group, members=members))

    # -- offsets

    def commit(self, group: str, *offsets: tuple[str, int, int], version: int = 9, **fields: Any) -> list[int]:
        """The code of each (topic, partition, offset), in the order of the answer."""
        return codes(self.call("OffsetCommit", version, commit_request(group, *offsets, **fields)))

    def committed(self, group: str, topic: str = "orders", partition: int = 0, *, version: int = 9) -> int:
        reply = self.fetch_offsets(group, [(topic, [partition])], version=version)
        offset: int = reply.groups[0].topics[0].partitions[0].committed_offset
        return offset

    def fetch_offsets(self, group: str, topics: Asked | None, *, version: int = 9, stable: bool = False) -> Any:
        """v8 and later; older layouts are in `old_fetch_offsets`."""
        asked = None if topics is None else [OffsetFetchRequestGroupTopic(t, partition_indexes=p) for t, p in topics]
        entry = OffsetFetchRequestGroup(group_id=group, topics=asked)
        return self.call("OffsetFetch", version, OffsetFetchRequest(groups=[entry], require_stable=stable))

    def old_fetch_offsets(self, group: str, topics: Asked | None, *, version: int) -> Any:
        asked = None if topics is None else [OffsetFetchRequestTopic(t, p) for t, p in topics]
        return self.call("OffsetFetch", version, OffsetFetchRequest(group_id=group, topics=asked))

    # -- looking

    def describe(self, group: str, *, version: int = 6, operations: bool = False) -> Any:
        reply = self.call("DescribeGroups", version, DescribeGroupsRequest([group], operations))
        (entry,) = reply.groups
        return entry

    def state(self, group: str) -> str:
        state: str = self.describe(group, version=5).group_state
        return state

    def groups(self, *, states: Sequence[str] = (), types: Sequence[str] = (), version: int = 5) -> Any:
        return self.call("ListGroups", version, ListGroupsRequest(states, types))


def join_request(
    group: str,
    member_id: str = "",
    *,
    instance: str | None = None,
    session_ms: int = 10_000,
    rebalance_ms: int = 60_000,
    protocol_type: str = "consumer",
    protocols: Sequence[tuple[str, bytes]] = RANGE,
    reason: str | None = None,
) -> JoinGroupRequest:
    return JoinGroupRequest(
        group_id=group,
        session_timeout_ms=session_ms,
        rebalance_timeout_ms=rebalance_ms,
        member_id=member_id,
        group_instance_id=instance,
        protocol_type=protocol_type,
        protocols=[JoinGroupRequestProtocol(name, metadata) for name, metadata in protocols],
        reason=reason,
    )


def commit_request(
    group: str,
    *offsets: tuple[str, int, int],
    generation: int = -1,
    member_id: str = "",
    instance: str | None = None,
    metadata: str | None = "",
    leader_epoch: int = -1,
    retention_ms: int = -1,
    topic_ids: dict[str, bytes] | None = None,
) -> OffsetCommitRequest:
    """One topic entry for each (topic, partition, offset). `topic_ids` by name, for version 10."""
    return OffsetCommitRequest(
        group_id=group,
        generation_id_or_member_epoch=generation,
        member_id=member_id,
        group_instance_id=instance,
        retention_time_ms=retention_ms,
        topics=[
            OffsetCommitRequestTopic(
                topic,
                (topic_ids or {}).get(topic, bytes(16)),
                [OffsetCommitRequestPartition(partition, offset, leader_epoch, metadata)],
            )
            for topic, partition, offset in offsets
        ],
    )


def codes(commit_reply: Any) -> list[int]:
    return [partition.error_code for topic in commit_reply.topics for partition in topic.partitions]
