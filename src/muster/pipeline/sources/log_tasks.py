"""The tasks of one read: stretches of logs cut into Spark partitions, and the rows that a task makes of them.

A log partition's stretch lies whole in one Spark partition, in its order. Small stretches share one, because a task costs more than
reading a few records. Called by the data source's batch and stream readers; nothing here knows about offsets of streams.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Final

import pyarrow as pa
from pyspark.sql.datasource import InputPartition

from muster.core.internal_topics import CONSUMER_OFFSETS, GROUP_JOURNAL
from muster.pipeline.collector import imports_spared
from muster.pipeline.decode.log_rows import log_rows, problem_rows
from muster.pipeline.sources.bronze_rows import LogPlace, Quarantined, quarantine_rows
from muster.pipeline.sources.journal import journal_rows
from muster.pipeline.sources.log_source import LogSource, Stretch, StretchReader, partition_count
from muster.pipeline.sources.positions import Positions

OFFSETS_A_TASK: Final = 20_000
"""Offsets for which Spark is asked to run one more task."""

LOG_TABLE: Final = "log"


@dataclass(frozen=True, slots=True)
class LogTask:
    """Stretches of one topic. `partition_count` finds misplaced groups; stretches in `gone` have lost their log."""

    log: LogSource
    stretches: tuple[Stretch, ...]
    partition_count: int | None = None
    gone: frozenset[int] = frozenset()


class TaskPartition(InputPartition):  # type: ignore[misc]
    """One Spark task."""

    def __init__(self, tasks: tuple[LogTask, ...]) -> None:
        super().__init__(None)
        self.tasks = tasks

    def __repr__(self) -> str:
        words = [
            f"{task.log.topic}-{each.partition} [{each.start}, {each.end})"
            for task in self.tasks
            for each in task.stretches
        ]
        return f"TaskPartition({', '.join(words)})"


def plan_tasks(
    logs: Iterable[LogSource],
    starts: Positions,
    stops: Positions,
    ends: Positions,
    offsets_a_task: int = OFFSETS_A_TASK,
) -> list[TaskPartition]:
    """What lies between two positions, as Spark partitions. `ends` are the logs as they are now: who is missing there is gone."""
    made: list[TaskPartition] = []
    together: list[LogTask] = []
    size = 0
    for task in (each for log in logs for each in _tasks_of(log, starts, stops, ends)):
        (stretch,) = task.stretches
        together.append(task)
        size += stretch.end - stretch.start
        if size >= offsets_a_task:
            made.append(TaskPartition(_joined(together)))
            together, size = [], 0
    if together:
        made.append(TaskPartition(_joined(together)))
    return made


def _tasks_of(log: LogSource, starts: Positions, stops: Positions, ends: Positions) -> Iterator[LogTask]:
    there = ends.get(log.topic, {})
    count = partition_count(there) if log.topic == CONSUMER_OFFSETS else None
    begun = starts.get(log.topic, {})
    for partition, stop in sorted(stops.get(log.topic, {}).items()):
        start = begun.get(partition, 0)
        if start < stop:
            gone = frozenset() if partition in there else frozenset((partition,))
            yield LogTask(log, (Stretch(partition, start, stop),), count, gone)


def _joined(tasks: list[LogTask]) -> tuple[LogTask, ...]:
    """One task a topic, so that its stretches can share a connection."""
    joined: dict[str, LogTask] = {}
    for task in tasks:
        other = joined.get(task.log.topic)
        if other is not None:
            stretches, gone = (*other.stretches, *task.stretches), other.gone | task.gone
            task = LogTask(task.log, stretches, task.partition_count, gone)
        joined[task.log.topic] = task
    return tuple(joined.values())


def rows_of(partition: InputPartition, table: str) -> Iterator[pa.RecordBatch]:
    """The rows of one table in one Spark partition, read on whatever machine the task runs."""
    assert isinstance(partition, TaskPartition)
    with imports_spared():
        for task in partition.tasks:
            yield from _rows_of_task(task, _MAKERS[table])


def _rows_of_task(task: LogTask, make: _Maker) -> Iterator[pa.RecordBatch]:
    lost = [stretch for stretch in task.stretches if stretch.partition in task.gone]
    for rows in make.unread(_gone(task.log, lost)):
        if rows.num_rows:
            yield rows
    for reader in task.log.open_all([each for each in task.stretches if each.partition not in task.gone]):
        for rows in make.rows(reader, task):
            if rows.num_rows:
                yield rows


def _gone(log: LogSource, stretches: Iterable[Stretch]) -> pa.RecordBatch:
    return quarantine_rows(
        [
            Quarantined(
                LogPlace(log.cluster, log.topic, each.partition, ""),
                -1,
                f"{log.topic}-{each.partition} offsets {each.start} to {each.end - 1}",
                "the log was deleted before these records were read",
            )
            for each in stretches
        ]
    )


@dataclass(frozen=True, slots=True)
class _Maker:
    """How the rows of one table come from a pass over a stretch, and from what could not be read."""

    rows: Callable[[StretchReader, LogTask], Iterator[pa.RecordBatch]]
    unread: Callable[[pa.RecordBatch], Iterator[pa.RecordBatch]] = lambda _: iter(())


def _log(reader: StretchReader, task: LogTask) -> Iterator[pa.RecordBatch]:
    for bronze in reader.bronze():
        yield log_rows(bronze, task.partition_count)
    yield problem_rows(reader.quarantine())


def _bronze(reader: StretchReader, task: LogTask) -> Iterator[pa.RecordBatch]:
    return reader.bronze()


def _events(reader: StretchReader, task: LogTask) -> Iterator[pa.RecordBatch]:
    if task.log.topic == GROUP_JOURNAL:
        for bronze in reader.bronze():
            yield journal_rows(bronze)[0]


def _quarantine(reader: StretchReader, task: LogTask) -> Iterator[pa.RecordBatch]:
    for bronze in reader.bronze():
        if task.log.topic == GROUP_JOURNAL:
            yield journal_rows(bronze)[1]
    yield reader.quarantine()


_MAKERS: Final = {
    LOG_TABLE: _Maker(_log, lambda unread: iter((problem_rows(unread),))),
    "b_log_record": _Maker(_bronze),
    "b_journal_event": _Maker(_events),
    "b_quarantine": _Maker(_quarantine, lambda unread: iter((unread,))),
}
READABLE: Final = tuple(_MAKERS)
