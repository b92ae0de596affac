"""How numbers, times and names of a lake are shown to people. Pure: values to short texts."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from muster.explain import words

if TYPE_CHECKING:
    from muster.pipeline.lake.compact import Compacted

UNKNOWN = "-"
NO_TIME_LAG = "not known"
"""Records wait, and nobody knows for how long; or nobody knows whether any do."""


def name(value: object) -> str:
    """Names are arbitrary text: what a terminal would act on is shown, not sent; the empty name is visible."""
    if value is None:
        return UNKNOWN
    text = str(value)
    if not text:
        return '""'
    return words.plain(text)


def count(value: float | None) -> str:
    return UNKNOWN if value is None else f"{value:,}"


def number(value: float | None) -> str:
    return UNKNOWN if value is None else f"{value:,.2f}".rstrip("0").rstrip(".")


def share(value: float | None) -> str:
    return UNKNOWN if value is None else f"{100 * value:.0f} %"


def compaction(done: Compacted) -> str:
    return (
        f"{plural(done.files_before, 'file')} became {done.files_after:,}, {done.rows_dropped:,} rows dropped,"
        f" {plural(done.files_removed, 'unused file')} removed"
    )


def moment(value: int | None) -> str:
    if value is None:
        return UNKNOWN
    try:
        return datetime.fromtimestamp(value / 1000, UTC).strftime("%Y-%m-%d %H:%M:%S")
    except (OverflowError, ValueError, OSError):
        return f"{value} ms"


def duration(value: int | None) -> str:
    return UNKNOWN if value is None else words.duration(value)


def bracket(low: int | None, high: int | None) -> str:
    """Time lag is known from below and from above; without an upper end it is `at least`, and at least nothing is no answer."""
    if low is None:
        return UNKNOWN
    if high is None and low == 0:
        return NO_TIME_LAG
    if high is None:
        return f"at least {duration(low)}"
    if duration(low) == duration(high):
        return duration(low)
    return f"{duration(low)} to {duration(high)}"


def names(value: list[Any] | None) -> str:
    if value is None:
        return UNKNOWN
    return ", ".join(name(each) for each in value) or "none"


def plural(amount: int, singular: str) -> str:
    return f"{amount:,} {singular}" if amount == 1 else f"{amount:,} {singular}s"
