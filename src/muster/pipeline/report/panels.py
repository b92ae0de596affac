"""Everything about one group, for the groups to look at first. One is shown at a time; without scripts they follow each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from muster.pipeline.report import kinds, limits, words
from muster.pipeline.report.facts import (
    Facts,
    GroupKey,
    Row,
    is_late_open,
    minutes_within,
    top,
    within,
    worst_partitions,
)
from muster.pipeline.report.links import panel_groups, panel_id
from muster.pipeline.report.marks import legend
from muster.pipeline.report.markup import Html, tag, together, visible
from muster.pipeline.report.places import without_end
from muster.pipeline.report.plots import balance, calendar, lanes, lorenz, members, phases
from muster.pipeline.report.plots.figure import figure, left_out, nothing
from muster.pipeline.report.plots.lines import partition_lines
from muster.pipeline.report.tabs import tabbed

_HEADING = "End and committed offset"


def panels(facts: Facts) -> Html:
    groups = panel_groups(facts)
    if not groups:
        return tag("p", "No group in this lake.", class_="nothing")
    choices = (tag("option", facts.plain(key), value=panel_id(i)) for i, key in enumerate(groups))
    chooser = tag(
        "p",
        tag("label", "Group ", for_="group-choice"),
        tag("select", together(choices), id="group-choice"),
        class_="chooser",
    )
    hidden = left_out(
        len(facts.groups) - len(groups),
        "groups have no panel and are",
        "they need less attention. The tables below have more.",
    )
    drawn = (panel(facts, key, panel_id(i)) for i, key in enumerate(groups))
    return together((chooser, tag("p", hidden, class_="left-out") if hidden else None, *drawn))


def panel(facts: Facts, key: GroupKey, anchor: str, *, is_past: bool = False) -> Html:
    """`is_past`: it ends before the newest fact, so what is only known of now is left out."""
    return tag(
        "article",
        tag("h3", facts.label(key), class_="group-name"),
        tag("p", _summary(facts, key, is_past), class_="group-summary"),
        _lines(facts, key, anchor),
        calendar.status_calendar(facts, key),
        phases.phases(facts, key),
        lanes.lanes(facts, key),
        members.members(facts, key),
        None if is_past else balance.one_group(facts, key),
        None if is_past else lorenz.lorenz(facts, key),
        id=anchor,
        class_="panel",
        aria_label=f"Group {facts.plain(key)}",
    )


def _summary(facts: Facts, key: GroupKey, is_past: bool) -> Html:
    statuses = facts.of_group("g_status", key)
    counted = pc.value_counts(statuses["status"]).to_pylist()
    badges = (
        together((badge(entry["values"]), f" {words.many(entry['counts'], 'partition')} · "))
        for entry in sorted(counted, key=lambda entry: kinds.severity(entry["values"]))
    )
    rebalances = words.many(facts.of_group("g_rebalance", key).num_rows, "rebalance")
    if is_past:
        return tag("span", f"At {words.moment(facts.end_ms)} UTC: {_behind(facts, key)}{rebalances} {facts.where}.")
    return together((*badges, tag("span", f"{_behind(facts, key)}{rebalances} {facts.where}.")))


def _behind(facts: Facts, key: GroupKey) -> str:
    """In records and in time; how late some partition is that nobody knows is at least that."""
    newest = top(facts.of_group("g_group_lag", key), [("at_ms", "descending")], 1)
    if not newest:
        return ""
    time_lag, lag = newest[0]["time_lag_max_ms"], facts.of_group("g_lag", key)
    is_open = pc.any(is_late_open(lag)).as_py()
    behind = newest[0]["lag_sum"]
    if behind is None:
        return "How many records behind is not known. "
    if time_lag is None or (is_open and time_lag == 0):
        late = "how long is not known"
    else:
        late = f"{'at least ' if is_open else ''}{words.duration(time_lag)} at worst"
    least = "at least " if without_end(lag).num_rows else ""
    return f"{least}{words.count(behind)} records behind, {late}. "


def badge(status: str | None) -> Html:
    return tag("span", visible(status).replace("_", " "), class_=f"badge {kinds.status_tone(status)}")


def _lines(facts: Facts, key: GroupKey, anchor: str) -> Html:
    worst = worst_partitions(facts, key, limits.PANEL_PARTITIONS)
    if not worst:
        return nothing(_HEADING, f"No committed offset of this group {facts.where}.")
    history = minutes_within(facts.of_group("g_lag_history", key), facts.start_ms, facts.end_ms)
    rebalances = _spread(
        within(facts.of_group("g_rebalance", key), "ended_ms", facts.start_ms, facts.end_ms)["ended_ms"].to_pylist(), 60
    )
    views = [(plain_partition(row), _view(facts, row, history, rebalances)) for row in worst]
    reads = (
        "Offsets of one partition (UTC). The bracket is the time lag: from now back to when the first unread record was written; "
        "the shaded part is what nobody can know between two samples. Upright lines are rebalances."
    )
    colours = legend(
        [
            ("line-end", "end of the partition"),
            ("line-committed", "committed"),
            ("bracket", "time lag"),
            ("rebalance-rule", "rebalance"),
        ],
        "Lines",
    )
    hidden = left_out(
        facts.of_group("g_lag", key).num_rows - len(worst),
        "partitions are",
        "they are less behind. The lag table has more.",
    )
    look_for = (
        "Look at the gap between the lines: it is what nobody has read yet, and it should not widen to the right."
    )
    return figure(_HEADING, look_for, reads, colours, tabbed(views, f"{anchor}-p", "Partition"), left_out=hidden)


def _view(facts: Facts, row: Row, history: pa.Table, rebalances: list[int]) -> Html:
    own = history.filter(
        pc.and_(pc.equal(history["topic"], row["topic"]), pc.equal(history["partition"], row["partition"]))
    )
    title = f"{_HEADING} of {plain_partition(row)}"
    behind = words.time_lag_of(row)
    said = (
        f"{plain_partition(row)}: committed {words.count(row['committed'])} of {words.count(row['end'])}, "
        f"{words.records_behind(row)}, time lag {behind} (method {visible(row['method'])})"
    )
    if row["commit_ms"] is not None:
        said += f", last commit {words.duration(row['commit_age_ms'])} before, owner {visible(row['owner'])}"
    plot = partition_lines(own, row, rebalances, facts.start_ms, facts.end_ms, title)
    return together((tag("p", f"{said}."), plot))


def plain_partition(row: Row) -> str:
    return f"{visible(row['topic'], 40)}-{row['partition']}"


def _spread(values: Sequence[Any], most: int) -> list[int]:
    """At most so many of the sorted values, evenly chosen."""
    ordered = sorted(value for value in values if value is not None)
    return ordered if len(ordered) <= most else [ordered[i * len(ordered) // most] for i in range(most)]
