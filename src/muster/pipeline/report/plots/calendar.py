"""One group, day by day and hour by hour: was it keeping up, behind, standing still, or did it go back?

Judged from the last row of each hour in the history of lag. The statuses of `g_status` speak of now only; these words are coarser.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import Final

from muster.core.time_units import DAY_MS, HOUR_MS
from muster.pipeline.report import limits, words
from muster.pipeline.report.facts import Facts, GroupKey, Row, born_ms, within, worst_partitions
from muster.pipeline.report.hours import HOURS, calendar_start_ms, last_of_each_hour
from muster.pipeline.report.marks import PLOT_WIDTH, RowOfMarks, box, legend, row_frame
from muster.pipeline.report.markup import Html, together
from muster.pipeline.report.plots.figure import figure, left_out, nothing

_ROW = 24
_HOURS = 24
_WIDE = PLOT_WIDTH / _HOURS
_KEPT_UP_MS = 60_000
_HEADING = "Hour by hour"

KINDS: Final = {
    "still": "stands still with records waiting",
    "back": "went back to an older offset",
    "behind": "reads, over a minute behind",
    "unknown": "lag not known",
    "fine": "keeps up",
}
"""Worst first: an hour is drawn as the worst of its partitions."""

Partition = tuple[str, int]


@dataclass(slots=True)
class Hour:
    partitions: Counter[str] = field(default_factory=Counter)
    worst_ms: int | None = None

    @property
    def kind(self) -> str:
        return next(kind for kind in KINDS if self.partitions[kind])


def status_calendar(facts: Facts, key: GroupKey) -> Html:
    watched = worst_partitions(facts, key, limits.CALENDAR_PARTITIONS)
    start_ms = calendar_start_ms(facts.end_ms)
    hours = _hours(facts, key, watched, start_ms)
    if not hours:
        return nothing(_HEADING, f"No history of lag of this group {facts.where}.")
    first_day = min(hours) * HOUR_MS // DAY_MS
    days = range(first_day, facts.end_ms // DAY_MS + 1)
    known = (born_ms(facts, key) or 0, facts.end_ms)
    rows = [_day(day * DAY_MS, hours, known) for day in days]
    ticks = [(hour * _WIDE, f"{hour:02d}:00") for hour in range(0, _HOURS + 1, 3)]
    reads = (
        f"One row a day, one cell an hour (UTC). Keeps up: less than {words.duration(_KEPT_UP_MS)} behind at the end of the hour. "
        "Stands still: the committed offset is where it was an hour before and records wait. The worst partition decides."
    )
    look_for = "Look for the same hours on several days, or for a day that never turns back to green."
    hidden = left_out(
        facts.of_group("g_lag", key).num_rows - len(watched), "partitions are", "they are less behind now."
    )
    colours = legend([(f"hour-{kind}", word) for kind, word in KINDS.items()], "Colours: what the group did")
    drawn = row_frame(rows, row_height=_ROW, title=_HEADING, ticks=ticks, to_now=False)
    return figure(_HEADING, look_for, reads, colours, drawn, left_out=hidden)


def _hours(facts: Facts, key: GroupKey, watched: list[Row], start_ms: int) -> dict[int, Hour]:
    # An hour that begins as the facts end is not there yet.
    until_ms = facts.end_ms - 1
    own = within(facts.of_group(HOURS, key), "minute_ms", start_ms, until_ms)
    by_partition: dict[Partition, list[Row]] = {(row["topic"], row["partition"]): [] for row in watched}
    for row in last_of_each_hour(own).sort_by("minute_ms").to_pylist():
        if (row["topic"], row["partition"]) in by_partition:
            by_partition[row["topic"], row["partition"]].append(row)
    hours: dict[int, Hour] = defaultdict(Hour)
    for lag in watched:
        rows = by_partition[lag["topic"], lag["partition"]]
        lost = _without_end(lag, rows, start_ms // HOUR_MS, until_ms // HOUR_MS)
        for before, row in zip([None, *rows], rows, strict=False):
            if (number := row["minute_ms"] // HOUR_MS) not in lost:
                _count(hours[number], judged(row, before), row["time_lag_est_ms"])
        for number in lost:
            _count(hours[number], "unknown", None)
    return hours


def _without_end(lag: Row, rows: list[Row], first: int, now: int) -> range:
    """The hours up to now of a partition whose end is not known any more: the history has no rows of them."""
    if lag["committed"] is None or lag["lag"] is not None:
        return range(0)
    ended = [row["minute_ms"] for row in rows if row["lag"] is not None]
    since_ms = ended[-1] if ended else lag["commit_ms"]
    since = now if since_ms is None else since_ms // HOUR_MS + bool(ended)
    return range(min(max(since, first), now), now + 1)


def _count(hour: Hour, kind: str, late_ms: int | None) -> None:
    hour.partitions[kind] += 1
    if late_ms is not None:
        hour.worst_ms = max(hour.worst_ms or 0, late_ms)


def judged(row: Row, before: Row | None) -> str:
    """One of `KINDS`, from the end of this hour and of the one before."""
    if row["lag"] is None or row["committed"] is None:
        return "unknown"
    moved = None if before is None or before["committed"] is None else row["committed"] - before["committed"]
    if moved is not None and moved < 0:
        return "back"
    if row["lag"] == 0 or (row["time_lag_hi_ms"] is not None and row["time_lag_est_ms"] < _KEPT_UP_MS):
        return "fine"
    if moved == 0:
        return "still"
    return "behind" if (row["time_lag_est_ms"] or 0) >= _KEPT_UP_MS else "unknown"


def _day(day_ms: int, hours: dict[int, Hour], known_ms: tuple[int, int]) -> RowOfMarks:
    """`known_ms`: since when the group is there, and the end of what is known."""
    first = day_ms // HOUR_MS
    known = [(i, hours[first + i]) for i in range(_HOURS) if first + i in hours]
    bounds = tuple((at - day_ms) / HOUR_MS for at in known_ms)
    label = f"{words.weekday(day_ms)} {words.day(day_ms)}"
    counted = Counter(hour.kind for _, hour in known)
    said = ", ".join(f"{KINDS[kind]} in {words.many(counted[kind], 'hour')}" for kind in KINDS if counted[kind])
    marks = together(_cell(i, hour, bounds[0], bounds[1]) for i, hour in known)
    return RowOfMarks(together((label,)), marks, f"{label}: {said or 'nothing known'}", label)


def _cell(number: int, hour: Hour, since: float, until: float) -> Html:
    """The first and the last hour are drawn as far as they are known; both are hours of the day."""
    concerned, all_of_them = hour.partitions[hour.kind], hour.partitions.total()
    lag = "" if hour.worst_ms is None else f", longest time lag {words.duration(hour.worst_ms)}"
    tip = f"{number:02d}:00 to {number + 1:02d}:00: {KINDS[hour.kind]}, {concerned} of {words.many(all_of_them, 'partition')}{lag}"
    begin = since if number < since < number + 1 else number
    end = until if number < until < number + 1 else number + 1
    return box(begin * _WIDE, 1, max((end - begin) * _WIDE - 1, 1), _ROW - 2, class_=f"hour-{hour.kind}", data_tip=tip)
