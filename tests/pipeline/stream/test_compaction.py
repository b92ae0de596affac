"""A lake that is followed is compacted between two rounds: its tables stay those of a lake that was not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from muster.pipeline.lake.compact import compact, compacted_at
from muster.pipeline.lake.reader import Lake
from muster.pipeline.lake.retention import Retention
from muster.pipeline.round_settings import wall_clock_ms
from muster.pipeline.stream import Progress
from tests.pipeline.stream.lakes import COMPARED, LakeRun, rows_in, source_of

_DAY_MS = 86_400_000


def test_followed_lake_is_compacted_between_rounds(spark: Any, data: Path, whole: Lake, tmp_path: Path) -> None:
    """When a day has passed since it was compacted last, and with more rounds behind that."""
    days = 0

    def clock() -> int:
        return wall_clock_ms() + days * _DAY_MS

    def on_progress(so_far: Progress) -> None:
        nonlocal days
        if so_far.rounds >= 2:
            days = 1
        if not so_far.behind:
            run.stop.set()

    most = max(source_of(data).ends()["__consumer_offsets"].values())
    run = LakeRun(
        spark,
        tmp_path,
        source_of(data),
        clock=clock,
        watch={"progress": on_progress},
        offsets_per_partition=most // 5 + 1,
        every_ms=10,
        compact_every_ms=_DAY_MS,
    )
    compact(run.location, Retention())
    run.query.follow()
    assert run.warnings == []
    assert [done.files_before > done.files_after for done in run.compacted] == [True]
    assert compacted_at(run.location) > wall_clock_ms()
    found = LakeRun(spark, tmp_path, source_of(data)).run()
    assert [table for table in ("log", *COMPARED) if rows_in(found, table) != rows_in(whole, table)] == []
