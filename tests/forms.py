"""The two forms in which the suite is run: compiled, and as plain Python (`MUSTER_PURE=1`)."""

from __future__ import annotations

import pytest

from muster.wire.apis import IS_COMPILED

interpreted_only = pytest.mark.skipif(
    IS_COMPILED, reason="puts a fault or a stand-in into code that is compiled here; the pure form of the suite runs it"
)
