"""Lifetimes of one group's members: who came when, who is still there, why the others went."""

from __future__ import annotations

from muster.pipeline.report import limits, words
from muster.pipeline.report.facts import Facts, GroupKey, Row, top
from muster.pipeline.report.marks import PLOT_WIDTH, RowOfMarks, box, legend, path, row_frame, words_at
from muster.pipeline.report.markup import Html, shared_end, together, two_parts, visible
from muster.pipeline.report.plots.figure import figure, left_out, nothing
from muster.pipeline.report.scales import TimeScale

_ROW = 22
_HEADING = "Lifetimes of members"
_ORDER = [("is_present", "descending"), ("last_seen_ms", "descending"), ("identity", "ascending")]


def members(facts: Facts, key: GroupKey) -> Html:
    own = facts.of_group("g_member", key)
    newest = sorted(
        top(own, _ORDER, limits.MEMBER_ROWS), key=lambda row: (row["first_seen_ms"] or 0, row["identity"] or "")
    )
    if not newest:
        return nothing(_HEADING, f"No member of this group {facts.where}: it may only commit, without joining.")
    scale = TimeScale(facts.start_ms, facts.end_ms, PLOT_WIDTH)
    same = shared_end([row["identity"] or "" for row in newest])
    rows = [_row(row, scale, same) for row in newest]
    reads = (
        "One row a member (static members by their instance id, through restarts), in order of arrival (UTC). "
        "A point at the right: still there."
    )
    hidden = left_out(
        own.num_rows - len(newest), "members are", "those who are here and those who left last come first."
    )
    kinds = legend(
        [("life-static", "static member"), ("life-dynamic", "dynamic member"), ("life-gone", "gone")],
        "Colours: kind of member",
    )
    drawn = row_frame(rows, row_height=_ROW, title=_HEADING, ticks=scale.ticks())
    look_for = "Look for short bars: members that came and went, each time with a rebalance for everybody."
    return figure(_HEADING, look_for, reads, kinds, drawn, left_out=hidden)


def _row(row: Row, scale: TimeScale, same: int) -> RowOfMarks:
    begin = row["first_seen_ms"] if row["first_seen_ms"] is not None else scale.start_ms
    end = scale.end_ms if row["is_present"] else row["last_seen_ms"] if row["last_seen_ms"] is not None else begin
    x, right = scale.x(begin), max(scale.x(end), scale.x(begin) + 2)
    kind = "life-gone" if not row["is_present"] else "life-static" if row["is_static"] else "life-dynamic"
    middle = _ROW / 2
    still = (
        path([(right, 4), (right + 7, middle), (right, _ROW - 4)], close=True, class_=kind)
        if row["is_present"]
        else None
    )
    said = _words(row)
    fits = right - x > 6.6 * len(said) + 12
    where, anchor = (
        (x + 6, "start") if fits else (right + 8, "start") if right < PLOT_WIDTH - 6.6 * len(said) else (x - 6, "end")
    )
    marks = together(
        (
            box(x, 4, right - x, _ROW - 8, class_=kind, data_tip=_tip(row, begin, end)),
            still,
            words_at(where, middle + 4, said, class_="life-words" if fits else "beside", text_anchor=anchor)
            if said
            else None,
        )
    )
    return RowOfMarks(
        two_parts(row["identity"], shared_end=same),
        marks,
        f"{visible(row['identity'])}: {_short(row, begin, end)}",
        visible(row["identity"]),
    )


def _words(row: Row) -> str:
    parts = []
    if row["n_restarts"]:
        parts.append(words.many(row["n_restarts"], "restart"))
    if row["left_because"]:
        parts.append(visible(row["left_because"], 32))
    return ", ".join(parts)


def _short(row: Row, begin: int, end: int) -> str:
    if row["is_present"]:
        return f"since {words.moment(begin)}, still there, {words.many(row['n_partitions'] or 0, 'partition')}"
    why = f" ({visible(row['left_because'], 40)})" if row["left_because"] else ""
    return f"since {words.moment(begin)}, gone since {words.moment(end)}{why}"


def _tip(row: Row, begin: int, end: int) -> str:
    where = f"client {visible(row['client_id'], 40)} at {visible(row['client_host'], 40)}"
    return f"{_short(row, begin, end)}, {words.many(row['n_restarts'] or 0, 'restart')}, {where}"
