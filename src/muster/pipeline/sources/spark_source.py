"""Logs as a Spark data source: batch and stream through the same tasks.

Everything that Spark needs travels in options (texts), so that this works on a cluster too. Order inside a log partition is the
log's; nothing is shuffled. A subclass says what to read (`spark_sources`).

Options of all: `table` (`log`; or raw: `b_log_record`, `b_journal_event`, `b_quarantine`), `startOffsets`, `endOffsets`,
`maxOffsetsPerPartition`, `tickEverySeconds`, `offsetsPerTask`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import pyarrow as pa
from pyspark.sql.datasource import DataSource, DataSourceReader, DataSourceStreamReader, InputPartition
from pyspark.sql.types import StructType

from muster.core.internal_topics import CONSUMER_OFFSETS
from muster.pipeline.log_schema import log_spark_schema
from muster.pipeline.schemas import spark_schema
from muster.pipeline.sources.failure import SourceError
from muster.pipeline.sources.log_source import LogSource
from muster.pipeline.sources.log_tasks import LOG_TABLE, OFFSETS_A_TASK, READABLE, TaskPartition, plan_tasks, rows_of
from muster.pipeline.sources.positions import Positions, offset_of
from muster.pipeline.sources.stream_reader import MAX_OFFSETS, LogStreamReader, StreamPlan

TABLE: Final = "table"
START_OFFSETS: Final = "startOffsets"
END_OFFSETS: Final = "endOffsets"
MAX_OFFSETS_PER_PARTITION: Final = "maxOffsetsPerPartition"
TICK_EVERY_SECONDS: Final = "tickEverySeconds"
OFFSETS_PER_TASK: Final = "offsetsPerTask"


def offsets_text(offsets: Positions) -> str:
    return json.dumps(offset_of(offsets))


def offsets_from(text: str | None, option: str, topic: str = CONSUMER_OFFSETS) -> Positions | None:
    """The offsets of an option: topic, log partition, offset; without topics they are those of `topic`. None if not given."""
    if text is None:
        return None
    try:
        said = json.loads(text)
        by_topic = said if all(isinstance(each, dict) for each in said.values()) else {topic: said}
        return {
            name: {int(partition): int(offset) for partition, offset in places.items()}
            for name, places in by_topic.items()
        }
    except (ValueError, AttributeError, TypeError):
        raise SourceError(
            f"{option} = {text!r} is not a JSON object of log partitions and offsets,"
            f' such as {{"{CONSUMER_OFFSETS}": {{"0": 12}}}}'
        ) from None


def positive(options: Mapping[str, str], option: str, default: float | None = None) -> float | None:
    """A number above 0, or the default."""
    text = options.get(option)
    if text is None:
        return default
    try:
        number = float(text)
    except ValueError:
        number = 0
    if not 0 < number < float("inf"):
        raise SourceError(f"{option} = {text!r} is not a number above 0")
    return number


def tick_every_ms(options: Mapping[str, str]) -> int | None:
    seconds = positive(options, TICK_EVERY_SECONDS)
    return None if seconds is None else max(1, round(seconds * 1000))


class LogDataSource(DataSource):  # type: ignore[misc]
    """What the data sources over logs share; a subclass says which logs (`log_sources`)."""

    def log_sources(self) -> tuple[LogSource, ...]:
        """One for each topic."""
        raise NotImplementedError

    def schema(self) -> StructType:
        table = self.table()
        return log_spark_schema() if table == LOG_TABLE else spark_schema(table)

    def table(self) -> str:
        table = str(self.options.get(TABLE, LOG_TABLE))
        if table not in READABLE:
            raise SourceError(f"{TABLE} = {table!r} cannot be read from a log; there are {', '.join(READABLE)}")
        return table

    def reader(self, schema: StructType) -> DataSourceReader:
        logs = self.log_sources()
        return _BatchReader(
            logs, self.table(), self._offsets(START_OFFSETS), self._offsets(END_OFFSETS), self._per_task()
        )

    def streamReader(self, schema: StructType) -> DataSourceStreamReader:
        plan = StreamPlan(
            self.table(),
            self._offsets(START_OFFSETS) or {},
            limit=self._count(MAX_OFFSETS_PER_PARTITION, MAX_OFFSETS),
            tick_every_ms=tick_every_ms(self.options),
            offsets_a_task=self._per_task(),
        )
        return LogStreamReader(self.log_sources(), plan)

    def _per_task(self) -> int:
        return self._count(OFFSETS_PER_TASK, OFFSETS_A_TASK)

    def _count(self, option: str, default: int) -> int:
        return max(1, int(positive(self.options, option, default) or 1))

    def _offsets(self, option: str) -> Positions | None:
        return offsets_from(self.options.get(option), option, self.options.get("topic", CONSUMER_OFFSETS))


class _BatchReader(DataSourceReader):  # type: ignore[misc]
    def __init__(
        self,
        logs: Sequence[LogSource],
        table: str,
        starts: Positions | None,
        stops: Positions | None,
        offsets_a_task: int,
    ) -> None:
        self._logs = tuple(logs)
        self._table = table
        self._starts = starts or {}
        self._stops = stops
        self._offsets_a_task = offsets_a_task

    def partitions(self) -> Sequence[InputPartition]:
        ends = {log.topic: log.ends() for log in self._logs}
        stops = ends if self._stops is None else _within(self._stops, ends)
        planned: list[Any] = plan_tasks(self._logs, self._starts, stops, ends, self._offsets_a_task)
        return planned or [TaskPartition(())]  # Spark wants at least one

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        return rows_of(partition, self._table)


def _within(stops: Positions, ends: Positions) -> Positions:
    """Asked for up to an offset that a log does not have yet, it is read to its end: nothing of it is missing."""
    return {
        topic: {partition: min(stop, ends.get(topic, {}).get(partition, stop)) for partition, stop in places.items()}
        for topic, places in stops.items()
    }
