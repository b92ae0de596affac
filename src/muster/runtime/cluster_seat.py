"""This node's seat in a cluster: makes true here what the membership saw, and gives everything up when its lease is over.

Views come from the membership's thread and are applied in the loop: topics that other nodes made or deleted,
partitions to lead or to let go, shards to load or unload. Whoever does not lead says so; what was under way for a
partition that moved is answered, never left waiting.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from time import monotonic
from typing import TYPE_CHECKING, Protocol

from muster.cluster.view import NO_LEADER, ClusterView
from muster.log.contract import Leader, LedElsewhere, StorageError
from muster.topics.names import CONSUMER_OFFSETS, GROUP_JOURNAL
from muster.topics.topic import Partition

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop, TimerHandle

    from muster.runtime.node import Node

_log = logging.getLogger(__name__)

CATALOG = "topics.json"


class Membership(Protocol):
    """The part of `cluster.membership.Membership` that is needed here."""

    def start(self) -> None: ...

    def reclaim(self) -> None: ...

    def look_again(self) -> None: ...

    def drain(self) -> None: ...

    def leave(self) -> None: ...


class ClusterLeaders:
    """Who leads what, for the catalog: what the last view says."""

    def __init__(self, node_id: int) -> None:
        self.node_id = node_id
        self.is_alone = False
        self.view = ClusterView()

    def of(self, topic: str, partition: int, kept_epoch: int) -> Leader:
        return self.view.leader(topic, partition)


class ClusterSeat:
    def __init__(
        self,
        node: Node,
        leaders: ClusterLeaders,
        loop: AbstractEventLoop,
        documents_seen: Callable[[], Mapping[str, int]],
        clock_s: Callable[[], float] = monotonic,
    ) -> None:
        """`documents_seen`: the versions of shared documents that this node knows."""
        self._node = node
        self.leaders = leaders
        self._loop = loop
        self._documents_seen = documents_seen
        self._clock_s = clock_s
        self.membership: Membership | None = None
        """Set before `start`."""
        self.on_reachable: Callable[[bool], None] = lambda is_reachable: None
        """Told whether the database answers."""
        self.on_document: dict[str, Callable[[], None]] = {CATALOG: node.broker.refresh}
        """What to do when another node has changed a shared document."""
        self._lease_until_s = 0.0
        self._lease_timer: TimerHandle | None = None
        self._is_leaving = False
        self.is_seated = False
        """Whether this node may speak for what it leads; asked before every answer of the coordinator."""

    @property
    def view(self) -> ClusterView:
        return self.leaders.view

    # -- life

    def start(self) -> None:
        """StorageError if the node cannot join the cluster."""
        assert self.membership is not None
        self.membership.start()

    async def hand_over(self) -> None:
        """Let the others lead everything. If the database cannot be asked they will notice by the lease."""
        assert self.membership is not None
        try:
            await self._loop.run_in_executor(None, self.membership.drain)
        except StorageError as error:
            _log.warning("cannot hand over: %s; the others take over when the lease is over", error)
        self._is_leaving = True
        self._give_up("it is stopping", begin_anew=False)

    async def leave(self) -> None:
        assert self.membership is not None
        if self._lease_timer is not None:
            self._lease_timer.cancel()
        await self._loop.run_in_executor(None, self.membership.leave)

    # -- what the membership says, from its own thread

    def deliver(self, view: ClusterView | None, lease_until_s: float) -> None:
        self._loop.call_soon_threadsafe(self._take, view, lease_until_s)

    def on_alone(self, why: str) -> None:
        self._loop.call_soon_threadsafe(self._note_trouble, why)

    # -- the lease

    def may_speak(self) -> bool:
        """False from the moment in which another node may have been made owner: this one says NOT_COORDINATOR then."""
        if self.is_seated and self._clock_s() < self._lease_until_s:
            return True
        if self.is_seated:
            self._loop.call_soon(self._check_lease)
        return False

    def _check_lease(self) -> None:
        self._lease_timer = None
        left_s = self._lease_until_s - self._clock_s()
        if left_s > 0:
            self._lease_timer = self._loop.call_later(left_s, self._check_lease)
        elif self.is_seated:
            self._give_up("its lease is over", begin_anew=True)

    def begin_anew(self) -> None:
        """The store does not know what became of a commit: everything that is open has to be read again."""
        if self.is_seated and self.membership is not None:
            self._give_up("the database went away during a commit", begin_anew=True)

    def _give_up(self, why: str, *, begin_anew: bool) -> None:
        led = [partition for partition in self._node.broker.catalog.partitions() if partition.is_led_here]
        _log.warning("node %d gives up %d partitions: %s", self.leaders.node_id, len(led), why)
        self.is_seated = False
        self.leaders.view = ClusterView(nodes=self.view.nodes)
        for partition in led:
            self._lead(partition, Leader(NO_LEADER.node_id, partition.leader_epoch))
        if begin_anew:
            assert self.membership is not None
            self.membership.reclaim()

    def _note_trouble(self, why: str) -> None:
        self.on_reachable(False)
        if self.is_seated:
            _log.warning("node %d cannot renew its lease: %s", self.leaders.node_id, why)

    # -- views

    def _take(self, view: ClusterView | None, lease_until_s: float) -> None:
        if self._is_leaving:
            return
        self.on_reachable(True)
        self._lease_until_s = lease_until_s
        if self._lease_timer is None:
            self._check_lease()
        if view is None:
            return
        self.is_seated = True
        self.leaders.view = view
        try:
            self._read_documents(view)
            self._follow(view)
        except StorageError as error:
            _log.warning("cannot take over what changed in the cluster: %s; it is tried again", error)
            assert self.membership is not None
            self.membership.look_again()

    def _read_documents(self, view: ClusterView) -> None:
        seen = self._documents_seen()
        for name, read in self.on_document.items():
            if view.documents.get(name, 0) != seen.get(name, 0):
                read()

    def _follow(self, view: ClusterView) -> None:
        offsets = self._node.broker.topic(CONSUMER_OFFSETS)
        if offsets is not None and not self._node.coordinator.places:
            # Another node made it, perhaps with another number of partitions: groups are found by the number it has.
            self._node.coordinator.partition_count = len(offsets.partitions)
        for partition in list(self._node.broker.catalog.partitions()):
            leader = view.leader(partition.topic.name, partition.index)
            if leader != (partition.leader_id, partition.leader_epoch):
                self._lead(partition, leader)

    def _lead(self, partition: Partition, leader: Leader) -> None:
        node, old_log, was_here = self._node, partition.log, partition.is_led_here
        coordinates = partition.topic.name == CONSUMER_OFFSETS
        if was_here and coordinates:
            node.coordinator.resign(partition.index)
        try:
            node.broker.catalog.lead(partition, leader)
        except LedElsewhere as error:
            _log.info("%s moved on already: %s", partition, error)
        finally:
            if was_here:
                node.durable.give_up(old_log, LedElsewhere(f"{partition} is led by another node now"))
                node.long_polls.on_advance(old_log)
            if partition.topic.name == GROUP_JOURNAL:
                node.journal.forget_logs()
        if coordinates and partition.is_led_here:
            node.coordinator.elect(partition.index, leader.epoch)
