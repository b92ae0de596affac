"""Moments in addresses and forms."""

from __future__ import annotations

from datetime import UTC, datetime

from muster.console.web import BadRequest


def moment_of(text: str, name: str) -> int:
    """Milliseconds since 1970 of a number of them, or of a UTC time as 2026-11-15T03:12."""
    if text.isdecimal() and 12 <= len(text) <= 14:
        return int(text)
    try:
        parsed = datetime.fromisoformat(text)
        return int((parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)).timestamp() * 1000)
    except (ValueError, OverflowError):
        raise BadRequest(f"{name} must be a UTC time like 2026-11-15T03:12, not {text[:40]!r}.") from None
