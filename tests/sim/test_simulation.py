"""The whole server under faults that seeds draw. A seed that fails prints how to see it again."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from collections.abc import Iterator

import pytest

from muster.sim.faults import FAULTS
from muster.sim.run import simulate
from tests.forms import seeds_of_this_form

SEEDS = seeds_of_this_form(300)
SEEDS_WITH_TRANSACTIONS = seeds_of_this_form(100)
CHUNK = 25


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    logging.disable(logging.CRITICAL)
    yield
    logging.disable(logging.NOTSET)


@pytest.mark.parametrize("first", SEEDS[::CHUNK])
def test_no_seed_violates_anything(first: int) -> None:
    for seed in range(first, first + CHUNK):
        verdict = simulate(seed)
        assert not verdict.violations, f"muster sim --seed {seed} --log\n" + "\n".join(verdict.violations)


@pytest.mark.parametrize("first", SEEDS_WITH_TRANSACTIONS[::CHUNK])
def test_no_seed_with_transactions_violates_anything(first: int) -> None:
    for seed in range(first, first + CHUNK):
        verdict = simulate(seed, transactions=True)
        assert not verdict.violations, f"muster sim --transactions --seed {seed} --log\n" + "\n".join(
            verdict.violations
        )


def test_transactional_clients_are_not_idle() -> None:
    """Many transactions are committed while faults come, beside groups that get on as well."""
    verdicts = [simulate(seed, transactions=True) for seed in range(5)]
    assert min(verdict.transactions for verdict in verdicts) > 40
    assert min(verdict.commits for verdict in verdicts) > 100


def test_a_run_is_not_an_idle_one() -> None:
    """The checkers had something to look at: several generations, lives and many acknowledged commits."""
    verdicts = [simulate(seed) for seed in range(10)]
    assert sum(verdict.lives for verdict in verdicts) > 15
    assert min(verdict.generations for verdict in verdicts) >= 3
    assert min(verdict.commits for verdict in verdicts) > 100


def test_without_faults_a_run_has_one_life() -> None:
    verdict = simulate(1, allowed=frozenset())
    assert (verdict.lives, verdict.violations) == (1, ())
    assert len({fault.__name__ for fault, _ in FAULTS}) == len(FAULTS)


@pytest.mark.parametrize("flags", [[], ["--transactions"]], ids=["plain", "transactions"])
def test_a_seed_has_the_same_digest_whatever_the_hash_seed(flags: list[str]) -> None:
    """Law 7: behaviour never depends on the order of a set."""
    digests = set()
    for hash_seed in ("1", "2"):
        output = subprocess.run(
            [sys.executable, "-m", "muster", "sim", "--seed", "7", *flags],
            env={**os.environ, "PYTHONHASHSEED": hash_seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        digests.add(output.splitlines()[-1])
    assert len(digests) == 1
    assert next(iter(digests)) == f"digest {simulate(7, transactions=bool(flags)).digest}"


def test_the_command_runs_several_seeds_and_sums_up() -> None:
    command = [sys.executable, "-m", "muster", "sim", "--seeds", "3", "--from", "20"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert done.stdout.startswith("3 seeds in ")
    assert "0 seeds violate something" in done.stdout
