"""Facts from a few rows, and the marks of a plot read back from its SVG."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

from muster.pipeline.report.facts import Facts, GroupKey, gather
from tests.pipeline.report.sample_lag import CLUSTER, END
from tests.pipeline.report.sample_lake import as_table

KEY = GroupKey(CLUSTER, "g")
Row = dict[str, Any]


def facts_of(**rows: list[Row]) -> Facts:
    """Every row is of group `g` unless it says otherwise."""
    filled = {name: [{"cluster": CLUSTER, "group_id": "g", **row} for row in made] for name, made in rows.items()}
    return gather({name: as_table(name, made) for name, made in filled.items()}, END)


def minute_of(ms: int, est: int | None, hi: int | None, partition: int = 0) -> Row:
    """A row of the history: the estimate of its time lag, and the upper end."""
    return {"topic": "t", "partition": partition, "minute_ms": ms, "time_lag_est_ms": est, "time_lag_hi_ms": hi}


def marks_of(svg: str, kind: str = "") -> list[dict[str, str]]:
    """The attributes of every mark with words, in order; only those of a class if one is named."""
    found = []
    for text in re.findall(r"<(?:rect|circle|g)\b([^>]*data-tip[^>]*)>", svg):
        attributes = {name: unescape(value) for name, value in re.findall(r'([\w-]+)="([^"]*)"', text)}
        if kind in attributes.get("class", "").split() or not kind:
            found.append(attributes)
    return found
