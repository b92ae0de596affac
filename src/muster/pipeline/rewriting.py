"""When a round writes all positions of the state anew, and not only those that it changes.

The rows of changed positions lie beside those of earlier rounds, the newest counts, and whoever reads the state reads all of them.
So they may become half as many as there are positions, in eight rounds at most: each round of a first read writes all positions, a
small one those that it changes.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from muster.pipeline.lake.files import DataFile

MOST_ROUNDS: Final = 8
POSITION_BYTES: Final = 80
"""Of the state's files, for a position."""


def writes_all_positions(held: Iterable[DataFile], records: int) -> bool:
    """`held` are the files of the positions, `records` are new: each may change one."""
    of_rounds: dict[str | None, int] = {}
    for file in held:
        of_rounds[file.batch] = of_rounds.get(file.batch, 0) + file.size
    if not of_rounds:
        return False
    whole = max(of_rounds.values())
    changed = sum(of_rounds.values()) - whole + min(whole, records * POSITION_BYTES)
    return len(of_rounds) >= MOST_ROUNDS or 2 * changed >= whole
