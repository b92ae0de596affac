"""Every group twice: how late it was at its last commit, and how late it is now. The difference is how long it has been silent."""

from __future__ import annotations

import math
from typing import Final

import pyarrow as pa
import pyarrow.compute as pc

from muster.pipeline.report import kinds, limits, words
from muster.pipeline.report.facts import Facts, GroupKey, Row, is_late_open, top
from muster.pipeline.report.grouping import Grouped
from muster.pipeline.report.marks import dot, drawing, legend, line, words_at
from muster.pipeline.report.markup import Html, tag, together, visible
from muster.pipeline.report.plots.figure import figure, left_out, nothing
from muster.pipeline.report.scales import Scale

_LEFT, _TOP, _SIDE = 64, 26, 340
_WIDTH = 760
_PAD = 10
_NAMED_MS = 60_000
_LATEST = limits.SCATTER_GROUPS // 2
_HEADING = "Late at its last commit, late now"
_TICKS: Final = (
    (0, "0"),
    (1_000, "1 s"),
    (10_000, "10 s"),
    (60_000, "1 min"),
    (600_000, "10 min"),
    (3_600_000, "1 h"),
    (21_600_000, "6 h"),
    (86_400_000, "1 d"),
    (604_800_000, "7 d"),
    (2_592_000_000, "30 d"),
)
_TONES: Final = (
    ("bad", "stalled, stopped, unowned or losing records"),
    ("doubtful", "slow, rewound or without position"),
    ("busy", "catching up"),
    ("unknown", "not known"),
    ("good", "OK or idle"),
)
_WELL: Final = frozenset({"good", "busy"})


def commit_scatter(facts: Facts) -> Html:
    table = facts.table("g_lag")
    known = _known(table)
    if known.num_rows == 0:
        return nothing(_HEADING, "No commit of which this lake knows how late it was.")
    order = [("time_lag_est_ms", "descending"), ("topic", "ascending"), ("partition", "ascending")]
    doubtful = _doubtful(table)
    worst = _without_doubtful(Grouped(known.sort_by(order), ["cluster", "group_id"]).first_rows, doubtful)
    ordered = top(
        worst,
        [("time_lag_est_ms", "descending"), ("group_id", "ascending"), ("cluster", "ascending")],
        worst.num_rows,
    )
    shown = sampled(ordered)
    longest = max((max(row["time_lag_est_ms"], at_commit_ms(row)) for row in shown), default=0)
    scale = Scale(_log(0), _log(max(longest * 1.5, 10_000)), _PAD, _SIDE)
    statuses = _statuses(facts, shown)
    # The worst are drawn last and stand over the others; their names go into the free corner.
    dots = together(_mark(facts, row, statuses, scale, doubtful) for row in reversed(shown))
    reads = (
        "One point a group: its partition with the longest time lag. To the right: how late the last committed record was when it "
        "was committed. Up: how late that place is now. On the dashed line the group has just committed."
    )
    look_for = (
        "Look for points high above the dashed line: they committed in time and then stopped. "
        "Points far out on the line still commit, but read too slowly or not at all."
    )
    hidden = left_out(
        len(ordered) - len(shown), "groups are", f"the {_LATEST} latest are all here, of the others an even choice."
    )
    unknown = len(Grouped(table, ["cluster", "group_id"]).keys) - len(ordered)
    if unknown:
        hidden = f"{hidden or ''} {words.many(unknown, 'group')} not drawn: nobody knows how late.".strip()
    content = together((_axes(scale), dots, _names(facts, shown, scale)))
    plot = drawing(content, _WIDTH, _TOP + _SIDE + 40, _HEADING)
    colours = legend([(f"tone-{tone}", word) for tone, word in _TONES], "Colours: status of the partition")
    return figure(_HEADING, look_for, reads, colours, plot, left_out=hidden)


