"""What a worker knows of itself and the others from its first moment: its number, all node ids, all addresses.

Immutable; made by the supervisor before it starts the worker.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from muster.cluster.view import NodeEntry
from muster.cluster.worker_shares import share_of


@dataclass(slots=True, frozen=True)
class WorkerPlace:
    number: int
    """From 0."""
    nodes: Sequence[NodeEntry]
    """Of all workers, by number."""
    directory: str = ""
    """The data directory that they share; empty: they meet in a database."""
    cluster_id: str = ""

    @property
    def node_id(self) -> int:
        return self.nodes[self.number].node_id

    def owner(self, topic: str, partition: int) -> int:
        """The node id of the worker that has the partition."""
        return self.nodes[share_of(topic, partition, len(self.nodes))].node_id

    def is_mine(self, topic: str, partition: int) -> bool:
        return share_of(topic, partition, len(self.nodes)) == self.number

    def entries(self, live: Sequence[int]) -> Mapping[int, NodeEntry]:
        """By node id, of the workers with these numbers."""
        return {self.nodes[number].node_id: self.nodes[number] for number in live}
