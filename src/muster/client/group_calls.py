"""What a member of the classic protocol says to its coordinator: join, sync, heartbeat, leave. Each returns, or raises what was
answered.

Knows the messages in all their versions, not what to do about a refusal: that is `membership`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from muster.client.cluster import Cluster
from muster.client.coordinator_calls import CoordinatorCalls
from muster.client.failure import ClientError, raise_for
from muster.client.group_protocol import JoinedMember, Standing
from muster.wire.errors import MEMBER_ID_REQUIRED, UNSUPPORTED_VERSION
from muster.wire.generated.heartbeat import HeartbeatRequest, HeartbeatResponse
from muster.wire.generated.join_group import JoinGroupRequest, JoinGroupRequestProtocol, JoinGroupResponse
from muster.wire.generated.leave_group import LeaveGroupRequest, LeaveGroupRequestMember, LeaveGroupResponse
from muster.wire.generated.sync_group import SyncGroupRequest, SyncGroupRequestAssignment, SyncGroupResponse

JOIN_GRACE_MS: Final = 5_000
"""The coordinator may answer a JoinGroup as late as the rebalance timeout says; Java's clients wait this much longer."""
LONGEST_REASON: Final = 255
"""KIP-800: clients cut their reasons."""
_STATIC_SINCE: Final = 5
_LEAVE_BY_LIST_SINCE: Final = 3


class MemberIdRequired(ClientError):
    """KIP-394: the coordinator has a member id for us, and wants us to join again with it."""

    def __init__(self, group_id: str, member_id: str) -> None:
        super().__init__(MEMBER_ID_REQUIRED, f"join group {group_id}")
        self.member_id = member_id


@dataclass(frozen=True, slots=True)
class Joined:
    standing: Standing
    members: tuple[JoinedMember, ...]
    """Only for the leader."""
    skip_assignment: bool
    """KIP-814: a static leader came back and everybody keeps what they have."""


@dataclass(frozen=True, slots=True)
class Terms:
    """What a member is to its group all its life."""

    group_id: str
    protocol_type: str
    instance_id: str | None
    session_timeout_ms: int
    rebalance_timeout_ms: int


class GroupCalls(CoordinatorCalls):
    def __init__(self, cluster: Cluster, terms: Terms) -> None:
        super().__init__(cluster, terms.group_id, terms.instance_id)
        self.terms = terms

    async def join(self, member_id: str, offers: Sequence[tuple[str, bytes]], reason: str) -> Joined:
        terms = self.terms
        connection = await self.cluster.coordinators.connection(terms.group_id, self._lane)
        asked = f"join group {terms.group_id}"
        if terms.instance_id is not None and connection.version("JoinGroup") < _STATIC_SINCE:
            raise ClientError(UNSUPPORTED_VERSION, asked, "the broker is too old for group.instance.id")
        request = JoinGroupRequest(
            terms.group_id,
            terms.session_timeout_ms,
            terms.rebalance_timeout_ms,
            member_id,
            terms.instance_id,
            terms.protocol_type,
            [JoinGroupRequestProtocol(name, metadata) for name, metadata in offers],
            reason[:LONGEST_REASON],
        )
        reply: JoinGroupResponse = await self._park("JoinGroup", request)
        if reply.error_code == MEMBER_ID_REQUIRED:
            raise MemberIdRequired(terms.group_id, reply.member_id)
        raise_for(reply.error_code, asked)
        standing = Standing(
            reply.member_id, reply.generation_id, reply.protocol_name or "", reply.leader == reply.member_id
        )
        members = tuple(
            JoinedMember(each.member_id, each.group_instance_id, bytes(each.metadata)) for each in reply.members
        )
        return Joined(standing, members, reply.skip_assignment)

    async def sync(self, standing: Standing, shares: Mapping[str, bytes]) -> bytes:
        """Our share. Only the leader brings shares."""
        request = SyncGroupRequest(
            self.terms.group_id,
            standing.generation,
            standing.member_id,
            self.terms.instance_id,
            self.terms.protocol_type,
            standing.protocol,
            [SyncGroupRequestAssignment(member_id, share) for member_id, share in shares.items()],
        )
        reply: SyncGroupResponse = await self._park("SyncGroup", request)
        raise_for(reply.error_code, f"sync with group {self.terms.group_id}")
        return bytes(reply.assignment)

    async def heartbeat(self, standing: Standing) -> None:
        request = HeartbeatRequest(self.terms.group_id, standing.generation, standing.member_id, self.terms.instance_id)
        reply: HeartbeatResponse = await self.cluster.ask_coordinator(
            self.terms.group_id, "Heartbeat", request, lane=self._lane
        )
        raise_for(reply.error_code, f"heartbeat to group {self.terms.group_id}")

    async def leave(self, member_id: str, reason: str) -> None:
        if self._parked:
            self.close()  # on this connection the coordinator would hear of it only after the rebalance
            self._parked = False
        terms = self.terms
        connection = await self.cluster.coordinators.connection(terms.group_id, self._lane)
        request = LeaveGroupRequest(terms.group_id)
        if connection.version("LeaveGroup") >= _LEAVE_BY_LIST_SINCE:
            request.members = [LeaveGroupRequestMember(member_id, terms.instance_id, reason[:LONGEST_REASON])]
        else:
            request.member_id = member_id
        reply: LeaveGroupResponse = await connection.call("LeaveGroup", request)
        raise_for(reply.error_code, f"leave group {terms.group_id}")
        for each in reply.members:
            raise_for(each.error_code, f"leave group {terms.group_id}")

    async def _park(self, api: str, request: object) -> Any:
        patience = (self.terms.rebalance_timeout_ms + JOIN_GRACE_MS) / 1000
        self._parked = True
        try:
            reply = await self.cluster.ask_coordinator(
                self.terms.group_id, api, request, lane=self._lane, timeout_seconds=patience
            )
        except ClientError:
            self._parked = False  # the connection is gone
            raise
        self._parked = False  # not after a cancellation: the coordinator is still busy with it
        return reply
