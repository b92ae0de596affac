"""Our status rules once more, one position at a time, as they were first written: what the columns are compared with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from operator import sub
from statistics import median
from typing import TypeAlias

from muster.pipeline.tables.durations import span
from tests.pipeline.oracle.burrow_rule import Window

Verdict: TypeAlias = tuple[str, str]
"""Status and evidence."""

_USUAL_INTERVALS = 3
_NEARLY_ALL = 0.9
_LEAST_COMMITS_THAT_RISE = 3
_FALLS_BEHIND = ("UNOWNED", "REWOUND", "STOPPED", "STALLED", "SLOW", "UNKNOWN")
_WITHOUT_MEMBERS = ("Empty", "Dead")


@dataclass(slots=True)
class Standing:
    """What is known of one partition of a group. Not frozen, which would cost four times as much to make."""

    committed: int | None
    end: int | None
    log_start: int | None
    lag: int | None
    stable_lag: int | None
    """Of it what a reader of committed records can have now; None: not known."""
    method: str
    owner: str | None
    consume_rate: float | None
    produce_rate: float | None
    eta_ms: int | None
    group_state: str | None
    """None: only offsets are known, a simple consumer."""
    n_members: int | None
    empty_since_ms: int | None
    subscribed: bool | None
    """None: cannot be told."""
    assignment_known: bool | None
    last_end_ms: int | None
    """When the end was sampled for the last time, where it is not known any more."""
    window: Window
    at_ms: int
    """The moment of judgement."""


def verdict(standing: Standing, allowed_lag: int, stop_after_ms: int) -> Verdict:
    found = _without_lag(standing, allowed_lag, stop_after_ms)
    if found is not None:
        return found
    status, evidence = _with_lag(standing, allowed_lag, stop_after_ms)
    unread = _unread_share(standing)
    if status in _FALLS_BEHIND and unread is not None and unread >= _NEARLY_ALL:
        return (
            "AT_RISK",
            f"{unread:.0%} of what is left of the log is unread, the oldest goes first; {status}: {evidence}",
        )
    return status, evidence


def _unread_share(known: Standing) -> float | None:
    """Of what the topic still holds; None where nothing was ever deleted, so nothing need be lost (trap 25)."""
    if not known.log_start or known.end is None or known.lag is None or known.end <= known.log_start:
        return None
    return known.lag / (known.end - known.log_start)


def _without_lag(known: Standing, allowed_lag: int, stop_after_ms: int) -> Verdict | None:
    if known.committed is None:
        return "NO_POSITION", "no offset is committed; auto.offset.reset decides where it begins"
    if known.end is None or known.lag is None:
        if known.last_end_ms is None:
            return "NO_DATA", f"committed {known.committed}, no end offset was ever sampled"
        age = span(known.at_ms - known.last_end_ms)
        why = "the partition is deleted, has no leader, or may not be seen any more"
        return "NO_DATA", f"committed {known.committed}, the last end that is known is {age} old: {why}"
    if known.log_start is not None and known.committed < known.log_start:
        gone = known.log_start - known.committed
        return (
            "DATA_LOSS",
            f"committed {known.committed}, the log begins at {known.log_start}: {gone} records were deleted unread",
        )
    if known.method == "ahead":
        return "AHEAD", f"committed {known.committed}, the end is {known.end}: the topic was cut or made anew"
    if known.group_state == "Stable" and known.subscribed is False:
        return "ORPHANED", f"no member subscribes to the topic; lag {known.lag}"
    to_read = known.lag if known.stable_lag is None else known.stable_lag
    if to_read > allowed_lag:
        return None
    beyond = (
        f", {known.lag - to_read} of it in transactions that are open or aborted, or markers"
        if known.lag > to_read
        else ""
    )
    silent_ms = _silent_ms(known)
    if silent_ms is not None and silent_ms > _silence_limit_ms(known, stop_after_ms):
        return "IDLE", f"caught up, last commit {span(silent_ms)} ago" + (
            f"; lag {known.lag}{beyond}" if beyond else ""
        )
    return "OK", f"lag {known.lag}{beyond}"


def _with_lag(known: Standing, allowed_lag: int, stop_after_ms: int) -> Verdict:
    assert known.lag is not None
    silent_ms = _silent_ms(known)
    if known.n_members and known.assignment_known and known.owner is None:
        return "UNOWNED", f"lag {known.lag}, none of {known.n_members} members owns the partition"
    rewound = _rewound(known.window.offsets)
    if known.group_state in _WITHOUT_MEMBERS or known.n_members == 0:
        since = f" for {span(known.at_ms - known.empty_since_ms)}" if known.empty_since_ms is not None else ""
        back = f"; went back from {rewound[0]} to {rewound[1]}" if rewound is not None else ""
        return "STOPPED", f"lag {known.lag}, the group has no members{since}{back}"
    if rewound is not None:
        before, after = rewound
        return "REWOUND", f"went back from {before} to {after}, now at {known.committed}"
    if silent_ms is not None and silent_ms > _silence_limit_ms(known, stop_after_ms):
        return "STOPPED", f"lag {known.lag}, last commit {span(silent_ms)} ago"
    offsets = known.window.offsets
    if len(offsets) > 1 and min(offsets) == max(offsets):
        return "STALLED", f"{len(offsets)} commits of the same offset {known.committed}, lag {known.lag}"
    return _speed(known, allowed_lag)


def _speed(known: Standing, allowed_lag: int) -> Verdict:
    lags = [lag for lag in known.window.lags if lag is not None]
    at_rates = ""
    if known.consume_rate is not None and known.produce_rate is not None:
        rates = f"reads {known.consume_rate:.1f}/s, written {known.produce_rate:.1f}/s"
        at_rates = f"; {rates}"
        if known.consume_rate > known.produce_rate:
            eta = f", caught up in {span(known.eta_ms)}" if known.eta_ms is not None else ""
            return "CATCHING_UP", f"lag {known.lag}, {rates}{eta}"
    if len(lags) > 1 and min(lags) > allowed_lag:
        status = "CATCHING_UP" if lags[-1] < lags[0] else "SLOW"
        return status, f"lag {known.lag}, was {lags[0]} {len(lags)} commits ago{at_rates}"
    n_since = _rises_for(lags, allowed_lag)
    if n_since is not None:
        return "SLOW", f"lag {known.lag}, was caught up {n_since} commits ago and has risen since{at_rates}"
    if len(lags) > 1:
        return "OK", f"lag {known.lag}, was caught up within the last {len(lags)} commits{at_rates}"
    return "UNKNOWN", f"lag {known.lag}, too few commits to say whether it falls{at_rates}"


def _rises_for(lags: Sequence[int], allowed_lag: int) -> int | None:
    """So many commits since it was caught up, if they are some, none had less lag than the one before, and the last has more than
    the first."""
    if not any(lag <= allowed_lag for lag in lags):
        return None
    since: list[int] = []
    for lag in reversed(lags):
        if lag <= allowed_lag:
            break
        since.insert(0, lag)
    rises = len(since) >= _LEAST_COMMITS_THAT_RISE and since == sorted(since) and since[-1] > since[0]
    return len(since) if rises else None


def _rewound(offsets: Sequence[int]) -> tuple[int, int] | None:
    """The place it fell from and where to, if it has not come back there. Every fall is looked at."""
    highest = -1
    fall: tuple[int, int] | None = None
    for offset in offsets:
        if offset >= highest:
            highest, fall = offset, None
        elif fall is None:
            fall = (highest, offset)
    return fall


def _silent_ms(known: Standing) -> int | None:
    times = known.window.times
    return max(0, known.at_ms - times[-1]) if times else None


def _silence_limit_ms(known: Standing, stop_after_ms: int) -> float:
    times = known.window.times
    if len(times) < 2:
        return stop_after_ms
    usual: float = median(map(sub, times[1:], times))
    return max(stop_after_ms, _USUAL_INTERVALS * usual)
