"""What the `muster` command says to the shell."""

from __future__ import annotations

from typing import Final

DONE: Final = 0
FAILED: Final = 1
USAGE: Final = 2
INTERRUPTED: Final = 130
"""Ctrl-C, as shells count it: 128 and the signal's number."""
