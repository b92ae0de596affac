"""Spans and moments on the command line: 90s, 2h, 7d, ISO 8601 (P1DT2H) and UTC times."""

from __future__ import annotations

import re
import time
from typing import Final

from muster.cli.lake.answers import moment_of, span_of
from muster.cli.support.cluster_command import UsageError

_ISO: Final = re.compile(
    r"(?P<sign>[+-]?)P(?:(?P<d>\d+)D)?(?:T(?=\d)(?:(?P<h>\d+)H)?(?:(?P<m>\d+)M)?(?:(?P<s>\d+(?:\.\d{1,9})?)S)?)?",
    re.IGNORECASE,
)
_MS: Final = {"d": 86_400_000, "h": 3_600_000, "m": 60_000, "s": 1_000}


def now_ms() -> int:
    return time.time_ns() // 1_000_000


def moment(text: str, flag: str) -> int:
    """Milliseconds since 1970: of a UTC time, of a span ago, or the number itself."""
    if re.fullmatch(r"\d{12,14}", text):
        return int(text)
    if _is_iso_span(text):
        return now_ms() - span(text, flag)
    return moment_of(text, flag, now_ms())


def span(text: str, flag: str) -> int:
    """Milliseconds of P1DT2H30M (days are 24 hours, as in Java), or of 90s, 30min, 2h, 7d."""
    if not _is_iso_span(text):
        if text[:1] in "Pp+-":
            raise UsageError(f"{flag} {text}: give a span like P1DT2H30M, 90s, 30min, 2h or 7d")
        return span_of(text, flag)
    match = _ISO.fullmatch(text)
    assert match is not None
    length = int(sum(float(match[unit] or 0) * size for unit, size in _MS.items()))
    return -length if match["sign"] == "-" else length


def _is_iso_span(text: str) -> bool:
    match = _ISO.fullmatch(text)
    return match is not None and any(match[unit] for unit in _MS)
