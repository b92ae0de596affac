"""Real clients of the new protocol (librdkafka): their journals are given back, and what is predicted of them is what they then do.

The bounds are those of docs/whatif.md.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from muster.whatif.answer import Answer, answer
from muster.whatif.variants import Variant
from tests.whatif.real_group import HEARTBEAT_MS, PARTITIONS, Happened, flapping_member, rolling_restart, slow_poller


def asked(payloads: list[str], variant: Variant) -> Answer:
    """The answer, of a recording that is given back."""
    (found,) = answer("billing", payloads, [variant])
    assert found.reproduced == found.recorded.rebalances > 1, found
    assert not found.assumed
    return found


@pytest.mark.parametrize("history", [rolling_restart, flapping_member])
def test_restarts_are_given_back_and_predicted_as_static(history: Callable[..., Happened]) -> None:
    predicted = asked(history(protocol="consumer").payloads, Variant(is_static=True))
    assert predicted.recorded.rebalances >= 7, "two of each restart, and the first"
    measured = asked(history(protocol="consumer", static=True).payloads, Variant()).recorded
    assert predicted.replayed.rebalances == measured.rebalances == 2
    assert predicted.replayed.moved == measured.moved
    handed_over = (
        measured.moved - PARTITIONS
    )  # what the second and third member got from others: an interval each, more or less
    bound_ms = handed_over * HEARTBEAT_MS + 0.2 * measured.unowned_ms
    assert abs(predicted.replayed.unowned_ms - measured.unowned_ms) <= bound_ms


@pytest.fixture(scope="module")
def waited_for() -> list[str]:
    return slow(20_000)


@pytest.fixture(scope="module")
def not_waited_for() -> list[str]:
    return slow(1_500)


def slow(max_poll_ms: int) -> list[str]:
    settings: dict[str, Any] = {"protocol": "consumer", "max_poll_ms": max_poll_ms}
    return slow_poller(**settings)


@pytest.mark.xdist_group("slow pollers of the new protocol")
def test_slow_poller_predicted_under_a_short_interval_is_what_happens_with_it(
    waited_for: list[str], not_waited_for: list[str]
) -> None:
    predicted = asked(waited_for, Variant(max_poll_ms=1_500))
    measured = asked(not_waited_for, Variant()).recorded
    assert predicted.replayed.rebalances == measured.rebalances > predicted.recorded.rebalances
    assert predicted.replayed.moved == pytest.approx(measured.moved, rel=0.25)


@pytest.mark.xdist_group("slow pollers of the new protocol")
def test_slow_poller_predicted_under_a_long_interval_is_waited_for(
    waited_for: list[str], not_waited_for: list[str]
) -> None:
    predicted = asked(not_waited_for, Variant(max_poll_ms=20_000))
    measured = asked(waited_for, Variant()).recorded
    assert predicted.replayed.rebalances == measured.rebalances
    assert predicted.replayed.moved == pytest.approx(measured.moved, rel=0.25)
