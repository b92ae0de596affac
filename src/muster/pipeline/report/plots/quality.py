"""How far the page can be trusted: one cell a log partition, filled by the share of its history that is whole."""

from __future__ import annotations

from collections import defaultdict

import pyarrow as pa
import pyarrow.compute as pc

from muster.pipeline.report import limits, words
from muster.pipeline.report.facts import Facts, Row, top
from muster.pipeline.report.marks import PLOT_WIDTH, box, drawing, legend, words_at
from muster.pipeline.report.markup import Html, tag, together, visible
from muster.pipeline.report.plots.figure import figure, left_out, nothing

_CELL, _LINE, _IN_LINE = 32, 26, 25
_HEADING = "Coverage of the log"
_CLASSES = (
    (1.0, "whole4", "whole"),
    (0.9, "whole3", "90 % or more"),
    (0.5, "whole2", "half or more"),
    (0.0, "whole1", "less"),
)


def quality_strip(facts: Facts) -> Html:
    table = facts.table("g_data_quality")
    if table.num_rows == 0:
        return nothing(_HEADING, "This lake has no record of what was read.")
    shown = top(
        table,
        [("cluster", "ascending"), ("log_topic", "ascending"), ("log_partition", "ascending")],
        limits.QUALITY_CELLS,
    )
    strips: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in shown:
        strips[row["cluster"] or "", row["log_topic"] or ""].append(row)
    reads = (
        "One cell a partition of the coordinator's log. Whole: every record since the first one read is there, so counts and rates "
        "are true. Else compaction or a gap removed history: the present state is right, rates before that are not. "
        "✕ some records could not be decoded, ? some are of an unknown type, ◔ a transaction is open."
    )
    hidden = left_out(table.num_rows - len(shown), "log partitions are", "the sums above count them.")
    classes = [*((kind, word) for _, kind, word in _CLASSES), ("whole-none", words.NO_TIME_LAG)]
    key = legend(classes, "Share of history that is whole")
    return figure(
        _HEADING,
        "Look for cells that are not green: for the groups there, counts and rates of earlier days are too low.",
        reads,
        totals(table),
        key,
        together(_strip(*place, rows) for place, rows in strips.items()),
        left_out=hidden,
    )


def coverage(row: Row) -> float | None:
    """The whole part of the offsets that were read."""
    first: int | None = row["first_offset"]
    last: int | None = row["last_offset"]
    whole_from: int | None = row["faithful_from"]
    if first is None or last is None or whole_from is None or last < first:
        return None
    return (last + 1 - max(whole_from, first)) / (last + 1 - first)


def total_coverage(table: pa.Table) -> float | None:
    """Over all log partitions, each weighed by its offsets."""
    first, last = table["first_offset"], table["last_offset"]
    read = pc.sum(pc.add(pc.subtract(last, first), 1)).as_py()
    # Where nobody knows what is whole, nothing is taken to be.
    whole_from = pc.max_element_wise(table["faithful_from"], first, skip_nulls=False)
    whole = pc.sum(pc.add(pc.subtract(last, whole_from), 1)).as_py()
    return None if not read or whole is None else whole / read


def totals(table: pa.Table) -> Html:
    def total(column: str) -> int:
        return pc.sum(table[column]).as_py() or 0

    return tag(
        "p",
        tag("strong", f"Coverage {words.share(total_coverage(table))}. "),
        f"{words.many(total('records'), 'record')} read from {words.many(table.num_rows, 'log partition')}, "
        f"{words.count(total('quarantined'))} in quarantine, {words.count(total('unknown_records'))} of unknown type, "
        f"{words.many(total('gaps'), 'gap')}, {words.many(total('open_transactions'), 'open transaction')}.",
    )


def _strip(cluster: str, topic: str, rows: list[Row]) -> Html:
    cells = together(_cell(row, i % _IN_LINE * _CELL, i // _IN_LINE * _LINE) for i, row in enumerate(rows))
    lines = (len(rows) - 1) // _IN_LINE + 1
    title = f"{visible(cluster)} / {visible(topic)}"
    return together((tag("h4", title), drawing(cells, PLOT_WIDTH, lines * _LINE, f"{_HEADING} of {title}")))


def _cell(row: Row, x: float, y: float) -> Html:
    part = coverage(row)
    kind = "whole-none" if part is None else next(kind for least, kind, _ in _CLASSES if part >= least)
    signs = (
        ("✕" if row["quarantined"] else "")
        + ("?" if row["unknown_records"] else "")
        + ("◔" if row["open_transactions"] else "")
    )
    tip = (
        f"log partition {words.count(row['log_partition'])}: {words.count(row['records'])} records, "
        f"offsets {words.count(row['first_offset'])} to {words.count(row['last_offset'])}, "
        f"whole from {words.count(row['faithful_from'])} ({words.share(part)}), "
        f"{words.count(row['quarantined'])} in quarantine, {words.count(row['unknown_records'])} unknown, "
        f"{words.count(row['gaps'])} gaps, {words.count(row['open_transactions'])} open transactions"
    )
    return together(
        (
            box(x, y, _CELL - 2, _LINE - 2, class_=kind, data_tip=tip),
            words_at(
                x + (_CELL - 2) / 2,
                y + 16,
                signs or words.count(row["log_partition"]),
                class_="cell-words",
                text_anchor="middle",
            ),
        )
    )
