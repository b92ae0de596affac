"""The two forms in which the suite is run: compiled, and as plain Python (`MUSTER_PURE=1`)."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

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


def plain_by_accident(environment: Path, checkout: Path, variables: Mapping[str, str]) -> str | None:
    """What to say if `make` compiled for this environment and nobody asked for plain Python, but that is what runs.

    The marker names what was built. It is empty where plain Python came out, as without a C compiler.
    """
    marker = environment / ".compiled"
    built = marker.read_text(encoding="utf-8").split() if marker.exists() else []
    if not built or variables.get("MUSTER_PURE") or (checkout / ".pure").exists():
        return None
    return (
        f"{built[0]} was built for {environment}, and nothing compiled can be imported: run `make compile`, "
        "or set MUSTER_PURE=1 to test plain Python"
    )
