"""What a task of the fold holds is bounded, however many log partitions the coordinators have."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from muster.pipeline.fold.kernel import rows_of_a_log, state_part
from muster.pipeline.sources.failure import SourceError
from muster.pipeline.sources.run_source import StreamSettings
from tests.pipeline.stream.lakes import LakeRun


@pytest.mark.parametrize("log_partitions", [1, 4, 15, 16, 17, 32, 33, 50, 51, 1_000])
def test_new_rows_of_a_task_are_at_most_so_many_and_not_far_fewer(log_partitions: int) -> None:
    rows = rows_of_a_log(500_000, log_partitions)
    of_tasks: dict[str, int] = {}
    for number in range(log_partitions):
        part = state_part("kafka", number)
        of_tasks[part] = of_tasks.get(part, 0) + rows
    assert 499_000 <= max(of_tasks.values()) <= 500_000


def test_every_log_goes_on_however_many_there_are() -> None:
    assert rows_of_a_log(3, 1_000) == 1
    assert rows_of_a_log(3, 0) == 3


def test_stream_is_cut_by_how_many_log_partitions_there_are(tmp_path: Path) -> None:
    """50 are Kafka's default: four of them share a task."""
    asked: list[StreamSettings] = []

    class Coordinators:
        cluster = "kafka"
        is_live = True

        def ends(self) -> dict[str, dict[int, int]]:
            return {"__consumer_offsets": dict.fromkeys(range(50), 0), "__group_journal": {0: 0}}

        def stream(self, _: Any, settings: StreamSettings) -> Any:
            asked.append(settings)
            raise SourceError("that was all")

    query = LakeRun(None, tmp_path, Coordinators()).query
    for begin in (query.run, query.follow):
        with pytest.raises(SourceError, match="that was all"):
            begin()
    assert [(each.offsets_per_partition, each.tick_seconds) for each in asked] == [(125_000, None), (125_000, 60)]
