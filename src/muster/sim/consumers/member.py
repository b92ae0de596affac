"""A model member of a consumer group. It speaks the new protocol, or in a group that is being moved the one that its life was
started with: then it joins, gives everything up when it joins again, and carries real subscriptions and assignments.

It does what it is told: gives up first, says so, and takes what it is given.
"""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

from muster.sim.client import RETRY_MS
from muster.sim.member import (
    COORDINATOR_MOVED,
    HEARTBEAT_MS,
    REBALANCE_MS,
    SESSION_MS,
    TOPIC,
    VERSIONS,
    SimMember,
)
from muster.wire.consumer_protocol import (
    Assignment,
    Subscription,
    decode_assignment,
    encode_assignment,
    encode_subscription,
)
from muster.wire.errors import (
    FENCED_INSTANCE_ID,
    FENCED_MEMBER_EPOCH,
    GROUP_ID_NOT_FOUND,
    NONE,
    STALE_MEMBER_EPOCH,
    UNKNOWN_MEMBER_ID,
    UNRELEASED_INSTANCE_ID,
)
from muster.wire.generated.consumer_group_heartbeat import (
    ConsumerGroupHeartbeatRequest,
    ConsumerGroupHeartbeatRequestTopicPartition,
)
from muster.wire.generated.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from muster.wire.generated.sync_group import SyncGroupRequestAssignment

if TYPE_CHECKING:
    from muster.sim.witness import Witness

LATE_COMMIT_SHARE = 0.5
"""How often a member commits once more what it has given up, as a slow thread of a client does."""
CLASSIC_SHARE = 0.5
"""How often a member of a group that is being moved starts with the classic protocol."""
SHORT_SILENCE_MS = SESSION_MS // 2
"""Nobody can have taken the member for dead: clocks run at different rates, but not so different."""
MOVED = "moved"
"""How the names of groups begin whose members are started now with one protocol, now with the other."""
_REJOINING = (FENCED_MEMBER_EPOCH, UNKNOWN_MEMBER_ID, GROUP_ID_NOT_FOUND)


