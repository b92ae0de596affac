"""The seat of a worker: one of several processes on one machine that share a data directory, each with fixed partitions.

Follows what other workers did to topics and other documents. Gives nothing up: there is no lease, and whoever was
killed is started again with the same partitions.
"""

from __future__ import annotations

from muster.cluster.view import ClusterView
from muster.cluster.worker_place import WorkerPlace
from muster.log.contract import NOBODY, Leader
from muster.runtime.cluster_seat import ClusterLeaders, ClusterSeat


class WorkerLeaders(ClusterLeaders):
    """The rule says who leads; the epoch is the catalog's, as on a single node."""

    def __init__(self, place: WorkerPlace) -> None:
        super().__init__(place.node_id)
        self.view = ClusterView(place.entries(range(len(place.nodes))))
        self._place = place

    def of(self, topic: str, partition: int, kept_epoch: int) -> Leader:
        return Leader(self._place.owner(topic, partition), kept_epoch)


class WorkerSeat(ClusterSeat):
    def start(self) -> None:
        self.is_seated = True
        super().start()

    def may_speak(self) -> bool:
        return True

    def step_down_if_late(self) -> None:
        """It never is."""

    def _check_lease(self) -> None:
        """There is none."""

    async def hand_over(self) -> None:
        """Nobody else takes over: clients come back to the same port."""
        self._is_leaving = True
        if self.membership is not None:
            self.membership.drain()

    def _show_heirs(self, view: ClusterView | None) -> None:
        """There are none."""

    def _follow(self, view: ClusterView) -> None:
        self._show_who_is_away(view)
        self._count_coordinator_partitions()
        self._elect_what_is_open()

    def _show_who_is_away(self, view: ClusterView) -> None:
        """Clients must not be sent to a worker that does not come up."""
        for partition in self._node.broker.catalog.partitions():
            if not partition.is_led_here and not partition.is_offline:
                leader = self.leaders.of(partition.topic.name, partition.index, partition.leader_epoch)
                partition.leader_id = leader.node_id if leader.node_id in view.nodes else NOBODY
