"""How numbers, durations and times read on the page. Times are UTC: a report is sent to people in other places."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from muster.core.time_units import DAY_MS
from muster.explain import words

NOT_KNOWN = "–"
NO_TIME_LAG = "not known"
"""Instead of a time lag that is at least nothing, of a lag in a partition whose end is not known, and of what follows from them."""


def count(value: int | float | None) -> str:
    return NOT_KNOWN if value is None else f"{value:,.0f}"


def short_count(value: int | float | None, precision: int = 3) -> str:
    """Three digits and a letter: for axes and headlines. Two where a fraction of a million would not fit."""
    if value is None:
        return NOT_KNOWN
    size = float(value)
    for unit in ("", "k", "M", "G", "T"):
        if abs(size) < 999.5 or unit == "T":
            break
        size /= 1000
    digits = 0 if unit == "" and size == int(size) else max(0, precision - len(str(int(abs(size)))))
    text = f"{size:.{digits}f}"
    return (text.rstrip("0").rstrip(".") if "." in text else text) + unit


def ratio(value: float | None, digits: int = 2) -> str:
    return NOT_KNOWN if value is None else f"{value:.{digits}f}"


def share(value: float | None) -> str:
    """A part of one as per cent; rounding never says 100 % of something that is not whole, nor 0 % of something."""
    if value is None:
        return NOT_KNOWN
    if 0.999 < value < 1:
        return ">99.9 %"
    if 0 < value < 0.001:
        return "<0.1 %"
    return f"{value * 100:.1f} %".replace(".0 %", " %")


def duration(ms: int | float | None) -> str:
    if ms is None:
        return NOT_KNOWN
    return "0 s" if ms == 0 else words.duration(ms)


def time_lag(lo_ms: int | None, hi_ms: int | None, est_ms: int | None) -> str:
    """An estimate with its bracket; without an upper end it is a lower bound and says so."""
    if lo_ms is None and est_ms is None:
        return NO_TIME_LAG
    if hi_ms is None:
        at_least = lo_ms if lo_ms is not None else est_ms
        return "≥ " + duration(at_least) if at_least else NO_TIME_LAG
    if lo_ms is None or lo_ms == hi_ms:
        return duration(est_ms if est_ms is not None else hi_ms)
    low, high, middle = duration(lo_ms), duration(hi_ms), duration(est_ms)
    return f"{low} to {high}" if middle in (low, high) else f"{middle} ({low} to {high})"


def time_lag_of(row: Mapping[str, Any]) -> str:
    """Of a row of `g_lag`. Without a position there is nothing that could be late."""
    if row["committed"] is None:
        return NOT_KNOWN
    return time_lag(row["time_lag_lo_ms"], row["time_lag_hi_ms"], row["time_lag_est_ms"])


def records_behind(row: Mapping[str, Any]) -> str:
    """Of a row of `g_lag`. Where a position has no end that is known, as with its time lag."""
    if row["lag"] is None and row["committed"] is not None:
        return "how many records behind is not known"
    return f"{count(row['lag'])} records behind"


def moment(ms: int | None) -> str:
    return NOT_KNOWN if ms is None else _utc(ms).strftime("%Y-%m-%d %H:%M:%S")


def clock(ms: int | float, *, seconds: bool = False) -> str:
    return _utc(ms).strftime("%H:%M:%S" if seconds else "%H:%M")


def day(ms: int | float) -> str:
    at = _utc(ms)
    return f"{at.day} {at.strftime('%b')}"


def weekday(ms: int | float) -> str:
    return _utc(ms).strftime("%a")


def starts_day(ms: int | float) -> bool:
    return ms % DAY_MS == 0


def many(number: int | None, one: str) -> str:
    """`1 group`, `3 groups`, `– groups` if nobody knows."""
    return f"{count(number)} {one if number == 1 else one + 's'}"


def at_risk(records: int, unknown: int) -> str:
    """Unread records of some offsets; `unknown`: of how many of the offsets nobody knows what is unread."""
    if not unknown:
        return f"{count(records)} unread records"
    return f"at least {count(records)} unread records" if records else "how many records are unread is not known"


def _utc(ms: int | float) -> datetime:
    # Times come from records: a broken one must not end the report, so it is held inside what a date can say.
    return datetime.fromtimestamp(min(max(ms, 0), 253_402_300_799_000) / 1000, UTC)
