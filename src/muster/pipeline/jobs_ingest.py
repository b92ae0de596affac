"""From a source into bronze and decoded rows, a batch at a time: one Spark task a log partition, so order needs no shuffle.

A batch takes a stretch of every log partition that has something new, writes its files from the Python workers and is published
with the offsets that it reached, in one step. Whoever stops between two batches goes on at the next; whoever dies within one
repeats it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

from muster.pipeline.decode.row_schemas import ROW_TABLES
from muster.pipeline.jobs_files import BatchFiles
from muster.pipeline.jobs_sources import RunSource
from muster.pipeline.lake import LakeWriter, appended
from muster.pipeline.manifest import DataFile
from muster.pipeline.sources.log_source import JOURNAL_TOPIC, LogSource, Stretch

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

BATCH_RECORDS: Final = 500_000
"""Offsets of one log partition that one batch takes at most."""

_WRITTEN: Final = pa.schema(
    [
        ("table", pa.string()),
        ("path", pa.string()),
        ("rows", pa.int64()),
        ("size", pa.int64()),
        ("part", pa.string()),
        ("dt", pa.string()),
        ("first_ms", pa.int64()),
        ("last_ms", pa.int64()),
        ("piece", pa.int32()),
    ]
)
_WRITTEN_SQL: Final = (
    "table string, path string, rows long, size long, part string, dt string, first_ms long, last_ms long, piece int"
)


@dataclass(frozen=True, slots=True)
class Log:
    """One topic's logs as they were when reading began."""

    source: LogSource
    ends: dict[int, int]
    partition_count: int | None


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of one log partition: the work of one task."""

    log: LogSource
    stretch: Stretch
    partition_count: int | None


@dataclass(slots=True)
class Progress:
    """What a run has done so far, for those who watch it."""

    batches: int = 0
    records: int = 0
    behind: int = 0  # offsets between what was read and the end, as it was when reading began
    warnings: list[str] = field(default_factory=list)


def ingest(
    spark: SparkSession,
    writer: LakeWriter,
    source: RunSource,
    *,
    batch_records: int = BATCH_RECORDS,
    watch: Callable[[Progress], None] = lambda _: None,
    stopped: Callable[[], bool] = lambda: False,
) -> Progress:
    """Read until the ends that the logs have now. `behind` is 0 afterwards, unless it was told to stop."""
    progress = Progress()
    logs = [Log(log, log.ends(), log.partition_count()) for log in source.logs()]
    progress.warnings += [warning for log in logs for warning in _warnings(writer, log)]
    while not stopped():
        pieces = [piece for log in logs for piece in _next_pieces(writer, log, batch_records)]
        if not pieces:
            break
        _one_batch(spark, writer, source.cluster, pieces, progress)
        progress.behind = sum(_behind(writer, log) for log in logs)
        watch(progress)
    progress.behind = sum(_behind(writer, log) for log in logs)
    return progress


def records_ahead(writer: LakeWriter, source: RunSource) -> int:
    """How many offsets there are to read, about."""
    return sum(_behind(writer, Log(log, log.ends(), None)) for log in source.logs())


def _read_up_to(writer: LakeWriter, log: LogSource, partition: int) -> int:
    return writer.manifest.offset_of(log.cluster, log.topic, partition) or 0


def _next_pieces(writer: LakeWriter, log: Log, batch_records: int) -> Iterator[Piece]:
    for partition, end in log.ends.items():
        start = _read_up_to(writer, log.source, partition)
        if start < end:
            yield Piece(log.source, Stretch(partition, start, min(end, start + batch_records)), log.partition_count)


def _behind(writer: LakeWriter, log: Log) -> int:
    return sum(max(0, end - _read_up_to(writer, log.source, partition)) for partition, end in log.ends.items())


def _warnings(writer: LakeWriter, log: Log) -> Iterator[str]:
    """Trap 29: a log that ends before the place where we stopped was cut, or is another log under the same name."""
    for partition, end in log.ends.items():
        read = _read_up_to(writer, log.source, partition)
        if read > end:
            yield (
                f"{log.source.topic}-{partition} of {log.source.cluster} ends at {end} but was read up to {read}: it was cut or "
                "replaced; nothing is read of it until it is longer again (another cluster? give it another --cluster name)"
            )


def _one_batch(spark: SparkSession, writer: LakeWriter, cluster: str, pieces: list[Piece], progress: Progress) -> None:
    task = _Task(tuple(pieces), writer.root.resolve(), writer.manifest.next_batch)
    for table in _TABLES_OF_A_BATCH:
        writer.directory(table)  # emptied: a run that died may have left files
    tasks = spark.range(0, len(pieces), 1, len(pieces))
    files: dict[str, list[DataFile]] = {}
    done = set()
    for row in tasks.mapInArrow(task, _WRITTEN_SQL).collect():
        done.add(row["piece"])
        if row["table"] is not None:
            files.setdefault(row["table"], []).append(_file_of(row))
    assert done == set(range(len(pieces))), "a task that ended said nothing"
    manifest = appended(writer, {table: sorted(new, key=lambda f: f.path) for table, new in files.items()})
    reached = [(piece.log.topic, piece.stretch.partition, piece.stretch.end) for piece in pieces]
    writer.publish(manifest.with_offsets(cluster, reached))
    progress.batches += 1
    progress.records += sum(f.rows for f in files.get("b_log_record", ()))


def _file_of(row: Any) -> DataFile:
    return DataFile(row["path"], row["rows"], row["size"], row["part"], row["dt"], row["first_ms"], row["last_ms"])


@dataclass(frozen=True, slots=True)
class _Task:
    """Runs in a Python worker: reads the pieces whose numbers it is given, writes their files, says what it wrote."""

    pieces: tuple[Piece, ...]
    root: Path
    number: int

    def __call__(self, indexes: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in indexes:
            for index in batch.column(0).to_pylist():
                yield self._read(index)

    def _read(self, index: int) -> pa.RecordBatch:
        piece = self.pieces[index]
        files = BatchFiles(self.root, self.number, f"{piece.log.topic}-{piece.stretch.partition}")
        try:
            write_piece(piece, files)
            written = files.close()
        except BaseException:
            files.abandon()
            raise
        rows = [{"table": table, **asdict(file), "piece": index} for table, new in written.items() for file in new]
        return pa.RecordBatch.from_pylist(rows or [{"piece": index}], schema=_WRITTEN)


def write_piece(piece: Piece, files: BatchFiles) -> None:
    """Bronze and decoded rows of one stretch, and what of it could not be read."""
    reader = piece.log.open(piece.stretch)
    for bronze in reader.bronze():
        files.add("b_log_record", bronze)
        for table, rows in _decoded(piece, bronze).items():
            files.add(table, rows)
    files.add("b_quarantine", reader.quarantine())


def _decoded(piece: Piece, bronze: pa.RecordBatch) -> dict[str, pa.RecordBatch]:
    if piece.log.topic == JOURNAL_TOPIC:
        from muster.pipeline.sources.journal import journal_rows

        events, refused = journal_rows(bronze)
        return {"b_journal_event": events, "b_quarantine": refused}
    from muster.pipeline.decode.batch import decode_batch

    return {rows_table(table): rows for table, rows in decode_batch(bronze, piece.partition_count).items()}


def rows_table(table: str) -> str:
    """Where decoded rows of a silver table are kept, before their neighbours are looked at."""
    return table if table.startswith("b_") else f"{table}.rows"


_TABLES_OF_A_BATCH: Final = ("b_log_record", "b_journal_event", *map(rows_table, ROW_TABLES))
