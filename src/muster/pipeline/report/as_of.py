"""The tables of now, as they were at a moment of the past: what the history of the lag says of them, and nothing else.

Who owned a partition, when it was committed last and what its status was is in no history: that stays unknown.
"""

from __future__ import annotations

from collections.abc import Mapping

import pyarrow as pa
import pyarrow.compute as pc

from muster.core.time_units import MINUTE_MS
from muster.pipeline.report.grouping import Grouped
from muster.pipeline.schemas import TABLES

_PARTITION = ["cluster", "group_id", "topic", "partition"]
_GROUP = ["cluster", "group_id"]


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
    return _conformed(last.drop_columns(["minute_ms"]).append_column("at_ms", ends), "g_lag")


def _group_lag(lag: pa.Table) -> pa.Table:
    groups = Grouped(lag, _GROUP)
    rows = groups.first_rows.select(_GROUP)
    for name, values in (
        ("at_ms", groups.largest("at_ms")),
        ("lag_sum", groups.totals("lag")),
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
