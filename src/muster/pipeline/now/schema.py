"""The columns of the table `minute`: stretches of the lag history that do not have all their rows yet.

A stretch is one commit of a position, from the minute it came in to the minute of the next one. The fold writes a row for each
stretch that has ended (part `new`); `history` makes the rows of `g_lag_history` out of them once the topic's end at those moments
is known, and gives back what has to wait (part `now`), which takes the place of the whole table. A stretch that has not ended is
the current commit of a position, in the state; it has a row here only once some of its silent minutes have theirs.
"""

from __future__ import annotations

from typing import Final

import pyarrow as pa

_text, _int, _long = pa.string(), pa.int32(), pa.int64()

TABLE: Final = "minute"

MINUTE: Final = pa.schema(
    [
        ("cluster", _text),
        ("log_partition", _int),
        ("log_offset", _long),  # of the commit: with the two above it names the stretch
        ("group_id", _text),
        ("topic", _text),
        ("partition", _int),
        ("committed", _long),
        ("minute_ms", _long),  # of the commit
        ("until_ms", _long),  # the minute of the next record of the position; null: there is none yet
        ("marked_ms", _long),  # minutes up to here have their rows; null: none has
    ]
)
