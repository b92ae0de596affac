"""One partition of one group: end and committed offset over time, and the bracket between them that is the time lag.

Read sideways: the committed offset now, followed to the left until it meets the end line, is when that record was written.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby

import pyarrow as pa

from muster.pipeline.report import limits, words
from muster.pipeline.report.facts import Row, as_of
from muster.pipeline.report.marks import PLOT_WIDTH, axis, box, dot, drawing, line, path, words_at
from muster.pipeline.report.markup import Html, tag, together
from muster.pipeline.report.plots.time_lag_strip import STRIP_HEIGHT, time_lag_strip
from muster.pipeline.report.scales import Scale, TimeScale

_TOP, _HEIGHT, _GUTTER = 22, 224, 62
_RULE_PIXELS = 4
_WIDTH = PLOT_WIDTH + 200
"""As wide as a plot with its labels."""


@dataclass(frozen=True, slots=True)
class Frame:
    time: TimeScale
    offsets: Scale

    def x(self, ms: float) -> float:
        return _GUTTER + self.time.x(ms)

    def moment(self, row: Row) -> int:
        return as_of(row, self.time.end_ms)


def partition_lines(history: pa.Table, lag: Row, rebalances: list[int], start_ms: int, end_ms: int, title: str) -> Html:
    """`history` are the minutes of one partition, `lag` its row in g_lag: the last point, unless it is of a time after `end_ms`."""
    minutes = thin(history.sort_by("minute_ms").to_pylist(), limits.PANEL_POINTS)
    now_ms = max([end_ms, *(row["minute_ms"] for row in minutes)])
    is_past = (lag["at_ms"] or 0) > end_ms
    points = minutes if is_past else [*minutes, {**lag, "minute_ms": now_ms}]
    frame = _frame(points, start_ms, now_ms)
    content = together(
        (
            _axes(frame),
            *(line(x, _TOP, x, _HEIGHT, class_="rebalance-rule") for x in _rules(rebalances, frame)),
            _series(frame, points),
            None if is_past else _bracket(frame, lag, now_ms),
            tag(
                "g",
                time_lag_strip(points, frame.time, now_ms, _GUTTER, _WIDTH),
                transform=f"translate(0 {_HEIGHT + 34})",
            ),
        )
    )
    return drawing(content, _WIDTH, _HEIGHT + 34 + STRIP_HEIGHT, title, to_now=True)


def thin(rows: list[Row], most: int) -> list[Row]:
    """At most so many rows; the first and the last stay."""
    if len(rows) <= most:
        return rows
    step = (len(rows) - 1) / (most - 1)
    return [rows[round(i * step)] for i in range(most)]


def _rules(rebalances: list[int], frame: Frame) -> list[int]:
    """One every few pixels: a storm must not hide the lines behind a wall."""
    return sorted({round(frame.x(at) / _RULE_PIXELS) * _RULE_PIXELS for at in rebalances})


def _frame(points: list[Row], start_ms: int, now_ms: int) -> Frame:
    offsets = [value for row in points for value in (row["committed"], row["end"]) if value is not None]
    low, high = (min(offsets), max(offsets)) if offsets else (0, 1)
    room = max((high - low) * 0.05, 1)
    # Room on the right for the bracket's words.
    return Frame(
        TimeScale(start_ms, now_ms, _WIDTH - _GUTTER - 8), Scale(max(low - room, 0), high + room, _HEIGHT, _TOP)
    )


def _axes(frame: Frame) -> Html:
    upright = tag("g", axis(frame.time.ticks(), _HEIGHT), transform=f"translate({_GUTTER} 0)")
    marks = []
    for value, label in offset_labels(frame.offsets.ticks()):
        y = frame.offsets.at(value)
        marks.append(line(_GUTTER, y, _WIDTH, y, class_="grid"))
        marks.append(words_at(_GUTTER - 6, y + 4, label, class_="tick", text_anchor="end"))
    return together((upright, *marks, words_at(_GUTTER - 6, 10, "offset ↑", class_="tick", text_anchor="end")))


def offset_labels(ticks: list[float]) -> list[tuple[float, str]]:
    """Short numbers; where they would all read the same, the first and how much more the others are."""
    labels = [words.short_count(value) for value in ticks]
    if len(set(labels)) < len(labels):
        labels[1:] = ["+" + words.short_count(value - ticks[0]) for value in ticks[1:]]
    return list(zip(ticks, labels, strict=True))


def _series(frame: Frame, minutes: list[Row]) -> Html:
    """Across what is not known nothing is drawn: before the first sample of an end there is neither a line nor a gap to shade."""
    both = (_between(frame, run) for run in _runs(minutes, "end", "committed"))
    curves = (_curves(frame, minutes, column) for column in ("end", "committed"))
    return together((*both, *curves, _readings(frame, minutes)))


def _runs(minutes: list[Row], *columns: str) -> list[list[Row]]:
    """Neighbours of which all these columns are known."""

    def is_known(row: Row) -> bool:
        return all(row[column] is not None for column in columns)

    return [list(run) for known, run in groupby(minutes, is_known) if known]


def _between(frame: Frame, run: list[Row]) -> Html | None:
    if len(run) < 2:
        return None
    above, below = _points(frame, run, "end"), _points(frame, run, "committed")
    return path([*above, *reversed(below)], close=True, class_="between")


def _curves(frame: Frame, minutes: list[Row], column: str) -> Html | None:
    """A line for each run of moments; a point is where the last one ends."""
    runs = [_points(frame, run, column) for run in _runs(minutes, column)]
    if not runs:
        return None
    drawn = (path(points, class_=f"line-{column}") for points in runs if len(points) > 1)
    return together((*drawn, dot(*runs[-1][-1], 3, class_=f"dot-{column}")))


def _points(frame: Frame, run: list[Row], column: str) -> list[tuple[float, float]]:
    return [(frame.x(frame.moment(row)), frame.offsets.at(row[column])) for row in run]


def _readings(frame: Frame, minutes: list[Row]) -> Html:
    """Unseen columns that answer to the pointer and to the arrow keys."""
    spots = thin(minutes, limits.PANEL_READINGS)
    half = (_WIDTH - _GUTTER) / max(len(spots), 1) / 2
    return together(
        box(
            *(frame.x(frame.moment(row)) - half, _TOP, 2 * half, _HEIGHT - _TOP),
            class_="reading",
            data_tip=_reading(row, frame.moment(row)),
        )
        for row in spots
    )


def _reading(row: Row, at_ms: int) -> str:
    lag = words.time_lag_of(row)
    return (
        f"{words.clock(at_ms)} UTC: committed {words.count(row['committed'])}, end {words.count(row['end'])}, "
        f"{words.records_behind(row)}, {lag}"
    )


def _bracket(frame: Frame, lag: Row, now_ms: int) -> Html | None:
    """From now back to when the first unread record was written: sure up to `lo`, somewhere before `hi`."""
    lo, hi, committed = lag["time_lag_lo_ms"], lag["time_lag_hi_ms"], lag["committed"]
    if committed is None or lo is None or not (hi or (hi is None and lo)):
        return None
    y, right = frame.offsets.at(committed), frame.x(now_ms)
    sure, far = frame.x(now_ms - lo), frame.x(now_ms - hi) if hi is not None else frame.x(frame.time.start_ms)
    text = words.time_lag(lo, hi, lag["time_lag_est_ms"]) + " behind"
    anchor, text_x = ("end", far - 6) if far > 330 else ("start", far + 8)
    return together(
        (
            box(far, y - 4, sure - far, 8, class_="bracket-doubt" if hi is not None else "bracket-open"),
            line(sure, y, right, y, class_="bracket"),
            line(right, y - 6, right, y + 6, class_="bracket"),
            line(far, y - 6, far, y + 6, class_="bracket") if hi is not None else None,
            words_at(
                text_x,
                y + 20 if anchor == "start" and y < _HEIGHT - 24 else y - 9 if y > 24 else y + 20,
                text,
                class_="bracket-words",
                text_anchor=anchor,
            ),
        )
    )
