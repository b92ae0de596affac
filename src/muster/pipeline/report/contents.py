"""The tables of the page: lag, status, rebalances, members, balance, expiring, abandoned, committers. Columns and order of each."""

from __future__ import annotations

import pyarrow.compute as pc

from muster.pipeline.report import kinds, limits, words
from muster.pipeline.report.facts import Facts, Row, status_rank, top, with_lateness
from muster.pipeline.report.markup import Html, tag, together, visible
from muster.pipeline.report.panels import badge
from muster.pipeline.report.sheets import (
    Column,
    Sheet,
    counted,
    group_columns,
    lasting,
    long_text,
    measured,
    parted,
    text,
    timed,
)

_MOST = limits.TABLE_ROWS
_PLACE = (text("topic", "topic"), counted("partition", "partition"))


def all_sheets(facts: Facts) -> list[Sheet]:
    return [
        lag(facts),
        status(facts),
        rebalances(facts),
        members(facts),
        balance(facts),
        expiring(facts),
        abandoned(facts),
        committers(facts),
    ]


def lag(facts: Facts) -> Sheet:
    table = facts.table("g_lag")
    columns = (
        *group_columns(facts),
        *_PLACE,
        counted("committed", "committed"),
        counted("end", "end"),
        Column("records behind", _lag, lambda row: row["lag"]),
        Column("time lag", _time_lag, lambda row: row["time_lag_est_ms"], "estimate, with its lower and upper end"),
        text("method", "method", "how the time lag was found; left_bound means at least"),
        lasting("last commit", "commit_age_ms", "age of the last commit"),
        lasting("caught up in", "eta_ms", "records behind over the difference of the rates"),
        text("owner", "owner"),
    )
    order = [
        ("late_ms", "descending"),
        ("lag", "descending"),
        ("group_id", "ascending"),
        ("topic", "ascending"),
        ("partition", "ascending"),
    ]
    about = "Where each group stands in each partition, at the newest sample of end offsets."
    return Sheet(
        "lag", "Lag", about, columns, top(with_lateness(table), order, _MOST), table.num_rows, "longest time lag first"
    )


def _lag(row: Row) -> str:
    return words.NO_TIME_LAG if row["lag"] is None and row["committed"] is not None else words.count(row["lag"])


def _time_lag(row: Row) -> Html:
    said = words.time_lag_of(row)
    if said == words.NO_TIME_LAG:
        return together((tag("span", class_="swatch lag-none", aria_hidden="true"), said))
    head, _, rest = said.partition(" (")
    return together((head, tag("small", " (" + rest) if rest else None))


def status(facts: Facts) -> Sheet:
    table = facts.table("g_status")
    ranked = table.append_column("rank", status_rank(table))
    columns = (
        *group_columns(facts),
        *_PLACE,
        Column("status", lambda row: badge(row["status"]), lambda row: row["rank"], is_number=False),
        text("Burrow's status", "burrow_status"),
        long_text("evidence", "evidence"),
    )
    order = [("rank", "ascending"), ("group_id", "ascending"), ("topic", "ascending"), ("partition", "ascending")]
    about = "What each partition of each group is doing, and what speaks for it. Burrow's rule beside ours."
    return Sheet("status", "Status", about, columns, top(ranked, order, _MOST), table.num_rows, "worst first")


def rebalances(facts: Facts) -> Sheet:
    table = facts.table("g_rebalance")
    columns = (
        *group_columns(facts),
        timed("ended (UTC)", "ended_ms"),
        counted("generation", "generation"),
        Column("cause", _cause, None),
        text("trigger", "trigger_member"),
        lasting("join", "join_phase_ms"),
        lasting("sync", "sync_phase_ms"),
        lasting("pause, worst", "pause_max_ms"),
        Column("members", _before_after, lambda row: row["members_after"]),
        counted("moved", "partitions_moved"),
        counted("needlessly", "excess_moves", "moves beyond the fewest that would have kept the balance"),
        text("waited for", "waited_for"),
        long_text("client's reason", "client_reason"),
        parted("sure", "confidence", "1 from the journal, less when inferred from the log"),
    )
    order = [("ended_ms", "descending"), ("group_id", "ascending"), ("log_offset", "descending")]
    about = (
        f"Every rebalance of {limits.REBALANCE_DAYS} days: who set it off, how long each phase took, what it moved. "
        "A dash is what the log alone cannot tell."
    )
    return Sheet("rebalances", "Rebalances", about, columns, top(table, order, _MOST), table.num_rows, "newest first")


def _cause(row: Row) -> Html:
    family = kinds.cause_family(row["cause"])
    swatch = tag("span", class_=f"swatch cause-{family}", aria_hidden="true")
    return tag("span", swatch, visible(row["cause"], 32), class_="mono")


