"""Rows of `s_offset_commit` from the offset records of a bronze batch."""

from __future__ import annotations

from typing import Final

import numpy as np
import pyarrow as pa

from muster.pipeline.decode.keys import Numbers
from muster.pipeline.decode.offset_rows import offset_columns
from muster.pipeline.decode.row_schemas import ROW_TABLES

_ROWS: Final = ROW_TABLES["s_offset_commit"]


_FROM_BRONZE: Final = (
    "cluster",
    "log_partition",
    "log_offset",
    "record_ms",
    "batch_base_offset",
    "dt",
    "producer_id",
    "is_transactional",
)


def offset_rows(
    bronze: pa.RecordBatch, types: Numbers, log_partition: int, partition_count: int | None
) -> tuple[pa.RecordBatch, dict[int, str]]:
    """The rows of a bronze batch that holds nothing but offset records of one log partition, and what is wrong with others.

    Problems are by row of `bronze`; their rows are left out.
    """
    columns, problems = offset_columns(bronze, types, log_partition, partition_count)
    columns |= {name: bronze.column(name) for name in _FROM_BRONZE}
    count = len(types)
    rows = pa.RecordBatch.from_arrays(
        [columns[field.name] if field.name in columns else pa.nulls(count, field.type) for field in _ROWS], schema=_ROWS
    )
    if problems:
        good = np.ones(count, dtype=bool)
        good[list(problems)] = False
        rows = rows.filter(pa.array(good))
    return rows, problems
