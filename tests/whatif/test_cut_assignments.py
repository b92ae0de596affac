"""A rebalance whose assignment was cut short by a member's own join is given back exactly."""

from __future__ import annotations

import json

from muster.core.config import GroupConfig
from muster.whatif.replay import replay
from muster.whatif.variants import Variant
from muster.wire.consumer_protocol import Assignment, Subscription, encode_assignment, encode_subscription
from tests.core.world import World
from tests.whatif.test_replay import recorded_from

COOPERATIVE = "cooperative-sticky"


def protocols(owned: list[int], generation: int, data: bytes = b"") -> tuple[tuple[str, bytes], ...]:
    said = Subscription(["orders"], data, [("orders", owned)] if owned else [], generation)
    return ((COOPERATIVE, encode_subscription(said)),)


def given(*partitions: int) -> bytes:
    return encode_assignment(Assignment([("orders", list(partitions))]))


def test_cooperative_member_that_changes_its_subscription_before_the_leader_has_assigned_joins_once() -> None:
    world = World(GroupConfig(initial_rebalance_delay_ms=0))
    first = world.join(client="anna", protocols=protocols([], -1))
    world.advance(10)
    anna = first.reply.member_id
    world.sync(anna, 1, {anna: given(0, 1)})
    world.advance(5_000)
    boris = world.join(client="boris", protocols=protocols([], -1))
    world.advance(200)
    again = world.join(anna, client="anna", protocols=protocols([0, 1], 1))
    assert (boris.reply.generation, again.reply.leader) == (2, anna)
    world.advance(15)
    changed = world.join(boris.reply.member_id, client="boris", protocols=protocols([], -1, b"other"))
    world.advance(100)
    world.join(anna, client="anna", protocols=protocols([0, 1], 1))
    assert changed.reply.generation == 3
    world.advance(30)
    world.sync(boris.reply.member_id, 3)
    world.sync(anna, 3, {anna: given(0), boris.reply.member_id: given(1)})
    world.advance(5_000)
    payloads = [json.dumps(event.to_json()) for event in world.journal]
    recorded = recorded_from(payloads)
    assert recorded.phases.cuts, "the join of boris came before the leader had assigned"
    assert [json.dumps(event.to_json()) for event in replay(recorded, Variant()).journal] == payloads
