"""From a lake to the tables of a report, reading no more of them than the page shows. No Spark is started.

History is the one table that grows with partitions times minutes. It is streamed: kept are the partitions that get a plot of their
own and, of every other one, the worst row of each minute. The heat map takes the worst of each column, so it comes out the same;
of partitions whose end is not known any more it also needs the last row that has one.
For the calendar, which reaches back further, the last row of each hour is kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

import pyarrow as pa
import pyarrow.compute as pc

from muster.core.time_units import DAY_MS
from muster.pipeline.lake.reader import Lake, Since
from muster.pipeline.query import require_gold
from muster.pipeline.report import limits
from muster.pipeline.report.facts import Facts, GroupKey, gather, of_group, worst_partitions
from muster.pipeline.report.grouping import Grouped
from muster.pipeline.report.hours import HOURS, calendar_start_ms, last_of_each_hour
from muster.pipeline.report.links import panel_groups
from muster.pipeline.report.places import at_places, newest_with_end, without_end, written, written_in
from muster.pipeline.schemas import GOLD, TABLES

_UNUSED: Final = frozenset({"g_member_churn"})
_STREAMED: Final = frozenset({"g_lag_history", "g_hot_committers"})

Keep = Callable[[pa.Table], pa.Table]
"""From a piece of a table to the rows that the page needs, in the same columns."""


def read_tables(lake: Lake, generated_ms: int) -> dict[str, pa.Table]:
    require_gold(lake)
    tables = {name: lake.arrow(name) for name in GOLD if name not in _UNUSED | _STREAMED}
    facts = gather(tables, generated_ms)
    since_ms = facts.end_ms - limits.REBALANCE_DAYS * DAY_MS
    tables["g_hot_committers"] = _stream(lake, "g_hot_committers", ("hour_ms", since_ms), lambda rows: rows)
    tables["g_lag_history"] = _history(lake, facts)
    tables[HOURS] = _hours(lake, facts)
    groups = panel_groups(facts)
    tables["s_group_generation"] = _stream(lake, "s_group_generation", None, lambda rows: _of_groups(rows, groups))
    tables["s_assignment"] = _assignments(lake, facts, tables["s_group_generation"])
    return tables


def _stream(lake: Lake, table: str, since: Since | None, keep: Keep) -> pa.Table:
    """What is kept of a table that need not fit into memory. Pieces that end before `since` are not even read."""
    return pa.concat_tables([TABLES[table].empty_table(), *(keep(rows) for rows in lake.batches(table, since=since))])


def _of_groups(rows: pa.Table, keys: Iterable[GroupKey]) -> pa.Table:
    return rows.filter(pc.is_in(rows["group_id"], pa.array([key.group_id for key in keys], pa.string())))


def _assignments(lake: Lake, facts: Facts, generations: pa.Table) -> pa.Table:
    """From the generation that held when the window began; a quiet group's may be months old."""
    groups = panel_groups(facts)
    first = {key: _held_at(of_group(generations, key), facts.end_ms - limits.WINDOW_MS) for key in groups}

    def keep(rows: pa.Table) -> pa.Table:
        few = _of_groups(rows, groups)
        pieces = [of_group(few, key) for key in groups]
        since = [
            piece.filter(pc.greater_equal(piece["log_offset"], first[key]))
            for key, piece in zip(groups, pieces, strict=True)
        ]
        return pa.concat_tables([few.slice(0, 0), *since])

    return _stream(lake, "s_assignment", None, keep)


def _held_at(generations: pa.Table, at_ms: int) -> int:
    """The log offset of the newest generation that was there at that time."""
    offset: int | None = pc.max(
        generations.filter(pc.less_equal(generations["record_ms"], at_ms))["log_offset"]
    ).as_py()
    return 0 if offset is None else offset


def _history(lake: Lake, facts: Facts) -> pa.Table:
    shown = facts.groups[: limits.HEAT_GROUPS]
    groups = panel_groups(facts)
    plotted = _places_of(facts, groups, limits.PANEL_PARTITIONS)
    lost = written_in(_of_groups(without_end(facts.table("g_lag")), shown))
    lost = lost.filter(pc.invert(pc.is_in(lost, plotted)))

    def keep(rows: pa.Table) -> pa.Table:
        few = _of_groups(rows, shown)
        whole, last = at_places(_of_groups(few, groups), plotted), newest_with_end(at_places(few, lost))
        return pa.concat_tables([whole, last, _worst_a_minute(few)])

    return _stream(lake, "g_lag_history", ("minute_ms", facts.end_ms - limits.WINDOW_MS - limits.SILENT_ROWS_MS), keep)


def _hours(lake: Lake, facts: Facts) -> pa.Table:
    """More days than the window has, but only the last row of each hour, of the groups that have a panel."""
    groups = panel_groups(facts)
    plotted = _places_of(facts, groups, limits.CALENDAR_PARTITIONS)

    def keep(rows: pa.Table) -> pa.Table:
        return last_of_each_hour(at_places(_of_groups(rows, groups), plotted))

    return _stream(lake, "g_lag_history", ("minute_ms", calendar_start_ms(facts.end_ms)), keep)


def _places_of(facts: Facts, groups: Iterable[GroupKey], most: int) -> pa.Array:
    return written(row for key in groups for row in worst_partitions(facts, key, most))


def _worst_a_minute(rows: pa.Table) -> pa.Table:
    """The longest time lag of a group in each minute, apart for those with an upper end and those that are lower bounds.

    In the columns of the history, as rows of no partition in particular.
    """
    keyed = rows.select(["cluster", "group_id", "minute_ms", "time_lag_est_ms"])
    groups = Grouped(
        keyed.append_column("bounded", pc.is_valid(rows["time_lag_hi_ms"])),
        ["cluster", "group_id", "minute_ms", "bounded"],
    )
    estimate = groups.largest_array("time_lag_est_ms")
    bounded = groups.first_rows["bounded"]
    known = {
        **{name: groups.first_rows[name] for name in ("cluster", "group_id", "minute_ms")},
        "time_lag_est_ms": estimate,
        "time_lag_hi_ms": pc.if_else(bounded, pc.fill_null(estimate, 0), pa.scalar(None, pa.int64())),
    }
    schema = TABLES["g_lag_history"]
    columns = [known.get(field.name, pa.nulls(len(groups.keys), field.type)) for field in schema]
    return pa.table(columns, schema=schema)
