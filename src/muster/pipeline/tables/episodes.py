"""`g_rebalance_episode`: rebalances that belong together, and what they were as a whole.

| kind | when |
|---|---|
| single | one rebalance |
| cooperative | a cooperative protocol's follow-up rounds: only the first changed the membership |
| rolling_restart | everybody who was there at the start went, and at least as many came |
| storm | more of them than `storm_rebalances`, none of the above |
| several | the rest |
"""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from muster.pipeline.tables.columns import GROUP, conform
from muster.pipeline.tables.settings import GoldSettings

_COOPERATIVE_PROTOCOLS = ("compatible", "sessioned")
"""Connect's; consumers' say so in their name."""
_COOPERATIVE_ROUNDS = 3


def rebalance_episodes(rebalances: DataFrame, settings: GoldSettings) -> DataFrame:
    one = F.struct("ended_ms", "generation", "started_ms", "cause", "joined", "gone", "members_before", "protocol")
    rows = rebalances.groupBy(*GROUP, "episode").agg(
        F.sort_array(F.collect_list(one)).alias("_all"),
        F.min(F.coalesce("started_ms", "ended_ms")).alias("started_ms"),
        F.max("ended_ms").alias("ended_ms"),
        F.count("*").cast("int").alias("n_rebalances"),
        F.max("pause_max_ms").alias("pause_max_ms"),
    )
    return conform(
        rows.withColumn("causes", F.array_distinct(F.expr("transform(_all, r -> r.cause)"))).withColumn(
            "kind", _kind(settings)
        ),
        "g_rebalance_episode",
    )


def _kind(settings: GoldSettings) -> F.Column:
    protocol = F.lower(F.coalesce(F.element_at("_all", -1)["protocol"], F.lit("")))
    cooperative = protocol.contains("cooperative") | protocol.isin(*_COOPERATIVE_PROTOCOLS)
    later_changes = F.expr(
        "aggregate(slice(_all, 2, size(_all)), 0, (n, r) -> n + coalesce(size(r.joined), 0) + coalesce(size(r.gone), 0))"
    )
    came = F.expr("flatten(transform(_all, r -> coalesce(r.joined, array())))")
    went = F.expr("flatten(transform(_all, r -> coalesce(r.gone, array())))")
    at_first = F.coalesce(F.col("_all")[0]["members_before"], F.lit(0))
    # Those who came and went again within the episode are neither the old fleet nor the new one.
    old_gone, new_here = F.size(F.array_except(went, came)), F.size(F.array_except(came, went))
    everybody = (at_first > 0) & (old_gone >= at_first) & (new_here >= at_first)
    n = F.col("n_rebalances")
    return (
        F.when(n == 1, "single")
        .when(cooperative & (n <= _COOPERATIVE_ROUNDS) & (later_changes == 0), "cooperative")
        .when(everybody, "rolling_restart")
        .when(n >= settings.storm_rebalances, "storm")
        .otherwise("several")
    )
