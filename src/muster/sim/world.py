"""The simulated world: a server that may crash and come back, its disk and network, members, and the clock that moves them all.

Everything is drawn from one seed, in an order that depends on nothing else. What happens is written into the history;
whether it may happen is the checkers' business.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random
from typing import Any, cast

from muster.core.hashing import partition_for
from muster.core.internal_topics import CONSUMER_OFFSETS, TRANSACTION_STATE
from muster.core.shard import Shard
from muster.log.contract import PartitionLog
from muster.runtime.node import Node
from muster.security.authorizer import AllowAll
from muster.server.endpoint import Endpoint
from muster.server.handlers.table import HANDLERS
from muster.server.listener import Listener
from muster.server.routes import Routes
from muster.server.settings import Settings
from muster.sim.consumers.member import ConsumerMember
from muster.sim.consumers.witness import SETTINGS as CONSUMER_SETTINGS
from muster.sim.disk import SimStore
from muster.sim.member import PARTITIONS, TOPIC, SimMember
from muster.sim.scheduler import ServerLoop
from muster.sim.transactions.history import OUTPUT, OUTPUT_PARTITIONS
from muster.sim.transactions.witness import TransactionWitness
from muster.sim.witness import Witness
from muster.topics.broker import Broker
from muster.topics.broker_config import BrokerConfig
from muster.topics.creation import NewPartitions, NewTopic
from muster.wire.errors import NONE

EPOCH_MS = 1_700_000_000_000
GROUPS = 2
MEMBERS_A_GROUP = 4
SETTINGS = {
    "muster.storage": "memory",
    "offsets.topic.num.partitions": "3",
    "transaction.state.log.num.partitions": "2",
    "group.initial.rebalance.delay.ms": "500",
    "group.min.session.timeout.ms": "1000",
}


class World(Witness):
    def __init__(self, seed: int, *, transactions: bool = False, consumers: bool = False) -> None:
        super().__init__(seed)
        self._topics = topics_of_a_world(transactions=transactions)
        self.store = SimStore()
        self.life = 0
        self.disk_delay_ms = 5
        self._clock_ms = EPOCH_MS
        self._settings = Settings.of(settings_of_a_world(consumers=consumers))
        self._ids = Random(self.random.random())
        self.node: Node | None = None
        self.start_server()
        self.members = [self._member(number) for number in range(GROUPS * MEMBERS_A_GROUP)]
        if consumers:
            self.members += self.consumers.members(ConsumerMember)
        if transactions:
            self.transactions = TransactionWitness(self)

    def _member(self, number: int) -> SimMember:
        group, place = f"group-{number % GROUPS}", number // GROUPS
        instance_id = f"instance-{place}" if place % 2 else None
        return SimMember(self, group, f"m{place}-{group}", Random(self.random.random()), instance_id)

    # -- the server's lives

    def start_server(self) -> None:
        self.life += 1
        loop = ServerLoop(self.scheduler, self._clock_ms)
        self.network.server_loop = loop
        self.node = Node(
            self._settings,
            Broker(self.store, BrokerConfig(cluster_id="sim"), self._ids.randbytes),
            loop,
            cast(Any, loop),
            AllowAll(),
            lambda: f"{self._ids.getrandbits(64):016x}",
            self._in_background(loop),
        )
        self.listen_to_journal(self.node)
        loop.enter(self.node.start)
        if self.node.broker.topic(TOPIC) is None:
            self.node.broker.create_topics(self._topics)
        self.node.advertise("server", 9092)
        listener = Listener(self._settings, Routes(HANDLERS))
        listener.doors[0].advertised = Endpoint("server", 9092)
        listener.node = self.node
        self.network.listener = listener
        self.note("server", "life", self.life)

    def crash(self, down_ms: int) -> None:
        """The machine stops: what was not synced may be gone."""
        if self.node is None:
            return
        self.network.server_loop.alive = False
        self._clock_ms = self.network.server_loop.now_ms() - self.scheduler.now_ms
        self.network.listener = None
        self.node = None
        self.network.cut_all()
        self._lose_what_was_not_synced()
        self.note("server", "crashed")
        self.scheduler.after(down_ms, self._come_back)

    def _lose_what_was_not_synced(self) -> None:
        self.store = self.store.after_crash(self.random)

    def _come_back(self) -> None:
        if self.node is None:
            self.start_server()

    def _in_background(self, loop: ServerLoop) -> Callable[[Callable[[], None], Callable[[], None]], None]:
        def run(work: Callable[[], None], then: Callable[[], None]) -> None:
            def finished() -> None:
                work()
                then()

            loop.call_later(self.random.randint(0, self.disk_delay_ms) / 1000, finished)

        return run

    def grow_topic(self) -> None:
        """One partition more, if the server is up and its disk takes it."""
        if self.node is not None:
            wanted = NewPartitions(TOPIC, self.topic_partitions + 1)
            (answer,) = self.node.broker.create_partitions([wanted])
            if answer.error_code == NONE:
                self.topic_partitions += 1

    def life_of(self, member: SimMember) -> int:
        return self.life

    def shard_of(self, group: str) -> Shard | None:
        if self.node is None:
            return None
        count = self._settings.integer("offsets.topic.num.partitions")
        place = self.node.coordinator.places.get(partition_for(group, count))
        return None if place is None or place.runner is None else place.runner.shard

    def log_ends(self) -> Iterator[tuple[str, int]]:
        for name in (OUTPUT, CONSUMER_OFFSETS):
            topic = None if self.node is None else self.node.broker.topic(name)
            for partition in () if topic is None else topic.partitions:
                yield str(partition), partition.log.end_offset

    def both_clocks(self) -> tuple[int, int]:
        return self.network.server_loop.now_ms(), self.scheduler.now_ms

    # -- the end of a run

    def look_at_the_end(self) -> None:
        """Gather what only the whole can tell: the log, the groups' states, live facts against replayed ones."""
        assert self.node is not None, "the server is up when faults have ended"
        topic = self.node.broker.topic(CONSUMER_OFFSETS)
        assert topic is not None
        for partition in topic.partitions:
            log = partition.log
            content = _content(log)
            self.read_log(content)
            runner = self.node.coordinator.places[partition.index].runner
            if runner is None:
                self.history.unstable_groups.append(f"the groups of partition {partition.index}: no shard")
                continue
            self.look_at_groups(runner.shard)
            self.compare_with_replay(runner.shard, log)
            if self.transactions is not None:
                self.transactions.look_at_offsets(partition.index, content, runner.shard)
        self.consumers.look_at_the_end()
        if self.transactions is not None:
            self._look_at_transactions(self.node, self.transactions)

    def _look_at_transactions(self, node: Node, seen: TransactionWitness) -> None:
        seen.look_at_progress()
        output = node.broker.topic(OUTPUT)
        assert output is not None
        for partition in output.partitions:
            log = partition.log
            seen.look_at_output(partition.index, _content(log), log.end_offset, partition.last_stable_offset)
        topic = node.broker.topic(TRANSACTION_STATE)
        assert topic is not None
        for partition in topic.partitions:
            runner = node.transactions.places[partition.index].runner
            if runner is None:
                self.history.transactions.unstable.append(f"{partition}: no shard")
            else:
                seen.look_at_coordinator(runner.shard, partition.log)


def settings_of_a_world(*, consumers: bool) -> dict[str, str]:
    return {**SETTINGS, **CONSUMER_SETTINGS} if consumers else SETTINGS


def topics_of_a_world(*, transactions: bool) -> list[NewTopic]:
    output = [NewTopic(OUTPUT, OUTPUT_PARTITIONS, 1)] if transactions else []
    return [NewTopic(TOPIC, PARTITIONS, 1), *output]


def _content(log: PartitionLog) -> bytes:
    return log.read(0, 1 << 30) if log.durable_offset else b""
