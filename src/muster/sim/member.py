"""A model member: joins, assigns if it leads, syncs, heartbeats, commits growing values, and starts over when told to.

It knows nothing of the server but what it is told.
"""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

from muster.sim.client import RETRY_MS, SimClient
from muster.wire.errors import (
    COORDINATOR_LOAD_IN_PROGRESS,
    COORDINATOR_NOT_AVAILABLE,
    FENCED_INSTANCE_ID,
    MEMBER_ID_REQUIRED,
    NONE,
    NOT_COORDINATOR,
    REBALANCE_IN_PROGRESS,
)
from muster.wire.generated.find_coordinator import FindCoordinatorRequest
from muster.wire.generated.heartbeat import HeartbeatRequest
from muster.wire.generated.join_group import JoinGroupRequest, JoinGroupRequestProtocol, JoinGroupResponse
from muster.wire.generated.leave_group import LeaveGroupRequest, LeaveGroupRequestMember
from muster.wire.generated.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from muster.wire.generated.offset_fetch import (
    OffsetFetchRequest,
    OffsetFetchRequestGroup,
    OffsetFetchRequestGroupTopic,
)
from muster.wire.generated.sync_group import SyncGroupRequest, SyncGroupRequestAssignment

if TYPE_CHECKING:
    from muster.sim.witness import Witness

PARTITIONS = 6
TOPIC = "work"
SESSION_MS = 6_000
REBALANCE_MS = 10_000
HEARTBEAT_MS = 1_000
DUPLICATE_SHARE = 0.1
"""How often a member says the same thing once more, as clients do that missed an answer."""
VERSIONS = {
    "FindCoordinator": 4,
    "JoinGroup": 9,
    "SyncGroup": 5,
    "Heartbeat": 4,
    "LeaveGroup": 5,
    "OffsetCommit": 9,
    "OffsetFetch": 9,
}
COORDINATOR_MOVED = (NOT_COORDINATOR, COORDINATOR_NOT_AVAILABLE, COORDINATOR_LOAD_IN_PROGRESS)


