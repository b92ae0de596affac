"""The exit codes of all commands. Not in `support`, because `main` imports them at every start."""

from __future__ import annotations

from typing import Final

DONE: Final = 0
FAILED: Final = 1
USAGE: Final = 2
INTERRUPTED: Final = 130
"""Ctrl-C, as shells count it: 128 and the signal's number."""
TERMINATED: Final = 143
"""SIGTERM, counted the same way."""
