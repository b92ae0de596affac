"""Somebody who reads committed offsets from any node, coordinator or not, as a client with old metadata does.

Whoever answers must know everything that was acknowledged anywhere: a node that was overtaken and does not know it yet
is found by such questions.
"""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

from muster.sim.cluster_member import ClusterMember

if TYPE_CHECKING:
    from muster.sim.cluster_world import ClusterWorld

PAUSE_MS = 400


class Onlooker(ClusterMember):
    fetch_pause_ms = PAUSE_MS
    patience_ms = 1_000

    def __init__(self, world: ClusterWorld, group: str, random: Random) -> None:
        super().__init__(world, group, f"onlooker-{group}", random, None)

    def _find_coordinator(self) -> None:
        self._look()

    def _heartbeat(self) -> None:
        """Its fetch was answered."""
        self._look()

    def _start_over(self, error: int) -> None:
        self._plan(PAUSE_MS, self._look)

    def _look(self) -> None:
        self._hang_up()
        self._node_id = self._random.choice(list(self._cluster.nodes))
        self._fetch()
