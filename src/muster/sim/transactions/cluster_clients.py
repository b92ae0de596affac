"""Transactional clients of a cluster: each request goes to the node that the client believes to lead. After a refusal, and when
nobody answers, it looks again who does."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

from muster.cluster.plan import Slot
from muster.core.hashing import partition_for
from muster.core.internal_topics import CONSUMER_OFFSETS, TRANSACTION_STATE
from muster.log.contract import NOBODY
from muster.sim.client import SimClient
from muster.sim.network import Link
from muster.sim.transactions.history import OUTPUT
from muster.sim.transactions.producer import SimProducer
from muster.sim.transactions.reader import SimReader

if TYPE_CHECKING:
    from muster.sim.cluster_world import ClusterWorld

PATIENCE_MS = 2_500
OLD_METADATA_SHARE = 0.03
"""How often a request goes to just any node."""


class ClusterClient(SimClient):
    _node_id = 0
    """Where its link leads to."""
    _leaders: dict[Slot, int] | None = None
    """Who leads what, as it was when the client looked."""

    @property
    def _cluster(self) -> ClusterWorld:
        return cast("ClusterWorld", self._world)

    def _slot_of(self, api: str, request: Any) -> Slot | None:
        """What the receiver of the request has to lead; None: anybody may answer."""
        count = self._cluster.count_partitions
        match api:
            case "FindCoordinator":
                return None
            case "Produce":
                return Slot(OUTPUT, request.topic_data[0].partition_data[0].index)
            case "Fetch":
                return Slot(OUTPUT, request.topics[0].partitions[0].partition)
            case "TxnOffsetCommit":
                return Slot(CONSUMER_OFFSETS, partition_for(request.group_id, count(CONSUMER_OFFSETS)))
            case "OffsetFetch":
                return Slot(CONSUMER_OFFSETS, partition_for(request.groups[0].group_id, count(CONSUMER_OFFSETS)))
            case _:
                return Slot(TRANSACTION_STATE, partition_for(request.transactional_id, count(TRANSACTION_STATE)))

    def _leader_of(self, slot: Slot) -> int:
        if self._leaders is None:
            self._leaders = {each: row.owner for each, row in self._cluster.database.partitions.items()}
        return self._leaders.get(slot, NOBODY)

    def _receiver(self, slot: Slot | None) -> int:
        nodes = self._cluster.nodes
        leader = NOBODY if slot is None else self._leader_of(slot)
        if leader not in nodes or self._random.random() < OLD_METADATA_SHARE:
            return self._random.choice(list(nodes))
        return leader

    def _together(self, partitions: list[int]) -> list[int]:
        """Those of the partitions that are asked of the same node as the first."""
        leader = self._leader_of(Slot(OUTPUT, partitions[0]))
        return [each for each in partitions if self._leader_of(Slot(OUTPUT, each)) == leader]

    def _look_again(self) -> None:
        self._leaders = None

    def _ask(self, api: str, request: Any, then: Callable[[Any], None]) -> None:
        node_id = self._receiver(self._slot_of(api, request))
        if node_id != self._node_id:
            self._hang_up()
            self._node_id = node_id
        super()._ask(api, request, then)
        if self._waiting is not None:
            number = self._waiting[0]
            self._plan(PATIENCE_MS, lambda: self._give_up(number))

    def _give_up(self, number: int) -> None:
        if self._waiting is not None and self._waiting[0] == number:
            self._hang_up()
            self._look_again()
            self._start_again()

    def _connect(self) -> Link | None:
        link = self._cluster.cluster_network.connect_to(self._cluster.nodes[self._node_id], self._take, self._broken)
        if link is None:
            self._look_again()
        return link

    def _broken(self) -> None:
        self._look_again()
        super()._broken()


class ClusterProducer(ClusterClient, SimProducer):
    pass


class ClusterReader(ClusterClient, SimReader):
    pass
