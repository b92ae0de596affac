"""What a node knows of its cluster at one moment: live nodes, who leads what, which versions the shared documents have.

Immutable; made by `membership` in its own thread and handed to the loop whole.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from muster.cluster.plan import Slot
from muster.log.contract import NOBODY, Leader
from muster.wire.late_dataclass import dataclass


@dataclass(slots=True, frozen=True)
class NodeEntry:
    """One live node."""

    node_id: int
    endpoints: Mapping[str, tuple[str, int]]
    """Host and port that clients are told, by the name of the listener."""
    rack: str | None = None
    is_draining: bool = False


@dataclass(slots=True, frozen=True)
class ClusterView:
    nodes: Mapping[int, NodeEntry] = field(default_factory=dict)
    leaders: Mapping[Slot, Leader] = field(default_factory=dict)
    documents: Mapping[str, int] = field(default_factory=dict)
    """Versions by name."""
    put_aside: Mapping[Slot, Leader] = field(default_factory=dict)
    """What deleted topics have left, as long as a live node gives it owners: release 0.2 knows nothing of such rows. Whoever plans
    beside it must count them too, or the two would move partitions back and forth. Nobody leads them."""

    @property
    def controller_id(self) -> int:
        """Kafka has one node that changes topics; here any does, and clients are shown the lowest."""
        return min(self.nodes, default=NOBODY)

    def leader(self, topic: str, partition: int) -> Leader:
        return self.leaders.get(Slot(topic, partition), NO_LEADER)


NO_LEADER = Leader(NOBODY, -1)
