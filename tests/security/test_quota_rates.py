"""Rates as Kafka measures them (SampledStat, Rate, TokenBucket; KIP-13, KIP-599): how long to wait, by a clock of numbers."""

from __future__ import annotations

import pytest

from muster.security.quota_rates import TokenBucket, WindowedRate, Windows

KAFKA = Windows(11, 1_000)


@pytest.fixture
def rate() -> WindowedRate:
    return WindowedRate(KAFKA)


def test_a_burst_after_silence_may_use_ten_seconds_at_once(rate: WindowedRate) -> None:
    """Kafka counts at least all windows but one: a quota of 100/s allows 1,000 in the first moment."""
    rate.record(1_000, 50_000)
    assert rate.wait_ms(100, 50_000) == 0
    rate.record(1, 50_000)
    assert rate.wait_ms(100, 50_000) == 10


def test_the_wait_is_what_brings_the_rate_back_to_the_bound(rate: WindowedRate) -> None:
    """throttle time = (rate - bound) / bound * window: 3,000 at 100/s take 30 s, ten of which count already."""
    rate.record(3_000, 0)
    assert rate.wait_ms(100, 0) == 20_000


def test_a_wait_that_is_too_short_to_be_said_is_one_millisecond(rate: WindowedRate) -> None:
    rate.record(1_000_000.1, 0)
    assert rate.wait_ms(100_000, 0) == 1


def test_windows_are_forgotten_one_by_one(rate: WindowedRate) -> None:
    for second in range(20):
        rate.record(150, second * 1_000)
    assert rate.total(19_000) == 11 * 150
    assert rate.total(25_000) == 5 * 150
    assert rate.total(60_000) == 0
    assert rate.wait_ms(1, 60_000) == 0


def test_a_steady_rate_below_the_bound_never_waits(rate: WindowedRate) -> None:
    waits = set()
    for at_ms in range(0, 60_000, 100):
        rate.record(9, at_ms)
        waits.add(rate.wait_ms(100, at_ms))
    assert waits == {0}


def test_a_steady_rate_above_the_bound_waits_as_long_as_it_is_too_fast(rate: WindowedRate) -> None:
    """A client that waits as it is told ends at the bound."""
    now_ms, sent = 0, 0
    while now_ms < 100_000:
        rate.record(50, now_ms)
        sent += 50
        now_ms += 1 + rate.wait_ms(100, now_ms)
    assert 100 * 100 <= sent <= 100 * 100 * 1.15


def test_what_is_taken_back_does_not_count(rate: WindowedRate) -> None:
    rate.record(900, 0)
    rate.record(500, 500)
    rate.record(-500, 500)
    assert (rate.total(500), rate.wait_ms(100, 500)) == (900, 0)


@pytest.mark.parametrize("windows", [Windows(1, 1_000), Windows(2, 500)])
def test_few_windows_are_no_division_by_zero(windows: Windows) -> None:
    rate = WindowedRate(windows)
    rate.record(10, 0)
    assert rate.wait_ms(10, 0) == (0 if windows.number == 1 else 500)


def test_a_full_bucket_may_be_overdrawn_once_and_is_paid_back() -> None:
    """KIP-599: a request finds tokens and takes more than there are; then everybody waits until there are some again."""
    bucket = TokenBucket(KAFKA)
    assert bucket.wait_ms(2, 0) == 0
    bucket.take(30, 2, 0)  # 22 were there
    assert bucket.wait_ms(2, 0) == 4_000
    assert bucket.wait_ms(2, 3_000) == 1_000
    assert bucket.wait_ms(2, 4_000) == 0


def test_a_bucket_saves_up_no_more_than_its_windows_hold() -> None:
    bucket = TokenBucket(KAFKA)
    bucket.take(22, 2, 0)
    assert bucket.wait_ms(2, 3_600_000) == 0
    bucket.take(24, 2, 3_600_000)
    assert bucket.wait_ms(2, 3_600_000) == 1_000
