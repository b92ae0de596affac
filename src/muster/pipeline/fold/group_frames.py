"""What goes into the fold of groups and comes out of it: frames of state rows, of new rows, and of the tables' rows.

All frames here are of one log partition. Table functions (`muster.pipeline.tables`) want to know the cluster and the log partition
of every row: inside the fold both are constants, outside the caller puts the real ones in.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Final, TypeAlias

import polars as pl
import pyarrow as pa

from muster.pipeline.fold.state import KINDS
from muster.pipeline.tables.columns import Frame, schema_of

Frames: TypeAlias = dict[str, Frame]

_HERE: Final = {"cluster": pl.lit(""), "log_partition": pl.lit(0, pl.Int32)}


@dataclass(frozen=True, slots=True)
class GroupRows:
    """New rows of `log` about groups, in log order."""

    generations: Frame
    """Records of type 2."""
    epochs: Frame
    """Records of types 3 to 8."""
    events: Frame
    """Of the journal. The others have a column `run` more: which stretch of the log without holes the record lies in."""


@dataclass(frozen=True, slots=True)
class Clocks:
    """How far the logs were read. Their times are taken as never going back."""

    offsets_ms: int | None
    """The newest record of the offsets log; None: nothing was read of it."""
    journal_ms: int | None
    has_journal: bool
    """There is a journal for the groups of this log partition: its words are waited for."""

    def passed(self, at: pl.Expr, offsets_ms: int, journal_ms: int) -> pl.Expr:
        """Whether the offsets log has gone on for so long since `at`, and the journal for so long, if there is one."""
        if self.offsets_ms is None or (self.has_journal and self.journal_ms is None):
            return pl.lit(False)
        passed = at + offsets_ms < self.offsets_ms
        return passed & (at + journal_ms < self.journal_ms) if self.has_journal else passed


@cache
def kind_schema(kind: str) -> pl.Schema:
    return pl.DataFrame(pl.from_arrow(pa.schema(list(KINDS[kind])).empty_table())).schema


@cache
def _no_rows(kind: str) -> Frame:
    return here(pl.DataFrame(schema=kind_schema(kind)))


def known_state(state: Mapping[str, Frame], kinds: tuple[str, ...]) -> Frames:
    """State rows with the constants that table functions want; what is missing is empty."""
    return {kind: here(state[kind]) if kind in state and len(state[kind]) else _no_rows(kind) for kind in kinds}


def of_kind(rows: Frame, kind: str) -> Frame:
    """Exactly the columns of a kind, with the constants."""
    return rows.select(*(pl.col(name).cast(each) for name, each in kind_schema(kind).items()), **_HERE)


def here(rows: Frame) -> Frame:
    return rows.with_columns(**_HERE)


def away(rows: Frame) -> Frame:
    """Without the constants."""
    return rows.drop(tuple(_HERE), strict=False)


def table_rows(rows: Frame, table: str) -> Frame:
    """The columns of a table, but for the cluster and the log partition, which the caller knows."""
    return rows.select(pl.col(name).cast(kind) for name, kind in schema_of(table).items() if name not in _HERE)


def replaced(known: Frame, new: Frame, *keys: str) -> Frame:
    """State rows of which those with the keys of new ones are replaced by them."""
    if new.is_empty():
        return known
    return pl.concat([known.join(new.select(keys), on=keys, how="anti"), new.select(known.columns)])
