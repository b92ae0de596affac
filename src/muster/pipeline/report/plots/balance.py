"""How evenly partitions are spread: one group's members as bars, and all groups by how much the busiest member carries."""

from __future__ import annotations

import pyarrow.compute as pc

from muster.pipeline.report import limits, words
from muster.pipeline.report.facts import Facts, GroupKey, Row, top
from muster.pipeline.report.grouping import Grouped
from muster.pipeline.report.links import row_label
from muster.pipeline.report.marks import PLOT_WIDTH, RowOfMarks, box, line, row_frame, words_at
from muster.pipeline.report.markup import Html, shared_end, together, two_parts, visible
from muster.pipeline.report.plots.figure import figure, left_out, nothing
from muster.pipeline.report.scales import Scale

_ROW = 20
_ROOM = 270
_ALL = "Assignment balance of all groups"
_ONE = "Partitions of each member"
_NOBODY = "No group has members with an assignment now. The table of balance has what was assigned before."


def all_groups(facts: Facts) -> Html:
    newest = _newest(facts)
    worst = sorted(newest.items(), key=lambda item: (-(item[1]["max_over_mean"] or 0), item[0]))
    if not worst:
        is_past = facts.table("g_assignment_balance").num_rows > 0
        return nothing(_ALL, _NOBODY if is_past else "No assignment in this lake.")
    shown = worst[: limits.BALANCE_GROUPS]
    scale = Scale(0, max(1.2, *(row["max_over_mean"] or 0 for _, row in shown)), 0, PLOT_WIDTH - _ROOM)
    rows = [_group_row(facts, key, row, scale) for key, row in shown]
    even = line(scale.at(1), 0, scale.at(1), _ROW * len(rows), class_="even")
    ticks = [(scale.at(value), f"{value:g}×") for value in scale.ticks(5)]
    reads = (
        "Partitions of the busiest member over the mean of all members. At the upright line (1×) everybody has the same; "
        "3× means that one member has three times its share."
    )
    hidden = left_out(len(worst) - len(shown), "groups are", "they are more even than these.")
    return figure(
        _ALL,
        "Look for bars far beyond the upright line: there one member does the work of several.",
        reads,
        row_frame(rows, row_height=_ROW, title=_ALL, ticks=ticks, over=even, to_now=False),
        left_out=hidden,
    )


def _newest(facts: Facts) -> dict[GroupKey, Row]:
    table = facts.table("g_assignment_balance").sort_by([("at_ms", "ascending"), ("generation", "ascending")])
    # The last row of a group in time is what holds now, unless everybody has left since.
    held = {GroupKey(row["cluster"], row["group_id"]): row for row in table.to_pylist()}
    left = _left_alone(facts)
    return {key: row for key, row in held.items() if row["n_members"] and key not in left}


def _left_alone(facts: Facts) -> set[GroupKey]:
    """Groups whose members are all gone."""
    groups = Grouped(facts.table("g_member"), ["cluster", "group_id"])
    return {GroupKey(*key) for key, here in zip(groups.keys, groups.largest("is_present"), strict=True) if not here}


def _group_row(facts: Facts, key: GroupKey, row: Row, scale: Scale) -> RowOfMarks:
    value = row["max_over_mean"] or 0
    idle = f", {row['n_idle_members']} idle" if row["n_idle_members"] else ""
    said = f"{value:.2f}× · {words.many(row['n_partitions'], 'partition')} on {words.many(row['n_members'], 'member')}{idle}"
    bar = box(
        0,
        3,
        scale.at(value),
        _ROW - 6,
        class_="bar-uneven" if value >= 2 else "bar",
        data_tip=f"{said}; {measures(row)}",
    )
    marks = together((bar, words_at(scale.at(value) + 8, _ROW - 6, said, class_="beside")))
    return RowOfMarks(row_label(facts, key), marks, f"{facts.plain(key)}: {said}", facts.plain(key))


def measures(row: Row) -> str:
    return (
        f"spread {words.count(row['spread'])}, CV {words.ratio(row['cv'])}, Gini {words.ratio(row['gini'])}, "
        f"works like {words.ratio(row['effective_members'], 1)} even members"
    )


def one_group(facts: Facts, key: GroupKey) -> Html:
    own = facts.of_group("g_member", key)
    present = own.filter(pc.fill_null(own["is_present"], False))
    shown = top(present, [("n_partitions", "descending"), ("identity", "ascending")], limits.MEMBER_ROWS)
    if not shown:
        return nothing(_ONE, "Nobody is in this group now.")
    held = [row["n_partitions"] or 0 for row in present.to_pylist()]
    mean = sum(held) / len(held)
    scale = Scale(0, max(1, *held), 0, PLOT_WIDTH - _ROOM)
    same = shared_end([row["identity"] or "" for row in shown])
    rows = [_member_row(row, scale, same) for row in shown]
    even = line(scale.at(mean), 0, scale.at(mean), _ROW * len(rows), class_="even")
    latest = top(
        facts.of_group("g_assignment_balance", key), [("at_ms", "descending"), ("generation", "descending")], 1
    )
    reads = f"The upright line is the mean ({mean:.1f}). " + (f"Now {measures(latest[0])}." if latest else "")
    ticks = [(scale.at(value), words.count(value)) for value in scale.ticks(6) if value == int(value)]
    hidden = left_out(present.num_rows - len(shown), "members are", "they hold fewer partitions.")
    return figure(
        _ONE,
        "Look for one bar much longer than the others, or for members that hold nothing.",
        reads,
        row_frame(rows, row_height=_ROW, title=_ONE, ticks=ticks, over=even, to_now=False),
        left_out=hidden,
    )


def _member_row(row: Row, scale: Scale, same: int) -> RowOfMarks:
    held = row["n_partitions"] or 0
    plain = visible(row["identity"])
    said = "idle" if held == 0 else words.count(held)
    marks = together(
        (
            box(
                0,
                3,
                scale.at(held),
                _ROW - 6,
                class_="bar",
                data_tip=f"{words.many(held, 'partition')}, host {visible(row['client_host'])}",
            ),
            words_at(scale.at(held) + 8, _ROW - 6, said, class_="beside"),
        )
    )
    return RowOfMarks(two_parts(row["identity"], shared_end=same), marks, f"{plain}: {said}", plain)
