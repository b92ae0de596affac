"""The logs as a stream: what the next micro-batch takes, and the tick that makes one when nothing was read.

The offset of the stream is the next offset of every log partition (`positions`): a checkpoint says exactly what was read. Logs that
appear later are read from their beginning. A micro-batch takes at most about `limit` records of each log partition, however many
offsets compaction has left empty between them; `availableNow` reads in several such micro-batches to the ends that were there when
it began.

Lives in a Python process beside Spark's driver for as long as the query runs; only `read` runs in tasks.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import pyarrow as pa
from pyspark.sql.datasource import DataSourceStreamReader, InputPartition
from pyspark.sql.streaming.datasource import ReadAllAvailable, ReadLimit, ReadMaxRows, SupportsTriggerAvailableNow

from muster.pipeline.sources.log_source import LogSource, Stretch
from muster.pipeline.sources.log_tasks import OFFSETS_A_TASK, plan_tasks, rows_of
from muster.pipeline.sources.positions import Positions, advanced, marked, offset_of, positions_in, tick_in

MAX_OFFSETS: Final = 500_000
"""Records of one log partition that a micro-batch takes at most, by default."""


def wall_clock_ms() -> int:
    return time.time_ns() // 1_000_000


@dataclass(frozen=True, slots=True)
class StreamPlan:
    """What the options of a stream say."""

    table: str
    starts: Positions
    limit: int = MAX_OFFSETS
    tick_every_ms: int | None = None
    offsets_a_task: int = OFFSETS_A_TASK


class LogStreamReader(DataSourceStreamReader, SupportsTriggerAvailableNow):  # type: ignore[misc]
    def __init__(self, logs: Sequence[LogSource], plan: StreamPlan, clock: Callable[[], int] = wall_clock_ms) -> None:
        self._logs = tuple(logs)
        self._plan = plan
        self._clock = clock
        self._ends: Positions | None = None
        """As they were when last looked at."""
        self._target: tuple[Positions, int] | None = None
        """Ends and time at which `availableNow` stops."""

    def initialOffset(self) -> dict[str, Any]:
        return marked(offset_of({log.topic: self._plan.starts.get(log.topic, {}) for log in self._logs}))

    def getDefaultReadLimit(self) -> ReadLimit:
        """Spark has no limit by partition: the number of rows stands for the records of each."""
        return ReadMaxRows(self._plan.limit)

    def prepareForTriggerAvailableNow(self) -> None:
        self._target = (self._look(), self._clock())

    def latestOffset(self, start: dict[str, Any], limit: ReadLimit) -> dict[str, Any]:
        ends, now_ms = (self._look(), self._clock()) if self._target is None else self._target
        most = None if isinstance(limit, ReadAllAvailable) else self._plan.limit
        reached = advanced(positions_in(start), ends, most, self._begins, self._reach)
        return marked(offset_of(reached, self._tick(tick_in(start), now_ms)))

    def reportLatestOffset(self) -> dict[str, Any] | None:
        return None if self._ends is None else offset_of(self._ends)

    def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> Sequence[InputPartition]:
        ends = self._look() if self._ends is None else self._ends
        return plan_tasks(self._logs, positions_in(start), positions_in(end), ends, self._plan.offsets_a_task)

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        return rows_of(partition, self._plan.table)

    def _look(self) -> Positions:
        self._ends = {log.topic: log.ends() for log in self._logs}
        return self._ends

    def _begins(self) -> Positions:
        return {log.topic: log.begins() for log in self._logs}

    def _reach(self, topic: str, those: Sequence[Stretch], records: int) -> dict[int, int]:
        (log,) = (each for each in self._logs if each.topic == topic)
        return log.reach(those, records)

    def _tick(self, last: int | None, now_ms: int) -> int | None:
        return next_tick(last, now_ms, self._plan.tick_every_ms)


def next_tick(last: int | None, now_ms: int, every_ms: int | None) -> int | None:
    """The time of the newest tick: another one is due when `every_ms` have passed. A clock that went back does not stop it."""
    if every_ms is None or (last is not None and 0 <= now_ms - last < every_ms):
        return last
    return now_ms
