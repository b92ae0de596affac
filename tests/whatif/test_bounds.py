"""Journals that anybody may have written: the work of a replay is bounded, and what makes no sense is refused in a sentence."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from muster.whatif import core_replay
from muster.whatif.answer import answer
from muster.whatif.arrivals import Arrivals
from muster.whatif.generations import journal_of
from muster.whatif.recorded import Recorded
from muster.whatif.replay import replay
from muster.whatif.stretch import CannotReplay
from muster.whatif.variants import Variant
from tests.whatif.generation_rows import generation, member
from tests.whatif.test_consumer_journal import consumer_payloads
from tests.whatif.test_replay import random_payloads, recorded_from

HALF_A_DAY_MS = 43_200_000
FAR_MS = 10**17
SESSIONS_MS = (2_000, 3_000, 4_000, 6_000)


def quiet_group(members: int, quiet_ms: int) -> Recorded:
    """Somebody joins, and then nothing happens for so long."""
    everybody = [member(f"c{number}-{number}") for number in range(members)]
    rows = [generation(10_000, 1, *everybody[:-1]), generation(20_000, 2, *everybody)]
    return recorded_from(journal_of("g", [*rows, generation(20_000 + quiet_ms, 3, *everybody)]))


def dying_group(seed: int) -> Recorded:
    """Sessions of several lengths, and members that fall silent in whole seconds: many timers are due in the same millisecond."""
    chance = random.Random(seed)
    recorded = quiet_group(8, 300_000)
    members = [
        replace(
            member,
            silent_ms=chance.choice([None, 1_000 * chance.randint(30, 90)]),
            settings=replace(member.settings, session_timeout_ms=chance.choice(SESSIONS_MS)),
        )
        for member in recorded.members
    ]
    return replace(recorded, members=members)


@pytest.mark.parametrize("variant", [Variant(), Variant(remote_assignor="uniform")])
def test_quiet_time_takes_few_steps(variant: Variant, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(core_replay, "MOST_STEPS", 1_000)
    assert replay(quiet_group(20, HALF_A_DAY_MS), variant).journal


@pytest.mark.parametrize(
    "variant", [Variant(), Variant(members=2), Variant(remote_assignor="range", session_timeout_ms=2_500)]
)
def test_passing_over_quiet_time_changes_nothing_but_the_number_of_steps(
    variant: Variant, monkeypatch: pytest.MonkeyPatch
) -> None:
    groups = [dying_group(seed) for seed in range(12)]
    passed = [[event.to_json() for event in replay(each, variant).journal] for each in groups]
    monkeypatch.setattr(core_replay.CoreReplay, "_pass_quiet_time", lambda _: None)
    assert passed == [[event.to_json() for event in replay(each, variant).journal] for each in groups]
    kinds = [event["kind"] for journal in passed for event in journal]
    assert kinds.count("member_expelled") > len(groups)


def test_more_steps_than_the_most_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(core_replay, "MOST_STEPS", 20)
    with pytest.raises(CannotReplay, match="takes more than 20 steps"):
        answer("g", random_payloads(1), [Variant()])


def test_event_of_a_far_future_is_refused_at_once() -> None:
    with pytest.raises(CannotReplay, match=f"ends at {20_000 + FAR_MS} ms UTC, takes more than 5,000,000 steps"):
        replay(quiet_group(3, FAR_MS), Variant())


def forged(payloads: list[str], forge: Callable[[dict[str, Any]], object]) -> list[str]:
    events = [json.loads(text) for text in payloads]
    for event in events:
        forge(event)
    return [json.dumps(event) for event in events]


@pytest.mark.parametrize("session_ms", [0, -1])
def test_session_timeout_below_one_is_refused(session_ms: int) -> None:
    def forge(event: dict[str, Any]) -> None:
        for each in event.get("settings", ()):
            each["session_timeout_ms"] = session_ms

    with pytest.raises(CannotReplay, match=rf"session timeout of member .* of {session_ms} ms: the least is 1"):
        answer("g", forged(random_payloads(1), forge), [Variant()])


def test_session_timeout_of_the_coordinator_below_one_is_refused() -> None:
    def forge(event: dict[str, Any]) -> None:
        if event["kind"] == "target_assigned":
            event["session_timeout_ms"] = -5

    with pytest.raises(CannotReplay, match="session timeout of the coordinator of -5 ms"):
        answer("g", forged(consumer_payloads(1), forge), [Variant()])


@pytest.mark.parametrize(("number", "said"), [(50_000_000, "1,000,000 is the most"), (-1, "the least is 0")])
def test_partition_that_no_topic_has_is_refused(number: int, said: str) -> None:
    row = generation(10_000, 1, member("anna-1"))
    row["generation"]["members"][0]["assigned"][0]["partition"] = number
    later = generation(20_000, 2, member("anna-1"))
    with pytest.raises(CannotReplay, match=said):
        answer("g", journal_of("g", [row, later]), [Variant()])

    def forge(event: dict[str, Any]) -> None:
        if event["kind"] == "target_assigned":
            event["given"] = {"anna": {"orders": [number]}}

    with pytest.raises(CannotReplay, match=said):
        answer("g", forged(consumer_payloads(1), forge), [Variant()])


def test_more_partitions_than_the_most_by_a_variant_are_refused() -> None:
    with pytest.raises(CannotReplay, match="2,000,000 partitions"):
        Arrivals({("orders", 19_999): 1.0}).spread(100)