def sampled(ordered: list[Row]) -> list[Row]:
    """The latest, all of them, and of the others every so many-eth: the cloud keeps its shape."""
    rest = ordered[_LATEST:]
    room = limits.SCATTER_GROUPS - _LATEST
    if len(rest) <= room:
        return ordered
    return [*ordered[:_LATEST], *(rest[i * len(rest) // room] for i in range(room))]


def _known(table: pa.Table) -> pa.Table:
    """A lower bound of nothing is no answer: such a point would lie where the groups lie that are in time."""
    return table.filter(pc.and_(_was_known(table), pc.is_valid(table["time_lag_est_ms"])))


def _was_known(table: pa.Table) -> pa.ChunkedArray:
    """Whether anything is known of how late each partition was at its last commit."""
    lowest, highest = table["lag_at_commit_lo_ms"], table["lag_at_commit_hi_ms"]
    return pc.fill_null(pc.or_(pc.is_valid(highest), pc.greater(lowest, 0)), False)


def _doubtful(table: pa.Table) -> set[GroupKey]:
    """Groups with a partition that may be later than is known, or that is late and of which nobody knows how late it was."""
    is_late = pc.fill_null(pc.greater(table["time_lag_est_ms"], 0), False)
    mask = pc.or_(is_late_open(table), pc.and_(is_late, pc.invert(_was_known(table))))
    keys = Grouped(table.filter(mask), ["cluster", "group_id"]).keys
    return {GroupKey(*key) for key in keys}


def _without_doubtful(worst: pa.Table, doubtful: set[GroupKey]) -> pa.Table:
    """Without doubtful groups that are not late in what is known."""
    keys = zip(*(worst[name].to_pylist() for name in ("cluster", "group_id", "time_lag_est_ms")), strict=True)
    return worst.filter(
        pa.array([late > 0 or GroupKey(cluster, group) not in doubtful for cluster, group, late in keys], pa.bool_())
    )


def at_commit_ms(row: Row) -> int:
    """The middle of the bracket; its lower end where nobody knows the upper one."""
    low: int = max(row["lag_at_commit_lo_ms"], 0)
    high: int | None = row["lag_at_commit_hi_ms"]
    return low if high is None or high < low else (low + high) // 2


def _statuses(facts: Facts, shown: list[Row]) -> dict[tuple[GroupKey, str, int], str]:
    own = facts.of_groups("g_status", [GroupKey(row["cluster"], row["group_id"]) for row in shown])
    rows = own.select(["cluster", "group_id", "topic", "partition", "status"]).to_pylist()
    return {(GroupKey(r["cluster"], r["group_id"]), r["topic"], r["partition"]): r["status"] for r in rows}


def _log(ms: float) -> float:
    """Zero has a place on this scale: below a tenth of a second nobody looks."""
    return math.log10(max(ms, 0) + 100)


def _x(scale: Scale, ms: float) -> float:
    return _LEFT + scale.at(_log(ms))


def _y(scale: Scale, ms: float) -> float:
    return _TOP + _SIDE - scale.at(_log(ms))


def _axes(scale: Scale) -> Html:
    bottom, right = _TOP + _SIDE, _LEFT + _SIDE
    marks = []
    for ms, word in _TICKS:
        if _log(ms) > scale.high:
            break
        x, y = _x(scale, ms), _y(scale, ms)
        marks.append(line(x, _TOP, x, bottom, class_="grid"))
        marks.append(line(_LEFT, y, right, y, class_="grid"))
        marks.append(words_at(x, bottom + 15, word, class_="tick", text_anchor="middle"))
        marks.append(words_at(_LEFT - 6, y + 4, word, class_="tick", text_anchor="end"))
    return together(
        (
            *marks,
            line(_LEFT, bottom, right, _TOP, class_="even"),
            words_at(_LEFT + _SIDE / 2, bottom + 34, "late at its last commit →", class_="tick", text_anchor="middle"),
            words_at(_LEFT - 6, 10, "late now ↑", class_="tick", text_anchor="end"),
            words_at(
                _LEFT + 0.24 * _SIDE, _TOP + 0.32 * _SIDE, "in time, then silent", class_="zone", text_anchor="middle"
            ),
            words_at(right - 6, _TOP + 0.45 * _SIDE, "commits, but late", class_="zone", text_anchor="end"),
        )
    )


def _mark(
    facts: Facts, row: Row, statuses: dict[tuple[GroupKey, str, int], str], scale: Scale, doubtful: set[GroupKey]
) -> Html:
    key = GroupKey(row["cluster"], row["group_id"])
    status = statuses.get((key, row["topic"], row["partition"]))
    tone, is_doubtful = kinds.status_tone(status), key in doubtful
    is_least = is_doubtful or row["time_lag_hi_ms"] is None
    at_least = " at least" if is_least else ""
    others = ", another partition not known" if is_doubtful and row["time_lag_hi_ms"] is not None else ""
    tip = (
        f"{facts.plain(key)}, {visible(row['topic'], 40)}-{row['partition']}: "
        f"late{at_least} {words.duration(row['time_lag_est_ms'])} now{others}, "
        f"{words.duration(at_commit_ms(row))} at its last commit {words.duration(row['commit_age_ms'])} ago, {visible(status)}"
    )
    return dot(
        _x(scale, at_commit_ms(row)),
        _y(scale, row["time_lag_est_ms"]),
        4.5,
        # The partition may be well; whether its group is in time, nobody knows.
        class_=f"tone-{'unknown' if is_least and tone in _WELL else tone}",
        data_tip=tip,
    )


def _names(facts: Facts, shown: list[Row], scale: Scale) -> Html:
    """The latest by name, beside the plot, with a thin line to each point."""
    rows = sorted(
        (row for row in shown[: limits.SCATTER_NAMES] if row["time_lag_est_ms"] >= _NAMED_MS),
        key=lambda row: _y(scale, row["time_lag_est_ms"]),
    )
    right, low = _LEFT + _SIDE + 24, 0.0
    drawn = []
    for row in rows:
        x, y = _x(scale, at_commit_ms(row)), _y(scale, row["time_lag_est_ms"])
        low = max(y, low + 16, _TOP + 8)
        name = facts.beside(GroupKey(row["cluster"], row["group_id"]), 34)
        drawn.append(line(x + 5, y, right - 4, low, class_="lead"))
        drawn.append(words_at(right, low + 4, f"{name}, {words.duration(row['time_lag_est_ms'])}", class_="beside"))
    return tag("g", together(drawn), aria_hidden="true")
