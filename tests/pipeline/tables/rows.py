"""Rows by name for the tables' tests: what is not said is null; frames have exactly the contract's columns."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import polars as pl
import pyarrow as pa

from muster.pipeline.decode.row_schemas import ROW_TABLES
from muster.pipeline.schemas import TABLES

CLUSTER = "c"
Row = dict[str, Any]


def arrow(table: str, rows: Iterable[Row], *, decoded: bool = False) -> pa.Table:
    schema = ROW_TABLES[table] if table in ROW_TABLES and (decoded or table not in TABLES) else TABLES[table]
    full = [{"cluster": CLUSTER, **row} for row in rows]
    unknown = {name for row in full for name in row} - set(schema.names)
    assert not unknown, f"{table} has no columns {unknown}"
    return pa.Table.from_pylist(full, schema=schema)


def frame(table: str, rows: Iterable[Row], *, decoded: bool = False) -> pl.DataFrame:
    return pl.DataFrame(pl.from_arrow(arrow(table, rows, decoded=decoded)))


def commit(log_offset: int, offset: int | None, at_ms: int, **more: Any) -> Row:
    """A decoded commit of group `g` to `t`-0; offset None is a tombstone."""
    return {
        "log_partition": 0,
        "log_offset": log_offset,
        "record_ms": at_ms,
        "group_id": "g",
        "topic": "t",
        "partition": 0,
        "committed_offset": offset,
        "commit_ms": None if offset is None else at_ms,
        "is_tombstone": offset is None,
        "is_transactional": False,
        "producer_id": -1,
        "value_version": 3,
        "metadata": "",
        **more,
    }


def log_record(log_offset: int, at_ms: int = 0, **more: Any) -> Row:
    return {
        "log_topic": "__consumer_offsets",
        "log_partition": 0,
        "log_offset": log_offset,
        "record_ms": at_ms,
        "is_control": False,
        "is_transactional": False,
        "producer_id": -1,
        **more,
    }


def sample(leo: int, begin_ms: int, end_ms: int | None = None, **more: Any) -> Row:
    """An end offset of `t`-0."""
    return {
        "topic": "t",
        "partition": 0,
        "leo": leo,
        "log_start": 0,
        "begin_ms": begin_ms,
        "end_ms": begin_ms if end_ms is None else end_ms,
        "sampler": "list_offsets",
        **more,
    }
