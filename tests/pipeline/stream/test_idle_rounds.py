"""Rounds of a followed query in which little or nothing happens: they must not cost what the lake is large."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from muster.pipeline.round_settings import Gold
from muster.pipeline.sources.run_source import DirectorySource
from tests.pipeline.stream.lakes import LakeRun, source_of


@dataclass
class _Live:
    """The directory of a broker that runs; its topics end where they did, or `longer_by` behind that."""

    directory: DirectorySource
    asked: list[int] = field(default_factory=list)
    longer_by: int = 0
    is_live = True

    def __getattr__(self, name: str) -> Any:
        return getattr(self.directory, name)

    def sample_ends(self, spark: Any, known: Any, now_ms: int) -> Any:
        from pyspark.sql import functions as F

        self.asked.append(now_ms)
        found = self.directory.sample_ends(spark, dict, now_ms)
        return found.withColumn("leo", F.col("leo") + self.longer_by)


def test_tables_of_now_are_left_alone_while_nothing_happens(spark: Any, data: Path, tmp_path: Path) -> None:
    """Only ages would change; the ends are asked for each time."""
    source = _Live(source_of(data))
    run = LakeRun(spark, tmp_path, source)
    run.run()
    assert len(source.asked) == 1
    assert run.writer.make_gold(spark, Gold(only_changes=True)) is None
    assert len(source.asked) == 2
    source.longer_by = 1
    assert run.writer.make_gold(spark, Gold(only_changes=True)) is not None
    assert run.writer.make_gold(spark, Gold(only_changes=True)) is None
    assert run.writer.make_gold(spark, Gold()) is not None
