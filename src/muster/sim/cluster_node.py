"""One node of the simulated cluster through all its lives: the real node, coordinator and seat on a simulated loop and store.

A commit is one statement that travels: it is sent, carried out in the database, and answered. The node may be stopped or
dead by then, the connection may have broken, or the node's patience may be over while the database is still at it.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import TYPE_CHECKING, Any, cast

from muster.cluster.rounds import Rounds
from muster.log.contract import StorageError
from muster.log.postgres.line import GRACE, ConnectionLost
from muster.runtime.cluster_seat import ClusterLeaders, ClusterSeat
from muster.runtime.node import Node
from muster.security.authorizer import AllowAll
from muster.server.endpoint import Endpoint
from muster.server.handlers.table import HANDLERS
from muster.server.listener import Listener
from muster.server.routes import Routes
from muster.server.settings import Settings
from muster.sim.cluster_loop import NodeLoop
from muster.sim.cluster_membership import SimMembership, SimTables
from muster.sim.cluster_peers import SimPeers
from muster.sim.cluster_store import ClusterStore, SimCommit, SimLine
from muster.sim.member import TOPIC
from muster.sim.world import EPOCH_MS
from muster.topics.broker import Broker
from muster.topics.broker_config import BrokerConfig

if TYPE_CHECKING:
    from muster.sim.cluster_world import ClusterWorld

LEASE_MS = 3_000
MOST_DRIFT = 0.02
"""How wrong a node's clock may run. `rounds.SAFETY` allows for more."""
RESTART_MS = 500


class SimNode:
    def __init__(self, world: ClusterWorld, node_id: int, random: Random) -> None:
        self._world = world
        self.node_id = node_id
        self.random = random
        self.rate = 1 + random.uniform(-MOST_DRIFT, MOST_DRIFT)
        self.lives = 0
        self.loop = NodeLoop(world.scheduler, EPOCH_MS, self.rate)
        self.node: Node | None = None
        """None while the process is not there."""
        self.listener: Listener | None = None
        self.membership: SimMembership | None = None
        self.is_stopping = False
        self._epochs: dict[int, int] = {}
        self._settings = Settings.of({**world.settings, "node.id": str(node_id), "muster.lease.ms": str(LEASE_MS)})

    # -- lives

    def start(self) -> None:
        if self.node is not None:
            return
        world, self.lives = self._world, self.lives + 1
        loop = self.loop = NodeLoop(world.scheduler, self.loop.now_ms() - self.loop.ticks_ms(), self.rate)
        try:
            node, membership = self._make(loop)
            loop.enter(node.start)
            if node.broker.topic(TOPIC) is None:
                node.broker.create_topics(world.topics)
        except StorageError as error:
            loop.alive = False
            world.note("node", self.node_id, "cannot start", str(error))
            world.scheduler.after(RESTART_MS, self.start)
            return
        self.node, self.membership, self.listener = node, membership, self._listen(node)
        world.note("node", self.node_id, "life", self.lives)

    def _make(self, loop: NodeLoop) -> tuple[Node, SimMembership]:
        """As `server.assembly` and `server.cluster_assembly` do."""
        world = self._world
        store = ClusterStore(world.database, self.node_id)
        leaders = ClusterLeaders(self.node_id)
        config = BrokerConfig(node_id=self.node_id, cluster_id="sim")
        node = Node(
            self._settings,
            Broker(store, config, world.ids.randbytes, leaders=leaders),
            loop,
            cast(Any, loop),
            AllowAll(),
            lambda: f"{world.ids.getrandbits(64):016x}",
            lambda work, then: self._in_background(loop, store, work, then),
        )
        seat = ClusterSeat(node, leaders, cast(Any, loop), store.document_versions, loop.time)
        store.on_connection_lost = seat.begin_anew
        seat.on_reachable = lambda is_reachable: store.set_reachable(is_reachable=is_reachable)
        seat.before_leading = lambda slots, then: loop.call_later(world.statement_ms() / 1000, then, None)
        node.cluster = seat
        node.other_nodes = SimPeers(world, self.node_id, loop)
        membership = self._member_of(loop, seat)
        seat.membership = membership
        world.listen_to_journal(node)
        node.advertise(f"node-{self.node_id}", 9092)
        return node, membership

    def _member_of(self, loop: NodeLoop, seat: ClusterSeat) -> SimMembership:
        world = self._world
        endpoints = {self._settings.listeners[0].name: (f"node-{self.node_id}", 9092)}
        line = SimLine(world.database, self.node_id)
        leaving_line = SimLine(world.database, self.node_id)
        line.breaks_down = leaving_line.breaks_down = lambda: world.breaks_down(self)
        # Unlike a reply to a client, the number of a life is the same in every run of a seed.
        tables = SimTables(line, self.node_id, self.lives, endpoints)
        rounds = Rounds(tables, self.node_id, LEASE_MS, loop.time)
        me = (self.node_id, self.lives)
        return SimMembership(loop, line, leaving_line, me, rounds, world.statement_ms, seat.deliver, seat.on_alone)

    def _listen(self, node: Node) -> Listener:
        listener = Listener(self._settings, Routes(HANDLERS))
        listener.doors[0].advertised = Endpoint(node.host, node.port)
        listener.node = node
        return listener

    def crash(self) -> None:
        """As SIGKILL does. What was sent to the database may still be carried out."""
        if self.node is not None:
            self._end("crashed")

    def terminate(self, then: Callable[[], object]) -> None:
        """As SIGTERM does: hand over, answer whoever waits, go."""
        loop, node = self.loop, self.node
        if node is None or self.is_stopping:
            return
        self.is_stopping = True

        def gone() -> None:
            if self.node is node:
                self._end("stopped")
                then()

        loop.run(node.stop(), gone)

    def _end(self, how: str) -> None:
        self.loop.end()
        self.is_stopping = False
        self.node = self.listener = self.membership = None
        self._world.cluster_network.cut_node(self.node_id)
        self._world.note("node", self.node_id, how)

    def pause(self) -> None:
        """As SIGSTOP does."""
        self.loop.pause()

    def resume(self) -> None:
        if self.loop.is_paused:
            self.loop.resume()

    # -- commits

    def _in_background(
        self, loop: NodeLoop, store: ClusterStore, work: Callable[[], None], then: Callable[[], None]
    ) -> None:
        commit = getattr(work, "__self__", None)
        if isinstance(commit, SimCommit):
            _Statement(self._world, self, loop, store.writer, commit, then).send()
        else:
            loop.call_later(0, _both, work, then)

    # -- for the checkers

    def tenures(self) -> dict[int, int]:
        """Since which epochs this node has coordinated, by partition; the last known one where it does no more."""
        if self.node is not None:
            self._epochs.update({index: place.epoch for index, place in self.node.coordinator.places.items()})
        return dict(self._epochs)


