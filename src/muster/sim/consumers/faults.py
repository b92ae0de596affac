"""What happens to members of consumer groups, beside what happens to members anyway."""

from __future__ import annotations

from random import Random

from muster.sim.consumers.member import ConsumerMember
from muster.sim.witness import Witness


def restart_a_consumer(world: Witness, random: Random) -> None:
    """As in a rolling restart: it leaves and comes back at once. In a group that is moved it may speak the other protocol then."""
    member = random.choice([each for each in world.members if isinstance(each, ConsumerMember)])
    member.leave()

    def come_back() -> None:
        if not member.is_alive:
            member.start()

    world.scheduler.after(random.randint(200, 2_000), come_back)
