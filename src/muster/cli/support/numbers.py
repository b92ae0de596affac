"""Numbers on the command line: types of flags that say which numbers they take. Every flag with a number has one of these.

What comes after them (requests, Arrow, SQL) holds numbers of so many bits, and fails in words of its own if they have more.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Final

_SHOWN_CHARS: Final = 40


def whole_number(least: int, most: int) -> Callable[[str], int]:
    def parse(text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            value = most + 1
        if not least <= value <= most:
            raise argparse.ArgumentTypeError(f"{shortened(text)}: give a whole number from {least} to {most}")
        return value

    return parse


def number(least: float, most: float) -> Callable[[str], float]:
    def parse(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = float("nan")
        if not least <= value <= most:
            raise argparse.ArgumentTypeError(f"{shortened(text)}: give a number from {least:.0f} to {most:.0f}")
        return value

    return parse


def shortened(text: str) -> str:
    """As it was given, cut if nobody would read it to its end."""
    return text if len(text) <= _SHOWN_CHARS else text[:_SHOWN_CHARS] + "..."


int16: Final = whole_number(-(1 << 15), (1 << 15) - 1)
int32: Final = whole_number(-(1 << 31), (1 << 31) - 1)
int64: Final = whole_number(-(1 << 63), (1 << 63) - 1)
port: Final = whole_number(0, 65_535)
moment_ms: Final = whole_number(0, 253_402_300_799_999)
"""Milliseconds since 1970, up to the end of the year 9999, the last that Python can show."""
seconds: Final = number(0, 1e9)
MOST_DAYS: Final = 365_000
"""A thousand years: dates before and after now still have a name, and milliseconds 64 bits."""
days: Final = number(0, MOST_DAYS)
share: Final = number(0, 1)
ratio: Final = number(0, 1e9)
