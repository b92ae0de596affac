"""The ends of topic partitions that a task was given, ready to be searched: one row each, their steps in arrays."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl
import pyarrow as pa

from muster.pipeline.ends.schema import TOPIC_PARTITION
from muster.pipeline.now.steps import NONE, Longs, Steps, steps_of


@dataclass(frozen=True, slots=True)
class TopicEnds:
    rows: pl.DataFrame
    """`TOPIC_PARTITION`, `lso`, `readable_end`, `sampler`, `ring`; numbered by `end_row`."""
    steps: Steps

    @classmethod
    def of(cls, ends: pa.Table) -> TopicEnds:
        """`ends` have `TOPIC_PARTITION` and the columns of `input.END`."""
        rows = pl.DataFrame(pl.from_arrow(ends.drop_columns(["steps"])))
        return cls(rows.with_row_index("end_row"), steps_of(ends.column("steps")))

    def numbers(self) -> pl.DataFrame:
        return self.rows.select(*TOPIC_PARTITION, "end_row")


def end_rows(rows: pl.DataFrame) -> Longs:
    """The column `end_row`, NONE where a partition has no end."""
    found: Longs = rows["end_row"].cast(pl.Int64).fill_null(NONE).to_numpy()
    return found
