"""Any log source as a Spark data source: batch and streaming through one reader, one task a log partition.

Everything that Spark needs travels in options (texts), so that this works on a cluster too. The streaming offset is the next log
offset by log partition: a checkpoint says exactly what was read. Order inside a partition is the log's; nothing is shuffled.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import pyarrow as pa
from pyspark.sql.datasource import DataSource, DataSourceReader, DataSourceStreamReader, InputPartition
from pyspark.sql.types import StructType

from muster.pipeline.schemas import spark_schema
from muster.pipeline.sources.failure import SourceError
from muster.pipeline.sources.journal import journal_rows
from muster.pipeline.sources.log_source import LogSource, Stretch, stretches

READABLE: Final = ("b_log_record", "b_quarantine", "b_journal_event")
TABLE: Final = "table"
START_OFFSETS: Final = "startOffsets"
END_OFFSETS: Final = "endOffsets"


def offsets_text(offsets: Mapping[int, int]) -> str:
    return json.dumps({str(partition): offset for partition, offset in sorted(offsets.items())})


def offsets_from(text: str | None, option: str) -> dict[int, int] | None:
    """The offsets of an option: a JSON object, log partition to offset. None if it was not given."""
    if text is None:
        return None
    try:
        return {int(partition): int(offset) for partition, offset in json.loads(text).items()}
    except (ValueError, AttributeError, TypeError):
        raise SourceError(
            f'{option} = {text!r} is not a JSON object of log partitions and offsets, such as {{"0": 12}}'
        ) from None


class LogDataSource(DataSource):  # type: ignore[misc]
    """What the data sources over logs share; a subclass says what to read (`log_source`)."""

    def log_source(self) -> LogSource:
        raise NotImplementedError

    def schema(self) -> StructType:
        return spark_schema(self.table())

    def table(self) -> str:
        table = str(self.options.get(TABLE, READABLE[0]))
        if table not in READABLE:
            raise SourceError(f"{TABLE} = {table!r} cannot be read from a log; there are {', '.join(READABLE)}")
        return table

    def reader(self, schema: StructType) -> DataSourceReader:
        return _BatchReader(self.log_source(), self.table(), self._offsets(START_OFFSETS), self._offsets(END_OFFSETS))

    def streamReader(self, schema: StructType) -> DataSourceStreamReader:
        return _StreamReader(self.log_source(), self.table(), self._offsets(START_OFFSETS) or {})

    def _offsets(self, option: str) -> dict[int, int] | None:
        return offsets_from(self.options.get(option), option)


class StretchPartition(InputPartition):  # type: ignore[misc]
    """One task: a stretch of one log partition."""

    def __init__(self, stretch: Stretch) -> None:
        super().__init__((stretch.partition, stretch.start, stretch.end))
        self.stretch = stretch


class _BatchReader(DataSourceReader):  # type: ignore[misc]
    def __init__(
        self, source: LogSource, table: str, starts: dict[int, int] | None, ends: dict[int, int] | None
    ) -> None:
        self._source = source
        self._table = table
        self._starts = starts or {}
        self._ends = ends

    def partitions(self) -> Sequence[InputPartition]:
        ends = self._source.ends() if self._ends is None else self._ends
        return [StretchPartition(stretch) for stretch in stretches(self._starts, ends)] or [_nothing()]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        return rows_of(self._source, self._table, partition)


class _StreamReader(DataSourceStreamReader):  # type: ignore[misc]
    def __init__(self, source: LogSource, table: str, starts: dict[int, int]) -> None:
        self._source = source
        self._table = table
        self._starts = starts

    def initialOffset(self) -> dict[str, int]:
        return {str(partition): self._starts.get(partition, 0) for partition in self._source.ends()}

    def latestOffset(self, start: Any = None, limit: Any = None) -> dict[str, int]:
        return {str(partition): end for partition, end in self._source.ends().items()}

    def partitions(self, start: dict[str, int], end: dict[str, int]) -> Sequence[InputPartition]:
        return [StretchPartition(stretch) for stretch in stretches(_numbered(start), _numbered(end))]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        return rows_of(self._source, self._table, partition)


def _numbered(offsets: Mapping[str, int]) -> dict[int, int]:
    return {int(partition): offset for partition, offset in offsets.items()}


def _nothing() -> StretchPartition:
    """A task without anything to read: Spark wants at least one."""
    return StretchPartition(Stretch(-1, 0, 0))


def rows_of(source: LogSource, table: str, partition: InputPartition) -> Iterator[pa.RecordBatch]:
    """The rows of one table in one stretch, read on whatever machine the task runs."""
    assert isinstance(partition, StretchPartition)
    if partition.stretch.end <= partition.stretch.start:
        return
    reader = source.open(partition.stretch)
    for rows in reader.bronze():
        if table == "b_log_record":
            yield rows
        elif table == "b_journal_event":
            yield journal_rows(rows)[0]
        elif source.topic == "__group_journal":
            yield journal_rows(rows)[1]
    if table == "b_quarantine":
        yield reader.quarantine()
