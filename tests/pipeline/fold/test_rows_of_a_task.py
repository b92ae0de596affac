"""What a task of the fold holds is bounded, however many log partitions the coordinators have."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muster.pipeline.fold.kernel import rows_of_a_log, rows_of_all_logs, state_part
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


@given(st.lists(st.dictionaries(st.integers(0, 60), st.integers(0, 10**9)), max_size=2))
def test_no_task_gets_more_where_all_logs_have_one_limit_together(waiting: list[dict[int, int]]) -> None:
    """Spark's connector gives each log partition a share of the limit, by what waits in it."""
    rows = rows_of_all_logs(500_000, waiting)
    total = sum(sum(topic.values()) for topic in waiting)
    of_tasks: dict[str, float] = {}
    for topic in waiting:
        for number, count in topic.items():
            part = state_part("kafka", number)
            of_tasks[part] = of_tasks.get(part, 0) + rows * count / max(1, total)
    assert max(of_tasks.values(), default=0) <= 500_000
    assert rows >= 500_000


def test_hot_log_brings_the_limit_of_all_down_to_that_of_a_task() -> None:
    uniform = dict.fromkeys(range(50), 10**6)
    assert rows_of_all_logs(500_000, [uniform]) == 6_250_000, "four of 50 are in one task"
    assert rows_of_all_logs(500_000, [{**uniform, 7: 10**10}, {0: 0}]) < 503_000
    assert rows_of_all_logs(500_000, []) == 500_000


def test_limit_of_the_connector_is_by_what_waits_and_that_of_a_task_while_it_follows(tmp_path: Path) -> None:
    """What is written after a query was started may be of one log partition: no share is known of that."""
    asked: list[StreamSettings] = []

    class Hot:
        cluster = "kafka"
        reader = "connector"
        is_live = True

        def begins(self) -> dict[str, dict[int, int]]:
            return {"__consumer_offsets": dict.fromkeys(range(50), 900)}

        def ends(self) -> dict[str, dict[int, int]]:
            return {"__consumer_offsets": {**dict.fromkeys(range(50), 1_000), 3: 2_000}}

        def stream(self, _: Any, settings: StreamSettings) -> Any:
            asked.append(settings)
            raise SourceError("that was all")

    query = LakeRun(None, tmp_path, Hot()).query
    for begin in (query.run, query.follow):
        with pytest.raises(SourceError, match="that was all"):
            begin()
    of_a_task = 1_100 + 2 * 100  # 3, 19 and 35
    assert [each.offsets_in_all for each in asked] == [500_000 * (49 * 100 + 1_100) // of_a_task, 500_000]


def test_stream_is_cut_by_how_many_log_partitions_there_are(tmp_path: Path) -> None:
    """50 are Kafka's default: four of them share a task."""
    asked: list[StreamSettings] = []

    class Coordinators:
        cluster = "kafka"
        reader = "own"
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
