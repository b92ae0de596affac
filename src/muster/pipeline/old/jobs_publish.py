"""Silver and gold of a lake, made anew from everything that was read and published in one step.

All that depends on neighbours or on now is computed from all rows each time: how they were cut into batches cannot matter. Tasks
take whole groups (`jobs_bundles`) and write their files themselves (`jobs_tables`); here they are cut, run and published.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import pyarrow.parquet as pq

from muster.pipeline.old.jobs_bundles import bundles, homes
from muster.pipeline.old.jobs_files import BatchFiles
from muster.pipeline.old.jobs_tables import FinishEnds, MakeTables
from muster.pipeline.old.jobs_tasks import FileTask, run_tasks
from muster.pipeline.old.lake import LakeWriter, now_ms
from muster.pipeline.old.lake_compact import kept_table
from muster.pipeline.old.lake_retention import GOLD_TIMES
from muster.pipeline.old.manifest import Batch, DataFile
from muster.pipeline.schemas import BRONZE, GOLD, SILVER, TABLES

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from muster.pipeline.tables.settings import GoldSettings

ENDS_A_TASK: Final = 2_000_000
"""Samples of end offsets that one task looks at."""


def publish(
    spark: SparkSession, writer: LakeWriter, settings: GoldSettings, watch: Callable[[str], None] = lambda _: None
) -> None:
    """Silver and gold as of `settings.now_ms`, of everything that has been read."""
    for table in (*SILVER, *GOLD):
        writer.directory(table)  # emptied: a run that died may have left files
    watch("silver and gold")
    written = _finish_ends(spark, writer)
    written |= _make_tables(spark, writer, settings, written.get("s_leo", []))
    for table, kept in _kept_gold(writer).items():
        written[table] = [*written.get(table, ()), *kept]
    _publish(writer, written, settings)


def _finish_ends(spark: SparkSession, writer: LakeWriter) -> dict[str, list[DataFile]]:
    root, manifest = writer.root.resolve(), writer.manifest
    samples = tuple(file.path for file in manifest.files("b_leo_sample"))
    shares = -(-manifest.rows("b_leo_sample") // ENDS_A_TASK)
    tasks = [FileTask(f"ends-{share:04d}", FinishEnds(root, samples, share, shares)) for share in range(shares)]
    return run_tasks(spark, root, manifest.next_batch, tasks)


def _make_tables(
    spark: SparkSession, writer: LakeWriter, settings: GoldSettings, ends: list[DataFile]
) -> dict[str, list[DataFile]]:
    root, manifest = writer.root.resolve(), writer.manifest
    samples = tuple(file.path for file in manifest.files("b_leo_sample"))
    leo = tuple(file.path for file in ends)
    tasks = [
        FileTask(f"groups-{number:04d}", MakeTables(root, bundle, leo, samples, settings, manifest.silver_from_ms))
        for number, bundle in enumerate(bundles(homes(manifest)))
    ]
    return run_tasks(spark, root, manifest.next_batch, tasks)


def _kept_gold(writer: LakeWriter) -> dict[str, list[DataFile]]:
    """What compaction kept of earlier gold is still part of it."""
    if not writer.manifest.silver_from_ms:
        return {}
    files = BatchFiles(writer.root, writer.manifest.next_batch, "kept")
    for table in GOLD_TIMES:
        for kept in writer.manifest.files(kept_table(table)):
            for batch in pq.ParquetFile(writer.root / kept.path).read().cast(TABLES[table]).to_batches():
                files.add(table, batch, by_date=False)
    return files.close()


def _publish(writer: LakeWriter, written: Mapping[str, list[DataFile]], settings: GoldSettings) -> None:
    number = writer.manifest.next_batch
    made = {table: Batch(number, tuple(written.get(table, ()))) for table in (*SILVER, *GOLD)}
    manifest = writer.manifest.with_replaced(made)
    writer.publish(
        replace(
            manifest,
            gold_of_revision=writer.manifest.revision,
            gold_at_ms=settings.now_ms,
            provisional=settings.provisional,
        )
    )


def newest_ms(writer: LakeWriter, clock: Callable[[], int] = now_ms) -> int:
    """The newest time that any row of the lake has: the moment that a copied directory speaks of, and that ages count from.

    Producers name their records' times: one with a broken clock must not make everything else look years old (trap 19).
    """
    times = [file.last_ms for table in BRONZE for file in writer.manifest.files(table) if file.last_ms is not None]
    return min(max(times, default=0), clock())
