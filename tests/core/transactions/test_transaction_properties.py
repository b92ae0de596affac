"""Random histories of requests, timers, markers, failovers and failing appends: the laws hold in all of them."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from muster.core.transactions.records import TransactionErased, TransactionStored
from muster.core.transactions.states import TransactionState
from muster.wire import errors
from tests.core.transactions.transaction_history import STEPS, Step, TransactionHistory

STEP = st.tuples(st.integers(0, STEPS - 1), st.integers(0, 2), st.integers(0, 20))


def random_steps(seed: int, count: int) -> list[Step]:
    source = random.Random(seed)
    return [(source.randrange(STEPS), source.randrange(3), source.randrange(21)) for _ in range(count)]


@given(st.lists(STEP, min_size=5, max_size=80))
@settings(max_examples=200, deadline=None)
def test_the_laws_hold_in_every_history(steps: list[Step]) -> None:
    """Laws 2 and 3; a decision never changes; epochs only grow; whoever is open has a timeout."""
    history = TransactionHistory()
    history.play(steps)
    history.check_replay_equals_live()
    history.check_log()


@pytest.fixture(scope="module")
def long_histories() -> list[TransactionHistory]:
    """With seeds that stay: 30 histories of 500 steps."""
    histories = [TransactionHistory() for _ in range(30)]
    for seed, history in enumerate(histories):
        history.play(random_steps(seed, 500))
    return histories


def test_the_laws_hold_in_long_histories(long_histories: list[TransactionHistory]) -> None:
    for history in long_histories:
        history.check_replay_equals_live()
        history.check_log()


def test_long_histories_reach_everything_that_they_are_for(long_histories: list[TransactionHistory]) -> None:
    """A property that is never put to the test proves nothing."""
    records = [record for history in long_histories for record in history.world.log]
    states = {record.state for record in records if isinstance(record, TransactionStored)}
    assert states == set(TransactionState) - {TransactionState.DEAD, TransactionState.PREPARE_EPOCH_FENCE}
    assert any(isinstance(record, TransactionErased) for record in records)
    assert any(isinstance(record, TransactionStored) and record.next_producer_id != -1 for record in records)
    assert any(history.restarts for history in long_histories)
    for error in (errors.CONCURRENT_TRANSACTIONS, errors.PRODUCER_FENCED, errors.COORDINATOR_NOT_AVAILABLE):
        assert any(history.answered(error) for history in long_histories)


DIGEST_SCRIPT = """
from tests.core.transactions.test_transaction_properties import random_steps
from tests.core.transactions.transaction_history import TransactionHistory
for seed in range(5):
    history = TransactionHistory()
    history.play(random_steps(seed, 300))
    print(history.digest())
"""


def test_outcomes_do_not_depend_on_the_hash_seed() -> None:
    """Law 7: nothing that shows goes by the order of a set."""
    root = Path(__file__).parents[3]
    outputs = set()
    for seed in ("0", "1", "4242"):
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": f"{root}{os.pathsep}{root / 'src'}"}
        done = subprocess.run(
            [sys.executable, "-c", DIGEST_SCRIPT], cwd=root, env=environment, capture_output=True, text=True, check=True
        )
        outputs.add(done.stdout)
    assert len(outputs) == 1
    assert len(outputs.pop().split()) == 5
