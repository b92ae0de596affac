"""The fold as Spark runs it: an Arrow kernel over whole log partitions, and the columns that go in and come out.

In go the state rows of some log partitions and their new log rows, packed (`pipeline.packed`), in any order; out come rows of every
table that the fold writes, as one wide DataFrame. Knows Arrow and how to split rows; what they mean is in `partition`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import TYPE_CHECKING, Final
from zlib import crc32

import pyarrow as pa
import pyarrow.compute as pc

from muster.pipeline.arrow_map import map_arrow
from muster.pipeline.log_schema import COMMIT_COLUMNS, LOG
from muster.pipeline.packed import COMMITS, FOLD_PACKS, OTHERS, by_place, pack, packed_for_fold, unpack
from muster.pipeline.schemas import TABLES
from muster.pipeline.wide import APPENDED, wide_batches, wide_schema

if TYPE_CHECKING:
    import polars as pl
    from pyspark.sql import DataFrame

    from muster.pipeline.fold.partition import FoldSettings, Partition

STATE_PARTS: Final = 16
"""Log partitions share so many parts of the state; a round rewrites the parts that it touches, a task takes one part."""
_JSON: Final = "row_json"
FACTS: Final = (
    "s_group_generation",
    "s_member",
    "s_assignment",
    "s_group_epoch",
    "s_member_epoch",
    "b_journal_event",
    "b_quarantine",
    "g_rebalance",
    "g_rebalance_pause",
    "g_rebalance_episode",
    "g_member",
    "g_member_churn",
    "g_assignment_balance",
    "g_hot_committers",
)
"""Tables that the fold appends to."""
OF_TABLE: Final = "of_table"


def state_part(cluster: str, log_partition: int) -> str:
    """The part of the state that holds a log partition. Clusters have any name, so theirs is hashed."""
    return f"{crc32(cluster.encode()):08x}-{log_partition % STATE_PARTS:02d}"


@cache
def state_schema() -> pa.Schema:
    """Of the table `state`: whose row it is, of which kind, and its contents in a struct or as JSON."""
    from muster.pipeline.fold.state import READ_BY_NOW

    place = [("cluster", pa.string()), ("log_partition", pa.int32()), ("kind", pa.string())]
    return pa.schema([*place, *READ_BY_NOW.items(), (_JSON, pa.string())])


@cache
def open_schema() -> pa.Schema:
    """Of the table `open`: rows of the tables in `FACTS` that may still change, with the name of their table."""
    facts = wide_schema([TABLES[name] for name in FACTS])
    return pa.schema([pa.field(OF_TABLE, pa.string()), *list(facts)[2:]])


@cache
def output_schema() -> pa.Schema:
    from muster.pipeline.now.schema import MINUTE

    return wide_schema([state_schema(), open_schema(), MINUTE])


def log_packs(log: DataFrame) -> DataFrame:
    """Rows of `log` as the kernel takes them, where nobody has packed them already."""
    return map_arrow(log, packed_for_fold, LOG, FOLD_PACKS)


def fold_rows(packs: DataFrame, state: DataFrame, settings: FoldSettings, tasks: int = STATE_PARTS) -> DataFrame:
    """Everything that new log rows change: rows of `state`, `open`, `minute` and the tables in `FACTS`, as one.

    `packs` are the log rows (`FOLD_PACKS`). `tasks`: how many of Spark's, at most one for each state part; a few records are
    worth one.
    """
    rows = _together(packs.unionByName(map_arrow(state, packed_state, state_schema(), FOLD_PACKS)), tasks)
    return map_arrow(rows, fold_kernel(settings), FOLD_PACKS, output_schema())


def _together(packs: DataFrame, tasks: int) -> DataFrame:
    """Packs of a state part in one task."""
    from pyspark.sql import functions as F

    if tasks <= 1:
        return packs.coalesce(1)
    tasks = min(tasks, STATE_PARTS)
    return packs.repartitionById(tasks, F.pmod(F.col("log_partition") % STATE_PARTS, F.lit(tasks)).cast("int"))


def packed_state(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """For `mapInArrow`: rows of `state` become a pack for each kind and log partition."""
    for batch in batches:
        rows = pa.Table.from_batches([batch])
        for kind in pc.unique(rows["kind"]).to_pylist():
            for (cluster, number), part in by_place(rows.filter(pc.equal(rows["kind"], kind))):
                held = part.select([_JSON])
                if kind in part.column_names:
                    held = pa.Table.from_struct_array(part[kind].combine_chunks())
                values = (cluster, number, kind, pack(held))
                yield pa.RecordBatch.from_pylist([dict(zip(FOLD_PACKS.names, values, strict=True))], schema=FOLD_PACKS)


def fold_kernel(settings: FoldSettings) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """What `mapInArrow` runs in a Python worker, on the rows of one or several state parts."""

    def fold(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        from muster.pipeline.fold.partition import fold_partition

        for partition in _partitions(batches):
            yield from _written(fold_partition(partition, settings), partition)

    return fold


def _written(tables: dict[str, pl.DataFrame], partition: Partition) -> Iterator[pa.RecordBatch]:
    schema = output_schema()
    part = state_part(partition.cluster, partition.log_partition)
    for table, frame in tables.items():
        if frame.is_empty():
            continue
        known = {"state": state_schema(), "open": open_schema()}.get(table)
        rows = frame.to_arrow()
        yield from wide_batches(schema, table, APPENDED if known is None else part, rows)


def _partitions(batches: Iterator[pa.RecordBatch]) -> Iterator[Partition]:
    """Packs by cluster and log partition, opened when it is its turn."""
    from muster.pipeline.fold.partition import Partition

    found: dict[tuple[str, int], dict[str, list[pa.Scalar]]] = {}
    for batch in batches:
        columns = (batch.column(name).to_pylist() for name in ("cluster", "log_partition", "row_kind"))
        for cluster, number, kind, packed in zip(*columns, batch.column("packed"), strict=True):
            found.setdefault((cluster, number), {}).setdefault(kind, []).append(packed)
    for cluster, number in sorted(found):
        kinds = found.pop((cluster, number))
        rows_of = {
            kind: pa.concat_tables(unpack(each, _schema_of(kind)) for each in packs) for kind, packs in kinds.items()
        }
        yield Partition(cluster, number, rows_of.pop(COMMITS, None), rows_of.pop(OTHERS, None), rows_of)


@cache
def _schema_of(kind: str) -> pa.Schema:
    """Of the rows in a pack."""
    from muster.pipeline.fold.state import READ_BY_NOW

    if kind == COMMITS:
        return pa.schema([LOG.field(name) for name in COMMIT_COLUMNS])
    if kind == OTHERS:
        return LOG
    return pa.schema(list(READ_BY_NOW[kind])) if kind in READ_BY_NOW else pa.schema([(_JSON, pa.string())])
