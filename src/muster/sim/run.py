"""One seed, one run, one verdict; and the smallest set of faults that still shows a violation."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from muster.sim.checkers import CHECKERS, Checker, violations
from muster.sim.consumers.checkers import CONSUMER_CHECKERS
from muster.sim.faults import (
    CONSUMER_FAULTS,
    CONSUMER_FAULTS_OF_ONE_SERVER,
    FAULTS,
    FAULTS_WITH_TRANSACTIONS,
    FAULTY_MS,
    QUIET_MS,
    heal,
    unleash,
)
from muster.sim.transactions.checkers import TRANSACTION_CHECKERS
from muster.sim.witness import Witness
from muster.sim.world import World


@dataclass(slots=True, frozen=True)
class Verdict:
    seed: int
    violations: tuple[str, ...]
    digest: str
    events: int
    commits: int
    generations: int
    lives: int
    epochs: int = 0
    """Of all partitions of a cluster."""
    transactions: int = 0
    """That were said to be committed."""
    migrations: int = 0
    """Of groups from one protocol to the other."""


def simulate(
    seed: int,
    allowed: frozenset[str] | None = None,
    nodes: int = 1,
    *,
    transactions: bool = False,
    consumers: bool = False,
) -> Verdict:
    """`nodes`: how many; more than one share a database. `transactions`: with transactional clients beside the members.
    `consumers`: with members of the consumer protocol, and a group that is moved from one protocol to the other."""
    if nodes == 1:
        return _one_server(seed, allowed, transactions, consumers)
    return _cluster(seed, allowed, nodes, transactions, consumers)


def _one_server(seed: int, allowed: frozenset[str] | None, transactions: bool, consumers: bool) -> Verdict:
    world = World(seed, transactions=transactions, consumers=consumers)
    faults = FAULTS_WITH_TRANSACTIONS if transactions else FAULTS
    more = CONSUMER_FAULTS_OF_ONE_SERVER if consumers else ()
    unleash(world, Random(f"faults of {seed}"), (*faults, *more), allowed)
    _start_members(world)
    world.scheduler.run_until(FAULTY_MS)
    heal(world)
    world.scheduler.run_until(FAULTY_MS + QUIET_MS)
    world.look_at_the_end()
    return _verdict(seed, world, world.life, _with(CHECKERS, transactions, consumers))


def _cluster(seed: int, allowed: frozenset[str] | None, nodes: int, transactions: bool, consumers: bool) -> Verdict:
    from muster.sim.cluster_checkers import ALL_CHECKERS
    from muster.sim.cluster_faults import CLUSTER_FAULTS, CLUSTER_FAULTS_WITH_TRANSACTIONS, heal_cluster
    from muster.sim.cluster_world import ClusterWorld

    world = ClusterWorld(seed, nodes, transactions=transactions, consumers=consumers)
    faults = CLUSTER_FAULTS_WITH_TRANSACTIONS if transactions else CLUSTER_FAULTS
    unleash(world, Random(f"faults of {seed}"), (*faults, *(CONSUMER_FAULTS if consumers else ())), allowed)
    _start_members(world)
    world.scheduler.run_until(FAULTY_MS)
    heal_cluster(world)
    world.scheduler.run_until(FAULTY_MS + QUIET_MS)
    world.look_at_the_end()
    return _verdict(seed, world, world.lives, _with(ALL_CHECKERS, transactions, consumers), world.epochs)


def _with(checkers: tuple[Checker, ...], transactions: bool, consumers: bool) -> tuple[Checker, ...]:
    return (*checkers, *(TRANSACTION_CHECKERS if transactions else ()), *(CONSUMER_CHECKERS if consumers else ()))


def _start_members(world: Witness) -> None:
    for member in world.members[::2]:
        member.start()
    if world.transactions is not None:
        world.transactions.start()


def _verdict(seed: int, world: Witness, lives: int, checkers: tuple[Checker, ...], epochs: int = 0) -> Verdict:
    history = world.history
    return Verdict(
        seed,
        tuple(violations(history, checkers)),
        history.digest(),
        history.events,
        len(history.acked),
        len({(joined.life, joined.group, joined.generation) for joined in history.joined}),
        lives,
        epochs,
        sum(attempt.told is True for attempt in history.transactions.attempts.values()),
        len(history.consumers.migrations),
    )


def kinds_of_faults(nodes: int = 1, *, transactions: bool = False, consumers: bool = False) -> list[str]:
    if nodes == 1:
        alone = FAULTS_WITH_TRANSACTIONS if transactions else FAULTS
        return [fault.__name__ for fault, _ in (*alone, *(CONSUMER_FAULTS_OF_ONE_SERVER if consumers else ()))]
    more = [fault.__name__ for fault, _ in CONSUMER_FAULTS] if consumers else []
    from muster.sim.cluster_faults import CLUSTER_FAULTS, CLUSTER_FAULTS_WITH_TRANSACTIONS

    found = CLUSTER_FAULTS_WITH_TRANSACTIONS if transactions else CLUSTER_FAULTS
    return [fault.__name__ for fault, _ in found] + more


def shrink(seed: int, nodes: int = 1, *, transactions: bool = False, consumers: bool = False) -> frozenset[str]:
    """Leave out one kind of fault after the other as long as something stays wrong."""
    kinds = kinds_of_faults(nodes, transactions=transactions, consumers=consumers)
    needed = frozenset(kinds)
    for kind in kinds:
        fewer = needed - {kind}
        if simulate(seed, fewer, nodes, transactions=transactions, consumers=consumers).violations:
            needed = fewer
    return needed
