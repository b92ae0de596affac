"""Rows of many tables as one DataFrame, so that one plan and one write serve them all.

Each row names its `table`, the `part` of it that it belongs to and the `batch` that writes it; it has the columns of its own
table, those of the others are null. Written with `partitionBy("table", ...)` the rows of each table lie in files of their own; a
table's schema in Delta names only its own columns. Planning twenty writes in a young Java costs more than the rows do.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Final

import pyarrow as pa

from muster.pipeline.arrow_map import Kernel, map_arrow

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

TABLE: Final = "table"
PART: Final = "part"
BATCH: Final = "batch"
ROWS_AT_ONCE: Final = 4_096
"""Of a batch that goes back to Java: some megabytes, most of them zeros of null columns, which stay in the processor's cache."""
APPENDED: Final = "new"
"""The part of rows that are added to a table; every other part replaces what the table held under the same name."""


def wide_schema(schemas: Iterable[pa.Schema]) -> pa.Schema:
    """All columns of these tables, each once. A name means the same type in all of them."""
    fields: dict[str, pa.Field] = {}
    for schema in schemas:
        for field in schema:
            known = fields.setdefault(field.name, pa.field(field.name, field.type))
            assert known.type == field.type, f"{field.name} is {known.type} in one table and {field.type} in another"
    return pa.schema([_directory(TABLE), _directory(PART), *fields.values()])


def _directory(name: str) -> pa.Field:
    """Never null: where one of a write's directories might be, Spark copies every row to look."""
    return pa.field(name, pa.string(), nullable=False)


def map_wide(rows: DataFrame, kernel: Kernel, takes: pa.Schema, gives: pa.Schema, batch: str) -> DataFrame:
    """The wide rows that the kernel gives, with their batch. The kernel's process adds it: as a column of Spark's it would be
    another copy of every row.
    """

    def named(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for each in kernel(batches):
            arrays = [*each.columns, pa.repeat(pa.scalar(batch), each.num_rows)]
            yield pa.RecordBatch.from_arrays(arrays, schema=whole)

    whole = pa.schema([*gives, _directory(BATCH)])
    return map_arrow(rows, named, takes, whole)


def wide_batches(
    schema: pa.Schema, table: str, part: str, rows: pa.Table, most_rows: int = ROWS_AT_ONCE
) -> Iterator[pa.RecordBatch]:
    """The rows of one table in the columns of all."""
    for batch in rows.combine_chunks().to_batches(max_chunksize=most_rows):
        columns: Mapping[str, pa.Array] = dict(zip(batch.schema.names, batch.columns, strict=True))
        count = batch.num_rows
        arrays = [
            pa.repeat(pa.scalar(table), count),
            pa.repeat(pa.scalar(part), count),
            *(
                columns[field.name].cast(field.type) if field.name in columns else pa.nulls(count, field.type)
                for field in list(schema)[2:]
            ),
        ]
        yield pa.RecordBatch.from_arrays(arrays, schema=schema)
