"""Another assignor, or more partitions: the replay gives what the same clients get who really have it."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from muster.core.assignors.choice import ASSIGNORS
from muster.core.assignors.contract import Subscriber, TopicPartition
from muster.explain.assignments import owners_in, raw_assignments
from muster.whatif.replay import replay
from muster.whatif.variants import Variant
from tests.whatif.random_group import COUNTS, RandomGroup
from tests.whatif.test_replay import recorded_from

SEEDS = 12


def recording(seed: int, assignor: str = "range", times: int = 1) -> list[str]:
    return [json.dumps(event.to_json()) for event in RandomGroup(seed, assignor=assignor, times=times).run().journal]


def replayed(seed: int, variant: Variant) -> list[str]:
    return [json.dumps(event.to_json()) for event in replay(recorded_from(recording(seed)), variant).journal]


@pytest.mark.parametrize("assignor", ["roundrobin", "sticky"])
@pytest.mark.parametrize("seed", range(SEEDS))
def test_other_eager_assignor_gives_the_journal_of_the_group_that_really_has_it(assignor: str, seed: int) -> None:
    real = recording(seed, assignor)
    assert replayed(seed, Variant(assignor=assignor)) == real
    assert real != recording(seed), "the assignor makes a difference"


@pytest.mark.parametrize("seed", range(SEEDS))
def test_range_is_given_back_from_a_sticky_group(seed: int) -> None:
    recorded = recorded_from(recording(seed, "sticky"))
    journal = replay(recorded, Variant(assignor="range")).journal
    assert [json.dumps(event.to_json()) for event in journal] == recording(seed)


@pytest.mark.parametrize("seed", range(SEEDS))
def test_twice_as_many_partitions_give_the_journal_of_the_group_that_really_has_them(seed: int) -> None:
    assert replayed(seed, Variant(partition_times=2)) == recording(seed, times=2)


@pytest.mark.parametrize("seed", range(2 * SEEDS))
def test_cooperative_group_is_given_back_exactly(seed: int) -> None:
    """Its members join again in the very millisecond in which they were assigned; some, as in 15 and 20, end before any join phase
    has told their settings."""
    payloads = recording(seed, "cooperative-sticky")
    assert [json.dumps(event.to_json()) for event in replay(recorded_from(payloads), Variant()).journal] == payloads


@pytest.mark.parametrize("seed", range(SEEDS))
def test_cooperative_group_that_was_predicted_is_given_back_exactly(seed: int) -> None:
    payloads = replayed(seed, Variant(assignor="cooperative-sticky"))
    assert [json.dumps(event.to_json()) for event in replay(recorded_from(payloads), Variant()).journal] == payloads


@pytest.mark.parametrize("seed", range(2, SEEDS))
def test_cooperative_group_with_an_eager_assignor_joins_again_only_when_asked(seed: int) -> None:
    payloads = recording(seed, "cooperative-sticky")
    journal = replay(recorded_from(payloads), Variant(assignor="range")).journal
    assert {event.cause for event in journal if event.kind == "member_rejoined"} <= {"rejoined"}
    joins = [event["cause"] for text in payloads if (event := json.loads(text))["kind"] == "member_rejoined"]
    assert set(joins) > {"rejoined"}


def rounds(journal: list[dict[str, object]]) -> Iterator[dict[str, set[TopicPartition]]]:
    """Who has what after each rebalance."""
    for event in journal:
        if event["kind"] == "rebalance_ended" and event.get("result") == "stable":
            given = raw_assignments(event["assignments"])
            assert given is not None
            yield {
                member_id: {TopicPartition(*place) for place in owners_in({member_id: raw}) or ()}
                for member_id, raw in given.items()
            }


@pytest.mark.parametrize("seed", range(SEEDS))
def test_cooperative_rounds_are_what_the_assignor_gives_and_take_before_they_give(seed: int) -> None:
    journal = [json.loads(text) for text in replayed(seed, Variant(assignor="cooperative-sticky"))]
    before: dict[str, set[TopicPartition]] = {}
    instances = {event["member"]: event.get("instance") for event in journal if "member" in event}
    topics = sorted(COUNTS)
    for now in rounds(journal):
        members = [
            Subscriber(each, topics, instances[each], sorted(before.get(each, ())), 1 if each in before else -1)
            for each in now
        ]
        expected = ASSIGNORS["cooperative-sticky"].assign(COUNTS, members)
        assert {member_id: set(places) for member_id, places in expected.items()} == now
        for member_id, held in now.items():
            for other, had in before.items():
                assert other == member_id or other not in now or not held & had, "given before it was given up"
        before = now
    assert before or not recorded_from(recording(seed)).phases.syncs
