"""The top of the page: a few figures, and in sentences what somebody should look at now."""

from __future__ import annotations

from collections import defaultdict

import pyarrow as pa
import pyarrow.compute as pc

from muster.pipeline.report import kinds, limits, words
from muster.pipeline.report.facts import Facts, GroupKey, Row, top, within
from muster.pipeline.report.links import group_link
from muster.pipeline.report.markup import Html, name, tag, together, visible
from muster.pipeline.report.panels import badge
from muster.pipeline.report.plots.quality import total_coverage

_SOON_MS = 2 * limits.DAY_MS


def tiles(facts: Facts) -> Html:
    lag = facts.table("g_lag")
    rebalances = within(facts.table("g_rebalance"), "ended_ms", facts.start_ms, facts.end_ms).num_rows
    troubled = _troubled(facts)
    expiring = _expiring(facts)
    figures = (
        (words.count(len(facts.groups)), "groups", ""),
        (words.count(lag.num_rows), "committed partitions", ""),
        (_longest(lag), "longest time lag", ""),
        (words.short_count(pc.sum(lag["lag"]).as_py() or 0), "records behind in all", ""),
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


def _longest(lag: pa.Table) -> str:
    worst = top(lag.select(["time_lag_est_ms", "time_lag_hi_ms"]), [("time_lag_est_ms", "descending")], 1)
    if not worst or worst[0]["time_lag_est_ms"] is None:
        return words.NOT_KNOWN
    return ("≥ " if worst[0]["time_lag_hi_ms"] is None else "") + words.duration(worst[0]["time_lag_est_ms"])


def attention(facts: Facts) -> Html:
    lines = [*_status_lines(facts), *_storm_lines(facts), *_expiry_lines(facts), *_quality_lines(facts)]
    if not lines:
        return tag("p", "Nothing needs attention, as far as this lake knows.", class_="all-well")
    shown = lines[: limits.ATTENTION_LINES]
    more = len(lines) - len(shown)
    rest = tag("p", f"{words.many(more, 'more line')} like these: see the tables.", class_="left-out") if more else None
    return together((tag("ul", together(tag("li", line) for line in shown), class_="attention"), rest))


def _troubled(facts: Facts) -> dict[GroupKey, list[Row]]:
    """Groups with a partition in trouble, with how many partitions are in which trouble."""
    table = facts.table("g_status")
    bad = pa.array([status for status in kinds.STATUSES if kinds.needs_attention(status)])
    rows = table.filter(pc.is_in(table["status"], bad))
    counted = rows.group_by(["cluster", "group_id", "status"]).aggregate([([], "count_all"), ("evidence", "min")])
    found: dict[GroupKey, list[Row]] = defaultdict(list)
    for row in counted.to_pylist():
        found[GroupKey(row["cluster"], row["group_id"])].append(row)
    return found


def _status_lines(facts: Facts) -> list[Html]:
    troubled = _troubled(facts)
    lines = []
    for key in facts.groups:
        if key not in troubled:
            continue
        worst = min(troubled[key], key=lambda row: kinds.severity(row["status"]))
        of = words.many(worst["count_all"], "partition")
        why = f": {visible(worst['evidence_min'], limits.EVIDENCE_CHARACTERS)}" if worst["evidence_min"] else ""
        lines.append(together((badge(worst["status"]), " ", group_link(facts, key), f" in {of}{why}")))
    return lines


def _storm_lines(facts: Facts) -> list[Html]:
    table = facts.table("g_rebalance_episode")
    storms = within(table.filter(pc.equal(table["kind"], "storm")), "ended_ms", facts.start_ms, facts.end_ms)
    lines = []
    for row in top(storms, [("n_rebalances", "descending"), ("ended_ms", "descending")], limits.ATTENTION_LINES):
        key = GroupKey(row["cluster"], row["group_id"])
        causes = together(
            together((", " if i else "", name(cause.replace("_", " "))))
            for i, cause in enumerate(sorted(set(row["causes"] or []))[:4])
        )
        begin = row["started_ms"] if row["started_ms"] is not None else row["ended_ms"]
        lasted = words.duration(row["ended_ms"] - begin)
        said = f" rebalanced {row['n_rebalances']:,} times from {words.moment(begin)} in {lasted} ("
        lines.append(
            together((tag("span", "STORM", class_="badge doubtful"), " ", group_link(facts, key), said, causes, ")"))
        )
    return lines


def _expiring(facts: Facts) -> dict[GroupKey, Row]:
    """Groups that lose offsets with unread records behind them within two days."""
    table = facts.table("g_expiry")
    soon = table.filter(
        pc.and_(pc.less(table["expires_ms"], facts.end_ms + _SOON_MS), pc.greater(table["at_risk_records"], 0))
    )
    summed = soon.group_by(["cluster", "group_id"]).aggregate([("at_risk_records", "sum"), ("expires_ms", "min")])
    return {GroupKey(row["cluster"], row["group_id"]): row for row in summed.to_pylist()}


def _expiry_lines(facts: Facts) -> list[Html]:
    lines = []
    for key, row in sorted(_expiring(facts).items(), key=lambda item: (item[1]["expires_ms_min"], item[0])):
        left = row["expires_ms_min"] - facts.end_ms
        when = f"in {words.duration(left)}" if left > 0 else "at the next check"
        said = f" forgets its place {when}: {words.count(row['at_risk_records_sum'])} unread records"
        lines.append(together((tag("span", "EXPIRES", class_="badge doubtful"), " ", group_link(facts, key), said)))
    return lines


def _quality_lines(facts: Facts) -> list[Html]:
    quarantined = pc.sum(facts.table("g_data_quality")["quarantined"]).as_py() or 0
    if not quarantined:
        return []
    said = f" {words.many(quarantined, 'record')} could not be decoded and are kept in b_quarantine with the reason."
    return [together((tag("span", "QUARANTINE", class_="badge doubtful"), said))]
