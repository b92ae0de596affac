"""Groups that use the new protocol (KIP-848) already: their journals are replayed in it, and in the classic one.

Most recordings here are made by the replay's own clients: that they are given back event for event says that reading and replaying
fit each other. Those of `random_consumer_group` have clients that know nothing of the replay, and say how well it models any.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from muster.whatif.answer import answer
from muster.whatif.replay import replay
from muster.whatif.stretch import CannotReplay
from muster.whatif.variants import Variant
from tests.whatif.random_consumer_group import RandomConsumerGroup
from tests.whatif.test_replay import random_payloads, recorded_from

SEEDS = 12
CLIENT_SEEDS = 40
LOST = {(16, False): 1, (16, True): 1, (30, False): 2}
"""Rebalances that are not given back, by seed and `is_static`: heartbeats of members with nothing to give or take are no events, so
that nothing shows whether one came before its member died. Of 16 that is at the end, before the session is over."""


def consumer_payloads(seed: int, *, is_static: bool = False) -> list[str]:
    """The clients of a random history as members of a consumer group, by the real core."""
    variant = Variant(remote_assignor="uniform", is_static=is_static, session_timeout_ms=6_000)
    return [json.dumps(event.to_json()) for event in replay(recorded_from(random_payloads(seed)), variant).journal]


def without_refusals(payloads: list[str]) -> list[dict[str, Any]]:
    """A static member that was turned away and never came back has no part in the group."""
    return [event for text in payloads if (event := json.loads(text))["kind"] != "member_fenced"]


@pytest.mark.parametrize("is_static", [False, True])
@pytest.mark.parametrize("seed", range(SEEDS))
def test_recorded_settings_give_back_the_recorded_journal_exactly(seed: int, is_static: bool) -> None:
    payloads = consumer_payloads(seed, is_static=is_static)
    recorded = recorded_from(payloads)
    assert recorded.coordinated is not None
    assert recorded.coordinated.assignor == "uniform"
    assert len(recorded.events) == len(payloads)
    replayed = [json.dumps(event.to_json()) for event in replay(recorded, Variant()).journal]
    assert without_refusals(replayed) == without_refusals(payloads)


@pytest.mark.parametrize("is_static", [False, True])
@pytest.mark.parametrize("seed", range(CLIENT_SEEDS))
def test_rebalances_of_clients_that_know_nothing_of_the_replay_are_given_back(seed: int, is_static: bool) -> None:
    journal = RandomConsumerGroup(seed, dynamic=not is_static).run().journal
    (found,) = answer("g", [json.dumps(event.to_json()) for event in journal], [Variant()])
    lost = LOST.get((seed, is_static), 0)
    assert found.reproduced == found.recorded.rebalances - lost > 5
    assert lost or found.replayed == found.recorded
    assert not found.assumed


@pytest.mark.parametrize("seed", range(4))
def test_every_change_can_be_asked_for_but_those_of_the_classic_protocol_alone(seed: int) -> None:
    payloads = consumer_payloads(seed)
    same, doubled, classic, later = answer(
        "g",
        payloads,
        [Variant(), Variant(partition_times=2), Variant(assignor="range"), Variant(session_timeout_ms=30_000)],
    )
    assert same.recorded == same.replayed
    assert same.reproduced == same.recorded.rebalances > 0
    assert not same.assumed
    assert doubled.replayed.moved > same.recorded.moved
    assert classic.replayed.rebalances > 0
    assert (later.replayed.detection_ms or 30_000) == 30_000
    with pytest.raises(CannotReplay, match="of the classic protocol"):
        answer("g", payloads, [Variant(initial_delay_ms=0)])


def without_settings(payloads: list[str]) -> list[str]:
    """As 0.2 wrote them."""
    later = ("topics", "session_timeout_ms", "heartbeat_interval_ms", "assignment_interval_ms")
    found = []
    for event in map(json.loads, payloads):
        if event["kind"] in ("member_joined", "static_replaced", "target_assigned"):
            event = {name: value for name, value in event.items() if name not in later}
        if event["kind"] == "target_assigned":
            del event["member"], event["client"], event["host"]
        found.append(json.dumps(event))
    return found


@pytest.mark.parametrize("seed", range(SEEDS))
def test_journal_that_says_neither_settings_nor_topics_is_given_back_by_the_defaults(seed: int) -> None:
    (found,) = answer("g", without_settings(consumer_payloads(seed)), [Variant()])
    assert found.reproduced == found.recorded.rebalances > 0
    assert "heartbeats came every 5 s, and everybody subscribed to the same topics" in found.assumed


def test_interval_and_topics_are_those_of_the_journal() -> None:
    payloads = consumer_payloads(1)
    events = [json.loads(text) for text in payloads]
    for event in events:
        if event["kind"] == "target_assigned":
            event["heartbeat_interval_ms"] = 700
        if event["kind"] == "member_joined":
            event["topics"] = ["orders"]
    recorded = recorded_from([json.dumps(event) for event in events])
    assert recorded.coordinated is not None
    assert recorded.coordinated.times.heartbeat_interval_ms == 700
    assert {member.settings.topics for member in recorded.members} == {("orders",)}


def test_classic_variant_has_join_phases_and_assigns_by_its_assignor() -> None:
    journal = replay(recorded_from(consumer_payloads(3)), Variant(assignor="roundrobin")).journal
    completed = [event for event in journal if event.kind == "join_completed"]
    assert {event.detail["protocol"] for event in completed} == {"roundrobin"}
    assert not any(event.kind == "epoch_raised" for event in journal)


def test_journal_that_was_cut_goes_on_where_the_group_is_empty_or_is_refused() -> None:
    payloads = consumer_payloads(2)
    with pytest.raises(CannotReplay, match="go back to a time when it was empty"):
        answer("g", payloads[1:20], [Variant()])
    emptied = {"kind": "state_changed", "at_ms": 5, "group": "g", "generation": 9, "cause": "nobody_left"}
    (found,) = answer("g", [json.dumps({**emptied, "from": "Stable", "to": "Empty"}), *payloads[1:]], [Variant()])
    assert found.assumed.startswith("begins at")
    assert found.reproduced == found.recorded.rebalances > 0
