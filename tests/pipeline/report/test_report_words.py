"""How numbers, durations and times read."""

from __future__ import annotations

import pytest

from muster.explain.causes import CONFIDENCE
from muster.pipeline.report import kinds, words
from muster.pipeline.report.scales import Scale, TimeScale, duration_ticks


@pytest.mark.parametrize(
    ("ms", "text"),
    [
        (None, "–"),
        (0, "0 s"),
        (340, "340 ms"),
        (1_000, "1 s"),
        (3_240, "3.2 s"),
        (59_949, "59.9 s"),
        (59_960, "1 min"),
        (250_000, "4 min 10 s"),
        (7_500_000, "2 h 5 min"),
        (273_600_000, "3 d 4 h"),
        (-2_000, "−2 s"),
    ],
)
def test_a_duration_reads_in_at_most_two_units(ms: int | None, text: str) -> None:
    assert words.duration(ms) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (7, "7"),
        (999, "999"),
        (1_000, "1k"),
        (1_234, "1.23k"),
        (999_600, "1M"),
        (7_280_000, "7.28M"),
        (6.3e13, "63T"),
        (None, "–"),
    ],
)
def test_a_short_count_has_three_digits_and_a_letter(value: float | None, text: str) -> None:
    assert words.short_count(value) == text


def test_beside_a_circle_it_has_two_digits() -> None:
    assert [words.short_count(value, 2) for value in (26_600_000, 8_060_000, 654_000, 7)] == [
        "27M",
        "8.1M",
        "654k",
        "7",
    ]


@pytest.mark.parametrize(
    ("lo", "hi", "est", "text"),
    [
        (8_000, 15_000, 12_000, "12 s (8 s to 15 s)"),
        (0, 0, 0, "0 s"),
        (180_000, None, 180_000, "≥ 3 min"),
        (68_400_000, 68_460_000, 68_430_000, "19 h to 19 h 1 min"),
        (0, None, None, "not known"),
        (None, None, None, "not known"),
    ],
)
def test_time_lag_reads_as_a_bracket_or_as_at_least(lo: int | None, hi: int | None, est: int | None, text: str) -> None:
    """analytics 2.2: an interval with its method, never an extrapolation; without an upper end it is a lower bound."""
    assert words.time_lag(lo, hi, est) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [(1.0, "100 %"), (0.9999, ">99.9 %"), (0.5, "50 %"), (0.0004, "<0.1 %"), (0.0, "0 %"), (None, "–")],
)
def test_a_share_that_is_nearly_whole_does_not_say_whole(value: float | None, text: str) -> None:
    assert words.share(value) == text


def test_a_time_outside_of_any_calendar_still_reads() -> None:
    """Times come from records, and a record may say anything."""
    assert words.moment(-5) == "1970-01-01 00:00:00"
    assert words.moment(2**62) == "9999-12-31 23:59:59"


def test_time_ticks_are_round_and_name_the_day_at_midnight() -> None:
    noon = 1_763_208_000_000
    ticks = TimeScale(noon - 86_400_000, noon, 800).ticks()
    assert [label for _, label in ticks] == [
        "12:00",
        "15:00",
        "18:00",
        "21:00",
        "15 Nov",
        "03:00",
        "06:00",
        "09:00",
        "12:00",
    ]
    assert ticks[0][0] == 0
    assert ticks[-1][0] == 800


def test_a_window_of_years_has_few_ticks() -> None:
    assert len(TimeScale(0, 10**12, 800).ticks()) <= 10


def test_what_lies_outside_of_the_window_stands_at_its_edge() -> None:
    scale = TimeScale(1000, 2000, 100)
    assert (scale.x(0), scale.x(1500), scale.x(9999)) == (0, 50, 100)


def test_ticks_of_a_flat_scale_are_its_one_value() -> None:
    assert Scale(5, 5, 0, 10).ticks() == [5]
    assert Scale(0, 900_000, 0, 10).ticks() == [0, 200_000, 400_000, 600_000, 800_000]


def test_duration_ticks_start_at_zero_and_are_few() -> None:
    assert duration_ticks(36_000) == [0, 10_000, 20_000, 30_000]
    assert duration_ticks(0) == [0]


def test_every_cause_of_the_journal_and_of_the_log_has_a_family() -> None:
    """What starts a rebalance must not fall under `other` for want of an entry."""
    starts = [
        "new_member",
        "leader_rejoined",
        "metadata_changed",
        "static_member_returned",
        "member_left",
        "session_expired",
    ]
    starts += ["rejoin_missed", "sync_missed", *(CONFIDENCE.keys() - {"members_changed", "unknown"})]
    assert [cause for cause in starts if kinds.cause_family(cause) == "other"] == []
    assert kinds.cause_family(None) == "other"
    assert kinds.cause_family("never heard of") == "other"


@pytest.mark.parametrize(
    ("ms", "word"),
    [(0, "caught up"), (1, "under 1 s"), (1_000, "1 to 5 s"), (59_999, "15 to 60 s"), (21_600_000, "over 6 h")],
)
def test_time_lag_falls_into_the_named_class(ms: int, word: str) -> None:
    lag = kinds.lag_class(ms)
    assert lag is not None
    assert kinds.LAG_CLASSES[lag] == word


def test_a_status_nobody_knows_stands_before_the_harmless_ones() -> None:
    assert kinds.severity("NEW_IN_NEXT_VERSION") < kinds.severity("IDLE")
    assert kinds.severity("DATA_LOSS") == 0


def test_one_is_singular_and_unknown_is_not_zero() -> None:
    assert [words.many(n, "group") for n in (0, 1, 12_000, None)] == [
        "0 groups",
        "1 group",
        "12,000 groups",
        "– groups",
    ]
