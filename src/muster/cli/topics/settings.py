"""Settings of topics on the command line: NAME=VALUE."""

from __future__ import annotations

from collections.abc import Sequence

from muster.cli.support.usage_error import UsageError


def parse_settings(texts: Sequence[str], flag: str = "--config") -> dict[str, str]:
    """The last one wins. UsageError if one has no name, or no `=`."""
    found: dict[str, str] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name.strip():
            raise UsageError(f"{flag} {text}: write NAME=VALUE, like retention.ms=86400000")
        found[name.strip()] = value.strip()
    return found
