"""New samples of the topics' ends meet what is known of them: a Spark program around `steps`.

One kernel gives both tables of the round, since the samples are taken while it runs: a second plan over them would take them again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import pyarrow as pa

from muster.pipeline.ends.record_times import with_record_times
from muster.pipeline.ends.schema import BATCH_BEGIN, BATCH_END, ENDS, MISSED, MISSED_ONCE, TABLE, TOPIC_PARTITION
from muster.pipeline.ends.steps import folded, with_missed
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


@dataclass(frozen=True, slots=True)
class Asked:
    """All partitions of this cluster were asked for their ends: those without a sample are missed (`with_missed`)."""

    cluster: str
    known_since_ms: int


def fold_ends(ends: DataFrame, samples: DataFrame, batch: str = "", asked: Asked | None = None) -> DataFrame:
    """Rows of `ends` (part `now`, which takes the place of all rows there were) and of `b_leo_sample` (part `new`, appended).

    `ends` are the rows of the table `ends`, `samples` rows of `b_leo_sample`: samples that are not older than those folded
    before, and batches (`record_times`). `asked` None: these are not all samples of a round.
    """
    from pyspark.sql import functions as F

    known = ends.select(*ENDS.names, F.lit(True).alias("known"))
    rows = known.unionByName(samples.select(*_SAMPLE.names), allowMissingColumns=True)
    return map_wide(together(rows, TOPIC_PARTITION), _Fold(asked), _KNOWN_AND_NEW, _WIDE, batch)


_COUNTED: Final = ("found", "missed", "missed_once", "leo", "lso")


def told_of_ends(counts: Mapping[str, int | None]) -> str:
    """What tells two rounds' ends apart, of `counts_of_ends`: partitions found and missed, and sums over those that were found."""
    return ", ".join(f"{name} {counts[name]}" for name in _COUNTED)


def counts_of_ends(cluster: str) -> list[Column]:
    """Of the cluster's rows what `told_of_ends` tells; and of all rows how many steps there are, and the newest time."""
    from pyspark.sql import functions as F

    is_end = F.col(WIDE_TABLE) == TABLE
    is_ours = is_end & (F.col("cluster") == cluster)
    is_found = is_ours & ~F.col("sampler").isin(MISSED_ONCE, MISSED)
    return [
        F.count(F.when(is_found, 1)).alias("found"),
        F.count(F.when(is_ours & (F.col("sampler") == MISSED), 1)).alias("missed"),
        F.count(F.when(is_ours & (F.col("sampler") == MISSED_ONCE), 1)).alias("missed_once"),
        F.coalesce(F.sum(F.when(is_found, F.col("leo"))), F.lit(0)).alias("leo"),
        F.coalesce(F.sum(F.when(is_found, F.col("lso"))), F.lit(0)).alias("lso"),
        F.sum(F.when(is_end, F.size("steps"))).alias("steps"),
        F.max(F.when(is_end, F.col("end_ms"))).alias("newest_ms"),
    ]


@dataclass(frozen=True, slots=True)
class _Fold:
    """Runs in a Python worker."""

    asked: Asked | None

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for rows in whole_keys(batches, TOPIC_PARTITION):
            is_known = rows.column("known").is_valid()
            samples = rows.filter(pa.compute.invert(is_known)).select(_SAMPLE.names)
            is_batch = pa.compute.is_in(samples.column("sampler"), pa.array([BATCH_BEGIN, BATCH_END]))
            ends = folded(rows.filter(is_known), samples.filter(pa.compute.invert(is_batch)))
            ends = with_record_times(ends, samples.filter(is_batch))
            if self.asked is not None:
                ends = with_missed(ends, samples, self.asked.cluster, self.asked.known_since_ms)
            yield from wide_batches(_WIDE, TABLE, NOW, ends, _ROWS_OF_A_BATCH)
            yield from wide_batches(_WIDE, SAMPLES, APPENDED, samples)


_ROWS_OF_A_BATCH: Final = 2_000
"""A row may hold hundreds of steps: Java takes a batch as a whole."""
