"""The timelines of groups stay within their bounds, and what is folded bit by bit is what is folded at once."""

from __future__ import annotations

import json

import pytest

from muster.console import group_timeline
from muster.console.group_timeline import EMPTY_BYTES, KEPT_EVENTS, GroupTimeline
from muster.console.timelines import Timelines
from muster.core.records import GroupErased
from muster.explain.event import Event, event_in
from muster.explain.facts import Rebalance
from muster.explain.fold import Folding, fold
from muster.explain.inferred import StoredAt

MOST = 20 * EMPTY_BYTES


def _told(group: str, generation: int, *, padding: int = 0) -> list[bytes]:
    """The events of one rebalance."""
    at_ms = 1_000 * generation
    started = {"kind": "rebalance_started", "at_ms": at_ms, "group": group, "generation": generation - 1}
    ended = {"kind": "rebalance_ended", "at_ms": at_ms + 5, "group": group, "generation": generation}
    return [
        json.dumps({**started, "cause": "new_member", "member": "ada"}).encode(),
        json.dumps({**ended, "cause": "all_synced", "result": "stable", "padding": "x" * padding}).encode(),
    ]


def _event(value: bytes) -> Event:
    event = event_in(value)
    assert event is not None
    return event


def _take(timelines: Timelines, group: str, generation: int, *, padding: int = 0) -> None:
    for value in _told(group, generation, padding=padding):
        timelines.take(_event(value), value)


def _timelines(most_bytes: int = MOST, most_history_bytes: int = MOST) -> Timelines:
    return Timelines({}, most_bytes, most_history_bytes)


def _generations(timelines: Timelines, group: str) -> list[int]:
    return [each.generation for each in timelines.history(group).rebalances]


def test_what_is_kept_of_all_groups_is_bounded_by_bytes_and_the_quietest_go_first() -> None:
    timelines = _timelines()
    _take(timelines, "quiet", 1)
    _take(timelines, "busy", 1)
    for number in range(30):
        _take(timelines, f"other-{number}", 1)
        _take(timelines, "busy", 2 + number)
        assert timelines.kept_bytes <= MOST
    assert timelines.known("quiet") is None
    assert timelines.known("busy") is not None
    assert timelines.kept_bytes == sum(each.kept_bytes for each in timelines._by_group.values())


def test_names_that_pages_ask_for_are_bounded_too() -> None:
    timelines = _timelines()
    for number in range(1_000):
        timelines.of(f"nobody-{number}")
    assert timelines.kept_bytes <= MOST


def test_what_is_kept_of_one_group_is_bounded_by_bytes_and_its_newest_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(group_timeline, "KEPT_BYTES", 50_000)
    timelines = _timelines(1 << 30)
    for generation in range(1, 20):
        _take(timelines, "large", generation, padding=10_000)
        assert timelines.kept_bytes <= 50_000
    assert _generations(timelines, "large") == [16, 17, 18, 19]
    _take(timelines, "large", 20, padding=80_000)
    assert _generations(timelines, "large") == [20], "larger than the bound, but there is nothing else"


def test_stored_states_are_bounded_by_bytes_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(group_timeline, "KEPT_BYTES", 50_000)
    timelines = _timelines(1 << 30)
    for at_ms in range(100):
        timelines.take_state(StoredAt(at_ms, GroupErased("g")), 1_000)
    assert timelines.kept_bytes <= 50_000
    assert timelines.history("g").last_ms == 99


def test_histories_are_bounded_and_made_again_when_they_are_asked_for() -> None:
    timelines = _timelines(1 << 30, 3 * (EMPTY_BYTES + 2_500))
    for number in range(10):
        _take(timelines, f"g{number}", 1, padding=2_000)
        _generations(timelines, f"g{number}")
    held = [each.group for each in timelines._by_group.values() if each._folding is not None]
    assert held == ["g7", "g8", "g9"]
    assert timelines.history_bytes == sum(timelines.of(group).kept_bytes for group in held)
    assert _generations(timelines, "g0") == [1]


def test_a_history_that_grows_is_the_one_that_is_folded_at_once() -> None:
    timelines, values = _timelines(1 << 30), list[bytes]()
    for generation in range(1, 2 * KEPT_EVENTS, 7):
        values += _told("g", generation)
        _take(timelines, "g", generation)
        kept = values[-KEPT_EVENTS:]
        if generation % 5 == 0:
            assert _generations(timelines, "g")[-3:] == [each.generation for each in _folded(kept)][-3:]
    assert len(timelines.of("g")._events) == min(len(values), KEPT_EVENTS)


def test_a_history_does_not_grow_for_ever() -> None:
    timelines = _timelines(1 << 30)
    for generation in range(1, 3 * KEPT_EVENTS):
        _take(timelines, "g", generation)
        if generation % 10 == 0:
            assert len(_generations(timelines, "g")) <= KEPT_EVENTS


def _folded(values: list[bytes]) -> list[Rebalance]:
    return fold(map(_event, values), "g").rebalances


def test_an_event_that_cannot_be_folded_spoils_no_event_that_comes_later(monkeypatch: pytest.MonkeyPatch) -> None:
    timelines = _timelines()
    _take(timelines, "g", 1)
    assert _generations(timelines, "g") == [1]
    with monkeypatch.context() as broken:
        broken.setattr(Folding, "take", _fail)
        _take(timelines, "g", 2)
        with pytest.raises(RuntimeError):
            timelines.history("g")
    assert _generations(timelines, "g") == [1, 2]


def _fail(folding: Folding, event: Event) -> None:
    raise RuntimeError("cannot be folded")


def test_what_was_read_of_a_log_is_followed_by_what_came_meanwhile() -> None:
    timelines = _timelines()
    _take(timelines, "g", 3)
    timeline, taken = timelines.of("g"), timelines.of("g").taken
    read = GroupTimeline("g", {})
    for generation in (1, 2, 3):
        for value in _told("g", generation):
            read.take(_event(value), value)
    _take(timelines, "g", 4)
    timelines.complete(timeline, read, taken)
    assert _generations(timelines, "g") == [1, 2, 3, 4]
    assert timelines.kept_bytes == timeline.kept_bytes


def test_a_timeline_that_was_dropped_and_made_again_has_another_version() -> None:
    timelines = _timelines()
    before = timelines.of("g").version
    for number in range(100):
        timelines.of(f"other-{number}")
    assert timelines.known("g") is None
    assert timelines.of("g").version != before


def test_a_list_has_the_last_rebalance_of_each_group() -> None:
    timelines = _timelines()
    assert timelines.latest("g") is None
    _take(timelines, "g", 1)
    first = timelines.latest("g")
    assert first is not None
    assert (first.began_ms, first.took_ms, first.is_running) == (1_000, 5, False)
    assert timelines.latest("g") is first
    started, _ = _told("g", 2)
    timelines.take(_event(started), started)
    second = timelines.latest("g")
    assert second is not None
    assert second.is_running
