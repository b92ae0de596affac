"""The schema of every Delta table of a lake, and what it is partitioned by.

The documented tables are those of `schemas.TABLES`; beside them are the log, the state that rounds carry on, and the rounds.
Schemas are looked up when they are asked for: what `state` holds grows with the kinds that the fold knows.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Final

import pyarrow as pa

from muster.pipeline.schemas import TABLES

LOG: Final = "log"
STATE: Final = "state"
OPEN: Final = "open"
ENDS: Final = "ends"
MINUTE: Final = "minute"
ROUNDS: Final = "rounds"

VIEWS: Final = ("b_log_record", "s_offset_commit", "s_leo")
"""Documented tables that have no files: they are made from `log` and `ends` when they are read (`spark_reader`)."""
INNER: Final = (LOG, STATE, OPEN, ENDS, MINUTE)
"""Tables that are not documented for readers, but are part of every round."""


def _elsewhere(module: str, name: str) -> Callable[[], pa.Schema]:
    """The schema that its own module defines, imported when it is needed."""

    def found() -> pa.Schema:
        schema = getattr(import_module(module), name)
        return schema() if callable(schema) else schema

    return found


_SCHEMAS: Final[dict[str, Callable[[], pa.Schema]]] = {
    LOG: _elsewhere("muster.pipeline.log_schema", "LOG"),
    STATE: _elsewhere("muster.pipeline.fold.kernel", "state_schema"),
    OPEN: _elsewhere("muster.pipeline.fold.kernel", "open_schema"),
    ENDS: _elsewhere("muster.pipeline.ends.schema", "ENDS"),
    MINUTE: _elsewhere("muster.pipeline.now.schema", "MINUTE"),
    ROUNDS: _elsewhere("muster.pipeline.lake.rounds", "SCHEMA"),
}


def schema_of(table: str) -> pa.Schema:
    """The columns of a table. KeyError: there is no such table."""
    if table in TABLES:
        return TABLES[table]
    return _SCHEMAS[table]()


def partition_columns(table: str) -> tuple[str, ...]:
    """The columns that are directories and not in the files."""
    return ("dt",) if table == LOG else ()


def is_table(table: str) -> bool:
    """Whether it is a table with files."""
    return (table in TABLES or table in _SCHEMAS) and table not in VIEWS
