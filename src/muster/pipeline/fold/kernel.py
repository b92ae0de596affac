"""The fold as Spark runs it: an Arrow kernel over whole log partitions, and the columns that go in and come out.

In go the state rows of some log partitions and their new log rows (`fold_input`), in any order; out come rows of every table
that the fold writes, as one wide DataFrame. Knows Arrow and how to split rows; what they mean is in `partition`.

Nearly all rows that go in are commits. Whatever else a row may be travels in a column that is a list of one: where it is null
Spark writes nothing, while it writes a null for every field of a struct.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from typing import TYPE_CHECKING, Final
from zlib import crc32

import pyarrow as pa
import pyarrow.compute as pc

from muster.pipeline.log_schema import COMMIT_COLUMNS, COMMIT_TYPES, LOG
from muster.pipeline.schemas import TABLES
from muster.pipeline.wide import APPENDED, map_wide, wide_batches, wide_schema

if TYPE_CHECKING:
    import polars as pl
    from pyspark.sql import Column, DataFrame

    from muster.pipeline.fold.partition import FoldSettings, Partition

STATE_PARTS: Final = 16
"""Log partitions share so many parts of the state; a round rewrites the parts that it touches, a task takes one part."""
GROUP_BUCKETS: Final = 1024
_PLACE: Final = ("cluster", "log_partition")
_COMMIT, _OTHER, _JSON = "commit", "other", "row_json"
_STATE: Final = "state_"
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
_REPLACED: Final = ("state", "open")


def rows_of_a_log(rows_of_a_task: int, log_partitions: int) -> int:
    """How many rows of each log partition may go in, so that no task gets more than `rows_of_a_task` new ones.

    A task holds them all, and has one log partition of every `STATE_PARTS` of a topic.
    """
    return max(1, rows_of_a_task // max(1, -(-log_partitions // STATE_PARTS)))


def rows_of_all_logs(rows_of_a_task: int, waiting: Iterable[Mapping[int, int]]) -> int:
    """How many rows of all logs together may go in, where each gives a share by what waits in it, so that no task gets more.

    `waiting`: by log partition, of each topic. A hot log partition brings it down to `rows_of_a_task`, which holds for any shares.
    """
    of_parts: Counter[int] = Counter()
    for topic in waiting:
        for number, count in topic.items():
            of_parts[number % STATE_PARTS] += count
    return rows_of_a_task * max(1, of_parts.total()) // max([1, *of_parts.values()])


def position_part(cluster: str) -> str:
    """The part of the state with the positions of a cluster: rows of several rounds, unlike what the other parts hold."""
    return f"{crc32(cluster.encode()):08x}-positions"


def group_bucket(column: str) -> str:
    """A number of each group, as an expression: to ask for the positions of some groups without a join."""
    return f"pmod(xxhash64({column}), {GROUP_BUCKETS})"


def of_buckets(buckets: Iterable[int]) -> Column:
    """All positions of the groups in these buckets, with their rows of every round: the newest counts."""
    from pyspark.sql import functions as F

    # As text: an object for each number would be a call to Java each.
    return F.expr(f"{group_bucket('position.group_id')} IN ({', '.join(map(str, sorted(buckets)))})")


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
def input_schema() -> pa.Schema:
    """Of `fold_input`."""
    from muster.pipeline.fold.state import READ_BY_NOW

    states = [pa.field(_STATE + kind, pa.list_(columns)) for kind, columns in READ_BY_NOW.items()]
    return pa.schema(
        [
            *(LOG.field(name) for name in (*_PLACE, *COMMIT_COLUMNS)),
            pa.field("row_kind", pa.string()),
            pa.field(_OTHER, pa.list_(pa.struct(list(LOG)))),
            *states,
            pa.field(_JSON, pa.string()),
        ]
    )


@cache
def output_schema() -> pa.Schema:
    from muster.pipeline.now.schema import MINUTE

    return wide_schema([state_schema(), open_schema(), MINUTE])


def fold_input(log: DataFrame, state: DataFrame, tasks: int) -> DataFrame:
    """New log rows and state rows in the columns that the kernel takes, those of a log partition together."""
    from pyspark.sql import functions as F

    from muster.pipeline.fold.state import READ_BY_NOW

    is_commit = F.coalesce(F.col("record_type").isin(*COMMIT_TYPES) & F.col("problem").isNull(), F.lit(False))
    new = log.select(
        *_PLACE,
        *COMMIT_COLUMNS,
        F.when(is_commit, _COMMIT).otherwise(_OTHER).alias("row_kind"),
        F.when(~is_commit, F.array(F.struct(*LOG.names))).alias(_OTHER),
    )
    known = state.select(
        *_PLACE,
        F.col("kind").alias("row_kind"),
        *(F.when(F.col(kind).isNotNull(), F.array(kind)).alias(_STATE + kind) for kind in READ_BY_NOW),
        _JSON,
    )
    rows = new.unionByName(known, allowMissingColumns=True)
    if tasks == 1:
        return rows.coalesce(1)  # one task needs no shuffle
    return rows.repartitionById(tasks, F.pmod(F.col("log_partition") % STATE_PARTS, F.lit(tasks)).cast("int"))


def fold_rows(
    log: DataFrame, state: DataFrame, settings: FoldSettings, tasks: int = STATE_PARTS, batch: str = ""
) -> DataFrame:
    """Everything that a round's log rows change: rows of `state`, `open`, `minute` and the tables in `FACTS`, as one.

    `tasks`: how many of Spark's, at most one for each state part. A few records are worth one.
    """
    rows = fold_input(log, state, min(tasks, STATE_PARTS))
    return map_wide(rows, fold_kernel(settings), input_schema(), output_schema(), batch)


def fold_kernel(settings: FoldSettings) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """What `mapInArrow` runs in a Python worker, on the rows of one or several state parts."""

    def fold(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        from muster.pipeline.fold.partition import fold_partition

        for partition in _partitions(batches):
            yield from _written(fold_partition(partition, settings), partition)

    return fold


def _written(tables: dict[str, pl.DataFrame], partition: Partition) -> Iterator[pa.RecordBatch]:
    import polars as pl

    schema = output_schema()
    part = state_part(partition.cluster, partition.log_partition)
    for table, frame in tables.items():
        if frame.is_empty():
            continue
        if table == "state":
            is_position = pl.col("kind") == "position"
            positions = frame.filter(is_position).to_arrow()
            yield from wide_batches(schema, table, position_part(partition.cluster), positions)
            frame = frame.filter(~is_position)
        yield from wide_batches(schema, table, part if table in _REPLACED else APPENDED, frame.to_arrow())


def _partitions(batches: Iterable[pa.RecordBatch]) -> Iterator[Partition]:
    """Rows by cluster and log partition, cut out of the wide batches at once: null columns of others are not kept."""
    from muster.pipeline.fold.partition import Partition

    found: dict[tuple[str, int], dict[str, list[pa.Table]]] = {}
    for batch in batches:
        rows = pa.Table.from_batches([batch])
        for kind in pc.unique(rows["row_kind"]).to_pylist():
            of_kind = rows.filter(pc.equal(rows["row_kind"], kind))
            for place, part in _by_place(of_kind):
                found.setdefault(place, {}).setdefault(kind, []).append(_columns_of(part, kind))
    for (cluster, log_partition), kinds in sorted(found.items()):
        rows_of = {kind: pa.concat_tables(parts) for kind, parts in kinds.items()}
        yield Partition(cluster, log_partition, rows_of.pop(_COMMIT, None), rows_of.pop(_OTHER, None), rows_of)


def _by_place(rows: pa.Table) -> Iterator[tuple[tuple[str, int], pa.Table]]:
    places = rows.group_by(["cluster", "log_partition"]).aggregate([]).to_pylist()
    for place in places:
        cluster, number = place["cluster"], place["log_partition"]
        if len(places) == 1:
            yield (cluster, number), rows
        else:
            mine = pc.and_(pc.equal(rows["cluster"], cluster), pc.equal(rows["log_partition"], number))
            yield (cluster, number), rows.filter(mine)


def _columns_of(rows: pa.Table, kind: str) -> pa.Table:
    if kind == _COMMIT:
        return rows.select(COMMIT_COLUMNS)
    column = kind if kind == _OTHER else _STATE + kind
    if column not in rows.column_names:
        return rows.select([_JSON])
    return pa.Table.from_struct_array(rows[column].combine_chunks().flatten())
