"""When each group rebalanced, coloured by the family of the cause; storms and rolling restarts as bands behind.

Rebalances that would print over each other share a column, split by how many were of each cause: a storm stays readable.
"""

from __future__ import annotations

from collections import Counter, defaultdict

import pyarrow as pa
import pyarrow.compute as pc

from muster.pipeline.report import kinds, limits, words
from muster.pipeline.report.facts import Facts, GroupKey, Row, top, within
from muster.pipeline.report.grouping import Grouped
from muster.pipeline.report.links import row_label
from muster.pipeline.report.marks import PLOT_WIDTH, RowOfMarks, box, legend, row_frame
from muster.pipeline.report.markup import Html, tag, together, visible
from muster.pipeline.report.plots.figure import figure, left_out, nothing
from muster.pipeline.report.scales import TimeScale

_ROW = 24
_TALL = _ROW - 10
_COLUMN_WIDTHS = (4, 8, 16, 32)
_HEADING = "Rebalances over time"

Columns = dict[int, list[Row]]
_COLUMNS = [
    *(
        "cluster",
        "group_id",
        "log_offset",
        "started_ms",
        "ended_ms",
        "join_phase_ms",
        "sync_phase_ms",
        "generation",
        "cause",
    ),
    *("trigger_member", "confidence", "members_before", "members_after", "partitions_moved"),
]


def timeline(facts: Facts) -> Html:
    recent = within(facts.table("g_rebalance"), "ended_ms", facts.start_ms, facts.end_ms)
    groups = Grouped(recent, ["cluster", "group_id"])
    counted = {GroupKey(*key): count for key, count in zip(groups.keys, groups.counts(), strict=True)}
    if not counted:
        return nothing(_HEADING, "No rebalance in this time.")
    order = {key: i for i, key in enumerate(facts.groups)}
    busiest = sorted(counted, key=lambda key: (-counted[key], order.get(key, len(order))))[: limits.TIMELINE_GROUPS]
    scale = TimeScale(facts.start_ms, facts.end_ms, PLOT_WIDTH)
    episodes = _episodes(facts, busiest)
    columns, width = _columns(recent, busiest, scale)
    rows = [_row(facts, key, columns[key], width, episodes[key], scale) for key in busiest]
    reads = (
        "One row a group, the one with most rebalances on top; one mark a rebalance, from its start to its end (UTC). Where many "
        "stand close together they share a column. A band with a dashed edge is a storm, one without a rolling restart."
    )
    hidden = left_out(len(counted) - len(busiest), "groups are", "they rebalanced less often.")
    drawn = row_frame(rows, row_height=_ROW, title=_HEADING, ticks=scale.ticks())
    look_for = "Look for crowded marks: a group that rebalances again and again gets little work done."
    return figure(_HEADING, look_for, reads, cause_legend(), drawn, left_out=hidden)


def cause_legend() -> Html:
    families = [(f"cause-{family}", word) for family, word in kinds.CAUSE_FAMILIES.items()]
    return legend(families, "Colours: cause of the rebalance")


def began_ms(row: Row) -> int:
    """The journal's start; from the log alone at least the sync phase is known."""
    if row["started_ms"] is not None:
        return int(row["started_ms"])
    return int(row["ended_ms"] - (row["join_phase_ms"] or 0) - (row["sync_phase_ms"] or 0))


def described(row: Row) -> str:
    """One rebalance in one line."""
    took = words.duration(row["ended_ms"] - began_ms(row))
    known = "" if row["started_ms"] is not None else " at least"
    who = f" by {visible(row['trigger_member'])}" if row["trigger_member"] else ""
    confidence = row["confidence"]
    sure = "" if confidence is None or confidence >= 1 else f" (inferred, {words.share(confidence)} sure)"
    return (
        f"{words.moment(row['ended_ms'])} UTC, generation {words.count(row['generation'])}: {visible(row['cause'])}{who}{sure}, "
        f"took{known} {took}, {words.count(row['members_before'])} to {words.count(row['members_after'])} members, "
        f"{words.count(row['partitions_moved'])} partitions moved"
    )


