"""Which areas log lines may have: those with a name of their own, and the modules and rooms that log under theirs.

Asked when `muster.log.levels` is set, so that a misspelt area is noticed. Imports rooms, so it is not needed for anything else.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from typing import Final

AREAS: Final = (
    "muster.audit",
    "muster.connection",
    "muster.control",
    "muster.listener",
    "muster.loop",
    "muster.nodes",
    "muster.oauth",
    "muster.rebalances",
    "muster.sasl",
    "muster.tls",
    "muster.users",
    "muster.workers",
)
"""Of no module."""


def warnings_about(areas: list[str]) -> Iterator[str]:
    """A sentence about each that does not exist, with the nearest name."""
    for area in areas:
        if area in AREAS or _is_module(area):
            continue
        from difflib import get_close_matches

        # Without what all names share, which would make them all alike.
        known = [each.removeprefix("muster.") for each in (*AREAS, *_modules_beside(area))]
        near = get_close_matches(area.removeprefix("muster."), known, n=1)
        hint = f"did you mean muster.{near[0]}?" if near else f"there are {', '.join(AREAS)}, and the names of modules"
        yield f"muster.log.levels: nothing logs under {area}; {hint}"


def _is_module(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except (ImportError, ValueError):  # what is above it is no package, or it is no name
        return False


def _modules_beside(name: str) -> list[str]:
    above = name.rpartition(".")[0]
    while not _is_module(above):
        above = above.rpartition(".")[0]
    paths = getattr(import_module(above), "__path__", [])
    return [f"{above}.{each.name}" for each in pkgutil.iter_modules(paths)]
