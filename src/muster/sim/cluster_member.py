"""A member that looks for its coordinator: it asks any node who it is, connects there, and looks again when it is told to or
when nobody answers for too long."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import TYPE_CHECKING, Any

from muster.core.hashing import partition_for
from muster.sim.client import RETRY_MS
from muster.sim.cluster_network import NodeLink
from muster.sim.member import REBALANCE_MS, SimMember
from muster.sim.network import Link
from muster.wire.errors import NONE

if TYPE_CHECKING:
    from muster.sim.cluster_world import ClusterWorld

PATIENCE_MS = 2_500


class ClusterMember(SimMember):
    patience_ms = PATIENCE_MS

    def __init__(self, world: ClusterWorld, group: str, name: str, random: Random, instance_id: str | None) -> None:
        super().__init__(world, group, name, random, instance_id)
        self._cluster = world
        self._node_id: int | None = None
        """Who coordinates; None: not known, any node is asked."""
        self._asked_node_id = 0

    def _find_coordinator(self) -> None:
        self._hang_up()
        self._node_id = None
        super()._find_coordinator()

    def _found(self, response: Any) -> None:
        found = response.coordinators[0]
        if found.error_code != NONE:
            self._plan(RETRY_MS, self._find_coordinator)
            return
        self._node_id = found.node_id
        if self._node_id != self._asked_node_id:
            self._hang_up()
        if self.assigned:
            self._heartbeat()  # its generation may still be the group's: a moved coordinator is no reason to join again
        else:
            self._join()

    def start(self) -> None:
        self.assigned = ()
        super().start()

    def _connect(self) -> Link | None:
        nodes = self._cluster.nodes
        node_id = self._node_id or self._random.choice(list(nodes))
        self._asked_node_id = node_id
        return self._cluster.cluster_network.connect_to(nodes[node_id], self._take, self._broken)

    def _ask(self, api: str, request: Any, then: Callable[[Any], None]) -> None:
        super()._ask(api, request, then)
        if self._waiting is not None:
            number = self._waiting[0]
            patience_ms = self.patience_ms + (REBALANCE_MS if api == "JoinGroup" else 0)
            self._plan(patience_ms, lambda: self._give_up(number))

    def _give_up(self, number: int) -> None:
        if self._waiting is not None and self._waiting[0] == number:
            self._hang_up()
            self._find_coordinator()

    @property
    def answered_by(self) -> tuple[int, int]:
        """Which node gave the last answer, and since which epoch it coordinates the group."""
        link = self._answering
        return link.node.node_id, link.tenures.get(partition_for(self.group, self._cluster.partition_count), -1)

    @property
    def last_answer(self) -> tuple[int, int]:
        """In which epoch it was given, and when."""
        return self.answered_by[1], self._answering.written_ms

    @property
    def _answering(self) -> NodeLink:
        assert isinstance(self._link, NodeLink), "an answer comes over a link"
        return self._link
