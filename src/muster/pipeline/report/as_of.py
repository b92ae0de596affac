"""The tables of now, as they were at a moment of the past: what the history of the lag says of them, and nothing else.

Who owned a partition, when it was committed last and what its status was is in no history: that stays unknown.
"""

from __future__ import annotations

from collections.abc import Mapping

import pyarrow as pa
import pyarrow.compute as pc

from muster.core.time_units import MINUTE_MS
from muster.pipeline.report.grouping import Grouped
from muster.pipeline.report.limits import SILENT_ROWS_MS
from muster.pipeline.schemas import TABLES

_PARTITION = ["cluster", "group_id", "topic", "partition"]
_GROUP = ["cluster", "group_id"]
_OF_END = ("at_ms", "end", "lag", "time_lag_lo_ms", "time_lag_hi_ms", "time_lag_est_ms", "method")
_SURE_MS = SILENT_ROWS_MS + 10 * MINUTE_MS
"""A silent partition has a row an hour while its end is known, the first of them at the next full hour after an hour of others."""


def tables_as_of(tables: Mapping[str, pa.Table], end_ms: int) -> dict[str, pa.Table]:
    lag = _lag(tables["g_lag_history"], end_ms)
    return {
        "g_lag": lag,
        "g_group_lag": _group_lag(lag),
        "g_status": TABLES["g_status"].empty_table(),
        "g_member": _members(tables["g_member"], end_ms),
    }


def _lag(history: pa.Table, end_ms: int) -> pa.Table:
    """The last minute of each partition that began before that."""
    history = history.filter(pc.less(history["minute_ms"], end_ms))
    last = Grouped(history.sort_by([("minute_ms", "descending")]), _PARTITION).first_rows
    ends = pc.min_element_wise(pc.add(last["minute_ms"], MINUTE_MS), pa.scalar(end_ms, pa.int64()))
    last = last.drop_columns(["minute_ms"]).append_column("at_ms", ends)
    return _conformed(_without_lost(last, pc.less(ends, end_ms - _SURE_MS)), "g_lag")


def _without_lost(lag: pa.Table, is_lost: pa.ChunkedArray) -> pa.Table:
    """Where a partition has no row for so long its end was not known then: as `g_lag` says it of now."""
    for name in _OF_END:
        none = pa.scalar("no_end" if name == "method" else None, lag.schema.field(name).type)
        lag = lag.set_column(lag.schema.get_field_index(name), name, pc.if_else(is_lost, none, lag[name]))
    return lag


def _group_lag(lag: pa.Table) -> pa.Table:
    groups = Grouped(lag, _GROUP)
    rows = groups.first_rows.select(_GROUP)
    sums = list(zip(groups.largest("lag"), groups.totals("lag"), strict=True))
    for name, values in (
        ("at_ms", groups.largest("at_ms")),
        ("lag_sum", [None if most is None else total for most, total in sums]),
        ("time_lag_max_ms", groups.largest("time_lag_est_ms")),
    ):
        rows = rows.append_column(name, pa.array(values, pa.int64()))
    return _conformed(rows, "g_group_lag")


def _members(members: pa.Table, end_ms: int) -> pa.Table:
    """Those who had come by then. Who was seen afterwards was still there, as far as the lake knows."""
    rows = members.filter(pc.fill_null(pc.less_equal(members["first_seen_ms"], end_ms), True))
    was_there = pc.or_(rows["is_present"], pc.greater(rows["last_seen_ms"], end_ms))
    return rows.set_column(rows.schema.get_field_index("is_present"), "is_present", was_there)


def _conformed(rows: pa.Table, name: str) -> pa.Table:
    """With the columns of a table of the lake; what is not known is null."""
    schema = TABLES[name]
    return pa.table(
        {
            field.name: rows[field.name].cast(field.type)
            if field.name in rows.column_names
            else pa.nulls(rows.num_rows, field.type)
            for field in schema
        }
    )
