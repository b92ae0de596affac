"""The network of a cluster: the same links, to one node or another. Answers carry who gave them, and in which epochs."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from muster.sim.network import Link, Network

if TYPE_CHECKING:
    from muster.sim.cluster_node import SimNode


class NodeLink(Link):
    def __init__(
        self, network: Network, node: SimNode, on_frame: Callable[[bytes], None], on_broken: Callable[[], None]
    ) -> None:
        super().__init__(network, node.loop, on_frame, on_broken)
        self.node = node
        self.tenures: dict[int, int] = {}
        """What the node coordinated when it wrote the last answer that arrived."""
        self.written_ms = 0

    def write(self, data: bytes) -> None:
        tenures, written_ms = self.node.tenures(), self._network.scheduler.now_ms

        def arrive() -> None:
            self.tenures, self.written_ms = tenures, written_ms
            self._take_in(data)

        self._carry("back", arrive)


class ClusterNetwork(Network):
    def connect_to(
        self, node: SimNode, on_frame: Callable[[bytes], None], on_broken: Callable[[], None]
    ) -> NodeLink | None:
        """None: connection refused. A stopped process does not refuse: its kernel takes the connection."""
        if node.listener is None:
            return None
        return self._open(NodeLink(self, node, on_frame, on_broken), node.listener, node.loop)

    def cut_node(self, node_id: int) -> None:
        for link in list(self._links):
            if isinstance(link, NodeLink) and link.node.node_id == node_id:
                link.cut()
