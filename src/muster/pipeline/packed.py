"""What the fold takes of log rows, as whole Arrow batches: one row of a DataFrame holds thousands of records.

A source that is asked for it gives, behind each batch of log rows, rows that carry the same records once more for the fold: commits
in the columns that it looks at, apart from everything else, each as one binary value. Spark writes them beside the log in the same
job, and the fold reads them instead of the log: Java would take two million rows apart and put them together again on their way out
of Parquet, through a shuffle and into Arrow. Plain Arrow; knows no Spark API.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

import pyarrow as pa
import pyarrow.compute as pc

from muster.pipeline.log_schema import COMMIT_COLUMNS, COMMIT_TYPES, LOG

FOLD_PACKS: Final = pa.schema(
    [("cluster", pa.string()), ("log_partition", pa.int32()), ("row_kind", pa.string()), ("packed", pa.binary())]
)
"""What the fold's kernel takes: packed commits, other log rows, and state rows of one kind."""
COMMITS: Final = "commit"
OTHERS: Final = "other"
FOR_THE_FOLD: Final = "for-the-fold"
"""The `dt` of rows that carry packs for the fold: they are written beside the log's files, and belong to no table."""
WRITTEN: Final = pa.schema([*LOG, pa.field("packed", pa.binary())])
"""What such a source gives: rows of `LOG`, and rows that carry a pack and its kind (in `source`)."""
_PLACE: Final = ("cluster", "log_partition")


def with_packs(rows: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
    """Rows of `LOG` as rows of `WRITTEN`, their packs behind them."""
    if not rows.num_rows:
        return
    yield pa.RecordBatch.from_arrays([*rows.columns, pa.nulls(rows.num_rows, pa.binary())], schema=WRITTEN)
    for (cluster, number), kind, packed in fold_packs(pa.Table.from_batches([rows])):
        told = {"cluster": cluster, "log_partition": number, "source": kind, "dt": FOR_THE_FOLD, "packed": packed}
        yield pa.RecordBatch.from_pylist([told], schema=WRITTEN)


def pack(rows: pa.Table) -> bytes:
    """Columns without any value are left out."""
    held = rows.select([name for name in rows.column_names if rows[name].null_count < rows.num_rows])
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, held.schema) as stream:
        for batch in held.combine_chunks().to_batches():
            stream.write_batch(batch)
    packed: bytes = sink.getvalue().to_pybytes()
    return packed


def unpack(packed: pa.Scalar, schema: pa.Schema) -> pa.Table:
    """The rows again, with all columns of `schema`."""
    with pa.ipc.open_stream(packed.as_buffer()) as stream:
        held = stream.read_all()
    columns = [_column(held, field) for field in schema]
    return pa.Table.from_arrays(columns, schema=schema)


def _column(held: pa.Table, field: pa.Field) -> pa.ChunkedArray | pa.Array:
    if field.name not in held.column_names:
        return pa.nulls(held.num_rows, field.type)
    column = held[field.name]
    return column if column.type == field.type else column.cast(field.type)


def packed_for_fold(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """For `mapInArrow`: rows of `LOG`, in log order or not, become rows of `FOLD_PACKS`."""
    for batch in batches:
        for (cluster, number), kind, packed in fold_packs(pa.Table.from_batches([batch]).cast(LOG)):
            yield _row(FOLD_PACKS, cluster, number, kind, packed)


def fold_packs(rows: pa.Table) -> Iterator[tuple[tuple[str, int], str, bytes]]:
    """Of each log partition its commits and its other rows: whose, which kind, and the pack. `rows` are those of `LOG`."""
    is_type = pc.is_in(rows["record_type"], pa.array(COMMIT_TYPES, pa.int32()))
    is_commit = pc.and_(is_type, pc.is_null(rows["problem"]))
    for kind, chosen in ((COMMITS, is_commit), (OTHERS, pc.invert(is_commit))):
        columns = rows.select(_COMMIT_ROW) if kind == COMMITS else rows
        for place, part in by_place(columns.filter(chosen)):
            if kind == COMMITS:
                part = _with_codes(part.select(COMMIT_COLUMNS))
            yield place, kind, pack(part)


_COMMIT_ROW: Final = (*_PLACE, *COMMIT_COLUMNS)


def _with_codes(rows: pa.Table) -> pa.Table:
    """Texts as dictionaries: a name is repeated in hundreds of commits."""
    for at, field in enumerate(rows.schema):
        if field.type == pa.string() and rows[field.name].null_count < rows.num_rows:
            rows = rows.set_column(at, field.name, rows[field.name].combine_chunks().dictionary_encode())
    return rows


def by_place(rows: pa.Table) -> Iterator[tuple[tuple[str, int], pa.Table]]:
    """Rows by cluster and log partition, in their order."""
    places = rows.group_by(list(_PLACE)).aggregate([]).to_pylist()
    for place in places:
        cluster, number = place["cluster"], place["log_partition"]
        if len(places) == 1:
            yield (cluster, number), rows
        else:
            mine = pc.and_(pc.equal(rows["cluster"], cluster), pc.equal(rows["log_partition"], number))
            yield (cluster, number), rows.filter(mine)


def _row(schema: pa.Schema, *values: object) -> pa.RecordBatch:
    arrays = [pa.array([value], field.type) for value, field in zip(values, schema, strict=True)]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)
