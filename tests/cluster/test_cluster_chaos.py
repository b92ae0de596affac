"""Real clients over a cluster to which bad things happen (short form; `make chaos` is the long one with fifty rounds by seed)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cluster.chaos import run

pytestmark = [pytest.mark.interop, pytest.mark.xdist_group("cluster")]


def test_groups_of_two_libraries_lose_and_repeat_nothing_through_kill_freeze_cut_crash_and_orderly_stops(
    tmp_path: Path,
) -> None:
    """Acknowledged commits are there after every round; at the end so is every record, once, and no member that took a
    partition over began before what was committed (issue 11)."""
    ledger = run(tmp_path, ["kill", "add", "freeze", "crash_database", "cut", "stop"], seed=5)
    assert ledger.endswith("acknowledged, all there")
