"""Batches that were there before the first sample: steps in front of the samples, which brackets may lean on (analytics 2.2)."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from muster.pipeline.ends.record_times import with_record_times
from muster.pipeline.ends.schema import BATCH_BEGIN, BATCH_END, ENDS
from muster.pipeline.ends.steps import folded
from muster.pipeline.now.steps import NONE, at_moment, steps_of
from tests.pipeline.tables.rows import Row, arrow, sample

Step = tuple[int, int, str]


def batch(begin: int, end: int, at_ms: int, topic_id: str | None = None) -> list[Row]:
    return [
        sample(leo, at_ms, sampler=sampler, log_start=None, topic_id=topic_id)
        for leo, sampler in ((begin, BATCH_BEGIN), (end, BATCH_END))
    ]


def ends_of(*samples: Row) -> pa.Table:
    return folded(ENDS.empty_table(), arrow("b_leo_sample", samples))


def known(ends: pa.Table, *batches: list[Row], most: int = 2_000) -> pa.Table:
    rows = [row for rows in batches for row in rows]
    return with_record_times(ends, arrow("b_leo_sample", rows), most)


def steps(ends: pa.Table) -> list[Step]:
    (row,) = ends.to_pylist()
    return [(step["leo"], step["end_ms"], step["sampler"]) for step in row["steps"]]


SAMPLED = (100, 5_000, "list_offsets")


def test_batch_goes_before_the_first_sample() -> None:
    found = known(ends_of(sample(100, 5_000)), batch(20, 30, 1_000))
    assert steps(found) == [(20, 1_000, BATCH_BEGIN), (30, 1_000, BATCH_END), SAMPLED]
    (row,) = found.to_pylist()
    assert [step["exact"] for step in row["steps"]] == [False, True, False]
    assert (row["leo"], row["end_ms"], row["ring"]) == (100, 5_000, [100])  # the newest sample is still that


def test_no_batch_changes_nothing() -> None:
    ends = ends_of(sample(100, 5_000))
    assert known(ends) is ends


def test_batches_of_several_rounds_lie_in_the_order_of_their_offsets_and_once() -> None:
    ends = known(ends_of(sample(100, 5_000)), batch(50, 60, 3_000))
    ends = known(ends, batch(20, 30, 1_000), batch(50, 60, 3_000))
    assert [leo for leo, _, _ in steps(ends)] == [20, 30, 50, 60, 100]


def test_batches_that_meet_keep_their_times() -> None:
    ends = known(ends_of(sample(100, 5_000)), batch(20, 30, 1_000), batch(30, 40, 2_000))
    assert steps(ends)[1:3] == [(30, 1_000, BATCH_END), (30, 2_000, BATCH_BEGIN)]


def test_clock_of_a_producer_that_went_back_is_not_followed() -> None:
    """Trap 19: a record was not appended before the one in front of it."""
    ends = known(ends_of(sample(100, 5_000)), batch(20, 30, 3_000), batch(50, 60, 1_000))
    assert [at_ms for _, at_ms, _ in steps(ends)] == [3_000, 3_000, 3_000, 3_000, 5_000]


def test_clock_of_a_producer_that_is_ahead_of_the_sample_tells_nothing() -> None:
    """The record was there at the sample. A lag of 0 would look caught up."""
    assert steps(known(ends_of(sample(100, 5_000)), batch(20, 30, 5_001))) == [SAMPLED]


def test_topic_that_was_made_anew_has_no_record_from_before() -> None:
    twice = ends_of(sample(100, 5_000, topic_id="a"), sample(50, 8_000, topic_id="b"))
    found = known(twice, batch(10, 20, 1_000, topic_id="b"), batch(30, 40, 6_000, topic_id="a"))
    assert steps(found)[1:3] == [(10, 5_000, BATCH_BEGIN), (20, 5_000, BATCH_END)]
    assert len(steps(found)) == 4


def test_samples_that_follow_are_folded_as_ever() -> None:
    ends = known(ends_of(sample(100, 5_000)), batch(90, 100, 1_000))
    for at_ms in (6_000, 7_000):
        ends = folded(ends, arrow("b_leo_sample", [sample(100, at_ms)]))
    assert steps(ends)[2:] == [SAMPLED, (100, 7_000, "list_offsets")]  # the first of the run and the last


def test_more_batches_than_steps_fit_are_thinned_out_and_claim_less() -> None:
    batches = [batch(10 * n, 10 * n + 5, 1_000 + n) for n in range(5)]
    ends = known(ends_of(sample(100, 5_000)), *batches, most=8)
    (row,) = ends.to_pylist()
    assert len(row["steps"]) <= 9
    assert row["steps"][0]["leo"] == 0
    assert not row["steps"][1]["exact"]


def test_batch_is_no_sample_of_where_the_log_ended_later() -> None:
    """Between the batch and the first sample the log may have grown by any number of records."""
    ends = known(ends_of(sample(100, 5_000)), batch(20, 30, 1_000))
    found = steps_of(ends.column("steps"))
    moments = np.array([500, 1_000, 4_999, 5_000])
    assert at_moment(found, np.zeros(4, dtype=np.int64), moments).tolist() == [NONE, NONE, NONE, 2]