class ConsumerMember(SimMember):
    versions = VERSIONS | {"ConsumerGroupHeartbeat": 1}
    is_moved = True

    def __init__(self, world: Witness, group: str, name: str, random: Random, instance_id: str | None) -> None:
        super().__init__(world, group, name, random, instance_id)
        self.speaks_classic = False
        self._topic_id = b""
        self._says_owned = False
        """The next heartbeat says what the member has: it has changed, or an answer was lost."""
        self._says_all = False
        self._given_up: tuple[int, int] | None = None
        """A partition, and the epoch at which the member had it."""
        self._heard: tuple[int, int] | None = None
        """When its last heartbeat was sent that was answered NONE, on both clocks."""

    # -- life

    def start(self) -> None:
        self.assigned = ()
        super().start()
        self.speaks_classic = self.group.startswith(MOVED) and self._random.random() < CLASSIC_SHARE
        if not self.speaks_classic:
            self.member_id = f"{self._random.getrandbits(64):016x}"
        self.generation = 0
        self._heard = None

    def leave(self) -> None:
        """Gives up what it has first. A static member says that it will be back, most of the time."""
        self.assigned = ()
        self._forget_plans()
        if self.speaks_classic:
            super().leave()
            return
        if self._link is None or not self.generation or self._waiting is not None:
            self.vanish()
            return
        epoch = -2 if self._instance_id is not None and self._random.random() < 0.8 else -1
        request = ConsumerGroupHeartbeatRequest(self.group, self.member_id, epoch, self._instance_id)
        self._ask("ConsumerGroupHeartbeat", request, lambda _: self.vanish())

    def _start_again(self) -> None:
        self._says_owned = self._says_all = True
        super()._start_again()

    def _found(self, response: Any) -> None:
        """A member that has an epoch goes on where it was: a broken link is no reason to join again."""
        if self.speaks_classic or not self.generation or response.coordinators[0].error_code != NONE:
            super()._found(response)
        else:
            self._heartbeat()

    # -- the new protocol

    def _join(self) -> None:
        if self.speaks_classic:
            super()._join()
            return
        self.assigned = ()
        self.generation = 0
        self._given_up = None
        self._heartbeat()

    def _heartbeat(self) -> None:
        if self.speaks_classic:
            super()._heartbeat()
            return
        request = ConsumerGroupHeartbeatRequest(self.group, self.member_id, self.generation, self._instance_id)
        joins = self.generation == 0
        if joins:
            # Also one that has joined: while the first target of a group is put off that was moved in its generation 0.
            self._says_owned = self._says_all = True
        if self._says_owned:
            owned = [ConsumerGroupHeartbeatRequestTopicPartition(self._topic_id, list(self.assigned))]
            request.topic_partitions = owned if self.assigned else []
        if self._says_all:
            request.rebalance_timeout_ms = REBALANCE_MS
            if self._instance_id is None:
                request.subscribed_topic_names = [TOPIC]
            else:
                request.subscribed_topic_regex = TOPIC[:-1] + ".*"
        self._says_owned = self._says_all = False
        self._ask("ConsumerGroupHeartbeat", request, lambda response: self._told(response, joins=joins))

    def _told(self, response: Any, *, joins: bool) -> None:
        if response.error_code != NONE:
            self._start_over(response.error_code)
            return
        epoch, self.generation = self.generation, response.member_epoch
        self._world.consumers.note_told(self, joins=joins)
        late = self._given_up  # before this answer, and this answer knows
        if response.assignment is not None:
            self._take_over(response.assignment.topic_partitions, epoch)
        has_gone = late is not None and self.generation > late[1] and late[0] not in self.assigned
        if late is not None and has_gone and self._random.random() < LATE_COMMIT_SHARE:
            self._commit_late(*late)
        elif self._says_owned:
            self._heartbeat()
        else:
            self._carry_on()

    def _take_over(self, assignment: Any, epoch: int) -> None:
        for each in assignment:
            self._topic_id = each.topic_id
        had, self.assigned = self.assigned, tuple(sorted(number for each in assignment for number in each.partitions))
        lost = [partition for partition in had if partition not in self.assigned]
        if lost:
            self._given_up = (lost[0], epoch)
        self._says_owned = had != self.assigned
        self._world.consumers.note_taken(self)

    def _commit_late(self, partition: int, epoch: int) -> None:
        partitions = [OffsetCommitRequestPartition(partition, self._world.next_value(self.group, partition), -1, "")]
        request = OffsetCommitRequest(
            group_id=self.group,
            generation_id_or_member_epoch=epoch,
            member_id=self.member_id,
            group_instance_id=self._instance_id,
            topics=[OffsetCommitRequestTopic(TOPIC, partitions=partitions)],
        )

        self._given_up = None

        def refused(response: Any) -> None:
            self._world.consumers.note_late_commit(self, epoch, partition, response.topics[0].partitions[0].error_code)
            self._heartbeat()

        self._ask("OffsetCommit", request, refused)

    def _start_over(self, error: int) -> None:
        if self.speaks_classic:
            super()._start_over(error)
        elif error == STALE_MEMBER_EPOCH:
            self._heartbeat()  # which says which epoch is the right one
        elif error in _REJOINING:
            self.assigned = ()
            self.generation = 0
            self._plan(RETRY_MS, self._join)
        elif error == UNRELEASED_INSTANCE_ID:
            self._plan(HEARTBEAT_MS, self._join)
        elif error == FENCED_INSTANCE_ID:
            self.vanish()
        else:
            self._says_owned = self._says_all = True
            if error not in COORDINATOR_MOVED:
                self._world.consumers.note_surprise(self, error)
            self._plan(RETRY_MS, self._find_coordinator)

    # -- the classic protocol

    def _note_answer(self, api: str, asked: tuple[int, int], response: Any) -> None:
        super()._note_answer(api, asked, response)
        if api == "Heartbeat" and response.error_code == NONE:
            self._heard = asked
        elif api == "Heartbeat" and response.error_code == UNKNOWN_MEMBER_ID and self._heard is not None:
            silence_ms = max(now - then for now, then in zip(self._world.both_clocks(), self._heard, strict=True))
            if silence_ms < SHORT_SILENCE_MS:
                self._world.history.consumers.dropped.add((self.group, self.member_id))

    def _metadata(self) -> bytes:
        return encode_subscription(Subscription([TOPIC]))

    def _plan_for(self, members: list[str]) -> list[SyncGroupRequestAssignment]:
        order = sorted(members)
        return [
            SyncGroupRequestAssignment(
                member,
                encode_assignment(
                    Assignment([(TOPIC, list(range(self._world.topic_partitions))[index :: len(order)])])
                ),
            )
            for index, member in enumerate(order)
        ]

    def _take_assignment(self, assignment: bytes) -> None:
        given = decode_assignment(assignment).partitions if assignment else ()
        self.assigned = tuple(sorted(number for _, numbers in given for number in numbers))
        self._world.consumers.note_taken(self)
