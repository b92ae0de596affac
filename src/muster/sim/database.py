"""A database that all simulated nodes share: what `log.postgres` and `cluster.ownership` ask of PostgreSQL, statement by statement.

Each method is one transaction: the fence of `log.postgres.fence`, versions of documents, leases on the database's own
clock. It can be away, and a node can be cut off from it; what becomes of statements that are under way then is the
business of whoever sent them (`cluster_store`, `cluster_membership`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf

from muster.cluster.ownership import moves_wanted
from muster.cluster.plan import Slot
from muster.cluster.view import ClusterView, NodeEntry
from muster.log.contract import NOBODY, DocumentChanged, Leader
from muster.log.postgres.fence import Share
from muster.log.staging import StagedBatch
from muster.sim.history import Appended


@dataclass(slots=True)
class PartitionRow:
    id: int
    topic_id: bytes
    owner: int = NOBODY
    epoch: int = 0
    since_ms: int = 0
    moved_alive: dict[int, int] = field(default_factory=dict)
    """Epochs that ended while their owner lived, and until when it had a lease: it may not have heard of it so long."""
    end_offset: int = 0
    batches: list[StagedBatch] = field(default_factory=list)

    def give_to(self, owner: int, now_ms: int, old_lease_until_ms: int = 0) -> None:
        if owner != self.owner and old_lease_until_ms >= now_ms:
            self.moved_alive[self.epoch] = old_lease_until_ms
        self.owner = owner
        self.epoch += 1
        self.since_ms = now_ms


@dataclass(slots=True)
class NodeRow:
    incarnation: int
    endpoints: Mapping[str, tuple[str, int]]
    lease_until_ms: int
    is_draining: bool = False


class SimDatabase:
    def __init__(self, clock_ms: Callable[[], int], lease_ms: int) -> None:
        self._clock_ms = clock_ms
        self._lease_ms = lease_ms
        self.partitions: dict[Slot, PartitionRow] = {}
        self._slots: list[Slot] = []
        """By id of the partition."""
        self.documents: dict[str, tuple[int, bytes]] = {}
        self.nodes: dict[int, NodeRow] = {}
        self.changes = 0
        self.appended: list[Appended] = []
        self.notify: Callable[[], None] = lambda: None
        """NOTIFY: told of every change."""
        self.is_away = False
        self.cut_off: dict[int, None] = {}
        """Nodes whose network to the database is down."""
        self._breaks: dict[int, int] = {}

    # -- connections

    def is_reachable(self, node_id: int) -> bool:
        return not self.is_away and node_id not in self.cut_off

    def breaks(self, node_id: int) -> int:
        """How often the node's connections have broken so far."""
        return self._breaks.get(node_id, 0)

    def break_connections(self, node_ids: Sequence[int]) -> None:
        for node_id in node_ids:
            self._breaks[node_id] = self.breaks(node_id) + 1

    # -- logs

    def announce(self, topic: str, topic_id: bytes, indexes: Sequence[int]) -> None:
        missing = [slot for slot in (Slot(topic, index) for index in indexes) if slot not in self.partitions]
        for slot in missing:
            self.partitions[slot] = PartitionRow(len(self._slots), topic_id)
            self._slots.append(slot)
        if missing:
            self._tell_others()

    def append(self, node_id: int, shares: Sequence[Share]) -> set[int]:
        """The fence: owner, epoch and expected end must hold. Returns the ids of the partitions that took their share."""
        taken: set[int] = set()
        for share in shares:
            row = self.partitions.get(self._slots[share.partition_id])
            if row is not None and self._holds(row, node_id, share):
                self._store(row, node_id, share)
                taken.add(row.id)
        return taken

    def _holds(self, row: PartitionRow, node_id: int, share: Share) -> bool:
        return (row.owner, row.epoch, row.end_offset) == (node_id, share.epoch, share.batches[0].base_offset)

    def _store(self, row: PartitionRow, node_id: int, share: Share) -> None:
        slot = self._slots[row.id]
        for batch in share.batches:
            self.appended.append(Appended(slot, batch.leader_epoch, node_id, row.epoch, row.owner, batch.base_offset))
        row.batches.extend(share.batches)
        row.end_offset = share.batches[-1].next_offset

    # -- documents

    def read_document(self, name: str) -> tuple[int, bytes | None]:
        return self.documents.get(name, (0, None))

    def write_document(self, name: str, content: bytes, known: int) -> int:
        version, _ = self.read_document(name)
        if version != known:
            raise DocumentChanged(f"{name} was changed by another node")
        self.documents[name] = (version + 1, content)
        self._tell_others()
        return version + 1

    # -- nodes and owners: see cluster.ownership

    def renew(self, node_id: int, incarnation: int) -> bool:
        row = self.nodes.get(node_id)
        if row is None or row.incarnation != incarnation:
            return False
        row.lease_until_ms = self._clock_ms() + self._lease_ms
        return True

    def register(self, node_id: int, incarnation: int, endpoints: Mapping[str, tuple[str, int]]) -> bool:
        row = self.nodes.get(node_id)
        if row is not None and row.lease_until_ms >= self._clock_ms() and row.incarnation != incarnation:
            return False
        self.nodes[node_id] = NodeRow(incarnation, endpoints, self._clock_ms() + self._lease_ms)
        self._claim_again(node_id)
        self._tell_others()
        return True

    def reclaim(self, node_id: int) -> None:
        self._claim_again(node_id)
        self._tell_others()

    def _claim_again(self, node_id: int) -> None:
        for row in self.partitions.values():
            if row.owner == node_id:
                row.give_to(node_id, self._clock_ms())

    def news(self) -> tuple[int, float]:
        first_ms = min((row.lease_until_ms for row in self.nodes.values()), default=None)
        return self.changes, inf if first_ms is None else (first_ms - self._clock_ms()) / 1000

    def look(self) -> ClusterView:
        now_ms = self._clock_ms()
        nodes = {
            node_id: NodeEntry(node_id, row.endpoints, None, row.is_draining)
            for node_id, row in sorted(self.nodes.items())
            if row.lease_until_ms >= now_ms
        }
        leaders = {slot: Leader(row.owner, row.epoch) for slot, row in self.partitions.items()}
        return ClusterView(nodes, leaders, {name: version for name, (version, _) in self.documents.items()})

    def carry_out_plan(self) -> int:
        gone = [node_id for node_id, row in self.nodes.items() if row.lease_until_ms < self._clock_ms()]
        for node_id in gone:
            del self.nodes[node_id]
        moves = moves_wanted(self.look())
        for slot, owner in moves.items():
            row = self.partitions[slot]
            old = self.nodes.get(row.owner)
            row.give_to(owner, self._clock_ms(), old.lease_until_ms if old is not None else 0)
        if moves or gone:
            self._tell_others()
        return len(moves)

    def set_draining(self, node_id: int, incarnation: int | None = None) -> bool:
        row = self.nodes.get(node_id)
        if row is None or incarnation not in (None, row.incarnation):
            return False
        row.is_draining = True
        self._tell_others()
        return True

    def unregister(self, node_id: int, incarnation: int) -> None:
        row = self.nodes.get(node_id)
        if row is None or row.incarnation != incarnation:
            return
        del self.nodes[node_id]
        for partition in self.partitions.values():
            if partition.owner == node_id:
                partition.give_to(NOBODY, self._clock_ms())
        self._tell_others()

    def _tell_others(self) -> None:
        self.changes += 1
        self.notify()
