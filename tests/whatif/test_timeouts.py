"""Another initial delay, another session timeout: the replay gives what the same clients do in a group that really has it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from muster.explain.event import events_of
from muster.explain.fold import fold
from muster.whatif.answer import Answer, answer, count_reproduced
from muster.whatif.replay import replay
from muster.whatif.variants import Variant
from tests.whatif.random_group import COUNTS, STEADY_HEARTBEAT_MS, RandomGroup
from tests.whatif.test_replay import recorded_from

LONGER_DELAYS = [(seed, 0, 3_000) for seed in range(14)]
SHORTER_DELAYS = [(seed, 3_000, 0) for seed in range(14) if seed not in (9, 13)]
"""In groups 9 and 13 a member dies while it waits for the end of a join phase: when it did, such a recording does not say."""
SESSION_SEEDS = (2, 3, 4, 6, 7, 8, 9, 10)
"""In these somebody dies."""
LENGTH_MS = 60_000


def recording(seed: int, **settings: Any) -> list[str]:
    journal = RandomGroup(seed, steady=True, length_ms=LENGTH_MS, **settings).run().journal
    return [json.dumps(event.to_json()) for event in journal]


def compared(was: list[str], real: list[str], variant: Variant) -> tuple[Answer, Answer]:
    """The prediction from `was`, and what was really recorded, if their rebalances are the same."""
    (predicted,), (measured,) = answer("g", was, [variant]), answer("g", real, [Variant()])
    journal = replay(recorded_from(was), variant).journal
    same = count_reproduced(fold(recorded_from(real).events, "g"), fold(events_of(journal), "g"))
    assert same == predicted.replayed.rebalances == measured.recorded.rebalances
    reactions_ms = same * sum(COUNTS.values()) * STEADY_HEARTBEAT_MS
    assert abs(predicted.replayed.unowned_ms - measured.recorded.unowned_ms) <= reactions_ms
    assert predicted.replayed.moved == measured.recorded.moved
    return predicted, measured


@pytest.mark.parametrize(("seed", "was_ms", "is_ms"), LONGER_DELAYS + SHORTER_DELAYS)
def test_group_under_another_initial_delay_does_what_the_group_does_that_has_it(
    seed: int, was_ms: int, is_ms: int
) -> None:
    was, real = recording(seed, delay_ms=was_ms), recording(seed, delay_ms=is_ms)
    predicted, measured = compared(was, real, Variant(initial_delay_ms=is_ms))
    assert abs(predicted.recorded.unowned_ms - measured.recorded.unowned_ms) > 1_000, "it makes a difference"


@pytest.mark.parametrize(("was_ms", "is_ms"), [(10_000, 3_000), (3_000, 10_000)])
@pytest.mark.parametrize("seed", SESSION_SEEDS)
def test_group_under_another_session_timeout_misses_the_dead_when_the_group_does_that_has_it(
    seed: int, was_ms: int, is_ms: int
) -> None:
    was, real = recording(seed, session_ms=was_ms), recording(seed, session_ms=is_ms)
    predicted, measured = compared(was, real, Variant(session_timeout_ms=is_ms))
    assert predicted.replayed.deaths == measured.recorded.deaths > 0
    assert predicted.replayed.detection_ms == measured.recorded.detection_ms == is_ms
    assert predicted.recorded.detection_ms == was_ms
