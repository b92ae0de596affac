"""Plain values (`muster.wire.value`) in tests."""

from __future__ import annotations

from typing import TypeVar

from muster.wire.value import Value

V = TypeVar("V", bound=Value)


def replaced(value: V, **changes: object) -> V:
    """A copy in which these fields are different."""
    return type(value)(**(value.as_dict() | changes))
