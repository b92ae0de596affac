"""What may go wrong in a cluster, and when: nodes, their clocks and connections, the database; and what goes wrong with members
and networks anyway. After `FAULTY_MS` everything heals."""

from __future__ import annotations

from random import Random

from muster.sim import faults
from muster.sim.cluster_node import LEASE_MS, SimNode
from muster.sim.cluster_world import ClusterWorld
from muster.sim.faults import Weighted
from muster.sim.transactions.faults import end_a_producer, stall_a_producer, start_a_producer


def _node(world: ClusterWorld, random: Random) -> SimNode:
    return random.choice(list(world.nodes.values()))


def kill_a_node(world: ClusterWorld, random: Random) -> None:
    node = _node(world, random)
    node.crash()
    world.scheduler.after(random.randint(50, 3 * LEASE_MS), node.start)


def terminate_a_node(world: ClusterWorld, random: Random) -> None:
    """As SIGTERM does: it hands over and goes, and comes back, as in a rolling restart."""
    node, down_ms = _node(world, random), random.randint(50, 2 * LEASE_MS)
    node.terminate(lambda: world.scheduler.after(down_ms, node.start))


def stop_a_node(world: ClusterWorld, random: Random) -> None:
    """As SIGSTOP does: most of the stops are longer than a lease."""
    node = _node(world, random)
    node.pause()
    world.scheduler.after(random.randint(100, 4 * LEASE_MS), node.resume)


def cut_a_node_off(world: ClusterWorld, random: Random) -> None:
    """From the database; its clients still reach it."""
    node = _node(world, random)
    world.database.cut_off[node.node_id] = None
    world.database.break_connections([node.node_id])
    world.scheduler.after(random.randint(100, 3 * LEASE_MS), lambda: world.database.cut_off.pop(node.node_id, None))


def lose_replies(world: ClusterWorld, random: Random) -> None:
    """The database does what it was asked for, or not, and the node is not told."""
    node = _node(world, random)
    world.flaky[node.node_id] = None
    world.scheduler.after(random.randint(100, 3_000), lambda: world.flaky.pop(node.node_id, None))


def database_away(world: ClusterWorld, random: Random) -> None:
    world.database.is_away = True
    world.database.break_connections(list(world.nodes))
    world.scheduler.after(random.randint(50, 2 * LEASE_MS), lambda: setattr(world.database, "is_away", False))


def slow_database(world: ClusterWorld, random: Random) -> None:
    world.is_database_slow = True
    world.scheduler.after(random.randint(500, 6_000), lambda: setattr(world, "is_database_slow", False))


def drain_a_node(world: ClusterWorld, random: Random) -> None:
    """As an operator does; started again it may lead again."""
    node = _node(world, random)
    world.database.set_draining(node.node_id)
    world.database.carry_out_plan()

    def restart() -> None:
        node.crash()
        node.start()

    world.scheduler.after(random.randint(500, 8_000), restart)


def part_two_nodes(world: ClusterWorld, random: Random) -> None:
    """They cannot reach each other; the database and the clients reach both."""
    pair = tuple(sorted(random.sample(list(world.nodes), 2)))
    assert len(pair) == 2
    world.apart[pair] = None
    world.scheduler.after(random.randint(100, 4 * LEASE_MS), lambda: world.apart.pop(pair, None))


def cut_clients_off(world: ClusterWorld, random: Random) -> None:
    world.cluster_network.cut_node(_node(world, random).node_id)


def jump_a_clock(world: ClusterWorld, random: Random) -> None:
    _node(world, random).loop.jump(random.choice((-3_000, -200, 200, 3_000, 20_000)))


CLUSTER_FAULTS: Weighted[ClusterWorld] = (
    (faults.come_or_come_back, 8),
    (faults.cut_a_link, 3),
    (faults.vanish, 3),
    (faults.stall, 3),
    (faults.leave, 2),
    (faults.slow_network, 2),
    (kill_a_node, 4),
    (terminate_a_node, 3),
    (stop_a_node, 5),
    (cut_a_node_off, 4),
    (lose_replies, 4),
    (database_away, 2),
    (slow_database, 3),
    (drain_a_node, 2),
    (cut_clients_off, 1),
    (jump_a_clock, 2),
)


CLUSTER_FAULTS_WITH_TRANSACTIONS: Weighted[ClusterWorld] = (
    *CLUSTER_FAULTS,
    (start_a_producer, 8),
    (stall_a_producer, 4),
    (end_a_producer, 3),
    (part_two_nodes, 4),
)


def heal_cluster(world: ClusterWorld) -> None:
    """Nothing disturbs from now on; every node is up and may lead, and somebody is there in every group."""
    world.network.is_slow = False
    world.is_database_slow = False
    world.flaky.clear()
    world.database.cut_off.clear()
    world.database.is_away = False
    world.apart.clear()
    for node in world.nodes.values():
        node.resume()
        row = world.database.nodes.get(node.node_id)
        if node.is_stopping or (row is not None and row.is_draining):
            node.crash()
        node.start()
    for member in world.members:
        if not member.is_alive:
            member.start()
    if world.transactions is not None:
        world.transactions.heal()
