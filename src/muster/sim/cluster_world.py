"""The simulated cluster: nodes that stop, die and come back, the database they share, members that look for their
coordinator. Everything is drawn from one seed."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil
from random import Random
from typing import cast

from muster.cluster.plan import Slot
from muster.core.hashing import partition_for
from muster.core.internal_topics import CONSUMER_OFFSETS, TRANSACTION_STATE
from muster.core.shard import Shard
from muster.runtime.node import Node
from muster.sim.cluster_member import ClusterMember
from muster.sim.cluster_network import ClusterNetwork
from muster.sim.cluster_node import LEASE_MS, SimNode
from muster.sim.cluster_onlooker import Onlooker
from muster.sim.cluster_store import ClusterStore
from muster.sim.consumers.cluster_member import ClusterConsumer
from muster.sim.consumers.witness import NewMember
from muster.sim.database import SimDatabase
from muster.sim.member import SimMember
from muster.sim.transactions.cluster_clients import ClusterProducer, ClusterReader
from muster.sim.transactions.history import OUTPUT
from muster.sim.transactions.witness import TransactionWitness
from muster.sim.witness import Witness
from muster.sim.world import SETTINGS, settings_of_a_world, topics_of_a_world

GROUPS = 3
MEMBERS_A_GROUP = 3
STATEMENT_MS = 4
COMMIT_MS = 10
SLOW_COMMIT_MS = 5_000
"""Longer than a node waits for it."""


_COUNTS = {
    CONSUMER_OFFSETS: "offsets.topic.num.partitions",
    TRANSACTION_STATE: "transaction.state.log.num.partitions",
}


class ClusterWorld(Witness):
    def __init__(self, seed: int, node_count: int, *, transactions: bool = False, consumers: bool = False) -> None:
        super().__init__(seed)
        self.settings = settings_of_a_world(consumers=consumers)
        self.topics = topics_of_a_world(transactions=transactions)
        self.network = self.cluster_network = ClusterNetwork(self.scheduler, Random(self.random.random()))
        self.ids = Random(self.random.random())
        self.database = SimDatabase(lambda: self.scheduler.now_ms, LEASE_MS)
        self.database.notify = self._notify
        self.is_database_slow = False
        self.flaky: dict[int, None] = {}
        """Nodes whose connections to the database break now and then."""
        self.apart: dict[tuple[int, int], None] = {}
        """Pairs of nodes, the smaller id first, that cannot reach each other."""
        self.partition_count = int(SETTINGS["offsets.topic.num.partitions"])
        self.nodes = {
            node_id: SimNode(self, node_id, Random(self.random.random())) for node_id in range(1, node_count + 1)
        }
        for node in self.nodes.values():
            node.start()
        self.members = [self._member(number) for number in range(GROUPS * MEMBERS_A_GROUP)]
        for number in range(GROUPS):
            Onlooker(self, f"group-{number}", Random(self.random.random())).start()
        if consumers:
            self.members += self.consumers.members(cast(NewMember, ClusterConsumer))
        if transactions:
            self.transactions = TransactionWitness(self, ClusterProducer, ClusterReader)

    def _member(self, number: int) -> SimMember:
        group, place = f"group-{number % GROUPS}", number // GROUPS
        instance_id = f"instance-{place}" if place % 2 else None
        return ClusterMember(self, group, f"m{place}-{group}", Random(self.random.random()), instance_id)

    @property
    def lives(self) -> int:
        return sum(node.lives for node in self.nodes.values())

    @property
    def epochs(self) -> int:
        """How often a partition got an owner."""
        return sum(row.epoch for row in self.database.partitions.values())

    def count_partitions(self, topic: str) -> int:
        """Of a coordinator's topic."""
        return int(SETTINGS[_COUNTS[topic]])

    def are_apart(self, one: int, other: int) -> bool:
        return (min(one, other), max(one, other)) in self.apart

    def log_ends(self) -> Iterator[tuple[str, int]]:
        for slot, row in self.database.partitions.items():
            if slot.topic in (OUTPUT, CONSUMER_OFFSETS):
                yield f"{slot.topic}-{slot.partition}", row.end_offset

    # -- the database

    def _notify(self) -> None:
        self.note("cluster", self.database.changes)
        for node in self.nodes.values():
            membership = node.membership
            if membership is not None:
                self.scheduler.after(self.statement_ms(), membership.hear)

    def statement_ms(self) -> int:
        return self.random.randint(0, STATEMENT_MS)

    def commit_ms(self) -> int:
        return self.random.randint(0, SLOW_COMMIT_MS if self.is_database_slow else COMMIT_MS)

    def breaks_down(self, node: SimNode) -> bool:
        """The node's connection breaks now: what was sent is not answered, whether it was done or not."""
        return node.node_id in self.flaky and self.random.random() < 0.2

    # -- what members tell

    def life_of(self, member: SimMember) -> int:
        return cast(ClusterMember, member).answered_by[1]

    def shard_of(self, group: str) -> Shard | None:
        index = partition_for(group, self.partition_count)
        row = self.database.partitions.get(Slot(CONSUMER_OFFSETS, index))
        node = self.nodes[row.owner].node if row is not None and row.owner in self.nodes else None
        place = None if node is None else node.coordinator.places.get(index)
        if row is None or place is None or place.runner is None or place.epoch != row.epoch:
            return None
        return place.runner.shard

    def both_clocks(self) -> tuple[int, int]:
        return self.scheduler.now_ms, self.scheduler.now_ms

    def acknowledged_by(self, member: SimMember) -> tuple[int, int]:
        return cast(ClusterMember, member).answered_by

    def note_fetched(self, member: SimMember, asked_ms: int, partition: int, value: int) -> None:
        """A node whose partition was moved while it lives has a lease, and may answer until it is over or it hears of the
        move (docs/guarantees.md): what it knows then may be old."""
        epoch, written_ms = cast(ClusterMember, member).last_answer
        if not self._was_moved_alive(member.group, epoch, written_ms):
            super().note_fetched(member, asked_ms, partition, value)

    def heard(self, member: SimMember, asked: tuple[int, int]) -> None:
        """By whoever led in that epoch: a node whose partition was moved while it lives may hear a member a moment longer."""
        self._heard[member.member_id] = (self.life_of(member), asked[1])

    def _note_expelled(self, group: str, member_id: str, at_ms: int, node: Node) -> None:
        """The same node may take a member for dead that its heir hears; it can store nothing of that."""
        place = node.coordinator.places[partition_for(group, self.partition_count)]
        if not self._was_moved_alive(group, place.epoch, self.scheduler.now_ms):
            super()._note_expelled(group, member_id, at_ms, node)

    def _was_moved_alive(self, group: str, epoch: int, now_ms: int) -> bool:
        row = self.database.partitions[Slot(CONSUMER_OFFSETS, partition_for(group, self.partition_count))]
        return row.moved_alive.get(epoch, -1) >= now_ms

    def silence_ms(self, group: str, at_ms: int, heard: tuple[int, int], node: Node) -> int:
        """On the clock of the node that counted, from when it heard the member or took over."""
        epoch, since_ms = heard
        index = partition_for(group, self.partition_count)
        if epoch != node.coordinator.places[index].epoch:
            since_ms = min(since_ms, self.database.partitions[Slot(CONSUMER_OFFSETS, index)].since_ms)
        return ceil((self.scheduler.now_ms - since_ms) * self.nodes[node.node_id].rate)

    # -- the end of a run

    def look_at_the_end(self) -> None:
        self.history.appended.extend(self.database.appended)
        for index in range(self.partition_count):
            row = self.database.partitions.get(Slot(CONSUMER_OFFSETS, index))
            if row is None:
                self.history.unstable_groups.append(f"the groups of partition {index}: no partition")
                continue
            content = b"".join(batch.bytes for batch in row.batches)
            self.read_log(content)
            owner = self.nodes.get(row.owner)
            place = owner.node.coordinator.places.get(index) if owner is not None and owner.node is not None else None
            if owner is None or owner.node is None or place is None or place.runner is None:
                self.history.unstable_groups.append(f"the groups of partition {index}: owner {row.owner} has no shard")
                continue
            if place.epoch != row.epoch:
                self.history.unstable_groups.append(
                    f"the groups of partition {index}: their coordinator believes in epoch {place.epoch}, it is {row.epoch}"
                )
            self.look_at_groups(place.runner.shard)
            cast(ClusterStore, owner.node.broker.store).reader.close()  # it may have broken while nobody read
            self.compare_with_replay(place.runner.shard, owner.node.broker.partition(CONSUMER_OFFSETS, index).log)
            if self.transactions is not None:
                self.transactions.look_at_offsets(index, content, place.runner.shard)
        self.consumers.look_at_the_end()
        if self.transactions is not None:
            self._look_at_transactions(self.transactions)

    def _look_at_transactions(self, seen: TransactionWitness) -> None:
        seen.look_at_progress()
        for slot, row in self.database.partitions.items():
            node = self.nodes[row.owner].node if row.owner in self.nodes else None
            if slot.topic not in (OUTPUT, TRANSACTION_STATE):
                continue
            if node is None:
                self.history.transactions.unstable.append(f"{slot}: nobody leads it")
                continue
            cast(ClusterStore, node.broker.store).reader.close()  # it may have broken while nobody read
            partition = node.broker.partition(slot.topic, slot.partition)
            if slot.topic == OUTPUT:
                content = b"".join(batch.bytes for batch in row.batches)
                seen.look_at_output(slot.partition, content, row.end_offset, partition.last_stable_offset)
                continue
            place = node.transactions.places.get(slot.partition)
            if place is None or place.runner is None:
                self.history.transactions.unstable.append(f"{slot}: node {row.owner} has no shard")
            else:
                seen.look_at_coordinator(place.runner.shard, partition.log)
