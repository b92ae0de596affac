"""This node's place in the cluster: a thread that keeps its lease and tells the loop what it sees.

It renews several times a lease, hears of changes at once (LISTEN) and looks for them anyway, and plans when somebody
has to. It decides nothing about shards and logs: it hands whole views to the loop, with the moment up to which this
node may speak as their owner, measured on the node's own clock (`lease_clock`) from before the database was asked.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from typing import Any

from muster.cluster import ownership
from muster.cluster.lease_clock import lease_seconds
from muster.cluster.ownership import Registration
from muster.cluster.rounds import NodeIdTaken, Rounds
from muster.cluster.view import ClusterView
from muster.log.contract import StorageError
from muster.log.postgres.line import Line
from muster.log.postgres.node_versions import say_versions
from muster.log.postgres.schema import CHANNEL, check

_log = logging.getLogger(__name__)

Deliver = Callable[[ClusterView | None, float], None]
"""What was seen (None: nothing new), and until when on the lease's clock it holds. Called from the thread."""


class _Tables:
    """`ownership` over one connection."""

    def __init__(self, line: Line, me: Registration) -> None:
        self._line = line
        self._me = me
        self._has_said_versions = False

    def renew(self) -> bool:
        return self._line.run(lambda connection: ownership.renew(connection, self._me))

    def register(self) -> bool:
        return self._line.run(lambda connection: ownership.register(connection, self._me))

    def reclaim(self) -> None:
        self._line.run(lambda connection: ownership.reclaim(connection, self._me.node_id))

    def news(self) -> tuple[int, float]:
        return self._line.run(ownership.news)

    def look(self) -> ClusterView:
        if not self._has_said_versions:
            self._has_said_versions = self._line.run(self._say_versions)
        return self._line.run(ownership.look)

    def _say_versions(self, connection: Any) -> bool:
        """A node that came before the columns did says what it speaks as soon as the migration tells that they are there."""
        return say_versions(connection, check(connection), self._me.node_id, self._me.incarnation)

    def carry_out_plan(self) -> int:
        return self._line.run(ownership.carry_out_plan)


class Membership:
    def __init__(self, url: str, me: Registration, deliver: Deliver, on_alone: Callable[[str], None]) -> None:
        """`on_alone`: the database cannot be asked; said with each failed round, the lease goes on until it is over."""
        self._line = Line(url, f"node {me.node_id} keeps its lease", me.lease_ms)
        self._leaving_line = Line(url, f"node {me.node_id} leaves")
        self._me = me
        self._deliver = deliver
        self._on_alone = on_alone
        self._tables = _Tables(self._line, me)
        self._rounds = Rounds(self._tables, me.node_id, me.lease_ms, lease_seconds)
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None
        self._is_listening = False
        self.on_replaced: Callable[[str], None] = lambda why: None
        """Another process has this node's id, taken while this one could not renew. Called from the thread, with each round."""

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
        patient_until_s = lease_seconds() + self._rounds.lease_s + self._rounds.interval_s
        while not self._tables.register():
            if lease_seconds() > patient_until_s:
                raise NodeIdTaken(
                    f"node {self._me.node_id} is already running: choose another --node-id "
                    "(`muster cluster status` lists who is there)"
                )
            self._stopping.wait(self._rounds.interval_s)

    def reclaim(self) -> None:
        """What this node owns has to begin a new epoch, with the next round: it gave up what it had open."""
        self._rounds.reclaim()

    def look_again(self) -> None:
        """The last view could not be used: hand over another one with the next round, changed or not."""
        self._rounds.look_again()

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
                self._rounds.spare_the_others()
                self._on_alone(str(error))
                if isinstance(error, NodeIdTaken):
                    self.on_replaced(str(error))
                self._stopping.wait(min(0.2, self._rounds.interval_s))

    def _wait_for_news(self) -> None:
        """Until somebody says that something changed, or it is time to renew."""

        def listen(connection: Any) -> None:
            if not self._is_listening:
                connection.execute(f"LISTEN {CHANNEL}")
                self._is_listening = True
                return
            for _ in connection.notifies(timeout=self._rounds.wait_s, stop_after=1):
                pass

        self._line.run(listen)

    def _round(self) -> None:
        lease_until_s = self._rounds.begin()
        self._rounds.renew()
        self._deliver(self._rounds.look(), lease_until_s)
