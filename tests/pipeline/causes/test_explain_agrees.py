"""Law: `muster groups explain --from DIR` and the pipeline give every rebalance of one log the same cause.

Each reads the directory with its own reader. Two differences are documented and the only ones: without a journal the pipeline
weighs commits too, and sees that a session expired; with one explain looks further back and ahead (docs/explain.md).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random

import pytest

from muster.cli.main import main
from muster.explain.cause_words import PHRASES
from muster.explain.causes import CONFIDENCE
from muster.pipeline.decode.log_rows import log_rows
from muster.pipeline.sources.bronze_rows import bronze_rows
from muster.pipeline.sources.log_directories import LogFolder
from muster.pipeline.tables.settings import GoldSettings
from tests.pipeline.fold.group_folds import Folding
from tests.pipeline.fold.group_logs import GroupLog, Row
from tests.pipeline.fold.random_groups import random_script
from tests.pipeline.sources.written_log import TOPIC, WrittenLog, reader_of
from tests.pipeline.tables import histories
from tests.pipeline.tables.scripted import Script

JOURNAL_TOPIC = "__group_journal"
LOOKS_FURTHER = {
    "member_returned": ("first_member", "new_member"),
    "cooperative_round": ("leader_rejoined",),
}
"""Explain's word, and what the pipeline may say of the same rebalance: it does not know who went before and what was left over."""
Causes = list[tuple[int, str]]


def write(script: Script, directory: Path, *, journal: bool, gone: Sequence[int] = ()) -> None:
    """The script's logs as files. Records at the offsets `gone` were taken by compaction."""
    offsets = WrittenLog(directory)
    for row in script.bronze():
        if row["log_offset"] in gone:
            offsets.skip(1)
        else:
            offsets.append((row["key"], row["value"]), at_ms=row["record_ms"])
    if journal:
        told = WrittenLog(directory, JOURNAL_TOPIC)
        for event in script.journal:
            told.append((event.group_id.encode(), json.dumps(event.to_json()).encode()), at_ms=event.at_ms)


def explained(directory: Path, capsys: pytest.CaptureFixture[str]) -> Causes:
    assert main(["groups", "explain", "g", "--from", str(directory), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    return [(each["generation"], each["cause"]) for each in told["rebalances"]]


def piped(directory: Path) -> Causes:
    """From the pipeline's reader through its decoder and its fold, which is all that Spark is asked to run."""
    journal = rows_in(directory, JOURNAL_TOPIC)
    log = GroupLog(rows_in(directory, TOPIC), journal)
    folding = Folding(log, GoldSettings(now_ms=10_000_000), has_journal=bool(journal))
    folding.read(len(log.records), len(log.events))
    rows = sorted(folding.rows("g_rebalance"), key=lambda row: (row["ended_ms"], row["log_offset"] or 0))
    return [(row["generation"], row["cause"]) for row in rows]


def rows_in(directory: Path, topic: str) -> list[Row]:
    if not (directory / f"{topic}-0").exists():
        return []
    reader = reader_of(LogFolder(topic, 0, str(directory / f"{topic}-0")))
    return [row for records in reader.records() for row in log_rows(bronze_rows(reader.place, records)).to_pylist()]


def said_without_commits(causes: Causes) -> Causes:
    return [(generation, "left_or_expired" if cause == "session_expired" else cause) for generation, cause in causes]


@pytest.mark.parametrize("play", histories.ALL, ids=lambda play: play.__name__)
def test_scripted_history_without_a_journal_has_the_same_causes(
    play: Callable[[], Script], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(play(), tmp_path, journal=False)
    found = explained(tmp_path, capsys)
    assert said_without_commits(piped(tmp_path)) == found
    assert {cause for _, cause in found} <= CONFIDENCE.keys()


@pytest.mark.parametrize("seed", range(30))
def test_random_history_with_holes_has_the_same_causes(
    seed: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Compaction takes generations and tombstones; what is left is compared in the same way."""
    random = Random(seed)
    script = random_script(random)
    write(script, tmp_path, journal=False, gone=[n for n in range(1, len(script.log)) if random.random() < 0.2])
    assert said_without_commits(piped(tmp_path)) == explained(tmp_path, capsys)


@pytest.mark.parametrize("play", histories.ALL, ids=lambda play: play.__name__)
def test_scripted_history_with_a_journal_has_the_same_causes_or_explain_looks_further(
    play: Callable[[], Script], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(play(), tmp_path, journal=True)
    pairs = list(zip(explained(tmp_path, capsys), piped(tmp_path), strict=True))
    differing = [(ours, theirs) for ours, theirs in pairs if ours != theirs]
    assert [
        (ours, theirs)
        for ours, theirs in differing
        if ours[0] != theirs[0] or theirs[1] not in LOOKS_FURTHER.get(ours[1], ())
    ] == []


def test_every_inferred_cause_has_words() -> None:
    assert CONFIDENCE.keys() <= PHRASES.keys()
