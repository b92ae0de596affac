"""How numbers, times and names of a lake are shown to people. Pure: values to short texts."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

UNKNOWN = "-"
_UNITS = (("d", 86_400_000), ("h", 3_600_000), ("min", 60_000), ("s", 1_000))


def name(value: object) -> str:
    """Names are arbitrary text: what a terminal would act on is shown, not sent; the empty name is visible."""
    if value is None:
        return UNKNOWN
    text = str(value)
    if not text:
        return '""'
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def count(value: float | None) -> str:
    return UNKNOWN if value is None else f"{value:,}"


def number(value: float | None) -> str:
    return UNKNOWN if value is None else f"{value:,.2f}".rstrip("0").rstrip(".")


def share(value: float | None) -> str:
    return UNKNOWN if value is None else f"{100 * value:.0f} %"


def moment(value: int | None) -> str:
    if value is None:
        return UNKNOWN
    try:
        return datetime.fromtimestamp(value / 1000, UTC).strftime("%Y-%m-%d %H:%M:%S")
    except (OverflowError, ValueError, OSError):
        return f"{value} ms"


def duration(value: int | None) -> str:
    """Two units at most: 3 d 4 h, 12 min 5 s, 1.5 s, 20 ms."""
    if value is None:
        return UNKNOWN
    if value < 0:
        return f"-{duration(-value)}"
    if value < 1_000:
        return f"{value} ms"
    if value < 60_000:
        return f"{value / 1000:.1f}".removesuffix(".0") + " s"
    for index, (unit, size) in enumerate(_UNITS):
        if value >= size:
            whole, rest = divmod(value, size)
            smaller, smaller_size = _UNITS[index + 1]
            part = rest // smaller_size
            return f"{whole} {unit} {part} {smaller}" if part else f"{whole} {unit}"
    raise AssertionError(value)


def bracket(low: int | None, high: int | None) -> str:
    """Time lag is known from below and from above; without an upper end it is `at least`."""
    if low is None:
        return UNKNOWN
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
