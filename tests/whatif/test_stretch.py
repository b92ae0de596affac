"""Journals that do not go back to the group's beginning, and changes that no client made: what is replayed, and from where."""

from __future__ import annotations

import json
from typing import Any

import pytest

from muster.whatif.answer import answer
from muster.whatif.replay import replay
from muster.whatif.stretch import CannotReplay
from muster.whatif.variants import Variant, parse_grid
from tests.whatif.test_assignors import recording
from tests.whatif.test_replay import random_payloads, recorded_from

CUTS = (3, 17, 40)
OTHERS = parse_grid(["partition.assignment.strategy=cooperative-sticky", "members=+1,-1", "static"]).variants
NEVER: dict[str, Any] = {"kind": "state_changed", "at_ms": 1, "group": "g", "generation": 1, "cause": "unloaded"}


@pytest.mark.parametrize("cut", CUTS)
@pytest.mark.parametrize("assignor", ["range", "cooperative-sticky"])
@pytest.mark.parametrize("seed", range(12))
def test_journal_that_was_cut_is_given_back_exactly_from_the_first_rebalance_that_ends(
    seed: int, assignor: str, cut: int
) -> None:
    payloads = recording(seed, assignor)
    recorded = recorded_from(payloads[cut:])
    assert recorded.snapshot is not None
    journal = [event.to_json() for event in replay(recorded, Variant()).journal]
    assert journal == [json.loads(text) for text in payloads[-len(journal) :]]
    assert len(journal) == len(recorded.events)


def test_where_it_begins_is_said_and_the_figures_are_those_of_what_follows() -> None:
    payloads = random_payloads(2)
    whole, cut = answer("g", payloads, [Variant()])[0], answer("g", payloads[17:], [Variant()])[0]
    assert cut.recorded == cut.replayed
    assert cut.reproduced == cut.recorded.rebalances < whole.recorded.rebalances
    assert cut.assumed.startswith("begins at 1970-01-01 00:")
    assert "before or after what can be replayed are left out" in cut.assumed


@pytest.mark.parametrize("seed", range(6))
def test_group_under_other_settings_begins_as_those_settings_would_have_it(seed: int) -> None:
    recorded = recorded_from(random_payloads(seed)[17:])
    for variant in [*OTHERS, Variant(partition_times=2)]:
        before = replay(recorded, variant).before
        assert recorded.snapshot is not None
        assert before[-1].at_ms == recorded.snapshot.at_ms
        assigned = before[-1].detail.get("assignments", {})
        members = len(recorded.snapshot.assignments)
        assert variant.is_static or variant.members < 0 or len(assigned) == members + variant.members


@pytest.mark.parametrize("seed", range(6))
def test_new_protocol_begins_with_the_members_of_that_moment_and_raises_no_epoch_for_them(seed: int) -> None:
    recorded = recorded_from(random_payloads(seed)[17:])
    assert recorded.snapshot is not None
    found = replay(recorded, Variant(remote_assignor="uniform"))
    epochs = [event.generation for event in found.journal if event.kind == "epoch_raised"]
    assert epochs == list(range(recorded.snapshot.generation + 1, recorded.snapshot.generation + 1 + len(epochs)))
    given = {name for event in found.before if event.kind == "member_reconciled" for name in [event.member]}
    assert given == set(recorded.snapshot.assignments)


def test_longest_stretch_between_changes_that_no_client_made_is_taken() -> None:
    payloads = random_payloads(1)
    (short_first,) = answer("g", [*payloads[:12], json.dumps(NEVER), *payloads[12:]], [Variant()])
    assert short_first.assumed.startswith("begins at")
    assert short_first.recorded.rebalances > 1
    (short_last,) = answer("g", [*payloads, json.dumps(NEVER), *payloads[1:3]], [Variant()])
    assert short_last.assumed.endswith("3 events before or after what can be replayed are left out")
    assert short_last.recorded == short_last.replayed


def test_journal_without_any_rebalance_that_ends_is_refused() -> None:
    with pytest.raises(CannotReplay, match="nor a rebalance that was finished"):
        answer("g", random_payloads(1)[5:8], [Variant()])
    with pytest.raises(CannotReplay):
        answer("g", ["no JSON", "[]", "{}"], [Variant()])
