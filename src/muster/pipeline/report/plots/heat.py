"""Group by time: how many seconds each group was behind, with a tick for every rebalance. The page's first plot."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import Final

from muster.core.time_units import MINUTE_MS
from muster.pipeline.report import kinds, limits, words
from muster.pipeline.report.facts import Facts, GroupKey, born_ms, within
from muster.pipeline.report.links import row_label
from muster.pipeline.report.marks import PLOT_WIDTH, RowOfMarks, box, legend, row_frame
from muster.pipeline.report.markup import Html, number, tag, together
from muster.pipeline.report.plots.figure import figure, left_out, nothing
from muster.pipeline.report.plots.heat_cells import Cell, cells_of_groups, worst_of
from muster.pipeline.report.scales import TimeScale

_ROW = 20
_EDGE = 6
_STRONG: Final = kinds.LAG_CLASSES.index("1 to 5 min")
_COLUMN_MINUTES = (1, 2, 5, 10, 15, 30, 60, 120, 240, 480, 1440)
_HEADING = "Time lag of every group"


def heat_map(facts: Facts) -> Html:
    start, width_ms = columns(facts.start_ms, facts.end_ms)
    cells = cells_of_groups(facts, start, width_ms)
    shown = list(cells)
    if not shown:
        return nothing(_HEADING, "No history of lag in this lake: it needs commits and samples of end offsets.")
    scale = TimeScale(facts.start_ms, facts.end_ms, PLOT_WIDTH)
    ticks = _rebalance_times(facts, shown)
    rows = [_row(facts, key, cells[key], Columns(scale, start, width_ms), ticks.get(key, [])) for key in shown]
    drawn = row_frame(rows, row_height=_ROW, title=_HEADING, ticks=scale.ticks())
    reads = (
        f"One row a group, the one to look at first on top; one column {words.duration(width_ms)} (UTC). Colour is the worst "
        "time lag of the group's partitions in that time, and goes on growing while the group is silent; under a grey edge it is "
        "at least that, since of some partition nobody knows. A tick at the foot of a row is a rebalance. Choose a name to see "
        "the group."
    )
    hidden = left_out(
        len(facts.groups) - len(shown), "groups are", "they need less attention than these, or have no history."
    )
    look_for = "Look for strong colour: those groups are far behind. Where a row turns strong is when it began."
    return figure(_HEADING, look_for, reads, _legend(), drawn, left_out=hidden)


def columns(start_ms: int, end_ms: int) -> tuple[int, int]:
    """Start of the first column and the width of one, in whole minutes."""
    span = end_ms - start_ms
    minutes = next((m for m in _COLUMN_MINUTES if span / (m * MINUTE_MS) <= limits.HEAT_COLUMNS), _COLUMN_MINUTES[-1])
    width = minutes * MINUTE_MS
    return start_ms // width * width, width


@dataclass(frozen=True, slots=True)
class Columns:
    """Where the columns lie. The first and the last are cut where the facts begin and end."""

    scale: TimeScale
    start_ms: int
    width_ms: int

    def times(self, column: int) -> tuple[int, int]:
        begin = self.start_ms + column * self.width_ms
        return max(begin, self.scale.start_ms), min(begin + self.width_ms, self.scale.end_ms)


def _rebalance_times(facts: Facts, keys: list[GroupKey]) -> dict[GroupKey, list[int]]:
    rows = within(facts.of_groups("g_rebalance", keys), "ended_ms", facts.start_ms, facts.end_ms)
    times: dict[GroupKey, list[int]] = defaultdict(list)
    for row in rows.select(["cluster", "group_id", "ended_ms"]).to_pylist():
        times[GroupKey(row["cluster"], row["group_id"])].append(row["ended_ms"])
    return times


def _row(facts: Facts, key: GroupKey, cells: dict[int, Cell], columns: Columns, rebalances: list[int]) -> RowOfMarks:
    scale, first_ms = columns.scale, born_ms(facts, key)
    drawn = [_cell(columns, column, cell, first_ms) for column, cell in sorted(cells.items())]
    drawn.append(_edge(columns, [column for column, cell in sorted(cells.items()) if _has_edge(cell)], first_ms))
    # One path for all, and one tick every other pixel at most: a storm has thousands.
    feet = sorted({round(scale.x(at) / 2) * 2 for at in rebalances})
    drawn.append(tag("path", d="".join(f"M{x} {_ROW - 7}v6" for x in feet), class_="foot"))
    worst_column, worst = max(cells.items(), key=lambda item: (worst_of(item[1]) or -1, item[0]))
    at = words.clock(columns.times(worst_column)[0])
    spoken = f"{facts.plain(key)}: worst {_said(worst)} at {at} UTC, {words.many(len(rebalances), 'rebalance')}"
    return RowOfMarks(row_label(facts, key), together(drawn), spoken, facts.plain(key))


def _cell(columns: Columns, column: int, cell: Cell, first_ms: int | None) -> Html:
    begin, stop = _times(columns, column, first_ms)
    x, width = _across(columns, begin, stop)
    lag = _lag_class(cell)
    tip = f"{words.clock(begin)} to {words.clock(stop)}: {_said(cell)}"
    return box(x, 1, width, _ROW - 2, class_="lag-none" if lag is None else f"lag{lag}", data_tip=tip)


def _edge(columns: Columns, open_columns: list[int], first_ms: int | None) -> Html:
    """Grey along the top of cells that say at least: one path for all of a row."""
    places = (_across(columns, *_times(columns, column, first_ms)) for column in open_columns)
    drawn = "".join(f"M{number(x)} 1h{number(width)}v{_EDGE}h{number(-width)}z" for x, width in places)
    return tag("path", d=drawn, class_="lag-least") if drawn else Html("")


def _times(columns: Columns, column: int, first_ms: int | None) -> tuple[int, int]:
    """Of a cell. Not from before the group was there."""
    begin, stop = columns.times(column)
    return (begin if first_ms is None else max(begin, min(first_ms, stop))), stop


def _across(columns: Columns, begin: int, stop: int) -> tuple[float, float]:
    """Where a cell begins, and its width."""
    x, end = columns.scale.x(begin), columns.scale.x(stop)
    return x, max(end - x - 0.5, 0.5)


def _is_least(cell: Cell) -> bool:
    """Whether a partition may be later than the worst that is known."""
    _, at_least, is_some_unknown = cell
    return bool(worst_of(cell)) and (at_least is not None or is_some_unknown)


def _lag_class(cell: Cell) -> int | None:
    """None is drawn as not known: so is a short time that is only the least, since pale is for those that are nearly in time."""
    lag = kinds.lag_class(worst_of(cell))
    return None if lag is not None and lag < _STRONG and _is_least(cell) else lag


def _has_edge(cell: Cell) -> bool:
    return _is_least(cell) and _lag_class(cell) is not None


def _said(cell: Cell) -> str:
    worst = worst_of(cell)
    if worst is None:
        return words.NO_TIME_LAG
    return ("at least " if _is_least(cell) else "") + (words.duration(worst) if worst else "caught up")


def _legend() -> Html:
    return legend(
        [("lag-none", words.NO_TIME_LAG), *((f"lag{i}", word) for i, word in enumerate(kinds.LAG_CLASSES))],
        "Colours: time lag",
    )
