"""The two forms in which the suite is run: compiled, and as plain Python (`MUSTER_PURE=1`)."""

from __future__ import annotations

import os

import pytest

from muster.wire.apis import IS_COMPILED

interpreted_only = pytest.mark.skipif(
    IS_COMPILED, reason="puts a fault or a stand-in into code that is compiled here; the pure form of the suite runs it"
)


def seeds_of_this_form(count: int) -> range:
    """`count` seeds; with `MUSTER_PURE` the next ones, a quarter as many.

    A seed takes the same decisions in both forms. `muster sim` runs thousands, in plain Python if the variable is set.
    """
    return range(count, count + count // 4) if os.environ.get("MUSTER_PURE") else range(count)
