"""Every control of the test kit, inside the broker's loop: what the `Broker` of a test and the HTTP pages both call.

Holds the clock, the book of faults, the journal that has been heard, and which connection each member speaks through. Knows
nothing of threads and nothing of HTTP. Goes into a server as its maker of nodes and its table of handlers.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Any

from muster.core.classic.group import Group
from muster.core.classic.outcome_builder import OutcomeBuilder
from muster.core.classic.rebalance import start
from muster.core.classic.states import CAN_REBALANCE
from muster.core.consumer.group import ConsumerGroup
from muster.core.contract import Outcome
from muster.core.hashing import partition_for
from muster.core.internal_topics import CONSUMER_OFFSETS
from muster.core.journal import JournalEvent
from muster.runtime.coordinator_shards import ShardState
from muster.runtime.group_runner import GroupRunner
from muster.runtime.node import Node
from muster.server.assembly import assemble
from muster.server.call import Call
from muster.server.connection import Connection
from muster.server.endpoint import Endpoint
from muster.server.handlers.table import HANDLERS
from muster.server.settings import Settings
from muster.testing import coordinator_faults, topic_records
from muster.testing.consumer_views import consumer_view
from muster.testing.faults import Fault, FaultBook
from muster.testing.group_views import GroupView, TopicPartition, view_of
from muster.testing.group_waits import GroupWaits, WaitTimeout, Wanted
from muster.testing.interception import Interception
from muster.testing.journal_words import line
from muster.testing.kit_clock import KitClock
from muster.testing.kit_consumers import KitConsumers, only_member
from muster.testing.kit_transactions import KitTransactions, pending_offsets_of
from muster.testing.transaction_views import PendingOffsetView

KEPT_EVENTS = 100_000
KEPT_CONNECTIONS = 10_000
_SETTLING_ROUNDS = 2
"""A write may be followed by one that its completion caused."""

_TURNS_TO_SEE_AN_END = 2
"""Of the loop: a client that was killed a moment ago has an end that lies in the kernel; one turn reads it, one acts on it."""


class Kit:
    def __init__(self, *, frozen: bool = False, start_ms: int | None = None) -> None:
        self._frozen = frozen
        self._start_ms = start_ms
        self.faults = FaultBook()
        self._interception = Interception(self.faults, self._saw, lambda _: self._waits.stir())
        self.handlers = self._interception.around(HANDLERS)
        self._connections: dict[str, Connection] = {}
        """Member id -> the connection of its last group request."""
        self._events: deque[JournalEvent] = deque(maxlen=KEPT_EVENTS)
        self._ends: dict[Fault, Callable[[], None]] = {}
        """How faults of the coordinator end."""
        self.node: Node
        self.clock: KitClock
        self.transactions: KitTransactions
        self._consumers: KitConsumers
        self._waits: GroupWaits

    def make_node(self, settings: Settings, advertise: Endpoint) -> Node:
        loop = asyncio.get_running_loop()
        self.clock = self._interception.clock = KitClock(loop, self._start_ms, frozen=self._frozen)
        self._waits = GroupWaits(loop)
        self.node = assemble(settings, advertise, self.clock)
        self.node.journal.listeners.append(self._heard)
        self._consumers = KitConsumers(self.node, self.faults)
        self.transactions = KitTransactions(self.node, self.faults, self._waits, self.settle)
        return self.node

    def open_coordinator(self) -> None:
        """Have the coordinator's topic now, so that the first client is not told to come again."""
        if self.node.broker.topic(CONSUMER_OFFSETS) is None:
            self.node.create_offsets_topic_soon()

    async def reset(self) -> None:
        """Forget all that clients and tests did. Who is connected stays so, and finds that nobody knows it.

        The topics of the coordinators go like the others, and with them every group, offset and transaction.
        """
        await self.remove_all()
        self.faults.forget()
        topic_records.delete_all_topics(self.node)
        await self.settle()
        self._events.clear()
        self.clock.thaw()
        self.open_coordinator()
        await self.settle()
        self._waits.stir()

    # -- what happens while clients are served

    def _saw(self, api: str, call: Call, message: Any) -> None:
        member_id = getattr(message, "member_id", None)
        if member_id:
            self._connections.pop(member_id, None)  # so that the longest silent ones come first
            self._connections[member_id] = call.connection
            if len(self._connections) > KEPT_CONNECTIONS:
                self._connections.pop(next(iter(self._connections)))

    def _heard(self, event: JournalEvent) -> None:
        self._events.append(event)
        self._waits.stir()

    async def settle(self) -> None:
        """Come back when nothing is on its way to the log, and what follows from that has happened."""
        loop = asyncio.get_running_loop()
        for _ in range(_SETTLING_ROUNDS):
            idle = loop.create_future()
            self.node.durable.when_idle(lambda idle=idle: idle.done() or idle.set_result(None))  # type: ignore[misc]
            await idle

    # -- time

    async def advance(self, duration_ms: int, *, keep_connected: bool = False) -> int:
        """Move the clock; returns what it shows then. `keep_connected`: members with an open connection do not expire."""
        if keep_connected:
            for _ in range(_TURNS_TO_SEE_AN_END):
                await asyncio.sleep(0)
        await self.clock.advance(duration_ms, self.settle, self._keep_sessions if keep_connected else None)
        return self.clock.now_ms()

    def _keep_sessions(self, until_ms: int) -> None:
        """As if these members' heartbeats kept pace with the clock, although their clients live in real time."""
        connected = self._connected()
        for place in self.node.coordinator.places.values():
            for group in place.runner.shard.groups.values() if place.runner is not None else ():
                timers = [
                    (member.session_key, until_ms + member.session_timeout_ms)
                    for member in group.members.values()
                    if member.member_id in connected
                ]
                if timers and place.runner is not None:
                    # The alarm may ring for the old deadlines; the wheel then finds that they were moved.
                    place.runner.interject(group.group_id, lambda _, timers=timers: Outcome(timers=timers))  # type: ignore[misc]
            if place.runner is not None:
                self._consumers.keep_sessions(place.runner, until_ms, connected)

    def _connected(self) -> frozenset[str]:
        return frozenset(member_id for member_id, each in self._connections.items() if not each.closing)

    # -- groups

    def groups(self) -> list[GroupView]:
        shards = self.node.coordinator.shards()
        names = {name for shard in shards for name in (*shard.groups, *shard.consumer_groups)}
        return [self.view(name) for name in sorted(names)]

    def view(self, group_id: str) -> GroupView:
        runner = self._runner(group_id)
        if runner is not None and group_id in runner.shard.consumer_groups:
            return consumer_view(runner.shard.consumer_groups[group_id], runner.shard, self._connected())
        return view_of(group_id, runner.shard.groups.get(group_id) if runner is not None else None, self._connected())

    def offsets(self, group_id: str) -> dict[TopicPartition, int]:
        runner = self._runner(group_id)
        if runner is None:
            return {}
        topics = runner.shard.offsets.of_group(group_id)
        return {(topic, index): stored.offset for topic, each in topics.items() for index, stored in each.items()}

    def pending_offsets(self, group_id: str) -> list[PendingOffsetView]:
        runner = self._runner(group_id)
        return [] if runner is None else pending_offsets_of(runner.shard.offsets, group_id)

    def journal(self, group_id: str) -> list[JournalEvent]:
        return [event for event in self._events if event.group_id == group_id]

    def explain(self, group_id: str) -> list[str]:
        from muster.testing.explained import explained

        return explained(self.view(group_id), self.journal(group_id))

    async def wait(self, group_id: str, wanted: Wanted, timeout_seconds: float) -> GroupView:
        def is_there() -> bool:
            return wanted.holds(self.view(group_id), self.offsets(group_id))

        if not await self._waits.until(is_there, timeout_seconds):
            raise WaitTimeout(self._why_not(group_id, wanted, timeout_seconds))
        return self.view(group_id)

    def _why_not(self, group_id: str, wanted: Wanted, timeout_seconds: float) -> str:
        story = [f"  {line(event)}" for event in self.journal(group_id)[-20:]] or ["  nothing happened to it"]
        active = [f"  {fault}" for fault in self.faults.active()] or ["  none"]
        return "\n".join(
            [
                f"group {group_id!r} did not reach {wanted} within {timeout_seconds:g} s",
                f"it is: {self.view(group_id)}",
                "its last events:",
                *story,
                "active faults:",
                *active,
            ]
        )

    def force_rebalance(self, group_id: str) -> None:
        """Begin a join phase, as if membership had changed; members hear of it with their next heartbeat."""
        if self._consumers.of(self._runner(group_id), group_id) is not None:
            raise ValueError(
                f"{group_id!r} is a consumer group (KIP-848): it has no join phase; expire or fence a member"
            )
        runner, group = self._group_with_members(group_id)

        def decide(now_ms: int) -> Outcome:
            turn = OutcomeBuilder(runner.shard.config, runner.shard.counters, runner.shard.new_id, now_ms)
            if group.state in CAN_REBALANCE and group.members:
                start(group, turn, "forced")
            return turn.outcome()

        runner.interject(group_id, decide)

    def expire(self, group_id: str, member: str) -> str:
        """Let the session of one member end now. `member`: member id, instance id or client id. Returns the member id."""
        consumers = self._consumers.of(self._runner(group_id), group_id)
        if consumers is not None:
            return self._consumers.expire(*consumers, member)
        runner, group = self._group_with_members(group_id)
        found = only_member(group_id, group.members.values(), member)
        if found.has_satisfied_heartbeat:
            raise ValueError(
                f"{found.member_id} cannot expire now: the coordinator owes it an answer;"
                " wait for the group to be Stable first"
            )
        key = found.session_key
        runner.interject(group_id, lambda now_ms: runner.shard.on_timer(key, now_ms))
        return found.member_id

    def fence(self, group_id: str, member: str) -> Fault:
        """Answer the next heartbeat of this member of a consumer group FENCED_MEMBER_EPOCH: it gives all up and joins anew."""
        return self._consumers.fence(*self._consumer_group(group_id), member)

    def hold_revocation(self, group_id: str, member: str | None) -> Fault:
        """What this member, or any, of a consumer group gives up counts as not given up until the fault is removed."""
        return self._consumers.hold_revocation(*self._consumer_group(group_id), member)

    def _consumer_group(self, group_id: str) -> tuple[GroupRunner, ConsumerGroup]:
        found = self._consumers.of(self._runner(group_id), group_id)
        if found is None:
            raise ValueError(f"{group_id!r} is no consumer group (KIP-848) with members; wait for them first")
        return found

    def _runner(self, group_id: str) -> GroupRunner | None:
        coordinator = self.node.coordinator
        place = coordinator.places.get(partition_for(group_id, coordinator.partition_count))
        return place.runner if place is not None else None

    def _group_with_members(self, group_id: str) -> tuple[GroupRunner, Group]:
        runner = self._runner(group_id)
        group = runner.shard.groups.get(group_id) if runner is not None else None
        if runner is None or group is None or not group.members:
            raise ValueError(f"group {group_id!r} has no members; wait for them first")
        return runner, group

    # -- faults of the coordinator

    async def move_coordinator(self, group_id: str) -> None:
        """Unload and load again in one go: nobody finds it missing, but all that is not in the log is lost."""
        epoch = coordinator_faults.away(self.node.coordinator, group_id)
        await self.settle()
        coordinator_faults.back(self.node.coordinator, group_id, epoch)
        await self._loaded(group_id)

    def take_coordinator(self, kind: str, group_id: str, duration_ms: int | None) -> Fault:
        """`loading` or `moved`, for so long on the broker's clock, or until the fault is removed."""
        if duration_ms is not None and duration_ms < 0:
            raise ValueError(f"a coordinator cannot be {kind} for {duration_ms} ms: give 0 seconds or more")
        if kind == "loading":
            fault, act = self.faults.add("loading", group=group_id), coordinator_faults.loading
        else:
            fault, act = self.faults.add("moved", group=group_id), coordinator_faults.away
        try:
            epoch = act(self.node.coordinator, group_id)
        except ValueError:
            self.faults.drop(fault)
            raise
        fault.use()

        def end() -> None:
            if not fault.is_over:
                fault.is_over = True
                coordinator_faults.back(self.node.coordinator, group_id, epoch)

        self._ends[fault] = end
        if duration_ms is not None:
            fault.delay_ms = duration_ms
            self.clock.wake_at(self.clock.now_ms() + duration_ms, end)
        return fault

    async def remove(self, fault: Fault) -> None:
        end = self._ends.pop(fault, None)
        if end is not None:
            await self.settle()
            end()
            if fault.group is not None:
                await self._loaded(fault.group)
        fault.is_over = True
        if fault.kind == "markers_held":
            self.transactions.release_markers(fault)
            await self.settle()

    async def remove_all(self) -> None:
        for fault in self.faults.active():
            await self.remove(fault)

    async def _loaded(self, group_id: str) -> None:
        """Turns of the loop are what a load needs: it goes a step in each."""
        coordinator = self.node.coordinator
        partition = partition_for(group_id, coordinator.partition_count)
        while (place := coordinator.places.get(partition)) is not None and place.state is ShardState.LOADING:  # noqa: ASYNC110
            await asyncio.sleep(0)
        self._waits.stir()
        await self.settle()
