"""The end that a commit of long ago is compared with, where the samples of that time have been thinned out."""

from __future__ import annotations

import numpy as np
import pytest

from muster.core.time_units import MINUTE_MS
from muster.pipeline.ends.schema import ENDS
from muster.pipeline.ends.steps import folded
from muster.pipeline.now.steps import NONE, Steps, at_moment, end_between, steps_of
from tests.pipeline.tables.rows import Row, arrow, sample

RECORDS_A_MINUTE = 6_000
NEWEST = 2 * 24 * 60
"""Minutes: two days."""


def steps_of_samples(samples: list[Row]) -> Steps:
    return steps_of(folded(ENDS.empty_table(), arrow("b_leo_sample", samples)).column("steps"))


@pytest.fixture(scope="module")
def growing() -> Steps:
    """6,000 records a minute for two days, sampled once a minute."""
    return steps_of_samples([sample(RECORDS_A_MINUTE * n, MINUTE_MS * n) for n in range(NEWEST + 1)])


def ends(steps: Steps, *commits: tuple[float, int]) -> list[int]:
    """For (minute, offset) of each commit."""
    moments = np.array([int(minute * MINUTE_MS) for minute, _ in commits])
    at = at_moment(steps, np.zeros(len(commits), dtype=np.int64), moments)
    return [int(end) for end in end_between(steps, at, moments, np.array([offset for _, offset in commits]))]


def test_group_that_kept_its_distance_for_a_day_is_seen_to_have_kept_it(growing: Steps) -> None:
    """Against the samples that are left, the lag of early commits would look smaller than that of later ones."""
    behind = 90 * RECORDS_A_MINUTE
    minutes = [NEWEST - 7 - 2 * 60 * n for n in range(10)]
    commits = [(minute + 0.5, RECORDS_A_MINUTE * minute - behind) for minute in minutes]
    lags = [end - offset for end, (_, offset) in zip(ends(growing, *commits), commits, strict=True)]
    assert all(abs(lag - behind) <= RECORDS_A_MINUTE for lag in lags), lags


def test_group_that_caught_up_each_time_has_caught_up_however_long_ago(growing: Steps) -> None:
    commits = [(NEWEST - 3 * 60 * n - 0.5, int((NEWEST - 3 * 60 * n - 0.5) * RECORDS_A_MINUTE)) for n in range(1, 10)]
    lags = [end - offset for end, (_, offset) in zip(ends(growing, *commits), commits, strict=True)]
    assert all(-RECORDS_A_MINUTE <= lag <= 0 for lag in lags), f"{lags}: no end that is minutes old"
    assert len(growing.leo) < NEWEST / 4, "most samples of then are gone"


def test_samples_that_nobody_thinned_out_are_taken_as_they_are() -> None:
    """Once a minute, or once an hour: between them nobody knows where the log ended."""
    minutely = steps_of_samples([sample(100 * n, MINUTE_MS * n) for n in range(300)])
    assert ends(minutely, (10.5, 1_010), (10.5, 900), (299.5, 0)) == [1_000, 1_000, 29_900]
    hourly = steps_of_samples([sample(100 * n, 60 * MINUTE_MS * n) for n in range(10)])
    assert ends(hourly, (90, 120), (150, 50)) == [100, 200]


def test_end_that_stood_between_two_batches_of_files_stood() -> None:
    """Files have every batch: there is nothing between two of them, however far they are apart."""
    batches = [sample(100 * n, 5 * MINUTE_MS * n, sampler="segment") for n in range(300)]
    assert ends(steps_of_samples(batches), (12, 120), (12, 250)) == [200, 200]


def test_moment_without_a_sample_has_no_end() -> None:
    steps = steps_of_samples([sample(100, MINUTE_MS)])
    nowhere = np.array([NONE, NONE])
    assert end_between(steps, nowhere, np.array([0, MINUTE_MS]), np.array([5, 7])).tolist() == [0, 0]
