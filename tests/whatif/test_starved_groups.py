"""Settings under which a group cannot get to work: what has no owner is counted, and they are never advised."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from muster.explain.event import Event, events_of
from muster.explain.facts import Gap
from muster.whatif.advice import advise
from muster.whatif.answer import Answer, answer, as_row
from muster.whatif.processes import end_of
from muster.whatif.replay import replay
from muster.whatif.unowned import all_gaps, spread
from muster.whatif.variants import Variant
from tests.whatif.random_group import RandomGroup
from tests.whatif.test_replay import recorded_from

SEEDS = 12
COMES = ("member_joined", "member_id_given")
LONGEST_REACTION_MS = 1_500
"""To join again and to assign."""
NEVER_IN_TIME = Variant(max_poll_ms=1)
"""Nobody joins again, and no leader assigns, within a millisecond."""


def recording(seed: int, **settings: Any) -> list[str]:
    journal = RandomGroup(seed, session_ms=10_000, length_ms=60_000, **settings).run().journal
    return [json.dumps(event.to_json()) for event in journal]


@pytest.mark.parametrize("seed", range(SEEDS))
def test_settings_that_starve_a_group_are_never_advised(seed: int) -> None:
    found: list[Answer] = answer("g", recording(seed), [NEVER_IN_TIME, Variant(members=-9)])
    for each in found:
        assert each.recorded.unowned_ms < each.replayed.unowned_ms
        assert advise([as_row(each)]) is None


@pytest.mark.parametrize("seed", range(SEEDS))
def test_recording_and_its_replay_are_without_an_owner_for_the_same_time(seed: int) -> None:
    (found,) = answer("g", recording(seed), [Variant()])
    assert found.recorded == found.replayed


@pytest.mark.parametrize("seed", range(SEEDS))
def test_leader_that_assigns_too_late_hears_that_it_is_unknown_and_joins_again(seed: int) -> None:
    """Unless it ends before, or the recording does, by the time that it needs for that."""
    recorded = recorded_from(recording(seed))
    journal = replay(recorded, NEVER_IN_TIME).journal
    late = [event for event in journal if event.cause == "sync_missed" and event.kind == "member_expelled"]
    assert late
    for event in late:
        lives = [each for each in recorded.members if each.client == event.client_id and each.came_ms <= event.at_ms]
        until_ms = min(end_of(max(lives, key=lambda each: each.came_ms)), recorded.end_ms)
        joins = [each.at_ms for each in journal if each.client_id == event.client_id and each.kind in COMES]
        assert any(event.at_ms < at_ms for at_ms in joins) or until_ms < event.at_ms + LONGEST_REACTION_MS


def test_leader_whose_round_was_cut_short_assigns_when_nothing_cuts_it() -> None:
    """In group 117 the client that comes last cuts such a round short. Without it nobody waits longer for an assignment."""
    payloads = [json.dumps(event.to_json()) for event in RandomGroup(117, clients=6).run().journal]
    recorded = recorded_from(payloads)
    events = events_of(replay(recorded, Variant(members=-1)).journal)
    assert recorded.phases.cuts
    assert max(sync_phases(events)) <= max(sync_phases(recorded.events)) == 10_000


def sync_phases(events: Sequence[Event]) -> Iterator[int]:
    """How long each took, whether it was cut short or not."""
    began_ms: int | None = None
    for event in events:
        if event.kind == "join_completed":
            began_ms = event.at_ms
        elif event.kind == "rebalance_ended" and began_ms is not None:
            yield event.at_ms - began_ms
            began_ms = None


def test_partitions_are_without_an_owner_before_the_first_and_while_nobody_is_there() -> None:
    first, second = ("orders", 0), ("orders", 1)
    told = [Gap(first, 3_000, 4_000), Gap(first, 3_500, 5_000), Gap(("other", 0), 0, 9_000)]
    wanted = {first: 1_000, second: 2_000}
    given = {first: [1_500, 5_000, 8_000]}
    found = all_gaps(told, given, wanted, [(first, 6_000), (second, 2_500)], 9_000)
    assert found == [
        Gap(first, 1_000, 1_500),
        Gap(first, 3_000, 5_000),
        Gap(first, 6_000, 8_000),
        Gap(second, 2_000, 9_000),
    ]


def test_new_partitions_are_wanted_as_soon_as_the_first_of_their_topic() -> None:
    assert spread({("orders", 0): 5, ("orders", 1): 3}, 2) == {
        ("orders", 0): 5,
        ("orders", 1): 3,
        ("orders", 2): 3,
        ("orders", 3): 3,
    }
