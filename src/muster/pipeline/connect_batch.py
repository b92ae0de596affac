"""A round on a Spark Connect server: what `foreachBatch` runs where the server is, in a Python process of its own.

Nothing is shared with the process that started the query but what was pickled when it began, and the lake. So what that process
keeps in memory (when the tables of now were last made) is asked of the lake here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

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

    def __call__(self, rows: DataFrame, batch_id: int) -> None:
        self.writer.add(rows, batch_id, self._gold_if_due())

    def _gold_if_due(self) -> Gold | None:
        if self.gold_every_ms is None:
            return None
        age_ms = self.writer.settings.clock() - (self.writer.last().gold_at_ms or 0)
        return Gold(only_changes=age_ms < self.idle_ms) if age_ms >= self.gold_every_ms else None
