"""How times, amounts, partitions and foreign texts are said. Pure: values to short texts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from itertools import pairwise
from typing import Final

from muster.explain.facts import Partition

_UNITS: Final = (("d", 86_400), ("h", 3_600), ("min", 60), ("s", 1))
_SHOWN_AS_A_MINUTE_MS: Final = 59_950
"""From here on tenths of a second would be rounded up to `60 s`."""
_RANGE_FROM: Final = 3
"""So many neighbours are said as a range."""


def duration(length_ms: float) -> str:
    """Two units at most: 3 d 4 h, 12 min 5 s, 1.5 s, 20 ms."""
    if length_ms < 0:
        return f"−{duration(-length_ms)}"
    if length_ms < 1_000:
        return f"{length_ms:.0f} ms"
    if length_ms < _SHOWN_AS_A_MINUTE_MS:
        return f"{length_ms / 1000:.1f}".removesuffix(".0") + " s"
    seconds = round(length_ms / 1000)
    for (unit, size), (smaller, smaller_size) in pairwise(_UNITS):
        if seconds >= size:
            part = seconds % size // smaller_size
            return f"{seconds // size} {unit}" + (f" {part} {smaller}" if part else "")
    raise AssertionError(length_ms)


def moment(at_ms: int) -> str:
    """To the millisecond, in UTC; the word UTC is the reader's to add once."""
    try:
        return datetime.fromtimestamp(at_ms / 1000, UTC).strftime("%Y-%m-%d %H:%M:%S.") + f"{at_ms % 1000:03d}"
    except (OverflowError, ValueError, OSError):
        return f"{at_ms} ms"


def plural(amount: int, singular: str) -> str:
    if amount == 1:
        return f"{amount} {singular}"
    return f"{amount:,} {singular[:-1]}ies" if singular.endswith("y") else f"{amount:,} {singular}s"


def times(count: int) -> str:
    return {1: "once", 2: "twice"}.get(count, f"{count:,} times")


def listed(texts: Sequence[str]) -> str:
    """a, b and c."""
    if len(texts) < 2:
        return "".join(texts)
    return f"{', '.join(texts[:-1])} and {texts[-1]}"


def plain(text: str) -> str:
    """Foreign text: what a terminal would act on is shown, not sent."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def said(reason: str) -> str:
    """A client's own words, in quotation marks."""
    return f'"{plain(reason).strip().rstrip(".")}"'


def partitions(of: Iterable[Partition]) -> str:
    """orders 0-3, 7; audit 0."""
    by_topic: dict[str, list[int]] = {}
    for topic, number in of:
        by_topic.setdefault(topic, []).append(number)
    return "; ".join(f"{plain(topic)} {_ranges(sorted(numbers))}" for topic, numbers in sorted(by_topic.items()))


def _ranges(numbers: list[int]) -> str:
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ", ".join(f"{run[0]}-{run[-1]}" if len(run) >= _RANGE_FROM else ", ".join(map(str, run)) for run in runs)
