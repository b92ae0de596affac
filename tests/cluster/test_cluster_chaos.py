"""Real clients over a cluster to which bad things happen (short form; `make chaos` is the long one with fifty rounds by seed)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cluster import chaos
from tests.cluster.chaos import DEFAULT_LEASE_MS, left_out, run
from tests.cluster.stepped_clock import CAN_STEP

pytestmark = [pytest.mark.interop, pytest.mark.xdist_group("cluster")]


def test_groups_of_two_libraries_lose_and_repeat_nothing_through_kill_freeze_cut_crash_and_orderly_stops(
    tmp_path: Path,
) -> None:
    """Acknowledged commits are there after every round; at the end so is every record, once, and no member that took a
    partition over began before what was committed (issue 11)."""
    ledger = run(tmp_path, ["kill", "add", "freeze", "crash_database", "cut", "stop"], seed=5)
    assert ledger.endswith("acknowledged, all there")


def test_nothing_is_lost_with_a_frozen_and_a_slow_database_a_second_process_of_a_node_and_a_clock_that_steps(
    tmp_path: Path,
) -> None:
    """With the lease that operators have: a database as slow as this one would outlast the shorter one."""
    plan = ["freeze_database", "slow_database", "second_process", *(["step_clock"] if CAN_STEP else [])]
    ledger = run(tmp_path, plan, seed=7, lease_ms=DEFAULT_LEASE_MS)
    assert ledger.endswith("acknowledged, all there")


def test_what_cannot_be_drawn_here_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chaos, "can_mount", lambda: True)
    monkeypatch.setattr(chaos, "CAN_STEP", True)
    assert left_out() == []
    monkeypatch.setattr(chaos, "can_mount", lambda: False)
    monkeypatch.setattr(chaos, "CAN_STEP", False)
    assert [line.split(" (")[0] for line in left_out()] == [
        "not drawn: fill_disk, fill_disk_of_the_log",
        "not drawn: step_clock, step_clock_of_database",
    ]
