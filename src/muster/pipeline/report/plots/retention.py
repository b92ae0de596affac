"""How near each group's reader is to the end of the log where records are deleted: the distance to data loss.

A log is a stretch from its first record that is still there to its newest. Retention eats it from the left.
"""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from muster.pipeline.report import limits, words
from muster.pipeline.report.facts import Facts, GroupKey, Row, top
from muster.pipeline.report.grouping import Grouped
from muster.pipeline.report.links import row_label
from muster.pipeline.report.marks import PLOT_WIDTH, RowOfMarks, box, legend, row_frame, words_at
from muster.pipeline.report.markup import Html, together, visible
from muster.pipeline.report.places import not_counted, without_end
from muster.pipeline.report.plots.figure import figure, left_out, nothing
from muster.pipeline.report.scales import Scale

_ROW = 22
_ROOM = 300
_NEAR = 0.1
_HEADING = "Distance to data loss"


def distance_to_loss(facts: Facts) -> Html:
    table = facts.table("g_lag")
    shrinking = _shrinking(table)
    if shrinking.num_rows == 0:
        return nothing(_HEADING, _calm(table))
    nearest = Grouped(
        shrinking.sort_by([("room", "ascending"), ("topic", "ascending"), ("partition", "ascending")]),
        ["cluster", "group_id"],
    ).first_rows
    shown = top(
        nearest, [("room", "ascending"), ("group_id", "ascending"), ("cluster", "ascending")], limits.RETENTION_GROUPS
    )
    scale = Scale(0, 1, 0, PLOT_WIDTH - _ROOM)
    rows = [_row(facts, row, scale) for row in shown]
    ticks = [(scale.at(part / 100), {0: "log start", 100: "end"}.get(part, f"{part} %")) for part in range(0, 101, 25)]
    reads = (
        "One row a group: its partition that is nearest to loss. The bar is what is in the log, from the first record that is "
        "still there (left, deleted next) to the newest; the full part is unread. Only logs of which something was "
        "deleted already, and only readers with unread records."
    )
    hidden = left_out(nearest.num_rows - len(shown), "groups are", "they are further from loss.")
    hidden = f"{hidden} {not_counted(without_end(table))}".strip()
    colours = legend(
        [
            ("track", "read"),
            ("unread", "unread"),
            ("unread-near", "unread, and near the left end"),
            ("lost", "deleted unread"),
        ],
        "Colours: records of the log",
    )
    drawn = row_frame(rows, row_height=_ROW, title=_HEADING, ticks=ticks, to_now=False)
    look_for = "Look for bars that are full up to the left edge: records there are deleted before anybody reads them."
    return figure(_HEADING, look_for, reads, colours, drawn, left_out=hidden)


def _shrinking(table: pa.Table) -> pa.Table:
    """Partitions of which records are unread or were deleted unread, and whose log has lost some at its start.

    `room` is the share of the log before the reader, below zero where the reader's place is gone.
    """
    known = table.filter(pc.and_(pc.greater(table["log_start"], 0), pc.is_valid(table["end"])))
    gone = pc.less(known["committed"], known["log_start"])
    known = known.filter(pc.or_(gone, pc.and_(pc.is_valid(known["committed"]), pc.greater(known["lag"], 0))))
    before = pc.cast(pc.subtract(known["committed"], known["log_start"]), pa.float64())
    whole = pc.max_element_wise(pc.subtract(known["end"], known["log_start"]), 1)
    return known.append_column("room", pc.divide(before, pc.cast(whole, pa.float64())))


def _calm(table: pa.Table) -> str:
    starts = pc.count(table["log_start"]).as_py()
    unknown = not_counted(without_end(table))
    if not starts:
        return "Where the logs begin is not known in this lake: it needs samples of the earliest offsets."
    if unknown:
        return f"No unread records are known of in a log of which something was deleted already. {unknown}"
    return "Nothing to lose: nobody has unread records in a log of which something was deleted already."


def _row(facts: Facts, row: Row, scale: Scale) -> RowOfMarks:
    key = GroupKey(row["cluster"], row["group_id"])
    room: float = row["room"]
    where = f"{visible(row['topic'], 40)}-{row['partition']}"
    kind = "lost" if room < 0 else "unread-near" if room < _NEAR else "unread"
    x = scale.at(room)
    tip = (
        f"{where}: {_distance(row)}; {words.many(row['lag'], 'record')} unread, "
        f"log from {words.count(row['log_start'])} to {words.count(row['end'])}"
    )
    marks = together(
        (
            box(0, 5, scale.end, _ROW - 10, class_="track"),
            box(x, 5, scale.end - x, _ROW - 10, class_=kind, data_tip=tip),
            box(x - 1.5, 2, 3, _ROW - 4, class_="place"),
            words_at(scale.end + 8, _ROW - 7, _distance(row), class_="beside"),
        )
    )
    return RowOfMarks(row_label(facts, key), marks, f"{facts.plain(key)}: {tip}", facts.plain(key))


def _distance(row: Row) -> str:
    records = row["committed"] - row["log_start"]
    if records < 0:
        return f"{words.many(-records, 'record')} deleted unread"
    rate = row["produce_rate"]
    time = f", {words.duration(records / rate * 1000)} of writing" if rate else ""
    return f"{words.short_count(records)} records away{time}"
