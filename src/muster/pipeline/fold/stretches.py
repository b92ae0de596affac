"""How a rebuild cuts the table `log`: into stretches of offsets that hold as many rows as a task of the fold can take.

Of the offsets of a compacted log most are empty, and so are those before where it began to be read. So rows are counted before they
are folded: neighbours of few rows become one stretch, and what is empty costs nothing. A stretch is of all logs of all clusters, so
what counts is the task that gets the most of it. Called by `round`; knows nothing of what the fold makes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING

from muster.pipeline.fold.kernel import STATE_PARTS

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def rows_of_logs(log: DataFrame) -> list[tuple[int, int]]:
    """Of each log, which is one topic's partition of one cluster: the number of the partition and how many rows there are."""
    found = log.groupBy("cluster", "log_topic", "log_partition").count().collect()
    return [(row["log_partition"], row["count"]) for row in found]


def stretches(log: DataFrame, log_partitions: Iterable[int], rows_of_a_task: int) -> list[range]:
    """Ranges of offsets, in order, that have every row: of each a task gets at most `rows_of_a_task`.

    `log_partitions`: the number of every log, some of several. Rows of what could not be read have the offset -1 and come first;
    only of them there may be more.
    """
    from pyspark.sql import functions as F

    sharing = Counter(number % STATE_PARTS for number in log_partitions)
    step = max(1, rows_of_a_task // max(sharing.values(), default=1))
    task = (F.col("log_partition") % STATE_PARTS).alias("task")
    # Not `div`, for which -1 is in the first cell.
    cell = F.floor(F.col("log_offset") / step).alias("cell")
    counted = log.groupBy(task, cell).count().collect()
    cells = merged_cells(((row["task"], row["cell"], row["count"]) for row in counted), rows_of_a_task)
    return [range(each.start * step, each.stop * step) for each in cells]


def merged_cells(counted: Iterable[tuple[int, int, int]], rows_of_a_task: int) -> list[range]:
    """Neighbouring cells in one range as long as no task gets more than `rows_of_a_task` of it.

    `counted`: a task, a cell, and how many rows of the cell the task gets.
    """
    by_cell: dict[int, Counter[int]] = {}
    for task, cell, rows in counted:
        by_cell.setdefault(cell, Counter())[task] += rows
    found: list[range] = []
    held: Counter[int] = Counter()
    for cell, of_tasks in sorted(by_cell.items()):
        together = held + of_tasks
        if found and max(together.values()) <= rows_of_a_task:
            found[-1] = range(found[-1].start, cell + 1)
            held = together
        else:
            found.append(range(cell, cell + 1))
            held = of_tasks
    return found
