"""Applications that poll late, under another `max.poll.interval.ms`: made by hand, and real ones that are then really changed."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from muster.whatif.answer import answer
from muster.whatif.figures import Figures
from muster.whatif.generations import REACTION_MS, journal_of
from muster.whatif.poll_pauses import with_max_poll
from muster.whatif.replay import replay
from muster.whatif.variants import Variant
from tests.whatif.generation_rows import generation, member
from tests.whatif.real_group import slow_poller
from tests.whatif.test_replay import recorded_from

WAS_MS = 30_000
LEFT_MS, BACK_MS = 60_000 - REACTION_MS, 80_000 - REACTION_MS
PAUSE_MS = BACK_MS - (LEFT_MS - WAS_MS)
JAVA_SAYS = "consumer poll timeout has expired."


def paused(reason: str | None = JAVA_SAYS) -> list[str]:
    """Two members; one leaves for not polling, and comes back when it polls again."""
    anna, boris, again = (member(each, max_poll_ms=WAS_MS) for each in ("anna-1", "boris-1", "boris-2"))
    told = journal_of(
        "g",
        [
            generation(10_000, 1, anna, boris),
            generation(60_000, 2, anna),
            generation(80_000, 3, anna, again),
            generation(120_000, 4, anna, again),
        ],
    )
    events: list[dict[str, Any]] = [json.loads(text) for text in told]
    for event in events:
        if event["cause"] == "member_left" and event["kind"] != "state_changed" and reason is not None:
            event["reason"] = reason
    return [json.dumps(event) for event in events]


def under(max_poll_ms: int, payloads: list[str]) -> Figures:
    (found,) = answer("g", payloads, [Variant(max_poll_ms=max_poll_ms)])
    assert found.reproduced == found.recorded.rebalances == 4
    return found.replayed


def test_longer_interval_than_the_pause_keeps_the_member_and_its_partitions() -> None:
    found = under(PAUSE_MS + 1, paused())
    assert (found.rebalances, found.moved) == (2, 4), "what it was given at first"


def test_member_that_is_kept_ends_as_the_one_that_came_back() -> None:
    """Who was away before its session ended was heard of until then."""
    recorded = recorded_from(paused())
    members = [
        replace(each, silent_ms=110_000, session_from_ms=109_000, is_away=True) if each.member_id == "boris-2" else each
        for each in recorded.members
    ]
    kept = next(each for each in with_max_poll(members, members, PAUSE_MS + 1) if each.member_id == "boris-1")
    assert (kept.silent_ms, kept.heard_ms, kept.is_away) == (110_000, 109_000, True)


def test_shorter_interval_lets_it_leave_sooner_and_come_back_as_it_did() -> None:
    journal = replay(recorded_from(paused()), Variant(max_poll_ms=10_000)).journal
    left = [event.at_ms for event in journal if event.kind == "member_left"]
    assert left == [LEFT_MS - WAS_MS + 10_000]
    assert under(10_000, paused()).rebalances == 4


def test_interval_that_is_longer_but_not_enough_lets_it_leave_later() -> None:
    journal = replay(recorded_from(paused()), Variant(max_poll_ms=PAUSE_MS - 1)).journal
    assert [event.at_ms for event in journal if event.kind == "member_left"] == [BACK_MS - 1]


def test_member_that_leaves_without_a_reason_was_restarted_and_no_interval_changes_that() -> None:
    assert under(PAUSE_MS + 1, paused(None)).rebalances == 4


@pytest.fixture(scope="module")
def waited_for() -> list[str]:
    return slow_poller(max_poll_ms=20_000)


@pytest.fixture(scope="module")
def not_waited_for() -> list[str]:
    return slow_poller(max_poll_ms=1_500)


@pytest.mark.xdist_group("slow pollers")
def test_slow_poller_predicted_under_a_short_interval_is_what_then_happens(
    waited_for: list[str], not_waited_for: list[str]
) -> None:
    """The bounds are those of docs/whatif.md."""
    (predicted,) = answer("billing", waited_for, [Variant(max_poll_ms=1_500)])
    (measured,) = answer("billing", not_waited_for, [Variant()])
    assert predicted.recorded.rebalances == 5
    assert predicted.replayed.rebalances == measured.recorded.rebalances == 7
    assert predicted.replayed.moved == pytest.approx(measured.recorded.moved, rel=0.25)
    assert predicted.replayed.unowned_ms == pytest.approx(measured.recorded.unowned_ms, rel=0.35)
    assert measured.recorded.unowned_ms < predicted.recorded.unowned_ms


@pytest.mark.xdist_group("slow pollers")
def test_slow_poller_predicted_under_a_long_interval_is_what_happens_with_it(not_waited_for: list[str]) -> None:
    """The other way round: the member that was not waited for is waited for."""
    (predicted,) = answer("billing", not_waited_for, [Variant(max_poll_ms=20_000)])
    assert predicted.recorded.rebalances == 7
    assert predicted.replayed.rebalances == 5
