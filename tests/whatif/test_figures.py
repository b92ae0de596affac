"""Records that waited, and time without an owner: what came to partitions while nobody read them."""

from __future__ import annotations

from typing import Any

from muster.explain.event import Event
from muster.explain.facts import Gap
from muster.whatif.answer import answer
from muster.whatif.arrivals import Arrivals, arrivals_of
from muster.whatif.figures import Timeline, measure
from muster.whatif.unowned import wanted_since
from muster.whatif.variants import Variant
from tests.whatif.random_group import COUNTS
from tests.whatif.test_replay import random_payloads


def committed(topic: str, partition: int, took_ms: int, read: int) -> dict[str, object]:
    return {
        "topic": topic,
        "partition": partition,
        "first_ms": 1_000,
        "first_offset": 50,
        "last_ms": 1_000 + took_ms,
        "last_offset": 50 + read,
    }


def test_rate_is_what_was_read_between_the_first_and_the_last_commit() -> None:
    found = arrivals_of([committed("orders", 0, 10_000, 500), committed("orders", 1, 0, 0)])
    assert found == Arrivals({("orders", 0): 0.05})
    assert found.within([Gap(("orders", 0), 0, 2_000), Gap(("orders", 1), 0, 9_000)]) == 100
    assert arrivals_of([]) is arrivals_of(None) is None


def test_rewound_offsets_are_no_negative_records() -> None:
    assert arrivals_of([committed("orders", 0, 10_000, -20)]) == Arrivals({("orders", 0): 0.0})


def test_more_partitions_share_the_records_of_their_topic() -> None:
    spread = Arrivals({("orders", 0): 0.1, ("orders", 1): 0.3}).spread(2)
    assert spread.rates == {("orders", number): 0.1 for number in range(4)}


def test_static_member_that_stops_twice_under_the_same_id_is_down_each_time_from_when_it_said_so() -> None:
    def event(kind: str, at_ms: int, **detail: Any) -> Event:
        return Event(kind, at_ms, "g", 2, "new_target", "anna", "a", detail=detail)

    told = [
        event("member_joined", 1_000, static=True),
        event("member_reconciled", 1_000, given={"orders": [0, 1]}),
        event("static_left", 5_000),
        event("static_replaced", 6_000, old_member_id="anna"),
        event("static_left", 9_000),
    ]
    found = Timeline("g", [], told, 9_500, {"anna": 9_000})
    history = found.history()
    assert measure(found, history, None, wanted_since(told, history)).unowned_ms == {
        ("orders", 0): 1_500,
        ("orders", 1): 1_500,
    }


def test_records_wait_in_proportion_to_the_time_without_an_owner() -> None:
    arrivals = Arrivals({(topic, number): 0.01 for topic, count in COUNTS.items() for number in range(count)})
    (found,) = answer("g", random_payloads(3), [Variant(session_timeout_ms=2_000)], arrivals)
    assert found.recorded.waited == round(found.recorded.unowned_ms / 100)
    assert found.replayed.waited == round(found.replayed.unowned_ms / 100)
    assert found.recorded.waited != found.replayed.waited
    (unknown,) = answer("g", random_payloads(3), [Variant()])
    assert unknown.recorded.waited is None
