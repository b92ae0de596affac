"""A real server on a free port, with a clock that only tests move, and ways to look into it between two of its steps.

What is "parked" is asked of the server itself: after a barrier, is that connection's request still in work?
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any, TypeVar

from muster.core.hashing import partition_for
from muster.runtime.node import Node
from muster.server.assembly import assemble
from muster.server.endpoint import Endpoint
from muster.server.running import RunningServer
from muster.server.settings import Settings
from muster.topics.creation import NewTopic
from muster.wire.generated.find_coordinator import FindCoordinatorRequest
from tests.movable_clock import MovableClock
from tests.server.groups.group_client import GroupClient, Waiting
from tests.server.raw_client import PATIENCE_SECONDS

T = TypeVar("T")

DEFAULTS: Mapping[str, str] = {
    "listeners": "127.0.0.1:0",
    "muster.storage": "memory",
    "group.initial.rebalance.delay.ms": "0",
    "offsets.topic.num.partitions": "4",
}
TOPICS = {"orders": 3, "returns": 2}
OPERATOR = "127.0.0.9"
"""The address from which servers are set up: tests with rules let it do everything."""


@dataclass
class Seat:
    """A client that is in a generation."""

    client: GroupClient
    group: str
    member_id: str
    generation: int
    joined: Any
    """Its answer to JoinGroup."""
    instance: str | None = None

    def beat(self) -> int:
        return self.client.beat(self.group, self.generation, self.member_id, self.instance)

    def rejoin(self, **fields: Any) -> Waiting:
        return self.client.join(self.group, self.member_id, instance=self.instance, **fields)

    def sync(self, assignments: Sequence[tuple[str, bytes]] = (), **fields: Any) -> Waiting:
        return self.client.sync(
            self.group, self.generation, self.member_id, assignments, instance=self.instance, **fields
        )

    @property
    def ids(self) -> dict[str, Any]:
        """For a commit of this member."""
        return {"generation": self.generation, "member_id": self.member_id, "instance": self.instance}

    @property
    def leads(self) -> bool:
        return bool(self.joined.leader == self.member_id)


class GroupServer:
    """`with GroupServer() as server:` has topics `orders` (3 partitions) and `returns` (2) and a coordinator."""

    def __init__(
        self,
        settings: Mapping[str, str] | None = None,
        *,
        clock: MovableClock | None = None,
        with_coordinator: bool = True,
        prepare: Callable[[Node], None] | None = None,
    ) -> None:
        self.clock = clock or MovableClock()
        self._with_coordinator = with_coordinator
        self._prepare = prepare
        self._running = RunningServer(Settings.of({**DEFAULTS, **(settings or {})}), self._make_node)
        self._clients = ExitStack()

    def _make_node(self, settings: Settings, advertise: Endpoint) -> Node:
        node = assemble(settings, advertise, self.clock)
        if self._prepare is not None:
            self._prepare(node)
        return node

    def __enter__(self) -> GroupServer:
        self._running.start()
        self.run(self._create_topics)
        if self._with_coordinator:
            self.find_coordinator()
        return self

    def __exit__(self, *_: object) -> None:
        self._clients.close()
        self._running.stop()

    def _create_topics(self) -> None:
        wanted = [NewTopic(name, count) for name, count in TOPICS.items() if self.node.broker.topic(name) is None]
        self.node.broker.create_topics(wanted)

    @property
    def node(self) -> Node:
        node = self._running.node
        assert isinstance(node, Node)
        return node

    @property
    def port(self) -> int:
        return self._running.port

    @property
    def metrics_address(self) -> str:
        """HOST:PORT, if the settings ask for metrics."""
        assert self._running.server is not None
        return str(self._running.server.metrics)

    def stop(self) -> None:
        """Graceful; clients stay open to read what they are still told."""
        self._running.stop()

    def client(self, client_id: str | None = "raw", source: str = "127.0.0.1") -> GroupClient:
        client = GroupClient(self.port, client_id, source)
        self._clients.callback(client.close)
        return client

    def find_coordinator(self) -> None:
        """Make the offsets topic, as the first client of a cluster does, and wait until its shards are there."""
        client = self.client(source=OPERATOR)
        client.call("FindCoordinator", 4, FindCoordinatorRequest(key_type=0, coordinator_keys=["g"]))
        self.settle()
        (found,) = client.call("FindCoordinator", 4, FindCoordinatorRequest("g", 0, ["g"])).coordinators
        assert found.error_code == 0

    def topic_id(self, name: str) -> bytes:
        topic = self.node.broker.topic(name)
        assert topic is not None
        return topic.topic_id

    # -- time and order

    def run(self, function: Callable[..., T], *arguments: object) -> T:
        return self._running.run(function, *arguments)

    def barrier(self) -> None:
        """Everything that clients have sent has been taken up: it lay in the kernel before these rounds of the loop."""
        for _ in range(3):
            self.run(lambda: None)

    def settle(self) -> None:
        """Also nothing is on its way to the log any more."""
        for _ in range(3):
            idle = threading.Event()
            self.run(self.node.durable.when_idle, idle.set)
            assert idle.wait(PATIENCE_SECONDS), "the log does not settle"

    def pass_time(self, duration_ms: int, step_ms: int = 1_000) -> None:
        """Move the clock, and let everything that follows from it happen in between."""
        self.settle()
        while True:
            step = min(duration_ms, step_ms)
            self.run(self.clock.advance, step)
            self.settle()
            duration_ms -= step
            if duration_ms <= 0:
                return

    def taken(self, waiting: Waiting) -> Waiting:
        """The same request, once the server has it: what is sent on another connection now comes after it."""
        self.barrier()
        return waiting

    def is_parked(self, waiting: Waiting) -> bool:
        """The server has this request and owes its answer."""
        self.settle()
        return self.has_in_work(waiting)

    def has_in_work(self, waiting: Waiting) -> bool:
        self.barrier()
        return self.run(self._in_work, waiting.client.address)

    def _in_work(self, address: str) -> bool:
        assert self._running.server is not None
        connections = self._running.server.listener.connections
        return any(each.address == address and each.call is not None for each in connections)

    # -- the shard of a group

    def partition_of(self, group: str) -> int:
        return partition_for(group, self.node.coordinator.partition_count)

    def lose(self, group: str) -> None:
        """Another node leads the group's partition from now on."""
        self.run(self.node.coordinator.resign, self.partition_of(group))
        self.settle()

    def take_over(self, group: str) -> None:
        """This node leads the group's partition again and loads it from the log."""
        self.run(self.node.coordinator.elect, self.partition_of(group), 100)
        self.settle()

    # -- groups

    def form(
        self,
        group: str,
        size: int = 1,
        *,
        instances: Sequence[str | None] = (),
        join_each: Sequence[Mapping[str, Any]] = (),
        **fields: Any,
    ) -> list[Seat]:
        """Let a new group reach Stable. The first seat leads; seat n is assigned the bytes `part n`.

        `instances` makes the first members static, `join_each` gives each its own fields of JoinGroup.
        """
        seats = self.gather(group, size, instances=instances, join_each=join_each, **fields)
        self.assign(seats)
        return seats

    def gather(
        self,
        group: str,
        size: int = 1,
        *,
        instances: Sequence[str | None] = (),
        join_each: Sequence[Mapping[str, Any]] = (),
        **fields: Any,
    ) -> list[Seat]:
        """The same up to CompletingRebalance: everybody has joined, nobody has synced."""
        waiting: list[tuple[Waiting, str | None]] = []
        for number in range(size):
            client = self.client(f"client-{number}")
            instance = instances[number] if number < len(instances) else None
            own = {**fields, **(join_each[number] if join_each else {})}
            if instance is None:
                waiting.append((client.enter(group, **own), None))
            else:
                waiting.append((client.join(group, instance=instance, **own), instance))
            self.barrier()  # so that they are members in this order
        self.end_initial_window()
        seats = [seated(group, each, instance) for each, instance in waiting]
        assert [seat.leads for seat in seats] == [True] + [False] * (size - 1)
        return seats

    def end_initial_window(self) -> None:
        self.pass_time(int(self.node.settings.integer("group.initial.rebalance.delay.ms")))

    def assign(self, seats: Sequence[Seat]) -> None:
        """Everybody syncs; the leader's plan gives seat n `part n`."""
        leader = next(seat for seat in seats if seat.leads)
        plan = [(seat.member_id, f"part {number}".encode()) for number, seat in enumerate(seats)]
        protocol = (leader.joined.protocol_type, leader.joined.protocol_name)
        syncs = [seat.sync(plan if seat is leader else (), protocol=protocol) for seat in seats]
        for (_, part), sync in zip(plan, syncs, strict=True):
            reply = sync.answer()
            assert (reply.error_code, reply.assignment) == (0, part)


def seated(group: str, waiting: Waiting, instance: str | None = None) -> Seat:
    joined = waiting.answer()
    assert joined.error_code == 0, f"could not join: {joined}"
    return Seat(waiting.client, group, joined.member_id, joined.generation_id, joined, instance)
