"""What a node does with its lease round by round: renew, begin anew where it must, look, plan if somebody has to.

No thread, no connection: `membership` runs the rounds over PostgreSQL, the simulator over a database of its own. All
moments are those of the clock that is passed in.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Protocol

from muster.cluster.ownership import moves_wanted
from muster.cluster.view import ClusterView
from muster.log.contract import StorageError

ROUNDS_A_LEASE: Final = 6
SAFETY: Final = 0.95
"""Of a lease, for clocks that do not run equally fast."""
SHORTEST_WAIT_S: Final = 0.05


class NodeIdTaken(StorageError):
    """Another process with this node id is alive."""


class OwnershipTables(Protocol):
    """What is asked of the database; `cluster.ownership` says what each of these does. StorageError if it cannot be asked."""

    def renew(self) -> bool: ...

    def register(self) -> bool: ...

    def reclaim(self) -> None: ...

    def news(self) -> tuple[int, float]: ...

    def look(self) -> ClusterView: ...

    def carry_out_plan(self) -> int: ...


class Rounds:
    def __init__(self, tables: OwnershipTables, node_id: int, lease_ms: int, clock_s: Callable[[], float]) -> None:
        self._tables = tables
        self._node_id = node_id
        self._clock_s = clock_s
        self.lease_s = lease_ms / 1000
        self.interval_s = self.lease_s / ROUNDS_A_LEASE
        self.wait_s = self.interval_s
        """How long to wait for news before the next round."""
        self._last_round_s = 0.0
        self._others_count_from_s = 0.0
        """Until then nobody is taken for dead here."""
        self._seen_changes = -1
        self._reclaims_wanted = 0
        self._reclaims_done = 0

    def reclaim(self) -> None:
        """What this node owns has to begin a new epoch, with the next round: it gave up what it had open."""
        self._reclaims_wanted += 1

    def look_again(self) -> None:
        """The last view could not be used: hand over another one with the next round, changed or not."""
        self._seen_changes = -1

    def spare_the_others(self) -> None:
        """The database was away, or this process was: the others' leases may be over for the same reason. They get some
        time to renew before anybody takes their partitions."""
        self._others_count_from_s = self._clock_s() + self.lease_s / 2

    def begin(self) -> float:
        """Until when this node may speak for what it owns, if the renewal that follows is granted."""
        asked_s = self._clock_s()
        if self._last_round_s and asked_s - self._last_round_s > self.lease_s / 2:
            self.spare_the_others()
        self._last_round_s = asked_s
        return asked_s + self.lease_s * SAFETY

    def renew(self) -> None:
        wanted = self._reclaims_wanted  # another one may be wanted, by the loop, while this is under way
        if not self._tables.renew():
            # The others took this node for dead, or an operator removed it.
            if not self._tables.register():
                raise NodeIdTaken(
                    f"node {self._node_id} was started a second time while this process could not renew its lease:"
                    " this one ends"
                )
        elif wanted != self._reclaims_done:
            self._tables.reclaim()
        # Not before it is done: a node whose claim was lost with its connection would wait for its partitions for ever.
        self._reclaims_done = wanted

    def look(self) -> ClusterView | None:
        """A view if anything changed since the last one."""
        changes, lease_over_in_s = self._tables.news()
        may_plan = self._clock_s() >= self._others_count_from_s
        if lease_over_in_s < 0 and may_plan:
            self._tables.carry_out_plan()
            changes, lease_over_in_s = self._tables.news()
        # A lease that nobody renews is noticed when it is over, not up to a round later.
        self.wait_s = min(self.interval_s, max(lease_over_in_s, SHORTEST_WAIT_S)) if may_plan else self.interval_s
        if changes == self._seen_changes:
            return None
        view = self._tables.look()
        is_planned = True
        if may_plan and moves_wanted(view):
            is_planned = self._tables.carry_out_plan() > 0
            view = self._tables.look()
        # A change that came between the count and the look is looked at again: its count is higher. So is a view that
        # wants moves which somebody else was about to make.
        self._seen_changes = changes if may_plan and is_planned else -1
        return view
