"""Waiting for what a client will see, with a generous deadline: the only way in which these tests wait."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

PATIENCE_SECONDS = 60.0
"""Long, because a busy machine is slow; a test that works never needs it."""

_T = TypeVar("_T")


def eventually(what: str, look: Callable[[], _T], holds: Callable[[_T], bool] = bool) -> _T:
    """Look again and again until it holds; then what was seen. `look` is a client's own call and takes its time."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while True:
        seen = look()
        if holds(seen):
            return seen
        assert time.monotonic() < deadline, f"waited {PATIENCE_SECONDS:.0f} s for {what}; last seen: {seen!r}"
