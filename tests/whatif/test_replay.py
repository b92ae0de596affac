"""Recorded histories, replayed: with the recorded settings they come out exactly, with others as the change says."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace

import pytest

from muster.explain.event import event_of
from muster.whatif.advice import advise, why_none
from muster.whatif.answer import Answer, answer, as_row, problem_row
from muster.whatif.journal import read_recorded
from muster.whatif.recorded import Recorded
from muster.whatif.replay import replay
from muster.whatif.stretch import CannotReplay
from muster.whatif.variants import Variant
from tests.whatif.random_group import RandomGroup
from tests.whatif.real_group import Happened, cooperative_restart, flapping_member, rolling_restart

SEEDS = 40


def recorded_from(payloads: list[str]) -> Recorded:
    return read_recorded([event for text in payloads if (event := event_of(json.loads(text))) is not None])


def random_payloads(seed: int) -> list[str]:
    return [json.dumps(event.to_json()) for event in RandomGroup(seed).run().journal]


@pytest.mark.parametrize("seed", range(SEEDS))
def test_recorded_settings_give_back_the_recorded_journal_exactly(seed: int) -> None:
    payloads = random_payloads(seed)
    recorded = recorded_from(payloads)
    assert len(recorded.events) == len(payloads), "nothing in it was caused by anybody but clients"
    replayed = replay(recorded, Variant()).journal
    assert [event.to_json() for event in replayed] == [json.loads(text) for text in payloads]


@pytest.mark.parametrize("assignor", ["range", "roundrobin", "sticky", "cooperative-sticky"])
@pytest.mark.parametrize("seed", range(SEEDS))
def test_clients_that_are_slow_to_join_again_are_given_back_exactly_with_every_assignor(
    seed: int, assignor: str
) -> None:
    payloads = [json.dumps(event.to_json()) for event in RandomGroup(seed, assignor=assignor, slow=True).run().journal]
    replayed = replay(recorded_from(payloads), Variant()).journal
    assert [event.to_json() for event in replayed] == [json.loads(text) for text in payloads]


def test_some_slow_clients_miss_their_join_phase() -> None:
    journals = [RandomGroup(seed, slow=True).run().journal for seed in range(SEEDS)]
    assert sum(event.cause == "rejoin_missed" for journal in journals for event in journal) > SEEDS // 4


@pytest.mark.parametrize("history", [rolling_restart, flapping_member, cooperative_restart])
def test_restarts_predicted_as_static_are_what_static_members_then_do(history: Callable[..., Happened]) -> None:
    """The bounds are those of docs/whatif.md."""
    (predicted,) = answer("billing", history().payloads, [Variant(is_static=True)])
    assert predicted.reproduced == predicted.recorded.rebalances, predicted
    assert predicted.recorded.rebalances > 3, "each restart of a dynamic member is at least one rebalance"
    really = history(static=True)
    (measured,) = answer("billing", really.payloads, [Variant()])
    assert predicted.replayed.rebalances == measured.recorded.rebalances == 1
    assert predicted.replayed.moved == measured.recorded.moved
    # The journal does not have when a static member stops: the clock has.
    unowned_ms = measured.recorded.unowned_ms + really.down_ms
    assert predicted.replayed.unowned_ms == pytest.approx(unowned_ms, rel=0.35)


def test_advice_names_its_evidence_and_is_not_given_without_any() -> None:
    (found,) = answer("g", random_payloads(6), [Variant(initial_delay_ms=0)])
    advice = advise([as_row(found)])
    assert advice is not None
    assert f"the replay gives back {found.reproduced} of the {found.recorded.rebalances} recorded ones" in advice
    unsure: Answer = replace(found, reproduced=1)
    assert advise([as_row(unsure)]) is None
    assert f"gives back only 1 of the {found.recorded.rebalances} recorded" in why_none([as_row(unsure)])
    for figure, value, said in (
        ("rebalances", 2 * found.recorded.rebalances, f"has {2 * found.recorded.rebalances} rebalances"),
        ("moved", 2 * found.recorded.moved, f"moves {2 * found.recorded.moved} partitions"),
        ("unowned_ms", found.recorded.unowned_ms // 2, "is without an owner for"),
    ):
        doubtful = replace(found, replayed_as_recorded=replace(found.replayed_as_recorded, **{figure: value}))
        assert advise([as_row(doubtful)]) is None
        assert f"the replay with the recorded settings {said}" in why_none([as_row(doubtful)])
    worse = replace(found, replayed=found.recorded)
    assert advise([as_row(worse)]) is None
    assert "with none of these settings" in why_none([as_row(worse)])
    refused = replace(found, variant="session.timeout.ms=5999 group.initial.rebalance.delay.ms=0")
    assert advise([as_row(refused)]) is None, "a broker with default settings does not take it"
    assert why_none([as_row(refused)]).startswith(
        f"No advice: with {refused.variant} partitions would have been without an owner for less time, but"
        " session.timeout.ms=5999 is refused by a broker with default settings"
    )
    assert advise([as_row(refused), as_row(found)]) == advise([as_row(found)])
    quiet = replace(found, recorded=replace(found.recorded, rebalances=0))
    assert why_none([as_row(quiet)]) == "No advice: there was no rebalance."
    assert (
        why_none([problem_row("g", "static", CannotReplay("no beginning"))]) == "Nothing of this group can be replayed."
    )


def test_variant_is_compared_with_the_replay_of_the_recorded_settings() -> None:
    """That replay may differ from the recording, and a variant that is worse than it is no improvement."""
    (found,) = answer("g", random_payloads(6), [Variant(initial_delay_ms=0)])
    was = replace(found.recorded, unowned_ms=10_000)
    again = replace(found.replayed_as_recorded, unowned_ms=8_000)
    worse = replace(found, recorded=was, replayed_as_recorded=again, replayed=replace(found.replayed, unowned_ms=9_000))
    assert advise([as_row(worse)]) is None
    assert "with none of these settings" in why_none([as_row(worse)])
    better = replace(worse, replayed=replace(found.replayed, unowned_ms=7_000))
    advice = advise([as_row(better)])
    assert advice is not None
    assert "for 7.0 s instead of 10.0 s (8.0 s in the replay with the recorded settings), in" in advice
