"""When each group rebalanced, coloured by the family of the cause; storms and rolling restarts as bands behind."""

from __future__ import annotations

from collections import Counter, defaultdict

import pyarrow as pa
import pyarrow.compute as pc

from muster.pipeline.report import kinds, limits, words
from muster.pipeline.report.facts import Facts, GroupKey, Row, top
from muster.pipeline.report.links import group_link
from muster.pipeline.report.markup import Html, together, visible
from muster.pipeline.report.marks import PLOT_WIDTH, RowOfMarks, box, legend, row_frame
from muster.pipeline.report.plots.figure import figure, left_out, nothing
from muster.pipeline.report.scales import TimeScale

_ROW = 24
_HEADING = "Rebalances over time"


def timeline(facts: Facts) -> Html:
    recent = in_window(facts.table("g_rebalance"), facts)
    counted = Counter(
        GroupKey(cluster, group)
        for cluster, group in zip(recent["cluster"].to_pylist(), recent["group_id"].to_pylist(), strict=True)
    )
    if not counted:
        return nothing(_HEADING, "No rebalance in this time.")
    order = {key: i for i, key in enumerate(facts.groups)}
    busiest = sorted(counted, key=lambda key: (-counted[key], order.get(key, len(order)), key))[
        : limits.TIMELINE_GROUPS
    ]
    scale = TimeScale(facts.start_ms, facts.end_ms, PLOT_WIDTH)
    episodes = _episodes(facts, busiest)
    rows = [_row(facts, key, recent, episodes[key], scale, counted[key]) for key in busiest]
    reads = (
        "One row a group, the one with most rebalances on top; one mark a rebalance, from its start to its end (UTC). "
        "A striped band is a storm, a plain band a rolling restart."
    )
    hidden = left_out(len(counted) - len(busiest), "groups are", "they rebalanced less often.")
    drawn = row_frame(rows, row_height=_ROW, title=_HEADING, ticks=scale.ticks())
    return figure(_HEADING, reads, cause_legend(), drawn, left_out=hidden)


def cause_legend() -> Html:
    return legend(
        [(f"cause-{family}", word) for family, word in kinds.CAUSE_FAMILIES.items()], "Colours: cause of the rebalance"
    )


def in_window(table: pa.Table, facts: Facts) -> pa.Table:
    """Rebalances that ended in the page's window."""
    ended = table["ended_ms"]
    return table.filter(pc.and_(pc.greater_equal(ended, facts.start_ms), pc.less_equal(ended, facts.end_ms)))


def began_ms(row: Row) -> int:
    """The journal's start; from the log alone at least the sync phase is known."""
    if row["started_ms"] is not None:
        return int(row["started_ms"])
    return int(row["ended_ms"] - (row["join_phase_ms"] or 0) - (row["sync_phase_ms"] or 0))


def described(row: Row) -> str:
    """One rebalance in one line."""
    took = words.duration(row["ended_ms"] - began_ms(row))
    known = "" if row["started_ms"] is not None else " at least"
    who = f" by {visible(row['trigger_member'], limits.NAME_CHARACTERS)}" if row["trigger_member"] else ""
    sure = (
        ""
        if row["confidence"] is None or row["confidence"] >= 1
        else f" (inferred, {words.share(row['confidence'])} sure)"
    )
    return (
        f"{words.moment(row['ended_ms'])} UTC, generation {row['generation']}: {visible(row['cause'])}{who}{sure}, took{known} {took}, "
        f"{words.count(row['members_before'])} to {words.count(row['members_after'])} members, "
        f"{words.count(row['partitions_moved'])} partitions moved"
    )


def _row(
    facts: Facts, key: GroupKey, recent: pa.Table, episodes: list[Row], scale: TimeScale, count: int
) -> RowOfMarks:
    own = recent.filter(pc.and_(pc.equal(recent["cluster"], key.cluster), pc.equal(recent["group_id"], key.group_id)))
    newest = top(own, [("ended_ms", "descending"), ("log_offset", "descending")], limits.TIMELINE_MARKS)
    bands = [_band(episode, scale) for episode in episodes]
    marks = [_mark(row, scale) for row in reversed(newest)]
    causes = Counter(kinds.CAUSE_FAMILIES[kinds.cause_family(row["cause"])] for row in newest).most_common(2)
    spoken = f"{facts.plain(key)}: {words.many(count, 'rebalance')}, mostly because {' or '.join(cause for cause, _ in causes)}"
    if count > len(newest):
        spoken += f"; the newest {len(newest)} are drawn"
    return RowOfMarks(group_link(facts, key), together((*bands, *marks)), spoken, facts.plain(key))


def _mark(row: Row, scale: TimeScale) -> Html:
    x = scale.x(began_ms(row))
    width = max(scale.x(row["ended_ms"]) - x, 3)
    return box(
        min(x, PLOT_WIDTH - width),
        5,
        width,
        _ROW - 10,
        class_=f"mark cause-{kinds.cause_family(row['cause'])}",
        data_tip=described(row),
    )


def _band(episode: Row, scale: TimeScale) -> Html:
    begin = episode["started_ms"] if episode["started_ms"] is not None else episode["ended_ms"]
    x, end = scale.x(begin), scale.x(episode["ended_ms"])
    tip = (
        f"{visible(episode['kind']).replace('_', ' ')} from {words.moment(begin)}: {words.many(episode['n_rebalances'], 'rebalance')} "
        f"in {words.duration(episode['ended_ms'] - begin)}"
    )
    return box(x - 3, 1, end - x + 6, _ROW - 2, class_=f"episode episode-{episode['kind']}", data_tip=tip)


def _episodes(facts: Facts, keys: list[GroupKey]) -> dict[GroupKey, list[Row]]:
    rows = in_window(facts.of_groups("g_rebalance_episode", keys), facts)
    notable = rows.filter(pc.is_in(rows["kind"], pa.array(["storm", "rolling_restart"])))
    found: dict[GroupKey, list[Row]] = defaultdict(list)
    for row in top(notable, [("ended_ms", "descending"), ("episode", "descending")], limits.TIMELINE_GROUPS * 20):
        found[GroupKey(row["cluster"], row["group_id"])].append(row)
    return found
