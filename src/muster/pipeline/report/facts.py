"""The tables of one report and what follows from them once: the window of time, and the groups in order of concern.

Knows the columns of the lake (schemas.py) and Arrow. Knows no HTML. Plots and tables ask here and never scan a table twice.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from muster.core.time_units import DAY_MS, HOUR_MS, MINUTE_MS
from muster.pipeline.report import kinds, limits, markup
from muster.pipeline.report.grouping import Grouped
from muster.pipeline.report.hours import HOURS
from muster.pipeline.schemas import TABLES

Row = dict[str, Any]


class GroupKey(NamedTuple):
    cluster: str
    group_id: str


@dataclass(frozen=True, slots=True)
class Facts:
    tables: Mapping[str, pa.Table]
    generated_ms: int
    start_ms: int
    end_ms: int
    groups: tuple[GroupKey, ...]
    """Every group that any table names, the one to look at first in front."""
    clusters: tuple[str, ...]
    shared_end: int = 0
    """So many last characters all names of groups have in common (`markup.shared_end`)."""
    where: str = "in the lake"
    """Where something is not that the tables do not have, in the words of people."""

    def table(self, name: str) -> pa.Table:
        return self.tables[name]

    def of_group(self, table: str, key: GroupKey) -> pa.Table:
        return of_group(self.tables[table], key)

    def of_groups(self, table: str, keys: Iterable[GroupKey]) -> pa.Table:
        """Rows of these groups and perhaps of their namesakes in other clusters."""
        rows = self.tables[table]
        return rows.filter(pc.is_in(rows["group_id"], pa.array([k.group_id for k in keys], pa.string())))

    def label(self, key: GroupKey) -> markup.Html:
        """The group's name, with its cluster where there are several."""
        group = markup.name(key.group_id)
        return markup.together((markup.name(key.cluster), " / ", group)) if len(self.clusters) > 1 else group

    def plain(self, key: GroupKey) -> str:
        """The same for places that hold no markup."""
        group = markup.visible(key.group_id)
        return f"{markup.visible(key.cluster)} / {group}" if len(self.clusters) > 1 else group

    def beside(self, key: GroupKey, limit: int) -> str:
        """The same in so many characters at most; what all names end with is left out, for it would push out what differs."""
        cluster = f"{markup.visible(key.cluster, limit // 3)} / " if len(self.clusters) > 1 else ""
        differs, end = (key.group_id[: -self.shared_end], "…") if self.shared_end else (key.group_id, "")
        return cluster + markup.visible(differs, limit - len(cluster) - len(end)) + end


def gather(tables: Mapping[str, pa.Table], generated_ms: int) -> Facts:
    """A table that is not given counts as empty: a lake without a journal, or of an older run, still gets its page."""
    known = {name: tables.get(name, schema.empty_table()) for name, schema in TABLES.items()}
    # Where nobody has reduced the history to its hours, the whole of it says the same.
    known[HOURS] = tables.get(HOURS, known["g_lag_history"])
    start_ms, end_ms = _window(known, generated_ms)
    since_ms = end_ms - limits.REBALANCE_DAYS * DAY_MS
    for name, column in (
        ("g_rebalance", "ended_ms"),
        ("g_rebalance_episode", "ended_ms"),
        ("g_hot_committers", "hour_ms"),
    ):
        known[name] = within(known[name], column, since_ms, end_ms)
    groups = _in_order(known)
    clusters = tuple(sorted({key.cluster for key in groups} | set(_distinct(known["g_data_quality"], "cluster"))))
    shared = markup.shared_end([key.group_id for key in groups])
    return Facts(known, generated_ms, start_ms, end_ms, groups, clusters, shared)


def of_group(rows: pa.Table, key: GroupKey) -> pa.Table:
    return rows.filter(pc.and_(pc.equal(rows["cluster"], key.cluster), pc.equal(rows["group_id"], key.group_id)))


