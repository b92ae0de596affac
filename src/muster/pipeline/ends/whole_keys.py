"""Rows that lie together are handed on together: the batches that Spark gives, cut so that no key is in two pieces.

A task's rows are sorted by the key, so that a piece can be worked on as soon as the next key begins: memory goes with `piece_bytes`
and the largest key, not with the task.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final

import pyarrow as pa
import pyarrow.compute as pc

from muster.pipeline.arrow_map import is_connect

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

PIECE_BYTES: Final = 64 << 20


def together(rows: DataFrame, keys: Sequence[str]) -> DataFrame:
    """All rows of a key in one task, one after the other. Where there is to be only one task, nothing is shuffled for that."""
    is_one_task = not is_connect(rows) and rows.sparkSession.conf.get("spark.sql.shuffle.partitions") == "1"
    placed = rows.coalesce(1) if is_one_task else rows.repartition(*keys)
    return placed.sortWithinPartitions(*keys)


def whole_keys(
    batches: Iterable[pa.RecordBatch], keys: Sequence[str], piece_bytes: int = PIECE_BYTES
) -> Iterator[pa.Table]:
    """Pieces of about `piece_bytes` that hold all rows of their keys. `batches` come from `together`."""
    held: list[pa.RecordBatch] = []
    size = 0
    for batch in batches:
        if not batch.num_rows:
            continue
        if held and size >= piece_bytes:
            begin = _first_of_next_key(held[-1], batch, keys)
            if begin < batch.num_rows:
                yield pa.Table.from_batches([*held, batch.slice(0, begin)])
                held, size, batch = [], 0, batch.slice(begin)
        held.append(batch)
        size += batch.nbytes
    if held:
        yield pa.Table.from_batches(held)


def _first_of_next_key(before: pa.RecordBatch, batch: pa.RecordBatch, keys: Sequence[str]) -> int:
    """Where the rows of `batch` end that go on with the last key of the batch before it."""
    same = None
    for name in keys:
        last, column = before.column(name)[-1], batch.column(name)
        equal = column.is_null() if not last.is_valid else pc.fill_null(pc.equal(column, last), False)
        same = equal if same is None else pc.and_(same, equal)
    others = pc.index(same, False).as_py()
    return batch.num_rows if others < 0 else int(others)
