"""The top of the page: a few figures, and in sentences what somebody should look at now."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from functools import partial

import pyarrow as pa
import pyarrow.compute as pc

from muster.core.time_units import DAY_MS
from muster.pipeline.report import kinds, limits, words
from muster.pipeline.report.facts import Facts, GroupKey, Row, is_late_open, top, within
from muster.pipeline.report.grouping import Grouped
from muster.pipeline.report.links import group_link
from muster.pipeline.report.markup import Html, tag, together, visible
from muster.pipeline.report.panels import badge
from muster.pipeline.report.places import without_end
from muster.pipeline.report.plots.quality import total_coverage

_SOON_MS = 2 * DAY_MS

Line = Callable[[], Html]
"""Written only if there is room for it."""


def tiles(facts: Facts) -> Html:
    lag = facts.table("g_lag")
    rebalances = within(facts.table("g_rebalance"), "ended_ms", facts.start_ms, facts.end_ms).num_rows
    troubled = _troubled(facts)
    expiring = _expiring(facts)
    figures = (
        (words.count(len(facts.groups)), "groups", ""),
        (words.count(pc.sum(pc.is_valid(lag["committed"])).as_py() or 0), "committed partitions", ""),
        (
            longest := _longest(lag),
            "longest time lag",
            "unknown" if longest.startswith((words.NO_TIME_LAG, "≥")) else "",
        ),
        (words.short_count(_behind(lag)), _behind_word(lag), "unknown" if without_end(lag).num_rows else ""),
        (words.count(len(troubled)), "groups need attention", "bad" if troubled else ""),
        (words.count(rebalances), f"rebalances in {words.duration(facts.end_ms - facts.start_ms)}", ""),
        (words.count(len(expiring)), "groups lose offsets within 48 h", "doubtful" if expiring else ""),
        (words.share(total_coverage(facts.table("g_data_quality"))), "of the log's history is whole", ""),
    )
    drawn = (
        tag("li", tag("strong", value), tag("span", word), class_=f"tile {tone}".strip())
        for value, word, tone in figures
    )
    return tag("ul", together(drawn), class_="tiles")


def _behind(lag: pa.Table) -> int | None:
    behind: int | None = pc.sum(lag["lag"]).as_py()
    return 0 if lag.num_rows == 0 else behind


def _behind_word(lag: pa.Table) -> str:
    """Partitions of which no lag is known are counted, never summed (trap 18)."""
    missing = lag["lag"].null_count
    return "records behind in all" + (
        f", without {words.many(missing, 'partition')} whose lag is not known" if missing else ""
    )


def _longest(lag: pa.Table) -> str:
    """Of all partitions; "at least" where one is late and nobody knows how much, and not known where the others are not late."""
    lag = lag.filter(pc.is_valid(lag["committed"]))
    if not lag.num_rows:
        return words.NOT_KNOWN
    longest_ms = pc.max(lag["time_lag_est_ms"]).as_py()
    is_open = pc.any(is_late_open(lag)).as_py()
    if longest_ms is None or (is_open and longest_ms == 0):
        return words.NO_TIME_LAG
    return ("≥ " if is_open else "") + words.duration(longest_ms)


def attention(facts: Facts) -> Html:
    kinds_of_lines = (_status_lines(facts), _storm_lines(facts), _expiry_lines(facts), _quality_lines(facts))
    if not facts.groups and not any(kinds_of_lines):
        return tag(
            "p", "This lake has no group: nobody has committed or joined in what was read so far.", class_="all-well"
        )
    if not any(kinds_of_lines):
        return tag("p", "Nothing needs attention, as far as this lake knows.", class_="all-well")
    # A few of every kind: a thousand stopped groups must not hide the one storm.
    shown = [line for lines in kinds_of_lines for line in lines[: limits.ATTENTION_LINES]]
    more = sum(len(lines) for lines in kinds_of_lines) - len(shown)
    rest = tag("p", f"{words.many(more, 'more line')} like these: see the tables.", class_="left-out") if more else None
    return together((tag("ul", together(tag("li", line()) for line in shown), class_="attention"), rest))


def _troubled(facts: Facts) -> dict[GroupKey, list[Row]]:
    """Groups with a partition in trouble: for each trouble how many partitions, and the evidence of one."""
    table = facts.table("g_status")
    bad = pa.array([status for status in kinds.STATUSES if kinds.needs_attention(status)])
    rows = table.filter(pc.is_in(table["status"], bad)).sort_by([("topic", "ascending"), ("partition", "ascending")])
    groups = Grouped(rows, ["cluster", "group_id", "status"])
    found: dict[GroupKey, list[Row]] = defaultdict(list)
    for row, count in zip(groups.first_rows.to_pylist(), groups.counts(), strict=True):
        found[GroupKey(row["cluster"], row["group_id"])].append({**row, "partitions": count})
    return found


def _status_lines(facts: Facts) -> list[Line]:
    troubled = _troubled(facts)
    return [partial(_status_line, facts, key, troubled[key]) for key in facts.groups if key in troubled]


def _status_line(facts: Facts, key: GroupKey, troubles: list[Row]) -> Html:
    worst = min(troubles, key=lambda row: kinds.severity(row["status"]))
    of = words.many(worst["partitions"], "partition")
    why = f": {visible(worst['evidence'], limits.EVIDENCE_CHARACTERS)}" if worst["evidence"] else ""
    return together((badge(worst["status"]), " ", group_link(facts, key), f" in {of}{why}"))


def _storm_lines(facts: Facts) -> list[Line]:
    table = facts.table("g_rebalance_episode")
    storms = within(table.filter(pc.equal(table["kind"], "storm")), "ended_ms", facts.start_ms, facts.end_ms)
    order = [("n_rebalances", "descending"), ("ended_ms", "descending"), ("group_id", "ascending")]
    return [partial(_storm_line, facts, row) for row in top(storms, order, 100)]


def _storm_line(facts: Facts, row: Row) -> Html:
    causes = ", ".join(visible(cause).replace("_", " ") for cause in sorted(set(row["causes"] or []))[:4])
    begin = row["started_ms"] if row["started_ms"] is not None else row["ended_ms"]
    lasted = words.duration(row["ended_ms"] - begin)
    said = f" rebalanced {words.count(row['n_rebalances'])} times from {words.moment(begin)} in {lasted} ({causes})"
    group = group_link(facts, GroupKey(row["cluster"], row["group_id"]))
    return together((tag("span", "STORM", class_="badge doubtful"), " ", group, said))


def _expiring(facts: Facts) -> dict[GroupKey, tuple[int, int, int]]:
    """Groups that lose offsets within two days, with unread records behind them or with nobody knows how many: when first, and
    how many records are known of.
    """
    table = facts.table("g_expiry")
    soon = table.filter(
        pc.and_(
            pc.less(table["expires_ms"], facts.end_ms + _SOON_MS),
            pc.fill_null(pc.greater(table["at_risk_records"], 0), True),
        )
    )
    soon = soon.append_column("unknown", pc.is_null(soon["at_risk_records"]))
    groups = Grouped(soon, ["cluster", "group_id"])
    sums = groups.smallest("expires_ms"), groups.totals("at_risk_records"), groups.totals("unknown")
    losses = zip(groups.keys, *sums, strict=True)
    return {GroupKey(*key): (first_ms or 0, records, unknown) for key, first_ms, records, unknown in losses}


def _expiry_lines(facts: Facts) -> list[Line]:
    soonest = sorted(_expiring(facts).items(), key=lambda item: (item[1][0], item[0]))
    return [partial(_expiry_line, facts, key, *loss) for key, loss in soonest]


def _expiry_line(facts: Facts, key: GroupKey, first_ms: int, records: int, unknown: int) -> Html:
    left = first_ms - facts.end_ms
    when = f"in {words.duration(left)}" if left > 0 else "at the next check"
    said = f" forgets its place {when}: {words.at_risk(records, unknown)}"
    return together((tag("span", "EXPIRES", class_="badge doubtful"), " ", group_link(facts, key), said))


def _quality_lines(facts: Facts) -> list[Line]:
    quarantined = pc.sum(facts.table("g_data_quality")["quarantined"]).as_py() or 0
    return [partial(_quarantine_line, quarantined)] if quarantined else []


def _quarantine_line(quarantined: int) -> Html:
    said = f" {words.many(quarantined, 'record')} could not be decoded and are kept in b_quarantine with the reason."
    return together((tag("span", "QUARANTINE", class_="badge doubtful"), said))
