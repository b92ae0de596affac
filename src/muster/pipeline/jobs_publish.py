"""From everything that the lake holds to finished silver and gold, published in one step.

What depends on neighbours is computed anew from all rows each time: how they were cut into batches cannot matter. The big silver
table is written first and read back, so that gold does not compute it again for every table.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from muster.pipeline.jobs_commits import TABLE as COMMITS
from muster.pipeline.jobs_commits import finish_commits, fits_in_workers
from muster.pipeline.jobs_ingest import rows_table
from muster.pipeline.lake import LakeWriter, batch_in
from muster.pipeline.lake_compact import kept_table
from muster.pipeline.lake_retention import GOLD_TIMES
from muster.pipeline.manifest import Batch
from muster.pipeline.schemas import BRONZE, GOLD, TABLES

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import StructType

    from muster.pipeline.tables.settings import GoldSettings

_AT_ONCE: Final = 4
"""Small tables cost planning, not computing: several are written side by side."""


def publish(
    spark: SparkSession, writer: LakeWriter, settings: GoldSettings, watch: Callable[[str], None] = lambda _: None
) -> None:
    """Silver and gold as of `settings.now_ms`, of everything that has been read."""
    from muster.pipeline.tables.build import build_gold
    from muster.pipeline.tables.offset_commits import current_offsets
    from muster.pipeline.tables.silver import finish_silver

    tables = _Tables(spark, writer)
    rows = tables.stored()
    watch("silver")
    silver = finish_silver(rows, spark)
    commits = tables.write_commits(silver.pop(COMMITS))
    silver["s_current_offset"] = current_offsets(commits)
    finished = {COMMITS: commits, **tables.write_all(silver)}
    watch("gold")
    bronze = {name: frame for name, frame in rows.items() if name in BRONZE or name not in finished}
    gold = build_gold({**bronze, **finished}, settings)
    tables.write_all({name: tables.with_kept(name, gold[name]) for name in GOLD})
    spark.catalog.clearCache()
    _publish(writer, tables.written, settings)


def _publish(writer: LakeWriter, written: Mapping[str, Batch], settings: GoldSettings) -> None:
    manifest = writer.manifest.with_replaced(written)
    writer.publish(
        replace(
            manifest,
            gold_of_revision=writer.manifest.revision,
            gold_at_ms=settings.now_ms,
            provisional=settings.provisional,
        )
    )


class _Tables:
    """Reads tables of the lake as DataFrames and writes those of the batch that is being made."""

    def __init__(self, spark: SparkSession, writer: LakeWriter) -> None:
        self._spark = spark
        self._writer = writer
        self._root = writer.root.resolve()
        self._number = writer.manifest.next_batch
        self.written: dict[str, Batch] = {}

    def stored(self) -> dict[str, DataFrame]:
        """Bronze by its name, decoded rows by the name of what they become."""
        from muster.pipeline.decode.row_schemas import ROW_TABLES, row_spark_schema
        from muster.pipeline.schemas import spark_schema

        found = {name: self._read(self._paths(name), spark_schema(name)) for name in BRONZE}
        for name in ROW_TABLES:
            if name not in found:
                found[name] = self._read(self._paths(rows_table(name)), row_spark_schema(name))
        return found

    def write_all(self, frames: Mapping[str, DataFrame]) -> dict[str, DataFrame]:
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            finished = pool.map(lambda item: self.write(*item), frames.items())
            return dict(zip(frames, finished, strict=True))

    def write(self, table: str, frame: DataFrame) -> DataFrame:
        """The same rows, now from their files."""
        from muster.pipeline.schemas import spark_schema

        directory = self._writer.directory(table)
        frame.select(*TABLES[table].names).write.mode("overwrite").parquet(str(directory.resolve()))
        batch = batch_in(self._root, table, self._number, _rows_in)
        self.written[table] = batch
        return self._read([str(self._root / file.path) for file in batch.files], spark_schema(table))

    def write_commits(self, by_spark: DataFrame) -> DataFrame:
        """The largest table: by the workers themselves where a log partition fits into one, else as Spark plans it."""
        from muster.pipeline.schemas import spark_schema

        if not fits_in_workers(self._writer.manifest):
            return self.write(COMMITS, by_spark)
        self._writer.directory(COMMITS)
        batch = finish_commits(self._spark, self._root, self._writer.manifest)
        self.written[COMMITS] = batch
        return self._read([str(self._root / file.path) for file in batch.files], spark_schema(COMMITS))

    def with_kept(self, table: str, frame: DataFrame) -> DataFrame:
        """Behind silver's horizon only state is left: history from there is what compaction kept of earlier gold."""
        from pyspark.sql import functions as F

        from muster.pipeline.schemas import spark_schema

        time, horizon = GOLD_TIMES.get(table), self._writer.manifest.silver_from_ms
        if time is None or not horizon:
            return frame
        kept = self._read(self._paths(kept_table(table)), spark_schema(table))
        return frame.where(F.col(time) >= horizon).unionByName(kept)

    def _paths(self, table: str) -> list[str]:
        return [str(self._root / file.path) for file in self._writer.manifest.files(table)]

    def _read(self, paths: list[str], schema: StructType) -> DataFrame:
        if not paths:
            return self._spark.createDataFrame([], schema)
        return self._spark.read.schema(schema).parquet(*paths)


def _rows_in(file: Path) -> int:
    import pyarrow.parquet as pq

    rows: int = pq.ParquetFile(file).metadata.num_rows
    return rows


def newest_ms(writer: LakeWriter) -> int:
    """The newest time that any row of the lake has: the moment that a copied directory speaks of."""
    times = [file.last_ms for table in BRONZE for file in writer.manifest.files(table) if file.last_ms is not None]
    return max(times, default=0)