def top(table: pa.Table, by: list[tuple[str, str]], most: int) -> list[Row]:
    """The first rows in an order; nulls stand last."""
    if table.num_rows == 0:
        return []
    # Not select_k_unstable: ties would fall anywhere, and two runs over one lake must write the same page.
    rows: list[Row] = table.take(pc.sort_indices(table, by)[:most]).to_pylist()
    return rows


def worst_partitions(facts: Facts, key: GroupKey, most: int) -> list[Row]:
    """The partitions of a group that are furthest behind."""
    order = [("late_ms", "descending"), ("lag", "descending"), ("topic", "ascending"), ("partition", "ascending")]
    return top(with_lateness(facts.of_group("g_lag", key)), order, most)


def with_lateness(lag: pa.Table) -> pa.Table:
    """Rows of `g_lag` with `late_ms` to order by: nobody knows how late some are, which comes before those that are not late."""
    return lag.append_column("late_ms", pc.if_else(is_late_unknown(lag), 1, lag["time_lag_est_ms"]))


def is_late_unknown(lag: pa.Table) -> pa.ChunkedArray:
    """A mask of rows of `g_lag`: records wait, or may wait since the end is not known, and nobody knows how long.

    Never null. A partition without a position is none of these: nothing was read there that could be late.
    """
    has_no_end = pc.and_(pc.is_null(lag["lag"]), pc.is_valid(lag["committed"]))
    may_wait = pc.or_(has_no_end, pc.fill_null(pc.greater(lag["lag"], 0), False))
    return pc.and_(pc.is_null(lag["time_lag_est_ms"]), may_wait)


def is_late_open(lag: pa.Table) -> pa.ChunkedArray:
    """The same, or of which only the least is known: then what the others show is the least for all."""
    has_no_upper_end = pc.and_(pc.fill_null(pc.greater(lag["lag"], 0), False), pc.is_null(lag["time_lag_hi_ms"]))
    return pc.or_(has_no_upper_end, is_late_unknown(lag))


def born_ms(facts: Facts, key: GroupKey) -> int | None:
    """When the first member was seen, the first rebalance began or the first commit came, as far as this lake knows."""
    seen = (
        pc.min(facts.of_group(table, key)[column]).as_py()
        for table, column in (("g_member", "first_seen_ms"), ("g_rebalance", "started_ms"))
    )
    return min((at for at in seen if at is not None), default=_first_commit_ms(facts, key))


def _first_commit_ms(facts: Facts, key: GroupKey) -> int | None:
    """Of a group that only commits: the commit that it stands at if no other came before; else by the end of that minute."""
    first = pc.min(facts.of_group("g_lag_history", key)["minute_ms"]).as_py()
    if first is None or first < facts.start_ms // MINUTE_MS * MINUTE_MS:
        return None
    latest = pc.min(facts.of_group("g_lag", key)["commit_ms"]).as_py()
    end: int = first + MINUTE_MS
    return end if latest is None else min(max(latest, first), end)


