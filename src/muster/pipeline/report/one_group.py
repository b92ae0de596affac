"""The plots of one group over any span of time, for pages that are not the report: the console's history.

Reads of the lake what is about that group, which is little, and opens it anew each time: rounds are published meanwhile.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import replace
from importlib import resources

import pyarrow as pa
import pyarrow.compute as pc

from muster.core.time_units import DAY_MS, HOUR_MS
from muster.pipeline.lake.errors import LakeError
from muster.pipeline.lake.reader import Lake, Since
from muster.pipeline.query import require_gold
from muster.pipeline.report import markup
from muster.pipeline.report.as_of import tables_as_of
from muster.pipeline.report.facts import Facts, GroupKey, gather, within
from muster.pipeline.report.hours import HOURS, last_of_each_hour
from muster.pipeline.report.limits import SILENT_ROWS_MS
from muster.pipeline.report.panels import panel
from muster.pipeline.schemas import GOLD, TABLES

_TIMES = {"g_rebalance": "ended_ms", "g_rebalance_episode": "ended_ms", "g_lag_history": "minute_ms"}
_ALSO = ("s_group_generation", "s_assignment")


def group_history(
    lake_path: str, group: str, cluster: str, from_ms: int | None = None, to_ms: int | None = None
) -> str:
    """Markup of the plots; empty if the lake has nothing of the group, in that time or now. Without a span: its last day.

    LakeError: the lake cannot be read, or it knows the group in other clusters only.
    """
    lake = Lake.open(lake_path)
    require_gold(lake)
    newest_ms = _newest_ms(lake)
    end_ms = to_ms if to_ms is not None else newest_ms
    start_ms = from_ms if from_ms is not None else end_ms - DAY_MS
    start_ms = min(start_ms, end_ms - HOUR_MS // 60)
    since_ms = dict.fromkeys(_TIMES, start_ms) | {"g_lag_history": start_ms - SILENT_ROWS_MS}
    tables = {name: _of_group(lake, name, group, _since(name, since_ms)) for name in (*GOLD, *_ALSO)}
    for name, column in _TIMES.items():
        tables[name] = within(tables[name], column, since_ms[name], end_ms)
    tables[HOURS] = last_of_each_hour(tables["g_lag_history"])
    facts = gather(tables, time.time_ns() // 1_000_000)  # also groups that only the tables of now have
    is_past = end_ms < newest_ms
    shown = {**facts.tables, **{name: tables[name] for name in _TIMES}}  # however long ago
    if is_past:
        shown |= tables_as_of(shown, end_ms)
    facts = replace(facts, tables=shown, start_ms=start_ms, end_ms=end_ms, where="in this time")
    key = GroupKey(cluster, group)
    if key not in facts.groups:
        _refuse_namesakes(facts, cluster, group)
        return ""
    return panel(facts, key, "group-0", is_past=is_past)


def _refuse_namesakes(facts: Facts, cluster: str, group: str) -> None:
    others = [markup.visible(key.cluster) for key in facts.groups if key.group_id == group]
    if others:
        raise LakeError(
            f"the lake has no group {group!r} of cluster {cluster!r} in that time, but of that name in {', '.join(others)}:"
            " if that is this cluster, say so with --lake-cluster"
        )


def style_sheet() -> str:
    """What the plots are drawn with."""
    return resources.files("muster.pipeline.report").joinpath("assets", "page.css").read_text(encoding="utf-8")


def _since(table: str, since_ms: Mapping[str, int]) -> Since | None:
    return (_TIMES[table], since_ms[table]) if table in _TIMES else None


def _of_group(lake: Lake, table: str, group: str, since: Since | None) -> pa.Table:
    if "group_id" not in TABLES[table].names:
        return TABLES[table].empty_table()
    found = [rows.filter(pc.equal(rows["group_id"], group)) for rows in lake.batches(table, since=since)]
    return pa.concat_tables([TABLES[table].empty_table(), *found])


def _newest_ms(lake: Lake) -> int:
    newest: int | None = pc.max(lake.arrow("g_lag", ["at_ms"])["at_ms"]).as_py()
    return newest if newest is not None else time.time_ns() // 1_000_000
