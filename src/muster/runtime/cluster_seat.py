"""This node's seat in a cluster: makes true here what the membership saw, and gives everything up when its lease is over.

Views come from the membership's thread and are applied in the loop: topics that other nodes made or deleted,
partitions to lead or to let go, shards to load or unload. Whoever does not lead says so; what was under way for a
partition that moved is answered, never left waiting.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Final, Protocol, TypeAlias

from muster.cluster.lease_clock import lease_seconds
from muster.cluster.view import NO_LEADER, ClusterView
from muster.core.internal_topics import GROUP_JOURNAL
from muster.log.contract import Leader, LedElsewhere, StorageError
from muster.log_limit import LogLimit
from muster.runtime.backoff import Backoff
from muster.runtime.wheel import NEVER
from muster.topics.topic import Partition

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop, TimerHandle

    from muster.runtime.node import Node

_log = logging.getLogger(__name__)

CATALOG = "topics.json"
Slots: TypeAlias = "Sequence[tuple[str, int]]"
Prepare: TypeAlias = "Callable[[Slots, Callable[[StorageError | None], None]], None]"

LINGER_SECONDS: Final = 0.3
"""A node that handed everything over goes on answering for so long: who asks now is told NOT_COORDINATOR and looks again at
once, where a closed connection would make it wait before it comes back."""


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
        clock_s: Callable[[], float] = lease_seconds,
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
        self.before_leading: Prepare = lambda slots, then: then(None)
        """Told which partitions are to be opened, so that a store can read what it needs of all of them at once, apart from the
        loop. They are opened when it calls back, here, with what went wrong or with None."""
        self._preparing: dict[tuple[str, int], int] = {}
        """Partitions that are about to be opened, and at which epoch."""
        self.before_serving: Callable[[], None] = lambda: None
        """Called when what a start has to read is read."""
        self.on_document: dict[str, Callable[[], None]] = {CATALOG: node.broker.refresh}
        """What to do when another node has changed a shared document."""
        self._unread: dict[str, str] = {}
        """Documents that cannot be read, and why."""
        self._document_retries = Backoff(loop.call_later, self.look_again)
        self._announce_retries = Backoff(loop.call_later, self.look_again)
        self._lease_until_s = 0.0
        self._trouble = ""
        """Why the lease could not be renewed, as it was logged last."""
        self._moved_on = LogLimit(_log, "partitions that moved on", clock_s)
        self._not_taken_over = LogLimit(_log, "changes that could not be taken over", clock_s)
        self._lease_timer: TimerHandle | None = None
        self._is_leaving = False
        self.linger_s = LINGER_SECONDS
        self.is_seated = False
        """Whether this node may speak for what it leads; asked before every answer of the coordinator."""

    @property
    def view(self) -> ClusterView:
        return self.leaders.view

    # -- life

    def start(self) -> None:
        """StorageError if the node cannot join the cluster."""
        assert self.membership is not None
        self.before_serving()
        self.membership.start()

    async def hand_over(self) -> None:
        """Let the others lead everything. If the database cannot be asked they will notice by the lease.

        Called while clients are still served, and again when the node stops: the second call does nothing.
        """
        if self.membership is None or self._is_leaving:
            return
        try:
            await self._loop.run_in_executor(None, self.membership.drain)
        except StorageError as error:
            _log.warning("cannot hand over: %s; the others take over when the lease is over", error)
        self._is_leaving = True
        heirs = [node for node in self.view.nodes.values() if node.node_id != self.leaders.node_id]
        self._give_up("it is stopping", begin_anew=False)
        if heirs:
            await asyncio.sleep(self.linger_s)

    async def leave(self) -> None:
        if self.membership is None:
            return
        if self._lease_timer is not None:
            self._lease_timer.cancel()
        self._document_retries.stop()
        self._announce_retries.stop()
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

    def step_down_if_late(self) -> None:
        """Asked before anything is read from a log. A process that was frozen finds requests waiting when it wakes, and
        comes to them before it comes to its timers."""
        if self.is_seated and self._clock_s() >= self._lease_until_s:
            self._give_up("its lease is over", begin_anew=True)

    def on_alarm(self, ticks_ms: int) -> int:
        """Asked before the timers of any shard. A process that was frozen wakes with sessions that seem to be over, of members
        that another node has served since: it must not drop them, nor tell anybody who waits for them."""
        self.step_down_if_late()
        return NEVER

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
        if self.is_seated or why != self._trouble:  # a node without a seat says it once: it may wait for hours
            self._trouble = why
            _log.warning("node %d cannot renew its lease: %s", self.leaders.node_id, why)

    # -- views

    def _take(self, view: ClusterView | None, lease_until_s: float) -> None:
        self.on_reachable(True)
        self._trouble = ""
        if self._is_leaving:
            self._show_heirs(view)
            return
        self._lease_until_s = lease_until_s
        if self._lease_timer is None:
            self._check_lease()
        if view is None:
            return
        self.is_seated = True
        self.leaders.view = view
        self._node.other_nodes.keep_only(view.nodes.keys())
        if self._changed_documents(view):
            self._node.changes.in_turns(lambda: self._read_documents(view), self._follow_documents)
            if self._node.changes.apart is None:
                return  # they are read, and what follows from them was done
        self.follow_again()

    def follow_again(self) -> None:
        """Lead what the last view says; also after topics came, of which an earlier look could not know."""
        if self._is_leaving or not self.is_seated:
            return
        try:
            self._follow(self.view)
        except StorageError as error:
            self._try_again(error)

    def look_again(self) -> None:
        """Have a view delivered with the next round, changed or not."""
        if self.membership is not None:  # else the first view is still to come
            self.membership.look_again()

    def announce_again(self, topic_ids: frozenset[bytes]) -> None:
        if topic_ids:
            self._announce_retries.try_again(topic_ids)
        else:
            self._announce_retries.stop()

    def _try_again(self, error: StorageError) -> None:
        self._not_taken_over.warning("cannot take over what changed in the cluster: %s; it is tried again", error)
        self.look_again()

    def _show_heirs(self, view: ClusterView | None) -> None:
        """Clients that still ask this node are sent to those who have taken over."""
        if view is None:
            return
        me = self.leaders.node_id
        self.leaders.view = view
        for partition in self._node.broker.catalog.partitions():
            leader = view.leader(partition.topic.name, partition.index)
            partition.leader_id = NO_LEADER.node_id if leader.node_id == me else leader.node_id
            partition.leader_epoch = leader.epoch

    def _changed_documents(self, view: ClusterView) -> list[str]:
        """Also the catalog, if some of it could not be taken over, or told to the store."""
        seen, wants_refresh = self._documents_seen(), self._node.broker.catalog.wants_refresh
        return [
            name
            for name in self.on_document
            if view.documents.get(name, 0) != seen.get(name, 0) or (name == CATALOG and wants_refresh)
        ]

    def _read_documents(self, view: ClusterView) -> dict[str, StorageError]:
        """In turns with the loop, where the store is a database. Those that cannot be read, and why."""
        failures: dict[str, StorageError] = {}
        for name in self._changed_documents(view):
            try:
                self.on_document[name]()
            except StorageError as error:
                failures[name] = error
        return failures

    def _follow_documents(self, outcome: Callable[[], dict[str, StorageError]]) -> None:
        failures = outcome()
        of_topics = failures.pop(CATALOG, None)
        self._note_unread({name: str(error) for name, error in failures.items()})
        if of_topics is not None:
            self._try_again(of_topics)
        self.follow_again()

    def _note_unread(self, unread: dict[str, str]) -> None:
        """What was known of them counts until they can be read. Said once: it is tried again, perhaps for ever."""
        for name, why in unread.items():
            if self._unread.get(name) != why:
                _log.error("%s was changed and cannot be taken over: %s; what it said before is in force", name, why)
        self._unread = unread
        if unread:
            self._document_retries.try_again(frozenset(unread))
        else:
            self._document_retries.stop()

    def _follow(self, view: ClusterView) -> None:
        self._count_coordinator_partitions()
        gained: list[tuple[str, int]] = []
        for partition, leader in self._moved():
            if leader.node_id != self.leaders.node_id:
                self._lead(partition, leader)
                continue
            slot = (partition.topic.name, partition.index)
            if self._preparing.get(slot) != leader.epoch:
                self._preparing[slot] = leader.epoch
                gained.append(slot)
            if partition.is_led_here:
                # At an earlier epoch: another node may have led it since. Nothing is told from what this one remembers.
                self._lead(partition, Leader(NO_LEADER.node_id, partition.leader_epoch))
        if gained:
            self.before_leading(gained, partial(self._lead_gained, frozenset(gained)))
        self._elect_what_is_open()

    def _count_coordinator_partitions(self) -> None:
        """Another node made the topic, perhaps with another number of partitions: groups and transactional ids are found by the
        number it has."""
        for name, coordinator in self._node.coordinators.items():
            topic = self._node.broker.topic(name)
            if topic is not None and not coordinator.places and coordinator.partition_count != len(topic.partitions):
                coordinator.count_partitions(len(topic.partitions))

    def _moved(self) -> list[tuple[Partition, Leader]]:
        """What is to be led otherwise than it is, by the view of this moment."""
        me, moved = self.leaders.node_id, []
        for partition in self._node.broker.catalog.partitions():
            leader = self.view.leader(partition.topic.name, partition.index)
            # One that is ours and not open could not be opened when it was tried, or is about to be.
            is_open = partition.is_led_here or leader.node_id != me
            if leader != (partition.leader_id, partition.leader_epoch) or not is_open:
                moved.append((partition, leader))
        # Groups and transactions wait for their coordinator longer than readers wait for records.
        moved.sort(key=lambda each: each[0].topic.name not in self._node.coordinators)
        return moved

    def _lead_gained(self, slots: frozenset[tuple[str, int]], failure: StorageError | None) -> None:
        """What is needed of these was read, while other things may have happened: a later view counts, and has its own call."""
        for slot in slots:
            self._preparing.pop(slot, None)
        if self._is_leaving or not self.is_seated:
            return
        if failure is not None:
            self._try_again(failure)
            return
        try:
            for partition, leader in self._moved():
                if leader.node_id == self.leaders.node_id and (partition.topic.name, partition.index) in slots:
                    self._lead(partition, leader)
            self._elect_what_is_open()
        except StorageError as error:
            self._try_again(error)

    def _elect_what_is_open(self) -> None:
        """A topic that is heard of when its leaders are known already is opened by the catalog, and moves nowhere."""
        for name, coordinator in self._node.coordinators.items():
            topic = self._node.broker.topic(name)
            for partition in topic.partitions if topic is not None else ():
                if partition.is_led_here and partition.index not in coordinator.places:
                    coordinator.elect(partition.index, partition.leader_epoch)

    def _lead(self, partition: Partition, leader: Leader) -> None:
        node, old_log, was_here = self._node, partition.log, partition.is_led_here
        coordinator = node.coordinators.get(partition.topic.name)
        if was_here and coordinator is not None:
            coordinator.resign(partition.index)
        try:
            node.broker.catalog.lead(partition, leader)
        except LedElsewhere as error:
            self._moved_on.info("%s moved on already: %s", partition, error)
        finally:
            if was_here:
                node.durable.give_up(old_log, LedElsewhere(f"{partition} is led by another node now"))
                node.long_polls.on_advance(old_log)
            if partition.topic.name == GROUP_JOURNAL:
                node.journal.forget_logs()
        if coordinator is not None and partition.is_led_here:
            coordinator.elect(partition.index, leader.epoch)
