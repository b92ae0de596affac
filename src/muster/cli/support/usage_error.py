"""The one exception for a command line that makes no sense. Whoever runs a command prints it in one line and ends with USAGE."""

from __future__ import annotations


class UsageError(Exception):
    """A flag's value makes no sense; the text says which and what would."""
