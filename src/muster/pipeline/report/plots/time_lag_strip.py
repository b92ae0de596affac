"""The time lag of one partition over time, as the band between its lower and upper end on a logarithmic scale."""

from __future__ import annotations

import math
from itertools import groupby
from typing import Final

from muster.pipeline.report.facts import Row, as_of
from muster.pipeline.report.marks import line, path, words_at
from muster.pipeline.report.markup import Html, together
from muster.pipeline.report.scales import Scale, TimeScale

STRIP_HEIGHT: Final = 96
_BASE = 90
_TOP = 10
_LABEL_HEIGHT = 14
_STUB = 6
"""How long a moment alone is drawn, in pixels."""
_TICKS: Final = (
    (0, "0"),
    (1_000, "1 s"),
    (10_000, "10 s"),
    (60_000, "1 min"),
    (600_000, "10 min"),
    (3_600_000, "1 h"),
    (36_000_000, "10 h"),
)

Point = tuple[float, float]


def time_lag_strip(points: list[Row], time: TimeScale, now_ms: int, gutter: int, width: int) -> Html:
    longest = max((_upper(row) for row in points if _is_known(row)), default=1_000)
    has_open = any(map(_is_open, points))
    # Room for the grey above.
    scale = Scale(_log(0), _log(max(round(longest * (10 if has_open else 1.3)), 1_000)), _BASE, _TOP)
    shown = _apart([(ms, word) for ms, word in _TICKS if _log(ms) <= scale.high], scale)
    levels = (
        together(
            (
                line(gutter, scale.at(_log(ms)), width, scale.at(_log(ms)), class_="grid"),
                words_at(gutter - 6, scale.at(_log(ms)) + 4, word, class_="tick", text_anchor="end"),
            )
        )
        for ms, word in shown
    )
    said = "time lag: estimate, in the band between its lower and upper end"
    said += "; grey above it: at least that" if has_open else ""
    head = words_at(gutter, _TOP - 2, said, class_="tick")
    runs = (
        list(run) for (is_known, _), run in groupby(points, lambda row: (_is_known(row), _is_open(row))) if is_known
    )
    return together((*levels, head, *(_band(run, time, scale, gutter, now_ms) for run in runs)))


def _is_known(row: Row) -> bool:
    return row["time_lag_est_ms"] is not None


def _is_open(row: Row) -> bool:
    """Whether the time lag is only known to be at least the estimate."""
    return _is_known(row) and row["time_lag_hi_ms"] is None


def _apart(ticks: list[tuple[int, str]], scale: Scale) -> list[tuple[int, str]]:
    """Without those that would print over the one below."""
    kept = ticks[:1]
    for tick in ticks[1:]:
        if scale.at(_log(kept[-1][0])) - scale.at(_log(tick[0])) >= _LABEL_HEIGHT:
            kept.append(tick)
    return kept


def _band(rows: list[Row], time: TimeScale, scale: Scale, gutter: int, now_ms: int) -> Html:
    """Of neighbours that are known: across what is not known nothing is drawn."""

    def points(values: list[int]) -> list[Point]:
        places = (gutter + time.x(as_of(row, now_ms)) for row in rows)
        return list(zip(places, (scale.at(_log(ms)) for ms in values), strict=True))

    is_open = _is_open(rows[0])
    high = [(x, _TOP if is_open else y) for x, y in points([_upper(row) for row in rows])]
    low = points([row["time_lag_lo_ms"] or 0 for row in rows])
    estimate = points([row["time_lag_est_ms"] for row in rows])
    if estimate[-1][0] - estimate[0][0] < _STUB:
        x, y = estimate[-1]
        stub = path([(x - _STUB, _TOP), (x, _TOP), (x, y), (x - _STUB, y)], close=True, class_="lag-open")
        return together((stub if is_open else None, line(x - _STUB, y, x, y, class_="line-lag")))
    band = path([*high, *reversed(low)], close=True, class_="lag-open" if is_open else "lag-band")
    return together((band, path(estimate, class_="line-lag")))


def _upper(row: Row) -> int:
    upper: int = row["time_lag_hi_ms"] if row["time_lag_hi_ms"] is not None else row["time_lag_est_ms"]
    return upper


def _log(ms: int) -> float:
    """Zero has a place on this scale: below a tenth of a second nobody looks."""
    return math.log10(max(ms, 0) + 100)
