"""A round on a Spark Connect server: what `foreachBatch` runs where the server is, in a Python process of its own.

Nothing is shared with the process that started the query but what was pickled when it began, and the lake. So what that process
keeps in memory (when the tables of now were last made) is asked of the lake here.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from muster.pipeline.regular_compaction import RegularCompaction
from muster.pipeline.round import RoundWriter
from muster.pipeline.round_settings import Gold

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


@dataclass(frozen=True)
class ConnectBatch:
    """Called with every micro-batch. `gold_every_ms` None: whoever started the query makes the tables of now at its end.

    One process serves all micro-batches of a query, so the writer here sees them all, as one without Connect does.
    """

    writer: RoundWriter
    gold_every_ms: int | None
    idle_ms: int
    compaction: RegularCompaction | None = None

    def __call__(self, rows: DataFrame, batch_id: int) -> None:
        self.writer.add(rows, batch_id, self._gold_if_due())
        if self.compaction is not None and self.compaction.is_due(_warn):
            self.compaction.run(_warn)

    def _gold_if_due(self) -> Gold | None:
        if self.gold_every_ms is None:
            return None
        age_ms = self.writer.settings.clock() - (self.writer.last().gold_at_ms or 0)
        return Gold(only_changes=age_ms < self.idle_ms) if age_ms >= self.gold_every_ms else None


def _warn(text: str) -> None:
    """The server's log has it: nobody watches here."""
    print(f"muster pipeline: warning: {text}", file=sys.stderr, flush=True)
