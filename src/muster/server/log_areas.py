"""Which areas log lines may have: those with a name of their own, and the modules and packages that log under theirs.

Asked when `muster.log.levels` is set, so that a misspelt area is noticed. Modules are found by their files; none is imported.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Iterator
from pathlib import Path
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
"""Names that are no module's."""
_MUSTER: Final = Path(__file__).parents[1]


def warnings_about(areas: list[str]) -> Iterator[str]:
    """A sentence about each that does not exist, with the nearest name."""
    for area in areas:
        modules = _modules_on_the_way_to(area)
        if area in AREAS or area in modules:
            continue
        from difflib import get_close_matches

        # Without what all names share, which would make them all alike.
        known = [each.removeprefix("muster.") for each in (*AREAS, *modules)]
        near = get_close_matches(area.removeprefix("muster."), known, n=1)
        hint = f"did you mean muster.{near[0]}?" if near else f"there are {', '.join(AREAS)}, and the names of modules"
        yield f"muster.log.levels: nothing logs under {area}; {hint}"


def _modules_on_the_way_to(area: str) -> list[str]:
    """Those of each package above the area, as far as there are such packages."""
    package, directory, found = "muster", _MUSTER, ["muster"]
    for part in area.split(".")[1:]:
        found += [f"{package}.{each.name}" for each in pkgutil.iter_modules([str(directory)])]
        package, directory = f"{package}.{part}", directory / part
        if package not in found:
            break
    return found
