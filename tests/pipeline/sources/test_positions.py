"""Where a micro-batch ends: limits, logs that became shorter, are gone or new; and a stream's offset as JSON."""

from __future__ import annotations

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from muster.pipeline.sources.positions import (
    Positions,
    advanced,
    behind,
    offset_of,
    positions_in,
    shorter_logs,
    tick_in,
)
from muster.pipeline.sources.stream_reader import next_tick

_positions = st.dictionaries(
    st.sampled_from(["a", "b"]), st.dictionaries(st.integers(0, 12), st.integers(0, 1_000), max_size=4), max_size=2
)


@settings(max_examples=200, deadline=None)
@given(_positions, st.one_of(st.none(), st.integers(0, 9)))
def test_offset_has_one_text_and_comes_back(positions: Positions, tick: int | None) -> None:
    """Spark compares offsets as text, so the same positions must have the same one."""
    text = json.dumps(offset_of(positions, tick))
    back = json.loads(text)
    assert (positions_in(back), tick_in(back)) == (positions, tick)
    assert json.dumps(offset_of(positions_in(back), tick_in(back))) == text


@settings(max_examples=300, deadline=None)
@given(_positions, _positions, st.integers(1, 300))
def test_any_limit_leads_to_the_ends_and_stops_there(start: Positions, ends: Positions, limit: int) -> None:
    """Nothing goes back, no step is longer than the limit and a quarter, and the last step changes nothing."""
    at = start
    for _ in range(2_000):
        reached = advanced(at, ends, limit)
        if reached == at:
            break
        for topic, places in reached.items():
            for partition, offset in places.items():
                assert 0 <= offset - at.get(topic, {}).get(partition, 0) <= limit * 5 // 4
        at = reached
    else:
        raise AssertionError("it does not come to an end")
    assert behind(at, ends) == 0
    whole = advanced(start, ends, None)
    assert at == whole


def test_log_that_became_shorter_or_is_gone_stays_where_it_is() -> None:
    start = {"a": {0: 10, 1: 10, 2: 10}}
    ends = {"a": {0: 4, 1: 12}}
    assert advanced(start, ends, None) == {"a": {0: 10, 1: 12, 2: 10}}
    (warning,) = shorter_logs(start, ends, "c")
    assert warning.startswith("a-0 of c ends at 4 but was read up to 10: it was cut or replaced; nothing is read of it")
    assert behind(start, ends) == 2


def test_logs_and_topics_that_appear_later_are_read_from_their_beginning() -> None:
    assert advanced({"a": {}}, {"a": {0: 3, 1: 0}, "b": {0: 2}}, None) == {"a": {0: 3}, "b": {0: 2}}


def test_offsets_that_retention_took_do_not_count_for_the_limit() -> None:
    asked: list[int] = []

    def begins() -> Positions:
        asked.append(1)
        return {"a": {0: 900}}

    assert advanced({"a": {0: 5}}, {"a": {0: 1_000}}, 50, begins) == {"a": {0: 950}}
    assert advanced({"a": {0: 950}}, {"a": {0: 1_000}}, 50, begins) == {"a": {0: 1_000}}
    assert len(asked) == 1, "where logs begin is asked only if a limit needs it"


def test_little_that_would_be_left_goes_along() -> None:
    assert advanced({}, {"a": {0: 125}}, 100) == {"a": {0: 125}}
    assert advanced({}, {"a": {0: 126}}, 100) == {"a": {0: 100}}


def test_tick_moves_on_when_its_time_has_passed() -> None:
    assert next_tick(None, 5_000, None) is None
    assert next_tick(4_000, 5_000, None) == 4_000, "a stream without ticks keeps the one of an earlier run"
    assert next_tick(None, 5_000, 100) == 5_000
    assert next_tick(5_000, 5_099, 100) == 5_000
    assert next_tick(5_000, 5_100, 100) == 5_100
    assert next_tick(9_000, 5_000, 100) == 5_000, "a clock that was set back"
