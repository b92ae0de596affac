"""New samples of the topics' ends meet what is known of them: a Spark program around `steps`.

One kernel gives both tables of the round, since the samples are taken while it runs: a second plan over them would take them again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final

import pyarrow as pa

from muster.pipeline.ends.record_times import with_record_times
from muster.pipeline.ends.schema import BATCH_BEGIN, BATCH_END, ENDS, TABLE, TOPIC_PARTITION
from muster.pipeline.ends.steps import folded
from muster.pipeline.ends.whole_keys import together, whole_keys
from muster.pipeline.schemas import TABLES
from muster.pipeline.wide import APPENDED, map_wide, wide_batches, wide_schema
from muster.pipeline.wide import TABLE as WIDE_TABLE

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

SAMPLES: Final = "b_leo_sample"
NOW: Final = "now"
_SAMPLE: Final = TABLES[SAMPLES]
_WIDE: Final = wide_schema([_SAMPLE, ENDS])
_KNOWN_AND_NEW: Final = pa.schema(
    [*ENDS, pa.field("known", pa.bool_()), *(field for field in _SAMPLE if field.name not in ENDS.names)]
)


def fold_ends(ends: DataFrame, samples: DataFrame, batch: str = "") -> DataFrame:
    """Rows of `ends` (part `now`, which takes the place of all rows there were) and of `b_leo_sample` (part `new`, appended).

    `ends` are the rows of the table `ends`, `samples` rows of `b_leo_sample`: samples that are not older than those folded
    before, and batches (`record_times`).
    """
    from pyspark.sql import functions as F

    known = ends.select(*ENDS.names, F.lit(True).alias("known"))
    rows = known.unionByName(samples.select(*_SAMPLE.names), allowMissingColumns=True)
    return map_wide(together(rows, TOPIC_PARTITION), _fold, _KNOWN_AND_NEW, _WIDE, batch)


def counts_of_ends() -> list[Column]:
    """What the rows say as a whole: how many partitions, how many steps, sums of their ends, the newest time."""
    from pyspark.sql import functions as F

    is_end = F.col(WIDE_TABLE) == TABLE
    return [
        F.count(F.when(is_end, 1)).alias("partitions"),
        F.sum(F.when(is_end, F.size("steps"))).alias("steps"),
        F.sum(F.when(is_end, F.col("leo"))).alias("sum"),
        F.sum(F.when(is_end, F.col("lso"))).alias("stable_sum"),
        F.max(F.when(is_end, F.col("end_ms"))).alias("newest_ms"),
    ]


def _fold(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for rows in whole_keys(batches, TOPIC_PARTITION):
        is_known = rows.column("known").is_valid()
        samples = rows.filter(pa.compute.invert(is_known)).select(_SAMPLE.names)
        is_batch = pa.compute.is_in(samples.column("sampler"), pa.array([BATCH_BEGIN, BATCH_END]))
        ends = folded(rows.filter(is_known), samples.filter(pa.compute.invert(is_batch)))
        ends = with_record_times(ends, samples.filter(is_batch))
        yield from wide_batches(_WIDE, TABLE, NOW, ends, _ROWS_OF_A_BATCH)
        yield from wide_batches(_WIDE, SAMPLES, APPENDED, samples)


_ROWS_OF_A_BATCH: Final = 2_000
"""A row may hold thousands of steps: Java takes a batch as a whole."""
