"""This node's place in the cluster: a thread that keeps its lease and tells the loop what it sees.

It renews several times a lease, hears of changes at once (LISTEN) and looks for them anyway, and plans when somebody
has to. It decides nothing about shards and logs: it hands whole views to the loop, with the moment up to which this
node may speak as their owner, measured on the node's own clock (`lease_clock`) from before the database was asked.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from typing import Any, Final

from muster.cluster import ownership
from muster.cluster.lease_clock import lease_seconds
from muster.cluster.ownership import Registration
from muster.cluster.view import ClusterView
from muster.log.contract import StorageError
from muster.log.postgres.line import Line
from muster.log.postgres.schema import CHANNEL

ROUNDS_A_LEASE: Final = 6
SAFETY: Final = 0.95
"""Of a lease, for clocks that do not run equally fast."""
SHORTEST_WAIT_S: Final = 0.05

_log = logging.getLogger(__name__)

Deliver = Callable[[ClusterView | None, float], None]
"""What was seen (None: nothing new), and until when on the lease's clock it holds. Called from the thread."""


class NodeIdTaken(StorageError):
    """Another process with this node id is alive."""


class Membership:
    def __init__(self, url: str, me: Registration, deliver: Deliver, on_alone: Callable[[str], None]) -> None:
        """`on_alone`: the database cannot be asked; said with each failed round, the lease goes on until it is over."""
        self._line = Line(url, f"node {me.node_id} keeps its lease", me.lease_ms)
        self._leaving_line = Line(url, f"node {me.node_id} leaves")
        self._me = me
        self._deliver = deliver
        self._on_alone = on_alone
        self._lease_s = me.lease_ms / 1000
        self._interval_s = self._lease_s / ROUNDS_A_LEASE
        self._wait_s = self._interval_s
        self._last_round_s = 0.0
        self._others_count_from_s = 0.0
        """Until then nobody is taken for dead here."""
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None
        self._seen_changes = -1
        self._is_listening = False
        self._reclaim = False

    def start(self) -> None:
        """Register, look once, then go on in the background. StorageError, also NodeIdTaken, if that cannot be."""
        try:
            self._register()
            self._round()
        except StorageError:
            self._line.close()
            raise
        self._thread = threading.Thread(target=self._keep_going, name="muster-lease", daemon=True)
        self._thread.start()

    def _register(self) -> None:
        """Whoever is started again at once after a kill waits until the lease of its former life is over."""
        patient_until_s = lease_seconds() + self._lease_s + self._interval_s
        while not self._line.run(lambda connection: ownership.register(connection, self._me)):
            if lease_seconds() > patient_until_s:
                raise NodeIdTaken(
                    f"node {self._me.node_id} is already running: choose another --node-id "
                    "(`muster cluster status` lists who is there)"
                )
            self._stopping.wait(self._interval_s)

    def reclaim(self) -> None:
        """What this node owns has to begin a new epoch, with the next round: it gave up what it had open."""
        self._reclaim = True

    def look_again(self) -> None:
        """The last view could not be used: hand over another one with the next round, changed or not."""
        self._seen_changes = -1

    def drain(self) -> None:
        """Hand everything over to the others. Blocks for as long as the database takes."""

        def hand_over(connection: Any) -> None:
            if ownership.set_draining(connection, self._me.node_id, self._me.incarnation):
                ownership.carry_out_plan(connection)

        self._leaving_line.run(hand_over)

    def leave(self) -> None:
        """Stop renewing and sign off. Never raises: who cannot say goodbye is missed when its lease is over."""
        self._stopping.set()
        if self._thread is not None:
            self._thread.join()
        try:
            self._leaving_line.run(lambda connection: ownership.unregister(connection, self._me))
        except StorageError as error:
            _log.warning("cannot sign off from the cluster: %s; the others notice when the lease is over", error)
        self._leaving_line.close()
        self._line.close()

    def _keep_going(self) -> None:
        while not self._stopping.is_set():
            try:
                self._wait_for_news()
                if not self._stopping.is_set():
                    self._round()
            except StorageError as error:
                self._is_listening = False
                self._spare_the_others()
                self._on_alone(str(error))
                self._stopping.wait(min(0.2, self._interval_s))

    def _wait_for_news(self) -> None:
        """Until somebody says that something changed, or it is time to renew."""

        def listen(connection: Any) -> None:
            if not self._is_listening:
                connection.execute(f"LISTEN {CHANNEL}")
                self._is_listening = True
                return
            for _ in connection.notifies(timeout=self._wait_s, stop_after=1):
                pass

        self._line.run(listen)

    def _spare_the_others(self) -> None:
        """The database was away, or this process was: the others' leases may be over for the same reason. They get some
        time to renew before anybody takes their partitions."""
        self._others_count_from_s = lease_seconds() + self._lease_s / 2

    def _round(self) -> None:
        asked_s = lease_seconds()
        if self._last_round_s and asked_s - self._last_round_s > self._lease_s / 2:
            self._spare_the_others()
        self._last_round_s = asked_s
        self._line.run(self._renew)
        view = self._line.run(self._look)
        self._deliver(view, asked_s + self._lease_s * SAFETY)

    def _renew(self, connection: Any) -> None:
        if not ownership.renew(connection, self._me):
            # The others took this node for dead, or an operator removed it.
            if not ownership.register(connection, self._me):
                raise NodeIdTaken(
                    f"node {self._me.node_id} was started a second time; this process does nothing any more"
                )
            self._reclaim = False
        elif self._reclaim:
            self._reclaim = False
            ownership.reclaim(connection, self._me.node_id)

    def _look(self, connection: Any) -> ClusterView | None:
        """A view if anything changed since the last one."""
        changes, lease_over_in_s = ownership.news(connection)
        may_plan = lease_seconds() >= self._others_count_from_s
        if lease_over_in_s < 0 and may_plan:
            ownership.carry_out_plan(connection)
            changes, lease_over_in_s = ownership.news(connection)
        # A lease that nobody renews is noticed when it is over, not up to a round later.
        self._wait_s = min(self._interval_s, max(lease_over_in_s, SHORTEST_WAIT_S)) if may_plan else self._interval_s
        if changes == self._seen_changes:
            return None
        view = ownership.look(connection)
        is_planned = True
        if may_plan and ownership.moves_wanted(view):
            is_planned = ownership.carry_out_plan(connection) > 0
            view = ownership.look(connection)
        # A change that came between the count and the look is looked at again: its count is higher. So is a view that
        # wants moves which somebody else was about to make.
        self._seen_changes = changes if may_plan and is_planned else -1
        return view
