"""Log files of a table that are older than its retention: what a round or a reader still needs stays, compaction drops the rest.

A table writes a checkpoint with its versions 19, 39 and so on; behind one delta-rs would drop every older file of the log.
"""

from __future__ import annotations

import os
import shutil
import time
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from muster.pipeline.lake import commit
from muster.pipeline.lake import compact as compaction
from muster.pipeline.lake.commit import Change, Signature, commit_change
from muster.pipeline.lake.compact import compact
from muster.pipeline.lake.errors import LakeError
from muster.pipeline.lake.location import Location, table_directory
from muster.pipeline.lake.reader import Lake
from muster.pipeline.lake.retention import Retention
from muster.pipeline.lake.rounds import KEPT
from tests.pipeline.lake.delta_lakes import AT_MS, publish, rows_of

TABLE = "g_rebalance"
LAST_BEFORE = 18
"""The version before the one with a checkpoint."""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "lake"


@pytest.fixture(params=["made now", "made by an older muster"], autouse=True)
def properties(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Older tables do not say that their logs are kept."""
    if request.param == "made by an older muster":
        older = {name: value for name, value in commit.PROPERTIES.items() if name != "delta.enableExpiredLogCleanup"}
        monkeypatch.setattr(commit, "PROPERTIES", older)


def rebalance(generation: int) -> dict[str, pa.Table]:
    return {TABLE: rows_of(TABLE, [{"group_id": "g", "generation": generation, "ended_ms": AT_MS}])}


def publish_rounds(root: Path, generations: range) -> None:
    for generation in generations:
        publish(root, appended=rebalance(generation))


def generations(lake: Lake) -> list[int]:
    return sorted(lake.arrow(TABLE)["generation"].to_pylist())


def log_directory(root: Path, table: str = TABLE) -> Path:
    return root / table_directory(table) / "_delta_log"


def first_version(root: Path, table: str = TABLE) -> int:
    return min(int(file.stem) for file in log_directory(root, table).glob("*.json"))


def age(root: Path, hours: float = 8) -> None:
    """As if everything had been written so long ago; the retention of log files is six hours."""
    for file in root.rglob("*"):
        then = time.time() - hours * 3600
        os.utime(file, (then, then))


def die(*_: object, **__: object) -> None:
    raise KeyboardInterrupt


def die_before_publishing(root: Path, monkeypatch: pytest.MonkeyPatch, **tables: Any) -> None:
    with monkeypatch.context() as broken:
        broken.setattr("tests.pipeline.lake.delta_lakes.publish_round", die)
        with pytest.raises(KeyboardInterrupt):
            publish(root, **tables)


def lake_before_a_checkpoint(root: Path) -> None:
    publish_rounds(root, range(LAST_BEFORE + 1))
    assert Lake.open(root).round.versions[TABLE] == LAST_BEFORE
    age(root)


def test_round_that_died_behind_a_checkpoint_takes_no_rows_along(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lake_before_a_checkpoint(root)
    die_before_publishing(root, monkeypatch, appended=rebalance(99))
    assert list(log_directory(root).glob("*19.checkpoint.parquet")), "the dead attempt came so far"
    assert generations(Lake.open(root)) == list(range(19))
    publish(root, appended=rebalance(19))
    assert generations(Lake.open(root)) == list(range(20))


def test_lake_that_was_opened_a_round_earlier_still_reads(root: Path) -> None:
    lake_before_a_checkpoint(root)
    before = Lake.open(root)
    publish(root, appended=rebalance(19))
    assert generations(before) == list(range(19))
    compact(Location.parse(root), Retention())
    assert generations(Lake(before.location, before.round)) == list(range(19))


def test_compaction_that_died_behind_a_checkpoint_takes_no_rows_along(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It sets the open rows aside, merges the others and brings the open ones back."""
    publish_rounds(root, range(LAST_BEFORE))
    publish(root, replaced=rebalance(LAST_BEFORE), gold_at_ms=AT_MS)
    age(root)
    with monkeypatch.context() as broken:
        broken.setattr(compaction, "publish_round", die)
        with pytest.raises(KeyboardInterrupt):
            compact(Location.parse(root), Retention())
    assert list(log_directory(root).glob("*19.checkpoint.parquet"))
    assert generations(Lake.open(root)) == list(range(19))
    publish(root, appended=rebalance(19))
    assert generations(Lake.open(root)) == list(range(20))


@pytest.mark.parametrize("first", ["sets open rows aside", "deletes", "merges"])
def test_no_commit_of_compaction_drops_versions_that_rounds_name(root: Path, first: str) -> None:
    """Whichever of its commits is the one with the checkpoint."""
    oldest = 1 if first != "merges" else AT_MS
    publish(root, appended={TABLE: rows_of(TABLE, [{"group_id": "g", "generation": 0, "ended_ms": oldest}])})
    publish_rounds(root, range(1, LAST_BEFORE))
    is_open = first == "sets open rows aside"
    settled, now = ({}, rebalance(LAST_BEFORE)) if is_open else (rebalance(LAST_BEFORE), {})
    publish(root, appended=settled, replaced=now, gold_at_ms=AT_MS)
    age(root)
    before = Lake.open(root)
    dropped = compact(Location.parse(root), Retention()).rows_dropped
    assert dropped == (first != "merges")
    assert list(log_directory(root).glob("*19.checkpoint.parquet"))
    assert generations(before) == list(range(19))
    assert generations(Lake.open(root)) == list(range(dropped, 19))


def test_compaction_drops_versions_that_no_round_names_any_more(root: Path) -> None:
    publish_rounds(root, range(KEPT + 21))
    age(root)
    assert (first_version(root), first_version(root, "rounds")) == (0, 0), "nobody else does"
    compact(Location.parse(root), Retention())
    assert first_version(root) == 19, "where the checkpoint is from which the oldest round is read"
    assert first_version(root, "rounds") == 39
    assert generations(Lake.open(root)) == list(range(KEPT + 21))
    publish(root, appended=rebalance(KEPT + 21))
    assert generations(Lake.open(root)) == list(range(KEPT + 22))


def test_young_log_files_stay(root: Path) -> None:
    publish_rounds(root, range(KEPT + 21))
    age(root, hours=5)
    compact(Location.parse(root), Retention())
    assert first_version(root) == 0


def test_version_that_was_replaced_within_the_grace_stays_for_its_readers(root: Path) -> None:
    """The rounds that named it are forgotten after a few minutes of `--follow`."""
    lake_before_a_checkpoint(root)
    before = Lake.open(root)
    publish_rounds(root, range(19, 20 + KEPT))
    compact(Location.parse(root), Retention())
    assert generations(before) == list(range(19))


def drop_log(root: Path) -> None:
    """What delta-rs did to lakes of older musters."""
    for file in log_directory(root).iterdir():
        if file.name.split(".")[0].isdigit() and int(file.name.split(".")[0]) <= LAST_BEFORE:
            file.unlink()


def test_version_that_is_gone_is_not_taken_for_an_empty_table(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lake_before_a_checkpoint(root)
    die_before_publishing(root, monkeypatch, appended=rebalance(99))
    drop_log(root)
    with pytest.raises(
        LakeError, match=r"version 18 of g_rebalance is gone, but rounds names it: .* touched the lake$"
    ):
        generations(Lake.open(root))
    said = r"version 18 of g_rebalance is gone, .* nothing was committed to it. .*--rebuild.* into a new lake$"
    with pytest.raises(LakeError, match=said):
        publish(root, appended=rebalance(19))
    lake = Lake.open(root)
    rebuilt = Change(remove_all=True)
    assert commit_change(lake.location, TABLE, Signature(99, base=lake.round.versions), rebuilt) == 20, "as --rebuild"


def test_compaction_passes_by_a_version_that_only_earlier_rounds_name(root: Path) -> None:
    for generation in range(19):
        publish(root, appended=rebalance(generation), at_ms=AT_MS - 7 * 86_400_000)
    age(root)
    publish(root, appended=rebalance(19))
    drop_log(root)
    compact(Location.parse(root), Retention(), clock=lambda: AT_MS)
    assert generations(Lake.open(root)) == list(range(20))


def test_table_that_is_gone_does_not_begin_anew_without_a_word(root: Path) -> None:
    publish_rounds(root, range(2))
    shutil.rmtree(root / table_directory(TABLE))
    with pytest.raises(LakeError, match=r"the table g_rebalance is gone, but rounds names its version 1: .*--rebuild"):
        publish(root, appended=rebalance(2))
