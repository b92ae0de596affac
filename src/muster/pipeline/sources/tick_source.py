"""The Spark data source `muster_tick`: a stream without rows whose offset moves on every few seconds.

In a union with a stream of Spark's own it makes a micro-batch when nothing was read, as the tick in the offset of our own sources
does. Option `tickEverySeconds`; without it the offset never moves. With `availableNow` it moves at most once, at its begin.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pyarrow as pa
from pyspark.sql.datasource import DataSource, DataSourceStreamReader, InputPartition
from pyspark.sql.streaming.datasource import ReadLimit, SupportsTriggerAvailableNow
from pyspark.sql.types import StructType

from muster.pipeline.log_schema import log_spark_schema
from muster.pipeline.sources.positions import TICK, tick_in
from muster.pipeline.sources.spark_source import tick_every_ms
from muster.pipeline.sources.stream_reader import next_tick, wall_clock_ms


class TickDataSource(DataSource):  # type: ignore[misc]
    @classmethod
    def name(cls) -> str:
        return "muster_tick"

    def schema(self) -> StructType:
        return log_spark_schema()

    def streamReader(self, schema: StructType) -> DataSourceStreamReader:
        return TickReader(tick_every_ms(self.options))


class TickReader(DataSourceStreamReader, SupportsTriggerAvailableNow):  # type: ignore[misc]
    def __init__(self, every_ms: int | None, clock: Callable[[], int] = wall_clock_ms) -> None:
        self._every_ms = every_ms
        self._clock = clock
        self._now_ms: int | None = None
        """The time at which `availableNow` began."""

    def initialOffset(self) -> dict[str, Any]:
        return {TICK: 0}

    def prepareForTriggerAvailableNow(self) -> None:
        self._now_ms = self._clock()

    def latestOffset(self, start: dict[str, Any], limit: ReadLimit) -> dict[str, Any]:
        now_ms = self._clock() if self._now_ms is None else self._now_ms
        return {TICK: next_tick(tick_in(start), now_ms, self._every_ms)}

    def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> Sequence[InputPartition]:
        return []

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        return iter(())
