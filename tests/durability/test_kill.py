"""Killed with SIGKILL at random points: nothing that a client was told is lost (short form; `make kill` is the long one)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.durability.kill import run


@pytest.mark.interop
@pytest.mark.parametrize("durability", ["fsync", "os"])
def test_every_acknowledged_record_and_commit_survives_four_kills(tmp_path: Path, durability: str) -> None:
    """`os` promises to survive the end of the process, not of the machine."""
    said = run(tmp_path, durability, kills=4, seed=7)
    assert "4 kills" in said