def minutes_within(history: pa.Table, start_ms: int, end_ms: int) -> pa.Table:
    """Rows of `g_lag_history`, the one of the minute that the time begins in too."""
    return within(history, "minute_ms", start_ms // MINUTE_MS * MINUTE_MS, end_ms)


def as_of(row: Row, end_ms: int) -> int:
    """The moment that a row of `g_lag_history` speaks of: the end of its minute."""
    return min(int(row["minute_ms"]) + MINUTE_MS, end_ms)


def within(table: pa.Table, column: str, start_ms: int, end_ms: int) -> pa.Table:
    times = table[column]
    return table.filter(pc.and_(pc.greater_equal(times, start_ms), pc.less_equal(times, end_ms)))


def _window(tables: Mapping[str, pa.Table], generated_ms: int) -> tuple[int, int]:
    """Up to a day before the newest fact; shorter where the lake is younger."""
    times = [
        _extent(tables[name], column)
        for name, column in (
            ("g_lag", "at_ms"),
            ("g_lag_history", "minute_ms"),
            ("g_rebalance", "ended_ms"),
            ("g_member", "first_seen_ms"),
            ("g_member", "last_seen_ms"),
        )
    ]
    known = [extent for extent in times if extent is not None]
    if not known:
        return generated_ms - HOUR_MS, generated_ms
    end = max(high for _, high in known)
    start = _first(sorted(max(low, end - limits.WINDOW_MS) for low, _ in known), end - limits.WINDOW_MS)
    return min(start, end - MINUTE_MS), end


def _first(lows: list[int], window_ms: int) -> int:
    """The first fact, or where the window begins.

    A minute of the history begins before what is in it: a fact that falls into the first one says when.
    """
    inside = [low for low in lows if low % MINUTE_MS and low - lows[0] < MINUTE_MS]
    return inside[0] if inside and lows[0] > window_ms else lows[0]


def _extent(table: pa.Table, column: str) -> tuple[int, int] | None:
    both = pc.min_max(table[column]).as_py()
    return None if both["min"] is None else (both["min"], both["max"])


def _in_order(tables: Mapping[str, pa.Table]) -> tuple[GroupKey, ...]:
    """What needs attention first, then by the class of time lag, then by how often a group rebalanced."""
    keys = {
        key
        for name in ("g_group_lag", "g_lag", "g_status", "g_rebalance", "g_member", "g_expiry")
        for key in _counted(tables[name])
    }
    worst = _worst_status(tables["g_status"])
    lag = {_key(row["cluster"], row["group_id"]): row for row in _newest_group_lag(tables["g_group_lag"])}
    rebalances = _counted(tables["g_rebalance"])

    def concern(key: GroupKey) -> tuple[int, float, int, int, GroupKey]:
        row = lag.get(key, {})
        return (
            min(worst.get(key, len(kinds.STATUSES)), kinds.severity("CATCHING_UP")),
            -_lateness(row),
            -rebalances.get(key, 0),
            -(row.get("lag_sum") or 0),
            key,
        )

    return tuple(sorted(keys, key=concern))


def _lateness(row: Row) -> float:
    """The class of a group's time lag. Behind for a time that nobody knows comes before caught up."""
    known = kinds.lag_class(row.get("time_lag_max_ms"))
    if known is not None:
        return known
    return 0.5 if row.get("lag_sum") or row.get("n_no_end") else 0


def _newest_group_lag(table: pa.Table) -> list[Row]:
    rows: list[Row] = (
        table.select(["cluster", "group_id", "at_ms", "time_lag_max_ms", "lag_sum", "n_no_end"])
        .sort_by("at_ms")
        .to_pylist()
    )
    return rows


def _worst_status(table: pa.Table) -> dict[GroupKey, int]:
    ranked = pa.table({"cluster": table["cluster"], "group_id": table["group_id"], "rank": status_rank(table)})
    groups = Grouped(ranked, ["cluster", "group_id"])
    return {_key(*key): rank or 0 for key, rank in zip(groups.keys, groups.smallest("rank"), strict=True)}


def status_rank(table: pa.Table) -> pa.ChunkedArray:
    """The place of each row's status in the order of concern."""
    known = pc.index_in(table["status"], pa.array(kinds.STATUSES))
    return pc.fill_null(known, kinds.severity(None))


def _counted(table: pa.Table) -> dict[GroupKey, int]:
    groups = Grouped(table, ["cluster", "group_id"])
    return {_key(*key): count for key, count in zip(groups.keys, groups.counts(), strict=True)}


def _key(cluster: str | None, group_id: str | None) -> GroupKey:
    return GroupKey(cluster or "", group_id or "")


def _distinct(table: pa.Table, column: str) -> list[str]:
    return [value for value in pc.unique(table[column]).to_pylist() if value is not None]
