"""A node's place in the simulated cluster: the rounds of `cluster.rounds` as events instead of a thread.

A round takes its time: it is asked on the node's clock, carried out in the database later, and answered later still;
between any two of these the node may be stopped or die, or the connection may break.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from muster.cluster.rounds import Rounds
from muster.cluster.view import ClusterView
from muster.log.contract import StorageError
from muster.log.postgres.line import ConnectionLost
from muster.sim.cluster_loop import NodeLoop
from muster.sim.cluster_store import SimLine
from muster.sim.database import SimDatabase
from muster.sim.scheduler import Planned

Deliver = Callable[[ClusterView | None, float], None]


class SimTables:
    """What `Rounds` asks, over one connection."""

    def __init__(self, line: SimLine, node_id: int, incarnation: int, endpoints: Mapping[str, tuple[str, int]]) -> None:
        self._line = line
        self._me = (node_id, incarnation)
        self._endpoints = endpoints

    def renew(self) -> bool:
        return self._line.run(lambda database: database.renew(*self._me))

    def register(self) -> bool:
        return self._line.run(lambda database: database.register(*self._me, self._endpoints))

    def reclaim(self) -> None:
        self._line.run(lambda database: database.reclaim(self._me[0]))

    def news(self) -> tuple[int, float]:
        return self._line.run(SimDatabase.news)

    def look(self) -> ClusterView:
        return self._line.run(SimDatabase.look)

    def carry_out_plan(self) -> int:
        return self._line.run(SimDatabase.carry_out_plan)


class SimMembership:
    def __init__(
        self,
        loop: NodeLoop,
        line: SimLine,
        leaving_line: SimLine,
        me: tuple[int, int],
        rounds: Rounds,
        delay_ms: Callable[[], int],
        deliver: Deliver,
        on_alone: Callable[[str], None],
    ) -> None:
        """`me`: the node's id and which life of it this is. `delay_ms`: how long a statement takes one way."""
        self._loop = loop
        self._line = line
        self._leaving_line = leaving_line
        self._node_id, self._incarnation = me
        self._rounds = rounds
        self._delay_ms = delay_ms
        self._deliver = deliver
        self._on_alone = on_alone
        self._timer: Planned | None = None
        self._has_news = False
        self._has_left = False

    # -- what the seat asks

    def start(self) -> None:
        self._wait(0)

    def reclaim(self) -> None:
        self._rounds.reclaim()

    def look_again(self) -> None:
        self._rounds.look_again()

    def drain(self) -> None:
        if self._leaving_line.run(lambda database: database.set_draining(self._node_id, self._incarnation)):
            self._leaving_line.run(SimDatabase.carry_out_plan)

    def leave(self) -> None:
        """Stop renewing and sign off, if the database can be asked."""
        self._has_left = True
        with suppress(StorageError):
            self._leaving_line.run(lambda database: database.unregister(self._node_id, self._incarnation))

    # -- LISTEN

    def hear(self) -> None:
        """Somebody changed something. Heard at once by whoever waits, and after the round by whoever is at one."""
        if self._line.is_broken:
            return
        if self._timer is None:
            self._has_news = True
        else:
            self._timer.cancel()
            self._timer = None
            self._loop.call_soon(self._round)

    # -- rounds

    def _wait(self, seconds: float) -> None:
        self._timer = self._loop.call_later(0 if self._has_news else seconds, self._round)
        self._has_news = False

    def _round(self) -> None:
        self._timer = None
        if self._has_left:
            return
        lease_until_s = self._rounds.begin()
        self._later(self._renew, lease_until_s)

    def _renew(self, lease_until_s: float) -> None:
        if self._has_left:
            return
        try:
            self._rounds.renew()
        except StorageError as error:
            self._later(self._failed, error)
        else:
            self._later(self._look, lease_until_s)

    def _look(self, lease_until_s: float) -> None:
        try:
            view = self._rounds.look()
        except StorageError as error:
            self._later(self._failed, error)
        else:
            self._later(self._arrive, view, lease_until_s)

    def _arrive(self, view: ClusterView | None, lease_until_s: float) -> None:
        if self._line.is_broken:
            self._line.close()
            self._rounds.look_again()  # the last statement had no answer: the round ended before it noted anything
            self._failed(ConnectionLost("the simulated database went away"))
            return
        self._deliver(view, lease_until_s)
        self._wait(self._rounds.wait_s)

    def _failed(self, why: StorageError) -> None:
        self._rounds.spare_the_others()
        self._on_alone(str(why))
        self._wait(min(0.2, self._rounds.interval_s))

    def _later(self, step: Callable[..., None], *arguments: Any) -> None:
        self._loop.call_later(self._delay_ms() / 1000, step, *arguments)