def _before_after(row: Row) -> str:
    return f"{words.count(row['members_before'])} → {words.count(row['members_after'])}"


def members(facts: Facts) -> Sheet:
    table = facts.table("g_member")
    columns = (
        *group_columns(facts),
        text("member", "identity"),
        text("client id", "client_id"),
        text("host", "client_host"),
        Column("static", lambda row: "static" if row["is_static"] else ""),
        Column("here", lambda row: "here" if row["is_present"] else "gone"),
        timed("first seen (UTC)", "first_seen_ms"),
        timed("last seen (UTC)", "last_seen_ms"),
        counted("generations", "n_generations"),
        counted("restarts", "n_restarts"),
        counted("partitions", "n_partitions"),
        text("left because", "left_because"),
    )
    order = [("last_seen_ms", "descending"), ("group_id", "ascending"), ("identity", "ascending")]
    about = "Everybody who was ever in a group; a static member is one row through all its restarts."
    return Sheet("members", "Members", about, columns, top(table, order, _MOST), table.num_rows, "last seen first")


def balance(facts: Facts) -> Sheet:
    table = facts.table("g_assignment_balance")
    columns = (
        *group_columns(facts),
        timed("since (UTC)", "at_ms"),
        counted("generation", "generation"),
        counted("members", "n_members"),
        counted("idle", "n_idle_members"),
        counted("partitions", "n_partitions"),
        measured("busiest over mean", "max_over_mean"),
        counted("spread", "spread"),
        measured("CV", "cv"),
        measured("Gini", "gini"),
        measured("even members", "effective_members", "as many members with equal shares would do the same work"),
    )
    order = [("at_ms", "descending"), ("group_id", "ascending"), ("generation", "descending")]
    about = "How even each assignment was."
    return Sheet("balance", "Balance", about, columns, top(table, order, _MOST), table.num_rows, "newest first")


def expiring(facts: Facts) -> Sheet:
    table = facts.table("g_expiry")
    soon = table.filter(pc.is_valid(table["expires_ms"]))
    columns = (
        *group_columns(facts),
        *_PLACE,
        counted("committed", "committed"),
        timed("expires (UTC)", "expires_ms"),
        Column("in", lambda row: words.duration(row["expires_ms"] - facts.end_ms), lambda row: row["expires_ms"]),
        Column("unread records", _at_risk, lambda row: row["at_risk_records"]),
        text("group is", "group_state"),
        long_text("because", "reason"),
    )
    order = [
        ("expires_ms", "ascending"),
        ("at_risk_records", "descending"),
        ("group_id", "ascending"),
        ("topic", "ascending"),
        ("partition", "ascending"),
    ]
    about = (
        "When committed offsets will be forgotten, by the coordinator's own rule. A consumer that comes back later starts "
        "where its auto.offset.reset says: at the end (unread records are skipped) or at the beginning (everything is read again)."
    )
    return Sheet("expiring", "Expiring", about, columns, top(soon, order, _MOST), soon.num_rows, "soonest first")


def _at_risk(row: Row) -> str:
    return words.NO_TIME_LAG if row["at_risk_records"] is None else words.count(row["at_risk_records"])


def abandoned(facts: Facts) -> Sheet:
    table = facts.table("g_abandoned")
    columns = (
        *group_columns(facts),
        measured("score", "score", "1 is surely abandoned"),
        timed("empty since (UTC)", "empty_since_ms"),
        timed("last commit (UTC)", "last_commit_ms"),
        counted("records behind", "lag"),
        long_text("evidence", "evidence"),
    )
    order = [("score", "descending"), ("last_commit_ms", "ascending"), ("group_id", "ascending")]
    about = "Groups that nobody seems to use any more, and what speaks for it. Nothing here deletes anything."
    return Sheet(
        "abandoned",
        "Abandoned",
        about,
        columns,
        top(table, order, _MOST),
        table.num_rows,
        "most surely abandoned first",
    )


def committers(facts: Facts) -> Sheet:
    table = facts.table("g_hot_committers")
    columns = (
        *group_columns(facts),
        timed("hour (UTC)", "hour_ms"),
        counted("log partition", "log_partition"),
        counted("commits", "commits"),
        counted("useless", "useless", "the offset was the same as before"),
        parted("useless share", "useless_share"),
        measured("records a commit", "records_per_commit"),
        counted("bytes", "bytes"),
        parted(
            "of its log partition", "share_of_log_partition", "one hot group slows every group of its log partition"
        ),
    )
    order = [
        ("commits", "descending"),
        ("hour_ms", "descending"),
        ("group_id", "ascending"),
        ("log_partition", "ascending"),
    ]
    about = "Who commits most, and how much of it moved nothing."
    return Sheet(
        "committers", "Committers", about, columns, top(table, order, _MOST), table.num_rows, "most commits first"
    )
