"""`TableQuery`: which rows of one gold table are wanted, in which order. Plain data without Arrow; `query` answers it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class TableQuery:
    """Conditions are by column; None as a value means no condition.

    `order` is (column, descending); unknown values come last, or where `unknown_as` says.
    """

    table: str
    like: Mapping[str, str | None] = field(default_factory=dict)
    """`*` stands for anything."""
    at_least: Mapping[str, int | float | None] = field(default_factory=dict)
    at_most: Mapping[str, float | None] = field(default_factory=dict)
    equal: Mapping[str, Any] = field(default_factory=dict)
    one_of: Mapping[str, Sequence[str] | None] = field(default_factory=dict)
    order: tuple[tuple[str, bool], ...] = ()
    unknown_as: Mapping[str, int] = field(default_factory=dict)
    """In the order, what is unknown in these columns stands as if it were that number."""
    top: int = 0
    """So many rows at most; 0 is all."""
