"""One member more or less: against groups that really have it."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from muster.whatif.answer import answer
from muster.whatif.changes import setting_of
from muster.whatif.replay import replay
from muster.whatif.variants import Variant
from tests.whatif.random_group import COUNTS, RandomGroup
from tests.whatif.test_replay import random_payloads, recorded_from


@pytest.mark.parametrize("seed", range(8))
def test_one_member_less_is_without_one_client_and_never_hears_of_it(seed: int) -> None:
    recorded = recorded_from(random_payloads(seed))
    kept = setting_of(recorded, Variant(members=-1)).members
    gone = {member.client for member in recorded.members} - {member.client for member in kept}
    assert len(gone) == 1
    journal = replay(recorded, Variant(members=-1)).journal
    assert gone.isdisjoint({event.client_id for event in journal})
    first = {member.client: member.came_ms for member in reversed(recorded.members)}
    assert max(first, key=first.__getitem__) in gone, "the one that came last"


@pytest.mark.parametrize("seed", range(8))
def test_one_member_more_is_in_every_generation_from_its_coming_to_the_end(seed: int) -> None:
    recorded = recorded_from(random_payloads(seed))
    journal: list[dict[str, Any]] = [event.to_json() for event in replay(recorded, Variant(members=1)).journal]
    joined = next(
        event["at_ms"] for event in journal if event["kind"] == "member_joined" and "added" in event["member"]
    )
    ends = [e for e in journal if e["kind"] == "rebalance_ended" and e["result"] == "stable" and e["at_ms"] > joined]
    assert ends
    assert not any(e["kind"] in ("member_expelled", "member_left") and "added" in e["member"] for e in journal)
    for event in ends:
        assert any("added-1" in member_id for member_id in event["assignments"])


def test_one_member_more_lives_on_though_the_first_one_died_or_was_away() -> None:
    """It does as the first one does but for how that ends. Of a session that ended the journal may say since when it counted."""
    recorded = recorded_from(random_payloads(1))
    first, *others = recorded.members
    dead = replace(
        first, silent_ms=first.came_ms + 20_000, session_from_ms=first.came_ms + 18_000, is_away=True, pauses=[(0, 1)]
    )
    changed = replace(recorded, members=[dead, *others])
    added = setting_of(changed, Variant(members=1)).members[-1]
    assert (added.heard_ms, added.is_away, added.pauses) == (None, False, [])
    journal = replay(changed, Variant(members=1)).journal
    assert not [each for each in journal if each.kind == "member_expelled" and "added" in (each.member_id or "")]


def test_as_many_less_as_there_are_leave_nothing() -> None:
    """And then everything is without an owner, from the rebalance that gave it to somebody in the recording."""
    payloads = random_payloads(1)
    (found,) = answer("g", payloads, [Variant(members=-4)])
    assert found.replayed.rebalances == 0
    began_ms = next(event["at_ms"] for event in map(json.loads, payloads) if event["kind"] == "rebalance_started")
    ended_ms = json.loads(payloads[-1])["at_ms"]
    assert {each.replayed_ms for each in found.partitions} == {ended_ms - began_ms}
    assert found.replayed.unowned_ms == sum(COUNTS.values()) * (ended_ms - began_ms) > found.recorded.unowned_ms


def test_clients_that_share_an_id_are_told_apart_by_their_member_ids() -> None:
    """Two processes with the same client id at the same time: one less is one member less."""
    payloads = [event.to_json() for event in RandomGroup(3).run().journal]
    shared = [json.dumps({**event, "client": "app"} if "client" in event else event) for event in payloads]
    recorded = recorded_from(shared)
    assert len(setting_of(recorded, Variant(members=-1)).members) == len(recorded.members) - 1
