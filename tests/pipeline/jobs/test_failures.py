"""A job that fails says why in one line and leaves the lake as it was."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from muster.pipeline.old.jobs import RunSettings, Watch, read_round
from muster.pipeline.old.jobs_failure import JobError, short_words
from muster.pipeline.old.jobs_sources import DirectorySource
from muster.pipeline.old.lake import Lake
from muster.pipeline.sources.log_source import LogSource, Stretch
from muster.pipeline.sources.segments import SegmentLogs
from tests.pipeline.jobs.kafka_log import digest, source_of


@dataclass(frozen=True)
class _Vanishing(SegmentLogs):
    """Says where its logs end as if they were there, but the workers find nothing."""

    really: tuple[str, ...] = ()

    def ends(self) -> dict[int, int]:
        return SegmentLogs(self.really, self.topic, self.cluster).ends()


@dataclass(frozen=True)
class _NotOnTheWorkers:
    inner: DirectorySource
    empty: str
    cluster: str = "kafka"
    is_live: bool = False

    def logs(self) -> tuple[LogSource, ...]:
        return tuple(
            _Vanishing((self.empty,), log.topic, self.cluster, self.inner.directories) for log in self.inner.logs()
        )

    def end_offsets(self, known: dict[tuple[str, int], int], now_ms: int) -> Any:
        raise AssertionError("not reached")


def test_data_that_the_workers_do_not_see_is_said_in_the_words_of_the_source(
    spark: Any, data: Path, tmp_path: Path
) -> None:
    (tmp_path / "empty").mkdir()
    source = _NotOnTheWorkers(source_of(data), str(tmp_path / "empty"))
    with Lake.open_or_create(tmp_path / "lake").write() as writer:
        with pytest.raises(
            JobError, match=r"^reading the log failed: __consumer_offsets-\d+ is in none of .*do the workers not see"
        ):
            read_round(spark, writer, source, RunSettings(), Watch())
        assert writer.manifest.revision == 0
        read_round(spark, writer, source_of(data), RunSettings(), Watch())
    assert digest(tmp_path / "lake", "b_log_record")


def test_a_stretch_is_read_by_the_workers_own_view(tmp_path: Path) -> None:
    """What the test above rests on: ends from one place, records from another."""
    logs = _Vanishing((str(tmp_path),), really=(str(tmp_path),))
    assert logs.ends() == {}
    with pytest.raises(Exception, match="is in none of"):
        logs.open(Stretch(0, 0, 1))


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
