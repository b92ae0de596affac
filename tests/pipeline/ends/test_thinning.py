"""Steps of long histories: few of them, brackets that are narrow for their age, and the same whenever older ones were taken out."""

from __future__ import annotations

from itertools import pairwise
from random import Random

import numpy as np
import polars as pl
import pyarrow as pa
import pytest

from muster.core.time_units import DAY_MS, MINUTE_MS
from muster.pipeline.ends.schema import ENDS, MAX_STEPS
from muster.pipeline.ends.steps import folded
from muster.pipeline.ends.thinning import OLD_PARTS, WHOLE_MS, thinned
from tests.pipeline.ends.samples import START_MS, random_samples
from tests.pipeline.tables.rows import Row, arrow, sample

NOTHING = ENDS.empty_table()
AS_MANY_AS_COME = 1 << 20


def fold(ends: pa.Table, rows: list[Row], max_steps: int = MAX_STEPS) -> pa.Table:
    return folded(ends, arrow("b_leo_sample", rows), max_steps)


def steps(ends: pa.Table) -> list[Row]:
    (row,) = ends.to_pylist()
    return list(row["steps"])


def times(ends: pa.Table) -> list[int]:
    return [step["end_ms"] for step in steps(ends)]


def followed(minutes: int) -> list[Row]:
    """A topic that grows, sampled once a minute, not quite regularly."""
    random = Random(minutes)
    return [sample(100 * n, START_MS + n * MINUTE_MS + random.randint(0, 5_000)) for n in range(minutes)]


def assert_brackets_are_narrow(found: list[int], of_all: list[int]) -> None:
    """Between the same two samples as before, or within a sixteenth of the age."""
    newest = of_all[-1]
    places = np.searchsorted(found, of_all[:-1], side="right")
    for before, after, place in zip(of_all, of_all[1:], places.tolist(), strict=False):
        low, high = found[place - 1], found[place]
        assert low <= before < after <= high
        assert (low, high) == (before, after) or OLD_PARTS * (high - low) <= newest - high


@pytest.mark.parametrize("days", [2, 30])
def test_topic_that_grows_for_days_keeps_few_steps_and_narrow_brackets(days: int) -> None:
    samples = followed(days * DAY_MS // MINUTE_MS)
    found, of_all = times(fold(NOTHING, samples)), [row["end_ms"] for row in samples]
    assert len(found) <= MAX_STEPS
    assert_brackets_are_narrow(found, of_all)
    whole = [at_ms for at_ms in of_all if of_all[-1] - at_ms <= WHOLE_MS]
    assert found[-len(whole) :] == whole, "all of the last hour"


def test_lake_that_holds_more_steps_than_are_kept_now_is_thinned_by_its_next_sample() -> None:
    samples = followed(2_000)
    held = fold(NOTHING, samples[:-1], max_steps=AS_MANY_AS_COME)
    assert len(steps(held)) == 1_999
    found = times(fold(held, samples[-1:]))
    assert len(found) <= MAX_STEPS
    assert_brackets_are_narrow(found, [row["end_ms"] for row in samples])


def test_standing_topic_that_begins_to_grow_is_known_to_the_minute_it_began() -> None:
    """What is kept of the old time is not only the newest of it: the end stood for days until then."""
    began = 3 * DAY_MS // MINUTE_MS
    samples = [sample(max(0, n - began), START_MS + n * MINUTE_MS) for n in range(began + 2_000)]
    ends = fold(fold(NOTHING, samples[:-5]), samples[-5:])
    assert len(steps(ends)) <= MAX_STEPS
    low, high = next((one, other) for one, other in pairwise(steps(ends)) if other["leo"] > 0)
    assert high["end_ms"] - low["end_ms"] <= 2_000 * MINUTE_MS / OLD_PARTS


def test_more_samples_than_fit_in_an_hour_are_known_to_a_second_or_an_eighth_of_their_age() -> None:
    """Segment files say when each batch was appended, a hundred in a second."""
    batches = [sample(n, START_MS + 10 * n, sampler="segment") for n in range(200_000)]
    found = steps(fold(NOTHING, batches))
    assert 200 < len(found) <= MAX_STEPS
    assert (found[0]["leo"], found[-1]["leo"]) == (0, 199_999)
    newest = found[-1]["end_ms"]
    for before, after in pairwise(found):
        width = after["end_ms"] - before["end_ms"]
        assert width <= 1_024 or 8 * width <= newest - after["end_ms"]
        # where a step is gone, the next one no longer says which batch a record was in
        assert after["exact"] == (after["leo"] == before["leo"] + 1)


def test_topic_that_is_made_anew_all_the_time_has_no_more_steps_than_others() -> None:
    samples = [sample(5, START_MS + n * MINUTE_MS, topic_id=f"id-{n}") for n in range(3 * MAX_STEPS)]
    assert len(steps(fold(NOTHING, samples))) <= MAX_STEPS


@pytest.mark.parametrize("seed", range(20))
def test_taking_steps_out_now_and_again_later_is_taking_them_out_later(seed: int) -> None:
    random = Random(seed)
    later, at_ms = [START_MS], START_MS
    while len(later) < 3_000:
        at_ms += random.choice((1, 500, 10_000, MINUTE_MS, MINUTE_MS, 90 * MINUTE_MS))
        later.append(at_ms)
    first = random.randint(600, 2_900)
    once = thin(later)
    assert thin(thin(later[:first]) + later[first:]) == once
    assert thin(once) == once


def thin(moments: list[int]) -> list[int]:
    rows = pl.DataFrame(
        {
            "at": [0] * len(moments),
            "topic_epoch": [0] * len(moments),
            "end_ms": moments,
            "exact": [False] * len(moments),
        },
        schema_overrides={"at": pl.UInt32, "topic_epoch": pl.Int32},
    )
    found: list[int] = thinned(rows, 1, 512)["end_ms"].to_list()
    return found


@pytest.mark.parametrize("seed", range(20))
def test_any_cut_into_rounds_gives_the_same_steps(seed: int) -> None:
    """Ends that fall, topics that are made anew, starts that move, over hours: thinned on the way or at once."""
    random = Random(seed)
    samples, shift_ms = [], 0
    for rows in random_samples(random, partitions=8, rounds=250):
        shift_ms += random.choice((0, 0, MINUTE_MS, 20 * MINUTE_MS))
        samples += [
            {**row, "begin_ms": row["begin_ms"] + shift_ms, "end_ms": row["end_ms"] + shift_ms}
            for row in rows
            if row["sampler"] != "segment"
        ]
    most = random.choice((20, 64, 128))
    ends, first = NOTHING, 0
    while first < len(samples):
        size = random.randint(1, 200)
        ends, first = fold(ends, samples[first : first + size], most), first + size
    at_once = fold(NOTHING, samples, most)
    assert sorted(ends.to_pylist(), key=str) == sorted(at_once.to_pylist(), key=str)
    assert max(len(row["steps"]) for row in at_once.to_pylist()) <= most
