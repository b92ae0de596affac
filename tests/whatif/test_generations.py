"""A Kafka log, without a journal: what generations show is replayed, and what had to be assumed is said."""

from __future__ import annotations

import json

import pytest

from muster.whatif.answer import Answer, answer
from muster.whatif.generations import ASSUMED, journal_of
from muster.whatif.stretch import CannotReplay
from muster.whatif.variants import Variant
from tests.whatif.generation_rows import Member, generation, member

ANNA, BORIS, CLARA, AGAIN = (member(each) for each in ("anna-1", "boris-1", "clara-1", "boris-2"))


def asked(rows: list[dict[str, object]], *variants: Variant) -> list[Answer]:
    return answer("g", journal_of("g", rows), [Variant(), *variants], None, ASSUMED)


def test_generations_are_given_back_with_the_recorded_settings() -> None:
    rows = [
        generation(10_000, 5, ANNA),
        generation(20_000, 6, ANNA, BORIS),
        generation(30_000, 7, ANNA, BORIS, CLARA),
        generation(40_000, 8, ANNA, CLARA),
        generation(60_000, 9, ANNA, AGAIN, CLARA),
        generation(70_000, 10, ANNA, AGAIN, CLARA),
        generation(80_000, 11),
        generation(90_000, 12, member("anna-2"), member("boris-3")),
    ]
    (found,) = asked(rows)
    assert found.recorded.rebalances == found.reproduced == 8
    assert found.replayed == found.recorded
    assert found.assumed.startswith(ASSUMED)


def test_members_that_come_back_under_their_client_id_keep_their_place_when_static() -> None:
    rows = [
        generation(10_000, 1, ANNA, BORIS),
        generation(30_000, 2, ANNA),
        generation(34_000, 3, ANNA, AGAIN),
        generation(90_000, 4, ANNA, AGAIN, CLARA),
    ]
    same, static = asked(rows, Variant(is_static=True))
    assert same.recorded.rebalances == 4
    assert static.replayed.rebalances == 2


def test_static_member_that_came_back_is_one_generation_written_twice() -> None:
    first, second = member("anna-1", instance="anna"), member("anna-2", instance="anna")
    rows = [generation(10_000, 1, first, BORIS), generation(30_000, 1, second, BORIS), generation(50_000, 2, BORIS)]
    (found,) = asked(rows)
    assert found.recorded.rebalances == found.reproduced == 2


@pytest.mark.parametrize("first", [(ANNA,), (ANNA, BORIS)])
def test_initial_delay_is_at_most_what_a_first_generation_took_after_the_group_was_seen_empty(
    first: tuple[Member, ...],
) -> None:
    """With the default of 3 s nothing of this could be given back: Kafka's own file of settings has 0."""
    rows = [
        {"at_ms": 10_000, "generation": {**generation(10_000, 0)["generation"], "protocol_type": ""}},
        generation(10_020, 1, *first),
        generation(14_000, 2, ANNA, BORIS, CLARA),
        generation(20_000, 3),
        generation(60_000, 4, AGAIN),
    ]
    (found,) = asked(rows)
    assert found.recorded.rebalances == found.reproduced == 4
    assert found.replayed.moved == found.recorded.moved
    assert "group.initial.rebalance.delay.ms" not in found.assumed


def test_more_partitions_are_spread_over_the_members_of_the_log() -> None:
    (_, doubled) = asked([generation(10_000, 1, ANNA), generation(30_000, 2, ANNA, BORIS)], Variant(partition_times=2))
    assert (doubled.recorded.moved, doubled.replayed.moved) == (6, 12)


def test_removed_group_begins_anew() -> None:
    rows = [generation(10_000, 7, ANNA), {"at_ms": 20_000, "generation": None}, generation(40_000, 1, BORIS)]
    (found,) = asked(rows)
    assert found.recorded.rebalances == found.reproduced == 3


def test_what_is_no_consumer_group_is_refused() -> None:
    other = generation(10_000, 1, ANNA)
    other["generation"]["protocol_type"] = "connect"
    with pytest.raises(CannotReplay, match="no consumers"):
        asked([other])
    with pytest.raises(CannotReplay, match="no generation"):
        asked([])


def test_events_have_the_form_of_a_journal() -> None:
    events = [json.loads(text) for text in journal_of("g", [generation(10_000, 3, ANNA)])]
    assert [event["kind"] for event in events] == [
        "group_created",
        "member_joined",
        "rebalance_started",
        "state_changed",
        "join_completed",
        "rebalance_ended",
    ]
    assert events[0]["at_ms"] == 7_000, "a first member alone waits for the initial delay"
