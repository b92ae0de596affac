"""Time spans and moments on the command line, for all commands: 90s, 30min, 2h, 7d and UTC times.

`parse_kafka_span` and `parse_kafka_moment` also take what Kafka's own tools take: ISO 8601 (P1DT2H), milliseconds since 1970.
All raise `UsageError`, which names the flag.
"""

from __future__ import annotations

import re
import time
from datetime import UTC, datetime
from typing import Final

from muster.cli.support.numbers import MOST_DAYS, shortened
from muster.cli.support.usage_error import UsageError

_SPAN: Final = re.compile(r"(\d+(?:\.\d+)?)(ms|s|min|m|h|d)")
_UNIT_MS: Final = {"ms": 1, "s": 1_000, "min": 60_000, "m": 60_000, "h": 3_600_000, "d": 86_400_000}
_ISO_SPAN: Final = re.compile(
    r"(?P<sign>[+-]?)P(?:(?P<d>\d+)D)?(?:T(?=\d)(?:(?P<h>\d+)H)?(?:(?P<m>\d+)M)?(?:(?P<s>\d+(?:\.\d{1,9})?)S)?)?",
    re.IGNORECASE,
)
_ISO_UNITS: Final = ("d", "h", "m", "s")
_SPANS: Final = "90s, 30min, 2h or 7d"


def now_ms() -> int:
    return time.time_ns() // 1_000_000


def parse_span(text: str, flag: str) -> int:
    """Milliseconds of 90s, 30min, 2h, 7d."""
    length_ms = _span_ms(text, flag)
    if length_ms is None:
        raise UsageError(f"{flag} {shortened(text)}: give a span like {_SPANS}")
    return length_ms


def parse_moment(text: str, flag: str, until_ms: int) -> int:
    """Milliseconds since 1970: of a span before `until_ms`, or of a date and time in UTC."""
    length_ms = _span_ms(text, flag)
    if length_ms is not None:
        return until_ms - length_ms
    try:
        parsed = datetime.fromisoformat(text)
    except ValueError:
        raise UsageError(
            f"{flag} {shortened(text)}: give a span like {_SPANS}, or a UTC time like 2026-11-15T03:12"
        ) from None
    return int((parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)).timestamp() * 1000)


def parse_kafka_span(text: str, flag: str) -> int:
    """Milliseconds of P1DT2H30M (days are 24 hours, as in Java; it may be negative), or of what `parse_span` takes."""
    length_ms = _iso_span_ms(text, flag)
    if length_ms is not None:
        return length_ms
    if text[:1] in "Pp+-":
        raise UsageError(f"{flag} {shortened(text)}: give a span like P1DT2H30M, {_SPANS}")
    return parse_span(text, flag)


def parse_kafka_moment(text: str, flag: str) -> int:
    """Milliseconds since 1970: the number itself, of P1DT2H30M ago, or of what `parse_moment` takes."""
    if re.fullmatch(r"\d{12,14}", text):
        return int(text)
    length_ms = _iso_span_ms(text, flag)
    if length_ms is not None:
        return now_ms() - length_ms
    return parse_moment(text, flag, now_ms())


def _span_ms(text: str, flag: str) -> int | None:
    match = _SPAN.fullmatch(text)
    return None if match is None else _bounded(float(match[1]) * _UNIT_MS[match[2]], text, flag)


def _iso_span_ms(text: str, flag: str) -> int | None:
    match = _ISO_SPAN.fullmatch(text)
    if match is None or not any(match[unit] for unit in _ISO_UNITS):
        return None
    length_ms = _bounded(sum(float(match[unit] or 0) * _UNIT_MS[unit] for unit in _ISO_UNITS), text, flag)
    return -length_ms if match["sign"] == "-" else length_ms


def _bounded(length_ms: float, text: str, flag: str) -> int:
    """Very many digits are an infinite length."""
    if length_ms > MOST_DAYS * _UNIT_MS["d"]:
        raise UsageError(f"{flag} {shortened(text)}: give a span of at most {MOST_DAYS}d, a thousand years")
    return int(length_ms)
