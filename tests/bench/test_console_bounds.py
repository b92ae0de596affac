"""The bounds of `bench.console_cost` and `bench.console_soak`: whatever is beyond one is a failure with a sentence."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bench.console_cost import beyond_first_byte, beyond_idle
from bench.console_soak import Page, Soaked, failures_of

GOOD = Soaked(
    pages=[Page("/live/")],
    before_mb=40.0,
    resident_mb=[80.0] * 8,
    cpu_seconds=5.8,
    seconds=100.0,
    delays_ms=[70.0, 190.0],
)


def test_a_soak_within_its_bounds_has_no_failures() -> None:
    assert failures_of(GOOD) == []


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (replace(GOOD, missing=["/live/: the console closed it"]), "the console closed it"),
        (replace(GOOD, skipped=1), "1 rebalances were never on a page"),
        (replace(GOOD, delays_ms=[70.0, 1_001.0]), "an event took 1,001 ms to a page"),
        (replace(GOOD, delays_ms=[]), "how long events take is not known"),
        (replace(GOOD, cpu_seconds=15.1), "took 15.1 % of a core"),
        (replace(GOOD, resident_mb=[70.0] * 6 + [74.0] * 2), "memory grew by 6 %"),
        (replace(GOOD, resident_mb=[200.0] * 8), "memory is at 200 MB"),
    ],
)
def test_a_soak_beyond_a_bound_says_which(found: Soaked, said: str) -> None:
    (failure,) = failures_of(found)
    assert said in failure


def test_a_page_beyond_its_bounds_says_so() -> None:
    assert beyond_first_byte("the list", 99.0) == beyond_idle("the list", 1.9) == []
    assert "took 101 ms" in beyond_first_byte("the list", 101.0)[0]
    assert "2.1 % of a core" in beyond_idle("the list", 2.1)[0]
