"""Partitions of groups, and those of them whose end nobody knows any more: until when was it known?

A sample that is missing leaves no row in the history: its newest row with an end says how long one was there.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from muster.core.time_units import MINUTE_MS
from muster.pipeline.report import words
from muster.pipeline.report.facts import Row
from muster.pipeline.report.grouping import Grouped

_COLUMNS: Final = ("cluster", "group_id", "topic", "partition")
_SEPARATOR: Final = "\0"


class Place(NamedTuple):
    cluster: str
    group_id: str
    topic: str
    partition: int


def place_of(row: Row) -> Place:
    return Place(*(row[name] for name in _COLUMNS))


def written(rows: Iterable[Row]) -> pa.Array:
    """The places of these rows, for `at_places`."""
    texts = (_SEPARATOR.join("0" if row[name] is None else str(row[name]) for name in _COLUMNS) for row in rows)
    return pa.array(list(texts), pa.string())


def written_in(rows: pa.Table) -> pa.ChunkedArray:
    texts = [pc.fill_null(pc.cast(rows[name], pa.string()), "0") for name in _COLUMNS]
    return pc.binary_join_element_wise(*texts, _SEPARATOR)


def at_places(rows: pa.Table, places: pa.Array) -> pa.Table:
    return rows.filter(pc.is_in(written_in(rows), places))


def without_end(lag: pa.Table) -> pa.Table:
    """Rows of `g_lag` that have a position in a partition whose end is not known."""
    return lag.filter(pc.and_(pc.is_valid(lag["committed"]), pc.is_null(lag["lag"])))


def not_counted(lost: pa.Table) -> str:
    """What a plot of records says of rows `without_end`; nothing if there are none."""
    groups = len(Grouped(lost, ["cluster", "group_id"]).keys)
    partitions = words.many(lost.num_rows, "partition")
    return f"Not counted: {partitions} of {words.many(groups, 'group')} whose end is not known." if groups else ""


def newest_with_end(history: pa.Table) -> pa.Table:
    """The newest row of each partition that has an end. Taking the newest of the newest changes nothing."""
    ended = history.filter(pc.and_(pc.is_valid(history["lag"]), pc.is_valid(history["topic"])))
    return Grouped(ended.sort_by([("minute_ms", "descending")]), list(_COLUMNS)).first_rows


def last_known(history: pa.Table, lag: pa.Table) -> dict[Place, Row]:
    """Of the partitions in `lag` the newest row of the history with an end, of those that have one."""
    if not lag.num_rows:
        return {}
    rows = newest_with_end(at_places(history, written_in(lag)))
    return {place_of(row): row for row in rows.to_pylist()}


def known_until_ms(lag: Row, last: Row | None) -> int | None:
    """Of a row of `g_lag` without an end: up to when it is known how late it was. `last` is its last row with an end."""
    if last is None or last["time_lag_est_ms"] is None:
        commit_ms: int | None = lag["commit_ms"]
        return commit_ms
    return int(last["minute_ms"]) + MINUTE_MS