class SimMember(SimClient):
    versions = VERSIONS
    fetch_pause_ms = HEARTBEAT_MS
    is_moved = False
    """Its group may become one of the other protocol and begin anew: what holds of generations is checked of other groups."""

    def __init__(self, world: Witness, group: str, name: str, random: Random, instance_id: str | None) -> None:
        super().__init__(world, name, random)
        self.group = group
        self._instance_id = instance_id
        self.member_id = ""
        self.generation = -1
        self.assigned: tuple[int, ...] = ()

    # -- life

    def start(self) -> None:
        self.is_alive = True
        self.member_id = ""
        self._find_coordinator()

    def leave(self) -> None:
        """An orderly end. The answer does not matter."""
        if self._link is not None and self.member_id and self._waiting is None:
            members = [LeaveGroupRequestMember(self.member_id, self._instance_id, "done")]
            self._ask("LeaveGroup", LeaveGroupRequest(self.group, members=members), lambda _: self.vanish())
        else:
            self.vanish()

    def _start_again(self) -> None:
        self._find_coordinator()

    def _note_answer(self, api: str, asked: tuple[int, int], response: Any) -> None:
        if api == "Heartbeat" and response.error_code == NONE:
            self._world.heard(self, asked)

    # -- the protocol

    def _find_coordinator(self) -> None:
        request = FindCoordinatorRequest(coordinator_keys=[self.group])
        self._ask("FindCoordinator", request, self._found)

    def _found(self, response: Any) -> None:
        if response.coordinators[0].error_code == NONE:
            self._join()
        else:
            self._plan(RETRY_MS, self._find_coordinator)

    def _join(self) -> None:
        self.assigned = ()
        # Two protocols in an order of taste: the vote has something to decide.
        names = ["range", "sticky"] if self.name < "m3" else ["sticky", "range"]
        request = JoinGroupRequest(
            group_id=self.group,
            session_timeout_ms=SESSION_MS,
            rebalance_timeout_ms=REBALANCE_MS,
            member_id=self.member_id,
            group_instance_id=self._instance_id,
            protocol_type="consumer",
            protocols=[JoinGroupRequestProtocol(name, self._metadata()) for name in names],
            reason="simulated",
        )
        asked_ms = self._world.scheduler.now_ms
        self._ask("JoinGroup", request, lambda response: self._joined(response, asked_ms))

    def _joined(self, response: JoinGroupResponse, asked_ms: int) -> None:
        if response.error_code == MEMBER_ID_REQUIRED:
            self.member_id = response.member_id
            self._join()
        elif response.error_code == NONE:
            self.member_id = response.member_id
            self.generation = response.generation_id
            self._world.note_joined(self, response, asked_ms)
            self._sync(response)
        else:
            self._start_over(response.error_code)

    def _sync(self, joined: JoinGroupResponse) -> None:
        plan: list[SyncGroupRequestAssignment] = []
        if joined.leader == self.member_id and not joined.skip_assignment:
            plan = self._plan_for([member.member_id for member in joined.members])
            self._world.note_plan(self, plan)
        request = SyncGroupRequest(
            group_id=self.group,
            generation_id=self.generation,
            member_id=self.member_id,
            group_instance_id=self._instance_id,
            protocol_type=joined.protocol_type,
            protocol_name=joined.protocol_name,
            assignments=plan,
        )
        self._ask("SyncGroup", request, lambda response: self._synced(response, request))

    def _plan_for(self, members: list[str]) -> list[SyncGroupRequestAssignment]:
        order = sorted(members)
        return [
            SyncGroupRequestAssignment(member, bytes(range(PARTITIONS))[index :: len(order)])
            for index, member in enumerate(order)
        ]

    def _metadata(self) -> bytes:
        return b""

    def _take_assignment(self, assignment: bytes) -> None:
        self.assigned = tuple(assignment)

    def _synced(self, response: Any, request: SyncGroupRequest) -> None:
        if response.error_code == NONE:
            self._world.note_synced(self, response.assignment)
            self._take_assignment(response.assignment)
            if self._random.random() < DUPLICATE_SHARE:
                self._ask("SyncGroup", request, lambda again: self._synced(again, request))
            else:
                self._plan(HEARTBEAT_MS, self._heartbeat)
        else:
            self._start_over(response.error_code)

    def _heartbeat(self) -> None:
        request = HeartbeatRequest(self.group, self.generation, self.member_id, self._instance_id)
        self._ask("Heartbeat", request, self._beaten)

    def _beaten(self, response: Any) -> None:
        if response.error_code != NONE:
            self._start_over(response.error_code)
        else:
            self._carry_on()

    def _carry_on(self) -> None:
        """Nothing has changed: work, look at offsets, or wait for the next heartbeat."""
        if self.assigned and self._random.random() < 0.6:
            self._commit()
        elif self._random.random() < 0.2:
            self._fetch()
        else:
            self._plan(HEARTBEAT_MS, self._heartbeat)

    def _commit(self) -> None:
        values = {partition: self._world.next_value(self.group, partition) for partition in self.assigned}
        partitions = [OffsetCommitRequestPartition(partition, value, -1, "") for partition, value in values.items()]
        request = OffsetCommitRequest(
            group_id=self.group,
            generation_id_or_member_epoch=self.generation,
            member_id=self.member_id,
            group_instance_id=self._instance_id,
            topics=[OffsetCommitRequestTopic(TOPIC, partitions=partitions)],
        )

        def committed(response: Any) -> None:
            errors = {p.partition_index: p.error_code for topic in response.topics for p in topic.partitions}
            for partition, error in errors.items():
                if error == NONE:
                    self._world.note_acked(self, partition, values[partition])
            worst = next((error for error in errors.values() if error != NONE), NONE)
            if worst == NONE and self._random.random() < DUPLICATE_SHARE:
                self._ask("OffsetCommit", request, committed)
            elif worst == NONE:
                self._plan(HEARTBEAT_MS, self._heartbeat)
            else:
                self._start_over(worst)

        self._ask("OffsetCommit", request, committed)

    def _fetch(self) -> None:
        asked_ms = self._world.scheduler.now_ms
        topic = OffsetFetchRequestGroupTopic(TOPIC, partition_indexes=list(range(PARTITIONS)))
        request = OffsetFetchRequest(groups=[OffsetFetchRequestGroup(self.group, topics=[topic])])

        def fetched(response: Any) -> None:
            answer = response.groups[0]
            if answer.error_code != NONE:
                self._start_over(answer.error_code)
                return
            for partition in answer.topics[0].partitions:
                self._world.note_fetched(self, asked_ms, partition.partition_index, partition.committed_offset)
            self._plan(self.fetch_pause_ms, self._heartbeat)

        self._ask("OffsetFetch", request, fetched)

    def _start_over(self, error: int) -> None:
        """As clients do: look for the coordinator, join again with the id, or join as somebody new."""
        if error in COORDINATOR_MOVED:
            self._plan(RETRY_MS, self._find_coordinator)
        elif error == REBALANCE_IN_PROGRESS:
            self._join()
        elif error == FENCED_INSTANCE_ID:
            self.vanish()  # another process has taken over this instance id
        else:
            self.member_id = ""
            self.generation = -1
            self._plan(RETRY_MS, self._join)
