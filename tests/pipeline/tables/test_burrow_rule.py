"""Burrow's rule, window by window: the situations of its own table of cases, told again, and its edges (analytics 2.1)."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muster.pipeline.tables.burrow import OK, REWIND, STALL, STOP, WARN
from muster.pipeline.tables.settings import GoldSettings
from tests.pipeline.oracle import burrow_rule as oracle
from tests.pipeline.oracle.burrow_rule import Window
from tests.pipeline.tables.standings import burrow_statuses

Lags = list[int | None]


def window(offsets: list[int], lags: Lags, step_ms: int = 100_000, first_ms: int = 100_000) -> Window:
    assert len(offsets) == len(lags)
    return Window(offsets, [first_ms + index * step_ms for index in range(len(offsets))], lags)


MOVING = [1_000, 2_000, 3_000, 4_000, 5_000]
STANDING = [1_000] * 5
RISING: Lags = [50, 100, 150, 200, 250]
FROM_ZERO: Lags = [0, 50, 100, 150, 200]

CASES = [
    # what, window, ends, current lag, now in s, allowed lag, status
    ("lag was zero once in the window", window(MOVING, FROM_ZERO), [5_200], 200, 600, 0, OK),
    ("silent exactly as long as the window is", window(MOVING, FROM_ZERO), [5_200], 200, 900, 0, OK),
    (
        "silent longer than the window, zero lag in it does not help",
        window(MOVING, FROM_ZERO),
        [5_200],
        200,
        1_000,
        0,
        STOP,
    ),
    ("silent longer than the window, always lag", window(MOVING, RISING), [5_250], 250, 1_000, 0, STOP),
    ("the offset stands, but lag was zero once", window(STANDING, FROM_ZERO), [1_200], 200, 600, 0, OK),
    ("the offset stands, always lag", window(STANDING, [100, 150, 200, 250, 300]), [1_300], 300, 600, 0, STALL),
    ("the offset stands, lag stands too", window(STANDING, [100] * 5), [1_100], 100, 600, 0, STALL),
    (
        "a rewind that was made good",
        window([1_000, 2_000, 3_000, 2_000, 4_000], [100, 150, 200, 1_250, 300]),
        [4_300],
        300,
        600,
        0,
        OK,
    ),
    ("no lag now, though silent", window(MOVING, RISING), [5_250], 0, 1_000, 0, OK),
    ("silent, and behind every end of the ring", window([79, 80, 81], [0, 0, 0]), [931, 900, 850], 850, 1_000, 0, STOP),
    ("silent, but caught up within the ring", window([79, 80, 81], [0, 0, 0]), [82, 81, 81], 1, 1_000, 0, OK),
    (
        "lags that nobody knows prove nothing",
        window([1_000, 1_500, 2_000, 2_500, 3_000, 3_500], [0, None, 50, None, 100, None]),
        [3_700],
        200,
        700,
        0,
        OK,
    ),
    ("lag within what is allowed, though silent", window([1_000, 2_000, 2_000], [2, 1, 1]), [2_001], 1, 550, 1, OK),
    ("stalled above what is allowed", window(STANDING, [100, 150, 200, 250, 300]), [1_300], 300, 600, 99, STALL),
    (
        "a rewind that was not made good",
        window([1_000, 2_000, 3_000, 2_000, 2_500], [100, 150, 200, 1_250, 300]),
        [4_300],
        300,
        600,
        0,
        REWIND,
    ),
    ("moves on while lag only grows", window(MOVING, RISING), [5_250], 250, 600, 0, WARN),
    ("moves on with flat lag", window(MOVING, [50] * 5), [5_050], 50, 600, 0, WARN),
    ("lag fell once", window(MOVING, [50, 100, 90, 200, 250]), [5_250], 250, 600, 0, OK),
    ("a stop goes before a rewind", window([3_000, 1_000], [10, 20]), [4_000], 3_000, 1_000, 0, STOP),
    (
        "only the first rewind counts: it was made good, the second was not",
        window([10, 5, 20, 15, 16], [90, 95, 80, 85, 84]),
        [100],
        84,
        600,
        0,
        OK,
    ),
    ("one commit is stopped after any silence", window([10], [5]), [20], 10, 101, 0, STOP),
    ("one commit is stalled by definition", window([10], [5]), [20], 10, 100, 0, STALL),
    ("two commits of unknown lag are slow", window([10, 11], [None, None]), [20], 9, 250, 0, WARN),
]


def burrow_status(commits: Window, ends: list[int], lag: int, settings: GoldSettings) -> str | None:
    last = commits.offsets[-1] if commits.offsets else 0
    return burrow_statuses([(commits, ends, last + lag, last)], settings)[0]


@pytest.mark.parametrize(
    ("commits", "ends", "lag", "now_s", "allowed", "status"),
    [case[1:] for case in CASES],
    ids=[case[0] for case in CASES],
)
def test_window(commits: Window, ends: list[int], lag: int, now_s: int, allowed: int, status: str) -> None:
    settings = GoldSettings(now_ms=now_s * 1_000, allowed_lag=allowed)
    assert burrow_status(commits, ends, lag, settings) == status


def test_clock_has_whole_seconds() -> None:
    """999 ms of silence are none."""
    commits = window([10, 10], [5, 5], step_ms=0)
    assert burrow_status(commits, [20], 10, GoldSettings(now_ms=100_999)) == STALL
    assert burrow_status(commits, [20], 10, GoldSettings(now_ms=101_000)) == STOP


def test_too_few_commits_are_ok_and_none_at_all_are_not_judged() -> None:
    stalled = window([10, 10], [5, 5])
    half = GoldSettings(now_ms=250_000, burrow_intervals=4, burrow_minimum_complete=0.5)
    assert burrow_status(stalled, [20], 10, half) == STALL
    assert burrow_status(stalled, [20], 10, replace(half, burrow_intervals=5)) == OK
    assert burrow_status(window([], []), [20], 10, half) is None
    assert burrow_statuses([(stalled, [20], None, 10), (stalled, [20], 30, None)], half) == [None, None]


def test_commits_that_burrow_has_purged_do_not_count() -> None:
    """Each window is trimmed by itself, and rows keep their order."""
    settings = GoldSettings(now_ms=1_000_000, burrow_expire_group_ms=400_000)
    went_back_long_ago = window([90, 50, 60, 70, 80], [5] * 5, first_ms=500_000)
    kept = window([50, 60, 70, 80], [5] * 4, first_ms=700_000)
    gone = window([50, 60], [5] * 2)
    found = burrow_statuses([(each, [100], 90, 80) for each in (gone, went_back_long_ago, kept)], settings)
    assert found == [None, WARN, WARN]


_OFFSETS = st.lists(st.integers(0, 6), max_size=6)


@given(
    st.lists(st.tuples(_OFFSETS, st.lists(st.integers(0, 8), max_size=4), st.integers(0, 8), st.integers(0, 9_000))),
    st.randoms(use_true_random=False),
    st.integers(0, 2),
)
def test_columns_say_what_the_rule_says(
    rows: list[tuple[list[int], list[int], int, int]], chance: Random, allowed: int
) -> None:
    settings = GoldSettings(now_ms=10_500, allowed_lag=allowed, burrow_intervals=4, burrow_minimum_complete=0.5)
    windows = []
    for offsets, ends, end, first_ms in rows:
        lags: Lags = [chance.choice((None, 0, 1, 2, 3)) for _ in offsets]
        windows.append((window(offsets, lags, step_ms=chance.choice((0, 500)), first_ms=first_ms), ends, end, 1))
    expected = [
        oracle.burrow_status(
            each,
            ends,
            max(0, end - each.offsets[-1]),
            settings.now_ms,
            allowed_lag=allowed,
            complete=len(each.offsets) / 4,
            minimum_complete=0.5,
        )
        if each.offsets
        else None
        for each, ends, end, _ in windows
    ]
    assert burrow_statuses(windows, settings) == expected
