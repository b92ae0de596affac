"""`g_assignment_balance`: how evenly each generation spread its partitions (analytics 2.7).

Only the consumer protocol's assignments can be read (trap 14): groups of other types have no row, which is not a balance of zero.
"""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from muster.pipeline.tables.columns import LOG, conform


def assignment_balance(generations: DataFrame, members: DataFrame, assignments: DataFrame) -> DataFrame:
    place = [*LOG, "log_offset"]
    owned = assignments.groupBy(*place, "member_id").agg(F.count("*").alias("_n"))
    loads = (
        members.join(owned, [*place, "member_id"], "left")
        .groupBy(*place)
        .agg(F.sort_array(F.collect_list(F.coalesce("_n", F.lit(0)))).alias("loads"))
    )
    formed = generations.where("protocol_type = 'consumer' and n_members > 0 and kind != 'static_replace'")
    return conform(
        formed.join(loads, place).withColumns(_measures()).withColumn("at_ms", F.col("record_ms")),
        "g_assignment_balance",
    )


def _measures() -> dict[str, F.Column]:
    n = F.size("loads")
    total = F.expr("aggregate(loads, 0L, (a, x) -> a + x)")
    squares = F.expr("aggregate(loads, 0.0D, (a, x) -> a + double(x) * x)")
    # Of sorted loads x_1 <= ... <= x_n: sum of (2i - n - 1) x_i over n times their total.
    weighted = F.expr(
        "aggregate(transform(loads, (x, i) -> double(2 * i + 1 - size(loads)) * x), 0.0D, (a, x) -> a + x)"
    )
    mean = total / n
    variance = F.greatest(squares / n - mean * mean, F.lit(0.0))
    some = total > 0
    return {
        "n_members": n,
        "n_partitions": total,
        "n_idle_members": F.size(F.expr("filter(loads, x -> x = 0)")),
        "max_over_mean": F.when(some, F.array_max("loads") / mean),
        "spread": F.array_max("loads") - F.array_min("loads"),
        "cv": F.when(some, F.sqrt(variance) / mean),
        "gini": F.when(some, weighted / (n * total)),
        "effective_members": F.when(some, total * total / squares),
    }
