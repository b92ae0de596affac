"""Muster answers every script as Apache Kafka 4.3.1 did when it was recorded, and stores the same records.

No Java is needed. `make conformance` asks a live Kafka the same, `make conformance-record` renews the recordings.
Differences that are meant are listed in `deviations` with their reasons.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.conformance import authorization
from tests.conformance.compare import Difference, compare
from tests.conformance.deviations import DEVIATIONS, Deviation
from tests.conformance.player import play_title
from tests.conformance.recording import read_recording
from tests.conformance.run import plays_of
from tests.conformance.script import all_scripts

pytestmark = pytest.mark.xdist_group("conformance")

SCRIPTS = all_scripts()
TITLES = [
    (script.name, play_title(script, scenario, version))
    for script in SCRIPTS
    for scenario in script.scenarios
    for version in scenario.versions()
]


@pytest.fixture(scope="module")
def differences() -> dict[str, list[Difference]]:
    """By title of the play; a play that was never recorded is missing."""
    recorded = {title: play for script in SCRIPTS for title, play in read_recording(script.name).items()}
    plays = plays_of("Muster", authorization.muster_running)
    return {play.title: compare(play, recorded[play.title]) for play in plays if play.title in recorded}


@pytest.mark.parametrize(("script", "title"), TITLES, ids=[title for _, title in TITLES])
def test_muster_answers_as_kafka_did(script: str, title: str, differences: dict[str, list[Difference]]) -> None:
    """Issue 5: each difference is a bug of ours to mend, or a listed deviation with its reason."""
    assert title in differences, f"{title} was never recorded: run `make conformance-record`"
    unmeant = [each for each in differences[title] if each.accepted is None]
    unknown = [str(each) for each in unmeant if each.to_mend is None]
    assert not unknown, "\n" + "\n".join(unknown)
    if unmeant:
        pytest.xfail("; ".join(sorted({each.to_mend.reason for each in unmeant if each.to_mend})))


def test_every_listed_deviation_still_shows(differences: dict[str, list[Difference]]) -> None:
    """A reason that accepts nothing any more is out of date and would hide a new fault."""
    used = {id(each) for each in _used(differences)}
    assert [each.reason for each in DEVIATIONS if id(each) not in used] == []


def _used(differences: dict[str, list[Difference]]) -> Iterator[Deviation]:
    for found in differences.values():
        for each in found:
            if each.accepted is not None:
                yield each.accepted
