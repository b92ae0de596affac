"""Our own word for how each partition of a group does, with the evidence for it. Pure; `status` feeds it.

First match wins. Unlike Burrow's it goes by time, not by the number of commits, knows the group's members, and tells a quiet
partition from a dead one:

| status | when |
|---|---|
| NO_POSITION | nothing committed |
| NO_DATA | no end offset known, or not any more |
| DATA_LOSS | the committed offset was deleted before it was read |
| AHEAD | committed behind the end: the topic was cut or made anew |
| ORPHANED | the group is stable and nobody subscribes to the topic |
| IDLE, OK | no lag, or nothing of it that a reader of committed records could have (traps 9 and 10); idle if silent too |
| UNOWNED | lag, the group has members, none owns the partition |
| STOPPED | lag, and no members |
| REWOUND | went back and has not reached its old place |
| STOPPED | lag, and silence |
| STALLED | lag, commits come, the offset stands |
| CATCHING_UP | lag that falls |
| SLOW | not caught up at any of the last commits, and no less lag at the last of them than at the first |
| SLOW | caught up at one of them, and the lag has risen and never fallen over three or more since |
| OK | lag, but caught up at one of the last commits: a reader that keeps up has some between two commits (Burrow's rule 5) |
| UNKNOWN | lag, and of fewer than two commits is known how much lag they had |
| AT_RISK | one of the last but CATCHING_UP, and nearly all that the topic still holds is unread, while deletion has begun there |
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

import polars as pl

from muster.pipeline.tables.columns import Column, Frame, is_true
from muster.pipeline.tables.durations import spans
from muster.pipeline.tables.settings import GoldSettings

_USUAL_INTERVALS = 3
_NEARLY_ALL = 0.9
_LEAST_COMMITS_THAT_RISE = 3
"""A reader that keeps up, too, has more lag at a commit than at the one before, or at two."""
_FALLS_BEHIND = ("UNOWNED", "REWOUND", "STOPPED", "STALLED", "SLOW", "UNKNOWN")
_WITHOUT_MEMBERS = ("Empty", "Dead")

_lag: Final = pl.col("lag")
_committed: Final = pl.col("committed")
_was: Final = pl.format("was {} {} commits ago", "first_lag", "n_lags")
_BEYOND: Final = " of it in transactions that are open or aborted, or markers"


class Rule(NamedTuple):
    status: str
    holds: Column
    """Null is no."""
    evidence: Column


def with_verdicts(rows: Frame, settings: GoldSettings) -> Frame:
    """`rows` of `g_lag` with group facts and those of their windows; the same with `status` and `evidence`, in the same order.

    Evidence is written for the rows of each rule by themselves: most rules hold for few.
    """
    rules = tuple(_rules(settings))
    rows = _with_silence(rows, settings)
    number = pl.coalesce(*(pl.when(rule.holds).then(pl.lit(n, pl.UInt32)) for n, rule in enumerate(rules)))
    judged = rows.with_columns(rule=number).with_row_index("at")
    parts = [
        part.with_columns(status=pl.lit(rules[number].status), evidence=rules[number].evidence)
        for (number,), part in judged.partition_by("rule", as_dict=True).items()
    ]
    if not parts:
        return rows.with_columns(status=pl.lit(None, pl.String), evidence=pl.lit(None, pl.String))
    return _with_risk(pl.concat(parts).sort("at").drop("rule", "at"))


def _with_silence(rows: Frame, settings: GoldSettings) -> Frame:
    """How long ago the last commit was, and whether that is longer than the group is usually silent."""
    usual_ms = (_USUAL_INTERVALS * pl.col("usual_interval_ms")).fill_null(0)
    silent_ms = pl.max_horizontal(settings.now_ms - pl.col("last_ms"), 0)
    return rows.with_columns(
        silent_ms=pl.when(pl.col("last_ms").is_not_null()).then(silent_ms),
        limit_ms=pl.max_horizontal(usual_ms, pl.lit(float(settings.stop_after_ms))),
        to_read=pl.coalesce("stable_lag", "lag"),
    ).with_columns(is_silent=is_true(pl.col("silent_ms") > pl.col("limit_ms")))


def _rules(settings: GoldSettings) -> Iterator[Rule]:
    yield from _rules_of_places(settings)
    yield from _rules_without_lag(settings)
    yield from _rules_of_members(settings)
    yield from _rules_of_commits()
    yield from _rules_of_speed(settings)


def _rules_of_places(settings: GoldSettings) -> Iterator[Rule]:
    """Where the committed offset is, and whether anybody wants it."""
    no_position = "no offset is committed; auto.offset.reset decides where it begins"
    yield Rule("NO_POSITION", _committed.is_null(), pl.lit(no_position))
    no_end = pl.col("end").is_null() | _lag.is_null()
    age = spans(settings.now_ms - pl.col("last_end_ms"))
    why = "the partition is deleted, has no leader, or may not be seen any more"
    missed = pl.format("committed {}, the last end that is known is {} old: {}", _committed, age, pl.lit(why))
    yield Rule("NO_DATA", no_end & pl.col("last_end_ms").is_not_null(), missed)
    yield Rule("NO_DATA", no_end, pl.format("committed {}, no end offset was ever sampled", _committed))
    gone = pl.col("log_start") - _committed
    lost = pl.format(
        "committed {}, the log begins at {}: {} records were deleted unread", _committed, "log_start", gone
    )
    yield Rule("DATA_LOSS", gone > 0, lost)
    made_anew = pl.format("committed {}, the end is {}: the topic was cut or made anew", _committed, "end")
    yield Rule("AHEAD", pl.col("method") == "ahead", made_anew)
    orphaned = (pl.col("state") == "Stable") & ~pl.col("subscribed")
    yield Rule("ORPHANED", orphaned, pl.format("no member subscribes to the topic; lag {}", _lag))


def _rules_without_lag(settings: GoldSettings) -> Iterator[Rule]:
    has_read_all = pl.col("to_read") <= settings.allowed_lag
    waits = _lag > pl.col("to_read")
    held = pl.when(waits).then(pl.format("lag {}, {}{}", _lag, _lag - pl.col("to_read"), pl.lit(_BEYOND)))
    idle = pl.format("caught up, last commit {} ago", spans(pl.col("silent_ms")))
    more = pl.when(waits).then(pl.format("; {}", held)).otherwise(pl.lit(""))
    yield Rule("IDLE", has_read_all & pl.col("is_silent"), pl.format("{}{}", idle, more))
    yield Rule("OK", has_read_all, held.fill_null(pl.format("lag {}", _lag)))


def _rules_of_members(settings: GoldSettings) -> Iterator[Rule]:
    unowned = (pl.col("n_members") > 0) & pl.col("assignment_known") & pl.col("owner").is_null()
    nobody = pl.format("lag {}, none of {} members owns the partition", _lag, "n_members")
    yield Rule("UNOWNED", unowned, nobody)
    without_members = is_true(pl.col("state").is_in(_WITHOUT_MEMBERS)) | is_true(pl.col("n_members") == 0)
    since = pl.format(" for {}", spans(settings.now_ms - pl.col("empty_since_ms"))).fill_null("")
    went_back = pl.format("; went back from {} to {}", "highest_offset", "fell_to")
    back = pl.when(is_true(pl.col("went_back"))).then(went_back).otherwise(pl.lit(""))
    left = pl.format("lag {}, the group has no members{}{}", _lag, since, back)
    yield Rule("STOPPED", without_members, left)


def _rules_of_commits() -> Iterator[Rule]:
    rewound = pl.format("went back from {} to {}, now at {}", "highest_offset", "fell_to", _committed)
    yield Rule("REWOUND", pl.col("went_back"), rewound)
    silent = pl.format("lag {}, last commit {} ago", _lag, spans(pl.col("silent_ms")))
    yield Rule("STOPPED", pl.col("is_silent"), silent)
    stands = (pl.col("n_commits") > 1) & (pl.col("lowest_offset") == pl.col("highest_offset"))
    stalled = pl.format("{} commits of the same offset {}, lag {}", "n_commits", _committed, _lag)
    yield Rule("STALLED", stands, stalled)


def _rules_of_speed(settings: GoldSettings) -> Iterator[Rule]:
    """By rates where both are known, else by lag at the last commits."""
    rates = pl.format("reads {}/s, written {}/s", _tenths("consume_rate"), _tenths("produce_rate"))
    eta = pl.format(", caught up in {}", spans(pl.col("eta_ms"))).fill_null("")
    faster = pl.format("lag {}, {}{}", _lag, rates, eta)
    yield Rule("CATCHING_UP", pl.col("consume_rate") > pl.col("produce_rate"), faster)

    at_rates = pl.format("; {}", rates).fill_null("")
    has_lags = pl.col("n_lags") > 1
    always_behind = has_lags & (pl.col("lowest_sure_lag") > settings.allowed_lag)
    rises = pl.col("rises_since") & (pl.col("n_since_caught_up") >= _LEAST_COMMITS_THAT_RISE)
    lag_was = pl.format("lag {}, {}{}", _lag, _was, at_rates)
    rose = pl.format("lag {}, was caught up {} commits ago and has risen since{}", _lag, "n_since_caught_up", at_rates)
    was_there = pl.format("lag {}, was caught up within the last {} commits{}", _lag, "n_lags", at_rates)
    unsure = pl.format("lag {}, too few commits to say whether it falls{}", _lag, at_rates)
    yield Rule("SLOW", always_behind & (pl.col("last_lag") >= pl.col("first_lag")), lag_was)
    yield Rule("SLOW", rises, rose)
    yield Rule("CATCHING_UP", always_behind, lag_was)
    yield Rule("OK", has_lags, was_there)
    yield Rule("UNKNOWN", pl.lit(True), unsure)


def _tenths(column: str) -> Column:
    return pl.col(column).round(1).cast(pl.String)


def _with_risk(rows: Frame) -> Frame:
    """Where something was deleted already, the oldest of what is unread goes next (trap 25)."""
    held = pl.col("end") - pl.col("log_start")
    unread = pl.when((pl.col("log_start") > 0) & (held > 0)).then(_lag / held)
    at_risk = is_true(pl.col("status").is_in(_FALLS_BEHIND) & (unread >= _NEARLY_ALL))
    percent = (unread * 100).round(mode="half_to_even").cast(pl.Int64)
    left = "of what is left of the log is unread, the oldest goes first"
    risk = pl.format("{}% {}; {}: {}", percent, pl.lit(left), "status", "evidence")
    return rows.with_columns(
        status=pl.when(at_risk).then(pl.lit("AT_RISK")).otherwise("status"),
        evidence=pl.when(at_risk).then(risk).otherwise("evidence"),
    )
