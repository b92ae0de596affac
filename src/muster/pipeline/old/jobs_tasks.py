"""Work that Spark's Python workers do with files of their own: a number goes in, the names of written files come out.

Rows never pass through Java. A task is a plain callable that is given its number and a place for its files; it must give the same
files when it is run again. Works on every kind of master, Connect included.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

from muster.pipeline.old.jobs_files import BatchFiles
from muster.pipeline.old.manifest import DataFile

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

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
        ("task", pa.int32()),
    ]
)
WRITTEN_SQL: Final = (
    "table string, path string, rows long, size long, part string, dt string, first_ms long, last_ms long, task int"
)


@dataclass(frozen=True, slots=True)
class FileTask:
    """One task of many. `part` names whose rows its files hold."""

    part: str
    write: Callable[[BatchFiles], None]


def part_of(cluster: str, topic: str, partition: int) -> str:
    """The name of a log partition's files: clusters have any name, so theirs is hashed."""
    return f"{topic}-{partition}-{hashlib.sha256(cluster.encode()).hexdigest()[:8]}"


def run_tasks(
    spark: SparkSession, root: Path, number: int, tasks: list[FileTask], most_at_once: int | None = None
) -> dict[str, list[DataFile]]:
    """Files by table, in the order of their paths; what is written is part of batch `number`.

    One Spark task each, or `most_at_once` of them in all: handing out small work costs more than doing it.
    """
    if not tasks:
        return {}
    numbers = spark.range(0, len(tasks), 1, min(len(tasks), most_at_once or len(tasks)))
    rows = numbers.mapInArrow(_Tasks(tuple(tasks), root, number), WRITTEN_SQL).collect()
    assert {row["task"] for row in rows} == set(range(len(tasks))), "a task that ended said nothing"
    return files_in(rows)


def files_in(rows: Iterable[Any]) -> dict[str, list[DataFile]]:
    """What tasks say of their files (`written_rows`), by table."""
    files: dict[str, list[DataFile]] = {}
    for row in rows:
        if row["table"] is not None:
            values = {name: row[name] for name in ("path", "rows", "size", "part", "dt", "first_ms", "last_ms")}
            files.setdefault(row["table"], []).append(DataFile(**values))
    return {table: sorted(new, key=lambda file: file.path) for table, new in files.items()}


def written_rows(written: Mapping[str, list[DataFile]], task: int) -> pa.RecordBatch:
    """The other way round: never empty, so that a task without files is heard of too."""
    rows = [{"table": table, **asdict(file), "task": task} for table, new in written.items() for file in new]
    return pa.RecordBatch.from_pylist(rows or [{"task": task}], schema=_WRITTEN)


@dataclass(frozen=True, slots=True)
class _Tasks:
    """Runs in a Python worker, for the numbers that it is given."""

    tasks: tuple[FileTask, ...]
    root: Path
    number: int

    def __call__(self, numbers: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        # Cores are Spark's to share out: a library of tables inside a task must not take them all.
        os.environ.setdefault("POLARS_MAX_THREADS", "1")
        for batch in numbers:
            for index in batch.column(0).to_pylist():
                yield self._run(index)

    def _run(self, index: int) -> pa.RecordBatch:
        task = self.tasks[index]
        files = BatchFiles(self.root, self.number, task.part)
        try:
            task.write(files)
            written = files.close()
        except BaseException:
            files.abandon()
            raise
        return written_rows(written, index)
