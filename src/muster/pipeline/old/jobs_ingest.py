"""From a source into bronze and decoded rows, a batch at a time: one Spark task a log partition, so order needs no shuffle.

A batch takes a stretch of every log partition that has something new, writes its files from the Python workers and is published
with the offsets that it reached, in one step. Whoever stops between two batches goes on at the next; whoever dies within one
repeats it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import pyarrow as pa

from muster.pipeline.decode.row_schemas import ROW_TABLES
from muster.pipeline.old.jobs_files import BatchFiles
from muster.pipeline.old.jobs_sources import RunSource
from muster.pipeline.old.jobs_tasks import FileTask, part_of, run_tasks
from muster.pipeline.old.lake import LakeWriter, appended
from muster.pipeline.old.manifest import DataFile
from muster.pipeline.sources.connector_logs import ConnectorLogs
from muster.pipeline.sources.log_source import JOURNAL_TOPIC, LogSource, Stretch

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

BATCH_RECORDS: Final = 500_000
"""Offsets of one log partition that one batch takes at most."""
_WORTH_A_TASK: Final = 20_000
"""Offsets for which Spark is asked to run one more task."""


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

    def write(self, files: BatchFiles) -> None:
        """Bronze and decoded rows of the stretch, and what of it could not be read. Runs in a worker."""
        reader = self.log.open(self.stretch)
        for bronze in reader.bronze():
            add_decoded(files, self.log.topic, self.partition_count, bronze)
        files.add("b_quarantine", reader.quarantine())


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
            # A batch costs something by itself: what little would be left for another one goes with this one.
            stop = end if end - start <= batch_records * 5 // 4 else start + batch_records
            yield Piece(log.source, Stretch(partition, start, stop), log.partition_count)


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
    for table in _TABLES_OF_A_BATCH:
        writer.directory(table)  # emptied: a run that died may have left files
    files = _files_of(spark, writer, cluster, pieces)
    manifest = appended(writer, files)
    reached = [(piece.log.topic, piece.stretch.partition, piece.stretch.end) for piece in pieces]
    writer.publish(manifest.with_offsets(cluster, reached))
    progress.batches += 1
    progress.records += sum(f.rows for f in files.get("b_log_record", ()))


def _files_of(spark: SparkSession, writer: LakeWriter, cluster: str, pieces: list[Piece]) -> dict[str, list[DataFile]]:
    root, number = writer.root.resolve(), writer.manifest.next_batch
    if isinstance(pieces[0].log, ConnectorLogs):
        from muster.pipeline.old.jobs_connector import write_by_connector

        return write_by_connector(spark, root, number, pieces)
    tasks = [FileTask(part_of(cluster, piece.log.topic, piece.stretch.partition), piece.write) for piece in pieces]
    work = sum(piece.stretch.end - piece.stretch.start for piece in pieces)
    return run_tasks(spark, root, number, tasks, most_at_once=-(-work // _WORTH_A_TASK))


def add_decoded(files: BatchFiles, topic: str, partition_count: int | None, bronze: pa.RecordBatch) -> None:
    """Bronze rows and what they say. Runs in a worker."""
    files.add("b_log_record", bronze)
    if topic == JOURNAL_TOPIC:
        from muster.pipeline.sources.journal import journal_rows

        events, refused = journal_rows(bronze)
        files.add("b_journal_event", events)
        files.add("b_quarantine", refused)
        return
    from muster.pipeline.decode.batch import decode_batch

    for table, rows in decode_batch(bronze, partition_count).items():
        files.add(rows_table(table), rows)


def rows_table(table: str) -> str:
    """Where decoded rows of a silver table are kept, before their neighbours are looked at."""
    return table if table.startswith("b_") else f"{table}.rows"


_TABLES_OF_A_BATCH: Final = ("b_log_record", "b_journal_event", *map(rows_table, ROW_TABLES))
