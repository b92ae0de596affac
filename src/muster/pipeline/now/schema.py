"""The columns of the table `minute`: stretches of the lag history that do not have all their rows yet.

A stretch is one commit of a position, from the minute it came in to the minute of the next one. The fold writes those that
have ended (part `new`); `history` makes the rows of `g_lag_history` out of them once the topic's end at those moments
is known, and gives back what has to wait (part `now`), which takes the place of the whole table. A stretch that has not ended is
the current commit of a position, in the state; it is here only once some of its silent minutes have their rows.

A row holds the stretches of one position as a list: as rows of their own they were 84 % of the rows
that the fold of a first read wrote, and Java pays for each with every column of the fold's other tables.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import polars as pl
import pyarrow as pa

_text, _int, _long = pa.string(), pa.int32(), pa.int64()

TABLE: Final = "minute"

STRETCH: Final = pa.struct(
    [
        ("log_offset", _long),  # of the commit: with cluster and log partition it names the stretch
        ("committed", _long),
        ("minute_ms", _long),  # of the commit
        ("until_ms", _long),  # the minute of the next record of the position; null: there is none yet
        ("marked_ms", _long),  # minutes up to here have their rows; null: none has
    ]
)

MINUTE: Final = pa.schema(
    [
        ("cluster", _text),
        ("log_partition", _int),
        ("group_id", _text),
        ("topic", _text),
        ("partition", _int),
        ("stretches", pa.list_(STRETCH)),
    ]
)


def stretches_by(rows: pl.DataFrame, keys: Sequence[str]) -> pl.DataFrame:
    """Stretches as rows of their own become one list a key."""
    return rows.group_by(keys, maintain_order=True).agg(stretches=pl.struct(_STRETCH))


def stretches_of(rows: pl.DataFrame) -> pl.DataFrame:
    """The inverse: a row a stretch, with its key."""
    return rows.explode("stretches", empty_as_null=False, keep_nulls=False).unnest("stretches")


_STRETCH: Final = tuple(field.name for field in STRETCH)
