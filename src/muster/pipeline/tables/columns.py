"""The schema contract as one `select`, and the keys that tables are joined by. Every table function ends in `conform`.

Tables are functions of Polars frames: they run inside the task that holds a log partition's rows, where planning costs nothing
(docs/decisions/0007). Frames may hold several clusters and log partitions, as long as groups are whole.
"""

from __future__ import annotations

from functools import cache
from typing import Final, TypeAlias

import polars as pl

from muster.pipeline.decode.row_schemas import ROW_TABLES
from muster.pipeline.schemas import TABLES

Frame: TypeAlias = pl.DataFrame
Column: TypeAlias = pl.Expr

LOG: Final = ("cluster", "log_partition")
"""Where a log offset is unique, and all of a group's records are (its id hashes to one log partition)."""
GROUP: Final = ("cluster", "group_id")
POSITION: Final = ("cluster", "group_id", "topic", "partition")
"""What an offset is committed for. Never one joined text: ids may hold any character (trap 17)."""

_END_OF_9999_MS: Final = 253_402_300_799_999


@cache
def schema_of(table: str) -> pl.Schema:
    """Of a table of the contract, or of one that only the decoder makes."""
    known = TABLES[table] if table in TABLES else ROW_TABLES[table]
    return pl.DataFrame(pl.from_arrow(known.empty_table())).schema


def conform(frame: Frame, table: str) -> Frame:
    """Exactly the columns of the table, in order and of its types."""
    return frame.select(pl.col(name).cast(kind) for name, kind in schema_of(table).items())


def newest(frame: Frame, keys: tuple[str, ...], order: str) -> Frame:
    """The row with the highest `order` of each key."""
    return frame.sort(order).unique(subset=list(keys), keep="last")


def is_true(condition: Column) -> Column:
    """What is unknown does not hold."""
    return condition.fill_null(False)


def utc_date(ms: Column) -> Column:
    """Times that no calendar has, from broken clocks, become its first or last day."""
    return pl.from_epoch(ms.clip(0, _END_OF_9999_MS), time_unit="ms").dt.strftime("%Y-%m-%d")


def in_order_of(values: str, order: str) -> Column:
    """In an aggregation: the value of the row with the highest `order`."""
    return pl.col(values).sort_by(order).last()
