"""What the kernel of the tables of now takes: rows of the state, of the history that waits, and the ends of topics.

A task has whole log partitions and the ends of every topic that their groups commit to or subscribe to. Most rows are positions;
whatever else a row may be travels in a column that is a list of one, for which Spark writes nothing where it is null.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pyarrow as pa

from muster.pipeline.ends.schema import ENDS
from muster.pipeline.fold.kernel import STATE_PARTS
from muster.pipeline.fold.state import EXTENT, GROUP, POSITION
from muster.pipeline.now.schema import MINUTE

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

PLACE: Final = ("cluster", "log_partition")
_OF_END: Final = ("topic", "partition", "lso", "readable_end", "sampler", "ring", "steps")
_OF_MINUTE: Final = ("group_id", "topic", "partition", "stretches")
END: Final = pa.struct([ENDS.field(name) for name in _OF_END])
WAITING: Final = pa.struct([MINUTE.field(name) for name in _OF_MINUTE])
INPUT: Final = pa.schema(
    [
        pa.field("cluster", pa.string()),
        pa.field("log_partition", pa.int32()),
        pa.field("position", POSITION),
        pa.field("extent", pa.list_(EXTENT)),
        pa.field("group", pa.list_(GROUP)),
        pa.field("minute", pa.list_(WAITING)),
        pa.field("end", pa.list_(END)),
    ]
)
"""Columns of `now_input`; all but one of the last five are null in each row."""


def now_input(state: DataFrame, ends: DataFrame, minutes: DataFrame | None, tasks: int = STATE_PARTS) -> DataFrame:
    """`minutes` None: the history of the lag is not asked for."""
    from pyspark.sql import functions as F
    from pyspark.sql.pandas.types import from_arrow_type

    rows = state.where(F.col("kind").isin("position", "extent", "group")).select(
        *PLACE,
        "position",
        *(F.when(F.col(kind).isNotNull(), F.array(kind)).alias(kind) for kind in ("extent", "group")),
    )
    if minutes is None:
        rows = rows.withColumn("minute", F.lit(None).cast(from_arrow_type(INPUT.field("minute").type)))
    else:
        waiting = minutes.select(*PLACE, F.array(F.struct(*_OF_MINUTE)).alias("minute"))
        rows = rows.unionByName(waiting, allowMissingColumns=True)
    end = F.array(F.struct(*_OF_END)).alias("end")
    if tasks == 1:
        whole = rows.unionByName(ends.select("cluster", end), allowMissingColumns=True)
        return whole.select(*INPUT.names).coalesce(1)
    task = F.pmod("log_partition", F.lit(tasks)).cast("int").alias("task")
    wanted = _wanted_topics(state, minutes).select(task, "cluster", "topic").distinct()
    known = ends.join(wanted, ["cluster", "topic"]).select("task", "cluster", end)
    placed = rows.select(task, "*").unionByName(known, allowMissingColumns=True)
    return placed.repartitionById(tasks, F.col("task")).select(*INPUT.names)


def _wanted_topics(state: DataFrame, minutes: DataFrame | None) -> DataFrame:
    """Whose ends a log partition asks for."""
    from pyspark.sql import functions as F

    committed = state.where("kind = 'position'").select(*PLACE, "position.topic")
    subscribed = state.where("kind = 'group'").select(*PLACE, F.explode("group.topics").alias("topic"))
    wanted = committed.union(subscribed)
    return wanted if minutes is None else wanted.union(minutes.select(*PLACE, "topic"))
