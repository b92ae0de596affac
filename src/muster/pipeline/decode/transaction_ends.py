"""Records of transactions that have not ended yet, and what becomes of them when a marker comes.

Knows producers, offsets and markers; not what the records say. A record belongs to the first marker of its producer behind it.
Called by the direct path to current offsets.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa

Numbers: TypeAlias = "np.ndarray[Any, np.dtype[Any]]"


class Undecided:
    def __init__(self) -> None:
        self._rows: pa.RecordBatch | None = None
        self._producers: Numbers = np.empty(0, dtype=np.int64)

    def __len__(self) -> int:
        return len(self._producers)

    def add(self, rows: pa.RecordBatch, producers: Numbers) -> None:
        """Rows with their log offset in the column `offset`."""
        self._rows = rows if self._rows is None else pa.concat_batches([self._rows, rows])
        self._producers = np.concatenate((self._producers, producers))

    def settle(self, markers: Iterable[tuple[int, int, bool]]) -> pa.RecordBatch:
        """Markers (producer, offset, committed) in log order: the committed rows come back, the aborted ones are forgotten."""
        assert self._rows is not None
        offsets = np.asarray(self._rows.column("offset"))
        decided = np.zeros(len(offsets), dtype=bool)
        committed = np.zeros(len(offsets), dtype=bool)
        for producer, offset, is_commit in markers:
            mine = (self._producers == producer) & (offsets < offset) & ~decided
            decided |= mine
            if is_commit:
                committed |= mine
        settled = self._rows.filter(pa.array(committed))
        self._rows = self._rows.filter(pa.array(~decided))
        self._producers = self._producers[~decided]
        return settled
