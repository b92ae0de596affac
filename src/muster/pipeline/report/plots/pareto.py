"""Few groups make most of it: which ones, of the records that wait and of the commits in the log.

Each bar begins where the one above ends, so the right ends are the cumulative share, on one axis from 0 to 100 %.
"""

from __future__ import annotations

from dataclasses import dataclass

from muster.pipeline.report import limits, words
from muster.pipeline.report.facts import Facts, GroupKey
from muster.pipeline.report.grouping import Grouped
from muster.pipeline.report.links import row_label
from muster.pipeline.report.marks import PLOT_WIDTH, RowOfMarks, box, legend, row_frame, words_at
from muster.pipeline.report.markup import Html, tag, together
from muster.pipeline.report.places import not_counted, without_end
from muster.pipeline.report.plots.figure import figure, nothing
from muster.pipeline.report.scales import Scale

_ROW = 20
_ROOM = 190
_LAG = "Who the waiting records belong to"
_COMMITS = "Who fills the log with commits"


@dataclass(frozen=True, slots=True)
class Portion:
    amount: int
    useless: int = 0


def lag_pareto(facts: Facts) -> Html:
    table = facts.table("g_lag")
    groups, unknown = Grouped(table, ["cluster", "group_id"]), not_counted(without_end(table))
    portions = {GroupKey(*key): Portion(lag) for key, lag in zip(groups.keys, groups.totals("lag"), strict=True)}
    return _pareto(
        facts,
        portions,
        _LAG,
        "record",
        "No record waits, as far as this lake knows." if not unknown else f"No record is known to wait. {unknown}",
        "Look how soon the bars reach the right edge: two long bars mean that two groups are the whole problem.",
        "All unread records of all groups, the largest part on top; each bar begins where the one above ends.",
        left_out=unknown,
    )


def commit_pareto(facts: Facts) -> Html:
    groups = Grouped(facts.table("g_hot_committers"), ["cluster", "group_id"])
    sums = zip(groups.keys, groups.totals("commits"), groups.totals("useless"), strict=True)
    portions = {GroupKey(*key): Portion(commits, useless) for key, commits, useless in sums}
    return _pareto(
        facts,
        portions,
        _COMMITS,
        "commit",
        "No commit in the hours whose history is whole.",
        "Look for a long bar that is mostly faded: that group floods the log and says nothing new.",
        f"All commits of up to {limits.REBALANCE_DAYS} days in hours of whole history, the busiest group on top; each bar begins "
        "where the one above ends. Faded: the offset was the same as before.",
        legend([("bar", "moved the offset"), ("bar-useless", "said the same again")], "Colours: kind of commit"),
    )


def _pareto(
    facts: Facts,
    portions: dict[GroupKey, Portion],
    heading: str,
    unit: str,
    empty: str,
    look_for: str,
    reads: str,
    colours: Html | None = None,
    left_out: str = "",
) -> Html:
    some = {key: portion for key, portion in portions.items() if portion.amount > 0}
    if not some:
        return nothing(heading, empty)
    total = sum(portion.amount for portion in some.values())
    order = sorted(some, key=lambda key: (-some[key].amount, key))
    shown = order[: limits.PARETO_GROUPS]
    scale = Scale(0, total, 0, PLOT_WIDTH - _ROOM)
    rows, so_far = [], 0
    for key in shown:
        rows.append(_row(row_label(facts, key), facts.plain(key), some[key], so_far, scale, unit))
        so_far += some[key].amount
    rest = order[len(shown) :]
    if rest:
        summed = Portion(total - so_far, sum(some[key].useless for key in rest))
        name = f"{words.count(len(rest))} other{'s' if len(rest) > 1 else ''}"
        rows.append(_row(tag("span", name), name, summed, so_far, scale, unit, "bar-others"))
    ticks = [(scale.at(total * part / 100), f"{part} %") for part in range(0, 101, 20)]
    drawn = row_frame(rows, row_height=_ROW, title=heading, ticks=ticks, to_now=False)
    return figure(heading, look_for, reads, colours, drawn, left_out=left_out)


def _row(
    label: Html, name: str, portion: Portion, before: int, scale: Scale, unit: str, kind: str = "bar"
) -> RowOfMarks:
    x, end = scale.at(before), scale.at(before + portion.amount)
    width = max(end - x, 1.5)
    pale = width * portion.useless / portion.amount
    share, so_far = portion.amount / scale.high, (before + portion.amount) / scale.high
    useless = f", {words.share(portion.useless / portion.amount)} useless" if portion.useless else ""
    said = f"{words.short_count(portion.amount)} · {words.share(share)}{useless}"
    tip = f"{words.many(portion.amount, unit)}, {words.share(share)} of all{useless}; with those above {words.share(so_far)}"
    marks = together(
        (
            box(x, 3, width - pale, _ROW - 6, class_=kind) if width > pale else None,
            box(x + width - pale, 3, pale, _ROW - 6, class_="bar-useless") if pale else None,
            words_at(scale.end + 12, _ROW - 6, said, class_="beside"),
            box(0, 0, PLOT_WIDTH, _ROW, class_="reading", data_tip=tip),
        )
    )
    return RowOfMarks(label, marks, f"{name}: {tip}", name)
