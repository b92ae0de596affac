"""One seed, one run, one verdict; and the smallest set of faults that still shows a violation."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from muster.sim.checkers import violations
from muster.sim.faults import FAULTS, FAULTY_MS, QUIET_MS, heal, unleash
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


def simulate(seed: int, allowed: frozenset[str] | None = None) -> Verdict:
    world = World(seed)
    unleash(world, Random(f"faults of {seed}"), allowed)
    for member in world.members[::2]:
        member.start()
    world.scheduler.run_until(FAULTY_MS)
    heal(world)
    world.scheduler.run_until(FAULTY_MS + QUIET_MS)
    world.look_at_the_end()
    history = world.history
    return Verdict(
        seed,
        tuple(violations(history)),
        history.digest(),
        history.events,
        len(history.acked),
        len({(joined.life, joined.group, joined.generation) for joined in history.joined}),
        world.life,
    )


def shrink(seed: int) -> frozenset[str]:
    """Leave out one kind of fault after the other as long as something stays wrong."""
    needed = frozenset(fault.__name__ for fault, _ in FAULTS)
    for fault, _ in FAULTS:
        fewer = needed - {fault.__name__}
        if simulate(seed, fewer).violations:
            needed = fewer
    return needed
