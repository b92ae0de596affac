"""The limit on a principal's transactional ids: what is in flight counts, what has expired does not."""

from __future__ import annotations

import pytest

from muster.runtime.principal_usage import RECOUNT_AFTER_MS
from muster.runtime.transactional_id_usage import IN_FLIGHT_MS, TransactionalIdUsage
from muster.wire.errors import NONE, POLICY_VIOLATION


class World:
    """What the shards know, and what time it is."""

    def __init__(self) -> None:
        self.known: set[str] = set()
        self.now_ms = 1_000
        self.usage = TransactionalIdUsage(2, self.known.__contains__, lambda: self.now_ms)


@pytest.fixture
def world() -> World:
    return World()


def test_requests_in_flight_do_not_pass_the_limit(world: World) -> None:
    """Their ids are in no shard yet: a count of what the shards have would let any number of them in."""
    assert [world.usage.why_not("User:a", f"t{number}") for number in range(4)] == [NONE, NONE] + [POLICY_VIOLATION] * 2
    world.now_ms += RECOUNT_AFTER_MS
    assert world.usage.why_not("User:a", "t9") == POLICY_VIOLATION
    assert world.usage.refused == 3


def test_others_have_a_limit_of_their_own(world: World) -> None:
    assert [world.usage.why_not("User:a", name) for name in ("t0", "t1")] == [NONE, NONE]
    assert world.usage.why_not("User:b", "t2") == NONE


def test_what_has_expired_does_not_count_any_more(world: World) -> None:
    for name in ("t0", "t1"):
        assert world.usage.why_not("User:a", name) == NONE
        world.known.add(name)
    world.now_ms += IN_FLIGHT_MS
    assert world.usage.why_not("User:a", "t2") == POLICY_VIOLATION
    world.known.discard("t0")
    world.now_ms += RECOUNT_AFTER_MS
    assert world.usage.why_not("User:a", "t2") == NONE


def test_an_id_that_came_to_nothing_counts_until_its_request_cannot_be_in_flight(world: World) -> None:
    assert [world.usage.why_not("User:a", name) for name in ("t0", "t1")] == [NONE, NONE]
    world.now_ms += IN_FLIGHT_MS - 1
    assert world.usage.why_not("User:a", "t2") == POLICY_VIOLATION
    world.now_ms += RECOUNT_AFTER_MS
    assert world.usage.why_not("User:a", "t2") == NONE
