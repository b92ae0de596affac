"""What may go wrong, and when: drawn from the seed before and while the world runs. After `FAULTY_MS` everything
heals."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import TypeVar

from muster.sim.consumers.faults import restart_a_consumer
from muster.sim.transactions.faults import end_a_producer, stall_a_producer, start_a_producer
from muster.sim.witness import Witness
from muster.sim.world import World

FAULTY_MS = 60_000
QUIET_MS = 60_000
MEAN_PAUSE_MS = 1_500

W = TypeVar("W", bound=Witness)
Fault = Callable[[W, Random], None]
Weighted = tuple[tuple[Fault[W], int], ...]
"""(what, how often compared with the others)."""


def cut_a_link(world: Witness, random: Random) -> None:
    world.network.cut_one()


def cut_all_links(world: Witness, random: Random) -> None:
    world.network.cut_all()


def slow_network(world: Witness, random: Random) -> None:
    world.network.is_slow = True
    world.scheduler.after(random.randint(500, 4_000), lambda: setattr(world.network, "is_slow", False))


def slow_disk(world: World, random: Random) -> None:
    world.disk_delay_ms = 2_000
    world.scheduler.after(random.randint(500, 8_000), lambda: setattr(world, "disk_delay_ms", 5))


def full_disk(world: World, random: Random) -> None:
    store = world.store
    store.is_full = True
    world.scheduler.after(random.randint(100, 3_000), lambda: setattr(store, "is_full", False))


def crash(world: World, random: Random) -> None:
    world.crash(random.randint(50, 5_000))


def jump_the_clock(world: World, random: Random) -> None:
    world.network.server_loop.jump(random.choice((-3_000, -200, 200, 3_000, 20_000)))


def vanish(world: Witness, random: Random) -> None:
    random.choice(world.members).vanish()


def leave(world: Witness, random: Random) -> None:
    random.choice(world.members).leave()


def stall(world: Witness, random: Random) -> None:
    member = random.choice(world.members)
    if member.is_alive:
        member.stall(random.randint(100, 15_000))


def come_or_come_back(world: Witness, random: Random) -> None:
    member = random.choice(world.members)
    if not member.is_alive:
        member.start()


FAULTS: Weighted[World] = (
    (come_or_come_back, 8),
    (cut_a_link, 5),
    (vanish, 4),
    (stall, 4),
    (leave, 3),
    (slow_network, 2),
    (slow_disk, 2),
    (full_disk, 2),
    (crash, 2),
    (jump_the_clock, 2),
    (cut_all_links, 1),
)


FAULTS_WITH_TRANSACTIONS: Weighted[World] = (
    *FAULTS,
    (start_a_producer, 8),
    (stall_a_producer, 5),
    (end_a_producer, 3),
)


def grow_the_topic(world: World, random: Random) -> None:
    world.grow_topic()


CONSUMER_FAULTS: Weighted[Witness] = ((restart_a_consumer, 12),)
"""Beside those above, or those of a cluster."""
CONSUMER_FAULTS_OF_ONE_SERVER: Weighted[World] = (*CONSUMER_FAULTS, (grow_the_topic, 4))


def unleash(world: W, random: Random, faults: Weighted[W], allowed: frozenset[str] | None = None) -> None:
    """Plan faults until they end. `allowed` leaves some out without changing when the others come, for shrinking."""
    kinds = [fault for fault, _ in faults]
    weights = [weight for _, weight in faults]
    time_ms = 0
    while True:
        time_ms += random.randint(1, 2 * MEAN_PAUSE_MS)
        if time_ms >= FAULTY_MS:
            return
        (fault,) = random.choices(kinds, weights)
        chance = Random(random.random())
        if allowed is None or fault.__name__ in allowed:
            _plan(world, time_ms, fault, chance)


def _plan(world: W, time_ms: int, fault: Fault[W], chance: Random) -> None:
    def strike() -> None:
        world.note("fault", fault.__name__)
        fault(world, chance)

    world.scheduler.at(time_ms, strike)


def heal(world: World) -> None:
    """Nothing disturbs from now on, and somebody is there in every group."""
    world.network.is_slow = False
    world.disk_delay_ms = 5
    world.store.is_full = False
    if world.node is None:
        world.start_server()
    for member in world.members:
        if not member.is_alive:
            member.start()
    if world.transactions is not None:
        world.transactions.heal()
