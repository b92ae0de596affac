"""Rounds of a following run in which little or nothing happens: they must not cost what the lake is large."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa

from muster.pipeline.old.jobs import RunSettings, Watch, gold_round, read_round
from muster.pipeline.old.jobs_sources import DirectorySource
from muster.pipeline.old.lake import Lake
from tests.pipeline.jobs.kafka_log import source_of

MINUTE = 60_000


@dataclass
class _Live:
    """The directory of a broker that runs; its topics end where `ends` says."""

    directory: DirectorySource
    asked: list[int] = field(default_factory=list)
    longer_by: int = 0
    is_live = True

    @property
    def cluster(self) -> str:
        return self.directory.cluster

    def logs(self) -> Any:
        return self.directory.logs()

    def end_offsets(self, known: dict[tuple[str, int], int], now_ms: int) -> pa.Table:
        self.asked.append(now_ms)
        found = self.directory.end_offsets({}, now_ms)
        column = found.schema.get_field_index("leo")
        return found.set_column(column, "leo", pa.array([leo + self.longer_by for leo in found["leo"].to_pylist()]))


def test_gold_is_left_alone_while_nothing_happens_until_it_is_old(spark: Any, data: Path, tmp_path: Path) -> None:
    """Only ages would change; the ends are asked for each time."""
    source = _Live(source_of(data))
    settings = RunSettings(idle_ms=5 * MINUTE)
    with Lake.open_or_create(tmp_path).write() as writer:
        read_round(spark, writer, source, settings, Watch())
        start = 1_900_000_000_000

        def is_made(after_ms: int) -> bool:
            return gold_round(spark, writer, source, settings, Watch(), clock=lambda: start + after_ms)

        assert is_made(0)
        assert not is_made(MINUTE)
        assert len(source.asked) == 2
        source.longer_by = 1
        assert is_made(2 * MINUTE)
        assert not is_made(3 * MINUTE)
        assert is_made(8 * MINUTE)
        assert writer.manifest.gold_at_ms == start + 8 * MINUTE


def test_small_stretches_of_many_log_partitions_share_a_task(spark: Any, data: Path, tmp_path: Path) -> None:
    """Each still has files of its own."""
    with Lake.open_or_create(tmp_path).write() as writer:
        read_round(spark, writer, source_of(data), RunSettings(), Watch())
        parts = {file.part for file in writer.manifest.files("b_log_record")}
    tracker = spark.sparkContext.statusTracker()
    job = max(tracker.getJobIdsForGroup(None))
    (stage,) = tracker.getJobInfo(job).stageIds
    assert tracker.getStageInfo(stage).numTasks == 1
    assert len(parts) > 1
