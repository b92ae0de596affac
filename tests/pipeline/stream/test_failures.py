"""A query that fails says why in one line, and readers see what was published before; one that is followed is started again."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from muster.pipeline.failure import JobError, short_words
from muster.pipeline.lake.errors import LakeError, StoreError
from muster.pipeline.lake.opening import write_parquet
from muster.pipeline.lake.reader import Lake
from muster.pipeline.sources.failure import SourceError
from muster.pipeline.sources.run_source import DirectorySource
from tests.pipeline.stream.lakes import LakeRun, source_of


def test_directory_that_is_gone_is_said_in_the_words_of_the_source(spark: Any, data: Path, tmp_path: Path) -> None:
    moved = tmp_path / "data"
    shutil.copytree(data, moved)
    run = LakeRun(spark, tmp_path / "lake", source_of(moved))
    shutil.rmtree(moved)
    with pytest.raises((JobError, SourceError), match="cannot be read as a data directory"):
        run.run()
    assert Lake.open(tmp_path / "lake").round.round == 0
    again = LakeRun(spark, tmp_path / "lake", DirectorySource((str(data),), "kafka")).run()
    assert again.round.records > 0


class _Store:
    """Writes the files of the table `rounds`, but for some of them, counted from 1: there it wants no more requests."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, run: LakeRun, refused: set[int], until: int) -> None:
        self._run = run
        self._refused, self._until = refused, until
        self.written = 0
        monkeypatch.setattr("muster.pipeline.lake.rounds.write_parquet", self)

    def __call__(self, *arguments: Any) -> Any:
        self.written += 1
        if self.written >= self._until:
            self._run.stop.set()
        if self.written in self._refused:
            raise OSError("503 Slow Down")
        return write_parquet(*arguments)


def test_followed_query_goes_on_after_the_store_failed(
    spark: Any, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = LakeRun(spark, tmp_path, source_of(data), offsets_per_partition=20, every_ms=10)
    store = _Store(monkeypatch, run, {2}, until=3)
    asked: list[int] = []
    run.query.follow(lambda: asked.append(store.written))
    assert run.warnings == [
        f"{tmp_path}: round 2 cannot be published: 503 Slow Down; the next run repeats the round; trying again"
    ]
    assert asked == [0, 2], "before each start of the query: is the lake still ours?"
    found = Lake.open(tmp_path)
    assert found.round.round == 2
    assert found.round.records == found.arrow("log", ["log_offset"]).num_rows > 0


def test_followed_query_whose_lake_has_become_anothers_ends(
    spark: Any, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def taken() -> None:
        if store.written:
            raise LakeError("is being written to by another")

    run = LakeRun(spark, tmp_path, source_of(data), offsets_per_partition=20, every_ms=10)
    store = _Store(monkeypatch, run, {2}, until=9)
    with pytest.raises(LakeError, match="by another"):
        run.query.follow(taken)
    assert Lake.open(tmp_path).round.round == 1


def test_first_failure_of_the_store_ends_a_followed_query(
    spark: Any, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = LakeRun(spark, tmp_path, source_of(data))
    _Store(monkeypatch, run, {1}, until=9)
    with pytest.raises(StoreError, match="503 Slow Down"):
        run.query.follow()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Traceback\n  File x\nmuster.pipeline.sources.failure.SourceError: no such log\n\tat java", "no such log"),
        (
            "Traceback\nValueError: inner\n\nDuring\n\nOSError: [Errno 28] No space left",
            "OSError: [Errno 28] No space left",
        ),
        ("Job aborted due to stage failure\n\tat org.apache", "Job aborted due to stage failure"),
        ("", "Spark gave no reason"),
    ],
)
def test_one_line_is_made_of_a_stack(text: str, words: str) -> None:
    assert short_words(text) == words
