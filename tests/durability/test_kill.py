"""Killed with SIGKILL at random points: nothing that a client was told is lost (short form; `make kill` is the long one)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.durability.kill import run
from tests.interop.atomic_writer import broken_rules


@pytest.mark.interop
@pytest.mark.parametrize("durability", ["fsync", "os"])
def test_every_acknowledged_record_and_commit_survives_four_kills(tmp_path: Path, durability: str) -> None:
    """`os` promises to survive the end of the process, not of the machine."""
    said = run(tmp_path, durability, kills=4, seed=7)
    assert "4 kills" in said


@pytest.mark.parametrize(
    ("found", "complaint"),
    [
        ([[1, 4], [1, 4]], None),
        ([[1, 1], [1, 1]], "transaction 1 is there twice"),
        ([[1, 4], [1]], "transaction 4 is there in part"),
        ([[1], [1, 4]], "transaction 4 is there in part"),
        ([[4], [4]], "transaction 1 was committed and is not there"),
        ([[1, 2], [1, 2]], "transaction 2 was aborted and is there"),
    ],
)
def test_a_transaction_that_is_not_as_it_was_said_to_be_is_found(found: list[list[int]], complaint: str | None) -> None:
    """1 was committed, 2 was aborted, and of the others nobody was told."""
    assert broken_rules({1}, {2}, found) == ([] if complaint is None else [complaint])
