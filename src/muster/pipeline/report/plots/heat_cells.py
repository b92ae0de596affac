"""What the heat map's cells say: how late each group was in each column, and whether some partition of it is not known.

Two sources. The history has a row for every commit and few while a partition is silent; and it loses the partitions of a large lake
(`read`). So what stands now in `g_lag` says once more how each partition did since its last commit: beside others that commit every
minute, one that is silent, or whose end is not known any more, would be seen in its own few rows only.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from muster.core.time_units import MINUTE_MS
from muster.pipeline.report import limits
from muster.pipeline.report.facts import Facts, GroupKey, Row, within
from muster.pipeline.report.grouping import Grouped
from muster.pipeline.report.places import known_until_ms, last_known, place_of, without_end

_OF_HISTORY: Final = ["cluster", "group_id", "minute_ms", "time_lag_est_ms", "time_lag_hi_ms"]
_OF_LAG: Final = ["cluster", "group_id", "at_ms", "time_lag_est_ms", "time_lag_hi_ms"]

Cell = tuple[int | None, int | None, bool]
"""Worst time lag with an upper end, worst that is only a lower bound, whether there is a partition of which nothing is known."""
_NOTHING: Final[Cell] = (None, None, False)


class Wait(NamedTuple):
    """A place that stands since a moment, and when what is to be read there first was written."""

    from_ms: int
    written_ms: int


def cells_of_groups(facts: Facts, start: int, width_ms: int) -> dict[GroupKey, dict[int, Cell]]:
    """By column, of the groups that the heat map has room for, in the order of concern."""
    seen = {key: with_silence(found, width_ms) for key, found in _seen(facts, start, width_ms).items()}
    shown = [key for key in facts.groups if seen.get(key)][: limits.HEAT_GROUPS]
    column_ends = [*range(start + width_ms, facts.end_ms, width_ms), facts.end_ms]
    for key, standing in _standing(facts, shown).items():
        for column, cell in standing.cells(column_ends).items():
            seen[key][column] = _joined(seen[key].get(column), cell)
    return {key: seen[key] for key in shown}


def worst_of(cell: Cell) -> int | None:
    """None if nothing is known, or if what is known is 0 and some partition may be behind: at least 0 is no answer."""
    known, at_least, is_some_unknown = cell
    worst = _larger(known, at_least)
    return None if worst == 0 and (is_some_unknown or at_least is not None) else worst


def with_silence(cells: dict[int, Cell], width_ms: int) -> dict[int, Cell]:
    """While a group is silent the history has few rows: in between its lag is what the rows around say, which is its least."""
    filled = {column: cell for column, cell in cells.items() if column >= 0}
    for before, after in pairwise(sorted(cells)):
        for column in range(max(before + 1, 0), after):
            waited, to_wait = (column - before) * width_ms, (after - column) * width_ms
            filled[column] = _between(cells[before], cells[after], waited, to_wait)
    return filled


def _between(before: Cell, after: Cell, waited_ms: int, to_wait_ms: int) -> Cell:
    """The first unread record stays the same until the next commit: the time lag grows as time goes by."""
    was, will_be = worst_of(before), worst_of(after)
    least = max(was + waited_ms if was else 0, (will_be or 0) - to_wait_ms, 0)
    is_known = was is not None and will_be is not None
    if not is_known and not least:
        return None, None, True
    is_bounded = is_known and before[1] is None and after[1] is None
    is_some_unknown = before[2] or after[2]
    return (least, None, is_some_unknown) if is_bounded else (None, least, is_some_unknown)


def _seen(facts: Facts, start: int, width_ms: int) -> dict[GroupKey, dict[int, Cell]]:
    """From the history, and from where the groups stand now. Columns below 0 are what was last known before the first one."""
    earlier = -(-limits.SILENT_ROWS_MS // width_ms)
    early_ms = start - earlier * width_ms
    history = within(facts.table("g_lag_history"), "minute_ms", early_ms, facts.end_ms).select(_OF_HISTORY)
    lag = facts.table("g_lag")
    lag = lag.filter(pc.is_valid(lag["committed"])).select(_OF_LAG)
    # Nobody knows is of now too.
    lag = lag.set_column(_OF_LAG.index("at_ms"), "at_ms", pc.fill_null(lag["at_ms"], facts.end_ms))
    lag = within(lag, "at_ms", start, facts.end_ms)
    # A column is as of its end, and what is now is the end of the last one.
    now = lag.rename_columns(_OF_HISTORY)
    now = now.set_column(2, "minute_ms", pc.subtract(now["minute_ms"], 1))
    history = pa.concat_tables([history, now])
    estimate = history["time_lag_est_ms"]
    bounded = pc.is_valid(history["time_lag_hi_ms"])
    none = pa.scalar(None, pa.int64())
    binned = pa.table(
        {
            "cluster": history["cluster"],
            "group_id": history["group_id"],
            "column": pc.subtract(pc.divide(pc.subtract(history["minute_ms"], early_ms), width_ms), earlier),
            "known": pc.if_else(bounded, estimate, none),
            "at_least": pc.if_else(bounded, none, estimate),
            "unknown": pc.cast(pc.is_null(estimate), pa.int64()),
        }
    )
    groups = Grouped(binned, ["cluster", "group_id", "column"])
    cells: dict[GroupKey, dict[int, Cell]] = defaultdict(dict)
    columns_ = (groups.largest("known"), groups.largest("at_least"), groups.largest("unknown"))
    for (cluster, group_id, column), known, at_least, unknown in zip(groups.keys, *columns_, strict=True):
        cells[GroupKey(cluster, group_id)][column] = (known, at_least, bool(unknown))
    return cells


@dataclass(slots=True)
class Standing:
    """One group since the last commits of its partitions: the place they stand at is the same all that time."""

    bounded: list[Wait] = field(default_factory=list)
    at_least: list[Wait] = field(default_factory=list)
    unknown_from_ms: list[int] = field(default_factory=list)

    def cells(self, column_ends: list[int]) -> dict[int, Cell]:
        known, at_least = _longest(self.bounded, column_ends), _longest(self.at_least, column_ends)
        from_ms = min(self.unknown_from_ms, default=column_ends[-1])
        cells = zip(known, at_least, (end_ms > from_ms for end_ms in column_ends), strict=True)
        return {column: cell for column, cell in enumerate(cells) if cell != _NOTHING}


def _standing(facts: Facts, shown: list[GroupKey]) -> dict[GroupKey, Standing]:
    lag = facts.of_groups("g_lag", shown)
    lost = last_known(facts.table("g_lag_history"), without_end(lag))
    is_late = pc.or_(pc.fill_null(pc.greater(lag["time_lag_est_ms"], 0), False), pc.is_null(lag["time_lag_hi_ms"]))
    standing = {key: Standing() for key in shown}
    for row in lag.filter(pc.and_(pc.is_valid(lag["committed"]), is_late)).to_pylist():
        if (found := standing.get(GroupKey(row["cluster"], row["group_id"]))) is not None:
            _add(found, row, lost.get(place_of(row)))
    return standing


def _add(standing: Standing, row: Row, last: Row | None) -> None:
    if row["lag"] is None:
        from_ms = known_until_ms(row, last)
        if from_ms is not None:
            standing.unknown_from_ms.append(from_ms)
        if last is not None and last["time_lag_est_ms"]:
            # Nothing was committed after it: what was unread then still is.
            at_ms: int = last["minute_ms"] + MINUTE_MS
            standing.at_least.append(Wait(at_ms, at_ms - last["time_lag_est_ms"]))
    elif row["commit_ms"] is None or not row["lag"]:
        return
    elif row["time_lag_est_ms"] is None:
        standing.unknown_from_ms.append(row["commit_ms"])
    elif row["time_lag_hi_ms"] is None:
        # Perhaps long before: at least nothing is what can be said of the time until then.
        standing.at_least.append(Wait(row["commit_ms"], row["at_ms"] - row["time_lag_est_ms"]))
    else:
        written_ms = row["at_ms"] - row["time_lag_est_ms"]
        standing.bounded.append(Wait(max(row["commit_ms"], written_ms), written_ms))


def _longest(waits: list[Wait], column_ends: list[int]) -> list[int | None]:
    """At the end of each column; None where nothing waits yet."""
    coming = sorted(waits, reverse=True)
    longest: list[int | None] = []
    oldest_ms: int | None = None
    for end_ms in column_ends:
        while coming and coming[-1].from_ms < end_ms:
            written_ms = coming.pop().written_ms
            oldest_ms = written_ms if oldest_ms is None else min(oldest_ms, written_ms)
        longest.append(None if oldest_ms is None else max(end_ms - oldest_ms, 0))
    return longest


def _joined(cell: Cell | None, more: Cell) -> Cell:
    """Of other partitions of the same group."""
    if cell is None:
        return more
    return _larger(cell[0], more[0]), _larger(cell[1], more[1]), cell[2] or more[2]


def _larger(one: int | None, other: int | None) -> int | None:
    return max((value for value in (one, other) if value is not None), default=None)
