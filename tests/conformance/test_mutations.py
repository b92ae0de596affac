"""The comparison is worth something only if it sees faults: each deliberate one must make its scenario differ."""

from __future__ import annotations

from functools import partial

import pytest

from tests.conformance import authorization
from tests.conformance.compare import compare
from tests.conformance.mutant import FAULTS
from tests.conformance.recording import read_recording
from tests.conformance.run import plays_of

pytestmark = pytest.mark.xdist_group("conformance")


@pytest.mark.parametrize("fault", FAULTS)
def test_a_deliberate_fault_is_seen(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Checkers are proved by a mutation that they must catch."""
    monkeypatch.setenv("MUSTER_PURE", "1")  # a fault cannot be put into compiled code
    scenario = FAULTS[fault][1]
    running = partial(authorization.muster_running, launcher=("-m", "tests.conformance.mutant", fault))

    plays = plays_of("Muster with a fault", running, scenario)

    recorded = read_recording(scenario.partition("-")[0])
    seen = [each for play in plays for each in compare(play, recorded[play.title]) if each.accepted is None]
    assert plays
    assert seen
