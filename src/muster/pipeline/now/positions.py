"""Every position that a group has or should have, beside the ends of its partition: what `standing` looks at.

Positions are those of the state, and every partition of a topic that the group commits to or subscribes to: a partition that was
added and never read has no position, which is not a lag of its end (traps 18 and 21).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pyarrow as pa

from muster.pipeline.ends.schema import ENDS, TOPIC_PARTITION
from muster.pipeline.ends.whole_keys import together
from muster.pipeline.fold.state import COMMIT, POSITION

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

GROUP_PLACE: Final = ("cluster", "log_partition", "group_id")
"""A group, and the log partition that all of its records are in."""
_OF_ENDS: Final = ("lso", "readable_end", "ring", "steps")
_POSITION: Final = ("window", "topic_id", "leader_epoch", "metadata", "expire_ms")
POSITIONS: Final = pa.schema(
    [
        *(ENDS.field(name) for name in TOPIC_PARTITION),
        pa.field("log_partition", pa.int32()),
        pa.field("group_id", pa.string()),
        pa.field(
            "position",
            pa.struct(
                [
                    pa.field("current", COMMIT),
                    *(POSITION.field(name) for name in _POSITION),
                    pa.field("is_pending", pa.bool_()),
                ]
            ),
        ),
        pa.field("known", pa.struct([ENDS.field(name) for name in _OF_ENDS])),
    ]
)
"""Columns of `positions_and_ends`."""
_OF_WAITING: Final = ("group_id", "topic", "partition", "pending")
WAITING: Final = pa.struct([POSITION.field(name) for name in _OF_WAITING])
"""Of `waiting_positions`."""


def of_kind(state: DataFrame, kind: str) -> DataFrame:
    """State rows of one kind as plain columns."""
    from pyspark.sql import functions as F

    return state.where(F.col("kind") == kind).select("cluster", "log_partition", f"{kind}.*")


def current_positions(state: DataFrame) -> DataFrame:
    """Positions with their current record in `current`. What only an open transaction knows of is none."""
    from pyspark.sql import functions as F

    return (
        of_kind(state, "position")
        .withColumn("current", F.try_element_at("window", F.lit(-1)))
        .where("current is not null")
    )


def waiting_positions(state: DataFrame) -> DataFrame:
    """Positions that an open transaction wants to commit, those that have no commit yet too. A list of one: most rows have none."""
    from pyspark.sql import functions as F

    pending = of_kind(state, "position").where(F.size("pending") > 0)
    return pending.select("cluster", "log_partition", F.array(F.struct(*_OF_WAITING)).alias("waiting"))


def positions_and_ends(state: DataFrame, ends: DataFrame) -> DataFrame:
    """Rows of positions (`position`), of those that should be (neither), and of ends (`known`); of a topic partition together."""
    from pyspark.sql import functions as F

    current = current_positions(state)
    is_pending = (F.size("pending") > 0).alias("is_pending")
    positions = current.select(
        *TOPIC_PARTITION, *GROUP_PLACE[1:], F.struct("current", *_POSITION, is_pending).alias("position")
    )
    expected = _wanted(current, of_kind(state, "group")).join(ends.select(*TOPIC_PARTITION), ["cluster", "topic"])
    known = ends.select(*TOPIC_PARTITION, F.struct(*_OF_ENDS).alias("known"))
    rows = positions.unionByName(expected, allowMissingColumns=True).unionByName(known, allowMissingColumns=True)
    return together(rows, TOPIC_PARTITION)


def _wanted(current: DataFrame, groups: DataFrame) -> DataFrame:
    """What groups commit to or subscribe to."""
    from pyspark.sql import functions as F

    committed = current.select(*GROUP_PLACE, "topic")
    subscribed = groups.select(*GROUP_PLACE, F.explode("topics").alias("topic")).where("topic is not null")
    return committed.union(subscribed).distinct()
