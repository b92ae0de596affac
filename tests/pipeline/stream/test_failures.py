"""A query that fails says why in one line, and readers see what was published before."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from muster.pipeline.failure import JobError, short_words
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