def _both(work: Callable[[], None], then: Callable[[], None]) -> None:
    work()
    then()


class _Statement:
    """One commit on its way to the database and back."""

    def __init__(
        self,
        world: ClusterWorld,
        node: SimNode,
        loop: NodeLoop,
        line: SimLine,
        commit: SimCommit,
        then: Callable[[], None],
    ) -> None:
        self._world = world
        self._node = node
        self._loop = loop
        self._line = line
        self._commit = commit
        self._then = then
        self._is_settled = False

    def send(self) -> None:
        try:
            self._line.connect()
        except StorageError as error:
            self._commit.fail(error)
            self._loop.call_soon(self._settle)
            return
        self._loop.call_later(LEASE_MS / 1000 * GRACE, self._lose_patience)
        self._world.scheduler.after(self._world.commit_ms(), self._carry_out)

    def _carry_out(self) -> None:
        """In the database: whether anybody still waits does not matter to it. Who broke off may have been heard or not."""
        if self._line.is_broken and (self._world.database.is_away or self._node.random.random() < 0.5):
            self._loop.call_soon(self._lose)
            return
        self._commit.run()
        self._world.note("commit", self._node.node_id)
        lost = self._world.breaks_down(self._node)
        self._loop.call_later(self._world.statement_ms() / 1000, self._lose if lost else self._arrive)

    def _arrive(self) -> None:
        if self._line.is_broken:
            self._lose()
        else:
            self._settle()

    def _lose_patience(self) -> None:
        self._lose()

    def _lose(self) -> None:
        if not self._is_settled:
            self._line.close()
            self._commit.fail(ConnectionLost("the simulated database went away during a commit"))
            self._settle()

    def _settle(self) -> None:
        if not self._is_settled:
            self._is_settled = True
            self._then()
