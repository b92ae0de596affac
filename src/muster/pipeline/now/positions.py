"""Every position that a group has or should have, beside the ends of its partition: what `standing` looks at.

Positions are those of the state, and every partition of a topic that the group commits to or subscribes to: a partition that was
added and never read has no position, which is not a lag of its end (traps 18 and 21).
"""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING, Final

from muster.pipeline.ends.schema import TOPIC_PARTITION

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

OFFSETS_LOG: Final = "__consumer_offsets"
_OF_POSITION: Final = (
    *("log_partition", "log_offset", "committed_offset", "commit_ms", "topic_id", "leader_epoch", "metadata"),
    *("expire_ms", "is_pending", "faithful_from", "faithful_ms", "window"),
)


def of_kind(state: DataFrame, kind: str) -> DataFrame:
    """State rows of one kind as plain columns."""
    from pyspark.sql import functions as F

    return state.where(F.col("kind") == kind).select("cluster", "log_partition", f"{kind}.*")


def current_positions(state: DataFrame) -> DataFrame:
    """Positions with their current record; those that only an open transaction knows of have none."""
    from pyspark.sql import functions as F

    last = F.try_element_at("window", F.lit(-1))
    return of_kind(state, "position").select(
        *("cluster", "topic", "partition", "group_id", "log_partition"),
        *(last[name].alias(name) for name in ("log_offset", "committed_offset", "commit_ms")),
        *("topic_id", "leader_epoch", "metadata", "expire_ms", "window"),
        (F.size("pending") > 0).alias("is_pending"),
    )


def positions_and_ends(state: DataFrame, ends: DataFrame) -> DataFrame:
    """Rows of `standing.GIVEN` with `window`, and of each topic partition a row with its ends in `known`; together and sorted."""
    from pyspark.sql import functions as F

    current = current_positions(state)
    groups = of_kind(state, "group")
    known = current.join(F.broadcast(_whole_from(state)), ["cluster", "log_partition"], "left")
    # What only an open transaction knows of is no position: how much of its past is known is nobody's question.
    known = known.withColumn("faithful_ms", F.when(F.col("log_offset").isNotNull(), F.col("faithful_ms")))
    expected = _wanted(current, groups).join(ends.select(*TOPIC_PARTITION), ["cluster", "topic"])
    owned = groups.where((F.col("type") == "classic") & (F.col("n_members") > 0))
    owned = owned.select("cluster", "group_id", F.explode("owners").alias("owned")).select("*", "owned.*").drop("owned")
    is_there = F.lit(True).alias("is_there")
    rows = [
        known.select(*TOPIC_PARTITION, "group_id", F.struct(*_OF_POSITION).alias("position"), is_there),
        expected.select(*TOPIC_PARTITION, "group_id", is_there),
        owned.select(*TOPIC_PARTITION, "group_id", "owner"),
        ends.select(*TOPIC_PARTITION, F.struct("ring", "steps").alias("known")),
    ]
    # Partitioned by less than the aggregate's keys, which serves both: no second shuffle before the kernel.
    together = reduce(lambda one, other: one.unionByName(other, allowMissingColumns=True), rows).repartition(
        *TOPIC_PARTITION
    )
    merged = together.groupBy(*TOPIC_PARTITION, "group_id").agg(
        F.first("position", ignorenulls=True).alias("position"),
        F.min("owner").alias("owner"),
        F.max("is_there").alias("is_there"),
        F.first("known", ignorenulls=True).alias("known"),
    )
    wanted = merged.where("is_there or known is not null").select(
        *TOPIC_PARTITION, "group_id", "owner", "position.*", "known"
    )
    return wanted.sortWithinPartitions(*TOPIC_PARTITION)


def _wanted(current: DataFrame, groups: DataFrame) -> DataFrame:
    """(cluster, group_id, topic) of what groups commit to or subscribe to."""
    from pyspark.sql import functions as F

    committed = current.where("log_offset is not null").select("cluster", "group_id", "topic")
    subscribed = groups.select("cluster", "group_id", F.explode("topics").alias("topic")).where("topic is not null")
    return committed.union(subscribed).distinct()


def _whole_from(state: DataFrame) -> DataFrame:
    """From where on nothing is missing in each log partition; since ever, if it was read from its very beginning."""
    from pyspark.sql import functions as F

    whole = F.when(F.col("faithful_from") == 0, F.lit(0)).otherwise(F.col("faithful_from_ms")).cast("bigint")
    extents = of_kind(state, "extent").where(F.col("log_topic") == OFFSETS_LOG)
    return extents.select("cluster", "log_partition", "faithful_from", whole.alias("faithful_ms"))
