"""Random histories of requests, timers and failing appends: the laws hold in all of them."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.core.history import STEPS, History, Step

STEP = st.tuples(st.integers(0, STEPS - 1), st.integers(0, 11), st.integers(0, 20))


def random_steps(seed: int, count: int) -> list[Step]:
    source = random.Random(seed)
    return [(source.randrange(STEPS), source.randrange(12), source.randrange(21)) for _ in range(count)]


@given(st.lists(STEP, min_size=5, max_size=80))
@settings(max_examples=400, deadline=None)
def test_the_laws_hold_in_every_history(steps: list[Step]) -> None:
    """Laws 2 and 3; generations only grow; group, facts and timers agree after every step."""
    history = History()
    history.play(steps)
    history.check_replay_equals_live()
    history.check_everybody_was_answered()


@pytest.fixture(scope="module")
def long_histories() -> list[History]:
    """With seeds that stay: 100 histories of 500 steps."""
    histories = [History() for _ in range(100)]
    for seed, history in enumerate(histories):
        history.play(random_steps(seed, 500))
    return histories


def test_long_histories_reach_everything_that_they_are_for(long_histories: list[History]) -> None:
    """A property that is never put to the test proves nothing."""
    events = [event for history in long_histories for event in history.world.journal]
    kinds = {event.kind for event in events}
    causes = {event.cause for event in events}
    assert {"rebalance_ended", "static_replaced", "static_restored", "group_removed", "join_extended"} <= kinds
    assert {"append_failed", "sync_missed", "rejoin_missed", "session_expired", "group_full", "deleted"} <= causes
    assert any(history.superseded for history in long_histories)
    assert all(history.stable_kept > history.stable_ended > 0 for history in long_histories)


def test_the_laws_hold_in_long_histories(long_histories: list[History]) -> None:
    """Laws 2 and 3 again."""
    for history in long_histories:
        history.check_replay_equals_live()
        history.check_everybody_was_answered()


DIGEST_SCRIPT = """
from tests.core.history import History
from tests.core.test_classic_properties import random_steps
for seed in range(5):
    history = History()
    history.play(random_steps(seed, 300))
    print(history.digest())
"""


def test_outcomes_do_not_depend_on_the_hash_seed() -> None:
    """Law 7: nothing that shows goes by the order of a set."""
    root = Path(__file__).parents[2]
    outputs = set()
    for seed in ("0", "1", "4242"):
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": f"{root}{os.pathsep}{root / 'src'}"}
        done = subprocess.run(
            [sys.executable, "-c", DIGEST_SCRIPT], cwd=root, env=environment, capture_output=True, text=True, check=True
        )
        outputs.add(done.stdout)
    assert len(outputs) == 1
    assert len(outputs.pop().split()) == 5