def _columns(recent: pa.Table, keys: list[GroupKey], scale: TimeScale) -> tuple[dict[GroupKey, Columns], int]:
    """Rebalances by the column in which they began, with columns wide enough that they are not too many."""
    wanted = pc.is_in(recent["group_id"], pa.array([key.group_id for key in keys], pa.string()))
    rows = [
        (GroupKey(row["cluster"], row["group_id"]), scale.x(began_ms(row)), row)
        for row in recent.filter(wanted).select(_COLUMNS).sort_by("ended_ms").to_pylist()
    ]
    for width in _COLUMN_WIDTHS:
        columns: dict[GroupKey, Columns] = defaultdict(lambda: defaultdict(list))
        for key, x, row in rows:
            columns[key][int(x // width)].append(row)
        if sum(len(columns[key]) for key in keys) <= limits.TIMELINE_COLUMNS:
            break
    return columns, width


def _row(
    facts: Facts, key: GroupKey, columns: Columns, width: int, episodes: list[Row], scale: TimeScale
) -> RowOfMarks:
    bands = [_band(episode, scale) for episode in episodes]
    marks = [
        _single(rows[0], scale) if len(rows) == 1 else _crowd(number * width, width, rows)
        for number, rows in sorted(columns.items())
    ]
    families = Counter(kinds.cause_family(row["cause"]) for rows in columns.values() for row in rows)
    mostly = " or ".join(kinds.CAUSE_FAMILIES[family] for family, _ in families.most_common(2))
    spoken = f"{facts.plain(key)}: {words.many(families.total(), 'rebalance')}, mostly because {mostly}"
    return RowOfMarks(row_label(facts, key), together((*bands, *marks)), spoken, facts.plain(key))


def _single(row: Row, scale: TimeScale) -> Html:
    x = scale.x(began_ms(row))
    width = max(scale.x(row["ended_ms"]) - x, 3)
    family = kinds.cause_family(row["cause"])
    return box(min(x, PLOT_WIDTH - width), 5, width, _TALL, class_=f"cause-{family}", data_tip=described(row))


def _crowd(x: int, width: int, rows: list[Row]) -> Html:
    counted = Counter(kinds.cause_family(row["cause"]) for row in rows)
    said = ", ".join(
        f"{counted[family]} because {word}" for family, word in kinds.CAUSE_FAMILIES.items() if counted[family]
    )
    first, last = words.clock(rows[0]["ended_ms"], seconds=True), words.clock(rows[-1]["ended_ms"], seconds=True)
    pieces, y = [], 5.0
    for family in kinds.CAUSE_FAMILIES:
        if counted[family]:
            height = _TALL * counted[family] / len(rows)
            pieces.append(box(x, y, width - 0.5, height, class_=f"cause-{family}"))
            y += height
    tip = f"{words.many(len(rows), 'rebalance')} from {first} to {last} UTC: {said}"
    return tag("g", together(pieces), data_tip=tip)


def _band(episode: Row, scale: TimeScale) -> Html:
    begin = episode["started_ms"] if episode["started_ms"] is not None else episode["ended_ms"]
    x, end = scale.x(begin), scale.x(episode["ended_ms"])
    lasted = words.duration(episode["ended_ms"] - begin)
    kind = episode["kind"].replace("_", " ")
    tip = f"{kind} from {words.moment(begin)}: {words.many(episode['n_rebalances'], 'rebalance')} in {lasted}"
    return box(x - 3, 1, end - x + 6, _ROW - 2, class_=f"episode episode-{episode['kind']}", data_tip=tip)


def _episodes(facts: Facts, keys: list[GroupKey]) -> dict[GroupKey, list[Row]]:
    """The storms and rolling restarts of these groups; single rebalances need no band."""
    rows = within(facts.of_groups("g_rebalance_episode", keys), "ended_ms", facts.start_ms, facts.end_ms)
    notable = rows.filter(pc.is_in(rows["kind"], pa.array(["storm", "rolling_restart"])))
    found: dict[GroupKey, list[Row]] = defaultdict(list)
    newest_first = [("ended_ms", "descending"), ("group_id", "ascending"), ("episode", "descending")]
    for row in top(notable, newest_first, limits.TIMELINE_EPISODES):
        found[GroupKey(row["cluster"], row["group_id"])].append(row)
    return found
