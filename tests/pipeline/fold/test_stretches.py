"""A rebuild cuts the log where its rows are: no task gets more than it can hold, and offsets without rows cost nothing."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from muster.pipeline.fold.kernel import STATE_PARTS
from muster.pipeline.fold.stretches import merged_cells, rows_of_logs, stretches


@pytest.mark.parametrize(
    ("counted", "cells"),
    [
        ([], []),
        ([(0, 0, 4), (0, 1, 6), (0, 2, 1)], [range(2), range(2, 3)]),
        ([(0, 0, 1), (0, 1_000_000, 1)], [range(1_000_001)]),
        ([(0, 0, 10), (0, 7, 10), (0, 900, 10)], [range(1), range(7, 8), range(900, 901)]),
        # Two tasks with six rows each, and then one of them with five more.
        ([(0, 0, 6), (1, 1, 6), (0, 2, 5)], [range(2), range(2, 3)]),
        ([(0, -1, 99), (0, 0, 1)], [range(-1, 0), range(1)]),
        ([(0, 3, 1), (0, -1, 1)], [range(-1, 4)]),
    ],
)
def test_neighbours_are_merged_until_a_task_has_enough(counted: list[tuple[int, int, int]], cells: list[range]) -> None:
    assert merged_cells(counted, 10) == cells


LOG = "cluster string, log_topic string, log_partition int, log_offset long"


def test_no_task_gets_more_than_it_can_hold_of_all_clusters_together(spark: Any) -> None:
    """Log partitions 0 and 16, the journal and the other cluster's log: five logs go to one task."""
    places = [("a", "offsets", 0), ("a", "offsets", 16), ("a", "journal", 0), ("b", "offsets", 0), ("b", "offsets", 16)]
    rows = [(*place, offset) for place in places for offset in range(40)]
    rows += [("a", "offsets", 5, offset) for offset in range(70)]
    log = spark.createDataFrame(rows, LOG)
    logs = rows_of_logs(log)
    assert sorted(logs) == [(0, 40), (0, 40), (0, 40), (5, 70), (16, 40), (16, 40)]
    found = stretches(log, (number for number, _ in logs), 50)
    per_task = Counter((index_of(found, row[3]), row[2] % STATE_PARTS) for row in rows)
    assert max(per_task.values()) == 50
    assert found == [range(10), range(10, 20), range(20, 30), range(30, 70)], (
        "the log that goes on alone is cut no more often"
    )


def index_of(found: list[range], offset: int) -> int:
    """Of the one range that has it."""
    (index,) = (number for number, offsets in enumerate(found) if offset in offsets)
    return index


def test_offsets_without_rows_are_in_no_stretch_of_their_own(spark: Any) -> None:
    """Two rows of a log that ends at 630 million, and one that could not be read."""
    rows = [("c", "offsets", 0, offset) for offset in (-1, 600_000_000, 630_000_000)]
    (found,) = stretches(spark.createDataFrame(rows, LOG), [0], 500_000)
    assert all(row[3] in found for row in rows)


def test_empty_log_has_no_stretch(spark: Any) -> None:
    log = spark.createDataFrame([], LOG)
    assert rows_of_logs(log) == []
    assert stretches(log, [], 500_000) == []
