"""What may go wrong with transactional producers, beside what may go wrong anyway."""

from __future__ import annotations

from random import Random

from muster.sim.transactions.producer import TIMEOUT_MS, SimProducer
from muster.sim.witness import Witness


def stall_a_producer(world: Witness, random: Random) -> None:
    """For a moment, or past the timeout of its transaction."""
    producer = _producer(world, random)
    if producer.is_alive:
        producer.stall(random.randint(100, 3 * TIMEOUT_MS))


def end_a_producer(world: Witness, random: Random) -> None:
    _producer(world, random).vanish()


def start_a_producer(world: Witness, random: Random) -> None:
    """Beside another one with the same transactional id, perhaps."""
    producer = _producer(world, random)
    if not producer.is_alive:
        producer.start()


def _producer(world: Witness, random: Random) -> SimProducer:
    assert world.transactions is not None
    return random.choice(world.transactions.producers)
